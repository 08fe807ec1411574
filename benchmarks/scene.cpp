// SPDX-License-Identifier: Apache-2.0
#include "scene.h"

#include <fmt/format.h>

namespace servosim::bench {
namespace {

std::string physics(double mass, const std::array<double, 3>& inertia) {
  return fmt::format(
      "physics Physics {{ density -1 mass {} centerOfMass 0 0 0 inertiaMatrix [ {} {} {} 0 0 0 ] "
      "}}",
      mass, inertia[0], inertia[1], inertia[2]);
}

std::string hinge(const char* axis, double x, double y, int motor, double max_torque) {
  return fmt::format(
      "HingeJoint {{ jointParameters HingeJointParameters {{ axis {} anchor {} {} 0 }} device "
      "RotationalMotor {{ name \"m{}\" maxTorque {} }} endPoint ",
      axis, x, y, motor, max_torque);
}

std::string arm(const Scene& scene, int robot) {
  std::string text = fmt::format("Robot {{ name \"arm {}\" translation 0 {} {} children [\n", robot,
                                 scene.robot_y(robot), kArmHeight);
  for (int i = 0; i < scene.joints; ++i) {
    text +=
        hinge(i % 2 == 0 ? "0 1 0" : "0 0 1", i == 0 ? 0.0 : kLink / 2, 0.0, i, scene.max_torque());
    text += fmt::format("Solid {{ translation {} 0 0 {} children [\n", i == 0 ? kLink / 2 : kLink,
                        physics(kLinkMass, kLinkInertia));
  }
  for (int i = 0; i < scene.joints; ++i) {
    text += "] } }\n";
  }
  return text + "] }\n";
}

std::string rover(const Scene& scene, int robot) {
  std::string text = fmt::format(
      "Robot {{ name \"rover {}\" translation 0 {} {} boundingObject Box {{ size {} {} {} }} {} "
      "children [\n",
      robot, scene.robot_y(robot), kWheelRadius, kChassis[0], kChassis[1], kChassis[2],
      physics(kChassisMass, kChassisInertia));
  for (int i = 0; i < scene.joints; ++i) {
    const auto& [x, y] = kWheelAt[i];
    text += hinge("0 1 0", x, y, i, kWheelTorque);
    text += fmt::format(
        "Solid {{ translation {} {} 0 boundingObject Sphere {{ radius {} }} {} }} }}\n", x, y,
        kWheelRadius, physics(kWheelMass, {kWheelInertia, kWheelInertia, kWheelInertia}));
  }
  return text + "] }\n";
}

}  // namespace

std::string world_text(const Scene& scene) {
  std::string text =
      fmt::format("#VRML_SIM R2023b utf8\nWorldInfo {{ basicTimeStep {} physicsDisableTime 0 }}\n",
                  kTimeStepMs);
  if (scene.kind == Kind::Rovers) {
    text += "Solid { boundingObject Plane { size 1000 1000 } }\n";
  }
  for (int r = 0; r < scene.robots; ++r) {
    text += scene.kind == Kind::Arms ? arm(scene, r) : rover(scene, r);
  }
  return text;
}

}  // namespace servosim::bench
