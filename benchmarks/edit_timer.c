// SPDX-License-Identifier: Apache-2.0
// A supervisor that measures the cost of edits in a growing world. It prints microseconds for the
// edits around the 200th and around the 5000th, with their ratio: imports of Solids, of Poses and
// into nested Groups, a step after them, changes of a field, finding a DEF, removals. Its world is
// tests/worlds/api_supervisor.wbt.
#include <stdio.h>
#include <time.h>
#include <webots/robot.h>
#include <webots/supervisor.h>

enum { COUNT = 5000, FIRST = 200, SPAN = 100 };

static const char *const kSolid =
    "DEF N%d Solid { translation %d 0 0 name \"n%d\" boundingObject Box {} "
    "children [ Shape { geometry Box {} } ] }";
static const char *const kPose = "DEF N%d Pose { translation %d 0 0 children [ Group {} ] } # %d";

static double now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static double total;  // time of the measured work
static double early;  // mean around the 200th edit
static double late;   // mean around the last edit

// Adds the time of the i-th piece of work.
static void count(int i, double us) {
  if (i == 0) total = early = late = 0.0;
  total += us;
  if (i >= FIRST - SPAN && i < FIRST) early += us / SPAN;
  if (i >= COUNT - SPAN) late += us / SPAN;
}

static void print(const char *what) {
  printf("%-28s %8.1f us at %d, %8.1f us at %d: ratio %5.2f, all %.2f s\n", what, early, FIRST,
         late, COUNT, late / early, 1e-6 * total);
}

static WbNodeRef node(int i) {
  char name[16];
  snprintf(name, sizeof name, "N%d", i);
  return wb_supervisor_node_get_from_def(name);
}

static void grow_and_shrink(WbFieldRef children, const char *format, const char *what) {
  const int step = (int)wb_robot_get_basic_time_step();
  char text[256];
  printf("%s\n", what);
  for (int i = 0; i < COUNT; ++i) {
    snprintf(text, sizeof text, format, i, 3 * i, i);
    const double start = now_us();
    wb_supervisor_field_import_mf_node_from_string(children, -1, text);
    count(i, now_us() - start);
  }
  print("  import");
  const double start = now_us();
  wb_robot_step(step);
  printf("  the step after them: %.3f s\n", 1e-6 * (now_us() - start));
  for (int i = 0; i < COUNT; ++i) {
    const double begin = now_us();
    const WbNodeRef found = node(i);
    count(i, now_us() - begin);
    if (found == NULL) printf("  N%d is lost\n", i);
  }
  print("  find by DEF");
  for (int i = 0; i < COUNT; ++i) {
    const double place[3] = {3.0 * i, 1.0, 0.0};
    const WbFieldRef translation = wb_supervisor_node_get_field(node(i), "translation");
    const double begin = now_us();
    wb_supervisor_field_set_sf_vec3f(translation, place);
    count(i, now_us() - begin);
  }
  print("  set a translation");
  for (int i = 0; i < COUNT; ++i) {
    const WbNodeRef last = node(COUNT - 1 - i);
    const double begin = now_us();
    wb_supervisor_node_remove(last);
    count(i, now_us() - begin);
  }
  print("  remove");
  wb_robot_step(step);
}

int main(void) {
  wb_robot_init();
  wb_robot_step((int)wb_robot_get_basic_time_step());
  const WbFieldRef root = wb_supervisor_node_get_field(wb_supervisor_node_get_root(), "children");
  grow_and_shrink(root, kSolid, "Solids in the root");
  grow_and_shrink(root, kPose, "Poses in the root");
  wb_supervisor_field_import_mf_node_from_string(
      root, -1, "Group { children [ Pose { children [ DEF DEEP Group {} ] } ] }");
  const WbFieldRef deep =
      wb_supervisor_node_get_field(wb_supervisor_node_get_from_def("DEEP"), "children");
  grow_and_shrink(deep, kSolid, "Solids in nested Groups");
  grow_and_shrink(deep, kPose, "Poses in nested Groups");
  wb_robot_cleanup();
  return 0;
}
