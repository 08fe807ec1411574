// SPDX-License-Identifier: Apache-2.0
// What a simulation is in between two steps: reading it, saving it, going back to it.
#include <algorithm>
#include <limits>
#include <stdexcept>
#include <type_traits>

#include "base/state_archive.h"
#include "sim/devices.h"
#include "sim/node_states.h"
#include "sim/simulation.h"

namespace servosim {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

}  // namespace

// A muscle ends at the endpoint: without one there is none.
const std::vector<MuscleSpec>& Simulation::Impl::muscles_of(int joint) const {
  static const std::vector<MuscleSpec> none;
  const int index = numbered(joint).index;
  const MotorSpec* motor = index >= 0 ? motor_spec_of[index] : nullptr;
  return motor != nullptr && has_endpoint(index) ? motor->muscles : none;
}

JointReading Simulation::joint(int joint) const {
  const int index = impl_->numbered(joint).index;
  if (index < 0) {
    return {kNaN, kNaN, kNaN, kNaN};
  }
  const Motor* motor = impl_->motor_of[index];
  impl_->physics().measure(index);
  const JointState& state = impl_->physics().joints()[index];
  const bool pursues = motor != nullptr && !motor->force_control();
  return {state.position, state.velocity, pursues ? motor->commanded_velocity() : 0.0,
          state.effort};
}

const Motor* Simulation::joint_motor(int joint) const {
  const int index = impl_->numbered(joint).index;
  return index >= 0 ? impl_->motor_of[index] : nullptr;
}

int Simulation::muscle_count(int joint) const {
  return static_cast<int>(impl_->muscles_of(joint).size());
}

MuscleReading Simulation::muscle(int joint, int index) const {
  const std::vector<MuscleSpec>& muscles = impl_->muscles_of(joint);
  const MuscleSpec& muscle = muscles[checked_index("muscle", index, muscles.size())];
  const int number = impl_->numbered(joint).index;
  const JointSpec& spec = impl_->scene().joints[number];
  const auto pose = [this](int solid) {
    return solid >= 0 ? impl_->physics().solid_pose(solid) : Pose{};
  };
  const bool by_hand = impl_->physics().joints()[number].moved_by_hand;
  impl_->physics().measure(number);
  return read_muscle(muscle, inverse(pose(spec.parent)) * pose(spec.child),
                     by_hand ? 0.0 : impl_->motor_of[number]->muscle_status());
}

int Simulation::propeller_count() const {
  return static_cast<int>(impl_->turned_propellers.size());
}

const std::string& Simulation::propeller_name(int propeller) const {
  return impl_->turned_propeller(propeller).name;
}

PropellerReading Simulation::propeller(int propeller) const {
  const PropellerState* state = impl_->turned_propeller(propeller).state;
  return state != nullptr ? PropellerReading{state->shaft.velocity, state->thrust, state->torque}
                          : PropellerReading{kNaN, kNaN, kNaN};
}

void Simulation::Impl::save(StateBlock& block) const {
  StateWriter out(block);
  out.put(steps);
  out.put(random);
  for (const Device* device : devices) {
    for_each_part(
        [&out](const auto& part) {
          if constexpr (requires { part->save(out); }) {
            if (part != nullptr) {
              part->save(out);
            }
          } else if (part != nullptr) {
            out.put(part->state());
          }
        },
        *device);
  }
  for (const DifferentialWheels* pair : wheels) {
    out.put(pair->state());
  }
  for (const Robot* robot : with_battery) {
    out.put(robot->battery()->state());
  }
  physics().save(out);
}

void Simulation::Impl::restore(const StateBlock& block) {
  StateReader in(block);
  in.get(steps);
  in.get(random);
  for (Device* device : devices) {
    for_each_part(
        [&in](const auto& part) {
          if constexpr (requires { part->restore(in); }) {
            if (part != nullptr) {
              part->restore(in);
            }
          } else if (part != nullptr) {
            part->set_state(in.take<std::decay_t<decltype(part->state())>>());
          }
        },
        *device);
  }
  for (DifferentialWheels* pair : wheels) {
    pair->set_state(in.take<DifferentialWheels::State>());
  }
  for (Robot* robot : with_battery) {
    robot->set_battery_state(in.take<Battery::State>());
  }
  physics().restore(in);
}

SimulationState Simulation::save() const {
  SimulationState state;
  save(state);
  return state;
}

void Simulation::save(SimulationState& into) const { impl_->save(into); }

void Simulation::Impl::save(SimulationState& into) const {
  into.family_ = family;
  into.file_ = file;
  into.scene_ = built->scene;
  into.told_ = told;
  save(into.block_);
}

void Simulation::restore(const SimulationState& state) {
  if (state.family_ == nullptr || state.family_ != impl_->family) {
    throw std::invalid_argument(
        "this state was saved by another simulation; only a clone shares states with the original");
  }
  go_to(state);
}

void Simulation::reset() {
  go_to(SimulationState(impl_->initial));
  impl_->start = impl_->initial;
}

// To another tree, if the state has one.
void Simulation::go_to(const SimulationState& state) {
  const bool other_tree = state.scene_ != impl_->built->scene;
  if (other_tree) {
    Diagnostics ignored;  // was said when that tree was new
    auto next = std::make_unique<Impl>(state.file_, state.scene_, ignored, impl_->settings);
    next->inherit(*impl_);
    next->relocked.clear();  // the state says what is locked
    impl_ = std::move(next);
  }
  impl_->file = state.file_;
  impl_->told = state.told_;
  impl_->restore(state.block_);
  if (other_tree) {
    impl_->note_newcomers();
  }
}

Simulation Simulation::clone() const {
  Diagnostics diagnostics;  // the same as this one's
  auto twin =
      std::make_unique<Impl>(impl_->file, impl_->built->scene, diagnostics, impl_->settings);
  twin->diagnostics_list = impl_->diagnostics_list;
  twin->initial = impl_->initial;
  twin->start = impl_->start;
  twin->family = impl_->family;
  twin->sources = std::make_shared<SourceMap>(*impl_->sources);  // which remembers when it is read
  twin->meshes = impl_->meshes;
  twin->tree_version = impl_->tree_version;
  twin->told = impl_->told;
  twin->node_states = std::make_shared<NodeStates>(*impl_->node_states);
  twin->numbers = impl_->numbers;
  twin->assemble();
  StateBlock now;
  impl_->save(now);
  twin->restore(now);
  return Simulation(std::move(twin));
}

std::uint64_t Simulation::state_hash() const {
  Fnv1a hash;
  hash.add(time());
  impl_->physics().add_state(hash);
  for (const Motor* motor : impl_->motors) {
    const Motor::State& m = motor->state();
    for (const double number :
         {m.law.velocity(), m.law.error_integral(), m.law.previous_error(), m.target_position,
          m.target_velocity, m.acceleration, m.available_force, m.force,
          m.force_control ? 1.0 : 0.0, m.gains.p, m.gains.i, m.gains.d}) {
      hash.add(number);
    }
    if (m.driven) {
      for (const double number :
           {m.drive.velocity, m.drive.max_force, m.drive.force, m.drive.softness}) {
        hash.add(number);
      }
    }
  }
  for (const DifferentialWheels* pair : impl_->wheels) {
    for (const std::array<double, 2>& numbers : {pair->state().command, pair->state().speed}) {
      hash.add(numbers[0]);
      hash.add(numbers[1]);
    }
  }
  for (const Emitter* emitter : impl_->emitters) {
    emitter->add_state(hash);
  }
  for (const Receiver* receiver : impl_->receivers) {
    receiver->add_state(hash);
  }
  for (const Robot* robot : impl_->with_battery) {
    hash.add(robot->battery()->energy());
  }
  return hash.value();
}

}  // namespace servosim
