// SPDX-License-Identifier: Apache-2.0
// The reference page of Motor. Each sentence that states behaviour has one test, named by the line
// on which the sentence begins. README.md lists all of them.
#include <fmt/format.h>

#include <cmath>

#include "conformance/shared_behaviour.h"

namespace servosim::test {
namespace {

TEST(MotorNode, Line003_IsADevice) {
  Rig rig({.kind = Kind::Motor});
  const DeviceNode* device = rig.simulation.robot("r").find("m");
  ASSERT_NE(device, nullptr) << "found by its name";
  EXPECT_EQ(device->get<Motor>()->name(), "m");
  EXPECT_EQ(rig.simulation.robot("r").find("M"), nullptr);
}

TEST(MotorNode, Line007_FieldDefaults) {
  for (const Bench& bench : both_types({.kind = Kind::Motor})) {
    Rig rig(bench);
    EXPECT_EQ(rig.motor.limits().max_velocity, 10.0);
    EXPECT_EQ(rig.motor.targets().gains.p, 10.0);
    EXPECT_EQ(rig.motor.targets().gains.i, 0.0);
    EXPECT_EQ(rig.motor.targets().gains.d, 0.0);
    EXPECT_EQ(rig.motor.targets().acceleration, -1.0);
    EXPECT_EQ(rig.motor.limits().min_position, 0.0);
    EXPECT_EQ(rig.motor.limits().max_position, 0.0);
  }
}

TEST(MotorNode, Line018_OnlyDerivedClassesAreMotors) {
  Rig hinge({.kind = Kind::Motor});
  EXPECT_EQ(hinge.simulation.robot("r").find("m")->node_type, "RotationalMotor");
  std::string text = world_text({.kind = Kind::Motor});
  text.replace(text.find("RotationalMotor"), 15, "Motor");
  Simulation simulation = Simulation::from_text(text);
  ASSERT_EQ(simulation.diagnostics().size(), 1u);
  EXPECT_TRUE(contains(to_string(simulation.diagnostics()[0]), "'Motor' not found"));
  EXPECT_EQ(simulation.robot("r").find("m"), nullptr);
}

TEST(MotorNode, Line022_RotationalMotorPowersAHinge) {
  Rig rig({.kind = Kind::Motor});
  EXPECT_EQ(rig.motor.type(), JointType::Rotational);
  rig.motor.set_position(0.4);
  rig.run(2.0);
  EXPECT_NEAR(rig.moved(), 0.4, kHeld);
  std::string text = world_text({.kind = Kind::Motor, .linear = true});
  text.replace(text.find("LinearMotor"), 11, "RotationalMotor");
  Simulation slider = Simulation::from_text(text);
  ASSERT_EQ(slider.diagnostics().size(), 1u) << "but no slider";
  EXPECT_TRUE(contains(to_string(slider.diagnostics()[0]), "left out"));
}

TEST(MotorNode, Line023_ItTurnsTheJointAboutItsAxis) {
  Rig rig({.kind = Kind::Motor});
  rig.motor.set_position(0.4);
  rig.run(2.0);
  const Mat3 turned = rig.simulation.solid("end").pose().rotation;
  EXPECT_NEAR(turned(1, 1), 1.0, 1e-9) << "the axis stays";
  EXPECT_NEAR(turned(0, 0), std::cos(0.4), kHeld);
  EXPECT_NEAR(turned(0, 2), std::sin(0.4), kHeld);
}

TEST(MotorNode, Line024_LinearMotorSlidesASliderAlongItsAxis) {
  Rig rig({.kind = Kind::Motor, .linear = true});
  EXPECT_EQ(rig.motor.type(), JointType::Linear);
  rig.motor.set_position(0.4);
  rig.run(2.0);
  const Vec3 end = rig.simulation.solid("end").pose().translation;
  EXPECT_NEAR(end.x, 0.4, 1e-9) << "where the robot stands";
  EXPECT_NEAR(end.y, 0.0, 1e-9);
  EXPECT_NEAR(end.z, -0.4, kHeld);
}

TEST(MotorNode, Line032_MotorPositionIsJointPosition) {
  for (const Bench& bench : both_types({.kind = Kind::Motor, .joint = "position 0.35"})) {
    Rig rig(bench);
    EXPECT_EQ(rig.motor.targets().position, 0.35);
    rig.motor.set_position(0.8);
    rig.run(3.0);
    EXPECT_NEAR(rig.position(), 0.8, kHeld);
  }
}

TEST(MotorNode, Line033_UnitsAreRadiansAndMetres) { positions_are_radians_or_metres(Kind::Motor); }
TEST(MotorNode, Line038_LimitsCountFromTheJointsZero) { limits_count_from_zero(Kind::Motor); }

TEST(MotorNode, Line049_PositionControlIsTheStandardWay) {
  position_control_is_the_standard_way(Kind::Motor);
}
TEST(MotorNode, Line050_TargetIsPursuedWithinVelocityAccelerationAndForce) {
  a_target_is_pursued_within_velocity_acceleration_and_force(Kind::Motor);
}
TEST(MotorNode, Line055_PositionControlHasThreeStages) {
  position_control_has_three_stages(Kind::Motor);
}
TEST(MotorNode, Line055_FirstStageTheControllerChooses) {
  the_controller_chooses_the_parameters(Kind::Motor);
}
TEST(MotorNode, Line057_SecondStageTheLawComputesTheVelocity) {
  the_law_computes_the_velocity(Kind::Motor);
}
TEST(MotorNode, Line059_ThirdStageThePhysicsCarriesItOut) {
  the_physics_carries_it_out(Kind::Motor);
}

// D has the sign with which Webots computes it: docs/explanation/deviations.md, D term.
TEST(MotorNode, Line065_PidLawRunsAtEachStep) {
  the_law_runs_at_each_step(Kind::Motor, {7.0, 2.0, 0.05});
  the_law_runs_at_each_step(Kind::Motor, {7.0, 0.0, 0.1});
  the_law_runs_at_each_step(Kind::Motor, {7.0, 3.0, 0.0});
}
TEST(MotorNode, Line070_LawsParametersComeFromFieldsAndFunctions) {
  the_laws_parameters_come_from_fields_and_functions(Kind::Motor);
}

TEST(MotorNode, Line084_VelocityControlReplacesPositionControl) {
  velocity_control_replaces_position_control(Kind::Motor);
}
TEST(MotorNode, Line085_VelocityControlTakesTwoCalls) {
  velocity_control_takes_two_calls(Kind::Motor);
}
TEST(MotorNode, Line088_VelocityControlMovesOnWithinItsLimits) {
  velocity_control_moves_on_within_its_limits(Kind::Motor);
}
TEST(MotorNode, Line090_ExampleTurnsOnceASecond) {
  velocity_6_28_is_one_turn_a_second(Kind::Motor);
}

TEST(MotorNode, Line092_InfinityIsTheMacro) {
  Rig rig({.kind = Kind::Motor, .linear = true});
  const double endless = INFINITY;
  rig.motor.set_position(endless);
  rig.motor.set_velocity(-0.75);
  rig.run(3.0);
  EXPECT_NEAR(rig.velocity(), -0.75, kHeld);
}

TEST(MotorNode, Line099_BothControlsDriveAnOdeMotor) {
  both_controls_drive_an_ode_motor(Kind::Motor);
}
TEST(MotorNode, Line101_ForceCanBeSpecifiedDirectly) {
  a_force_can_be_specified_directly(Kind::Motor);
}
TEST(MotorNode, Line103_ForceSwitchesTheRestOff) { a_force_switches_the_rest_off(Kind::Motor); }
TEST(MotorNode, Line105_PositionRestoresPositionControl) {
  a_position_restores_position_control(Kind::Motor);
}
TEST(MotorNode, Line107_ForceActsContinuously) { a_force_acts_continuously(Kind::Motor); }
TEST(MotorNode, Line109_ForceAcceleratesWithoutEndUnlessItIsControlled) {
  a_force_accelerates_without_end_unless_it_is_controlled(Kind::Motor);
}

TEST(MotorNode, Line116_SoftLimitsAreReadFromTheFields) {
  soft_limits_are_read_from_the_fields(Kind::Motor);
}

TEST(MotorNode, Line117_MotorZeroIsJointZero) {
  for (const Bench& bench : both_types({.kind = Kind::Motor, .joint = "position 0.6"})) {
    Rig rig(bench);
    EXPECT_NEAR(rig.moved(), 0.6, 1e-12);
    rig.motor.set_position(0.0);
    rig.run(3.0);
    EXPECT_NEAR(rig.moved(), 0.0, kHeld);
  }
}

TEST(MotorNode, Line118_LawDoesNotMoveBeyondSoftLimits) {
  the_law_does_not_move_beyond_soft_limits(Kind::Motor);
}
TEST(MotorNode, Line119_TargetsAreClipped) { targets_are_clipped(Kind::Motor); }
TEST(MotorNode, Line122_SoftLimitsMustEncloseThePosition) {
  soft_limits_must_enclose_the_position(Kind::Motor);
}
TEST(MotorNode, Line124_SoftLimitsOfZeroAreNone) { soft_limits_of_zero_are_none(Kind::Motor); }
TEST(MotorNode, Line126_SoftLimitsGiveWayToForce) { soft_limits_give_way_to_force(Kind::Motor); }
TEST(MotorNode, Line127_WeightCanExceedTheMotorForce) {
  a_weight_can_exceed_the_motor_force(Kind::Motor);
}
TEST(MotorNode, Line131_SoftLimitsShouldLieWithinHardOnes) {
  soft_limits_should_lie_within_hard_ones(Kind::Motor);
}

// Webots' instability does not occur here: docs/explanation/deviations.md, Sentences of the
// reference.
TEST(MotorNode, Line134_APositionOnAStopIsStable) {
  for (const Bench& bench :
       both_types({.kind = Kind::Motor, .joint = "position 0.5 minStop -0.4 maxStop 0.5"})) {
    Rig rig(bench);
    rig.run(1.0);
    // In the very first step stop and motor disagree by their CFM.
    EXPECT_NEAR(rig.position(), 0.5, 1e-6);
    rig.motor.set_position(-0.3);
    rig.run(3.0);
    EXPECT_NEAR(rig.position(), -0.3, kHeld);
  }
}

TEST(MotorNode, Line137_BrokenRulesAreWarnedAbout) {
  for (const auto& [motor, joint, said] :
       {std::tuple("minPosition -0.6 maxPosition 0.3", "minStop -0.5 maxStop 0.5", "reach beyond"),
        std::tuple("maxVelocity 2", "minStop 0.2 maxStop 0.5", "minStop 0.2 is above"),
        std::tuple("minPosition 0.1 maxPosition 0.3", "springConstant 2", "must not be above")}) {
    for (const Bench& bench : both_types({.kind = Kind::Motor, .motor = motor, .joint = joint})) {
      Rig rig(bench);
      const std::string messages = rig.take_messages();
      EXPECT_TRUE(contains(messages, "warning: ") && contains(messages, said)) << messages;
    }
  }
}

}  // namespace
}  // namespace servosim::test
