// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "servosim/simulation.h"
#include "wbt/convert/convert.h"
#include "wbt/convert/support.h"
#include "wbt/writer.h"

// Old worlds and their conversions move equally with the same commands.

namespace servosim {
namespace {

LoadOptions quiet() {
  LoadOptions options;
  options.random_seed = 3;
  options.notice = [](std::string_view) {};
  return options;
}

bool has_servos(const std::string& path) {
  Diagnostics diagnostics;
  const wbt::WorldFile world = wbt::read_world(path, {}, diagnostics);
  if (diagnostics.errors() > 0) {
    return false;  // another test checks what is reported
  }
  const Scene scene = build_scene(world, diagnostics);
  return std::any_of(scene.robots.begin(), scene.robots.end(), [](const RobotSpec& robot) {
    return std::any_of(robot.devices.begin(), robot.devices.end(),
                       [](const DeviceSpec& device) { return device.node_type == "Servo"; });
  });
}

std::vector<std::string> worlds_with_servos() {
  std::vector<std::string> worlds;
  for (const char* folder :
       {SERVOSIM_WORLDS_DIR, SERVOSIM_TEST_DIR "/worlds", SERVOSIM_TEST_DIR "/conformance"}) {
    for (const std::string& path : test::worlds_in(folder)) {
      if (has_servos(path)) {
        worlds.push_back(path);
      }
    }
  }
  return worlds;
}

// The command is slow enough for every robot to stay near its start, and fast enough to load all
// joints.
double command(double time, int number) { return 0.2 * std::sin(2.3 * time + 0.7 * number); }

// Motors with the same name in both robots get the same target.
void command_all(Simulation& before, Simulation& after) {
  int number = 0;
  for (int r = 0; r < before.robots().size(); ++r) {
    for (const DeviceNode& device : before.robot(r).devices()) {
      if (device.get<Motor>() != nullptr) {
        const double target = command(before.time(), number++);
        before.robot(r).motor(device.name).set_position(target);
        after.robot(r).motor(device.name).set_position(target);
      }
    }
  }
}

// Returns the largest difference of positions [rad|m] over some seconds. Joints are matched by
// name.
double difference(Simulation& before, Simulation& after, double seconds) {
  double greatest = 0.0;
  double farthest = 0.0;
  while (before.time() < seconds) {
    command_all(before, after);
    before.step();
    after.step();
    for (int j = 0; j < before.joints().size(); ++j) {
      const double position = before.joint(j).position();
      const double other = after.joint(before.joint(j).name()).position();
      greatest = std::fmax(greatest, std::abs(position - other));
      farthest = std::fmax(farthest, std::abs(position));
    }
  }
  EXPECT_GT(farthest, 0.1) << "nothing moved";
  return greatest;
}

Simulation simulate(const wbt::WorldFile& world) {
  return Simulation::from_text(wbt::write_world(world), quiet());
}

// Both worlds have the same bodies and joints in the same order, from the same numbers, so the bits
// are equal. The axis of a linear Servo is computed and loses components of 1e-16: 2.6e-15 after 4
// s.
TEST(ConvertMotion, OldAndNewWorldsMoveAlike) {
  const std::vector<std::string> worlds = worlds_with_servos();
  EXPECT_GE(worlds.size(), 7u);
  for (const std::string& path : worlds) {
    SCOPED_TRACE(path);
    Diagnostics diagnostics;
    const test::Converted world =
        test::convert_nodes_and_fields(wbt::read_world(path, {}, diagnostics));
    Simulation before(path, quiet());
    Simulation after = simulate(world.after);
    const bool slides = wbt::write_world(world.before).find("type \"linear\"") != std::string::npos;
    EXPECT_LE(difference(before, after, 4.0), slides ? 1e-14 : 0.0);
  }
}

// This conversion includes axes and gravity. A capsule that is turned to its present axis is
// rounded by 1e-16. In one of these worlds such a bit decides about a contact, which gives a
// difference of 1.4e-6 rad that does not grow.
TEST(ConvertMotion, WholeConversionsMoveAlike) {
  for (const std::string& path : worlds_with_servos()) {
    SCOPED_TRACE(path);
    Diagnostics diagnostics;
    Simulation before(path, quiet());
    Simulation after = simulate(convert(wbt::read_world(path, {}, diagnostics), diagnostics));
    EXPECT_LE(difference(before, after, 4.0), 1e-5);
  }
}

constexpr const char* kStartsElsewhere = R"(#VRML_SIM V6.0 utf8
WorldInfo { basicTimeStep 8 }
Robot { name "r" children [
  Servo { name "a" position 0.4 translation 0.1 0.5 0.2 rotation 1 0.5 -0.2 0.3
    boundingObject Box { size 0.1 0.2 0.1 } physics Physics { density -1 mass 0.5 }
    children [
      Servo { name "b" type "linear" position -0.05 translation 0 0.3 0 rotation 0 1 1 0.8
        boundingObject Box { size 0.1 0.1 0.1 } physics Physics { density -1 mass 0.2 } }
      Servo { name "c" position 0.1 rotation 0 0 1 0 } ] }
  Servo { name "n" type "none" translation 1 0 0
    boundingObject Sphere { radius 0.1 } physics Physics {} } ] })";

// The start pose of "a" comes from one angle instead of two. The difference of some ulps stays
// about the same in four seconds of driven motion.
TEST(ConvertMotion, StartPositionsAreContained) {
  Diagnostics diagnostics;
  const test::Converted world = test::convert_nodes_and_fields(
      wbt::read_world_text(kStartsElsewhere, "w.wbt", ".", {}, diagnostics));
  Simulation before = Simulation::from_text(kStartsElsewhere, quiet());
  Simulation after = simulate(world.after);
  EXPECT_EQ(before.joint(0).position(), 0.4);
  EXPECT_EQ(after.joint(0).position(), 0.4);
  EXPECT_LE(difference(before, after, 4.0), 1e-12);
  EXPECT_NEAR(norm(before.solid("n").pose().translation - after.solid("n").pose().translation), 0.0,
              1e-12);
  EXPECT_LT(after.solid("n").pose().translation.y, -50.0) << "nothing holds it";
}

constexpr const char* kRover = R"(#VRML_SIM V6.0 utf8
WorldInfo { basicTimeStep 8 }
Solid { boundingObject Plane {} }
DifferentialWheels { name "rover" translation 0 0.05 0
  children [
    Solid { name "left wheel" translation -0.1 0 0
      boundingObject Sphere { radius 0.05 } physics Physics {} }
    Solid { name "right wheel" translation 0.1 0 0
      boundingObject Sphere { radius 0.05 } physics Physics {} }
  ]
  boundingObject Group { children [
    Transform { translation 0 -0.04 0.15 children [ Sphere { radius 0.01 } ] }
    Transform { translation 0 -0.04 -0.15 children [ Sphere { radius 0.01 } ] } ] }
  physics Physics { density -1 mass 0.5 } maxForce 1 speedUnit 0.5 })";

// 4 units of 0.5 rad/s on wheels of 0.05 m for 3 s give 0.3 m along -z, less the slip at the start
// and the friction of the skids.
TEST(ConvertMotion, DifferentialWheelsDriveForwards) {
  Diagnostics diagnostics;
  Simulation rover =
      simulate(convert(wbt::read_world_text(kRover, "w.wbt", ".", {}, diagnostics), diagnostics));
  for (const char* name : {"left wheel motor", "right wheel motor"}) {
    Motor& motor = rover.robot("rover").motor(name);
    motor.set_position(std::numeric_limits<double>::infinity());
    motor.set_velocity(4.0);
  }
  rover.step(375);
  const Vec3 end = rover.solid("rover").pose().translation;
  EXPECT_NEAR(end.z, -0.3, 0.05);
  EXPECT_NEAR(end.x, 0.0, 0.01);
}

}  // namespace
}  // namespace servosim
