// SPDX-License-Identifier: Apache-2.0
// A DifferentialWheels robot drives the circle that its wheel speeds define.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "servosim/simulation.h"
#include "sim/world_control.h"
#include "sim/world_inspector.h"
#include "support/worlds.h"

namespace servosim::test {
namespace differential_wheels_test {

constexpr double kH = 0.016;
constexpr const char* kExact = "slipNoise 0 maxAcceleration 1e9";

std::string rover_text(const std::string& fields) {
  return fmt::format(
      "#VRML_SIM V6.0 utf8\nWorldInfo {{ basicTimeStep 16 }}\n"
      "DifferentialWheels {{ name \"r\" translation 1 0 2 axleLength 0.4 wheelRadius 0.05 "
      "maxSpeed 20 encoderNoise 0 encoderResolution 100 {} }}\n",
      fields);
}

Simulation rover(const std::string& fields) { return load(rover_text(fields)); }

void run(Simulation& simulation, int steps) {
  for (int n = 0; n < steps; ++n) {
    simulation.step();
  }
}

TEST(DifferentialWheels, DrivesACircle) {
  Simulation simulation = rover("speedUnit 0.5 slipNoise 0 maxAcceleration 1e9");
  DifferentialWheels& wheels = *simulation.robot(0).wheels();
  wheels.enable_encoders(16, 0.0);
  wheels.set_speed(4.0, 8.0);  // 2 and 4 rad/s
  run(simulation, 125);
  const double t = 125 * kH;
  const double turn = 0.05 * (4.0 - 2.0) / 0.4 * t;
  const double radius = 0.05 * 3.0 * t / turn;
  const Pose pose = simulation.solid("r").pose();
  // The robot looked along -z and turned left, towards -x. Arcs add up exactly but for rounding.
  EXPECT_NEAR(pose.translation.x, 1.0 - radius * (1.0 - std::cos(turn)), 1e-12);
  EXPECT_NEAR(pose.translation.z, 2.0 - radius * std::sin(turn), 1e-12);
  EXPECT_EQ(pose.translation.y, 0.0);
  EXPECT_NEAR(std::atan2(pose.rotation(0, 2), pose.rotation(2, 2)), turn, 1e-12);
  EXPECT_NEAR(wheels.encoders()[0], 100.0 * 2.0 * t, 1.0);
  EXPECT_NEAR(wheels.encoders()[1], 100.0 * 4.0 * t, 1.0);
}

TEST(DifferentialWheels, KeepsItsLimits) {
  std::vector<std::string> notices;
  LoadOptions options;
  options.notice = [&notices](std::string_view text) { notices.emplace_back(text); };
  Simulation simulation = Simulation::from_text(rover_text(kExact), options);
  DifferentialWheels& wheels = *simulation.robot(0).wheels();
  wheels.set_speed(1e9, std::numeric_limits<double>::infinity());
  run(simulation, 10);
  EXPECT_NEAR(simulation.solid("r").pose().translation.z, 2.0 - 0.05 * 20.0 * 10 * kH, 1e-12);
  EXPECT_EQ(notices, std::vector<std::string>{"robot \"r\": wheel speed beyond maxSpeed: "
                                              "1000000000 replaced by 20 (reported once)"});
  EXPECT_THROW(wheels.set_speed(0.0, std::nan("")), std::invalid_argument);
  EXPECT_THROW(wheels.set_encoders(0.0, std::numeric_limits<double>::infinity()),
               std::invalid_argument);
  EXPECT_THROW(wheels.enable_encoders(-16, 0.0), std::invalid_argument);
  // The speed grows by 5 rad/s² from step to step.
  Simulation slow = load(
      "#VRML_SIM V6.0 utf8\nWorldInfo { basicTimeStep 16 }\n"
      "DifferentialWheels { name \"r\" wheelRadius 0.05 maxAcceleration 5 slipNoise 0 }\n");
  slow.robot(0).wheels()->set_speed(3.0, 3.0);
  run(slow, 20);
  EXPECT_NEAR(-slow.solid("r").pose().translation.z, 0.05 * 5.0 * kH * kH * 20 * 21 / 2.0, 1e-12);
}

TEST(DifferentialWheels, EncodersAreSetAndSwitchedOff) {
  Simulation simulation = rover(kExact);
  DifferentialWheels& wheels = *simulation.robot(0).wheels();
  wheels.set_encoders(-50.0, 1000.0);
  wheels.enable_encoders(32, 0.0);
  simulation.step();
  EXPECT_TRUE(std::isnan(wheels.encoders()[0]));
  simulation.step();
  EXPECT_EQ(wheels.encoders()[0], -50.0);
  EXPECT_EQ(wheels.encoders()[1], 1000.0);
  std::vector<std::string> said;
  LoadOptions options;
  options.notice = [&said](std::string_view message) { said.emplace_back(message); };
  Simulation without = Simulation::from_text(
      "#VRML_SIM V6.0 utf8\nWorldInfo { basicTimeStep 16 }\nDifferentialWheels { name \"r\" }\n",
      options);
  without.robot(0).wheels()->enable_encoders(16, 0.0);
  EXPECT_EQ(said, std::vector<std::string>{"robot \"r\" has no encoders: encoderNoise and "
                                           "encoderResolution must both be >= 0"});
  without.step();
  EXPECT_TRUE(std::isnan(without.robot(0).wheels()->encoders()[0]));
}

TEST(DifferentialWheels, SlipsByChanceAsMuchAsAllowed) {
  const auto far = [](int seed) {
    Simulation simulation = load(fmt::format(
        "#VRML_SIM V6.0 utf8\nWorldInfo {{ basicTimeStep 16 randomSeed {} }}\n"
        "DifferentialWheels {{ name \"r\" wheelRadius 1 axleLength 1e9 maxAcceleration 1e9 "
        "slipNoise 0.5 }}\n",
        seed));
    simulation.robot(0).wheels()->set_speed(1.0, 1.0);
    run(simulation, 500);
    return -simulation.solid("r").pose().translation.z / (500 * kH);
  };
  EXPECT_NE(far(1), far(2));
  EXPECT_EQ(far(1), far(1));
  // This is the mean of 1000 numbers with a uniform distribution in [0.5, 1.5]. The tolerance is
  // four standard errors.
  EXPECT_NEAR(far(3), 1.0, 4.0 * 0.5 / std::sqrt(3.0 * 1000.0));
}

// A robot with Physics in the coordinate system of its time: y is up.
const char* kHeavy = R"(#VRML_SIM V6.0 utf8
WorldInfo { basicTimeStep 16 }
Solid { name "floor" boundingObject Plane { } }
DifferentialWheels { name "r" translation 0 0.1 0 maxSpeed 10 maxForce 5 slipNoise 0
  encoderNoise 0 encoderResolution 100
  children [
    Solid { name "Left Wheel" translation -0.2 0 0 rotation 0 0 1 1.5707963267948966
      boundingObject Cylinder { radius 0.1 height 0.02 } physics Physics { } }
    Solid { name "right wheel" translation 0.2 0 0 rotation 0 0 1 1.5707963267948966
      boundingObject Cylinder { radius 0.1 height 0.02 } physics Physics { } }
  ]
  boundingObject Group { children [ Box { size 0.3 0.04 0.3 }
    Transform { translation 0 -0.08 0.14 children [ Sphere { radius 0.02 } ] }
    Transform { translation 0 -0.08 -0.14 children [ Sphere { radius 0.02 } ] } ] }
  physics Physics { } })";

TEST(DifferentialWheels, WithPhysicsItsWheelsAreDriven) {
  Simulation simulation = load(kHeavy);
  ASSERT_EQ(simulation.joints().size(), 2);
  ASSERT_TRUE(simulation.robot(0).devices().empty());
  DifferentialWheels& wheels = *simulation.robot(0).wheels();
  wheels.enable_encoders(16, 0.0);
  wheels.set_speed(5.0, 5.0);
  run(simulation, 125);
  EXPECT_NEAR(simulation.joint(0).velocity(), 5.0, 0.01);
  EXPECT_NEAR(simulation.joint(1).velocity(), 5.0, 0.01);
  EXPECT_NEAR(simulation.solid("r").pose().translation.z, -0.1 * 5.0 * 2.0, 0.05);
  EXPECT_NEAR(wheels.encoders()[0], 100.0 * simulation.joint(0).position(), 1.0);
}

TEST(DifferentialWheels, GoesOnBitForBit) {
  for (const bool heavy : {false, true}) {
    Simulation simulation = heavy ? load(kHeavy) : rover("slipNoise 0.2 maxAcceleration 3");
    DifferentialWheels& wheels = *simulation.robot(0).wheels();
    wheels.enable_encoders(48, 0.0);
    wheels.set_speed(3.0, 4.5);
    run(simulation, 50);
    const SimulationState state = simulation.save();
    Simulation twin = simulation.clone();
    const auto later = [](Simulation& s) {
      run(s, 70);
      return std::pair(s.state_hash(), s.robot(0).wheels()->encoders()[1]);
    };
    const auto result = later(simulation);
    EXPECT_EQ(later(twin), result);
    wheels.set_speed(0.0, 0.0);
    run(simulation, 5);
    simulation.restore(state);
    EXPECT_EQ(later(simulation), result);
    simulation.reset();
    run(simulation, 20);
    EXPECT_NEAR(simulation.solid("r").pose().translation.z, heavy ? 0.0 : 2.0, 0.01);
  }
}

TEST(DifferentialWheels, StopBeforeAWall) {
  Simulation simulation = load(
      "#VRML_SIM V6.0 utf8\nWorldInfo { basicTimeStep 16 }\nSolid { boundingObject Plane { } }\n"
      "Solid { translation 0 0 -1 boundingObject Box { size 9 1 0.4 } }\n"
      "DifferentialWheels { name \"r\" translation 0 0.1 0 wheelRadius 0.05 maxAcceleration 1e9 "
      "slipNoise 0 encoderNoise 0 encoderResolution 1000 boundingObject Box { size 0.2 0.21 0.2 } "
      "}\n");
  DifferentialWheels& wheels = *simulation.robot(0).wheels();
  wheels.enable_encoders(16, 0.0);
  wheels.set_speed(10.0, 10.0);  // 8 mm a step
  run(simulation, 200);
  // Its front is just before the wall, which is at z = -0.8.
  EXPECT_NEAR(simulation.solid("r").pose().translation.z, -0.7, 0.008);
  EXPECT_GE(simulation.solid("r").pose().translation.z, -0.7 - 1e-12);
  EXPECT_NEAR(wheels.encoders()[0], 1000.0 * 0.7 / 0.05, 160.0);
  wheels.set_speed(-10.0, -10.0);
  run(simulation, 50);
  EXPECT_NEAR(simulation.solid("r").pose().translation.z, -0.3, 0.008);
}

TEST(DifferentialWheels, ThatAreAbsurdDivergeOrStayFinite) {
  struct Case {
    const char* fields;
    double right;
    bool diverges;
  };
  for (const Case& c : {Case{"wheelRadius 1e300 slipNoise 0", 3.0, true},
                        Case{"maxSpeed 1e308 speedUnit 1e307 slipNoise 0", 3.0, true},
                        Case{"axleLength 1e-300 slipNoise 0", -2.0, false}}) {
    Simulation simulation = Simulation::from_text(fmt::format(
        "#VRML_SIM V6.0 utf8\nWorldInfo {{ basicTimeStep 16 }}\n"
        "DifferentialWheels {{ name \"r\" maxAcceleration 1e308 boundingObject Box {{ }} {} }}\n",
        c.fields));
    simulation.robot(0).wheels()->set_speed(3.0, c.right);
    if (c.diverges) {
      EXPECT_THROW(run(simulation, 5), Diverged) << c.fields;
    } else {
      run(simulation, 5);
      EXPECT_TRUE(is_finite(simulation.solid("r").pose().translation)) << c.fields;
    }
    simulation.reset();
    run(simulation, 5);
    EXPECT_EQ(simulation.solid("r").pose().translation, Vec3{});
  }
}

TEST(DifferentialWheels, DriveOnWhenTheTreeChanges) {
  const auto end = [](bool changes) {
    Simulation simulation = rover(kExact);
    DifferentialWheels& wheels = *simulation.robot(0).wheels();
    wheels.enable_encoders(16, 0.0);
    wheels.set_speed(3.0, 4.0);
    run(simulation, 40);
    if (changes) {
      WorldControl(simulation).rebuild(WorldInspector(simulation).world_file());
    }
    run(simulation, 40);
    return std::pair(simulation.solid("r").pose(), wheels.encoders()[1]);
  };
  EXPECT_EQ(end(true), end(false));
}

TEST(DifferentialWheels, CarriesItsWheelsAndSensors) {
  Simulation simulation = rover(
      "slipNoise 0 maxAcceleration 1e9 children [ Solid { name \"left wheel\" translation -0.2 0 0 "
      "} "
      "DistanceSensor { name \"d\" rotation 0 1 0 1.5707963267948966 lookupTable [ 0 0 0, 9 9 0 ] "
      "} ]");
  BodySensor& sensor = simulation.robot(0).body_sensor("d");
  sensor.enable(16, 0.0);
  simulation.robot(0).wheels()->set_speed(10.0, 10.0);
  run(simulation, 100);
  EXPECT_NEAR(simulation.solid("left wheel").pose().translation.z, 2.0 - 0.8, 1e-9);
  EXPECT_NEAR(simulation.joint(0).position(), 16.0, 1e-9);
  EXPECT_EQ(sensor.values()[0], 9.0) << "nothing is ahead";
}

TEST(DifferentialWheels, TakesItsPowerFromTheBatteryWhileItDrives) {
  const std::string body = "physics Physics { } boundingObject Box { } ";
  const std::string wheels_of_it = "children [ Solid { name \"left wheel\" translation -0.2 0 0 " +
                                   body + "} Solid { name \"right wheel\" translation 0.2 0 0 " +
                                   body + "} ] ";
  for (const std::string& physics : {std::string(), wheels_of_it + body}) {
    Simulation simulation = rover(std::string("battery [ 100 100 0 ] cpuConsumption 1 "
                                              "motorConsumption 5 maxAcceleration 1e9 ") +
                                  physics);
    const Battery& battery = *simulation.robot(0).battery();
    DifferentialWheels& wheels = *simulation.robot(0).wheels();
    run(simulation, 10);
    EXPECT_NEAR(battery.energy(), 100.0 - 1.0 * 10 * kH, 1e-9) << physics;
    wheels.set_speed(0.0, 3.0);
    run(simulation, 10);
    EXPECT_NEAR(battery.energy(), 100.0 - (1.0 * 20 + 5.0 * 10) * kH, 1e-9) << physics;
    wheels.set_speed(0.0, 0.0);
    run(simulation, 10);
    EXPECT_NEAR(battery.energy(), 100.0 - (1.0 * 30 + 5.0 * 10) * kH, 1e-9) << physics;
  }
}

}  // namespace differential_wheels_test
}  // namespace servosim::test
