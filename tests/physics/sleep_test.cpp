// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "support/case_names.h"
#include "support/solver.h"
#include "support/worlds.h"

namespace servosim::test {
namespace {

// How far a slider gets in 8 s that starts with 5 mm/s and is left alone. (A body without any joint
// or contact never sleeps.)
double drift(const std::string& info) {
  Simulation simulation = load(fmt::format(R"(#VRML_SIM R2023b utf8
WorldInfo {{ basicTimeStep 8 gravity 0 {} }}
Robot {{ name "r" children [ SliderJoint {{ endPoint Solid {{
  linearVelocity 0 0 0.005 boundingObject Sphere {{ }} physics Physics {{ }} }} }} ] }})",
                                           info));
  simulation.step(1000);
  return simulation.joint(0).position();
}

// 5 mm/s is below the threshold of 10 mm/s: the body stops after the time to fall asleep.
TEST(Sleep, ComesAfterItsTime) {
  // ODE counts the time in steps; one more or less is 0.04 mm.
  EXPECT_NEAR(drift("physicsDisableTime 2.5"), 0.005 * 2.5, 1e-4);
  EXPECT_NEAR(drift(""), 0.005 * 1.0, 1e-4);
  EXPECT_NEAR(drift("physicsDisableTime 0"), 0.005 * 8.0, 1e-9);
  EXPECT_NEAR(drift("physicsDisableLinearThreshold 0.004"), 0.005 * 8.0, 1e-9);
}

const char* kRobot = R"(#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 8 }
Solid { name "floor" boundingObject Plane { } }
Robot { name "r" translation 0 0 0.1
  boundingObject Box { size 0.4 0.4 0.2 } physics Physics { density -1 mass 4 }
  children [ HingeJoint { jointParameters HingeJointParameters { axis 0 0 1 anchor 0 0 0.2 }
    device [ RotationalMotor { name "m" } PositionSensor { name "s" } ]
    endPoint Solid { name "arm" translation 0 0 0.2
      boundingObject Box { size 0.3 0.1 0.1 } physics Physics { density -1 mass 1 } } } ]
})";

TEST(Sleep, ARestingRobotDoesNotChangeAtAll) {
  Simulation simulation = load(kRobot);
  simulation.step(500);
  const Pose base = simulation.solid("r").pose();
  const Pose arm = simulation.solid("arm").pose();
  const double position = simulation.joint(0).position();
  simulation.step(500);
  EXPECT_EQ(simulation.solid("r").pose(), base);
  EXPECT_EQ(simulation.solid("arm").pose(), arm);
  EXPECT_EQ(simulation.joint(0).position(), position);
}

TEST(Sleep, AnyMotorCommandEndsIt) {
  const std::function<void(Motor&)> commands[] = {
      [](Motor& m) { m.set_position(0.5); },
      [](Motor& m) {
        m.set_position(INFINITY);
        m.set_velocity(0.5);
      },
      [](Motor& m) { m.set_force(0.25); },
  };
  for (const auto& command : commands) {
    Simulation simulation = load(kRobot);
    simulation.step(500);
    command(simulation.robot("r").motor("m"));
    simulation.step(100);
    EXPECT_GT(simulation.joint(0).position(), 0.1);
  }
}

TEST(Sleep, SettingAJointEndsItToo) {
  Simulation simulation = load(kRobot);
  simulation.step(500);
  simulation.robot("r").motor("m").set_available_force(0.0);
  simulation.step(500);
  simulation.joint(0).set_state(0.25, 2.0);
  simulation.step(5);
  EXPECT_GT(simulation.joint(0).position(), 0.3);
}

TEST(Sleep, EndsWhenSomethingFallsOnIt) {
  Simulation simulation = load(std::string(kRobot) + R"(
Solid { name "stone" translation 0.5 0 8 linearVelocity -0.4 0 0 boundingObject Sphere { radius 0.1 }
  physics Physics { density -1 mass 9 } })");
  simulation.step(130);  // asleep from 1 s on; the stone needs 1.25 s
  const Pose before = simulation.solid("r").pose();
  simulation.step(60);
  EXPECT_NE(simulation.solid("r").pose(), before);
}

// A force that friction holds must not pile up while the joint sleeps and fling it when it wakes.
TEST(Sleep, ForcesOfSleepingJointsDoNotPileUp) {
  Simulation simulation = load(R"(#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 8 gravity 0 physicsDisableTime 0.2 }
Robot { name "r" children [ HingeJoint {
  jointParameters HingeJointParameters { axis 0 0 1 staticFriction 0.4 }
  device [ RotationalMotor { name "m" } ]
  endPoint Solid { boundingObject Box { size 0.3 0.1 0.1 } physics Physics { } } } ] })");
  Motor& motor = simulation.robot("r").motor("m");
  motor.set_force(0.25);
  simulation.step(1000);
  const double asleep = simulation.joint(0).position();
  motor.set_force(0.2);
  simulation.step(3);
  // Friction is soft: it creeps with CFM times the torque, 2e-6 rad/s.
  EXPECT_NEAR(simulation.joint(0).position(), asleep, 1e-6);
}

// What is driven, however slowly, goes on; with either solver.
class NoSleep : public testing::TestWithParam<Solver> {
 protected:
  static LoadOptions with_solver() {
    LoadOptions options;
    options.solver = GetParam();
    return options;
  }
  // `joint`: a HingeJoint or SliderJoint up to its endPoint.
  static Simulation with(const std::string& joint, const std::string& info = "gravity 0",
                         const std::string& body = "") {
    return Simulation::from_text(fmt::format(R"(#VRML_SIM R2023b utf8
WorldInfo {{ basicTimeStep 8 {} }}
Robot {{ name "r" children [ {} endPoint Solid {{ name "end" translation 0.1 0 0 {}
  boundingObject Box {{ size 0.2 0.02 0.02 }} physics Physics {{ density -1 mass 0.2 }} }} }} ] }})",
                                             info, joint, body),
                                 with_solver());
  }
  static std::string hinge(const std::string& motor, const std::string& parameters = "") {
    return fmt::format(
        "HingeJoint {{ jointParameters HingeJointParameters {{ axis 0 0 1 {} }} "
        "device RotationalMotor {{ name \"m\" {} }}",
        parameters, motor);
  }
  static std::string slider(const std::string& motor) {
    return fmt::format(
        "SliderJoint {{ jointParameters JointParameters {{ axis 1 0 0 }} "
        "device LinearMotor {{ name \"m\" {} }}",
        motor);
  }
  static void run(Simulation& simulation, double velocity) {
    Motor& motor = simulation.robot("r").motor("m");
    motor.set_position(INFINITY);
    motor.set_velocity(velocity);
  }
};

INSTANTIATE_TEST_SUITE_P(Each, NoSleep, testing::Values(Solver::Ode, Solver::Tree),
                         testing::PrintToStringParamName());

TEST_P(NoSleep, OfAMotorThatMovesAMicroradianPerStep) {
  for (const std::string& joint : {hinge(""), slider("")}) {
    for (const double per_step : {1e-6, -3e-8}) {
      Simulation simulation = with(joint);
      run(simulation, per_step / 0.008);
      simulation.step(2000);
      EXPECT_NEAR(simulation.joint(0).position(), 2000 * per_step,
                  1e-3 * std::abs(per_step) * 2000);
    }
  }
}

// A body that a command has woken takes a step before it may sleep.
TEST_P(NoSleep, OfAMotorInAWorldWhereBodiesSleepAtOnce) {
  Simulation simulation = with(hinge("maxVelocity 0.001"), "gravity 0 physicsDisableTime 0.004");
  simulation.robot("r").motor("m").set_position(1.0);
  simulation.step(1000);
  EXPECT_NEAR(simulation.joint(0).position(), 0.008, 1e-5);
}

// The play of 0.2 mrad is crossed as slowly.
TEST_P(NoSleep, OfAMotorWithBacklash) {
  Simulation simulation = with(hinge("", "backlash 0.0002"));
  run(simulation, 1e-6 / 0.008);
  simulation.step(2000);
  EXPECT_NEAR(simulation.joint(0).position(), 2e-3 - 1e-4, 1e-5);
}

TEST_P(NoSleep, OfPositionControlUntilItHasArrived) {
  for (const char* motor : {"maxVelocity 0.002", "controlPID 0.4 0 0"}) {
    Simulation simulation = with(hinge(motor));
    simulation.robot("r").motor("m").set_position(0.01);
    simulation.step(6000);
    EXPECT_NEAR(simulation.joint(0).position(), 0.01, 1e-7) << motor;
    const double asleep = simulation.joint(0).position();
    simulation.step(200);
    EXPECT_EQ(simulation.joint(0).position(), asleep) << motor << ": then it sleeps";
  }
}

TEST_P(NoSleep, OfAForceOrAWeightOnADamper) {
  Simulation pushed = with(hinge("", "dampingConstant 10"));
  pushed.robot("r").motor("m").set_force(0.02);
  pushed.step(2000);
  EXPECT_NEAR(pushed.joint(0).position(), 16.0 * 0.02 / 10.0, 1e-5);
  // 0.2 kg at 0.1 m.
  Simulation flap = with(
      "HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 dampingConstant 100 }", "");
  flap.step(2000);
  EXPECT_NEAR(flap.joint(0).position(), 16.0 * 0.2 * 9.81 * 0.1 / 100.0, 1e-5);
}

TEST_P(NoSleep, OfASpringThatPullsAgainstADamper) {
  Simulation simulation = with(
      "HingeJoint { jointParameters HingeJointParameters { axis 0 0 1 position 0.1 "
      "springConstant 0.2 dampingConstant 4 }");
  simulation.step(2000);
  EXPECT_NEAR(simulation.joint(0).position(), 0.1 * std::exp(-16.0 * 0.2 / 4.0), 2e-4);
}

// A joint that holds its target, on an arm that another one turns.
TEST_P(NoSleep, OfWhatASlowArmCarries) {
  Simulation simulation = with(hinge("maxTorque 100"), "", R"(children [
  SliderJoint { jointParameters JointParameters { axis 0 0 1 } device LinearMotor { name "lift" }
    endPoint Solid { name "tool" translation 0.1 0 0 boundingObject Box { size 0.05 0.05 0.05 }
      physics Physics { density -1 mass 3 } } } ])");
  run(simulation, 1e-3);
  simulation.step(2000);
  EXPECT_NEAR(simulation.joint(0).position(), 16e-3, 1e-6);
  EXPECT_NEAR(simulation.solid("tool").pose().translation.y, 0.2 * std::sin(16e-3), 5e-5)
      << "the arm gives way under its load";
}

TEST_P(NoSleep, OfWhatLiesOnASlowStage) {
  Simulation simulation = Simulation::from_text(
      R"(#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 8 }
Robot { name "r" children [ SliderJoint { jointParameters JointParameters { axis 1 0 0 }
  device LinearMotor { name "m" maxForce 1000 } endPoint Solid { name "stage"
    boundingObject Box { size 1 1 0.1 } physics Physics { density -1 mass 1 } } } ] }
Solid { name "box" translation 0 0 0.1 boundingObject Box { size 0.1 0.1 0.1 }
  physics Physics { density -1 mass 1 } })",
      with_solver());
  simulation.step(200);
  const double start = simulation.solid("box").pose().translation.x;
  run(simulation, 0.005);
  simulation.step(2000);
  EXPECT_NEAR(simulation.solid("box").pose().translation.x - start, 0.08, 1e-4);
}

TEST_P(NoSleep, OnABeltThatCreeps) {
  Simulation simulation = Simulation::from_text(
      R"(#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 8 }
Robot { name "r" children [ Track { boundingObject Box { size 10 10 0.2 }
  device LinearMotor { name "m" maxForce 1000 } } ] }
Solid { name "box" translation 0 0 0.1999 boundingObject Box { size 0.2 0.2 0.2 }
  physics Physics { density -1 mass 0.5 } })",
      with_solver());
  simulation.step(300);
  const double start = simulation.solid("box").pose().translation.x;
  run(simulation, 0.002);
  simulation.step(2000);
  EXPECT_NEAR(simulation.solid("box").pose().translation.x - start, 0.032, 1e-4);
}

// `joint`: up to its endPoint, of a robot that floats and is heavy, or stands on the floor.
std::string on_a_robot(const std::string& joint, bool floats) {
  return fmt::format(R"(#VRML_SIM R2023b utf8
WorldInfo {{ basicTimeStep 8 {} }}
Solid {{ name "floor" boundingObject Plane {{ }} }}
Robot {{ name "r" translation 0 0 {} boundingObject Box {{ size 0.5 0.5 2 }}
  physics Physics {{ density -1 mass {} }} children [ {} endPoint Solid {{ name "end"
    translation 0.5 0 0 boundingObject Box {{ size 0.1 0.1 0.1 }}
    physics Physics {{ density -1 mass 0.2 }} }} }} ] }})",
                     floats ? "gravity 0" : "", floats ? "1.5" : "0.9999", floats ? "1e4" : "50",
                     joint);
}

TEST_P(NoSleep, OfAnyAxisOfAHinge2OrBall) {
  const std::string hinge2 =
      "Hinge2Joint { jointParameters HingeJointParameters { axis 0 0 1 anchor 0.5 0 0 } "
      "jointParameters2 JointParameters { axis 0 1 0 } "
      "device RotationalMotor { name \"m0\" } device2 RotationalMotor { name \"m1\" }";
  const std::string ball =
      "BallJoint { jointParameters BallJointParameters { anchor 0.5 0 0 } "
      "jointParameters2 JointParameters { axis 0 1 0 } "
      "jointParameters3 JointParameters { axis 0 0 1 } device RotationalMotor { name \"m0\" } "
      "device2 RotationalMotor { name \"m1\" } device3 RotationalMotor { name \"m2\" }";
  for (const auto& [joint, axes] : {std::pair(hinge2, 2), std::pair(ball, 3)}) {
    for (int driven = 0; driven < axes; ++driven) {
      Simulation simulation = Simulation::from_text(on_a_robot(joint, true), with_solver());
      Motor& motor = simulation.robot("r").motor(fmt::format("m{}", driven));
      motor.set_position(INFINITY);
      motor.set_velocity(1e-6 / 0.008);
      simulation.step(2000);
      for (int axis = 0; axis < axes; ++axis) {
        EXPECT_NEAR(simulation.joint(axis).position(), axis == driven ? 2e-3 : 0.0, 2e-6)
            << axes << " " << driven << " " << axis;
      }
    }
  }
}

// The wheel sinks by its weight: (m g/k)·(1 − exp(−k·t/c)).
TEST_P(NoSleep, OfASuspensionThatSinksOnItsDamper) {
  const auto suspension = [](const char* axis) {
    return fmt::format(
        "axis {} anchor 0.5 0 0 suspensionAxis 0 0 1 suspensionSpringConstant 1 "
        "suspensionDampingConstant 400",
        axis);
  };
  const std::string hinge = fmt::format(
      "HingeJoint {{ jointParameters HingeJointParameters {{ {} }}", suspension("0 1 0"));
  const std::string hinge2 = fmt::format(
      "Hinge2Joint {{ jointParameters HingeJointParameters {{ {} }} "
      "jointParameters2 JointParameters {{ axis 0 1 0 }}",
      suspension("0 0 1"));
  for (const std::string& joint : {hinge, hinge2}) {
    Simulation simulation = Simulation::from_text(on_a_robot(joint, false), with_solver());
    const auto height = [&simulation] {
      return (inverse(simulation.solid("r").pose()) * simulation.solid("end").pose()).translation.z;
    };
    simulation.step(2000);
    EXPECT_NEAR(-height(), 0.2 * 9.81 * (1.0 - std::exp(-16.0 / 400.0)), 1e-3) << joint;
  }
}

// The robot itself moves, on a joint whose other side is the world.
TEST_P(NoSleep, OfAJointThatEndsInTheWorld) {
  for (const char* joint :
       {"HingeJoint { jointParameters HingeJointParameters { axis 0 0 1 } device RotationalMotor",
        "SliderJoint { jointParameters JointParameters { axis 1 0 0 } device LinearMotor"}) {
    Simulation simulation = Simulation::from_text(fmt::format(R"(#VRML_SIM R2023b utf8
WorldInfo {{ basicTimeStep 8 gravity 0 }}
Robot {{ name "r" boundingObject Box {{ size 0.2 0.2 0.2 }} physics Physics {{ density -1 mass 2 }}
  children [ {} {{ name "m" }}
    endPoint SolidReference {{ solidName "<static environment>" }} }} ] }})",
                                                              joint),
                                                  with_solver());
    const Pose start = simulation.solid("r").pose();
    run(simulation, -1e-6 / 0.008);
    simulation.step(2000);
    EXPECT_NEAR(simulation.joint(0).position(), -2e-3, 2e-6) << joint;
    EXPECT_NE(simulation.solid("r").pose(), start) << joint;
  }
}

TEST_P(NoSleep, OfAForceOnABrake) {
  Simulation simulation = with(
      "HingeJoint { jointParameters HingeJointParameters { axis 0 0 1 } "
      "device [ RotationalMotor { name \"m\" } Brake { name \"b\" } ]");
  simulation.robot("r").motor("m").set_force(0.02);
  simulation.robot("r").brake("b").set_damping_constant(10.0);
  simulation.step(2000);
  EXPECT_NEAR(simulation.joint(0).position(), 16.0 * 0.02 / 10.0, 1e-5);
}

// A motor that holds a load, that pushes against a stop, and what only coasts: they sleep as ever.
TEST_P(NoSleep, IsNotForWhatRests) {
  Simulation holding = with(
      "HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 } device RotationalMotor { "
      "name \"m\" }",
      "");
  Simulation pushing = with(hinge("", "maxStop 0.3"));
  run(pushing, -0.5);
  Simulation coasting = with(hinge("maxTorque 0"), "gravity 0", "angularVelocity 0 0 0.005");
  for (Simulation* const simulation : {&holding, &pushing, &coasting}) {
    simulation->step(1000);
    const Pose pose = simulation->solid("end").pose();
    simulation->step(1000);
    EXPECT_EQ(simulation->solid("end").pose(), pose);
    EXPECT_EQ(simulation->joint(0).velocity(), 0.0);
  }
}

}  // namespace
}  // namespace servosim::test
