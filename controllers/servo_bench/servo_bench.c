// SPDX-License-Identifier: Apache-2.0
// A controller in the style of Webots 6, with Servos and their old functions.
#include <math.h>
#include <stdio.h>
#include <webots/robot.h>
#include <webots/servo.h>

#define TIME_STEP 32

int main(void) {
  wb_robot_init();
  WbDeviceTag motor = wb_robot_get_device("motor");
  WbDeviceTag spring = wb_robot_get_device("spring");
  WbDeviceTag lift = wb_robot_get_device("lift");
  wb_servo_enable_position(motor, TIME_STEP);
  wb_servo_enable_position(spring, TIME_STEP);
  wb_servo_enable_position(lift, TIME_STEP);
  double t = 0.0;
  while (wb_robot_step(TIME_STEP) != -1) {
    wb_servo_set_position(motor, 0.6 * sin(2.0 * t));
    wb_servo_set_position(lift, t < 3.0 ? 0.25 : 0.0);
    t += TIME_STEP / 1000.0;
    if (fmod(t, 2.0) < TIME_STEP / 1000.0)
      printf("%.2f s: motor %.3f, spring %.3f rad, lift %.3f m\n", t, wb_servo_get_position(motor),
             wb_servo_get_position(spring), wb_servo_get_position(lift));
  }
  wb_robot_cleanup();
  return 0;
}
