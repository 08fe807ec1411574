// SPDX-License-Identifier: Apache-2.0
// A controller that moves one motor until the simulation ends.
#include <math.h>
#include <webots/motor.h>
#include <webots/position_sensor.h>
#include <webots/robot.h>

int main(void) {
  wb_robot_init();
  const int time_step = (int)wb_robot_get_basic_time_step();
  const WbDeviceTag motor = wb_robot_get_device("m");
  const WbDeviceTag sensor = wb_robot_get_device("s");
  wb_position_sensor_enable(sensor, time_step);
  while (wb_robot_step(time_step) != -1) {
    wb_motor_set_position(motor, 0.3 * sin(2.0 * wb_robot_get_time()));
    if (isnan(wb_position_sensor_get_value(sensor))) return 1;
  }
  wb_robot_cleanup();
  return 0;
}
