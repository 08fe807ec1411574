// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/sockets.h"
#include "cli/arguments.h"
#include "run/console.h"

// The interface between the program and its subcommands.

namespace servosim {

/// Exit codes of the program that do not come from a run.
inline constexpr int kExitOk = 0;
inline constexpr int kExitFailed = 1;
inline constexpr int kExitBadInput = 2;
/// The world lacks something and may therefore move differently from what its author meant.
inline constexpr int kExitIncomplete = 3;

/// The internal name of `webots convert`; no help text shows it.
inline constexpr const char* kWebotsConvert = "webots-convert";

/// The action of a command line; returns the exit code.
using Action = std::function<int()>;

// Each function declares one subcommand. When the user chooses it, `action` becomes its action.
void add_bode(CLI::App& app, Action& action);
void add_bus(CLI::App& app, Action& action);
/// Declares `fault` of the command `bus`.
void add_bus_fault(CLI::App& bus, Action& action);
/// Declares `record` of the command `bus`.
void add_bus_record(CLI::App& bus, Action& action);
/// Adds `bus serve`.
void add_bus_serve(CLI::App& bus, Action& action);
void add_check(CLI::App& app, Action& action);
void add_controller(CLI::App& app, Action& action);
void add_convert(CLI::App& app, Action& action);
void add_diff(CLI::App& app, Action& action);
void add_fetch(CLI::App& app, Action& action);
void add_fields(CLI::App& app, Action& action);
void add_fit(CLI::App& app, Action& action);
void add_identify(CLI::App& app, Action& action);
void add_info(CLI::App& app, Action& action);
void add_plot(CLI::App& app, Action& action);
void add_report(CLI::App& app, Action& action);
void add_run(CLI::App& app, Action& action);
void add_servos(CLI::App& app, Action& action);
void add_srvp(CLI::App& app, Action& action);
void add_step(CLI::App& app, Action& action);
void add_sweep(CLI::App& app, Action& action);
void add_test(CLI::App& app, Action& action);
void add_tune(CLI::App& app, Action& action);
void add_view(CLI::App& app, Action& action);
void add_webots(CLI::App& app, Action& action);
void add_webots_convert(CLI::App& app, Action& action);
void add_webots_home(CLI::App& app, Action& action);
void add_yarp(CLI::App& app, Action& action);

/// Runs a command that writes a file and may be interrupted, and prints what it throws. Returns the
/// exit code: kExitBadInput after InputError or std::invalid_argument, kExitFailed after another
/// std::runtime_error or lost output, and 128 plus the number of the signal that has interrupted
/// it.
int run_writer(const std::function<void(Console&)>& write);

/// Where a server of this program listens, and words for its messages.
struct ServerPlace {
  std::string name;     ///< such as `SRVP server`
  std::string kind;     ///< such as `server`
  std::string option;   ///< the option that sets the host, such as `--bind`
  std::string clients;  ///< such as `clients and MCUs`
  std::string host;
  int port = 0;
};

/// A server that is open until it is destroyed, and the address at which it listens.
struct OpenServer {
  std::shared_ptr<const void> server;
  net::Address address;
};

/// Runs a server until SIGINT, SIGTERM or `loop.stop()` ends it; returns the exit code.
/// @param open  makes the server; throws std::system_error if it cannot listen
int run_server(const ServerPlace& place,
               const std::function<OpenServer(net::EventLoop& loop, const net::Address& address,
                                              Console& console)>& open);

}  // namespace servosim
