// SPDX-License-Identifier: Apache-2.0
// Drives off, and then in a circle to the left. Prints once a second the directions of the wheels
// and how far they have rolled.
#include <math.h>
#include <stdio.h>
#include <webots/motor.h>
#include <webots/position_sensor.h>
#include <webots/robot.h>

#define WHEEL_RADIUS 0.08

int main(void) {
  wb_robot_init();
  const int time_step = (int)wb_robot_get_basic_time_step();
  const WbDeviceTag steer[] = {wb_robot_get_device("left steer"),
                               wb_robot_get_device("right steer")};
  const WbDeviceTag drive[] = {wb_robot_get_device("left drive"),
                               wb_robot_get_device("right drive")};
  const WbDeviceTag angle = wb_robot_get_device("left steer sensor");
  const WbDeviceTag rolled = wb_robot_get_device("left drive sensor");
  wb_position_sensor_enable(angle, time_step);
  wb_position_sensor_enable(rolled, time_step);
  for (int i = 0; i < 2; ++i) {
    wb_motor_set_position(drive[i], INFINITY);
    wb_motor_set_velocity(drive[i], 12.0);
  }
  int second = 0;
  while (wb_robot_step(time_step) != -1) {
    if (wb_robot_get_time() < second + 1) continue;
    ++second;
    if (second == 2) {
      // Both wheels turn about one point: the inner one is turned in more and rolls slower.
      wb_motor_set_position(steer[0], 0.349);
      wb_motor_set_position(steer[1], 0.281);
      wb_motor_set_velocity(drive[0], 10.7);
      wb_motor_set_velocity(drive[1], 13.3);
    }
    printf("%d s: wheel at %.3f rad, %.2f m rolled\n", second, wb_position_sensor_get_value(angle),
           WHEEL_RADIUS * wb_position_sensor_get_value(rolled));
  }
  wb_robot_cleanup();
  return 0;
}
