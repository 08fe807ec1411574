// SPDX-License-Identifier: Apache-2.0
// Visits the objects of two classes, which look like all others, by the segmentation picture.
#include <math.h>
#include <stddef.h>
#include <webots/camera.h>
#include <webots/motor.h>
#include <webots/robot.h>

static const int classes[][3] = {{0, 255, 0}, {255, 128, 0}};  // red, green, blue

int main() {
  wb_robot_init();
  const int step = 4 * (int)wb_robot_get_basic_time_step();
  const WbDeviceTag camera = wb_robot_get_device("camera");
  const WbDeviceTag left = wb_robot_get_device("left wheel motor");
  const WbDeviceTag right = wb_robot_get_device("right wheel motor");
  if (!wb_camera_recognition_has_segmentation(camera)) return 1;
  wb_camera_enable(camera, step);
  wb_camera_recognition_enable(camera, step);
  wb_camera_recognition_enable_segmentation(camera);
  wb_motor_set_position(left, INFINITY);
  wb_motor_set_position(right, INFINITY);
  const int width = wb_camera_get_width(camera), height = wb_camera_get_height(camera);
  int wanted = 0, waiting = 0;
  while (wb_robot_step(step) != -1) {
    const unsigned char *image = wb_camera_recognition_get_segmentation_image(camera);
    if (image == NULL) continue;
    int count = 0;
    double middle = 0;
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        if (wanted < 2 && wb_camera_image_get_red(image, width, x, y) == classes[wanted][0] &&
            wb_camera_image_get_green(image, width, x, y) == classes[wanted][1] &&
            wb_camera_image_get_blue(image, width, x, y) == classes[wanted][2]) {
          ++count;
          middle += x;
        }
    double turn = wanted < 2 ? 2 : 0, forward = 0;
    if (count > 0) {
      turn = 6 * (0.5 - middle / count / (width - 1));
      forward = 8;
      if (count > 0.35 * width * height) {
        forward = turn = 0;
        if (++waiting > 15) {
          ++wanted;
          waiting = 0;
        }
      }
    }
    wb_motor_set_velocity(left, forward - turn);
    wb_motor_set_velocity(right, forward + turn);
  }
  wb_robot_cleanup();
  return 0;
}
