/* SPDX-License-Identifier: Apache-2.0 */
/* Motors: getters, refusals, and the effect of settings in the simulation. */
#include <webots/motor.h>
#include <webots/position_sensor.h>
#include <webots/robot.h>
#include <webots/servo.h>

#include "api.h"

static WbDeviceTag shoulder, lift, roll;

static void fields(void) {
  EXPECT_IS(wb_motor_get_target_position(shoulder), 0.3); /* the joint's position */
  EXPECT_IS(wb_motor_get_velocity(shoulder), 4.0);
  EXPECT_IS(wb_motor_get_max_velocity(shoulder), 4.0);
  EXPECT_IS(wb_motor_get_acceleration(shoulder), 7.0);
  EXPECT_IS(wb_motor_get_available_torque(shoulder), 30.0);
  EXPECT_IS(wb_motor_get_max_torque(shoulder), 30.0);
  EXPECT_IS(wb_motor_get_min_position(shoulder), -2.0);
  EXPECT_IS(wb_motor_get_max_position(shoulder), 2.5);
  EXPECT_IS(wb_motor_get_multiplier(shoulder), 1.0);
  EXPECT_IS(wb_motor_get_multiplier(lift), -2.0);
  EXPECT(wb_motor_get_type(shoulder) == WB_ROTATIONAL);
  EXPECT(wb_motor_get_type(lift) == WB_LINEAR);
  EXPECT_SILENCE();
}

static void set_values_show_at_once(void) {
  wb_motor_set_position(shoulder, 5.5);
  wb_motor_set_velocity(shoulder, 9.25);
  wb_motor_set_available_torque(shoulder, 12.5);
  EXPECT_IS(wb_motor_get_target_position(shoulder), 5.5);
  EXPECT_IS(wb_motor_get_velocity(shoulder), 9.25);
  EXPECT_IS(wb_motor_get_available_force(shoulder), 12.5);
  EXPECT_SILENCE();
  wb_robot_step(16);
  take_messages(); /* the simulation reports the clamping */
  EXPECT_IS(wb_motor_get_target_position(shoulder), 5.5);
  EXPECT_IS(wb_motor_get_velocity(shoulder), 9.25);
}

/* After a change of acceleration or gains the simulation sends its own values back. */
static void configuration_comes_back(void) {
  wb_motor_set_acceleration(shoulder, 3.5);
  EXPECT_IS(wb_motor_get_acceleration(shoulder), 3.5);
  wb_robot_step(16);
  EXPECT_IS(wb_motor_get_target_position(shoulder), 2.5);
  EXPECT_IS(wb_motor_get_velocity(shoulder), 4.0);
  EXPECT_IS(wb_motor_get_acceleration(shoulder), 3.5);
  EXPECT_IS(wb_motor_get_available_force(shoulder), 12.5);

  wb_motor_set_available_force(shoulder, 99.0);
  wb_motor_set_control_pid(shoulder, 8.0, 0.25, 0.125);
  wb_robot_step(16);
  take_messages();
  EXPECT_IS(wb_motor_get_available_force(shoulder), 30.0); /* only capped */

  wb_motor_set_position(lift, 0.75);
  wb_motor_set_velocity(lift, 0.125);
  wb_motor_set_control_p(lift, 4.0);
  EXPECT_IS(wb_motor_get_target_position(lift), 0.75);
  wb_robot_step(16);
  EXPECT_IS(wb_motor_get_target_position(lift), -1.5); /* times the multiplier */
  EXPECT_IS(wb_motor_get_velocity(lift), -0.25);
  EXPECT_SILENCE();
}

/* A value that is set between the halves of a step is not lost to a configuration that is on its
 * way. */
static void a_newer_value_stays(void) {
  wb_motor_set_acceleration(shoulder, 2.5);
  wb_robot_step_begin(16);
  wb_motor_set_position(shoulder, 0.75);
  wb_robot_step_end();
  EXPECT_IS(wb_motor_get_target_position(shoulder), 0.75);
  wb_robot_step(16);
  wb_motor_set_acceleration(shoulder, -1.0);
  wb_robot_step(16);
  EXPECT_IS(wb_motor_get_target_position(shoulder), 0.75);
  EXPECT_IS(wb_motor_get_acceleration(shoulder), -1.0);
  EXPECT_SILENCE();
}

static void negative_velocity(void) {
  wb_motor_set_velocity(shoulder, 1.5);
  wb_motor_set_velocity(shoulder, -1.25);
  EXPECT_MESSAGE("Error: wb_motor_set_velocity(): ");
  EXPECT_IS(wb_motor_get_velocity(shoulder), 1.5);
  wb_motor_set_position(shoulder, -INFINITY);
  wb_motor_set_velocity(shoulder, -1.25);
  EXPECT_IS(wb_motor_get_velocity(shoulder), -1.25);
  EXPECT_IS(isinf(wb_motor_get_target_position(shoulder)), -1);
  EXPECT_SILENCE();
}

static void refusals(void) {
  wb_motor_set_position(shoulder, 1.25);
  wb_motor_set_position(shoulder, NAN);
  EXPECT_MESSAGE("Error: wb_motor_set_position(): ");
  EXPECT_IS(wb_motor_get_target_position(shoulder), 1.25);
  wb_motor_set_velocity(shoulder, NAN);
  EXPECT_MESSAGE("Error: wb_motor_set_velocity(): ");
  wb_motor_set_acceleration(shoulder, -0.5);
  EXPECT_MESSAGE("Error: wb_motor_set_acceleration(): ");
  wb_motor_set_acceleration(shoulder, NAN);
  EXPECT_MESSAGE("Error: wb_motor_set_acceleration(): ");
  wb_motor_set_available_torque(shoulder, -3.0);
  EXPECT_MESSAGE("Error: wb_motor_set_available_torque(): ");
  wb_motor_set_available_force(shoulder, NAN);
  EXPECT_MESSAGE("Error: wb_motor_set_available_force(): ");
  wb_motor_set_torque(shoulder, NAN);
  EXPECT_MESSAGE("Error: wb_motor_set_torque(): ");
  wb_motor_set_control_pid(shoulder, 0.0, 2.0, 3.0);
  EXPECT_MESSAGE("Error: wb_motor_set_control_pid(): ");
  wb_motor_set_control_pid(shoulder, 2.0, -2.0, 3.0);
  EXPECT_MESSAGE("Error: wb_motor_set_control_pid(): ");
  wb_motor_set_control_pid(shoulder, 2.0, 2.0, NAN);
  EXPECT_MESSAGE("Error: wb_motor_set_control_pid(): ");
  wb_motor_set_control_p(shoulder, INFINITY);
  EXPECT_MESSAGE("Error: wb_motor_set_control_p(): ");
  wb_motor_enable_force_feedback(shoulder, -20);
  EXPECT_MESSAGE("Error: wb_motor_enable_force_feedback() called");
  EXPECT(wb_motor_get_force_feedback_sampling_period(shoulder) == 0);
}

static void wrong_tags(void) {
  const WbDeviceTag tags[] = {0, wb_robot_get_device("skin"), 999};
  for (int i = 0; i < 3; ++i) {
    wb_motor_set_position(tags[i], 1.5);
    EXPECT_MESSAGE("invalid device tag");
    EXPECT_NAN(wb_motor_get_velocity(tags[i]));
    EXPECT_NAN(wb_servo_get_position(tags[i]));
    EXPECT_MESSAGE("Error: wb_servo_get_position(): ");
    EXPECT(wb_motor_get_torque_feedback_sampling_period(tags[i]) == 0);
    EXPECT(wb_motor_get_type(tags[i]) == WB_ROTATIONAL);
    EXPECT(wb_motor_get_brake(tags[i]) == 0);
    EXPECT_MESSAGE("invalid device tag");
  }
  wb_motor_get_max_force(999);
  EXPECT_MESSAGE("device with tag=999 not found");
}

static void feedback(void) {
  EXPECT_NAN(wb_motor_get_force_feedback(roll)); /* no error about a disabled device */
  wb_motor_enable_torque_feedback(roll, 20);
  EXPECT(wb_motor_get_force_feedback_sampling_period(roll) == 20);
  wb_robot_step(16);
  EXPECT_NAN(wb_motor_get_torque_feedback(roll));
  wb_robot_step(16);
  EXPECT(isfinite(wb_motor_get_torque_feedback(roll)));
  wb_motor_disable_torque_feedback(roll);
  EXPECT(wb_motor_get_torque_feedback_sampling_period(roll) == 0);
  EXPECT(isfinite(wb_motor_get_force_feedback(roll)));
  EXPECT_SILENCE();
  wb_motor_enable_force_feedback(shoulder, 16); /* its parent has no Physics */
  wb_robot_step(32);
  take_messages();
  EXPECT_NAN(wb_motor_get_force_feedback(shoulder));
  EXPECT(wb_motor_get_force_feedback_sampling_period(shoulder) == 16);
}

/* Commands travel in a fixed order, force after position, whatever the order of the calls. So
 * this ends in force control and turns away from its target. */
static void fixed_order(void) {
  wb_motor_enable_position(roll, 16);
  wb_robot_step(32);
  const double before = wb_motor_get_position(roll);
  wb_motor_set_torque(roll, 0.5);
  wb_motor_set_position(roll, -1.5);
  wb_robot_step(160);
  EXPECT(wb_motor_get_position(roll) > before + 0.01);
  wb_motor_set_position(roll, -1.5);
  wb_robot_step(1600);
  EXPECT(wb_motor_get_position(roll) < before - 0.1);
  EXPECT_SILENCE();
}

int main(void) {
  api_begin();
  wb_robot_init();
  shoulder = wb_robot_get_device("shoulder");
  lift = wb_robot_get_device("lift");
  roll = wb_robot_get_device("roll");
  fields();
  set_values_show_at_once();
  configuration_comes_back();
  a_newer_value_stays();
  negative_velocity();
  refusals();
  wrong_tags();
  feedback();
  fixed_order();
  wb_robot_cleanup();
  EXPECT_IS(wb_motor_get_max_velocity(shoulder), 4.0); /* getters go on to work */
  return api_end();
}
