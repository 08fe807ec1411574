// SPDX-License-Identifier: Apache-2.0
// Moves the rest position of a spring up and down and prints how far the weight hangs below it.
#include <math.h>
#include <stdio.h>
#include <webots/robot.h>
#include <webots/servo.h>

#define TIME_STEP 32

int main(void) {
  wb_robot_init();
  WbDeviceTag motor = wb_robot_get_device("motor");
  WbDeviceTag spring = wb_robot_get_device("spring");
  wb_servo_enable_position(motor, TIME_STEP);
  wb_servo_enable_position(spring, TIME_STEP);
  double t = 0.0;
  while (wb_robot_step(TIME_STEP) != -1) {
    wb_servo_set_position(motor, fmod(t, 6.0) < 3.0 ? 0.25 : 0.05);
    t += TIME_STEP / 1000.0;
    if (fmod(t, 1.0) < TIME_STEP / 1000.0)
      printf("%.2f s: motor at %.3f m, spring drawn out by %.3f m\n", t,
             wb_servo_get_position(motor), -wb_servo_get_position(spring));
  }
  wb_robot_cleanup();
  return 0;
}
