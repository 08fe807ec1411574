// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "support/worlds.h"

// A robot with a BallJoint whose axes are x, y and z. Its endpoint is a ball.

namespace servosim::test::ball {

struct BallWorld {
  bool heavy_parent = false;  // has Physics and 1e9 kg instead of being static
  std::array<std::string, 3> parameters;
  std::string motors = "maxVelocity 1000 maxTorque 50";
  std::string gravity = "0";
  std::string rotation = "0 0 1 0";  // the robot's
  std::string endpoint = "0 0 0";
  std::string child = "boundingObject Sphere { radius 0.3 } physics Physics { density -1 mass 2 }";
};

inline std::string world_text(const BallWorld& w) {
  return fmt::format(R"(#VRML_SIM R2023b utf8
WorldInfo {{ basicTimeStep 8 gravity {} physicsDisableTime 0 }}
Robot {{
  name "r"
  rotation {}
  children [
    BallJoint {{
      jointParameters BallJointParameters {{ {} }}
      jointParameters2 JointParameters {{ axis 1 0 0 {} }}
      jointParameters3 JointParameters {{ axis 0 0 1 {} }}
      device [ RotationalMotor {{ name "m1" {} }} Brake {{ name "b1" }} ]
      device2 [ RotationalMotor {{ name "m2" {} }} Brake {{ name "b2" }} ]
      device3 [ RotationalMotor {{ name "m3" {} }} Brake {{ name "b3" }} ]
      endPoint Solid {{
        name "end"
        translation {}
        {}
      }}
    }}
  ]
  {}
}}
)",
                     w.gravity, w.rotation, w.parameters[0], w.parameters[1], w.parameters[2],
                     w.motors, w.motors, w.motors, w.endpoint, w.child,
                     w.heavy_parent ? "boundingObject Sphere { radius 1 } physics Physics { "
                                      "density -1 mass 1e9 }"
                                    : "");
}

inline Simulation load(const BallWorld& w) { return test::load(world_text(w)); }

constexpr double kH = 0.008;
// The endpoint is a ball of 2 kg. This is its inertia about any axis through its centre.
constexpr double kInertia = 0.4 * 2.0 * 0.3 * 0.3;

inline void let_go(Simulation& simulation) {
  for (const char* name : {"m1", "m2", "m3"}) {
    simulation.robot("r").motor(name).set_available_force(0.0);
  }
}

inline Mat3 turned(const Simulation& s) {
  return transposed(s.solid("r").pose().rotation) * s.solid("end").pose().rotation;
}

inline Mat3 euler(double p1, double p2, double p3) {
  return rotation_matrix({{1, 0, 0}, p1}) * rotation_matrix({{0, 1, 0}, p2}) *
         rotation_matrix({{0, 0, 1}, p3});
}

inline Mat3 euler(const Simulation& s) {
  return euler(s.joint(0).position(), s.joint(1).position(), s.joint(2).position());
}

inline double difference(const Mat3& a, const Mat3& b) {
  double largest = 0.0;
  for (int i = 0; i < 9; ++i) {
    largest = std::max(largest, std::abs(a.m[i] - b.m[i]));
  }
  return largest;
}

}  // namespace servosim::test::ball
