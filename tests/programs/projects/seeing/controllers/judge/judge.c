// SPDX-License-Identifier: Apache-2.0
// Says whether a robot does its task, by what a Supervisor knows. Its arguments are a time limit
// [s] and then, one after the other, what the robot must do:
//
//     reach NODE X Y Z RADIUS    the node comes this close to a place
//     meet NODE OTHER RADIUS     two nodes come this close to each other
//     stay SECONDS               what is before it holds for this time
//     say NODE TEXT              the customData of the node are this text
//     know NODE RADIUS ANGLE     the customData are x, y [m] and heading [rad] with smaller errors
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <webots/robot.h>
#include <webots/supervisor.h>

static WbNodeRef node(const char *def) {
  const WbNodeRef found = wb_supervisor_node_get_from_def(def);
  if (found == NULL) {
    printf("there is no %s\n", def);
    wb_supervisor_simulation_quit(2);
  }
  return found;
}

static double distance(const double *a, const double *b) {
  return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
              (a[2] - b[2]) * (a[2] - b[2]));
}

static const char *data_of(WbNodeRef of) {
  return wb_supervisor_field_get_sf_string(wb_supervisor_node_get_field(of, "customData"));
}

static int knows_itself(WbNodeRef of, double radius, double angle) {
  double x, y, heading;
  if (sscanf(data_of(of), "%lf %lf %lf", &x, &y, &heading) != 3) return 0;
  const double *place = wb_supervisor_node_get_position(of);
  const double *turn = wb_supervisor_node_get_orientation(of);
  const double off = remainder(heading - atan2(turn[3], turn[0]), 2 * M_PI);
  const double away = hypot(x - place[0], y - place[1]);
  return away < radius && fabs(off) < angle;
}

// Returns how many arguments the condition has, and whether it holds.
static int check(char **argument, int *holds) {
  const WbNodeRef of = node(argument[1]);
  if (strcmp(argument[0], "reach") == 0) {
    const double place[3] = {atof(argument[2]), atof(argument[3]), atof(argument[4])};
    *holds = distance(wb_supervisor_node_get_position(of), place) < atof(argument[5]);
    return 6;
  }
  if (strcmp(argument[0], "meet") == 0) {
    *holds = distance(wb_supervisor_node_get_position(of),
                      wb_supervisor_node_get_position(node(argument[2]))) < atof(argument[3]);
    return 4;
  }
  if (strcmp(argument[0], "say") == 0) {
    *holds = strcmp(data_of(of), argument[2]) == 0;
    return 3;
  }
  *holds = strcmp(data_of(of), "") != 0 && knows_itself(of, atof(argument[2]), atof(argument[3]));
  return 4;
}

int main(int argc, char **argv) {
  wb_robot_init();
  const double limit = atof(argv[1]);
  const int step = (int)wb_robot_get_basic_time_step();
  double since = 0;  // when the present condition began to hold
  for (int at = 2; at < argc;) {
    if (wb_robot_step(step) == -1) return 1;
    if (wb_robot_get_time() > limit) {
      printf("not done in %g s: %s %s\n", limit, argv[at], argv[at + 1]);
      wb_supervisor_simulation_quit(1);
      break;
    }
    int holds = 0;
    const int count = check(argv + at, &holds);
    const int must_stay = at + count < argc && strcmp(argv[at + count], "stay") == 0;
    if (!holds) since = wb_robot_get_time();
    if (!holds || (must_stay && wb_robot_get_time() - since < atof(argv[at + count + 1]))) continue;
    printf("%s %s at %.2f s\n", argv[at], argv[at + 1], wb_robot_get_time());
    at += count + (must_stay ? 2 : 0);
    since = wb_robot_get_time();
    if (at >= argc) {
      printf("done\n");
      wb_supervisor_simulation_quit(0);
    }
  }
  while (wb_robot_step(step) != -1) {
  }
  wb_robot_cleanup();
  return 0;
}
