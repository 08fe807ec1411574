// SPDX-License-Identifier: Apache-2.0
#include "servosim/joint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "sim/checked_index.h"
#include "sim/devices.h"
#include "sim/simulation_core.h"

namespace servosim {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

}  // namespace

Joint::Joint(SimulationCore& core, int index) : core_(&core), index_(index) {
  core.devices().numbers().joint(index);  // throws for another number
}

const std::string& Joint::name() const { return core_->devices().numbers().joint(index_).name; }
JointType Joint::type() const { return core_->devices().numbers().joint(index_).type; }
int Joint::index_in_scene() const { return core_->devices().numbers().joint(index_).index; }
bool Joint::exists() const { return index_in_scene() >= 0; }

double Joint::position() const {
  const int joint = index_in_scene();
  return joint >= 0 ? core_->physics().joints()[joint].position : kNaN;
}

double Joint::velocity() const { return reading().velocity; }
double Joint::effort() const { return reading().effort; }

JointReading Joint::reading() const {
  const int joint = index_in_scene();
  if (joint < 0) {
    return {kNaN, kNaN, kNaN, kNaN};
  }
  const Motor* driver = core_->devices().motor_of(joint);
  core_->physics().joints().measure(joint);
  const JointState& state = core_->physics().joints()[joint];
  const bool has_speed = driver != nullptr && !driver->targets().force_control;
  return {state.position, state.velocity, has_speed ? driver->commanded_velocity() : 0.0,
          state.effort};
}

const Motor* Joint::motor() const {
  const int joint = index_in_scene();
  return core_->devices().motor_of(joint);
}

const ServoModel* Joint::servo_model() const {
  return motor() != nullptr ? motor()->servo().model() : nullptr;
}

std::optional<ServoReading> Joint::servo_reading() const {
  return motor() != nullptr ? motor()->servo().reading() : std::nullopt;
}

std::optional<JointLoad> Joint::load() const {
  const int joint = index_in_scene();
  const Scene& scene = core_->scene();
  const int child = joint >= 0 ? scene.joints[joint].child : -1;
  const std::vector<int>& measured = scene.measured_solids;
  // A joint that closes a loop does not carry the Solid.
  if (std::find(measured.begin(), measured.end(), child) == measured.end() ||
      scene.solids[child].joint != scene.joints[joint].first_axis) {
    return std::nullopt;
  }
  const auto [force, torque] = core_->physics().joints().loads().of(child);
  return JointLoad{force, torque};
}

// A muscle ends at the endpoint of the joint, so that a joint without an endpoint has none.
int Joint::muscle_count() const {
  return motor() != nullptr && has_endpoint(core_->scene().joints[index_in_scene()])
             ? static_cast<int>(
                   core_->devices().lists().motor_spec_of[index_in_scene()]->muscles.size())
             : 0;
}

MuscleReading Joint::muscle(int index) const {
  const std::size_t number =
      checked_index("muscle", index, static_cast<std::size_t>(muscle_count()));
  const int joint = index_in_scene();
  PhysicsWorld& physics = core_->physics();
  const JointSpec& spec = core_->scene().joints[joint];
  const auto pose = [&physics](int solid) {
    return solid >= 0 ? physics.solid_pose(solid) : Pose{};
  };
  const bool moved = physics.joints()[joint].moved_between_steps;
  physics.joints().measure(joint);
  return read_muscle(core_->devices().lists().motor_spec_of[joint]->muscles[number],
                     inverse(pose(spec.parent)) * pose(spec.child),
                     moved ? 0.0 : motor()->muscle_status());
}

void Joint::set_state(double position, double velocity) {
  if (!std::isfinite(position) || !std::isfinite(velocity)) {
    throw std::invalid_argument("a joint's position and velocity must be finite");
  }
  const int joint = index_in_scene();
  if (joint < 0) {
    throw std::invalid_argument(fmt::format("joint \"{}\" is no longer in the world", name()));
  }
  if (core_->scene().joints[joint].reference) {
    throw std::invalid_argument(
        fmt::format("joint \"{}\" closes a loop: its position follows from the others", name()));
  }
  core_->physics().joints().set_state(joint, position, velocity);
  core_->physics().forget_steps(core_->scene().joints[joint].child);
}

Propeller::Propeller(SimulationCore& core, int index) : core_(&core), index_(index) {
  core.devices().numbers().propeller(index);  // throws for another number
}

const std::string& Propeller::name() const {
  return core_->devices().numbers().propeller(index_).name;
}

PropellerReading Propeller::reading() const {
  const PropellerState* state = core_->devices().numbers().propeller(index_).state;
  return state != nullptr ? PropellerReading{state->shaft.velocity, state->thrust, state->torque}
                          : PropellerReading{kNaN, kNaN, kNaN};
}

}  // namespace servosim
