// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "cli/commands.h"

namespace servosim {
namespace {

constexpr const char* kExamples = R"(
Examples:
  servosim check worlds/arm.wbt
  servosim info worlds/arm.wbt
  servosim fields HingeJoint
  servosim run worlds/arm.wbt --duration 5 --trace arm.csv
  servosim run worlds/arm.wbt --controller arm=my_controller.c
  servosim yarp rpc 127.0.0.1:10002 "get axes"
)";

// What a program may have inherited, and would fail on in odd ways.
void repair_process() {
  // A closed standard stream would be given to the next file opened.
  for (int fd = ::open("/dev/null", O_RDWR); fd >= 0; fd = ::dup(fd)) {
    if (fd > STDERR_FILENO) {
      ::close(fd);
      break;
    }
  }
  ::signal(SIGPIPE, SIG_IGN);  // a reader that leaves must not end the run
  ::signal(SIGCHLD, SIG_DFL);  // ignored, it would hide how controllers end
}

int program(int argc, char** argv) {
  CLI::App app("Runs Webots worlds and their controllers headless, at the joint level.",
               "servosim");
  app.footer(kExamples);
  app.set_version_flag("--version", "servosim " SERVOSIM_VERSION " (ODE " SERVOSIM_ODE_VERSION ")");
  app.require_subcommand(1);
  Action action;
  add_run(app, action);
  add_check(app, action);
  add_info(app, action);
  add_fields(app, action);
  add_yarp(app, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kExitOk : kExitBadInput;
  }
  return action();
}

}  // namespace
}  // namespace servosim

int main(int argc, char** argv) {
  try {
    servosim::repair_process();
    return servosim::program(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "servosim: error: %s\n", error.what());
  }
  return servosim::kExitFailed;
}
