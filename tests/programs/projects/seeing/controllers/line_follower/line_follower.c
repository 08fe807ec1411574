// SPDX-License-Identifier: Apache-2.0
// Follows a black line by the grey values of one row of pixels.
#include <math.h>
#include <stddef.h>
#include <webots/camera.h>
#include <webots/motor.h>
#include <webots/robot.h>

int main() {
  wb_robot_init();
  const int step = (int)wb_robot_get_basic_time_step();
  const WbDeviceTag camera = wb_robot_get_device("camera");
  const WbDeviceTag left = wb_robot_get_device("left wheel motor");
  const WbDeviceTag right = wb_robot_get_device("right wheel motor");
  wb_camera_enable(camera, 2 * step);
  wb_motor_set_position(left, INFINITY);
  wb_motor_set_position(right, INFINITY);
  const int width = wb_camera_get_width(camera), row = wb_camera_get_height(camera) / 2;
  double off = 0;  // of the line from the middle, -1 to 1
  while (wb_robot_step(step) != -1) {
    const unsigned char *image = wb_camera_get_image(camera);
    if (image == NULL) continue;
    double dark = 0, place = 0;
    for (int x = 0; x < width; ++x) {
      const int grey = wb_camera_image_get_gray(image, width, x, row);
      if (grey < 80) {
        dark += 80 - grey;
        place += (80 - grey) * (2.0 * x / (width - 1) - 1);
      }
    }
    if (dark > 0)  // else it turns to where the line was last
      off = place / dark;
    const double speed = 10 - 6 * (off < 0 ? -off : off);
    wb_motor_set_velocity(left, speed + 5 * off);
    wb_motor_set_velocity(right, speed - 5 * off);
  }
  wb_robot_cleanup();
  return 0;
}
