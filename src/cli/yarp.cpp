// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cctype>
#include <cstdio>
#include <memory>
#include <optional>

#include "base/printable.h"
#include "base/text.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "run/console.h"
#include "yarp/ports/client.h"
#include "yarp/ports/name_server.h"

namespace servosim {
namespace {

constexpr const char* kYarpHelp = R"HELP(
PORT is the name of a port, /icub/left_arm/rpc:i, or its address, 127.0.0.1:10002. Names are looked
up at the name server of --nameserver, else of the file yarp.conf in $YARP_CONFIG_HOME or
~/.config/yarp, else at 127.0.0.1:10000. The name of a board is enough where it has a port for that:
/icub/left_arm stands for its rpc:i, command:i or state:o. Hosts are IPv4 numbers or localhost. A
message is written as YARP writes it: words, numbers, "texts", [vocabs] and (lists) between blanks.

Exit codes: 0 done; 1 a port or name server does not answer, or refuses what it was asked, or the
output cannot be written; 2 bad arguments or messages.

Examples:
  servosim yarp nameserver
  servosim yarp list
  servosim yarp rpc /icub/left_arm "set icmd cmod 0 pos" "set pos 0 20.0"
  servosim yarp read /icub/left_arm/state:o --count 1
)HELP";

constexpr const char* kRpcHelp = R"HELP(
Each COMMAND is sent when the one before is answered, and its reply printed as a line. Without any,
the lines of standard input are the commands. The exit code is 1 when a reply was [fail] or [nak],
or of YARP 4 [err1] and so on. If the name PORT is unknown, PORT/rpc:i or PORT/nws/rpc:i is used;
the latter is a port of YARP 4, also without --yarp4. A port that is given by its address is asked for
its name.

Examples:
  servosim yarp rpc /icub/left_arm "get axes"
  servosim yarp rpc 127.0.0.1:10002 "set icmd cmod 0 pos" "set pos 0 20.0" "get don 0"
  servosim yarp rpc --nameserver 127.0.0.1:10000 /icub/left_arm/rpc:i < commands.txt
)HELP";

constexpr const char* kReadHelp = R"HELP(
Prints the messages of the port, a line for each, without end or --count of them. The port drops
messages while the output is not read. --timeout is for every message; by default it is 5 s and for
the connection only. If the name PORT is unknown, PORT/state:o is used.

Examples:
  servosim yarp read /icub/left_arm/state:o --count 1
  servosim yarp read 127.0.0.1:10004 | head -100 > states.txt
)HELP";

constexpr const char* kWriteHelp = R"HELP(
Sends messages that need no reply. Without any MESSAGE, each line of standard input is one. If the
name PORT is unknown, PORT/command:i is used. Messages by udp may be lost.

Examples:
  servosim yarp write /icub/left_arm/command:i "(vmo 0) (10.0)"
  servosim yarp write --carrier udp /icub/left_arm "(vmo 0) (10.0)"
)HELP";

constexpr const char* kPingHelp = R"HELP(
Connects, asks for the version, and prints the time that this took. The exit code is 1 without an
answer.

Examples:
  servosim yarp ping /icub/left_arm/rpc:i
  servosim yarp ping 127.0.0.1:10002 --timeout 1
)HELP";

constexpr const char* kListHelp = R"HELP(
Examples:
  servosim yarp list
  servosim yarp list --nameserver 127.0.0.1:10000
)HELP";

constexpr const char* kNameServerHelp = R"HELP(
Serves until SIGINT, SIGTERM or SIGHUP; then the exit code is 0. For computers without YARP: programs find
it by a file yarp.conf with the line "127.0.0.1 10000 yarp".

Examples:
  servosim yarp nameserver
  servosim yarp nameserver --listen 0.0.0.0 --port 10000
)HELP";

constexpr const char* kOwnName = "/servosim/client";

struct YarpArguments {
  std::string name_server;
  std::optional<double> timeout;  // [s]
  bool generation_4 = false;
  std::string carrier;  // name of a carrier; may be empty
  std::string port;
  std::vector<std::string> messages;
  std::optional<std::uint64_t> count;
  std::string listen = "127.0.0.1";
  int server_port = yarp::kNameServerPort;
};

yarp::YarpClient::Options client_options(const YarpArguments& arguments) {
  yarp::YarpClient::Options options;
  options.name_server = arguments.name_server;
  options.timeout = milliseconds(arguments.timeout.value_or(5.0));
  if (arguments.generation_4) {
    options.generation = yarp::Generation::V4;
  }
  return options;
}

yarp::Carrier carrier_of(const YarpArguments& arguments, yarp::Carrier usual) {
  return yarp::carrier_named(arguments.carrier).value_or(usual);
}

// Returns the names of a board's request ports. The order depends on the generation of YARP.
std::vector<std::string> request_endings(const YarpArguments& arguments) {
  std::vector<std::string> endings{"/rpc:i", "/nws/rpc:i"};
  if (arguments.generation_4) {
    std::swap(endings[0], endings[1]);
  }
  return endings;
}

// Returns the next line of standard input. A line that is longer than any message is cut.
std::optional<std::string> input_line() {
  std::string line;
  int c = std::getchar();
  if (c == EOF) {
    return std::nullopt;
  }
  for (; c != EOF && c != '\n' && line.size() <= yarp::kMaxBottle; c = std::getchar()) {
    line += static_cast<char>(c);
  }
  return line;
}

// Recognizes [fail] and [nak] of YARP 3, [err5] of YARP 4.0, and the ([err5]) that precedes the
// requested values in YARP 4.0.
bool is_refusal(const yarp::Bottle& reply) {
  const yarp::Bottle* const list = reply.empty() ? nullptr : yarp::as_list(reply.items[0]);
  const yarp::Bottle& start = list ? *list : reply;
  const auto* const first = start.empty() ? nullptr : std::get_if<yarp::Vocab>(&start.items[0]);
  const std::string word = first ? yarp::vocab_text(first->code) : "";
  return word == "fail" || word == "nak" || word.starts_with("err");
}

// Sends the messages of the arguments or of standard input to one port.
class MessageSender {
 public:
  MessageSender(const YarpArguments& arguments, bool reply, std::vector<std::string> endings)
      : arguments_(arguments),
        client_(options_of(arguments, reply)),
        reply_(reply),
        endings_(std::move(endings)) {}

  int run() {
    for (const std::string& text : arguments_.messages) {
      if (const auto error = error_of(yarp::parse_bottle(text), text)) {
        return *error;  // nothing has been sent yet
      }
    }
    client_.connect(arguments_.port, carrier_of(arguments_, yarp::Carrier::Tcp), kOwnName,
                    endings_);
    if (!arguments_.messages.empty()) {
      for (const std::string& text : arguments_.messages) {
        send(text);
      }
      return result();
    }
    while (const auto line = input_line()) {
      if (trimmed(*line, " \t\r").empty()) {
        continue;
      }
      if (const auto error = error_of(yarp::parse_bottle(*line), *line)) {
        return *error;
      }
      send(*line);
    }
    return result();
  }

 private:
  // A port's name tells its generation only if the port is for requests.
  static yarp::YarpClient::Options options_of(const YarpArguments& arguments, bool reply) {
    yarp::YarpClient::Options options = client_options(arguments);
    options.asks_for_name = reply;
    return options;
  }
  std::optional<int> error_of(const yarp::BottleOrError& message, const std::string& text) {
    if (const auto* error = std::get_if<ProtocolError>(&message)) {
      console_.log(LogLevel::Error, fmt::format("'{}' is not a message: {}",
                                                printable(text.substr(0, 200)), error->text));
      return kExitBadInput;
    }
    return std::nullopt;
  }
  void send(const std::string& text) {
    const yarp::MessageHead head{yarp::PortCommand::Data, reply_, {}};
    const auto reply = client_.send(head, std::get<yarp::Bottle>(yarp::parse_bottle(text)));
    if (reply) {
      refused_ = refused_ || is_refusal(*reply);
      console_.print(yarp::to_text(*reply) + '\n');
    }
  }
  int result() { return refused_ || console_.output_lost() ? kExitFailed : kExitOk; }

  const YarpArguments& arguments_;
  yarp::YarpClient client_;
  Console console_;
  bool reply_;
  std::vector<std::string> endings_;
  bool refused_ = false;
};

// Returns whether the reader of standard output has ended.
bool output_is_closed() {
  pollfd query{STDOUT_FILENO, 0, 0};
  return ::poll(&query, 1, 0) > 0 && (query.revents & (POLLERR | POLLNVAL)) != 0;
}

int read_messages(const YarpArguments& arguments) {
  Console console;
  yarp::YarpClient client(client_options(arguments));
  client.connect(arguments.port, carrier_of(arguments, yarp::Carrier::FastTcp), kOwnName,
                 {"/state:o"});
  client.reverse();
  const auto timeout =
      arguments.timeout ? std::optional(milliseconds(*arguments.timeout)) : std::nullopt;
  for (std::uint64_t n = 0; (!arguments.count || n < *arguments.count) && !output_is_closed();
       ++n) {
    console.print(yarp::to_text(client.next_message(timeout)) + '\n');
    if (console.output_lost()) {
      return kExitFailed;
    }
  }
  return kExitOk;
}

// Prints whether the port answers.
int ping(const YarpArguments& arguments) {
  Console console;
  yarp::YarpClient client(client_options(arguments));
  const auto start = net::Clock::now();
  client.connect(arguments.port, yarp::Carrier::TextAck, kOwnName);
  client.send({yarp::PortCommand::Admin, true, {}}, yarp::Bottle{{yarp::Vocab("ver")}});
  const std::chrono::duration<double, std::milli> taken = net::Clock::now() - start;
  console.print(fmt::format("{} answers, after {:.3g} ms\n", arguments.port, taken.count()));
  return console.output_lost() ? kExitFailed : kExitOk;
}

int list_names(const YarpArguments& arguments) {
  Console console;
  yarp::YarpClient client(client_options(arguments));
  const yarp::NameReply reply = client.query_names(yarp::ListNames{});
  for (const yarp::Contact& contact : reply.contacts) {
    const std::string line =
        fmt::format("{} {}:{} {}", contact.name, contact.ip, contact.port, contact.carrier);
    console.print(printable(line) + '\n');
  }
  if (!reply.others.empty()) {
    console.log(LogLevel::Error,
                fmt::format("{} lines of the answer are not registrations, such as '{}'",
                            reply.others.size(), printable(reply.others.front().substr(0, 80))));
    return kExitFailed;
  }
  return console.output_lost() ? kExitFailed : kExitOk;
}

int serve_names(const YarpArguments& arguments) {
  return run_server({"Name server", "name server", "--listen", "registrations", arguments.listen,
                     arguments.server_port},
                    [](net::EventLoop& loop, const net::Address& address, Console&) {
                      const auto server = std::make_shared<const yarp::NameServer>(loop, address);
                      return OpenServer{server, server->address()};
                    });
}

CLI::App* add_part(CLI::App& yarp, Action& action, const std::shared_ptr<YarpArguments>& arguments,
                   const char* name, const char* what, const char* help,
                   int (*run)(const YarpArguments&)) {
  CLI::App* const command = yarp.add_subcommand(name, what);
  command->footer(help);
  command->callback([&action, arguments, run] {
    action = [arguments, run] {
      try {
        return run(*arguments);
      } catch (const yarp::YarpClientError& error) {
        Console().log(LogLevel::Error, printable(error.what()));
        return kExitFailed;
      }
    };
  });
  return command;
}

void add_client_options(CLI::App& command, YarpArguments& arguments) {
  command.add_option("--nameserver", arguments.name_server, "Address of the name server")
      ->type_name("HOST:PORT");
  command.add_option("--timeout", arguments.timeout, "How long to wait for an answer [s]; 5")
      ->check(finite_number(false));
}

void add_port(CLI::App& command, YarpArguments& arguments) {
  add_client_options(command, arguments);
  command.add_flag("--yarp4", arguments.generation_4, "Numbers as YARP 4.0 writes them");
  command.add_option("port", arguments.port, "Name or address of a port")
      ->required()
      ->type_name("PORT");
}

// CLI11 parses "[get] [axes]" as a list and strips the brackets. So the positional is declared only
// for the help: without allow_extra_args() it takes nothing, and the messages remain.
void add_messages(CLI::App& command, YarpArguments& arguments, const char* type) {
  add_port(command, arguments);
  command
      .add_option("messages", arguments.messages,
                  "Messages to send; default: the lines of standard input")
      ->expected(0, 1)
      ->allow_extra_args(false)
      ->type_name(type);
  command.allow_extras();
  command.parse_complete_callback([&command, &arguments] {
    arguments.messages = command.remaining();
    for (const std::string& text : arguments.messages) {
      if (text.size() > 1 && text[0] == '-' &&
          (text[1] == '-' || std::isalpha(static_cast<unsigned char>(text[1])) != 0)) {
        throw CLI::ExtrasError({text});
      }
    }
  });
}

}  // namespace

void add_yarp(CLI::App& app, Action& action) {
  CLI::App* const yarp =
      app.add_subcommand("yarp", "Send to and read from YARP ports, and serve their names");
  yarp->footer(kYarpHelp);
  yarp->require_subcommand(1);
  const auto arguments = std::make_shared<YarpArguments>();
  const auto add = [&](const char* name, const char* what, const char* help,
                       int (*run)(const YarpArguments&)) {
    return add_part(*yarp, action, arguments, name, what, help, run);
  };
  const auto add_carrier = [&](CLI::App* command, const std::vector<std::string>& carriers) {
    add_choice(*command, "--carrier", arguments->carrier, carriers,
               "Carrier of the connection; default " + carriers.front());
    return command;
  };
  add_messages(*add_carrier(add("rpc", "Send commands and print the replies", kRpcHelp,
                                [](const YarpArguments& a) {
                                  return MessageSender(a, true, request_endings(a)).run();
                                }),
                            {"tcp", "fast_tcp", "text", "text_ack"}),
               *arguments, "COMMAND");
  // Programs with original YARP ports crash if a text connection changes its direction.
  CLI::App* const read = add("read", "Print what a port sends", kReadHelp, read_messages);
  add_carrier(read, {"fast_tcp"});
  add_port(*read, *arguments);
  read->add_option("--count", arguments->count, "Stop after so many messages")
      ->check(whole_number());
  add_messages(*add_carrier(add("write", "Send messages that need no reply", kWriteHelp,
                                [](const YarpArguments& a) {
                                  return MessageSender(a, false, {"/command:i"}).run();
                                }),
                            {"tcp", "fast_tcp", "udp", "text", "text_ack"}),
               *arguments, "MESSAGE");
  add_port(*add("ping", "Check whether a port answers", kPingHelp, ping), *arguments);
  add_client_options(
      *add("list", "Print the ports that a name server knows", kListHelp, list_names), *arguments);
  CLI::App* const server = add("nameserver", "Run a name server", kNameServerHelp, serve_names);
  server->add_option("--port", arguments->server_port, "Port number; 0: any; default 10000")
      ->check(number_between(0, 65535, "port"));
  server->add_option("--listen", arguments->listen, "IPv4 number to listen at; default 127.0.0.1");
}

}  // namespace servosim
