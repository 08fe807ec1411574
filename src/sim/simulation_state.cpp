// SPDX-License-Identifier: Apache-2.0
// What a simulation is in between two steps: reading it, saving it, going back to it.
#include <stdexcept>

#include "core/hash.h"
#include "sim/muscles.h"
#include "sim/simulation_impl.h"

namespace servosim {

// A muscle ends at the endpoint: without one there is none.
const std::vector<MuscleSpec>& Simulation::Impl::muscles_of(int joint) const {
  static const std::vector<MuscleSpec> none;
  const MotorSpec* motor = motor_spec_of[checked_index("joint", joint, motor_spec_of.size())];
  return motor != nullptr && has_endpoint(joint) ? motor->muscles : none;
}

JointReading Simulation::joint(int joint) const {
  const Motor* motor = impl_->motor_of[checked_index("joint", joint, impl_->motor_of.size())];
  impl_->physics.measure(joint);
  const JointState& state = impl_->physics.joints()[joint];
  const bool pursues = motor != nullptr && !motor->force_control();
  return {state.position, state.velocity, pursues ? motor->commanded_velocity() : 0.0,
          state.effort};
}

const Motor* Simulation::joint_motor(int joint) const {
  return impl_->motor_of[checked_index("joint", joint, impl_->motor_of.size())];
}

int Simulation::muscle_count(int joint) const {
  return static_cast<int>(impl_->muscles_of(joint).size());
}

MuscleReading Simulation::muscle(int joint, int index) const {
  const std::vector<MuscleSpec>& muscles = impl_->muscles_of(joint);
  const MuscleSpec& muscle = muscles[checked_index("muscle", index, muscles.size())];
  const JointSpec& spec = impl_->scene.joints[joint];
  const auto pose = [this](int solid) {
    return solid >= 0 ? impl_->physics.solid_pose(solid) : Pose{};
  };
  const bool by_hand = impl_->physics.joints()[joint].moved_by_hand;
  impl_->physics.measure(joint);
  return read_muscle(muscle, inverse(pose(spec.parent)) * pose(spec.child),
                     by_hand ? 0.0 : impl_->motor_of[joint]->muscle_status());
}

int Simulation::propeller_count() const {
  return static_cast<int>(impl_->turned_propellers.size());
}

const std::string& Simulation::propeller_name(int propeller) const {
  return impl_->turned_propeller(propeller).name;
}

PropellerReading Simulation::propeller(int propeller) const {
  const PropellerState& state = *impl_->turned_propeller(propeller).state;
  return {state.shaft.velocity, state.thrust, state.torque};
}

void Simulation::Impl::save(StateBlock& block) const {
  StateWriter out(block);
  out.put(steps);
  out.put(random);
  for (const Motor* motor : motors) {
    out.put(motor->state());
  }
  for (const PositionSensor* sensor : sensors) {
    out.put(sensor->state());
  }
  for (const Brake* brake : brakes) {
    out.put(brake->state());
  }
  for (const SolidSensor* sensor : solid_sensors) {
    out.put(sensor->state());
  }
  for (const Emitter* emitter : emitters) {
    emitter->save(out);
  }
  for (const Receiver* receiver : receivers) {
    receiver->save(out);
  }
  for (const Connector* connector : connectors) {
    out.put(connector->state());
  }
  for (const DifferentialWheels* pair : wheels) {
    out.put(pair->state());
  }
  for (const Robot* robot : with_battery) {
    out.put(robot->battery()->state());
  }
  physics.save(out);
}

void Simulation::Impl::restore(const StateBlock& block) {
  StateReader in(block);
  in.get(steps);
  in.get(random);
  for (Motor* motor : motors) {
    motor->set_state(in.take<Motor::State>());
  }
  for (PositionSensor* sensor : sensors) {
    sensor->set_state(in.take<PositionSensor::State>());
  }
  for (Brake* brake : brakes) {
    brake->set_state(in.take<Brake::State>());
  }
  for (SolidSensor* sensor : solid_sensors) {
    sensor->set_state(in.take<SolidSensor::State>());
  }
  for (Emitter* emitter : emitters) {
    emitter->restore(in);
  }
  for (Receiver* receiver : receivers) {
    receiver->restore(in);
  }
  for (Connector* connector : connectors) {
    connector->set_state(in.take<Connector::State>());
  }
  for (DifferentialWheels* pair : wheels) {
    pair->set_state(in.take<DifferentialWheels::State>());
  }
  for (Robot* robot : with_battery) {
    robot->set_battery_state(in.take<Battery::State>());
  }
  physics.restore(in);
}

SimulationState Simulation::save() const {
  SimulationState state;
  save(state);
  return state;
}

void Simulation::save(SimulationState& into) const {
  into.scene_ = impl_->shared_scene;
  impl_->save(into.block_);
}

void Simulation::restore(const SimulationState& state) {
  if (state.scene_ != impl_->shared_scene) {
    throw std::invalid_argument(
        "this state was saved by another simulation; only a clone shares states with the original");
  }
  impl_->restore(state.block_);
}

void Simulation::reset() { impl_->restore(impl_->initial); }

Simulation Simulation::clone() const {
  Diagnostics diagnostics;  // the same as this one's
  auto twin = std::make_unique<Impl>(impl_->shared_scene, diagnostics, impl_->settings);
  twin->diagnostics_list = impl_->diagnostics_list;
  twin->initial = impl_->initial;
  StateBlock now;
  impl_->save(now);
  twin->restore(now);
  return Simulation(std::move(twin));
}

std::uint64_t Simulation::state_hash() const {
  Fnv1a hash;
  hash.add(time());
  impl_->physics.add_state(hash);
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
  for (const Robot* robot : impl_->with_battery) {
    hash.add(robot->battery()->energy());
  }
  return hash.value();
}

}  // namespace servosim
