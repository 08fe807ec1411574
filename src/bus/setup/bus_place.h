// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace servosim::bus {

/// Where a client opens a bus: a link to a pseudo terminal, or a TCP port on loopback.
///
/// Threads: a plain value.
struct BusPlace {
  std::string link;                   ///< a path, without a port
  std::optional<std::uint16_t> port;  ///< 0: any free one
};

/// Reads LINK or tcp:N. @throws std::invalid_argument for an empty link and for a wrong port
BusPlace read_bus_place(const std::string& text);

}  // namespace servosim::bus
