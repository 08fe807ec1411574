// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "base/address.h"
#include "base/event_loop.h"
#include "base/printable.h"
#include "base/shortage.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/run_several.h"
#include "run/console.h"
#include "run/extern_listener.h"
#include "run/run_extension.h"
#include "run/signals.h"
#include "servosim/simulation.h"

namespace servosim {

/// A way to take part in a run from outside: its options of `servosim run`, and who then serves the
/// clients. A run with clients goes by the clock, and until it is told to end.
class LivePart {
 public:
  LivePart() = default;
  LivePart(const LivePart&) = delete;
  LivePart& operator=(const LivePart&) = delete;
  virtual ~LivePart() = default;

  virtual void add_options(CLI::App& command) = 0;
  /// Once the options are known.
  virtual bool wanted() const = 0;
  /// Looks for what was meant for its options among the worlds. @throws InputError
  virtual void check_worlds([[maybe_unused]] const std::vector<std::string>& worlds) const {}
  /// Whether its clients expect simulated seconds to be as long as real ones.
  virtual bool by_the_clock() const { return true; }
  /// Only if wanted(). Both arguments outlive what is given. @throws InputError
  virtual std::unique_ptr<RunExtension> open(Simulation& simulation, Console& console) const = 0;
};

/// All that there are.
std::vector<std::unique_ptr<LivePart>> live_parts();
/// Of those that are wanted.
std::vector<std::unique_ptr<RunExtension>> open_front_ends(
    const std::vector<std::unique_ptr<LivePart>>& parts, Simulation& simulation, Console& console);

/// Where a server of this program listens, and how it is called.
struct ServerPlace {
  std::string name;    ///< `SRVP server`
  std::string kind;    ///< `server`
  std::string option;  ///< `--bind`, which gave the host
  std::string guests;  ///< `clients and MCUs`
  std::string host;
  int port = 0;
};

/// Runs a server until a signal or `loop.stop()` ends it. `open(loop, address, console)`
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
  net::EventLoop loop;
  const net::Watch wake(loop, signals.descriptor(), EPOLLIN,
                        [&loop](std::uint32_t) { loop.stop(); });
  try {
    const auto server = open(loop, *address, console);
    console.print(fmt::format("{} at {}\n", place.name, to_string(server->address())));
    console.warn(net::exposure_warning(place.guests, server->address(), place.option));
    loop.run();
  } catch (const std::system_error& error) {
    rethrow_if_short(error);
    console.log(LogLevel::Error, fmt::format("{}. Is another {} there? --port takes another port "
                                             "number",
                                             error.what(), place.kind));
    return kExitFailed;
  }
  return kExitOk;
}

/// What `run` is told of controllers that somebody else starts.
struct ExternArguments {
  std::optional<std::int64_t> port;  // 1 ... 65535
  std::string tcp_address;
  bool print_urls = false;
};

void add_extern(CLI::App& command, ExternArguments& arguments);
ExternOptions extern_options(const ExternArguments& arguments);

/// Accepts 1 ... 65535.
CLI::Validator port_number();

/// What `servosim run` was asked for.
struct RunArguments {
  std::vector<std::string> worlds;
  std::optional<double> duration;  // [s]; finite, >= 0
  std::optional<std::int64_t> steps;
  std::vector<std::string> controllers;      // ROBOT=PROGRAM
  std::optional<double> controller_timeout;  // [s]; finite, > 0
  double end_timeout = 1.0;                  // [s]; finite, >= 0
  bool stop_on_failure = false;
  ExternArguments extern_controllers;
  TraceTarget trace;
  std::vector<std::string> watch;  // globs
  std::vector<std::string> proto_paths;
  std::optional<std::int64_t> seed;
  std::optional<double> step_memory;  // [GB]; > 0, at most kMostStepMemory
  std::string compat;                 // "webots" or empty
  std::optional<std::int64_t> jobs;
  std::optional<std::int64_t> copies;     // of each world
  std::string mode;                       // "realtime", "fast" or empty
  std::optional<double> realtime_factor;  // finite, > 0
  bool quiet = false;
  std::string log_level;  // a name, or empty
  std::vector<std::unique_ptr<LivePart>> live = live_parts();

  /// Somebody outside takes part.
  bool is_live() const;
  /// Of real time; nothing: as fast as possible. @throws InputError for a contradiction
  std::optional<double> factor() const;
  LogLevel wanted_log_level() const;
};

/// Declares the arguments, and says in --help what they do.
void add_run_arguments(CLI::App& command, RunArguments& arguments);

}  // namespace servosim
