// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "servosim/simulation.h"
#include "srvp/robot/servo_map.h"

// Robots with one or two motors.

namespace servosim::test {

/// Returns a link on a horizontal hinge with a motor. `motor` and `parameters` are further fields.
inline std::string hinge(const std::string& name, const std::string& motor = "",
                         const std::string& parameters = "") {
  return "HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 " + parameters +
         " } device RotationalMotor { name \"" + name + "\" " + motor +
         " } endPoint Solid { name \"" + name +
         " link\" boundingObject Box { size 0.1 0.1 0.1 } physics Physics { } } }\n";
}

/// Returns a link on a slider along x.
inline std::string slider(const std::string& name, const std::string& motor = "") {
  return "SliderJoint { jointParameters JointParameters { axis 1 0 0 } device LinearMotor { name "
         "\"" +
         name + "\" " + motor + " } endPoint Solid { name \"" + name +
         " link\" boundingObject Box { size 0.1 0.1 0.1 } physics Physics { } } }\n";
}

/// Returns a robot "r" at rest in the air, whose joints do not obstruct each other.
inline Simulation robot_with(const std::string& children) {
  LoadOptions options;
  options.notice = [](std::string_view) {};
  return Simulation::from_text(
      "#VRML_SIM R2023b utf8\nWorldInfo { basicTimeStep 8 gravity 0 }\nRobot { name \"r\" children "
      "[\n" +
          children + "] }\n",
      std::move(options));
}

/// Returns a servo of a mapping file.
inline srvp::robot::ServoEntry entry(int id, const std::string& motor,
                                     std::optional<double> at_0 = {},
                                     std::optional<double> at_179 = {}) {
  srvp::robot::ServoEntry entry;
  entry.id = id;
  entry.motor = motor;
  entry.at_0 = at_0;
  entry.at_179 = at_179;
  return entry;
}

}  // namespace servosim::test
