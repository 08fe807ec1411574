// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <stdexcept>

#include "support/worlds.h"

namespace servosim::test {
namespace {

template <typename Error, typename Call>
std::string failure(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing thrown";
}

const char* kTwo = R"(#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 8 }
Robot { name "left" children [
  HingeJoint { device RotationalMotor { name "hip" } endPoint Solid { name "l1" physics Physics { density -1 mass 2
    centerOfMass 0 0 0 inertiaMatrix [ 3 3 3, 0 0 0 ] } } }
  SliderJoint { device LinearMotor { name "knee" } endPoint Solid { name "l2" translation 0 0 3 } } ] }
Robot { name "right" children [
  HingeJoint { device RotationalMotor { name "hip" } endPoint Solid { name "r1" } } ] })";

TEST(Simulation, FindsRobotsAndNamesThoseThereAre) {
  Simulation simulation = load(kTwo);
  EXPECT_EQ(simulation.robots().size(), 2);
  EXPECT_EQ(&simulation.robot("right"), &simulation.robot(1));
  EXPECT_EQ(failure<std::out_of_range>([&] { simulation.robot("middle"); }),
            "no robot \"middle\" in this world; it has \"left\", \"right\"");
  EXPECT_EQ(failure<std::out_of_range>([&] { simulation.robot(2); }), "robot 2 of 2");
  EXPECT_EQ(failure<std::out_of_range>([&] { simulation.robot(-1); }), "robot -1 of 2");
  Simulation empty = load("#VRML_SIM R2023b utf8\n");
  EXPECT_EQ(failure<std::out_of_range>([&] { empty.robot("x"); }),
            "no robot \"x\" in this world; it has none");
}

TEST(Simulation, FindsJointsByFullNameOrWhenUnique) {
  Simulation simulation = load(kTwo);
  ASSERT_EQ(simulation.joints().size(), 3);
  EXPECT_EQ(simulation.joint(2).name(), "right/hip");
  EXPECT_EQ(simulation.joint("right/hip").index(), 2);
  EXPECT_EQ(simulation.joint("knee").index(), 1);
  EXPECT_EQ(simulation.joint(1).type(), JointType::Linear);
  EXPECT_EQ(
      failure<std::out_of_range>([&] { simulation.joint("hip").index(); }),
      "more than one joint is called \"hip\"; there are 'left/hip', 'right/hip', 'left/knee'");
  EXPECT_EQ(failure<std::out_of_range>([&] { simulation.joint("toe").index(); }),
            "no joint is called \"toe\"; there are 'left/hip', 'left/knee', 'right/hip'");
  for (const int joint : {-1, 3}) {
    EXPECT_THROW(simulation.joint(joint).name(), std::out_of_range);
    const std::string why = fmt::format("joint {} of 3", joint);
    EXPECT_EQ(failure<std::out_of_range>([&] { simulation.joint(joint).name(); }), why);
    EXPECT_EQ(failure<std::out_of_range>([&] { simulation.joint(joint).reading(); }), why);
    EXPECT_EQ(failure<std::out_of_range>([&] { simulation.joint(joint).muscle_count(); }), why);
    EXPECT_EQ(failure<std::out_of_range>([&] { simulation.joint(joint).muscle(0); }), why);
    EXPECT_EQ(failure<std::out_of_range>([&] { simulation.joint(joint).set_state(0.5); }), why);
    EXPECT_EQ(failure<std::out_of_range>([&] { simulation.joint(joint).type(); }), why);
  }
}

TEST(Simulation, SetsJointsToFiniteNumbersOnly) {
  Simulation simulation = load(kTwo);
  const std::uint64_t before = simulation.state_hash();
  const double bad[] = {std::nan(""), std::numeric_limits<double>::infinity()};
  for (const double value : bad) {
    EXPECT_EQ(failure<std::invalid_argument>([&] { simulation.joint(0).set_state(value); }),
              "a joint's position and velocity must be finite");
    EXPECT_THROW(simulation.joint(0).set_state(0.5, value), std::invalid_argument);
  }
  EXPECT_EQ(simulation.state_hash(), before);
  simulation.joint(0).set_state(0.5);
  EXPECT_NE(simulation.state_hash(), before);
  simulation.joint(1).set_state(0.25);
  EXPECT_DOUBLE_EQ(simulation.solid("l2").pose().translation.z, 3.25) << "kinematic ones too";
}

TEST(Simulation, FindsSolids) {
  Simulation simulation = load(kTwo);
  EXPECT_EQ(simulation.solid("l2").pose().translation.z, 3.0);
  EXPECT_EQ(failure<std::out_of_range>([&] { simulation.solid("l3").pose(); }),
            "no Solid is called \"l3\"; there are 'l1', 'l2', 'r1', 'left', 'right'");
}

TEST(Simulation, TimeIsTheStepCountTimesTheBasicStep) {
  for (const double step_ms : {0.5, 16.666, 32.0, 0.1}) {
    OneJoint w;
    w.time_step_ms = step_ms;
    Simulation simulation = load(w);
    EXPECT_EQ(simulation.basic_time_step_ms(), step_ms);
    EXPECT_EQ(simulation.time(), 0.0);
    simulation.step(777);
    simulation.step();
    EXPECT_EQ(simulation.step_count(), 778);
    EXPECT_EQ(simulation.time(), 778 * step_ms / 1000.0) << "exactly: no sum of steps";
  }
}

TEST(Simulation, CountsStepsOfZeroAndLessAsNone) {
  Simulation simulation = load(OneJoint{});
  simulation.step(0);
  simulation.step(-3);
  EXPECT_EQ(simulation.step_count(), 0);
}

TEST(Simulation, PinsARobot) {
  Simulation simulation = load(R"(#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 8 }
Robot { name "r" translation 0 0 5 boundingObject Box { size 0.1 0.1 0.1 } physics Physics { } })");
  simulation.solid(simulation.robot(0).solid()).pin(true);
  simulation.step(50);
  EXPECT_NEAR(simulation.solid("r").pose().translation.z, 5.0, 1e-3);
  simulation.solid(simulation.robot(0).solid()).pin(false);
  simulation.step(50);
  EXPECT_LT(simulation.solid("r").pose().translation.z, 4.5);
  EXPECT_EQ(
      failure<std::out_of_range>([&] { simulation.solid(simulation.robot(1).solid()).pin(true); }),
      "robot 1 of 1");
}

TEST(Simulation, MovesWithEverythingInIt) {
  Simulation first = load(OneJoint{});
  Motor& motor = first.robot("r").motor("m");
  Simulation second = std::move(first);
  motor.set_position(0.5);
  second.step(200);
  EXPECT_NEAR(second.joint(0).position(), 0.5, 1e-3);
}

TEST(Simulation, CannotLoadWhatIsNoWorld) {
  try {
    Simulation::from_text("once upon a time");
    FAIL();
  } catch (const LoadError& error) {
    EXPECT_EQ(error.list().size(), 1u);
    EXPECT_EQ(error.what(), to_string(error.list().front()));
  }
  EXPECT_THROW(Simulation("/nowhere/at/all.wbt"), LoadError);
}

TEST(Simulation, LoadsAFileLikeItsText) {
  const std::string path = testing::TempDir() + "servosim_simulation_test.wbt";
  std::ofstream(path) << kTwo;
  Simulation from_file(path);
  Simulation from_text = Simulation::from_text(kTwo);
  from_file.step(20);
  from_text.step(20);
  EXPECT_EQ(from_file.state_hash(), from_text.state_hash());
  std::filesystem::remove(path);
}

TEST(Simulation, SaysEachThingOnceWhateverIsRestored) {
  std::vector<std::string> said;
  LoadOptions options;
  options.notice = [&said](std::string_view message) { said.emplace_back(message); };
  Simulation simulation = Simulation::from_text(kTwo, options);
  const auto too_fast = [](Simulation& s) { s.robot("left").motor("hip").set_velocity(99.0); };
  const SimulationState before = simulation.save();
  too_fast(simulation);
  EXPECT_EQ(said.size(), 1u);
  Simulation twin = simulation.clone();
  too_fast(twin);
  twin.reset();
  too_fast(twin);
  simulation.restore(before);
  too_fast(simulation);
  simulation.reset();
  too_fast(simulation);
  EXPECT_EQ(said.size(), 1u);
  EXPECT_EQ(simulation.robot("left").motor("hip").targets().velocity, 10.0)
      << "clamped all the same";
}

// A door of the world, not of a robot: its motor has no controller and holds.
TEST(Simulation, MotorsOutsideRobotsHoldTheirJoints) {
  const auto sunk = [](const std::string& motor) {
    Simulation simulation = load(R"(#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 8 }
Solid { children [ HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 } )" +
                                 motor + R"(
  endPoint Solid { translation 0.5 0 0 boundingObject Box { size 0.1 0.1 0.1 } physics Physics { } } } ] })");
    simulation.step(30);
    return simulation.joint(0).position();
  };
  EXPECT_NEAR(sunk("device RotationalMotor { name \"m\" }"), 0.0,
              1e-4);  // 1 kg at 0.5 m: 4.9 of 10 N·m
  EXPECT_GT(sunk(""), 0.3);
}

// Webots copies the available force before it checks the field: 10 is allowed, but nothing drives.
TEST(Simulation, ANegativeMaximalTorqueDrivesNothingUntilAForceIsSet) {
  OneJoint w;
  w.gravity = "9.81";
  w.axis = "0 1 0";
  w.endpoint = "0.3 0 0";
  w.mass = 0.5;
  w.motor = "maxTorque -6";
  Simulation simulation = Simulation::from_text(world_text(w));
  ASSERT_EQ(simulation.diagnostics().size(), 1u);
  Motor& motor = simulation.robot("r").motor("m");
  EXPECT_EQ(motor.limits().max_force, 10.0);
  EXPECT_EQ(motor.targets().available_force, -6.0);
  simulation.step(30);
  EXPECT_GT(simulation.joint(0).position(), 0.5) << "it falls";
  // Exact up to what the joint's rows give way: 1e-6 of the 10 N they carry.
  EXPECT_NEAR(simulation.joint(0).effort(), 0.0, 1e-5);
  motor.set_available_force(10.0);
  simulation.step(500);
  EXPECT_NEAR(simulation.joint(0).position(), 0.0, 1e-3) << "back to where it started";
}

// A free wheel in the air: nothing holds it, and its devices turn nothing but themselves.
TEST(Simulation, DevicesOfAHinge2OnAStaticSideWork) {
  Simulation simulation = Simulation::from_text(R"(#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 8 }
Robot { name "r" children [ Hinge2Joint {
  jointParameters HingeJointParameters { position 0.25 }
  jointParameters2 JointParameters { position -0.75 }
  device [ RotationalMotor { name "steer" } PositionSensor { name "angle" } ]
  device2 [ PositionSensor { name "turns" } Brake { name "brake" } ]
  endPoint Solid { name "wheel" translation 0 0 5 boundingObject Sphere { }
    physics Physics { density -1 mass 3 } } } ] })");
  EXPECT_EQ(simulation.diagnostics().size(), 1u);
  const Robot& robot = simulation.robot("r");
  Motor& motor = robot.motor("steer");
  EXPECT_EQ(motor.targets().position, 0.25);
  motor.set_position(1.5);
  robot.position_sensor("angle").enable(8, 0.0);
  robot.position_sensor("turns").enable(8, 0.0);
  robot.brake("brake").set_damping_constant(3.5);
  simulation.step(200);
  EXPECT_EQ(robot.position_sensor("angle").value(), 0.25) << "a joint that is none stands still";
  EXPECT_EQ(robot.position_sensor("turns").value(), -0.75);
  EXPECT_EQ(robot.brake("brake").damping_constant(), 3.5);
  // Free fall: g·h²·n(n+1)/2.
  EXPECT_NEAR(simulation.solid("wheel").pose().translation.z, 5.0 - 9.81 * 64e-6 * 20100, 1e-9);
}

TEST(StateHash, SeesEveryState) {
  const auto hash = [](auto change) {
    Simulation simulation = load(kTwo);
    simulation.step(10);
    change(simulation);
    simulation.step(10);
    return simulation.state_hash();
  };
  const std::uint64_t plain = hash([](Simulation&) {});
  EXPECT_EQ(hash([](Simulation&) {}), plain);
  EXPECT_NE(hash([](Simulation& s) { s.robot(0).motor("hip").set_position(0.5); }), plain);
  EXPECT_NE(hash([](Simulation& s) { s.robot(1).motor("hip").set_position(0.5); }), plain);
  EXPECT_NE(hash([](Simulation& s) { s.joint(1).set_state(1e-9); }), plain);
  EXPECT_NE(hash([](Simulation& s) { s.step(); }), plain);
}

}  // namespace
}  // namespace servosim::test
