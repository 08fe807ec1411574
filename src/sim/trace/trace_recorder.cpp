// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/trace_recorder.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <string>

#include "devices/measuring.h"
#include "devices/unmeasured.h"
#include "scene/scene.h"
#include "servosim/simulation.h"
#include "sim/world_inspector.h"

namespace servosim {
namespace {

constexpr double kNotMeasured = std::numeric_limits<double>::quiet_NaN();

// In position control Motor::set_velocity() sets the limit; otherwise it sets the command.
double velocity_limit_of(const Motor& motor, const JointCommand& command) {
  return std::isfinite(command.position) ? std::abs(motor.targets().velocity)
                                         : motor.limits().max_velocity;
}

}  // namespace

TraceRecorder::TraceRecorder(const Simulation& simulation, const ReportedParts& watched)
    : simulation_(simulation),
      propellers_(watched.propellers),
      version_(WorldInspector(simulation).tree_version()) {
  for (const int joint : watched.joints) {
    add_joint(joint);
  }
  for (const int joint : watched.joints) {
    add_muscles(joint);
  }
  for (const int propeller : watched.propellers) {
    add_propeller(propeller);
  }
  for (const int robot : watched.robots) {
    add_robot(robot);
  }
  for (const int solid : watched.bodies) {
    add_body(solid);
  }
  for (const TraceItem& item : items_) {
    width_ += item.columns.size();
  }
}

void TraceRecorder::add_joint(int index) {
  const JointSpec& spec =
      WorldInspector(simulation_).scene().joints[WorldInspector(simulation_).joint_in_scene(index)];
  Joint joint{index, simulation_.joint(index).motor(), {}};
  joint.range = range_of(spec, joint.motor);

  const bool turns = spec.type == JointType::Rotational;
  const std::string length = turns ? "rad" : "m";
  const std::string effort = turns ? "N m" : "N";
  const std::string speed = length + "/s";
  TraceItem item{TraceKind::Joint, spec.name, {{"position", length}}, name_of(spec.kind)};
  if (joint.motor != nullptr) {
    item.columns.push_back({"target", length});
  }
  item.columns.push_back({"velocity", speed});
  if (joint.motor != nullptr) {
    item.columns.push_back({"commanded velocity", speed});
  }
  item.columns.push_back({"effort", effort});
  if (joint.range) {
    item.columns.push_back({"lower limit", length});
    item.columns.push_back({"upper limit", length});
  }
  if (joint.motor != nullptr) {
    item.columns.push_back({"velocity limit", speed});
    item.columns.push_back({"effort limit", effort});
  }
  joint.is_servo = joint.motor != nullptr && joint.motor->servo().model() != nullptr;
  if (joint.is_servo) {
    std::ranges::copy(servo_trace_columns(), std::back_inserter(item.columns));
  }
  joint.has_load = simulation_.joint(index).load().has_value();
  if (joint.has_load) {
    std::ranges::copy(load_trace_columns(), std::back_inserter(item.columns));
  }
  joint.columns = item.columns.size();
  joints_.push_back(joint);
  items_.push_back(std::move(item));
}

void TraceRecorder::add_muscles(int joint) {
  const int count = simulation_.joint(joint).muscle_count();
  for (int m = 0; m < count; ++m) {
    const std::string number = count > 1 ? ' ' + std::to_string(m + 1) : std::string();
    muscles_.push_back({joint, m});
    items_.push_back({TraceKind::Muscle,
                      simulation_.joint(joint).name() + " muscle" + number,
                      {{"status", ""}, {"length", "m"}, {"radius", "m"}}});
  }
}

void TraceRecorder::add_propeller(int index) {
  items_.push_back({TraceKind::Propeller,
                    simulation_.propellers()[index].name(),
                    {{"speed", "rad/s"}, {"thrust", "N"}, {"torque", "N m"}}});
}

void TraceRecorder::add_robot(int index) {
  const Robot& robot = simulation_.robots()[index];
  robots_.push_back({&robot, simulation_.solid(robot.solid()).pose().rotation});
  items_.push_back({TraceKind::Robot,
                    robot.name() + ".pose",
                    {{"x", "m"},
                     {"y", "m"},
                     {"z", "m"},
                     {"tilt", "rad"},
                     {"linear speed", "m/s"},
                     {"qx", ""},
                     {"qy", ""},
                     {"qz", ""},
                     {"qw", ""}}});
}

void TraceRecorder::add_body(int solid) {
  const Scene& scene = WorldInspector(simulation_).scene();
  bodies_.push_back({scene.solids[solid].node, solid});
  items_.push_back(
      {TraceKind::Body,
       body_names(scene)[solid] + ".pose",
       {{"x", "m"}, {"y", "m"}, {"z", "m"}, {"qx", ""}, {"qy", ""}, {"qz", ""}, {"qw", ""}}});
}

// Finds the Solids of the bodies again after an edit of the tree.
void TraceRecorder::follow_tree() const {
  const WorldInspector inspector(simulation_);
  if (inspector.tree_version() == version_) {
    return;
  }
  version_ = inspector.tree_version();
  const std::vector<SolidSpec>& solids = inspector.scene().solids;
  for (Body& body : bodies_) {
    const auto found = std::find_if(solids.begin(), solids.end(),
                                    [&body](const SolidSpec& s) { return s.node == body.node; });
    body.solid = found != solids.end() ? static_cast<int>(found - solids.begin()) : -1;
  }
}

void TraceRecorder::read(double* row) const {
  *row++ = simulation_.time();
  for (const Joint& joint : joints_) {
    row = read_joint(joint, row);
  }
  for (const Muscle& muscle : muscles_) {
    const auto joint = simulation_.joint(muscle.joint);
    const MuscleReading reading = muscle.index < joint.muscle_count()
                                      ? joint.muscle(muscle.index)
                                      : MuscleReading{kNotMeasured, kNotMeasured, kNotMeasured};
    for (const double number : {reading.status, reading.length, reading.radius}) {
      *row++ = number;
    }
  }
  for (const int propeller : propellers_) {
    const PropellerReading reading = simulation_.propellers()[propeller].reading();
    for (const double number : {reading.speed, reading.thrust, reading.torque}) {
      *row++ = number;
    }
  }
  for (const RobotRoot& root : robots_) {
    constexpr Vec3 kNowhere{kNotMeasured, kNotMeasured, kNotMeasured};
    const RobotPose pose = root.robot->index() >= 0
                               ? robot_pose(simulation_, *root.robot, root.start)
                               : RobotPose{kNowhere, kNotMeasured, kNotMeasured};
    for (const double number :
         {pose.position.x, pose.position.y, pose.position.z, pose.tilt, pose.speed}) {
      *row++ = number;
    }
    const int solid = root.robot->index() >= 0 ? root.robot->solid() : -1;
    row = read_turn(solid, row);
  }
  follow_tree();
  for (const Body& body : bodies_) {
    constexpr double kNone = kNotMeasured;
    const Vec3 at = body.solid >= 0 ? simulation_.solid(body.solid).pose().translation
                                    : Vec3{kNone, kNone, kNone};
    for (const double number : {at.x, at.y, at.z}) {
      *row++ = number;
    }
    row = read_turn(body.solid, row);
  }
}

// Writes the rotation of a Solid in the world as a quaternion. @returns the cell after the last one
double* TraceRecorder::read_turn(int solid, double* cell) const {
  if (solid < 0) {
    return std::fill_n(cell, 4, kNotMeasured);
  }
  const auto turn = quaternion_of(simulation_.solid(solid).pose().rotation);
  return std::copy(turn.begin(), turn.end(), cell);
}

// Writes the columns of a joint in the order of add_joint(). @returns the cell after the last one
double* TraceRecorder::read_joint(const Joint& joint, double* cell) const {
  if (WorldInspector(simulation_).joint_in_scene(joint.index) < 0) {
    return std::fill_n(cell, joint.columns, kNotMeasured);
  }
  const JointReading reading = simulation_.joint(joint.index).reading();
  const JointCommand command = command_of(joint.motor, reading);
  *cell++ = reading.position;
  if (joint.motor != nullptr) {
    *cell++ = command.position;
  }
  *cell++ = reading.velocity;
  if (joint.motor != nullptr) {
    *cell++ = command.velocity;
  }
  *cell++ = reading.effort;
  if (joint.range) {
    *cell++ = joint.range->lower;
    *cell++ = joint.range->upper;
  }
  if (joint.motor != nullptr) {
    *cell++ = velocity_limit_of(*joint.motor, command);
    *cell++ = joint.motor->effort_limit();
  }
  if (joint.is_servo) {
    // An edit of the tree may have made it a motor as in Webots.
    const ServoReading servo = joint.motor->servo().reading().value_or(unmeasured_servo());
    for (const double number : {servo.current, servo.voltage, servo.duty, servo.temperature}) {
      *cell++ = number;
    }
  }
  if (joint.has_load) {
    constexpr Vec3 kNone{kNotMeasured, kNotMeasured, kNotMeasured};
    const auto [force, torque] =
        simulation_.joint(joint.index).load().value_or(JointLoad{kNone, kNone});
    for (const double number : {force.x, force.y, force.z, torque.x, torque.y, torque.z}) {
      *cell++ = number;
    }
  }
  return cell;
}

}  // namespace servosim
