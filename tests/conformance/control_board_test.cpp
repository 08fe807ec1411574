// SPDX-License-Identifier: Apache-2.0
// A control board of YARP has the behaviour of Servos and Motors, except for these shared
// behaviours:
//   position_control_has_three_stages and the_law_computes_the_velocity: the board's law computes
//   an
//     effort from a position and gives the motor no velocity;
//   the_law_runs_at_each_step and the_laws_parameters_come_from_fields_and_functions: the board has
//     another law, whose parameters are the board's (Laws.StiffIsAnImplicitPid);
//   velocity_control_takes_two_calls: a mode and a command take the place of an infinite target,
//   which
//     a board refuses (Board.RefusesWhatIsNoNumber);
//   both_controls_drive_an_ode_motor: the Pid, not the CFM, decides how far a joint yields.
#include "conformance/shared_behaviour.h"

namespace servosim::test {
namespace {

// Position control.
TEST(BoardMotor, PositionsAreThoseOfTheJoint) { positions_are_radians_or_metres(Kind::Board); }
TEST(BoardMotor, LimitsCountFromZero) { limits_count_from_zero(Kind::Board); }
TEST(BoardMotor, StartsInPositionControl) { position_control_is_the_standard_way(Kind::Board); }
TEST(BoardMotor, PursuesWithinVelocityAccelerationAndForce) {
  a_target_is_pursued_within_velocity_acceleration_and_force(Kind::Board);
}
TEST(BoardMotor, TakesParametersBetweenTheSteps) {
  the_controller_chooses_the_parameters(Kind::Board);
}
TEST(BoardMotor, LeavesTheMotionToThePhysics) { the_physics_carries_it_out(Kind::Board); }

// Velocity control.
TEST(BoardMotor, VelocityGoesOn) { velocity_control_replaces_position_control(Kind::Board); }
TEST(BoardMotor, VelocityStaysWithinItsBounds) {
  velocity_control_moves_on_within_its_limits(Kind::Board);
}
TEST(BoardMotor, VelocitiesAreThoseOfTheJoint) { velocity_6_28_is_one_turn_a_second(Kind::Board); }

// Torque control.
TEST(BoardMotor, TorqueActsDirectly) { a_force_can_be_specified_directly(Kind::Board); }
TEST(BoardMotor, TorqueSwitchesTheRestOff) { a_force_switches_the_rest_off(Kind::Board); }
TEST(BoardMotor, PositionControlComesBack) { a_position_restores_position_control(Kind::Board); }
TEST(BoardMotor, TorqueActsContinuously) { a_force_acts_continuously(Kind::Board); }
TEST(BoardMotor, TorqueAcceleratesWithoutEnd) {
  a_force_accelerates_without_end_unless_it_is_controlled(Kind::Board);
}

// Limits.
TEST(BoardMotor, ReadsLimitsFromTheWorld) { soft_limits_are_read_from_the_fields(Kind::Board); }
TEST(BoardMotor, StaysWithinSoftLimits) { the_law_does_not_move_beyond_soft_limits(Kind::Board); }
TEST(BoardMotor, ClipsTargets) { targets_are_clipped(Kind::Board); }
TEST(BoardMotor, LimitsEncloseThePosition) { soft_limits_must_enclose_the_position(Kind::Board); }
TEST(BoardMotor, LimitsOfZeroAreNone) { soft_limits_of_zero_are_none(Kind::Board); }
TEST(BoardMotor, LimitsGiveWayToForce) { soft_limits_give_way_to_force(Kind::Board); }
TEST(BoardMotor, AWeightCanBeTooMuch) { a_weight_can_exceed_the_motor_force(Kind::Board); }
TEST(BoardMotor, LimitsLieWithinStops) { soft_limits_should_lie_within_hard_ones(Kind::Board); }

}  // namespace
}  // namespace servosim::test
