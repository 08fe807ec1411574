// SPDX-License-Identifier: Apache-2.0
#include <webots/supervisor.h>

#include "controller/boundary.h"

using servosim::boundary;
using servosim::Client;
using servosim::CommandKind;
using servosim::refuse;

void wb_supervisor_simulation_quit(int status) {
  boundary(__func__, [=](Client& client, Client::Lock& lock) {
    refuse(!client.robot().supervisor, "this robot is no supervisor.");
    client.robot().quit_status = status;
    client.request(CommandKind::Quit);
    // Sent now: many programs call exit() next, without another step.
    client.flush(lock);
  });
}
