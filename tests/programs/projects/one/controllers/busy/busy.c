// SPDX-License-Identifier: Apache-2.0
// Computes a little between its steps. It lives for about 10 ms, or for 20000 steps if its last
// argument is "long".
#include <stdio.h>
#include <string.h>
#include <webots/robot.h>

static volatile double sum;

static void compute(int amount) {
  for (int i = 0; i < amount; ++i) sum += 0.5 * i;
}

int main(int argc, char **argv) {
  compute(500000);
  wb_robot_init();
  const int is_long = strcmp(argv[argc - 1], "long") == 0;
  const int steps = is_long ? 20000 : 30;
  printf("%d steps\n", steps);
  for (int i = 0; i < steps && wb_robot_step(10) != -1; ++i) compute(is_long ? 10 : 100000);
  wb_robot_cleanup();
  compute(500000);
  return 0;
}
