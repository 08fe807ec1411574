// SPDX-License-Identifier: Apache-2.0
#include "controller_api/server/device_commands.h"

#include <fmt/format.h>

#include <stdexcept>

#include "base/assert.h"
#include "sim/world_control.h"

namespace servosim {

const DeviceNode& DeviceCommands::node_of(const DeviceCommand& command) const {
  if (target_of(command.kind) == CommandTarget::Wheels && command.tag == 0 && robot_.drive()) {
    return *robot_.drive();
  }
  if (command.tag == 0 || command.tag > robot_.devices().size()) {
    throw std::invalid_argument(
        fmt::format("the command {} for a device that does not exist", name_of(command.kind)));
  }
  return robot_.devices()[command.tag - 1u];
}

void DeviceCommands::apply(const DeviceCommand& command) {
  SERVOSIM_ASSERT(target_of(command.kind) != CommandTarget::Robot, "command {} is not for a device",
                  name_of(command.kind));
  const DeviceNode& node = node_of(command);
  if (command.kind == CommandKind::BlindRead) {
    return keep_blind_read(node);
  }
  // A device that is not simulated takes any period and never has a sample.
  bool fits = command.kind == CommandKind::Sampling && node.joint < 0;
  for (const auto& device : node.devices) {
    const CommandEffect result = device->command(command, time_ms(simulation_));
    fits |= result.fits;
    if (result.changes_setting) {
      descriptions_.describe_again(command.tag, result.field);
    }
  }
  if (!fits) {
    throw std::invalid_argument(fmt::format("device \"{}\", a {}, takes no command {}", node.name,
                                            node.node_type, name_of(command.kind)));
  }
  if (command.kind == CommandKind::Send) {
    samples_.packet_was_sent(command.tag);
  }
}

// The run reports this, since the controller may depend on a sound that does not exist.
void DeviceCommands::keep_blind_read(const DeviceNode& node) {
  if (node.node_type != "Microphone") {
    throw std::invalid_argument("a sound that is read of a device that hears none");
  }
  WorldControl(simulation_)
      .keep_missing(
          {Missing::Sounds,
           fmt::format("what Microphone \"{}\" of robot '{}' hears", node.name, robot_.name()),
           "its controller has read it, and servosim makes no sounds"});
}

}  // namespace servosim
