// SPDX-License-Identifier: Apache-2.0
// What a control board of YARP means as Servos and Motors do.
#include "conformance/shared_behaviour.h"

namespace servosim::test {
namespace {

TEST(BoardMotor, PositionsAreThoseOfTheJoint) { positions_are_radians_or_metres(Kind::Board); }
TEST(BoardMotor, VelocitiesAreThoseOfTheJoint) { velocity_6_28_is_one_turn_a_second(Kind::Board); }
TEST(BoardMotor, TorqueActsDirectly) { a_force_can_be_specified_directly(Kind::Board); }
TEST(BoardMotor, TorqueSwitchesTheRestOff) { a_force_switches_the_rest_off(Kind::Board); }
TEST(BoardMotor, TorqueActsContinuously) { a_force_acts_continuously(Kind::Board); }
TEST(BoardMotor, PositionControlComesBack) { a_position_restores_position_control(Kind::Board); }
TEST(BoardMotor, StaysWithinSoftLimits) { the_law_does_not_move_beyond_soft_limits(Kind::Board); }

}  // namespace
}  // namespace servosim::test
