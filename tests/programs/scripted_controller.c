// SPDX-License-Identifier: Apache-2.0
// Runs the script of its first argument.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <webots/robot.h>
#include <webots/supervisor.h>

static void say(const char *what, const char *more) {
  printf("%s %s%s\n", wb_robot_get_name(), what, more);
  fflush(stdout);
}

static WbFieldRef title(void) {
  WbFieldRef nodes = wb_supervisor_node_get_field(wb_supervisor_node_get_root(), "children");
  return wb_supervisor_node_get_field(wb_supervisor_field_get_mf_node(nodes, 0), "title");
}

static const char *data_of(const char *def) {
  WbNodeRef robot = wb_supervisor_node_get_from_def(def);
  return wb_supervisor_field_get_sf_string(wb_supervisor_node_get_field(robot, "customData"));
}

// Is slower than all other controllers.
static void works(void) {
  for (int n = 1; wb_robot_step(8) != -1; ++n) {
    char text[20];
    usleep(5000);
    sprintf(text, "%d", n);
    wb_robot_set_custom_data(text);
  }
}

// Prints what the worker did and who was last, until shortly before the end.
static void marks(void) {
  while (wb_robot_step(8) != -1) {
    if (wb_robot_get_time() > 0.075) continue;
    char text[300], line[100];
    snprintf(text, sizeof text, "%s", wb_supervisor_field_get_sf_string(title()));
    const size_t length = strlen(text);
    snprintf(line, sizeof line, "%s after '%s'", data_of("W"), length ? text + length - 1 : "");
    say("finds ", line);
    text[length] = wb_robot_get_name()[0];
    text[length + 1] = '\0';
    wb_supervisor_field_set_sf_string(title(), text);
  }
}

static void prepares(void) {
  wb_robot_set_custom_data("ready");
  while (wb_robot_step(8) != -1) {
  }
}

// Looks before its first step.
static void looks(void) {
  say("finds ", data_of("W"));
  while (wb_robot_step(8) != -1) {
  }
}

static void wait_for(const char *file) {
  int tries = 0;
  while (access(file, F_OK) != 0 && ++tries < 6000) usleep(10000);
  say(tries < 6000 ? "finds " : "waits in vain for ", file);
}

static void make(const char *file) {
  FILE *made = fopen(file, "w");
  if (made == NULL) {
    perror(file);
    exit(1);
  }
  fclose(made);
}

// Waits for the supervisor instead of stepping, and tells when its 19th step is over.
static void gated(void) {
  wb_robot_step(8);
  wait_for("gate");
  for (int n = 2; wb_robot_step(8) != -1; ++n) {
    if (n == 19) make("nineteen");
  }
}

static void opens(void) {
  wb_robot_step(8);
  say("opens the gate for ", data_of("W"));
  make("gate");
  while (wb_robot_step(8) != -1) {
  }
}

static void labels(void) {
  wb_robot_step(8);
  wb_supervisor_set_label(3, "hello \"you\"", 0.25, 0.5, 0.1, 0x00ff00, 0.75, "Arial");
  wb_robot_step(8);
  wb_supervisor_set_label(4, "next", 0.5, 0.5, 0.1, 0xffffff, 0.0, "Arial");
  wb_supervisor_set_label(3, "bye", 0.25, 0.5, 0.1, 0x00ff00, 0.75, "Arial");
  while (wb_robot_step(8) != -1) {
  }
}

static void remembers(void) {
  say("remembers ", wb_robot_get_custom_data());
  wb_robot_set_custom_data("mine");
  while (wb_robot_step(8) != -1) {
  }
}

static void leaves(void) {
  for (int n = 0; n < 5; ++n) wb_robot_step(8);
  say("leaves", "");
  char name[100];
  snprintf(name, sizeof name, "%s", wb_robot_get_name());
  wb_robot_cleanup();
  usleep(2500000);
  printf("%s did the rest\n", name);
}

static void changes(void) {
  for (int n = 1; wb_robot_step(8) != -1; ++n) {
    if (n == 5) {
      WbNodeRef robot = wb_supervisor_node_get_from_def("W");
      wb_supervisor_field_set_sf_string(wb_supervisor_node_get_field(robot, "controller"), "other");
      wb_supervisor_field_insert_mf_string(wb_supervisor_node_get_field(robot, "controllerArgs"), 0,
                                           "x");
    }
  }
}

static void brake_joint(void) {
  WbNodeRef parameters = wb_supervisor_node_get_from_def("P");
  wb_supervisor_field_set_sf_float(wb_supervisor_node_get_field(parameters, "dampingConstant"),
                                   0.75);
}

// Its last change comes after its last step. Then it sends a Goodbye.
static void brakes(void) {
  for (int n = 0; n < 5; ++n) wb_robot_step(8);
  brake_joint();
}

// Does the same, and then ends without a message.
static void brakes_and_dies(void) {
  brakes();
  _exit(0);
}

// Does the same, and the world takes 19 steps before it leaves.
static void brakes_and_computes(void) {
  wb_robot_step(8);
  brake_joint();
  make("gate");
  wait_for("nineteen");
}

static void imports(void) {
  wb_robot_step(8);
  WbFieldRef nodes = wb_supervisor_node_get_field(wb_supervisor_node_get_root(), "children");
  wb_supervisor_field_import_mf_node_from_string(
      nodes, -1, "Robot { name \"late\" controller \"actor\" controllerArgs [ \"greets\" ] }");
}

static void removes(void) {
  wb_supervisor_node_remove(wb_supervisor_node_get_from_def("W"));
  while (wb_robot_step(8) != -1) {
  }
}

static void restarts(void) {
  say("restarts", "");
  wb_supervisor_node_restart_controller(wb_supervisor_node_get_self());
  wb_robot_step(8);
}

static void greets(void) { say("is here", ""); }

int main(int argc, char *argv[]) {
  static const struct {
    const char *name;
    void (*play)(void);
  } roles[] = {{"works", works},
               {"marks", marks},
               {"gated", gated},
               {"opens", opens},
               {"labels", labels},
               {"remembers", remembers},
               {"leaves", leaves},
               {"changes", changes},
               {"prepares", prepares},
               {"looks", looks},
               {"brakes", brakes},
               {"brakes_and_dies", brakes_and_dies},
               {"brakes_and_computes", brakes_and_computes},
               {"imports", imports},
               {"removes", removes},
               {"restarts", restarts},
               {"greets", greets}};
  wb_robot_init();
  for (unsigned i = 0; i < sizeof roles / sizeof roles[0]; ++i) {
    if (argc > 1 && strcmp(argv[1], roles[i].name) == 0) roles[i].play();
  }
  wb_robot_cleanup();
  return 0;
}
