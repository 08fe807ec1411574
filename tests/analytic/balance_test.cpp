// SPDX-License-Identifier: Apache-2.0
// The force feedback of arms that hold themselves up is compared with the torques of the textbook.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/worlds.h"

namespace servosim::test {
namespace balance_test {

struct Link {
  double length;  // [m], from this joint to the next; the mass is in the middle
  double mass;    // [kg]
  double angle;   // [rad], held by this joint; positive turns the arm down
};

// A chain of horizontal hinges about y on a base that is welded to the world.
std::string chain_world(const std::vector<Link>& links) {
  std::string arm;
  std::string closing;
  double from = 0.0;
  for (std::size_t i = 0; i < links.size(); ++i) {
    const Link& link = links[i];
    arm += fmt::format(R"(
HingeJoint {{
  jointParameters HingeJointParameters {{ axis 0 1 0 anchor {0} 0 0 }}
  device RotationalMotor {{ name "m{1}" maxTorque 300 }}
  endPoint Solid {{
    name "link{1}"
    translation {0} 0 0
    boundingObject Pose {{ translation {2} 0 0 children [ Box {{ size {3} 0.04 0.05 }} ] }}
    physics Physics {{ density -1 mass {4} }}
    children [)",
                       from, i, link.length / 2, link.length, link.mass);
    closing += "] } }";
    from = link.length;
  }
  return fmt::format(R"(#VRML_SIM R2023b utf8
WorldInfo {{ basicTimeStep 8 physicsDisableTime 0 }}
Robot {{
  name "r"
  children [
    Solid {{
      name "base"
      boundingObject Sphere {{ radius 0.01 }}
      physics Physics {{ density -1 mass 5 }}
      children [ {} {} ]
    }}
  ]
}})",
                     arm, closing);
}

// The torque of motor i on its link is minus the moment, about its axis, of all that hangs on it.
double textbook_torque(const std::vector<Link>& links, std::size_t i) {
  double x = 0.0;
  double angle = 0.0;
  double hinge = 0.0;
  double torque = 0.0;
  for (std::size_t k = 0; k < links.size(); ++k) {
    angle += links[k].angle;
    if (k == i) {
      hinge = x;
    }
    if (k >= i) {
      torque -= links[k].mass * 9.81 * (x + 0.5 * links[k].length * std::cos(angle) - hinge);
    }
    x += links[k].length * std::cos(angle);
  }
  return torque;
}

void expect_held(const std::vector<Link>& links) {
  Simulation simulation = load(chain_world(links));
  Robot& robot = simulation.robot("r");
  for (std::size_t i = 0; i < links.size(); ++i) {
    Motor& motor = robot.motor("m" + std::to_string(i));
    motor.set_position(links[i].angle);
    motor.enable(8, 0.0);
  }
  simulation.step(1500);
  for (std::size_t i = 0; i < links.size(); ++i) {
    const double torque = textbook_torque(links, i);
    // The P loop sags by CFM·torque/P = 1e-6·torque rad, and so do the anchors. This changes the
    // lever arms by at most 1e-4.
    EXPECT_NEAR(simulation.joint(static_cast<int>(i)).position(), links[i].angle, 2e-4) << i;
    EXPECT_NEAR(robot.motor("m" + std::to_string(i)).sampler().value(), torque, 1e-3) << i;
    EXPECT_NEAR(simulation.joint(static_cast<int>(i)).effort(), torque, 1e-3) << i;
    EXPECT_GT(std::abs(torque), 0.1);
  }
}

TEST(TorqueBalance, OfAHorizontalArm) {
  expect_held({{0.7, 2.3, 0.0}});
  expect_held({{0.35, 4.1, 0.0}});
}

TEST(TorqueBalance, OfAnArmAtAnAngle) {
  for (const double angle : {-0.9, 0.4, 1.1}) {
    expect_held({{0.7, 2.3, angle}});
  }
}

TEST(TorqueBalance, OfAChainHeldByItsMotors) {
  expect_held({{0.5, 2.2, -0.6}, {0.4, 1.7, 0.9}, {0.3, 1.2, 0.25}, {0.2, 0.6, -0.8}});
}

TEST(TorqueBalance, OfALongHorizontalChain) {
  expect_held({{0.3, 1.3, 0.0},
               {0.25, 1.1, 0.0},
               {0.2, 0.9, 0.0},
               {0.15, 0.7, 0.0},
               {0.12, 0.5, 0.0},
               {0.1, 0.4, 0.0}});
}

// A motor that is slightly too weak for the balance lets go; the others hold.
TEST(TorqueBalance, TheWeakestMotorDecides) {
  const std::vector<Link> links{{0.5, 2.2, -0.3}, {0.4, 1.7, 0.3}};
  for (const double share : {0.97, 1.03}) {
    Simulation simulation = load(chain_world(links));
    Robot& robot = simulation.robot("r");
    robot.motor("m0").set_position(-0.3);
    robot.motor("m1").set_position(0.3);
    simulation.step(1500);
    robot.motor("m1").set_available_force(share * std::abs(textbook_torque(links, 1)));
    simulation.step(100);
    EXPECT_NEAR(simulation.joint(0).position(), -0.3, 2e-4);
    EXPECT_EQ(simulation.joint(1).position() > 0.31, share < 1.0) << share;
  }
}

}  // namespace balance_test
}  // namespace servosim::test
