// SPDX-License-Identifier: Apache-2.0
// Drives in one direction past obstacles, which it sees by a picture of depths.
#include <math.h>
#include <stddef.h>
#include <webots/inertial_unit.h>
#include <webots/motor.h>
#include <webots/range_finder.h>
#include <webots/robot.h>

#define WIDTH 64
#define CLEARANCE 0.16  // half of the gap that the robot needs [m]

// The distance that is free along the direction of a column, for the whole width of the robot.
static double free_way(const double *nearest, const double *angle, int column) {
  double way = 1.5;
  for (int x = 0; x < WIDTH; ++x) {
    const double off = angle[x] - angle[column];
    const double distance = nearest[x] / cos(angle[x]);
    if (isfinite(distance) && fabs(distance * sin(off)) < CLEARANCE)
      way = fmin(way, distance * cos(off));
  }
  return way;
}

int main() {
  wb_robot_init();
  const int step = 2 * (int)wb_robot_get_basic_time_step();
  const WbDeviceTag finder = wb_robot_get_device("depth");
  const WbDeviceTag unit = wb_robot_get_device("imu");
  const WbDeviceTag left = wb_robot_get_device("left wheel motor");
  const WbDeviceTag right = wb_robot_get_device("right wheel motor");
  wb_range_finder_enable(finder, step);
  wb_inertial_unit_enable(unit, step);
  wb_motor_set_position(left, INFINITY);
  wb_motor_set_position(right, INFINITY);
  const int height = wb_range_finder_get_height(finder);
  const double side = tan(wb_range_finder_get_fov(finder) / 2);
  double angle[WIDTH];
  for (int x = 0; x < WIDTH; ++x)
    angle[x] = atan(side * (1 - (2.0 * x + 1) / WIDTH));  // to the left
  while (wb_robot_step(step) != -1) {
    const float *image = wb_range_finder_get_range_image(finder);
    if (image == NULL) continue;
    double nearest[WIDTH];
    for (int x = 0; x < WIDTH; ++x) {
      nearest[x] = INFINITY;
      for (int y = 0; y <= height / 2; ++y)  // the floor is below
        nearest[x] = fmin(nearest[x], wb_range_finder_image_get_depth(image, WIDTH, x, y));
    }
    const double yaw = wb_inertial_unit_get_roll_pitch_yaw(unit)[2];
    int best = 0;
    double best_value = -INFINITY;
    for (int x = 0; x < WIDTH; ++x) {
      const double value = free_way(nearest, angle, x) - 0.4 * fabs(angle[x] + yaw);
      if (value > best_value) {
        best_value = value;
        best = x;
      }
    }
    const double turn = 5 * angle[best];
    const double forward = 7 * fmin(1, free_way(nearest, angle, WIDTH / 2)) - fabs(turn);
    wb_motor_set_velocity(left, fmax(0, forward) - turn);
    wb_motor_set_velocity(right, fmax(0, forward) + turn);
  }
  wb_robot_cleanup();
  return 0;
}
