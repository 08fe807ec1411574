// SPDX-License-Identifier: Apache-2.0
// Hinge2Joint, BallJoint and suspensions in the scene: every field and every diagnostic.
#include <gtest/gtest.h>

#include <cmath>

#include "scene/solid_builders.h"
#include "support/joint_scenes.h"
#include "support/near.h"

namespace servosim::test {
namespace {

TEST(Hinge2, HasTwoAxesThatShareTheirEnds) {
  const Scene scene = quiet(R"(Hinge2Joint {
    jointParameters HingeJointParameters { axis 0 0 3 anchor 1 2 3 position 0.25 minStop -0.5
      maxStop 0.75 springConstant 11 dampingConstant 12 staticFriction 13 stopERP 0.5 stopCFM 0.25 }
    jointParameters2 JointParameters { axis 0 2 0 position -0.75 minStop -2.5 maxStop 1.5
      springConstant 21 dampingConstant 22 staticFriction 23 })" +
                            end("translation 1 2.5 3") + "}");
  ASSERT_EQ(scene.joints.size(), 2u);
  const JointSpec& a = scene.joints[0];
  const JointSpec& b = scene.joints[1];
  for (const JointSpec& axis : scene.joints) {
    EXPECT_EQ(axis.kind, JointKind::Hinge2);
    EXPECT_EQ(axis.type, JointType::Rotational);
    EXPECT_EQ(axis.first_axis, 0);
    EXPECT_EQ(axis.parent, 0);
    EXPECT_EQ(axis.child, 1);
    EXPECT_EQ(axis.anchor, (Vec3{1, 2, 3}));
    EXPECT_EQ(axis.zero_pose, a.zero_pose);
  }
  EXPECT_EQ(scene.solids.at(1).joint, 0);
  EXPECT_EQ(a.axis_number, 0);
  EXPECT_EQ(b.axis_number, 1);
  EXPECT_EQ(a.axis, (Vec3{0, 0, 1}));
  EXPECT_EQ(b.axis, (Vec3{0, 1, 0}));
  EXPECT_EQ(a.position, 0.25);
  EXPECT_EQ(b.position, -0.75);
  EXPECT_EQ(a.stops.min, -0.5);
  EXPECT_EQ(b.stops.max, 1.5);
  EXPECT_EQ(a.stops.erp, 0.5);
  EXPECT_EQ(a.stops.cfm, 0.25);
  EXPECT_EQ(b.stops.erp, -1.0) << "JointParameters have none";
  EXPECT_EQ(a.spring.constant + a.damping_constant + a.static_friction, 11 + 12 + 13);
  EXPECT_EQ(b.spring.constant + b.damping_constant + b.static_friction, 21 + 22 + 23);
}

TEST(Hinge2, ItsEndPointsPoseContainsBothPositions) {
  const Scene scene = quiet(
      "Hinge2Joint { jointParameters HingeJointParameters { axis 0 0 1 anchor 1 2 0 position 0.25 }"
      "jointParameters2 JointParameters { axis 0 1 0 position -0.75 }" +
      end("translation 1 2.5 0.125 rotation 1 0 0 0.5") + "}");
  const Pose now = turn_about({1, 2, 0}, {0, 0, 1}, 0.25) * turn_about({1, 2, 0}, {0, 1, 0}, -0.75);
  expect_near(now * scene.joints[0].zero_pose,
              {rotation_matrix({{1, 0, 0}, 0.5}), {1, 2.5, 0.125}});
  expect_near(start_motion(axes_of(scene, 1)), now);
}

TEST(Hinge2, WithoutParametersHasDefaultsAndSavedPositions) {
  const Scene scene = quiet("Hinge2Joint { position 0.5 position2 -1.5 " + end() + "}");
  EXPECT_EQ(scene.joints.at(0).axis, (Vec3{1, 0, 0}));
  EXPECT_EQ(scene.joints.at(1).axis, (Vec3{0, 0, 1}));
  EXPECT_EQ(scene.joints[0].position, 0.5);
  EXPECT_EQ(scene.joints[1].position, -1.5);
}

TEST(Hinge2, NullAxesBecomeTheDefaults) {
  const LoadedScene loaded = with_joint(
      "Hinge2Joint { jointParameters HingeJointParameters {\naxis 0 0 0 }\njointParameters2 "
      "JointParameters {\naxis 0 0 0 } " +
      end() + "}");
  EXPECT_EQ(loaded.messages, (Messages{"4:1: warning: axis is a null vector; 1 0 0 is used",
                                       "6:1: warning: axis is a null vector; 0 0 1 is used"}));
  EXPECT_EQ(loaded.scene.joints.at(1).axis, (Vec3{0, 0, 1}));
}

// The robot is on its side, so that the world's axes differ from its own.
TEST(Hinge2, ParallelAxesBecomeTheWorldsXAndZ) {
  const LoadedScene loaded = with_joint(
      "Hinge2Joint { jointParameters HingeJointParameters { axis 0 2 0 } jointParameters2 "
      "JointParameters { axis 0 -3 0 } " +
          end() + "}",
      std::string("rotation 0 1 0 1.5707963267948966 ") + kPhysics);
  EXPECT_EQ(loaded.messages, Messages{"3:1: warning: the axes of the Hinge2Joint are parallel; the "
                                      "world's x and z are used"});
  expect_near(loaded.scene.joints.at(0).axis, {0, 0, 1});
  expect_near(loaded.scene.joints.at(1).axis, {-1, 0, 0});
}

TEST(Hinge2, OnAStaticSideHoldsNothing) {
  const LoadedScene loaded =
      with_joint("Hinge2Joint { device RotationalMotor { name \"m\" } " + end() + "}", "");
  EXPECT_EQ(loaded.messages,
            Messages{"3:1: warning: a Hinge2Joint needs Physics on both sides; as in Webots there "
                     "is no joint, and nothing holds Solid \"end\""});
  EXPECT_TRUE(loaded.scene.solids.at(1).free_body);
  EXPECT_EQ(loaded.scene.solids[1].joint, -1);
  EXPECT_EQ(loaded.scene.joints.at(0).child, -1);
  EXPECT_EQ(loaded.scene.joints.at(1).child, -1);
  EXPECT_EQ(loaded.scene.robots.at(0).devices.at(0).joint, 0);
}

// The loop closes to a Solid elsewhere in the tree, or to the static environment.
TEST(Hinge2, ThatClosesALoopOnAStaticSideIsLeftOut) {
  for (const bool to_environment : {false, true}) {
    Scene scene = quiet("Hinge2Joint { " + end() + "}");
    scene.solids[to_environment ? 1 : 0].physics.reset();
    for (JointSpec& axis : scene.joints) {
      axis.reference = true;
      axis.child = to_environment ? -1 : 1;
    }
    Diagnostics diagnostics;
    check_joint_sides(scene, diagnostics);
    ASSERT_EQ(diagnostics.list().size(), 1u);
    EXPECT_EQ(diagnostics.list()[0].message,
              "a Hinge2Joint needs Physics on both sides; as in Webots there is no joint");
    EXPECT_EQ(scene.joints.at(1).child, -1);
    EXPECT_FALSE(scene.joints.at(1).reference);
    EXPECT_FALSE(scene.solids[1].free_body) << "its own joint holds it";
  }
}

TEST(Hinge2, WithoutPhysicsBelowIsKinematic) {
  const std::string joint = "Hinge2Joint { endPoint Solid { name \"end\" } }";
  const LoadedScene mixed = with_joint(joint);
  EXPECT_EQ(mixed.messages,
            Messages{"3:1: warning: a Hinge2Joint needs Physics on both sides: Solid \"end\" has "
                     "none and is moved without forces"});
  EXPECT_EQ(mixed.scene.joints.at(0).child, 1);
  const LoadedScene none = with_joint(joint, "");
  EXPECT_EQ(none.messages, Messages{});
  EXPECT_EQ(none.scene.joints.at(0).child, 1);
}

TEST(Ball, TakesItsAxesFromTheSecondAndThirdParameters) {
  const Scene scene = quiet(R"(BallJoint {
    jointParameters BallJointParameters { anchor 1 2 3 position 0.25 minStop -0.5 maxStop 0.75
      springConstant 11 dampingConstant 12 staticFriction 13 }
    jointParameters2 JointParameters { axis 0 2 0 position 0.125 minStop -1.5 maxStop 1.25
      springConstant 21 staticFriction 23 }
    jointParameters3 JointParameters { axis 4 0 0 position -0.75 dampingConstant 32 })" +
                            end() + "}");
  ASSERT_EQ(scene.joints.size(), 3u);
  EXPECT_EQ(scene.joints[0].axis, (Vec3{0, 1, 0}));
  EXPECT_EQ(scene.joints[1].axis, (Vec3{0, 0, 1})) << "third x first";
  EXPECT_EQ(scene.joints[2].axis, (Vec3{1, 0, 0}));
  const std::array<double, 3> position{0.25, 0.125, -0.75};
  const std::array<double, 3> spring{11, 21, 0};
  const std::array<double, 3> damping{12, 0, 32};
  for (int k = 0; k < 3; ++k) {
    const JointSpec& axis = scene.joints[k];
    EXPECT_EQ(axis.kind, JointKind::Ball);
    EXPECT_EQ(axis.axis_number, k);
    EXPECT_EQ(axis.first_axis, 0);
    EXPECT_EQ(axis.anchor, (Vec3{1, 2, 3}));
    EXPECT_EQ(axis.position, position[k]);
    EXPECT_EQ(axis.spring.constant, spring[k]);
    EXPECT_EQ(axis.damping_constant, damping[k]);
  }
  EXPECT_EQ(scene.joints[0].stops.max, 0.75);
  EXPECT_EQ(scene.joints[1].stops.max, 1.25);
  EXPECT_EQ(scene.joints[1].static_friction, 23.0);
}

TEST(Ball, WithoutParametersHasDefaultsAndSavedPositions) {
  const Scene scene = quiet(R"(BallJoint { position2 0.5 position3 1.5
    jointParameters BallJointParameters { position 0.25 springConstant 3 dampingConstant 4
      staticFriction 5 })" + end() +
                            "}");
  EXPECT_EQ(scene.joints.at(0).axis, (Vec3{1, 0, 0}));
  EXPECT_EQ(scene.joints.at(1).axis, (Vec3{0, 1, 0}));
  EXPECT_EQ(scene.joints.at(2).axis, (Vec3{0, 0, 1}));
  EXPECT_EQ(scene.joints[0].position, 0.25);
  EXPECT_EQ(scene.joints[1].position, 0.5);
  EXPECT_EQ(scene.joints[2].position, 1.5);
  for (const JointSpec& axis : scene.joints) {
    EXPECT_EQ(axis.spring.constant, 3.0) << "of the first axis, for all";
    EXPECT_EQ(axis.damping_constant, 4.0);
  }
  EXPECT_EQ(scene.joints[1].static_friction, 0.0) << "friction is not shared";
}

TEST(Ball, DerivesTheOtherAxisFromTheOneGiven) {
  const auto axes = [](const std::string& parameters) {
    std::array<Vec3, 3> read;
    const Scene scene = quiet("BallJoint { " + parameters + end() + "}");
    for (int k = 0; k < 3; ++k) {
      read[k] = scene.joints.at(k).axis;
    }
    return read;
  };
  const std::string second = "jointParameters2 JointParameters { axis ";
  const std::string third = "jointParameters3 JointParameters { axis ";
  EXPECT_EQ(axes(second + "2 0 0 }"), axes("")) << "a given default gives the other default";
  EXPECT_EQ(axes(third + "0 0 2 }"), axes(""));
  for (const std::string& given : {second, third}) {
    for (const std::string direction : {"0 1 0 }", "0 0 1 }", "1 0 0 }", "0.6 0 0.8 }"}) {
      const auto [a, b, c] = axes(given + direction);
      EXPECT_NEAR(dot(a, c), 0.0, kRounding) << given << direction;
      expect_near(b, cross(c, a));
      EXPECT_NEAR(norm(b), 1.0, kRounding);
    }
  }
}

TEST(Ball, ParallelAxesBecomeTheWorldsXAndZ) {
  const LoadedScene loaded = with_joint(
      "BallJoint { jointParameters2 JointParameters { } jointParameters3 JointParameters { } " +
      end() + "}");
  EXPECT_EQ(loaded.messages, Messages{"3:1: warning: the axes of the BallJoint are parallel; the "
                                      "world's x and z are used"});
  EXPECT_EQ(loaded.scene.joints.at(0).axis, (Vec3{1, 0, 0}));
  EXPECT_EQ(loaded.scene.joints.at(1).axis, (Vec3{0, 1, 0}));
}

TEST(Axes, AreNamedAfterTheirMotorElseSensorElseJoint) {
  const Scene scene = quiet(R"(DEF HIP BallJoint {
    device [ PositionSensor { name "s" } RotationalMotor { name "m" } ]
    device3 PositionSensor { name "t" } )" +
                            end() + "} " +
                            "Hinge2Joint { device2 RotationalMotor { name \"n\" } endPoint Solid { "
                            "name \"wheel\" physics Physics { } boundingObject Box { } } } "
                            "Hinge2Joint { endPoint Solid { name \"caster\" physics Physics { } "
                            "boundingObject Box { } } } ");
  std::vector<std::string> names;
  for (const JointSpec& joint : scene.joints) {
    names.push_back(joint.name);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"r/m", "r/HIP axis 2", "r/t", "r/wheel axis 1", "r/n",
                                             "r/caster axis 1", "r/caster axis 2"}));
}

TEST(Axes, HaveTheirOwnDevices) {
  const LoadedScene loaded = with_joint(R"(BallJoint {
jointParameters BallJointParameters { position 0.25 }
device RotationalMotor { name "a" maxTorque 7 minPosition 0.5 maxPosition 3 }
jointParameters2 JointParameters { axis 1 0 0 position -0.75 } position2 9
device2 [ PositionSensor { name "b" noise 0.125 } Brake { name "c" } ]
position3 1.5 device3 [ PositionSensor { name "d" } LinearMotor { name "e" } ])" +
                                        end() + "}");
  EXPECT_EQ(loaded.messages,
            (Messages{"5:47: warning: minPosition is 0.5, but it must not be above the joint's "
                      "position; 0.25 is used",
                      "8:53: warning: a LinearMotor cannot be a device of a BallJoint; it is left "
                      "out"}));
  const std::vector<DeviceSpec>& devices = loaded.scene.robots.at(0).devices;
  ASSERT_EQ(devices.size(), 4u);
  EXPECT_EQ(devices[0].joint, 0);
  EXPECT_EQ(devices[1].joint, 1);
  EXPECT_EQ(devices[2].joint, 1);
  EXPECT_EQ(devices[3].joint, 2);
  EXPECT_EQ(devices[1].sensor->fixed_position, -0.75) << "the parameters win";
  EXPECT_EQ(devices[3].sensor->fixed_position, 1.5) << "saved by the joint";
  EXPECT_FALSE(loaded.scene.joints[0].has_brake);
  EXPECT_TRUE(loaded.scene.joints[1].has_brake);
}

TEST(Axes, OutsideARobotHoldTheirPositions) {
  const LoadedScene loaded = load_scene(
      "Solid { children [ Hinge2Joint { device2 RotationalMotor { name \"f\" } endPoint Solid { } "
      "} ] }");
  EXPECT_EQ(loaded.messages, Messages{});
  ASSERT_EQ(loaded.scene.ownerless_motors.size(), 1u);
  EXPECT_EQ(loaded.scene.ownerless_motors[0].joint, 1);
}

TEST(Suspension, IsReadInTheParentsFrame) {
  const Scene scene = quiet(
      "Pose { rotation 0 0 1 1.5707963267948966 children [ HingeJoint { jointParameters "
      "HingeJointParameters { axis 0 1 0 suspensionSpringConstant 90 suspensionDampingConstant 7 "
      "suspensionAxis 3 0 4 } " +
      end() + "} ] }");
  const SuspensionSpec& s = scene.joints.at(0).suspension;
  EXPECT_EQ(s.spring_constant, 90.0);
  EXPECT_EQ(s.damping_constant, 7.0);
  expect_near(s.axis, {0, 0.6, 0.8});
}

TEST(Suspension, ThatIsImpossibleIsReportedAndRigid) {
  const auto message = [](const std::string& joint, const std::string& parameters,
                          const std::string& robot, const std::string& endpoint) {
    const LoadedScene loaded = with_joint(
        joint + " { jointParameters HingeJointParameters { " + parameters +
            "\nsuspensionSpringConstant 90 suspensionDampingConstant 9 } " + endpoint + "}",
        robot);
    EXPECT_FALSE(loaded.scene.joints.at(0).suspension.is_elastic());
    EXPECT_EQ(loaded.messages.size(), 1u);
    return loaded.messages.empty() ? "" : loaded.messages[0];
  };
  const std::string sides =
      "4:1: warning: the suspension of a HingeJoint needs Physics on both sides; this axle is "
      "rigid";
  EXPECT_EQ(message("HingeJoint", "axis 0 1 0", "", end()), sides);
  EXPECT_EQ(message("HingeJoint", "axis 0 1 0", kPhysics, "endPoint Solid { }"), sides);
  EXPECT_EQ(message("HingeJoint", "axis 0.1 1 0", kPhysics, end()),
            "4:1: warning: the suspension of a HingeJoint needs a suspensionAxis perpendicular to "
            "its axis; this axle is rigid");
  EXPECT_EQ(message("Hinge2Joint", "axis 1 0.1 0", kPhysics, end()),
            "4:1: warning: the suspension of a Hinge2Joint needs a suspensionAxis along axis 1; "
            "this axle is rigid");
}

TEST(Suspension, HasTheLargestStiffnessOfSprings) {
  const LoadedScene loaded = with_joint(
      "HingeJoint { jointParameters HingeJointParameters { axis 0 1 0\nsuspensionSpringConstant "
      "1e30\n"
      "suspensionDampingConstant 1e19 } " +
      end() + "}");
  EXPECT_EQ(
      loaded.messages,
      (Messages{"4:1: warning: suspensionSpringConstant is 1e+30, but it must be at most 1e18; "
                "1e+18 is used",
                "5:1: warning: suspensionDampingConstant is 1e+19, but it must be at most "
                "1e18; 1e+18 is used"}));
  EXPECT_EQ(loaded.scene.joints.at(0).suspension.spring_constant, 1e18);
}

TEST(Suspension, WithANullAxisActsAlongX) {
  const LoadedScene loaded = with_joint(
      "HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 suspensionSpringConstant 3\n"
      "suspensionAxis 0 0 0 } " +
      end() + "}");
  EXPECT_EQ(loaded.messages,
            Messages{"4:1: warning: suspensionAxis is a null vector; 1 0 0 is used"});
  EXPECT_TRUE(loaded.scene.joints.at(0).suspension.is_elastic());
}

}  // namespace
}  // namespace servosim::test
