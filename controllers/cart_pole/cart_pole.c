// SPDX-License-Identifier: Apache-2.0
// Balances the pole by pushing the cart: a state feedback on force control.
#include <stdio.h>
#include <webots/motor.h>
#include <webots/position_sensor.h>
#include <webots/robot.h>

int main(void) {
  wb_robot_init();
  const int time_step = (int)wb_robot_get_basic_time_step();
  const double h = time_step / 1000.0;
  const WbDeviceTag cart = wb_robot_get_device("cart");
  const WbDeviceTag cart_sensor = wb_robot_get_device("cart position");
  const WbDeviceTag pole_sensor = wb_robot_get_device("pole angle");
  wb_position_sensor_enable(cart_sensor, time_step);
  wb_position_sensor_enable(pole_sensor, time_step);
  wb_motor_set_force(cart, 0.0);

  double last_x = 0.0, last_angle = 0.0;
  for (int n = 0; wb_robot_step(time_step) != -1; ++n) {
    const double x = wb_position_sensor_get_value(cart_sensor);
    const double angle = wb_position_sensor_get_value(pole_sensor);
    if (n > 0) {
      const double push =
          40.0 * angle + 8.0 * (angle - last_angle) / h + 2.0 * x + 4.0 * (x - last_x) / h;
      wb_motor_set_force(cart, push);
    }
    last_x = x;
    last_angle = angle;
    if (n % 200 == 199) printf("cart %.3f m, pole %.4f rad\n", x, angle);
  }
  wb_robot_cleanup();
  return 0;
}
