// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "base/printable.h"
#include "base/text.h"
#include "bus/serve/bus_port.h"

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

std::unique_ptr<BusPort> open_port(net::EventLoop& loop, const BusPlace& place,
                                   BusPort::Calls calls) {
  return place.port ? open_tcp(loop, *place.port, std::move(calls))
                    : open_terminal(loop, place.link, std::move(calls));
}

}  // namespace servosim::bus
