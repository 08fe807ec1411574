// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conformance/bench.h"

// Behaviour that the documents of both Servo and Motor state, for a hinge and a slider each.

namespace servosim::test {

// Position control.
void positions_are_radians_or_metres(Kind kind);
void limits_count_from_zero(Kind kind);
void position_control_is_the_standard_way(Kind kind);
void a_target_is_pursued_within_velocity_acceleration_and_force(Kind kind);
void position_control_has_three_stages(Kind kind);
void the_controller_chooses_the_parameters(Kind kind);
void the_law_computes_the_velocity(Kind kind);
void the_physics_carries_it_out(Kind kind);
void the_law_runs_at_each_step(Kind kind, const PidGains& gains);
void the_laws_parameters_come_from_fields_and_functions(Kind kind);

// Velocity control.
void velocity_control_replaces_position_control(Kind kind);
void velocity_control_takes_two_calls(Kind kind);
void velocity_control_moves_on_within_its_limits(Kind kind);
void velocity_6_28_is_one_turn_a_second(Kind kind);

// Force control.
void both_controls_drive_an_ode_motor(Kind kind);
void a_force_can_be_specified_directly(Kind kind);
void a_force_switches_the_rest_off(Kind kind);
void a_position_restores_position_control(Kind kind);
void a_force_acts_continuously(Kind kind);
void a_force_accelerates_without_end_unless_it_is_controlled(Kind kind);

// Limits.
void soft_limits_are_read_from_the_fields(Kind kind);
void the_law_does_not_move_beyond_soft_limits(Kind kind);
void targets_are_clipped(Kind kind);
void soft_limits_must_enclose_the_position(Kind kind);
void soft_limits_of_zero_are_none(Kind kind);
void soft_limits_give_way_to_force(Kind kind);
void a_weight_can_exceed_the_motor_force(Kind kind);
void soft_limits_should_lie_within_hard_ones(Kind kind);

}  // namespace servosim::test
