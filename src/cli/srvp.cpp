// SPDX-License-Identifier: Apache-2.0
#include <fmt/chrono.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/address.h"
#include "base/listener.h"
#include "base/printable.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/run_arguments.h"
#include "cli/srvp_actions.h"
#include "srvp/server/server.h"

namespace servosim {
namespace {

constexpr const char* kSrvpHelp = R"HELP(
SRVP is the protocol by which clients move servo robots through a server: docs/reference/srvp.md.

Exit codes: 0 done, and nothing was refused; 1 the server cannot be reached or opened, refuses, or
does not answer, or the output cannot be written; 2 bad arguments.

Examples:
  servosim srvp serve --database robots.db
  servosim srvp client 127.0.0.1:54817 --mcu nao move 3=90 5=10
)HELP";

constexpr const char* kServeHelp = R"HELP(
Serves until SIGINT or SIGTERM, or until a client shuts it down if --allow-shutdown is given; then
the exit code is 0. What happens goes to standard error; with -v each frame, too: > heard, < told.
Data bytes are written as <n>: !s-SRVP-1-<4>:<91>-e! moves servo 3 to 90 degrees.

Examples:
  servosim srvp serve -v
  servosim srvp serve --port 0 --database robots.db
)HELP";

constexpr const char* kClientHelp = R"HELP(
Each ACTION is asked when the one before is answered, up to the first that is refused:
  select NAME          the MCU of the actions that follow, as --mcu does
  move ID=DEGREES...   servos to positions 0..179
  pwm ID=PWM...        servos of a DumbMCU to PWM values 0..32766
  info                 print the positions that the server knows; ? for those it does not
  mode delayed         moves are stored; or mode realtime, as it is at first
  execute              perform what is stored
  upload MIN:MAX...    calibrate: the PWM values of each servo at 0 and 180 degrees
  off                  shut the server down

Examples:
  servosim srvp client 127.0.0.1:54817 select nao info
  servosim srvp client localhost --mcu nao --json mode delayed move 3=90 move 5=10 execute
)HELP";

struct ServeArguments {
  int port = srvp::kDefaultPort;
  std::string bind = "127.0.0.1";
  std::string database;
  bool single_ack = false;
  bool allow_shutdown = false;
  bool verbose = false;
  double mcu_timeout = 10.0;  // [s]
};

struct ClientArguments {
  std::string server;
  std::string mcu;
  double timeout = 15.0;  // [s]
  bool single_ack = false;
  bool json = false;
  std::vector<std::string> words;
};

// As a clock on the wall has it, but with milliseconds.
std::string time_of_day() {
  const auto now = std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
  const std::int64_t since_1970 = now.time_since_epoch().count();  // [ms]
  return fmt::format("{:%T}.{:03}", fmt::localtime(static_cast<std::time_t>(since_1970 / 1000)),
                     since_1970 % 1000);
}

int serve(const ServeArguments& arguments) {
  return run_server(
      {"SRVP server", "server", "--bind", "clients and MCUs", arguments.bind, arguments.port},
      [&arguments](net::EventLoop& loop, const net::Address& address, Console& console) {
        srvp::ServerOptions options;
        options.listen = address;
        options.database = arguments.database;
        options.single_ack = arguments.single_ack;
        options.mcu_timeout = milliseconds(arguments.mcu_timeout);
        options.log_frames = arguments.verbose;
        options.max_connections = std::min(options.max_connections, net::most_connections());
        if (arguments.allow_shutdown) {
          options.shut_down = [&loop] { loop.stop(); };
        }
        return std::make_unique<const srvp::Server>(
            loop, options, [&console](const std::string& line) {
              console.write(STDERR_FILENO, fmt::format("{} {}\n", time_of_day(), printable(line)));
            });
      });
}

// Asks until something is refused.
int ask(srvp::Client& client, const std::vector<SrvpAction>& actions, bool json) {
  Console console;
  nlohmann::ordered_json document = nlohmann::ordered_json::array();
  bool refused = false;
  for (const SrvpAction& action : actions) {
    const srvp::Reply reply = client.ask(action.query);
    refused = !reply.ok();
    if (json) {
      document.push_back(srvp_json(action, reply));
    } else {
      console.print(srvp_line(action, reply));
    }
    if (refused) {
      break;
    }
  }
  if (json) {
    console.write(STDOUT_FILENO, json_text(document));
  }
  return refused || console.output_lost() ? kExitFailed : kExitOk;
}

int be_client(const ClientArguments& arguments) {
  std::vector<std::string> words = arguments.words;
  if (!arguments.mcu.empty()) {
    words.insert(words.begin(), {"select", arguments.mcu});
  }
  const auto parsed = parse_srvp_actions(words);
  if (const auto* wrong = std::get_if<std::string>(&parsed)) {
    Console().log(LogLevel::Error, *wrong + "; see 'servosim srvp client --help'");
    return kExitBadInput;
  }
  const bool has_port = arguments.server.find(':') != std::string::npos;
  const auto address = has_port ? net::find_address(arguments.server)
                                : net::find_address(arguments.server, srvp::kDefaultPort);
  if (!address || address->port == 0) {
    Console().log(LogLevel::Error,
                  fmt::format("'{}' is no server: an IPv4 number or localhost is wanted, and "
                              "perhaps a port number, as 127.0.0.1:54817",
                              printable(arguments.server)));
    return kExitBadInput;
  }
  try {
    srvp::Client client(
        {ip_text(*address), address->port, milliseconds(arguments.timeout), arguments.single_ack});
    return ask(client, std::get<std::vector<SrvpAction>>(parsed), arguments.json);
  } catch (const srvp::ClientError& error) {
    Console().log(LogLevel::Error, error.what());
    return kExitFailed;
  }
}

void add_serve(CLI::App& srvp, Action& action) {
  const auto arguments = std::make_shared<ServeArguments>();
  CLI::App* const command = srvp.add_subcommand("serve", "Be a server for clients and MCUs");
  command->footer(kServeHelp);
  command->add_option("--port", arguments->port, "Port number; 0: any; default 54817")
      ->check(CLI::Range(0, 65535));
  command->add_option("--bind", arguments->bind, "IPv4 number to listen at; default 127.0.0.1");
  command->add_option("--database", arguments->database, "Where MCUs are kept; default: nowhere")
      ->type_name("FILE");
  command->add_flag("--single-ack", arguments->single_ack,
                    "One answer to SRVP, when the MCU has answered: for clients of the platform "
                    "before 2025-06-13 only");
  command->add_flag("--allow-shutdown", arguments->allow_shutdown,
                    "Clients may shut this server down");
  command
      ->add_option("--mcu-timeout", arguments->mcu_timeout,
                   "How long to wait for an MCU's answer [s]; 10")
      ->check(finite_number(false));
  command->add_flag("-v,--verbose", arguments->verbose, "Log each frame, not events alone");
  command->callback([&action, arguments] { action = [arguments] { return serve(*arguments); }; });
}

void add_client(CLI::App& srvp, Action& action) {
  const auto arguments = std::make_shared<ClientArguments>();
  CLI::App* const command = srvp.add_subcommand("client", "Ask a server to move robots");
  command->footer(kClientHelp);
  command
      ->add_option("server", arguments->server, "Where the server is; port 54817 if none is said")
      ->required()
      ->type_name("HOST[:PORT]");
  command->add_option("actions", arguments->words, "What to ask; see below")
      ->required()
      ->type_name("ACTION");
  command->add_option("--mcu", arguments->mcu, "Select this MCU first")->type_name("NAME");
  command->add_option("--timeout", arguments->timeout, "How long to wait for an answer [s]; 15")
      ->check(finite_number(false));
  command->add_flag("--single-ack", arguments->single_ack,
                    "The server answers SRVP once, as the platform's did before "
                    "2025-06-13");
  command->add_flag("--json", arguments->json, "For programs: queries and answers as JSON");
  command->callback(
      [&action, arguments] { action = [arguments] { return be_client(*arguments); }; });
}

}  // namespace

void add_srvp(CLI::App& app, Action& action) {
  CLI::App* const srvp = app.add_subcommand("srvp", "Serve and move servo robots by SRVP");
  srvp->footer(kSrvpHelp);
  srvp->require_subcommand(1);
  add_serve(*srvp, action);
  add_client(*srvp, action);
}

}  // namespace servosim
