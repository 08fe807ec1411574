// SPDX-License-Identifier: Apache-2.0
// No allocation in a warm step, in our code or in ODE: this program's malloc counts.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <new>

#include "servosim/batch.h"
#include "servosim/yarp/control_board.h"
#include "sim/trace/trace_writer.h"
#include "support/counted_malloc.h"
#include "support/worlds.h"

namespace servosim::test {
namespace {

// To move a Solid takes as much in a large world.
TEST(Allocations, OfAMoveAreThoseOfASmallWorld) {
  std::vector<std::size_t> bytes;
  for (const int count : {10, 1000}) {
    std::string text = "#VRML_SIM R2023b utf8\nWorldInfo { }\n";
    for (int i = 0; i < count; ++i) {
      text += fmt::format(
          "Solid {{ name \"s{0}\" translation {0} 0 0 boundingObject Box {{ size 0.1 0.1 0.1 }} "
          "children [ Solid {{ name \"t{0}\" }} ] }}\n",
          i);
    }
    text +=
        "Robot { name \"r\" translation 0 5 1 boundingObject Box { } physics Physics { } children "
        "[ "
        "HingeJoint { endPoint Solid { boundingObject Box { } physics Physics { } } } ] }\n";
    Simulation simulation = Simulation::from_text(text);
    simulation.step();
    for (const char* name : {"s7", "r"}) {
      Solid solid = simulation.solid(name);
      const auto move = [&](double x) { solid.set_pose({solid.pose().rotation, {x, 7.0, 3.0}}); };
      move(1.5);
      const std::size_t before = allocated_bytes;
      move(2.5);
      bytes.push_back(allocated_bytes - before);
    }
  }
  EXPECT_EQ(bytes[0], bytes[2]);
  EXPECT_EQ(bytes[1], bytes[3]);
}

TEST(Allocations, AreCounted) {
  const long before = allocations;
  ::operator delete(::operator new(40));
  void* volatile p = std::malloc(50);
  std::free(p);
  EXPECT_EQ(allocations, before + 2);
}

// Everything at once: driven, sprung, suspended, kinematic joints of every kind; every shape that
// touches; noise, feedback, backlash, a battery, a muscle; a propeller, and a parallelogram that a
// SolidReference closes.
std::string everything(const std::string& contact_properties) {
  std::string text = fmt::format(R"(#VRML_SIM R2023b utf8
WorldInfo {{ basicTimeStep 8 physicsDisableTime 0 contactProperties [ {} ] }}
Solid {{ name "floor" boundingObject Plane {{ }} }}
)",
                                 contact_properties);
  text +=
      "Solid { translation 0 5 0.2 boundingObject ElevationGrid { xDimension 11 xSpacing 0.4 "
      "yDimension 3 ySpacing 0.4 height [ 0 .1 0 .1 0 .1 0 .1 0 .1 0, .1 0 .1 0 .1 0 .1 0 .1 0 .1, "
      "0 .1 0 .1 0 .1 0 .1 0 .1 0 ] } }\n";
  const char* shapes[] = {"Box { size 0.2 0.2 0.2 }", "Sphere { radius 0.1 }",
                          "Cylinder { radius 0.1 height 0.2 }",
                          "Capsule { radius 0.1 height 0.2 }"};
  for (int i = 0; i < 4; ++i) {
    text += fmt::format(
        "Solid {{ name \"g{0}\" translation {0}.3 5.4 0.5 rotation 1 0 0 0.1 boundingObject {1} "
        "physics Physics {{ }} }}\n",
        i, shapes[i]);
    text += fmt::format(
        "Solid {{ name \"s{0}\" translation {0} 2 0.11 boundingObject {1} physics Physics {{ }} "
        "}}\nSolid {{ name \"t{0}\" translation {0} 2 0.35 boundingObject {1} physics Physics "
        "{{ }} }}\n",
        i, shapes[i]);
  }
  text +=
      R"(Robot { name "r" battery [ 1e9 1e9 0 ] translation 0 0 0.1 boundingObject Box { size 0.6 0.6 0.2 }
  physics Physics { density -1 mass 9 } children [
  HingeJoint { jointParameters HingeJointParameters { axis 0 0 1 anchor 0 0 0.2 springConstant 3 dampingConstant 0.5 backlash 0.1 }
    device [ RotationalMotor { name "m0" } PositionSensor { name "p0" noise 0.25 resolution 0.125 } Brake { name "b" } ]
    endPoint Solid { translation 0 0 0.2 boundingObject Box { size 0.3 0.1 0.1 } physics Physics { } children [
      SliderJoint { jointParameters JointParameters { springConstant 30 minStop -0.5 maxStop 0.5 }
        device [ LinearMotor { name "m1" muscles [ Muscle { } ] } PositionSensor { name "p1" } ]
        endPoint Solid { name "x" translation 0 0 0.3 boundingObject Sphere { radius 0.05 } physics Physics { } } } ] } }
  Hinge2Joint { jointParameters HingeJointParameters { axis 0 0 1 anchor 1 0 0 suspensionAxis 0 0 1 suspensionSpringConstant 900 }
    jointParameters2 JointParameters { axis 0 1 0 minStop -0.5 maxStop 2.5 springConstant 2 }
    device RotationalMotor { name "m3" } device2 [ RotationalMotor { name "m4" } Brake { name "b2" } ]
    endPoint Solid { name "h" translation 1 0 0 boundingObject Sphere { radius 0.1 } physics Physics { } } }
  BallJoint { jointParameters BallJointParameters { anchor -1 0 0 springConstant 3 minStop -0.5 maxStop 0.5 }
    device RotationalMotor { name "m5" } device3 [ RotationalMotor { name "m6" } Brake { name "b3" } ]
    endPoint Solid { name "z" translation -1 0 0.1 boundingObject Sphere { radius 0.1 } physics Physics { } } }
  HingeJoint { device RotationalMotor { name "m2" }
    endPoint Solid { name "y" boundingObject Box { size 0.1 0.1 0.1 } } }
  DistanceSensor { name "d" translation 0.5 0.5 0.5 rotation 0 1 0 1.5 numberOfRays 4 }
  TouchSensor { name "t" type "force" translation 0 0.4 0 boundingObject Sphere { radius 0.05 } physics Physics { } }
  Propeller { shaftAxis 0 0 1 thrustConstants 0.001 0.0001 device RotationalMotor { name "m7" } } ] }
Robot { name "loop" translation 9 9 9 children [
  HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 } endPoint Solid { name "a"
    boundingObject Box { size 0.1 0.1 0.8 } physics Physics { } children [
      HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 anchor 0 0 0.4 }
        endPoint Solid { name "c" translation 0 0 0.4 boundingObject Box { size 0.6 0.1 0.1 } physics Physics { } children [
          HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 anchor 0.3 0 0 }
            endPoint SolidReference { solidName "b" } } ] } } ] } }
  HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 anchor 0.3 0 0 } endPoint Solid { name "b"
    translation 0.3 0 0 boundingObject Box { size 0.1 0.1 0.8 } physics Physics { } } } ] })";
  return text;
}

void command(Robot& robot, int n) {
  robot.motor("m0").set_position(0.5 * std::sin(0.01 * n));
  robot.motor("m1").set_force(n % 200 < 100 ? 3.0 : -3.0);
  robot.motor("m2").set_position(n % 200 < 100 ? 0.5 : -0.5);
  robot.motor("m3").set_position(0.25 * std::sin(0.01 * n));
  robot.motor("m6").set_position(0.75 * std::sin(0.01 * n));
  robot.motor("m7").set_position(INFINITY);
  robot.brake("b2").set_damping_constant(n % 100 < 50 ? 0.25 : 0.0);
  robot.brake("b3").set_damping_constant(n % 100 < 50 ? 0.0 : 0.5);
}

// Allocations of 400 warm steps.
long count(const std::string& text, Solver solver = Solver::Ode) {
  LoadOptions options;
  options.solver = solver;
  Simulation simulation = Simulation::from_text(text, options);
  Robot& robot = simulation.robot("r");
  for (const char* name : {"p0", "p1"}) {
    robot.position_sensor(name).enable(16, 0.0);
  }
  for (const char* name : {"m0", "m1", "m3", "m4", "m5", "m6"}) {
    robot.motor(name).enable(8, 0.0);
  }
  for (const char* name : {"d", "t"}) {
    robot.body_sensor(name).enable(8, 0.0);
  }
  robot.brake("b").set_damping_constant(0.25);
  long before = 0;
  for (int n = 0; n < 800; ++n) {
    if (n == 400) {
      before = allocations;
    }
    command(robot, n);
    simulation.step();
  }
  return allocations - before;
}

TEST(Allocations, AreNotMadeInAWarmStep) { EXPECT_EQ(count(everything("")), 0); }

TEST(Allocations, AreNotMadeByTheTreeSolver) { EXPECT_EQ(count(everything(""), Solver::Tree), 0); }

TEST(Allocations, AreNotMadeToChooseTheDeepestContacts) {
  EXPECT_EQ(count(everything("ContactProperties { maxContactJoints 2 }")), 0);
}

TEST(Allocations, AreNotMadeByDirections) {
  EXPECT_EQ(count(everything("ContactProperties { coulombFriction [ 0.5 0.25 ] "
                             "forceDependentSlip [ 0.01 0.02 0.03 ] rollingFriction 0.01 0 0 }")),
            0);
}

TEST(Allocations, AreNotMadeByAWarmBatch) {
  Batch batch(Simulation::from_text(everything("")), 12);
  batch.bind({"*.position", "*.effort"}, {"r/m3.target_position"});
  for (int n = 0; n < 200; ++n) {
    batch.step();
  }
  const long before = allocations;
  for (int n = 0; n < 50; ++n) {
    batch.step();
  }
  EXPECT_EQ(allocations, before);
}

TEST(Allocations, AreNotMadeByAServo) {
  for (const Solver solver : {Solver::Ode, Solver::Tree}) {
    LoadOptions options;
    options.solver = solver;
    Simulation simulation = Simulation::from_text(
        R"(#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 8 }
Robot { name "r" children [
  HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 }
    device RotationalMotor { name "m" servo "STS3215 firmware.delay=0.05 supply.resistance=0.2" }
    endPoint Solid { translation 0.1 0 0 boundingObject Box { size 0.2 0.02 0.02 } physics Physics { } } } ] }
)",
        options);
    Robot& robot = simulation.robot("r");
    long before = 0;
    for (int n = 0; n < 200; ++n) {
      if (n == 100) {
        before = allocations;
      }
      robot.motor("m").set_position(0.5 * std::sin(0.05 * n));
      simulation.step();
    }
    EXPECT_GT(simulation.joint(0).velocity() * simulation.joint(0).velocity(), 0.0);
    EXPECT_EQ(allocations - before, 0) << (solver == Solver::Tree);
  }
}

TEST(Allocations, AreNotMadeToFindARobot) {
  Simulation simulation = Simulation::from_text(
      "#VRML_SIM R2023b utf8\nRobot { name \"too long to be stored in a string itself\" } "
      "Robot { name \"b\" }");
  const long before = allocations;
  EXPECT_EQ(&simulation.robot("b"), &simulation.robot(1));
  EXPECT_EQ(allocations, before);
}

TEST(Allocations, AreNotMadeByAWarmTrace) {
  Simulation simulation = Simulation::from_text(everything(""));
  const std::string path = testing::TempDir() + "servosim_allocation_trace.csv";
  Trace trace(simulation, path);
  long before = 0;
  for (int n = 0; n < 2000; ++n) {
    if (n == 1000) {
      before = allocations;
    }
    command(simulation.robot("r"), n);
    simulation.step();
    trace.row();
  }
  EXPECT_EQ(allocations - before, 0);
  trace.close();
  EXPECT_GT(std::filesystem::file_size(path), 1u << 17) << "several buffers were written";
  std::filesystem::remove(path);
}

TEST(Allocations, AreNotMadeByAControlBoard) {
  using namespace yarp;
  Simulation simulation = load(OneJoint());
  ControlBoard board(simulation, "r");
  for (const vocab32_t interaction : {VOCAB_IM_STIFF, VOCAB_IM_COMPLIANT}) {
    for (const vocab32_t mode :
         {VOCAB_CM_POSITION, VOCAB_CM_POSITION_DIRECT, VOCAB_CM_VELOCITY, VOCAB_CM_VELOCITY_DIRECT,
          VOCAB_CM_MIXED, VOCAB_CM_TORQUE, VOCAB_CM_IDLE}) {
      board.view<IControlMode>().setControlMode(0, mode);
      board.view<IInteractionMode>().setInteractionMode(0, interaction);
      simulation.step();
      const long before = allocations;
      for (int n = 0; n < 50; ++n) {
        // A warning would have a text; moves in a hurry get one.
        if (n % 25 == 0 && (mode == VOCAB_CM_POSITION || mode == VOCAB_CM_MIXED)) {
          board.view<IPositionControl>().positionMove(0, 3.0 - 0.1 * n);
        }
        board.before_step();
        simulation.step();
      }
      EXPECT_EQ(allocations, before) << to_string(mode);
    }
  }
}

}  // namespace
}  // namespace servosim::test
