// SPDX-License-Identifier: Apache-2.0
// Reaches forward and down, grips, and comes back. After each pose it prints how far the arm is
// from it: servos of 7.4 V at P = 16 stop short of their goals, by what they carry and by their
// friction.
#include <math.h>
#include <stdio.h>
#include <webots/motor.h>
#include <webots/position_sensor.h>
#include <webots/robot.h>

enum { kJoints = 6 };
static const char *const names[kJoints] = {"shoulder_pan", "shoulder_lift", "elbow_flex",
                                           "wrist_flex",   "wrist_roll",    "gripper"};
static const struct {
  const char *name;
  double goals[kJoints];
} poses[] = {{"reach", {0.3, 0.4, 0.2, 0.3, 0.0, 0.8}},
             {"grip", {0.3, 0.3, 0.3, 0.3, 0.0, 0.0}},
             {"home", {0.0, 0.0, 0.0, 0.0, 0.0, 0.0}}};

int main(void) {
  wb_robot_init();
  const int step = (int)wb_robot_get_basic_time_step();
  WbDeviceTag motors[kJoints], sensors[kJoints];
  for (int j = 0; j < kJoints; ++j) {
    motors[j] = wb_robot_get_device(names[j]);
    sensors[j] = wb_motor_get_position_sensor(motors[j]);
    wb_position_sensor_enable(sensors[j], step);
    wb_motor_set_velocity(motors[j], 1.5);
  }
  for (unsigned p = 0; p < sizeof poses / sizeof *poses; ++p) {
    for (int j = 0; j < kJoints; ++j) wb_motor_set_position(motors[j], poses[p].goals[j]);
    const double end = wb_robot_get_time() + 2.0;
    while (wb_robot_get_time() < end)
      if (wb_robot_step(step) == -1) return 0;
    printf("%s:", poses[p].name);
    for (int j = 0; j < kJoints; ++j)
      printf(" %s %+.1f deg", names[j],
             (wb_position_sensor_get_value(sensors[j]) - poses[p].goals[j]) * 180.0 / M_PI);
    printf("\n");
  }
  wb_robot_cleanup();
  return 0;
}
