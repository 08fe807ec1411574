// SPDX-License-Identifier: Apache-2.0
// Starts itself again as the controller, as a script may start the real one, with all descriptors
// closed and with another socket at the number of the link. Its argument tells what it does to its
// own descriptors: "keeps" or "closes" them.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <webots/robot.h>

static void close_all(void) {
  for (int fd = 3; fd < 256; ++fd) close(fd);
}

static int control(void) {
  wb_robot_init();
  for (int i = 0; i < 5 && wb_robot_step(8) != -1; ++i) continue;
  printf("at %.3f, %s\n", wb_robot_get_time(),
         getenv("SERVOSIM_CONTROLLER_SOCKET") ? "and another one may come" : "alone");
  wb_robot_cleanup();
  return 0;
}

int main(int argc, char **argv) {
  const char *how = argv[argc - 1];
  if (strcmp(how, "inner") == 0) return control();
  const int link = atoi(getenv("SERVOSIM_CONTROLLER_FD"));
  const pid_t child = fork();
  if (child == 0) {
    int pair[2];
    close_all();
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0 || dup2(pair[0], link) != link) return 1;
    execl("/proc/self/exe", argv[0], "inner", (char *)NULL);
    return 1;
  }
  if (strcmp(how, "closes") == 0) close_all();
  int status = 1;
  waitpid(child, &status, 0);
  return status == 0 ? 0 : 1;
}
