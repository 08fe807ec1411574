// SPDX-License-Identifier: Apache-2.0
// What a simulation is in between two steps: reading it, saving it, going back to it.
#include <algorithm>
#include <limits>
#include <stdexcept>
#include <type_traits>

#include "base/state_archive.h"
#include "sim/devices.h"
#include "sim/node_states.h"
#include "sim/rebuild.h"
#include "sim/simulation_core.h"

namespace servosim {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

}  // namespace

// A muscle ends at the endpoint: without one there is none.
const std::vector<MuscleSpec>& SimulationCore::muscles_of(int joint) const {
  static const std::vector<MuscleSpec> none;
  const int index = numbers.joint(joint).index;
  const MotorSpec* motor = index >= 0 ? lists.motor_spec_of[index] : nullptr;
  return motor != nullptr && has_endpoint(index) ? motor->muscles : none;
}

JointReading Simulation::joint(int joint) const {
  const int index = core_->numbers.joint(joint).index;
  if (index < 0) {
    return {kNaN, kNaN, kNaN, kNaN};
  }
  const Motor* motor = core_->lists.motor_of[index];
  core_->physics().joints().measure(index);
  const JointState& state = core_->physics().joints()[index];
  const bool pursues = motor != nullptr && !motor->force_control();
  return {state.position, state.velocity, pursues ? motor->commanded_velocity() : 0.0,
          state.effort};
}

const Motor* Simulation::joint_motor(int joint) const {
  const int index = core_->numbers.joint(joint).index;
  return index >= 0 ? core_->lists.motor_of[index] : nullptr;
}

int Simulation::muscle_count(int joint) const {
  return static_cast<int>(core_->muscles_of(joint).size());
}

MuscleReading Simulation::muscle(int joint, int index) const {
  const std::vector<MuscleSpec>& muscles = core_->muscles_of(joint);
  const MuscleSpec& muscle = muscles[checked_index("muscle", index, muscles.size())];
  const int number = core_->numbers.joint(joint).index;
  const JointSpec& spec = core_->scene().joints[number];
  const auto pose = [this](int solid) {
    return solid >= 0 ? core_->physics().solid_pose(solid) : Pose{};
  };
  const bool by_hand = core_->physics().joints()[number].moved_by_hand;
  core_->physics().joints().measure(number);
  return read_muscle(muscle, inverse(pose(spec.parent)) * pose(spec.child),
                     by_hand ? 0.0 : core_->lists.motor_of[number]->muscle_status());
}

int Simulation::propeller_count() const {
  return static_cast<int>(core_->numbers.propellers().size());
}

const std::string& Simulation::propeller_name(int propeller) const {
  return core_->numbers.propeller(propeller).name;
}

PropellerReading Simulation::propeller(int propeller) const {
  const PropellerState* state = core_->numbers.propeller(propeller).state;
  return state != nullptr ? PropellerReading{state->shaft.velocity, state->thrust, state->torque}
                          : PropellerReading{kNaN, kNaN, kNaN};
}

void SimulationCore::save(StateBlock& block) const {
  StateWriter out(block);
  out.put(steps);
  out.put(random);
  for (const Device* device : lists.devices) {
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
  for (const DifferentialWheels* pair : lists.wheels) {
    out.put(pair->state());
  }
  for (const Robot* robot : lists.with_battery) {
    out.put(robot->battery()->state());
  }
  physics().save(out);
}

void SimulationCore::restore(const StateBlock& block) {
  StateReader in(block);
  in.get(steps);
  in.get(random);
  for (Device* device : lists.devices) {
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
  for (DifferentialWheels* pair : lists.wheels) {
    pair->set_state(in.take<DifferentialWheels::State>());
  }
  for (Robot* robot : lists.with_battery) {
    robot->set_battery_state(in.take<Battery::State>());
  }
  physics().restore(in);
}

SimulationState Simulation::save() const {
  SimulationState state;
  save(state);
  return state;
}

void Simulation::save(SimulationState& into) const { core_->save(into); }

void SimulationCore::save(SimulationState& into) const {
  into.family_ = family;
  into.file_ = file;
  into.scene_ = built->scene;
  into.placed_ = placed;
  save(into.block_);
}

void Simulation::restore(const SimulationState& state) {
  if (state.family_ == nullptr || state.family_ != core_->family) {
    throw std::invalid_argument(
        "this state was saved by another simulation; only a clone shares states with the original");
  }
  core_->go_to(state);
}

void Simulation::reset() {
  core_->go_to(SimulationState(core_->initial));
  core_->start = core_->initial;
}

void SimulationCore::go_to(const SimulationState& state) {
  const bool other_tree = state.scene_ != built->scene;
  if (other_tree) {
    Diagnostics diagnostics;  // reported when that tree was new
    Rebuild(*this, state.scene_, diagnostics).apply();
    diagnostics_list = diagnostics.list();
  }
  file = state.file_;
  placed = state.placed_;
  restore(state.block_);
  if (other_tree) {
    update_initial_states();
  }
}

Simulation Simulation::clone() const {
  Diagnostics diagnostics;  // the same as this one's
  auto twin = std::make_unique<SimulationCore>(core_->file, core_->built->scene, diagnostics,
                                               core_->settings);
  twin->diagnostics_list = core_->diagnostics_list;
  twin->initial = core_->initial;
  twin->start = core_->start;
  twin->family = core_->family;
  twin->sources = std::make_shared<SourceMap>(*core_->sources);  // which remembers when it is read
  twin->meshes = core_->meshes;
  twin->tree_version = core_->tree_version;
  twin->placed = core_->placed;
  twin->node_states = std::make_shared<NodeStates>(*core_->node_states);
  twin->numbers.copy_joints(core_->numbers);
  twin->assemble();
  StateBlock now;
  core_->save(now);
  twin->restore(now);
  return Simulation(std::move(twin));
}

std::uint64_t Simulation::state_hash() const {
  Fnv1a hash;
  hash.add(time());
  core_->physics().add_to_hash(hash);
  for (const Motor* motor : core_->lists.motors) {
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
  for (const DifferentialWheels* pair : core_->lists.wheels) {
    for (const std::array<double, 2>& numbers : {pair->state().command, pair->state().speed}) {
      hash.add(numbers[0]);
      hash.add(numbers[1]);
    }
  }
  for (const Emitter* emitter : core_->lists.emitters) {
    emitter->add_state(hash);
  }
  for (const Receiver* receiver : core_->lists.receivers) {
    receiver->add_state(hash);
  }
  for (const Robot* robot : core_->lists.with_battery) {
    hash.add(robot->battery()->energy());
  }
  return hash.value();
}

}  // namespace servosim
