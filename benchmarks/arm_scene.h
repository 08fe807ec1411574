// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <string>

namespace servosim::bench {

constexpr double kTimeStepMs = 8.0;
constexpr double kLink = 0.2;  // [m]
constexpr double kMass = 0.5;  // [kg]
// Of a box of kLink by 4 cm by 4 cm [kg m^2]; no shapes, so that no time goes into collisions.
constexpr double kInertia[] = {1.3333e-4, 1.7333e-3, 1.7333e-3};

/// Arms of `links` motorised hinges each, axes y and z in turn, `arms` of them side by side; each
/// hangs from a Robot without Physics.
inline std::string arms_world(int arms, int links) {
  std::string text =
      fmt::format("#VRML_SIM R2023b utf8\nWorldInfo {{ basicTimeStep {} physicsDisableTime 0 }}\n",
                  kTimeStepMs);
  for (int a = 0; a < arms; ++a) {
    text += fmt::format("Robot {{ name \"arm {}\" translation 0 {} 2 children [\n", a, 3.0 * a);
    for (int i = 0; i < links; ++i) {
      text += fmt::format(
          "HingeJoint {{ jointParameters HingeJointParameters {{ axis {} anchor {} 0 0 }} device "
          "RotationalMotor {{ name \"m{}\" maxTorque 100 }} endPoint Solid {{ translation {} 0 0 "
          "physics Physics {{ density -1 mass {} centerOfMass 0 0 0 inertiaMatrix [ {} {} {} 0 0 "
          "0 ] }} children [\n",
          i % 2 == 0 ? "0 1 0" : "0 0 1", i == 0 ? 0.0 : kLink / 2, i, i == 0 ? kLink / 2 : kLink,
          kMass, kInertia[0], kInertia[1], kInertia[2]);
    }
    for (int i = 0; i < links; ++i) {
      text += "] } }\n";
    }
    text += "] }\n";
  }
  return text;
}

}  // namespace servosim::bench
