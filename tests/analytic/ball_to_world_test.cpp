// SPDX-License-Identifier: Apache-2.0
// A BallJoint that ends in the static environment is the same joint seen from the other side.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "support/worlds.h"

namespace servosim::test {
namespace ball_to_world_test {

struct Case {
  const char* name;
  std::array<double, 3> start;
  std::array<std::string, 3> parameters;
  void (*command)(Robot&);
};

// The first and last axis of a `Case`, and their directions.
struct Axes {
  int first;
  int last;
  Vec3 a;
  Vec3 c;
};

std::string joint(const Case& c, const Axes& axes, const std::string& anchor,
                  const std::string& endpoint) {
  const auto parameters = [&c](int n, const Vec3& axis) {
    return fmt::format("JointParameters {{ axis {:.17g} {:.17g} {:.17g} position {} {} }}", axis.x,
                       axis.y, axis.z, c.start[n], c.parameters[n]);
  };
  const auto devices = [](int n) {
    return fmt::format(
        "[ RotationalMotor {{ name \"m{0}\" maxTorque 40 }} Brake {{ name \"b{0}\" }} ]", n + 1);
  };
  return fmt::format(
      "BallJoint {{ jointParameters BallJointParameters {{ anchor {} position {} {} }} "
      "jointParameters2 {} jointParameters3 {} device {} device2 {} device3 {} endPoint {} }}",
      anchor, c.start[axes.first], c.parameters[axes.first], parameters(1, axes.a),
      parameters(axes.last, axes.c), devices(axes.first), devices(1), devices(axes.last), endpoint);
}

constexpr const char* kBody =
    "boundingObject Box { size 0.6 0.2 0.1 } physics Physics { density -1 mass 2 }";
constexpr const char* kHead =
    "#VRML_SIM R2023b utf8\nWorldInfo { basicTimeStep 8 gravity 9.81 physicsDisableTime 0 }\n";

// A body hangs on the world by its own joint, about x, y and z.
std::string hung_on_the_world(const Case& c) {
  return kHead + ("Robot { name \"r\" translation 0.3 0.1 0 children [ " +
                  joint(c, {0, 2, {1, 0, 0}, {0, 0, 1}}, "-0.3 -0.1 0",
                        "SolidReference { solidName \"<static environment>\" }") +
                  " ] " + kBody + " }");
}

// The world carries the joint, about the opposite axes in the opposite order. A file gives axes as
// they are at position 0. These are the axes of the hung body as the start has turned them, turned
// back.
std::string carried_by_the_world(const Case& c) {
  const auto& [p1, p2, p3] = c.start;
  const Mat3 turned = rotation_matrix({{1, 0, 0}, p1});
  const Vec3 first = -(turned * (rotation_matrix({{0, 1, 0}, p2}) * Vec3{0, 0, 1}));
  const Mat3 back = rotation_matrix({first, -p3});
  const Vec3 middle = back * -(turned * Vec3{0, 1, 0});
  const Vec3 last = rotation_matrix({middle, -p2}) * (back * Vec3{-1, 0, 0});
  return kHead + ("Robot { name \"r\" children [ " +
                  joint(c, {2, 0, first, last}, "0 0 0",
                        std::string("Solid { name \"end\" translation 0.3 0.1 0 ") + kBody + " }") +
                  " ] }");
}

const Case kCases[] = {
    {"positions",
     {0.0, 0.0, 0.0},
     {},
     [](Robot& r) {
       r.motor("m1").set_position(0.4);
       r.motor("m2").set_position(-0.3);
       r.motor("m3").set_position(0.5);
     }},
    {"forces, springs and a brake",
     {0.1, -0.2, 0.05},
     {"springConstant 3 dampingConstant 0.4", "springConstant 5", "dampingConstant 0.7"},
     [](Robot& r) {
       r.motor("m1").set_force(0.75);
       r.motor("m2").set_force(-1.25);
       r.motor("m3").set_force(0.5);
       r.brake("b2").set_damping_constant(0.6);
     }},
    {"stops and friction",
     {0.1, -0.2, 0.05},
     {"minStop -0.2 maxStop 0.3", "staticFriction 0.2 minStop -0.8 maxStop 0.6",
      "minStop -0.1 maxStop 0.2"},
     [](Robot& r) {
       r.motor("m1").set_position(1.0);
       r.motor("m2").set_force(-3.5);
       r.motor("m3").set_force(-2.5);
     }},
};

TEST(ClosedLoop, ABallThatEndsInTheWorldIsTheSameJointFromTheOtherSide) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    Simulation hung = load(hung_on_the_world(c));
    Simulation carried = load(carried_by_the_world(c));
    c.command(hung.robot("r"));
    c.command(carried.robot("r"));
    double fastest = 0.0;
    for (int n = 0; n < 60; ++n) {
      hung.step();
      carried.step();
      for (int k = 0; k < 3; ++k) {
        const JointReading a = hung.joint(k).reading();
        const JointReading b = carried.joint(2 - k).reading();
        // Both worlds solve the same equations with rows and bodies in a different order. Efforts
        // are up to 40.
        ASSERT_NEAR(a.position, b.position, 1e-9) << n << " " << k;
        ASSERT_NEAR(a.velocity, b.velocity, 1e-8) << n << " " << k;
        ASSERT_NEAR(a.effort, b.effort, 1e-6) << n << " " << k;
        fastest = std::max(fastest, std::abs(a.velocity));
      }
    }
    EXPECT_GT(fastest, 0.3);
    for (int k = 0; k < 3; ++k) {
      EXPECT_NE(hung.joint(k).effort(), 0.0) << k;
    }
  }
}

}  // namespace ball_to_world_test
}  // namespace servosim::test
