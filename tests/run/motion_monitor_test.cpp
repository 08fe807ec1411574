// SPDX-License-Identifier: Apache-2.0
// The end of a run reports why a motor does not follow its command.
#include "run/motion_monitor.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "servosim/simulation.h"

namespace servosim::motion_monitor_test {
namespace {

// A rod of 2 kg has its centre 1.3 m from the hinge. At position 0 it is horizontal and needs
// 2·9.81·1.3 = 25.5 N·m.
std::string arm(const std::string& motor, bool has_physics = true) {
  const std::string physics = has_physics ? "physics Physics { density -1 mass 2 } " : "";
  return "#VRML_SIM R2025a utf8\nWorldInfo { basicTimeStep 8 }\n"
         "Robot { name \"r\" controller \"<none>\" children [ HingeJoint { "
         "jointParameters HingeJointParameters { axis 0 -1 0 } device RotationalMotor { "
         "name \"shoulder\" " +
         motor + "} endPoint Solid { translation 1.3 0 0 boundingObject Box { size 0.1 0.1 0.1 } " +
         physics + "} } ] }\n";
}

class Watched {
 public:
  explicit Watched(const std::string& world)
      : simulation_(Simulation::from_text(world)),
        monitor_(simulation_, [this](const std::string& text) { notices_.push_back(text); }) {}
  Simulation& simulation() { return simulation_; }
  Motor& motor() { return simulation_.robot(0).motor("shoulder"); }
  void step() {
    simulation_.step();
    monitor_.update();
  }
  std::string after(double seconds) {
    while (simulation_.time() < seconds) {
      step();
    }
    monitor_.finish();
    std::string all;
    for (const std::string& notice : notices_) {
      all += notice + '\n';
    }
    return all;
  }

 private:
  Simulation simulation_;
  std::vector<std::string> notices_;
  MotionMonitor monitor_;
};

constexpr double kDescent = 8.0;  // [s]

// Something lets a robot sink at a steady speed during the descent; then it drops.
std::string after_descent_and_drop(double drop) {
  Watched world(
      "#VRML_SIM R2025a utf8\nWorldInfo { basicTimeStep 8 }\n"
      "Robot { name \"r\" controller \"<none>\" translation 0 0 100 "
      "boundingObject Box { size 0.1 0.1 0.1 } physics Physics { density -1 mass 1 } }\n");
  while (world.simulation().time() < kDescent) {
    world.simulation().solid("r").set_velocity({{0.0, 0.0, -1.5}, {}});
    world.step();
  }
  return world.after(kDescent + drop);
}

TEST(MotionMonitor, IsSilentOfASteadyDescentAndAShortDrop) {
  EXPECT_EQ(after_descent_and_drop(0.7), "");
}

TEST(MotionMonitor, SaysWhenAFallAfterADescentHasBegun) {
  const std::string notices = after_descent_and_drop(1.3);
  const std::string begin = "robot 'r' has been falling freely since ";
  const std::size_t at = notices.find(begin);
  ASSERT_NE(at, std::string::npos) << notices;
  EXPECT_NEAR(std::stod(notices.substr(at + begin.size())), kDescent, 0.15) << notices;
}

TEST(MotionMonitor, SaysWhatAMotorNeedsToHoldItsTarget) {
  for (const double sign : {1.0, -1.0}) {  // the same in both directions of the joint
    Watched world(arm("maxTorque 10 "));
    world.motor().set_position(sign * 0.1);
    const std::string notices = world.after(20.0);
    EXPECT_NE(notices.find("needs 25.4 N m to hold its target, has 10"), std::string::npos)
        << notices;
  }
}

TEST(MotionMonitor, SaysWhatAMotorNeedsOnTheWay) {
  Watched world(arm("maxTorque 10 "));
  world.motor().set_position(1.5);  // almost upright
  const std::string notices = world.after(20.0);
  EXPECT_NE(notices.find("joint \"r/shoulder\" does not reach its target 1.5 rad"),
            std::string::npos)
      << notices;
  EXPECT_NE(notices.find("needs 25.5 N m on the way to its target, has 10"), std::string::npos)
      << notices;
}

// The other side of this four-bar linkage carries a part of the load, which is then unknown.
TEST(MotionMonitor, GivesNoNumberInAClosedLoop) {
  const auto bar = [](const char* inside) {
    return std::string(
               "endPoint Solid { translation 0.7 0 0 boundingObject Box { size 1.4 0.1 0.1 } "
               "physics Physics { density -1 mass 2 } ") +
           inside + "}";
  };
  const std::string coupler =
      "children [ HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 anchor 0.7 0 0 } "
      "endPoint Solid { translation 0.7 0 -1 boundingObject Box { size 0.1 0.1 2 } "
      "physics Physics { density -1 mass 1 } children [ HingeJoint { jointParameters "
      "HingeJointParameters { axis 0 1 0 anchor 0 0 -1 } endPoint SolidReference { solidName "
      "\"rocker\" } } ] } } ] ";
  Watched world(
      "#VRML_SIM R2025a utf8\nWorldInfo { basicTimeStep 8 }\n"
      "Robot { name \"r\" controller \"<none>\" children [ HingeJoint { "
      "jointParameters HingeJointParameters { axis 0 -1 0 } device "
      "RotationalMotor { "
      "name \"shoulder\" maxTorque 10 } " +
      bar(coupler.c_str()) +
      "} HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 anchor 0 0 -2 "
      "dampingConstant 9 } "
      "endPoint Solid { name \"rocker\" translation 0.7 0 -2 boundingObject Box { size 1.4 0.1 "
      "0.1 } physics Physics { density -1 mass 2 } } } ] }\n");
  world.motor().set_position(0.5);
  const std::string notices = world.after(20.0);
  EXPECT_NE(notices.find("does not reach its target 0.5 rad"), std::string::npos) << notices;
  EXPECT_NE(notices.find("its motor gives all of its 10 N m, which is not enough"),
            std::string::npos)
      << notices;
}

// The load includes what hangs on the joint by further joints and as a rigid part, but not what is
// only a child in the tree.
TEST(MotionMonitor, CountsWhatHangsOnTheJoint) {
  std::string world = arm("maxTorque 10 ");
  const std::string body = "boundingObject Box { size 0.1 0.1 0.1 } physics Physics { density -1 ";
  const auto at = world.find("boundingObject");
  world.insert(at,
               "children [ Solid { name \"part\" translation 0.2 0 0 " + body + "mass 0.5 } } " +
                   "HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 position 0 "
                   "minStop -0.01 maxStop 0.01 } endPoint Solid { name \"hand\" translation 0.3 0 "
                   "0 " +
                   body + "mass 0.25 } } } ] ");
  Watched watched(world);
  watched.motor().set_position(0.1);
  const std::string notices = watched.after(20.0);
  // The torque is 9.81·(2·1.3 + 0.5·1.5 + 0.25·1.6)·cos(0.1) = 36.6 N·m, within the play of the
  // hand's stops.
  EXPECT_NE(notices.find("needs 36.6 N m to hold its target"), std::string::npos) << notices;
}

std::string servo(const std::string& choice) {
  return "maxTorque 100\n#servosim servo \"" + choice + "\"\n";
}

// The limit is that of the servo, and not the maxTorque of the world.
TEST(MotionMonitor, SaysThatAServoIsTooWeak) {
  Watched world(arm(servo("XL330-M288-T protection.overload_time=1000")));
  world.motor().set_position(0.1);
  const std::string notices = world.after(20.0);
  EXPECT_NE(notices.find("needs 25.4 N m to hold its target, has 0."), std::string::npos)
      << notices;
  EXPECT_EQ(notices.find("servo of "), std::string::npos) << notices;
}

TEST(MotionMonitor, IsSilentOfMotorsThatDoWhatTheyAreTold) {
  Watched strong(arm("maxTorque 60 "));
  strong.motor().set_position(0.4);
  EXPECT_EQ(strong.after(5.0), "");
  Watched idle(arm("maxTorque 60 "));
  EXPECT_EQ(idle.after(2.0), "");
  Watched turns(arm("maxTorque 200 maxVelocity 3 "));
  turns.motor().set_position(std::numeric_limits<double>::infinity());
  turns.motor().set_velocity(2.0);
  EXPECT_EQ(turns.after(2.0), "");
}

TEST(MotionMonitor, SaysThatAVelocityAloneMovesNothing) {
  Watched world(arm("maxTorque 60 "));
  world.motor().set_velocity(3.0);
  const std::string notices = world.after(1.0);
  EXPECT_NE(notices.find("setVelocity() without setPosition()"), std::string::npos) << notices;
  EXPECT_NE(notices.find("setPosition(inf)"), std::string::npos) << notices;
}

TEST(MotionMonitor, SaysThatAForceMovesNothingWithoutPhysics) {
  Watched world(arm("", false));
  world.motor().set_force(3.0);
  const std::string notices = world.after(1.0);
  EXPECT_NE(notices.find("its endPoint has no Physics"), std::string::npos) << notices;
}

TEST(MotionMonitor, SaysThatAMotorHasNoVelocity) {
  Watched no_speed(arm("maxTorque 60 "));
  no_speed.motor().set_position(0.5);
  no_speed.motor().set_velocity(0.0);
  const std::string notices = no_speed.after(1.0);
  EXPECT_NE(notices.find("its motor's velocity is 0"), std::string::npos) << notices;
}

}  // namespace
}  // namespace servosim::motion_monitor_test
