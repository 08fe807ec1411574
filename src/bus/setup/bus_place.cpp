// SPDX-License-Identifier: Apache-2.0
#include "bus/setup/bus_place.h"

#include <fmt/format.h>

#include <stdexcept>
#include <string_view>

#include "base/printable.h"
#include "base/text.h"

namespace servosim::bus {

BusPlace read_bus_place(const std::string& text) {
  constexpr std::string_view kTcp = "tcp:";
  if (text.empty()) {
    throw std::invalid_argument(
        "an empty text names no place of a bus; it is a link or a TCP port, such as ./arm or "
        "tcp:5000");
  }
  if (!text.starts_with(kTcp)) {
    return {text, {}};
  }
  const auto port = parse_number<std::uint16_t>(std::string_view(text).substr(kTcp.size()));
  if (!port) {
    throw std::invalid_argument(
        fmt::format("'{}' is no TCP port from 0 to 65535, such as tcp:5000", printable(text)));
  }
  return {{}, port};
}

}  // namespace servosim::bus
