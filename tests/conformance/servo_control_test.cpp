// SPDX-License-Identifier: Apache-2.0
// The reference page of Servo, lines 125 to 250: control and limits.
#include <algorithm>
#include <cmath>

#include "conformance/shared_behaviour.h"

namespace servosim::test {
namespace {

TEST(ServoNode, Line127_PositionControlIsTheStandardWay) {
  position_control_is_the_standard_way(Kind::Servo);
}
TEST(ServoNode, Line128_TargetIsPursuedWithinVelocityAccelerationAndForce) {
  a_target_is_pursued_within_velocity_acceleration_and_force(Kind::Servo);
}
TEST(ServoNode, Line133_PositionControlHasThreeStages) {
  position_control_has_three_stages(Kind::Servo);
}
TEST(ServoNode, Line133_FirstStageTheControllerChooses) {
  the_controller_chooses_the_parameters(Kind::Servo);
}
TEST(ServoNode, Line135_SecondStageTheLawComputesTheVelocity) {
  the_law_computes_the_velocity(Kind::Servo);
}
TEST(ServoNode, Line137_ThirdStageThePhysicsCarriesItOut) {
  the_physics_carries_it_out(Kind::Servo);
}
TEST(ServoNode, Line145_LawRunsAtEachStep) {
  the_law_runs_at_each_step(Kind::Servo, {7.0, 0.0, 0.0});
}
TEST(ServoNode, Line160_LawsParametersComeFromFieldsAndFunctions) {
  the_laws_parameters_come_from_fields_and_functions(Kind::Servo);
}

TEST(ServoNode, Line174_VelocityControlReplacesPositionControl) {
  velocity_control_replaces_position_control(Kind::Servo);
}
TEST(ServoNode, Line175_VelocityControlTakesTwoCalls) {
  velocity_control_takes_two_calls(Kind::Servo);
}
TEST(ServoNode, Line178_VelocityControlMovesOnWithinItsLimits) {
  velocity_control_moves_on_within_its_limits(Kind::Servo);
}
TEST(ServoNode, Line180_ExampleTurnsOnceASecond) {
  velocity_6_28_is_one_turn_a_second(Kind::Servo);
}

TEST(ServoNode, Line194_BothControlsDriveAnOdeMotor) {
  both_controls_drive_an_ode_motor(Kind::Servo);
}
TEST(ServoNode, Line195_ForceCanBeSpecifiedDirectly) {
  a_force_can_be_specified_directly(Kind::Servo);
}
TEST(ServoNode, Line197_ForceSwitchesTheRestOff) { a_force_switches_the_rest_off(Kind::Servo); }
TEST(ServoNode, Line199_PositionRestoresPositionControl) {
  a_position_restores_position_control(Kind::Servo);
}
TEST(ServoNode, Line201_ForceActsContinuously) { a_force_acts_continuously(Kind::Servo); }
TEST(ServoNode, Line202_ForceAcceleratesWithoutEndUnlessItIsControlled) {
  a_force_accelerates_without_end_unless_it_is_controlled(Kind::Servo);
}

// These are the rows of "Servo Control Summary".

TEST(ServoNode, Line209_OnlyPositionControlUsesTheLaw) {
  for (const Bench& bench : servos("controlP 4 maxVelocity 2")) {
    Rig rig(bench);
    rig.motor.set_position(0.3);
    rig.run(kStep);
    EXPECT_DOUBLE_EQ(rig.motor.commanded_velocity(), 4.0 * 0.3);
    rig.endless(1.7);
    rig.run(kStep);
    EXPECT_EQ(rig.motor.commanded_velocity(), 1.7) << "whatever P and the position are";
    rig.motor.set_force(0.2);
    const double v = rig.velocity();
    rig.run(kStep);
    EXPECT_NEAR(rig.velocity(), v + kStep * 0.2 / rig.inertia(), 1e-9) << "no velocity is pursued";
  }
}

TEST(ServoNode, Line210_SetPositionTargetsOrIsInfiniteOrEndsForceControl) {
  for (const Bench& bench : servos("maxVelocity 1.4")) {
    Rig rig(bench);
    rig.motor.set_position(0.25);
    rig.run(3.0);
    EXPECT_NEAR(rig.position(), 0.25, kHeld);
    rig.motor.set_position(INFINITY);
    rig.run(2.0);
    EXPECT_NEAR(rig.velocity(), 1.4, kHeld);
    for (const double target : {-0.5, static_cast<double>(INFINITY)}) {
      rig.motor.set_force(0.2);
      EXPECT_TRUE(rig.motor.targets().force_control);
      rig.motor.set_position(target);
      EXPECT_FALSE(rig.motor.targets().force_control);
    }
  }
}

TEST(ServoNode, Line211_SetVelocityLimitsOrCommandsOrIsIgnored) {
  for (const Bench& bench : servos("maxForce 90")) {
    Rig rig(bench);
    rig.motor.set_position(2.0);
    rig.motor.set_velocity(0.7);
    rig.run(0.8);
    EXPECT_NEAR(rig.velocity(), 0.7, kHeld) << "position control: the largest velocity";
    rig.endless(-0.9);
    rig.run(0.8);
    EXPECT_NEAR(rig.velocity(), -0.9, kHeld) << "velocity control: the velocity";
    rig.motor.set_force(0.3);
    rig.motor.set_velocity(5.0);
    rig.run(10 * kStep);
    EXPECT_TRUE(rig.motor.targets().force_control);
    EXPECT_NEAR(rig.velocity(), -0.9 + 10 * kStep * 0.3 / rig.inertia(), kHeld)
        << "force control: nothing";
  }
}

TEST(ServoNode, Line212_SetAccelerationLimitsOrIsIgnored) {
  for (const Bench& bench : servos("maxForce 90")) {
    Rig rig(bench);
    rig.motor.set_acceleration(1.5);
    rig.motor.set_position(5.0);
    rig.run(0.4);
    EXPECT_NEAR(rig.velocity(), 1.5 * 0.4, kHeld);
    rig.endless(-3.0);
    rig.run(0.8);
    EXPECT_NEAR(rig.velocity(), 1.5 * 0.4 - 1.5 * 0.8, 2 * kHeld);
    const double v = rig.velocity();
    rig.motor.set_force(6.0);
    rig.motor.set_acceleration(0.2);
    rig.run(5 * kStep);
    EXPECT_NEAR(rig.velocity(), v + 5 * kStep * 6.0 / rig.inertia(), 1e-9);
  }
}

TEST(ServoNode, Line213_SetMotorForceLimitsForceControlToo) {
  for (const Bench& bench : servos("maxForce 8")) {
    Rig rig(bench);
    rig.motor.set_available_force(0.4);
    rig.motor.set_position(5.0);
    rig.run(10 * kStep);
    EXPECT_NEAR(rig.velocity(), 10 * kStep * 0.4 / rig.inertia(), 1e-9);
    rig.endless(-5.0);
    rig.run(20 * kStep);
    EXPECT_NEAR(rig.velocity(), -10 * kStep * 0.4 / rig.inertia(), 1e-9);
    rig.motor.set_force(2.0);
    EXPECT_TRUE(contains(rig.take_messages(), "2 replaced by 0.4"));
    rig.run(20 * kStep);
    EXPECT_NEAR(rig.velocity(), 10 * kStep * 0.4 / rig.inertia(), 1e-9);
  }
}

TEST(ServoNode, Line214_SetForceSwitchesToForceControl) {
  for (const Bench& bench : servos()) {
    for (const bool endless : {false, true}) {
      Rig rig(bench);
      endless ? rig.endless(2.0) : rig.motor.set_position(0.5);
      rig.run(0.4);
      EXPECT_FALSE(rig.motor.targets().force_control);
      const double v = rig.velocity();
      rig.motor.set_force(0.6);
      rig.run(10 * kStep);
      EXPECT_TRUE(rig.motor.targets().force_control);
      EXPECT_NEAR(rig.velocity(), v + 10 * kStep * 0.6 / rig.inertia(), 1e-9);
    }
  }
}

TEST(ServoNode, Line219_PositionIsTheCurrentOne) {
  for (const Bench& bench : servos()) {
    Rig rig(bench);
    rig.endless(0.8);
    for (int n = 0; n < 5; ++n) {
      rig.run(0.3);
      EXPECT_NEAR(rig.position(), rig.moved(), 1e-6);
      EXPECT_GT(rig.position(), 0.1);
    }
  }
}

TEST(ServoNode, Line220_RotationalPositionIsTheAngleFromTheStart) {
  Rig rig({.kind = Kind::Servo});
  const Mat3 start = rig.simulation.solid("m").pose().rotation;
  rig.motor.set_position(0.65);
  rig.run(3.0);
  const Mat3 now = rig.simulation.solid("m").pose().rotation;
  EXPECT_NEAR(std::atan2(now(0, 2), now(0, 0)) - std::atan2(start(0, 2), start(0, 0)),
              rig.position(), 1e-6);
  EXPECT_NEAR(rig.position(), 0.65, kHeld);
}

TEST(ServoNode, Line222_LinearPositionIsTheDistanceFromTheStart) {
  Rig rig({.kind = Kind::Servo, .linear = true});
  const Vec3 start = rig.simulation.solid("m").pose().translation;
  rig.motor.set_position(0.65);
  rig.run(3.0);
  EXPECT_NEAR(norm(rig.simulation.solid("m").pose().translation - start), rig.position(), 1e-6);
  EXPECT_NEAR(rig.position(), 0.65, kHeld);
}

TEST(ServoNode, Line226_SoftLimitsAreReadFromTheFields) {
  soft_limits_are_read_from_the_fields(Kind::Servo);
}
TEST(ServoNode, Line227_LawDoesNotMoveBeyondSoftLimits) {
  the_law_does_not_move_beyond_soft_limits(Kind::Servo);
}
TEST(ServoNode, Line228_TargetsAreClipped) { targets_are_clipped(Kind::Servo); }

// Webots compares the limits with the position, which a file may set:
// docs/explanation/deviations.md, Sentences.
TEST(ServoNode, Line231_SoftLimitsMustEncloseThePosition) {
  soft_limits_must_enclose_the_position(Kind::Servo);
}
TEST(ServoNode, Line233_SoftLimitsOfZeroAreNone) { soft_limits_of_zero_are_none(Kind::Servo); }
TEST(ServoNode, Line234_SoftLimitsGiveWayToForce) { soft_limits_give_way_to_force(Kind::Servo); }
TEST(ServoNode, Line235_WeightCanExceedTheMotorForce) {
  a_weight_can_exceed_the_motor_force(Kind::Servo);
}

TEST(ServoNode, Line239_StopsAreHardLimits) {
  for (const Bench& bench : servos("maxForce 400", "minStop -0.2 maxStop 0.3")) {
    Rig rig(bench);
    rig.motor.set_position(2.0);
    rig.run(2.0);
    EXPECT_NEAR(rig.position(), 0.3, 1e-3) << "whatever the motor wants";
    rig.motor.set_position(-2.0);
    rig.run(2.0);
    EXPECT_NEAR(rig.position(), -0.2, 1e-3);
  }
}

// "Cannot be overrun" has ODE's meaning: a stop yields by h·CFM/ERP per newton, and a part that
// hits it may sink into it for one step. docs/explanation/deviations.md, Sentences.
TEST(ServoNode, Line239_NoForceOverrunsThem) {
  for (const Bench& bench : servos("maxForce 1e5", "minStop -0.2 maxStop 0.3 dampingConstant 9")) {
    Rig rig(bench);
    for (const double force : {30.0, 900.0}) {
      rig.motor.set_force(force);
      rig.run(4.0);
      // The stop yields by 0.008·1e-5/0.2 = 4e-7 m/N. The anchor's own rows yield, too.
      EXPECT_NEAR(rig.position(), 0.3 + 4e-7 * force, 1e-5) << force;
    }
  }
}

// A piston between end caps runs from one cap to the other and no further.
TEST(ServoNode, Line241_TheyModelEndCapsAndHinges) {
  for (Bench bench : servos("maxForce 0", "minStop -0.45 maxStop 0.6 dampingConstant 0.4")) {
    bench.weighed = bench.arm = true;
    Rig rig(bench);
    double low = 0.0;
    double high = 0.0;
    rig.simulation.joint(0).set_state(0.2, -0.5);
    for (int n = 0; n < 1500; ++n) {
      rig.run(kStep);
      low = std::min(low, rig.position());
      high = std::max(high, rig.position());
    }
    // The part moves for one step at the speed of the impact, at most 3.4 m/s.
    EXPECT_LT(high, 0.6 + 3.4 * kStep);
    EXPECT_GT(low, -0.45 - 3.4 * kStep);
    EXPECT_NEAR(rig.position(), 0.6, 1e-3) << "it rests on the lower cap";
  }
}

TEST(ServoNode, Line243_StopsShouldLieWithinHalfATurn) {
  Rig within({.kind = Kind::Servo, .joint = "minStop -3.1 maxStop 3.1"});
  EXPECT_EQ(within.take_messages(), "");
  Rig far({.kind = Kind::Servo, .joint = "minStop -4 maxStop 0.5"});
  EXPECT_TRUE(contains(far.take_messages(), "beyond pi"));
  Rig inverted({.kind = Kind::Servo, .joint = "minStop 0.2 maxStop 0.5"});
  EXPECT_TRUE(contains(inverted.take_messages(), "minStop 0.2 is above the position 0"));
  inverted.motor.set_force(0.0);
  inverted.run(2.0);
  EXPECT_GT(inverted.position(), 0.19) << "only warned about; the stop pushes the joint in";
}

TEST(ServoNode, Line244_StopsOfZeroAreNone) {
  for (const Bench& bench : servos("maxForce 60", "minStop 0 maxStop 0")) {
    Rig rig(bench);
    rig.motor.set_position(4.5);
    rig.run(4.0);
    EXPECT_NEAR(rig.position(), 4.5, kHeld);
    rig.motor.set_position(-4.5);
    rig.run(4.0);
    EXPECT_NEAR(rig.position(), -4.5, kHeld);
  }
}

// At rest the row of ODE's stop gives CFM·λ = ERP·depth/h.
TEST(ServoNode, Line245_TheyAreOdesStops) {
  for (Bench bench : servos("maxForce 90", "minStop -0.2 maxStop 0.3 dampingConstant 20")) {
    bench.cfm = 1e-3;
    Rig rig(bench);
    rig.motor.set_force(25.0);
    rig.run(10.0);
    EXPECT_NEAR(rig.position() - 0.3, 1e-3 * kStep * 25.0 / 0.2, 1e-8);
  }
}

TEST(ServoNode, Line248_SoftLimitsShouldLieWithinHardOnes) {
  soft_limits_should_lie_within_hard_ones(Kind::Servo);
}

}  // namespace
}  // namespace servosim::test
