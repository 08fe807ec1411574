// SPDX-License-Identifier: Apache-2.0
// Moves the shoulder to the angle in its first argument and reports when it is there.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <webots/motor.h>
#include <webots/position_sensor.h>
#include <webots/robot.h>

int main(int argc, char **argv) {
  wb_robot_init();
  const double target = atof(argv[1]);
  WbDeviceTag motor = wb_robot_get_device("shoulder");
  WbDeviceTag sensor = wb_robot_get_device("angle");
  wb_position_sensor_enable(sensor, 8);
  wb_motor_set_position(motor, target);
  printf("%d arguments, the last is '%s'\n", argc - 1, argv[argc - 1]);
  while (wb_robot_step(16) != -1) {
    if (fabs(wb_position_sensor_get_value(sensor) - target) < 0.001) {
      printf("there\n");
      break;
    }
  }
  wb_robot_cleanup();
  return 0;
}
