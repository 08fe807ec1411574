// SPDX-License-Identifier: Apache-2.0
// Looks around: pan and tilt follow sines of different periods.
#include <math.h>
#include <stdio.h>
#include <webots/robot.h>
#include <webots/servo.h>

#define TIME_STEP 32

int main(void) {
  wb_robot_init();
  WbDeviceTag pan = wb_robot_get_device("pan");
  WbDeviceTag tilt = wb_robot_get_device("tilt");
  wb_servo_enable_position(pan, TIME_STEP);
  wb_servo_enable_position(tilt, TIME_STEP);
  double t = 0.0;
  while (wb_robot_step(TIME_STEP) != -1) {
    wb_servo_set_position(pan, 1.2 * sin(0.9 * t));
    wb_servo_set_position(tilt, 0.5 * sin(1.7 * t));
    t += TIME_STEP / 1000.0;
    if (fmod(t, 1.0) < TIME_STEP / 1000.0)
      printf("%.2f s: pan %.3f, tilt %.3f rad\n", t, wb_servo_get_position(pan),
             wb_servo_get_position(tilt));
  }
  wb_robot_cleanup();
  return 0;
}
