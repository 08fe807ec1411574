// SPDX-License-Identifier: Apache-2.0
// Stands, then bends and stretches its knees, and prints how far servos of 5 V follow.
#include <math.h>
#include <stdio.h>
#include <webots/inertial_unit.h>
#include <webots/motor.h>
#include <webots/position_sensor.h>
#include <webots/robot.h>

enum { kLegs = 2, kPitches = 3 };
static const char *const sides[kLegs] = {"left", "right"};
static const char *const pitches[kPitches] = {"hip_pitch", "knee", "ankle"};
static const double shares[kPitches] = {-1.0, 2.0, -1.0};  // of the bend of the leg

int main(void) {
  wb_robot_init();
  const int step = (int)wb_robot_get_basic_time_step();
  WbDeviceTag motors[kLegs][kPitches], sensors[kLegs][kPitches];
  for (int l = 0; l < kLegs; ++l)
    for (int p = 0; p < kPitches; ++p) {
      char name[40];
      snprintf(name, sizeof name, "%s_%s", sides[l], pitches[p]);
      motors[l][p] = wb_robot_get_device(name);
      sensors[l][p] = wb_motor_get_position_sensor(motors[l][p]);
      wb_position_sensor_enable(sensors[l][p], step);
    }
  const WbDeviceTag imu = wb_robot_get_device("imu");
  wb_inertial_unit_enable(imu, step);
  double largest = 0.0;
  while (wb_robot_step(step) != -1) {
    const double t = wb_robot_get_time();
    const double bend =
        0.3 + (t < 1.0 ? 0.0 : 0.25 * (1.0 - cos(2.0 * M_PI * 0.5 * (t - 1.0))) / 2.0);
    for (int l = 0; l < kLegs; ++l)
      for (int p = 0; p < kPitches; ++p) {
        wb_motor_set_position(motors[l][p], shares[p] * bend);
        const double error = fabs(wb_position_sensor_get_value(sensors[l][p]) - shares[p] * bend);
        if (t > 0.5 && error > largest) largest = error;
      }
    if (t >= 5.0) break;
  }
  const double *angles = wb_inertial_unit_get_roll_pitch_yaw(imu);
  printf("after 5 s: pitch %.1f deg; largest error of a joint %.1f deg\n", angles[1] * 180.0 / M_PI,
         largest * 180.0 / M_PI);
  wb_robot_cleanup();
  return 0;
}
