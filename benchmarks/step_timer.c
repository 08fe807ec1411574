// SPDX-License-Identifier: Apache-2.0
// A controller that measures its own steps and prints the median in microseconds.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <webots/motor.h>
#include <webots/position_sensor.h>
#include <webots/robot.h>

enum { STEPS = 20001 };

static double now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

int main(void) {
  static double took[STEPS];
  wb_robot_init();
  const int time_step = (int)wb_robot_get_basic_time_step();
  const WbDeviceTag motor = wb_robot_get_device("shoulder");
  const WbDeviceTag sensor = wb_robot_get_device("shoulder sensor");
  wb_position_sensor_enable(sensor, time_step);
  for (int i = 0; i < STEPS; ++i) {
    const double start = now_us();
    wb_motor_set_position(motor, 0.3 * sin(0.01 * i) - 0.5);
    if (wb_robot_step(time_step) == -1 || isnan(wb_position_sensor_get_value(sensor))) return 1;
    took[i] = now_us() - start;
  }
  qsort(took, STEPS, sizeof took[0], ascending);
  printf("%.3f\n", took[STEPS / 2]);
  wb_robot_cleanup();
  return 0;
}
