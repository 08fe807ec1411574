/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <webots/motor.h>
#include <webots/position_sensor.h>
#include <webots/robot.h>

int main(void) {
  wb_robot_init();
  const WbDeviceTag motor = wb_robot_get_device("shoulder");
  const WbDeviceTag sensor = wb_motor_get_position_sensor(motor);
  wb_motor_set_position(motor, -0.8);
  wb_position_sensor_enable(sensor, 8);
  wb_robot_step(2000);
  printf("shoulder %.2f\n", wb_position_sensor_get_value(sensor));
  wb_robot_cleanup();
  return 0;
}
