// SPDX-License-Identifier: Apache-2.0
// A running simulation that is saved, restored, reset or cloned continues bit for bit.
#include <gtest/gtest.h>

#include <cmath>

#include "base/state_archive.h"
#include "golden/run_worlds.h"
#include "support/worlds.h"

namespace servosim::test {
namespace state_test {

// The world has everything that has a state: a robot that falls on the floor next to a can, a
// spring, a brake, stops, a sleeping box, a kinematic arm, noise and a battery.
const char* kBusy = R"(#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 8 physicsDisableTime 0.1 randomSeed 5 }
Solid { name "floor" boundingObject Plane { size 9 9 } }
Solid { name "box" translation 2 0 0.05 boundingObject Box { size 0.1 0.1 0.1 }
  physics Physics { } }
Solid { name "can" translation 0.4 0.05 0.3 rotation 1 0 0 0.3
  boundingObject Cylinder { height 0.2 radius 0.06 } physics Physics { } }
Robot { name "r" translation 0 0 0.4 rotation 0 1 0 0.2
  children [
    HingeJoint { jointParameters HingeJointParameters { axis 0 0 1 springConstant 0.3
        dampingConstant 0.01 minStop -0.7 maxStop 0.9 }
      device [ RotationalMotor { name "m" controlPID 8 0.5 0.01 acceleration 7 }
        PositionSensor { name "s" noise 0.01 } Brake { name "b" } ]
      endPoint Solid { name "arm" translation 0.2 0 0 boundingObject Box { size 0.4 0.05 0.05 }
        physics Physics { } } }
    SliderJoint { jointParameters JointParameters { axis 0 1 0 dampingConstant 3 staticFriction 0.2 }
      device [ LinearMotor { name "l" } Brake { name "lb" } ]
      endPoint Solid { name "drawer" translation 0 0.15 0 boundingObject Sphere { radius 0.05 }
        physics Physics { } } }
    HingeJoint { jointParameters HingeJointParameters { axis 1 0 0 }
      device [ RotationalMotor { name "k" } ]
      endPoint Solid { name "flag" translation 0 0 0.2 boundingObject Box { size 0.02 0.1 0.1 } } }
  ]
  boundingObject Box { size 0.2 0.2 0.1 } physics Physics { } })";

void drive(Simulation& simulation, std::int64_t steps) {
  Robot& robot = simulation.robot(0);
  for (std::int64_t n = 0; n < steps; ++n) {
    const double t = simulation.time();
    robot.motor("m").set_position(0.6 * std::sin(9.0 * t));
    if (simulation.step_count() % 50 == 20) {
      robot.motor("l").set_force(2.0 * std::cos(3.0 * t));
      robot.brake("b").set_damping_constant(t < 0.5 ? 0.02 : 0.0);
      robot.brake("lb").set_damping_constant(1.5 * t);
    }
    robot.motor("k").set_position(std::sin(4.0 * t));
    simulation.step();
  }
}

void start(Simulation& simulation) {
  simulation.robot(0).position_sensor("s").enable(24, 0.0);
  simulation.robot(0).motor("m").enable(16, 0.0);
}

// Returns a hash of everything that a caller can see.
std::uint64_t look(Simulation& simulation) {
  const Pose box = simulation.solid("box").pose();
  Fnv1a hash;
  for (const double number :
       {simulation.robot(0).position_sensor("s").value(),
        simulation.robot(0).motor("m").sampler().value(), simulation.joint(1).effort(),
        box.translation.x, box.translation.y, box.translation.z, box.rotation(0, 1)}) {
    hash.add(number);
  }
  return hash.value() ^ simulation.state_hash();
}

LoadOptions quiet() {
  LoadOptions options;
  options.solver = solver_of_tests();
  options.notice = [](std::string_view) {};
  return options;
}

Simulation busy() {
  Simulation simulation = Simulation::from_text(kBusy, quiet());
  start(simulation);
  return simulation;
}

TEST(State, ARestoredRunEndsInTheSameBits) {
  Simulation simulation = busy();
  for (const std::int64_t before : {1, 7, 60, 133, 400}) {
    simulation.reset();
    start(simulation);
    drive(simulation, before);
    const SimulationState state = simulation.save();
    const std::uint64_t at_save = look(simulation);
    drive(simulation, 300);
    const std::uint64_t straight = look(simulation);
    simulation.restore(state);
    EXPECT_EQ(look(simulation), at_save) << before;
    drive(simulation, 300);
    EXPECT_EQ(look(simulation), straight) << before;
    EXPECT_NE(straight, at_save);
  }
}

// A different past leaves ODE's lists in a different order. The future must not depend on it.
TEST(State, ARunRestoredOverAnotherPastEndsInTheSameBits) {
  Simulation simulation = busy();
  drive(simulation, 100);
  const SimulationState state = simulation.save();
  drive(simulation, 300);
  const std::uint64_t straight = look(simulation);
  simulation.joint(0).set_state(-0.4, 3.0);
  simulation.robot(0).brake("b").set_damping_constant(0.5);
  simulation.solid(simulation.robot(0).solid()).pin(true);
  drive(simulation, 211);
  simulation.restore(state);
  drive(simulation, 300);
  EXPECT_EQ(look(simulation), straight);
}

TEST(State, APinnedRobotIsPinnedAgainWhereItWas) {
  Simulation simulation = busy();
  drive(simulation, 90);
  simulation.solid(simulation.robot(0).solid()).pin(true);
  drive(simulation, 40);
  const SimulationState state = simulation.save();
  drive(simulation, 200);
  const std::uint64_t straight = look(simulation);
  simulation.solid(simulation.robot(0).solid()).pin(false);
  drive(simulation, 200);
  ASSERT_NE(look(simulation), straight);
  simulation.restore(state);
  drive(simulation, 200);
  EXPECT_EQ(look(simulation), straight);
}

TEST(State, ACloneGoesItsOwnWay) {
  Simulation simulation = busy();
  drive(simulation, 120);
  Simulation twin = simulation.clone();
  EXPECT_EQ(look(twin), look(simulation));
  drive(twin, 250);
  const std::uint64_t ahead = look(twin);
  drive(simulation, 250);
  EXPECT_EQ(look(simulation), ahead);
  twin.restore(simulation.save());
  EXPECT_EQ(look(twin), ahead);
  twin.reset();
  simulation.reset();
  EXPECT_EQ(look(twin), look(simulation));
}

TEST(State, ResetIsAsLoaded) {
  Simulation simulation = busy();
  drive(simulation, 300);
  const std::uint64_t first = look(simulation);
  simulation.reset();
  EXPECT_EQ(simulation.step_count(), 0);
  EXPECT_EQ(simulation.time(), 0.0);
  start(simulation);
  drive(simulation, 300);
  EXPECT_EQ(look(simulation), first);
}

// Webots' reset restores other values: docs/explanation/deviations.md#reset.
TEST(State, ResetGivesTheValuesThatLoadingGave) {
  OneJoint w;
  w.motor = "maxTorque -6 multiplier 2";
  w.parameters = "position 0.25";
  Simulation simulation = Simulation::from_text(world_text(w));
  Motor& motor = simulation.robot(0).motor("m");
  PositionSensor& sensor = simulation.robot(0).position_sensor("s");
  sensor.enable(8, 0.0);
  motor.set_available_force(3.0);
  motor.set_position(0.75);
  simulation.step(20);
  simulation.reset();
  EXPECT_EQ(motor.targets().available_force, -6.0);
  EXPECT_EQ(motor.targets().position, 0.25);
  simulation.step(20);
  EXPECT_TRUE(std::isnan(sensor.value())) << "off until it is enabled again";
}

TEST(State, ASimulationThatDivergedCanBeRestored) {
  OneJoint w;
  w.slider = true;
  w.motor = "maxForce 1e18";
  Simulation simulation = load(w);
  simulation.robot(0).motor("m").set_position(0.3);
  simulation.step(5);
  const SimulationState state = simulation.save();
  simulation.step(5);
  const std::uint64_t straight = simulation.state_hash();
  simulation.robot(0).motor("m").set_force(1e18);
  EXPECT_THROW(simulation.step(100), Diverged);
  simulation.restore(state);
  simulation.step(5);
  EXPECT_EQ(simulation.state_hash(), straight);
}

// ODE stops in the middle of its step, so the world must be rebuilt.
TEST(State, ASimulationThatOdeGaveUpCanBeRestored) {
  OneJoint w;
  w.gravity = "9.81";
  w.axis = "0 1 0";
  Simulation simulation = load(w);
  simulation.step(5);
  const SimulationState state = simulation.save();
  simulation.step(5);
  const std::uint64_t straight = simulation.state_hash();
  simulation.joint(0).set_state(0.3, 1e300);
  EXPECT_THROW(simulation.step(100), Diverged);
  simulation.restore(state);
  simulation.step(5);
  EXPECT_EQ(simulation.state_hash(), straight);
}

// ODE stops at the ground of the last Solid, so the world is rebuilt.
TEST(State, WhatWasSaidOnceIsNotSaidAgain) {
  std::vector<std::string> said;
  LoadOptions options;
  options.notice = [&said](std::string_view message) { said.emplace_back(message); };
  Simulation simulation = Simulation::from_text(R"(#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 8 contactProperties ContactProperties { maxContactJoints 3 } }
Solid { boundingObject Plane { } }
Solid { name "box" translation 3 0 0.049 boundingObject Box { size 0.1 0.1 0.1 } physics Physics { } }
Solid { name "ground" boundingObject ElevationGrid { xDimension 3 yDimension 2 xSpacing 1e-9
  ySpacing 1e-300 height [ 1 2 3, 5 7 9 ] } }
Solid { name "thin" translation 0.4 0.3 0.5 rotation 1 2 3 0.7
  boundingObject Box { size 1e-5 1e5 1 } physics Physics { density -1 mass 2 } })",
                                                std::move(options));
  const SimulationState state = simulation.save();
  for (int n = 0; n < 3; ++n) {
    EXPECT_THROW(simulation.step(100), Diverged);
    EXPECT_EQ(said.size(), 1u) << n;
    simulation.restore(state);
  }
}

TEST(State, OfAnotherSimulationIsRefused) {
  Simulation one = load(OneJoint{});
  Simulation other = load(OneJoint{});
  EXPECT_THROW(one.restore(other.save()), std::invalid_argument);
  EXPECT_THROW(one.restore(SimulationState{}), std::invalid_argument);
}

// The world has what kBusy lacks.
const char* kRich = R"(#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 8 physicsDisableTime 0.1 }
Solid { name "ground" boundingObject ElevationGrid { xDimension 5 yDimension 5 xSpacing 3 ySpacing 3
  height [ 0 0.1 0 0 0 0.1 0 0.2 0 0 0 0 0 0.1 0 0.1 0 0 0 0 0 0 0.1 0 0 ] } translation -6 -6 0 }
Robot { name "car" translation 0 0 0.6 battery [ 9, 100, 0 ] cpuConsumption 3
  children [
    Hinge2Joint {
      jointParameters HingeJointParameters { axis 0 0 1 anchor 0.3 0.2 -0.1 suspensionAxis 0 0 1
        suspensionSpringConstant 900 suspensionDampingConstant 30 minStop -0.6 maxStop 0.6 }
      jointParameters2 JointParameters { axis 0 1 0 dampingConstant 0.02 }
      device RotationalMotor { name "steer" } device2 [ RotationalMotor { name "drive" } Brake { } ]
      endPoint Solid { name "front" translation 0.3 0.2 -0.1 boundingObject Sphere { radius 0.1 }
        physics Physics { } } }
    BallJoint { jointParameters BallJointParameters { anchor -0.3 0 0 springConstant 0.5 }
      device RotationalMotor { name "yaw" } device2 RotationalMotor { name "pitch" }
      device3 [ RotationalMotor { name "roll" } Brake { name "b3" } ]
      endPoint Solid { name "tail" translation -0.45 0 0 boundingObject Box { size 0.2 0.05 0.05 }
        physics Physics { } } }
    HingeJoint { jointParameters HingeJointParameters { axis 1 0 0 anchor 0 0 0.2 backlash 0.1 }
      device [ RotationalMotor { name "fin::a" muscles Muscle { } } PositionSensor { name "fin" } ]
      endPoint Solid { name "fin a" translation 0 0.1 0.2 boundingObject Box { size 0.1 0.2 0.02 }
        physics Physics { } } }
    SliderJoint { jointParameters JointParameters { axis 0 0 1 backlash 0.01 }
      device LinearMotor { name "fin::b" multiplier -0.1 maxVelocity 1 }
      endPoint Solid { name "fin b" translation 0.1 0 0.2 boundingObject Box { size 0.1 0.1 0.02 }
        physics Physics { } } }
    Propeller { shaftAxis 0 0 1 thrustConstants 0.05 0.01 torqueConstants 0.01 0
      device RotationalMotor { name "rotor" maxVelocity 20 } }
    HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 anchor 0 -0.2 0 }
      endPoint Solid { name "bar" translation 0 -0.2 0.1 boundingObject Box { size 0.06 0.06 0.2 }
        physics Physics { } children [
          HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 anchor 0 0 0.1 }
            endPoint Solid { name "rod" translation 0.1 0 0.1 boundingObject Box { size 0.2 0.06 0.06 }
              physics Physics { } children [
                HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 anchor 0.1 0 0 }
                  endPoint SolidReference { solidName "lever" } } ] } } ] } }
    HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 anchor 0.2 -0.2 0 }
      device RotationalMotor { name "crank" }
      endPoint Solid { name "lever" translation 0.2 -0.2 0.1 boundingObject Box { size 0.06 0.06 0.2 }
        physics Physics { } } }
  ]
  boundingObject Box { size 0.6 0.3 0.1 } physics Physics { } })";

// Swings every motor, drives those that turn without end, and uses the brakes.
void drive_all(Simulation& simulation, std::int64_t steps) {
  for (std::int64_t n = 0; n < steps; ++n) {
    const double t = simulation.time();
    double phase = 0.0;
    for (int r = 0; r < simulation.robots().size(); ++r) {
      for (const DeviceNode& device : simulation.robot(r).devices()) {
        phase += 0.7;
        if (device.get<Motor>() != nullptr) {
          const bool endless = device.name == "rotor" || device.name == "drive";
          device.get<Motor>()->set_position(endless ? INFINITY : 0.3 * std::sin(5.0 * t + phase));
        }
        if (device.get<Brake>() != nullptr && simulation.step_count() % 60 == 7) {
          device.get<Brake>()->set_damping_constant(simulation.step_count() % 120 == 7 ? 0.3 : 0.0);
        }
      }
    }
    simulation.step();
  }
}

std::uint64_t hash_with_readings(const Simulation& simulation) {
  Fnv1a hash;
  for (int j = 0; j < simulation.joints().size(); ++j) {
    const JointReading r = simulation.joint(j).reading();
    hash.add(r.position).add(r.velocity).add(r.commanded_velocity).add(r.effort);
  }
  return hash.value() ^ simulation.state_hash();
}

void check_in_the_middle(Simulation& simulation) {
  drive_all(simulation, 137);
  Simulation twin = simulation.clone();
  const SimulationState state = simulation.save();
  const std::uint64_t then = hash_with_readings(simulation);
  EXPECT_EQ(hash_with_readings(twin), then);
  drive_all(simulation, 400);
  const std::uint64_t straight = hash_with_readings(simulation);
  drive_all(twin, 400);
  EXPECT_EQ(hash_with_readings(twin), straight);
  simulation.restore(state);
  EXPECT_EQ(hash_with_readings(simulation), then);
  drive_all(simulation, 400);
  EXPECT_EQ(hash_with_readings(simulation), straight);
  EXPECT_NE(straight, then);
}

TEST(State, OfEveryKindOfJoint) {
  Simulation simulation = Simulation::from_text(kRich, quiet());
  for (const Diagnostic& diagnostic : simulation.diagnostics()) {
    ADD_FAILURE() << to_string(diagnostic);
  }
  check_in_the_middle(simulation);
  EXPECT_TRUE(simulation.robot(0).battery()->exhausted()) << "this happened after the save";
}

TEST(State, OfEveryWorld) {
  for (const std::string& world : worlds_in(SERVOSIM_WORLDS_DIR)) {
    SCOPED_TRACE(world);
    Simulation simulation(world, quiet());
    check_in_the_middle(simulation);
  }
}

}  // namespace state_test
}  // namespace servosim::test
