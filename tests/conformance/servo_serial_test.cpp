// SPDX-License-Identifier: Apache-2.0
// The reference page of Servo, lines 322 to 425: Servos in series.
#include <fmt/format.h>

#include <cmath>

#include "conformance/shared_behaviour.h"

namespace servosim::test {
namespace {

// The document's serial example with numbers: a motor of 50 N carries a spring. Both slide down.
// `first_physics` is the Physics of the body between them.
std::string serial_world(double gravity, const std::string& first_physics) {
  return fmt::format(R"(#VRML_SIM V7.2.5 utf8
WorldInfo {{ basicTimeStep 8 gravity 0 0 -{} physicsDisableTime 0 }}
Robot {{
  name "r"
  children [
    DEF Servo1 Servo {{
      name "m"
      type "linear"
      rotation 1 0 0 3.141592653589793
      children [
        DEF Servo2 Servo {{
          name "spring"
          type "linear"
          boundingObject Sphere {{ radius 0.1 }}
          physics Physics {{ density -1 mass 1.5 }}
          maxForce 0
          springConstant 60
          dampingConstant 5
        }}
      ]
      boundingObject Sphere {{ radius 0.1 }}
      physics {}
      maxForce 50
      springConstant 0
      dampingConstant 0
    }}
  ]
}}
)",
                     gravity, first_physics);
}

constexpr const char* kBetween = "Physics { density -1 mass 0.8 }";

double height(const Rig& rig, const char* solid) {
  return rig.simulation.solid(solid).pose().translation.z;
}

TEST(ServoNode, Line324_ElementsOfOneServoAreParallel) {
  for (const Bench& bench :
       both_types({.kind = Kind::Servo, .joint = "springConstant 5 dampingConstant 1.2"})) {
    Rig rig(bench);
    rig.motor.set_force(2.0);
    rig.run(40.0);
    // Both have the same displacement. At rest the spring alone carries the motor's force.
    EXPECT_NEAR(rig.position(), 2.0 / 5.0, kHeld);
    EXPECT_NEAR(rig.effort(), 0.0, 1e-3);
  }
}

TEST(ServoNode, Line326_SerialElementsAreServosInServos) {
  Rig rig(serial_world(0.0, kBetween));
  ASSERT_EQ(rig.simulation.joints().size(), 2);
  rig.motor.set_position(0.3);
  rig.run(8.0);
  // Displacements add up, and the child moves with its parent.
  EXPECT_NEAR(rig.simulation.joint(0).position(), 0.3, kHeld);
  EXPECT_NEAR(height(rig, "m"), -0.3, kHeld);
  EXPECT_NEAR(height(rig, "spring"), -0.3 - rig.simulation.joint(1).position(), kHeld);
}

TEST(ServoNode, Line327_MotorControlsWhereTheSpringRests) {
  for (const double rest : {0.25, -0.4}) {
    Rig rig(serial_world(0.0, kBetween));
    rig.motor.set_position(rest);
    rig.run(8.0);
    EXPECT_NEAR(height(rig, "spring"), -rest, kHeld);
  }
}

TEST(ServoNode, Line329_ParentHasTheMotorAndChildTheSpring) {
  Rig rig(serial_world(9.81, kBetween));
  rig.run(12.0);
  EXPECT_NEAR(rig.simulation.joint(0).position(), 0.0, kHeld) << "the motor holds";
  EXPECT_NEAR(rig.simulation.joint(1).position(), 1.5 * 9.81 / 60.0, kHeld) << "the spring sags";
  EXPECT_NEAR(rig.simulation.joint(0).effort(), -(1.5 + 0.8) * 9.81, 1e-2) << "one carries both";
}

TEST(ServoNode, Line339_ServoTwoIsAChildOfServoOne) {
  Rig rig(serial_world(0.0, kBetween));
  EXPECT_EQ(rig.simulation.joint(0).name(), "r/m");
  EXPECT_EQ(rig.simulation.joint(1).name(), "r/spring");
  // A force between the two bodies moves both: the parent holds the child, the world does not.
  rig.motor.set_force(0.0);
  rig.simulation.robot("r").motor("spring").set_available_force(0.0);
  rig.simulation.joint(1).set_state(0.2);
  rig.run(0.04);
  EXPECT_GT(height(rig, "spring"), -0.2 + 1e-3);
  EXPECT_LT(height(rig, "m"), -1e-3);
}

// Without Physics there is no body between the two, and the spring hangs on the world.
TEST(ServoNode, Line371_TheBodyBetweenNeedsPhysics) {
  Rig with(serial_world(0.0, kBetween));
  with.motor.set_force(9.0);
  with.run(kStep);
  EXPECT_LT(height(with, "m"), -1e-4) << "it is pushed";
  Rig without(serial_world(0.0, "NULL"));
  EXPECT_TRUE(contains(without.take_messages(), "is not carried along"));
  without.motor.set_force(9.0);
  without.run(1.0);
  EXPECT_EQ(height(without, "m"), 0.0) << "there is nothing to push";
  EXPECT_NEAR(without.simulation.joint(1).position(), 0.0, 1e-9);
}

TEST(ServoNode, Line372_ItAddsAnExtraBody) {
  Rig rig(serial_world(0.0, kBetween));
  rig.motor.set_force(9.0);
  rig.run(kStep);
  // A spring and a damper join two bodies. One implicit step from rest gives (m1 + g)·v1 − g·v2 =
  // h·F and (m2 + g)·v2 = g·v1, with g = h·(d + h·k).
  const double g = kStep * (5.0 + kStep * 60.0);
  const double v1 = kStep * 9.0 / (0.8 + g - g * g / (1.5 + g));
  EXPECT_NEAR(rig.velocity(), v1, 1e-8);
}

// The document's pan and tilt head. `between` is the Physics of the dummy.
std::string head_world(const std::string& between) {
  return fmt::format(R"(#VRML_SIM V7.2.5 utf8
WorldInfo {{ basicTimeStep 8 gravity 0 -9.81 0 physicsDisableTime 0 }}
Robot {{
  name "r"
  children [
    DEF PAN Servo {{
      name "m"
      rotation 0 1 0 0
      children [
        DEF TILT Servo {{
          translation 0 0 0
          rotation 1 0 0 0
          name "tilt"
          children [
            DEF HEAD_TRANS Transform {{
              translation 0 0 0.06
              children [ Shape {{ geometry Box {{ size 0.1 0.14 0.12 }} }} ]
            }}
            Transform {{ translation 0 0 0.3 children [ Solid {{ name "nose" }} ] }}
          ]
          boundingObject USE HEAD_TRANS
          physics Physics {{
          }}
        }}
      ]
      boundingObject DEF DUMMY_BO Sphere {{
        radius 0.001
      }}
      physics {}
    }}
  ]
}}
)",
                     between);
}

constexpr const char* kDummy = "DEF DUMMY_PHYSICS Physics { }";

Vec3 nose(const Rig& rig) { return rig.simulation.solid("nose").pose().translation; }

TEST(ServoNode, Line377_OverlayedAxesAreIndependent) {
  Rig rig(head_world(kDummy));
  Motor& tilt = rig.simulation.robot("r").motor("tilt");
  rig.motor.set_position(0.7);
  rig.run(3.0);
  EXPECT_NEAR(rig.simulation.joint(0).position(), 0.7, 1e-3);
  EXPECT_NEAR(rig.simulation.joint(1).position(), 0.0, 1e-3);
  rig.motor.set_position(0.0);
  tilt.set_position(-0.4);
  rig.run(3.0);
  EXPECT_NEAR(rig.simulation.joint(0).position(), 0.0, 1e-3);
  EXPECT_NEAR(rig.simulation.joint(1).position(), -0.4, 1e-3);
}

TEST(ServoNode, Line379_EachAxisIsAServo) {
  Rig rig(head_world(kDummy));
  EXPECT_EQ(rig.simulation.robot("r").find("m")->node_type, "Servo");
  EXPECT_EQ(rig.simulation.robot("r").find("tilt")->node_type, "Servo");
}

TEST(ServoNode, Line380_TwoAxesAreTwoServosThreeAreThree) {
  EXPECT_EQ(Rig(head_world(kDummy)).simulation.joints().size(), 2);
  std::string text = head_world(kDummy);
  const std::string third =
      "Servo { name \"roll\" rotation 0 0 1 0 boundingObject Sphere { radius 0.03 } "
      "physics Physics { } } ";
  text.insert(text.find("DEF HEAD_TRANS"), third);
  Rig rig(text);
  ASSERT_EQ(rig.simulation.joints().size(), 3);
  rig.simulation.robot("r").motor("roll").set_position(0.6);
  rig.motor.set_position(-0.3);
  rig.run(4.0);
  EXPECT_NEAR(rig.simulation.joint(0).position(), -0.3, 1e-3);
  EXPECT_NEAR(rig.simulation.joint(2).position(), 0.6, 1e-3);
}

TEST(ServoNode, Line384_TheBodyBetweenNeedsPhysics) {
  Rig rig(head_world("NULL"));
  EXPECT_TRUE(contains(rig.take_messages(), "is not carried along"));
  // The head then hangs on the world, and a torque about the first axis turns nothing.
  rig.motor.set_force(2.0);
  const Vec3 before = nose(rig);
  rig.run(1.0);
  EXPECT_NEAR(norm(nose(rig) - before), 0.0, 1e-3);
}

TEST(ServoNode, Line386_DummyValuesWillDo) {
  Rig rig(head_world(kDummy));
  rig.run(5.0);
  EXPECT_NEAR(norm(nose(rig) - Vec3{0.0, 0.0, 0.3}), 0.0, 1e-3) << "it holds the head, and still";
}

TEST(ServoNode, Line386_ASphereOfAMillimetreWillDo) {
  Rig rig(head_world(kDummy));
  rig.simulation.robot("r").motor("tilt").set_position(0.5);
  rig.motor.set_position(-1.1);
  rig.run(4.0);
  EXPECT_NEAR(rig.simulation.joint(0).position(), -1.1, 1e-3);
  EXPECT_NEAR(rig.simulation.joint(1).position(), 0.5, 1e-3);
}

TEST(ServoNode, Line389_PhysicsWithDefaultValues) {
  Rig rig(R"(#VRML_SIM V7.2.5 utf8
WorldInfo { basicTimeStep 8 gravity 0 0 0 }
Robot {
  name "r"
  children [
    Servo { name "m" type "linear" boundingObject Sphere { radius 0.1 } physics Physics { } }
  ]
}
)");
  rig.motor.set_force(3.0);
  rig.run(kStep);
  // A ball with density 1000 has 4/3·π·0.1³·1000 kg.
  EXPECT_NEAR(rig.velocity(), kStep * 3.0 / 4.1887902047863905, 1e-12);
}

TEST(ServoNode, Line396_ExampleTurnsTheHeadBothWays) {
  Rig rig(head_world(kDummy));
  rig.motor.set_position(0.6);
  rig.simulation.robot("r").motor("tilt").set_position(-0.35);
  rig.run(4.0);
  // The head tilts about x and then pans about y.
  const Vec3 expected{0.3 * std::cos(0.35) * std::sin(0.6), 0.3 * std::sin(0.35),
                      0.3 * std::cos(0.35) * std::cos(0.6)};
  EXPECT_NEAR(norm(nose(rig) - expected), 0.0, 1e-3);
}

}  // namespace
}  // namespace servosim::test
