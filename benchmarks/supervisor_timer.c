// SPDX-License-Identifier: Apache-2.0
// A supervisor that measures the time of reading and prints means in microseconds: of a field that
// is a place, which the simulation has; of one that is a number in the tree; of a pose and of
// contact points; of both while they are tracked. Its world is tests/worlds/api_supervisor.wbt.
#include <stdio.h>
#include <time.h>
#include <webots/robot.h>
#include <webots/supervisor.h>

enum { READS = 50000, STEPS = 200, READS_IN_STEP = 100 };

static double now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static WbFieldRef field(const char *def, const char *name) {
  return wb_supervisor_node_get_field(wb_supervisor_node_get_from_def(def), name);
}

// Measures the mean time of reading a pose, and contact points, after each of many steps.
static void read_both(WbNodeRef node, double *pose, double *contacts) {
  const int step = (int)wb_robot_get_basic_time_step();
  double in_pose = 0.0, in_contacts = 0.0, sum = 0.0;
  for (int n = 0; n < STEPS; ++n) {
    wb_robot_step(step);
    const double start = now_us();
    for (int i = 0; i < READS_IN_STEP; ++i) sum += wb_supervisor_node_get_pose(node, NULL)[11];
    const double middle = now_us();
    for (int i = 0; i < READS_IN_STEP; ++i) {
      int size = 0;
      wb_supervisor_node_get_contact_points(node, false, &size);
      sum += size;
    }
    in_contacts += now_us() - middle;
    in_pose += middle - start;
  }
  *pose = in_pose / (STEPS * READS_IN_STEP);
  *contacts = in_contacts / (STEPS * READS_IN_STEP);
  if (sum == 0.123) puts("");  // keeps the compiler from leaving out the reads
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
  const WbNodeRef ball = wb_supervisor_node_get_from_def("BALL");
  double pose, contacts, tracked_pose, tracked_contacts;
  read_both(ball, &pose, &contacts);
  wb_supervisor_node_enable_pose_tracking(ball, 1, NULL);
  wb_supervisor_node_enable_contact_points_tracking(ball, 1, false);
  read_both(ball, &tracked_pose, &tracked_contacts);
  printf("%.3f %.3f %.3f %.3f %.3f %.3f\n", (middle - start) / READS, (end - middle) / READS, pose,
         contacts, tracked_pose, tracked_contacts);
  wb_robot_cleanup();
  return sum > 0.0 ? 0 : 1;
}
