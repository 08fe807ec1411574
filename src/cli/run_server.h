// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <string>
#include <system_error>

#include "cli/commands.h"
#include "cli/text_table.h"
#include "core/printable.h"
#include "core/shortage.h"
#include "host/console.h"
#include "host/signals.h"
#include "net/address.h"
#include "net/reactor.h"

namespace servosim {

/// Where a server of this program listens, and how it is called.
struct ServerPlace {
  std::string name;    ///< `SRVP server`
  std::string kind;    ///< `server`
  std::string option;  ///< `--bind`, which gave the host
  std::string guests;  ///< `clients and MCUs`
  std::string host;
  int port = 0;
};

/// Runs a server until a signal or `reactor.stop()` ends it. `open(reactor, address, console)`
/// makes it, as a std::unique_ptr; std::system_error: it cannot listen. @returns the exit status
template <typename Open>
int run_server(const ServerPlace& place, Open open) {
  Console console;
  const auto address = net::find_address(place.host, place.port);
  if (!address) {
    console.log(LogLevel::Error,
                fmt::format("{} '{}' is no IPv4 number", place.option, printable(place.host)));
    return kExitBadInput;
  }
  SignalWatch signals;
  net::Reactor reactor;
  const net::Watch wake(reactor, signals.descriptor(), EPOLLIN,
                        [&reactor](std::uint32_t) { reactor.stop(); });
  try {
    const auto server = open(reactor, *address, console);
    console.print(fmt::format("{} at {}\n", place.name, to_string(server->address())));
    console.warn(net::exposure_warning(place.guests, server->address(), place.option));
    reactor.run();
  } catch (const std::system_error& error) {
    rethrow_if_short(error);
    console.log(LogLevel::Error, fmt::format("{}. Is another {} there? --port takes another port "
                                             "number",
                                             error.what(), place.kind));
    return kExitFailed;
  }
  return kExitOk;
}

}  // namespace servosim
