// SPDX-License-Identifier: Apache-2.0
// Drives straight on, then turns on the spot.
#include <math.h>
#include <webots/motor.h>
#include <webots/robot.h>

int main(void) {
  wb_robot_init();
  const char *names[] = {"front left", "front right", "rear left", "rear right"};
  WbDeviceTag wheels[4];
  for (int i = 0; i < 4; ++i) {
    wheels[i] = wb_robot_get_device(names[i]);
    wb_motor_set_position(wheels[i], INFINITY);
    wb_motor_set_velocity(wheels[i], 0.0);
  }
  const int time_step = (int)wb_robot_get_basic_time_step();
  while (wb_robot_step(time_step) != -1) {
    const int turning = wb_robot_get_time() > 2.0;
    for (int i = 0; i < 4; ++i)
      wb_motor_set_velocity(wheels[i], turning && i % 2 == 0 ? -5.0 : 5.0);
  }
  wb_robot_cleanup();
  return 0;
}
