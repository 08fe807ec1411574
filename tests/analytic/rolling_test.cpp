// SPDX-License-Identifier: Apache-2.0
// Robots without Physics that two wheels move drive the circle that the wheel speeds define.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "servosim/simulation.h"
#include "sim/world_control.h"
#include "sim/world_inspector.h"
#include "support/worlds.h"
#include "wbt/world_file.h"

namespace servosim::test {
namespace rolling_test {

constexpr double kH = 0.016;
constexpr double kRadius = 0.05;
constexpr double kAxle = 0.3;

std::string wheel(const std::string& name, double y, const std::string& shape,
                  const std::string& axis = "0 1 0") {
  return fmt::format(R"(
    HingeJoint {{
      jointParameters HingeJointParameters {{ axis {3} anchor 0 {1} 0.05 }}
      device RotationalMotor {{ name "{0}" maxVelocity 50 maxTorque 1e9 }}
      endPoint Solid {{ translation 0 {1} 0.05 name "{0} wheel" boundingObject {2} }}
    }})",
                     name, y, shape, axis);
}

std::string cylinder(double radius) {
  return fmt::format(
      "Pose {{ rotation 1 0 0 1.5707963267948966 children Cylinder {{ radius {} height 0.01 }} }}",
      radius);
}

std::string cart(const std::string& children, const std::string& fields = "") {
  return fmt::format(
      "#VRML_SIM R2025a utf8\nWorldInfo {{ basicTimeStep 16 }}\n"
      "Robot {{ translation 1 2 0 name \"cart\" {} children [{}\n] }}\n",
      fields, children);
}

std::string two_wheels(double right_radius = kRadius) {
  return wheel("left", 0.5 * kAxle, cylinder(kRadius)) +
         wheel("right", -0.5 * kAxle, cylinder(right_radius));
}

void drive(Simulation& simulation, double left, double right, int steps) {
  for (const auto& [name, speed] : {std::pair{"left", left}, std::pair{"right", right}}) {
    Motor& motor = simulation.robot("cart").motor(name);
    motor.set_position(std::numeric_limits<double>::infinity());
    motor.set_velocity(speed);
  }
  for (int n = 0; n < steps; ++n) {
    simulation.step();
  }
}

TEST(Rolling, DrivesACircle) {
  Simulation simulation = load(cart(two_wheels()));
  drive(simulation, 2.0, 4.0, 125);
  const double t = 125 * kH;
  const double turn = kRadius * (4.0 - 2.0) / kAxle * t;
  const double radius = kRadius * 3.0 * t / turn;
  const Pose pose = simulation.solid("cart").pose();
  // Arcs add up exactly but for rounding.
  EXPECT_NEAR(pose.translation.x, 1.0 + radius * std::sin(turn), 1e-12);
  EXPECT_NEAR(pose.translation.y, 2.0 + radius * (1.0 - std::cos(turn)), 1e-12);
  EXPECT_NEAR(std::atan2(pose.rotation(1, 0), pose.rotation(0, 0)), turn, 1e-12);
}

// The directions of the axes, the position of the axle and the robot's pose make no difference.
TEST(Rolling, FollowsTheAxesAndTheRobotsPose) {
  const std::string wheels = wheel("left", 0.5 * kAxle, cylinder(kRadius), "0 1 0") +
                             wheel("right", -0.5 * kAxle, cylinder(kRadius), "0 -1 0");
  Simulation simulation = load(cart(wheels, "rotation 0 0 1 1.5707963267948966"));
  drive(simulation, 3.0, -3.0, 100);  // the right axis points the other way
  const Pose pose = simulation.solid("cart").pose();
  EXPECT_NEAR(pose.translation.x, 1.0, 1e-12);
  EXPECT_NEAR(pose.translation.y, 2.0 + kRadius * 3.0 * 100 * kH, 1e-12);
}

TEST(Rolling, StopsBeforeAWall) {
  Simulation simulation =
      load(cart(two_wheels(), "boundingObject Box { size 0.2 0.2 0.1 }") +
           "Solid { translation 1.5 2 0 name \"wall\" boundingObject Box { size 0.1 2 1 } }\n");
  drive(simulation, 10.0, 10.0, 125);  // the robot would drive 1 m without the wall, which is 0.35
                                       // m ahead
  const double x = simulation.solid("cart").pose().translation.x;
  EXPECT_LT(x, 1.35 + 1e-9);
  EXPECT_GT(x, 1.35 - 10.0 * kRadius * kH - 1e-9);  // one step before the wall
}

TEST(Rolling, GoesOnBitForBit) {
  Simulation simulation = load(cart(two_wheels()));
  drive(simulation, 2.0, 5.0, 40);
  const SimulationState saved = simulation.save();
  for (int n = 0; n < 40; ++n) {
    simulation.step();
  }
  const std::uint64_t hash = simulation.state_hash();
  const Pose pose = simulation.solid("cart").pose();
  simulation.restore(saved);
  for (int n = 0; n < 40; ++n) {
    simulation.step();
  }
  EXPECT_EQ(simulation.state_hash(), hash);
  EXPECT_EQ(simulation.solid("cart").pose(), pose);
}

// A robot that certainly has no drive stays where it is. If that is not certain, a notice says so.
TEST(Rolling, NeedsTwoEqualParallelWheels) {
  const auto lacks = [](const std::string& children, const std::string& fields = "") {
    Simulation simulation = Simulation::from_text(cart(children, fields));
    drive(simulation, 5.0, 5.0, 20);
    EXPECT_EQ(simulation.solid("cart").pose().translation, (Vec3{1, 2, 0})) << children;
    std::string subjects;
    for (const Diagnostic& diagnostic : simulation.diagnostics()) {
      subjects += diagnostic.missing ? diagnostic.missing->subject : "";
    }
    return subjects;
  };
  const std::string round = "Sphere { radius 0.05 }";
  const std::string drive_of_cart = "the drive of robot \"cart\"";
  EXPECT_EQ(lacks(two_wheels(0.06)), "");
  EXPECT_EQ(lacks(wheel("left", 0.1, cylinder(kRadius)) +
                  wheel("right", -0.1, "Box { size 0.1 0.1 0.1 }")),
            "");
  EXPECT_EQ(lacks(wheel("left", 0.1, round) + wheel("right", -0.1, round)), drive_of_cart);
  EXPECT_EQ(lacks(two_wheels() + wheel("rear left", 0.1, cylinder(kRadius)) +
                  wheel("rear right", -0.1, cylinder(kRadius))),
            drive_of_cart);
}

// A robot with Physics is driven by its contacts.
TEST(Rolling, IsForRobotsWithoutPhysics) {
  const std::string body = "boundingObject Box { size 0.2 0.2 0.1 } ";
  const Simulation light = load(cart(two_wheels(), body));
  EXPECT_EQ(WorldInspector(light).scene().rolling.size(), 1u);
  const Simulation heavy = Simulation::from_text(cart(two_wheels(), body + "physics Physics { }"));
  EXPECT_TRUE(WorldInspector(heavy).scene().rolling.empty());
}

// After an edit that removes its drive, the robot stays where it has rolled to. A reset puts it
// back.
TEST(Rolling, EndsWhereTheRobotIs) {
  const std::string third =
      wheel("rear", 0.1, cylinder(kRadius)) + wheel("front", -0.1, cylinder(kRadius));
  for (const std::string& wheels :
       {wheel("left", 0.5 * kAxle, cylinder(kRadius)), two_wheels(0.06), two_wheels() + third}) {
    LoadOptions quiet;  // a notice says that it is no longer driven
    quiet.notice = [](std::string_view) {};
    Simulation simulation = Simulation::from_text(cart(two_wheels()), std::move(quiet));
    drive(simulation, 2.0, 5.0, 40);
    const Pose before = simulation.solid("cart").pose();
    ASSERT_GT(norm(before.translation - Vec3{1, 2, 0}), 0.05);
    Diagnostics diagnostics;
    WorldControl(simulation)
        .rebuild(std::make_shared<const wbt::WorldFile>(
            wbt::read_world_text(cart(wheels), "world", ".", {}, diagnostics)));
    ASSERT_TRUE(WorldInspector(simulation).scene().rolling.empty());
    EXPECT_EQ(simulation.solid("cart").pose(), before);
    simulation.step();
    EXPECT_EQ(simulation.solid("cart").pose(), before);
    simulation.reset();
    EXPECT_EQ(simulation.solid("cart").pose().translation, (Vec3{1, 2, 0}));
  }
}

// Wheels carry no bodies. A notice says so, and the run is incomplete.
TEST(Rolling, LeavesBodiesBehind) {
  const std::string cup =
      "Solid { translation 0 0 0.3 name \"cup\" boundingObject Box { size 0.1 0.1 0.1 } physics "
      "Physics { } }";
  const auto lacks = [&](double right_radius) {
    const Simulation simulation = Simulation::from_text(cart(two_wheels(right_radius) + cup));
    std::string text;
    for (const Diagnostic& diagnostic : simulation.diagnostics()) {
      if (diagnostic.missing && diagnostic.missing->kind == Missing::Bodies) {
        text += diagnostic.message + '\n';
      }
    }
    return text;
  };
  EXPECT_EQ(lacks(kRadius),
            "Solid \"cart\" is moved by its wheels but has no Physics: Solid \"cup\" below it has "
            "Physics and is not carried along\n");
  EXPECT_EQ(lacks(0.06), "");
}

}  // namespace rolling_test
}  // namespace servosim::test
