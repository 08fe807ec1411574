// SPDX-License-Identifier: Apache-2.0
// A supervisor that measures how long it takes to read a field, and prints the mean in
// microseconds: of a place, which the simulation has, and of a number in the tree. Its world:
// tests/worlds/api_supervisor.wbt.
#include <stdio.h>
#include <time.h>
#include <webots/robot.h>
#include <webots/supervisor.h>

enum { READS = 200000 };

static double now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static WbFieldRef field(const char *def, const char *name) {
  return wb_supervisor_node_get_field(wb_supervisor_node_get_from_def(def), name);
}

int main(void) {
  wb_robot_init();
  wb_robot_step((int)wb_robot_get_basic_time_step());
  const WbFieldRef translation = field("BALL", "translation");
  const WbFieldRef mass = field("PHYSICS", "mass");
  double sum = 0.0;
  const double start = now_us();
  for (int i = 0; i < READS; ++i) sum += wb_supervisor_field_get_sf_vec3f(translation)[2];
  const double middle = now_us();
  for (int i = 0; i < READS; ++i) sum += wb_supervisor_field_get_sf_float(mass);
  const double end = now_us();
  printf("%.3f %.3f\n", (middle - start) / READS, (end - middle) / READS);
  wb_robot_cleanup();
  return sum > 0.0 ? 0 : 1;
}
