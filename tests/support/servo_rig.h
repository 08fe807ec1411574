// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "physics/physics_world.h"
#include "physics/servo_state.h"
#include "support/scenes.h"
#include "support/servo_models.h"
#include "support/solver.h"

// Chains of hinges that real servos drive, without Motors: tests command the firmware themselves.

namespace servosim::test {

/// One link of a chain, a rod from its joint to the next one.
struct RigLink {
  Vec3 axis{0.0, 1.0, 0.0};
  Vec3 arm;  ///< [m]
  double mass = 0.1;
  double position = 0.0;     ///< at the start [rad]
  std::string parameters{};  ///< further joint parameters
  double center = 0.5;       ///< of mass, as a share of the arm
};

/// Returns the world of a chain that hangs on the environment. Its rods are 0.04 m thick.
inline std::string chain_world(const std::vector<RigLink>& links, double step_ms, double gravity,
                               const std::string& world_fields = {}) {
  std::string inner;
  for (std::size_t i = links.size(); i-- > 0;) {
    const RigLink& link = links[i];
    const double length = norm(link.arm);
    const Vec3 along = (1.0 / length) * link.arm;
    const double across = link.mass * (length * length / 12.0 + 1e-4);
    const double about = link.mass * 2e-4;
    const auto inertia = [&](double a, double b, bool same) {
      return (same ? across : 0.0) + (about - across) * a * b;
    };
    const Vec3 anchor = i > 0 ? links[i - 1].arm : Vec3{};
    inner = fmt::format(
        "HingeJoint {{ jointParameters HingeJointParameters {{ axis {} {} {} anchor {} {} {} "
        "position {} {} }} device RotationalMotor {{ name \"m{}\" maxTorque 100 maxVelocity 100 }} "
        "endPoint Solid {{ name \"s{}\" translation {} {} {} rotation {} {} {} {} children [ {} ] "
        "physics Physics {{ density -1 mass {} centerOfMass [ {} {} {} ] inertiaMatrix [ {} {} {}, "
        "{} {} {} ] }} }} }}",
        link.axis.x, link.axis.y, link.axis.z, anchor.x, anchor.y, anchor.z, link.position,
        link.parameters, i, i, anchor.x, anchor.y, anchor.z, link.axis.x, link.axis.y, link.axis.z,
        link.position, inner, link.mass, link.center * link.arm.x, link.center * link.arm.y,
        link.center * link.arm.z, inertia(along.x, along.x, true), inertia(along.y, along.y, true),
        inertia(along.z, along.z, true), inertia(along.x, along.y, false),
        inertia(along.x, along.z, false), inertia(along.y, along.z, false));
  }
  return fmt::format(
      "WorldInfo {{ basicTimeStep {} gravity {} physicsDisableTime 0 CFM 1e-10 ERP 0.2 {} }}\n"
      "Robot {{ name \"r\" children [ {} ] }}\n",
      step_ms, gravity, world_fields, inner);
}

/// Returns an arm of six joints, whose masses are multiplied by `scale`.
inline std::vector<RigLink> six_links(double scale) {
  const Vec3 x{1.0, 0.0, 0.0};
  const Vec3 y{0.0, 1.0, 0.0};
  const Vec3 z{0.0, 0.0, 1.0};
  std::vector<RigLink> links{{z, {0.0, 0.0, 0.06}, 0.15}, {y, {0.0, 0.0, 0.11}, 0.12},
                             {y, {0.13, 0.0, 0.0}, 0.1},  {y, {0.06, 0.0, 0.0}, 0.06},
                             {x, {0.05, 0.0, 0.0}, 0.05}, {z, {0.05, 0.01, 0.0}, 0.03}};
  for (RigLink& link : links) {
    link.mass *= scale;
  }
  return links;
}

/// A world of servos. A goal holds until it is replaced.
class ServoRig {
 public:
  /// `models`: by joint, or one for all.
  ServoRig(const std::string& world, const std::vector<ServoModel>& models,
           Solver solver = solver_of_tests(), LaneSet lanes = widest_lanes())
      : scene_(std::make_unique<Scene>(load_scene(world).scene)) {
    for (RobotSpec& robot : scene_->robots) {
      for (DeviceSpec& device : robot.devices) {
        if (device.motor) {
          const std::size_t j = static_cast<std::size_t>(device.joint);
          device.motor->servo =
              std::make_shared<const ServoModel>(models[models.size() == 1 ? 0 : j]);
        }
      }
    }
    Diagnostics diagnostics;
    PhysicsOptions options;
    options.solver = solver;
    options.integrator = integrator_of_tests(solver);
    options.lanes = lanes;
    physics_ = std::make_unique<PhysicsWorld>(*scene_, diagnostics, options);
    for (int j = 0; j < count(); ++j) {
      servo(j).acts = true;
    }
  }

  int count() const { return static_cast<int>(scene_->joints.size()); }
  double h() const { return 1e-3 * scene_->world.basic_time_step_ms; }
  PhysicsWorld& physics() const { return *physics_; }
  ServoState& servo(int joint) const { return *physics_->servo(joint); }
  double position(int joint) const { return physics_->joint_position(joint); }
  double rate(int joint) const { return physics_->joint_velocity(joint); }
  std::vector<double> positions() const {
    std::vector<double> all;
    for (int j = 0; j < count(); ++j) {
      all.push_back(position(j));
    }
    return all;
  }
  /// Puts a joint to a position [rad] and gives it a rate [rad/s].
  void put(int joint, double position, double rate) const {
    physics_->joints().set_state(joint, position, rate);
    physics_->forget_steps(scene_->joints[joint].child);
  }
  void set_goal(int joint, double goal) const { servo(joint).command.goal = goal; }
  void set_torque(bool on) const {
    for (int j = 0; j < count(); ++j) {
      servo(j).command.is_on = on ? 1.0 : 0.0;
    }
  }
  /// The encoders read the positions without an error.
  void read() const {
    for (int j = 0; j < count(); ++j) {
      servo(j).reading = position(j);
    }
  }
  void step() const {
    read();
    physics_->step();
  }

 private:
  std::unique_ptr<Scene> scene_;
  std::unique_ptr<PhysicsWorld> physics_;
};

}  // namespace servosim::test
