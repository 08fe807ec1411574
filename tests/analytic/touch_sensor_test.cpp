// SPDX-License-Identifier: Apache-2.0
// TouchSensors measure known weights and touches.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "servosim/simulation.h"
#include "support/worlds.h"

namespace servosim::test {
namespace touch_sensor_test {

constexpr double kG = 9.81;

void run(Simulation& simulation, double seconds) {
  while (simulation.time() < seconds - 1e-9) {
    simulation.step();
  }
}

BodySensor& sampled(Simulation& simulation, int period_ms = 8) {
  BodySensor& sensor = simulation.robot(0).body_sensor("t");
  sensor.enable(period_ms, 1000.0 * simulation.time());
  return sensor;
}

// A robot of 3 kg stands on its only foot. The foot is a sensor of 1 kg, turned by `rotation`.
Simulation standing(const std::string& sensor,
                    const std::string& rotation = "0 1 0 1.5707963267948966",
                    const std::string& version = "R2023b") {
  return load(fmt::format(
      "#VRML_SIM {} utf8\nWorldInfo {{ basicTimeStep 8 physicsDisableTime 0 }}\n"
      "Solid {{ name \"floor\" rotation {} boundingObject Plane {{ }} }}\n"
      "Robot {{ name \"r\" translation 0 0 0.35 children [\n"
      "  TouchSensor {{ name \"t\" translation 0 0 -0.2 rotation {} {}\n"
      "    boundingObject Box {{ size 0.3 0.3 0.3 }} physics Physics {{ density -1 mass 1 }} }} ]\n"
      "  boundingObject Box {{ size 0.2 0.2 0.2 }} physics Physics {{ density -1 mass 3 }} }}\n",
      version, version < "R2022" ? "1 0 0 1.5707963267948966" : "0 0 1 0", rotation, sensor));
}

TEST(TouchSensor, ForceIsTheWeightThatItCarries) {
  Simulation simulation = standing("type \"force\" lookupTable []");
  BodySensor& sensor = sampled(simulation);
  run(simulation, 3.0);
  // The sensor's x axis points down. The floor presses on the sensor, and the sensor presses the
  // robot upwards. Contacts yield and settle slowly.
  EXPECT_NEAR(sensor.values()[0], 3.0 * kG, 1e-3);
}

TEST(TouchSensor, Force3dIsInItsOwnFrame) {
  Simulation simulation = standing("type \"force-3d\"");
  BodySensor& sensor = sampled(simulation);
  run(simulation, 3.0);
  ASSERT_EQ(sensor.values().size(), 3u);
  EXPECT_NEAR(sensor.values()[0], -3.0 * kG, 1e-3);
  EXPECT_NEAR(sensor.values()[1], 0.0, 1e-3);
  EXPECT_NEAR(sensor.values()[2], 0.0, 1e-3);
}

TEST(TouchSensor, AxisIsThatOfTheEra) {
  const auto force = [](const char* rotation, const char* version) {
    Simulation simulation = standing("type \"force\" lookupTable []", rotation, version);
    BodySensor& sensor = sampled(simulation);
    run(simulation, 3.0);
    return sensor.values()[0];
  };
  const char* z_down = "1 0 0 3.141592653589793";
  EXPECT_NEAR(force(z_down, "R2021a"), 3.0 * kG, 1e-3);
  EXPECT_NEAR(force(z_down, "R2023b"), 0.0, 1e-3) << "x lies flat";
}

TEST(TouchSensor, PullIsNoForce) {
  Simulation simulation = load(
      "#VRML_SIM R2023b utf8\nWorldInfo { basicTimeStep 8 }\n"
      "Robot { name \"r\" children [ TouchSensor { name \"t\" type \"force\" "
      "rotation 0 1 0 1.5707963267948966 physics Physics { density -1 mass 2 } "
      "boundingObject Box { size 0.1 0.1 0.1 } } TouchSensor { name \"u\" type \"force\" "
      "rotation 0 1 0 -1.5707963267948966 translation 1 0 0 lookupTable [ 0 0 0, 100 1000 0 ] "
      "physics Physics { density -1 mass 2 } boundingObject Box { size 0.1 0.1 0.1 } } ] }\n");
  BodySensor& down = sampled(simulation);
  BodySensor& up = simulation.robot(0).body_sensor("u");
  up.enable(8, 0.0);
  run(simulation, 0.8);
  EXPECT_EQ(down.values()[0], 0.0) << "it hangs on the world: its weight pulls";
  EXPECT_NEAR(up.values()[0], 10.0 * 2.0 * kG, 1e-2) << "its weight lies on what carries it";
}

// A ball falls on a plate. Either side may have Physics.
Simulation ball_above(const std::string& sensor, const std::string& ball) {
  return load(fmt::format(
      "#VRML_SIM R2023b utf8\nWorldInfo {{ basicTimeStep 8 }}\n"
      "Robot {{ name \"r\" children [ TouchSensor {{ name \"t\" {} "
      "boundingObject Box {{ size 1 1 0.2 }} }} ] }}\n"
      "Solid {{ name \"ball\" translation 0 0 0.6 boundingObject Sphere {{ radius 0.2 }} {} }}\n",
      sensor, ball));
}

TEST(TouchSensor, BumperRemembersTouchesSinceTheLastSample) {
  // The ball falls 0.3 m, which takes 0.247 s. The sensor is 1 when the ball is there, and not
  // before.
  Simulation simulation = ball_above("", "physics Physics { }");
  BodySensor& sensor = sampled(simulation);
  EXPECT_TRUE(std::isnan(sensor.values()[0]));
  run(simulation, 0.24);
  EXPECT_EQ(sensor.values()[0], 0.0);
  run(simulation, 0.28);
  EXPECT_EQ(sensor.values()[0], 1.0);
  // A touch that has ended since the last sample still counts.
  Simulation bouncing = load(
      "#VRML_SIM R2023b utf8\nWorldInfo { basicTimeStep 8 contactProperties [ ContactProperties { "
      "bounce 1 } ] }\nRobot { name \"r\" children [ TouchSensor { name \"t\" "
      "boundingObject Box { size 1 1 0.2 } } ] }\n"
      "Solid { name \"ball\" translation 0 0 2 boundingObject Sphere { radius 0.2 } "
      "physics Physics { } }\n");
  BodySensor& rare = sampled(bouncing, 400);
  run(bouncing, 0.4);
  EXPECT_EQ(rare.values()[0], 0.0);
  run(bouncing, 0.8);  // the ball hits at 0.59 s
  EXPECT_GT(bouncing.solid("ball").pose().translation.z, 0.31);
  EXPECT_EQ(rare.values()[0], 1.0);
}

TEST(TouchSensor, BumperWithoutPhysicsFeelsWalls) {
  // A kinematic arm turns a bumper into a wall. There are no bodies.
  Simulation simulation = load(
      "#VRML_SIM R2023b utf8\nWorldInfo { basicTimeStep 8 }\n"
      "Solid { translation 0 1 0 boundingObject Box { size 3 0.2 1 } }\n"
      "Robot { name \"r\" children [ HingeJoint { jointParameters HingeJointParameters { axis 0 0 "
      "1 } "
      "device RotationalMotor { name \"m\" } endPoint Solid { children [ TouchSensor { name \"t\" "
      "translation 1 0 0 boundingObject Sphere { radius 0.1 } } ] } } ] }\n");
  BodySensor& sensor = sampled(simulation);
  simulation.step();
  EXPECT_EQ(sensor.values()[0], 0.0);
  simulation.robot(0).motor("m").set_position(1.5);
  run(simulation, 3.0);
  EXPECT_EQ(sensor.values()[0], 1.0);
  simulation.robot(0).motor("m").set_position(0.0);
  run(simulation, 6.0);
  EXPECT_EQ(sensor.values()[0], 0.0);
}

TEST(TouchSensor, GoesOnBitForBit) {
  Simulation simulation = standing("type \"force\" lookupTable [ 0 0 0.01, 100 100 0.01 ]");
  sampled(simulation, 16);
  run(simulation, 0.4);
  const SimulationState state = simulation.save();
  const auto next = [](Simulation& s) {
    run(s, 0.8);
    return s.robot(0).body_sensor("t").values()[0];
  };
  Simulation twin = simulation.clone();
  const double value = next(simulation);
  EXPECT_EQ(next(twin), value);
  simulation.restore(state);
  EXPECT_EQ(next(simulation), value);
}

}  // namespace touch_sensor_test
}  // namespace servosim::test
