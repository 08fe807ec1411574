// SPDX-License-Identifier: Apache-2.0
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "base/printable.h"
#include "base/sockets.h"
#include "base/text.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "servosim/srvp/client.h"
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
Serves until SIGINT, SIGTERM or SIGHUP, or until a client shuts it down if --allow-shutdown is given; then
the exit code is 0. Events are logged on standard error; with -v each frame, too: > received,
< sent. Data bytes are written as <n>: !s-SRVP-1-<4>:<91>-e! moves servo 3 to 90 degrees.

Examples:
  servosim srvp serve -v
  servosim srvp serve --port 0 --database robots.db
)HELP";

constexpr const char* kClientHelp = R"HELP(
Each ACTION is sent when the one before is answered, up to the first that is refused:
  select NAME          the MCU of the actions that follow, as --mcu does
  move ID=DEGREES...   servos to positions 0..179
  pwm ID=PWM...        servos of a DumbMCU to PWM values 0..32766
  info                 print the positions that the server knows; ? for unknown ones
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

using Json = nlohmann::ordered_json;

// A request of a client to an SRVP server.
struct SrvpAction {
  std::string text;  // as the user typed it
  srvp::Query query;
};

std::optional<int> number_of(std::string_view text) {
  const auto number = parse_number<int>(text);
  return number && *number >= 0 && *number <= 0xffff ? number : std::nullopt;
}

// Parses two numbers with `between` between them, such as "3=90".
std::optional<std::pair<int, int>> numbers_of(const std::string& word, char between) {
  const std::size_t at = word.find(between);
  const auto first = number_of(std::string_view(word).substr(0, at));
  const auto second =
      at == word.npos ? std::nullopt : number_of(std::string_view(word).substr(at + 1));
  return first && second ? std::optional(std::pair(*first, *second)) : std::nullopt;
}

/// Parses the words of a command line one by one. @throws std::invalid_argument for an invalid word
class ActionParser {
 public:
  explicit ActionParser(const std::vector<std::string>& words) : words_(words) {}

  std::vector<SrvpAction> actions() {
    std::vector<SrvpAction> actions;
    while (at_ < words_.size()) {
      const std::size_t begin = at_;
      srvp::Query query = parse_query(words_[at_++]);
      std::string text = words_[begin];
      for (std::size_t i = begin + 1; i < at_; ++i) {
        text += ' ' + words_[i];
      }
      encode(query);  // throws for an invalid query
      SrvpAction& action = actions.emplace_back();
      action.text = std::move(text);
      action.query = std::move(query);
    }
    return actions;
  }

 private:
  srvp::Query parse_query(const std::string& name) {
    if (name == "select") {
      return srvp::SelectMcu{next_word(name, "the name of an MCU")};
    }
    if (name == "move" || name == "pwm") {
      return parse_movement(name);
    }
    if (name == "info") {
      return srvp::AskInfo();
    }
    if (name == "mode") {
      return parse_mode(name);
    }
    if (name == "execute") {
      return srvp::ExecuteAll();
    }
    if (name == "upload") {
      return parse_upload(name);
    }
    if (name == "off") {
      return srvp::ShutDown();
    }
    throw std::invalid_argument(fmt::format(
        "there is no action '{}'{}", printable(name),
        did_you_mean(name, {"select", "move", "pwm", "info", "mode", "execute", "upload", "off"})));
  }

  std::string next_word(const std::string& action, const char* what) {
    if (at_ == words_.size()) {
      throw std::invalid_argument(fmt::format("{} needs {}", action, what));
    }
    return words_[at_++];
  }

  // Parses all pairs that follow; at least one is required.
  std::vector<std::pair<int, int>> parse_pairs(const std::string& action, char between,
                                               const char* what) {
    std::vector<std::pair<int, int>> pairs;
    while (at_ < words_.size() && words_[at_].find(between) != std::string::npos) {
      const auto pair = numbers_of(words_[at_], between);
      if (!pair) {
        throw std::invalid_argument(
            fmt::format("'{}' of {} is not {}", printable(words_[at_]), action, what));
      }
      pairs.push_back(*pair);
      ++at_;
    }
    if (pairs.empty()) {
      throw std::invalid_argument(fmt::format("{} needs {}", action, what));
    }
    return pairs;
  }

  srvp::Movement parse_movement(const std::string& name) {
    const bool pwm = name == "pwm";
    srvp::Movement movement{pwm ? srvp::MoveForm::Pwm : srvp::MoveForm::Position, {}};
    for (const auto& [servo, value] :
         parse_pairs(name, '=', pwm ? "ID=PWM, as 3=1500" : "ID=DEGREES, as 3=90")) {
      if (servo > 254) {
        throw std::invalid_argument(fmt::format("there is no servo {}: ids are 0..31", servo));
      }
      movement.moves.push_back({static_cast<std::uint8_t>(servo), value});
    }
    return movement;
  }

  srvp::SetMode parse_mode(const std::string& name) {
    const std::string mode = next_word(name, "delayed or realtime");
    if (mode != "delayed" && mode != "realtime") {
      throw std::invalid_argument(fmt::format("mode '{}' is not delayed or realtime{}",
                                              printable(mode),
                                              did_you_mean(mode, {"delayed", "realtime"})));
    }
    return {mode == "delayed" ? srvp::SetMode::kDelayed : srvp::SetMode::kRealTime};
  }

  srvp::Upload parse_upload(const std::string& name) {
    srvp::Upload upload;
    for (const auto& [min, max] : parse_pairs(name, ':', "MIN:MAX of each servo, as 500:2500")) {
      upload.ranges.push_back({min, max});
    }
    return upload;
  }

  const std::vector<std::string>& words_;
  std::size_t at_ = 0;
};

std::string text_of(const srvp::Answer& answer) {
  if (const auto* control = std::get_if<srvp::Control>(&answer)) {
    return describe(*control);
  }
  std::string text = "positions";
  for (const std::uint8_t position : std::get<srvp::McuInfo>(answer).positions) {
    text += position > srvp::kMaxPosition ? " ?" : ' ' + std::to_string(position);
  }
  return text;
}

Json json_of(const srvp::Answer& answer) {
  if (const auto* control = std::get_if<srvp::Control>(&answer)) {
    Json json{{"ack", control->ack}, {"code", control->code}};
    if (const auto name = srvp::nack_name(control->code); !control->ack && !name.empty()) {
      json["name"] = std::string(name);
    }
    return json;
  }
  Json positions = Json::array();
  for (const std::uint8_t position : std::get<srvp::McuInfo>(answer).positions) {
    positions.push_back(position > srvp::kMaxPosition ? Json() : Json(position));
  }
  return {{"positions", positions}};
}

// Returns the actions of a command line, or the error.
std::variant<std::vector<SrvpAction>, std::string> parse_srvp_actions(
    const std::vector<std::string>& words) {
  try {
    return ActionParser(words).actions();
  } catch (const std::invalid_argument& error) {
    return std::string(error.what());
  }
}

// Returns a line such as "move 3=90: ACK 255, NACK 248 ErrorContactingMCU".
std::string srvp_line(const SrvpAction& action, const srvp::Reply& reply) {
  std::string line = printable(action.text) + ':';
  for (const srvp::Answer& answer : reply.answers) {
    line += (&answer == &reply.answers.front() ? " " : ", ") + text_of(answer);
  }
  return line + '\n';
}

Json srvp_json(const SrvpAction& action, const srvp::Reply& reply) {
  Json answers = Json::array();
  for (const srvp::Answer& answer : reply.answers) {
    answers.push_back(json_of(answer));
  }
  return {{"action", action.text},
          {"query", to_text(action.query)},
          {"ok", reply.ok()},
          {"answers", answers}};
}

// Returns the local time with milliseconds.
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
        options.max_connections = std::min(options.max_connections, net::max_connections());
        if (arguments.allow_shutdown) {
          options.shut_down = [&loop] { loop.stop(); };
        }
        const auto server = std::make_shared<const srvp::Server>(
            loop, options, [&console](const std::string& line) {
              console.write(STDERR_FILENO, fmt::format("{} {}\n", time_of_day(), printable(line)));
            });
        return OpenServer{server, server->address()};
      });
}

// Sends actions until one is refused.
int send_actions(srvp::Client& client, const std::vector<SrvpAction>& actions, bool json) {
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

int run_client(const ClientArguments& arguments) {
  std::vector<std::string> words = arguments.words;
  if (!arguments.mcu.empty()) {
    words.insert(words.begin(), {"select", arguments.mcu});
  }
  const auto parsed = parse_srvp_actions(words);
  if (const auto* error = std::get_if<std::string>(&parsed)) {
    Console().log(LogLevel::Error, *error + "; see 'servosim srvp client --help'");
    return kExitBadInput;
  }
  const bool has_port = arguments.server.find(':') != std::string::npos;
  const auto address = has_port ? net::find_address(arguments.server)
                                : net::find_address(arguments.server, srvp::kDefaultPort);
  if (!address || address->port == 0) {
    Console().log(LogLevel::Error,
                  fmt::format("'{}' is not a server: write an IPv4 address or localhost, with or "
                              "without a port number, such as 127.0.0.1:54817",
                              printable(arguments.server)));
    return kExitBadInput;
  }
  try {
    srvp::Client client(
        {ip_text(*address), address->port, milliseconds(arguments.timeout), arguments.single_ack});
    return send_actions(client, std::get<std::vector<SrvpAction>>(parsed), arguments.json);
  } catch (const srvp::ClientError& error) {
    Console().log(LogLevel::Error, error.what());
    return kExitFailed;
  }
}

void add_serve(CLI::App& srvp, Action& action) {
  const auto arguments = std::make_shared<ServeArguments>();
  CLI::App* const command = srvp.add_subcommand("serve", "Serve clients and MCUs");
  command->footer(kServeHelp);
  command->add_option("--port", arguments->port, "Port number; 0: any; default 54817")
      ->check(number_between(0, 65535, "port"));
  command->add_option("--bind", arguments->bind, "IPv4 number to listen at; default 127.0.0.1");
  command->add_option("--database", arguments->database, "Where MCUs are stored; default: nowhere")
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
  command->add_flag("-v,--verbose", arguments->verbose, "Log each frame, not only events");
  command->callback([&action, arguments] { action = [arguments] { return serve(*arguments); }; });
}

void add_client(CLI::App& srvp, Action& action) {
  const auto arguments = std::make_shared<ClientArguments>();
  CLI::App* const command = srvp.add_subcommand("client", "Move robots through a server");
  command->footer(kClientHelp);
  command->add_option("server", arguments->server, "Address of the server; default port 54817")
      ->required()
      ->type_name("HOST[:PORT]");
  command->add_option("actions", arguments->words, "Actions; see below")
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
      [&action, arguments] { action = [arguments] { return run_client(*arguments); }; });
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
