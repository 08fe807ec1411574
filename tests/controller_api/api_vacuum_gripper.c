/* SPDX-License-Identifier: Apache-2.0 */
/* A crane whose suction cup is on a load of 2 kg grips the load, lifts it and drops it. */
#include <webots/device.h>
#include <webots/motor.h>
#include <webots/robot.h>
#include <webots/supervisor.h>
#include <webots/vacuum_gripper.h>

#include "api.h"

enum { kStep = 8 };

static double height(const char *def) {
  return wb_supervisor_node_get_position(wb_supervisor_node_get_from_def(def))[2];
}

/* Contacts had yielded by half a millimetre when the cup gripped. */
static void expect_held_at(double at) {
  EXPECT_NEAR(height("LOAD"), height("HOOK") - 0.2, 1e-3);
  EXPECT_NEAR(height("LOAD"), at, 1e-2);
}

static void bad_calls(WbDeviceTag cup) {
  wb_vacuum_gripper_turn_on(wb_robot_get_device("gps"));
  EXPECT_MESSAGE("Error: wb_vacuum_gripper_turn_on(): invalid device tag");
  wb_vacuum_gripper_enable_presence(cup, -8);
  EXPECT_MESSAGE("Error: wb_vacuum_gripper_enable_presence() called");
  EXPECT(!wb_vacuum_gripper_get_presence(cup));
  EXPECT_MESSAGE("Error: wb_vacuum_gripper_get_presence() called for a disabled device");
}

static void lift_to(double position) {
  const WbDeviceTag lift = wb_robot_get_device("lift");
  wb_motor_set_velocity(lift, 0.5);
  wb_motor_set_position(lift, position);
  for (int n = 0; n < 150; ++n) wb_robot_step(kStep);
}

int main(void) {
  api_begin();
  wb_robot_init();
  const WbDeviceTag cup = wb_robot_get_device("cup");
  const WbDeviceTag air = wb_robot_get_device("air");
  EXPECT(wb_device_get_node_type(cup) == WB_NODE_VACUUM_GRIPPER);
  EXPECT(!wb_vacuum_gripper_is_on(cup) && wb_vacuum_gripper_is_on(air));
  bad_calls(cup);

  wb_vacuum_gripper_enable_presence(cup, kStep);
  wb_vacuum_gripper_enable_presence(air, kStep);
  EXPECT(wb_vacuum_gripper_get_presence_sampling_period(cup) == kStep);
  wb_robot_step(kStep);
  EXPECT(!wb_vacuum_gripper_get_presence(cup)); /* it touches, and is off */
  wb_vacuum_gripper_turn_on(cup);
  EXPECT(wb_vacuum_gripper_is_on(cup));
  wb_robot_step(kStep);
  EXPECT(wb_vacuum_gripper_get_presence(cup) && !wb_vacuum_gripper_get_presence(air));
  lift_to(0.4);
  EXPECT(wb_vacuum_gripper_get_presence(cup));
  expect_held_at(0.5);
  wb_vacuum_gripper_turn_off(cup);
  EXPECT(!wb_vacuum_gripper_is_on(cup));
  for (int n = 0; n < 150; ++n) wb_robot_step(kStep);
  EXPECT(!wb_vacuum_gripper_get_presence(cup));
  EXPECT_NEAR(height("LOAD"), 0.1, 2e-3);

  /* The cup is on before it touches. */
  wb_vacuum_gripper_turn_on(cup);
  lift_to(0.1);
  EXPECT(wb_vacuum_gripper_is_on(cup) && !wb_vacuum_gripper_get_presence(cup));
  lift_to(-0.001);
  EXPECT(wb_vacuum_gripper_get_presence(cup));
  lift_to(0.2);
  expect_held_at(0.3);
  wb_vacuum_gripper_disable_presence(cup);
  EXPECT(wb_vacuum_gripper_get_presence_sampling_period(cup) == 0);
  EXPECT_SILENCE();
  wb_robot_cleanup();
  return api_end();
}
