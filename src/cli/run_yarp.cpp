// SPDX-License-Identifier: Apache-2.0
#include "cli/run_yarp.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "base/printable.h"
#include "base/shortage.h"
#include "cli/arguments.h"
#include "cli/output.h"
#include "cli/yarp_config.h"
#include "run/launch_plan.h"
#include "yarp/server/yarp_run.h"

namespace servosim {
namespace {

using yarp::server::YarpRunExtension;

// ROBOT=/PORT or ROBOT=/PORT:MOTOR,MOTOR...
YarpRunExtension::Board board_of(const std::string& argument) {
  const std::size_t equals = argument.find("=/");
  if (equals == argument.npos || equals == 0) {
    throw InputError(fmt::format(
        "--yarp needs ROBOT=/PORT, as icub=/icub/left_arm, or ROBOT=/PORT:MOTOR,MOTOR...; not '{}'",
        printable(argument)));
  }
  const std::size_t colon = argument.find(':', equals);
  YarpRunExtension::Board board;
  board.robot = argument.substr(0, equals);
  board.port = argument.substr(equals + 1, colon - std::min(colon, equals + 1));
  for (std::size_t begin = colon; begin != argument.npos;) {
    const std::size_t end = argument.find(',', begin + 1);
    board.config.joints.emplace_back().motor = argument.substr(begin + 1, end - begin - 1);
    begin = end;
  }
  return board;
}

std::uint32_t ip_of(const std::string& option, const std::string& text) {
  const auto address = net::find_address(text, 0);
  if (!address) {
    throw InputError(fmt::format("{} '{}' is no IPv4 number", option, printable(text)));
  }
  return address->ip;
}

class YarpPart : public LivePart {
 public:
  void add_options(CLI::App& command) override;
  bool wanted() const override {
    return !boards_.empty() || !config_.empty() || !own_server_.empty() || !server_.empty() ||
           !listen_.empty() || !announce_.empty() || !generation_.empty();
  }
  void check_worlds(const std::vector<std::string>& worlds) const override;
  std::unique_ptr<RunExtension> open(Simulation& simulation, Console& console) const override;

 private:
  YarpRunExtension::Options options(Simulation& simulation) const;
  void add_addresses(YarpRunExtension::Options& options) const;

  std::vector<std::string> boards_;
  std::string config_;
  std::string own_server_;  // its port, or empty
  std::string server_;
  std::string listen_;
  std::string announce_;
  std::string generation_;  // "3", "4" or empty
};

void YarpPart::add_options(CLI::App& command) {
  add_repeatable(command, "--yarp", boards_,
                 "Serve a robot as the YARP control board PORT, with these motors or all")
      ->type_name("ROBOT=/PORT[:MOTORS]");
  command.add_option("--yarp-config", config_, "The same for each section of a file")
      ->type_name("FILE.ini");
  CLI::Option* const own = command.add_flag(
      "--yarp-nameserver{10000}", own_server_,
      "Be the name server too, at port 10000; --yarp-nameserver=N: at port N, 0 is any");
  own->check(CLI::Range(0, 65535).description(""));
  command
      .add_option("--yarp-register", server_,
                  "Name server to register with, instead of the one yarp.conf names")
      ->type_name("HOST:PORT")
      ->excludes(own);
  command
      .add_option("--yarp-listen", listen_,
                  "Address to listen at, 0.0.0.0: all there are; 127.0.0.1 without")
      ->type_name("ADDRESS");
  command.add_option("--yarp-announce", announce_, "Address that others are told to dial")
      ->type_name("ADDRESS");
  add_choice(command, "--yarp-generation", generation_, {"3", "4"},
             "Speak as YARP 3 (as it is without) or YARP 4");
}

// Without the '=' a port number is a world.
void YarpPart::check_worlds(const std::vector<std::string>& worlds) const {
  for (const std::string& world : worlds) {
    if (!own_server_.empty() && world.find_first_not_of("0123456789") == world.npos) {
      throw InputError(
          fmt::format("'{0}' stands where a world should; for the port of the name server write "
                      "--yarp-nameserver={0}",
                      world));
    }
  }
}

std::unique_ptr<RunExtension> YarpPart::open(Simulation& simulation, Console& console) const {
  try {
    auto extension = std::make_unique<YarpRunExtension>(
        simulation, options(simulation), [&console](const std::string& message) {
          console.log(LogLevel::Warning, printable(message));
        });
    for (const std::string& line : extension->summary()) {
      console.log(LogLevel::Info, line);
    }
    if (!listen_.empty()) {
      console.warn(net::exposure_warning("YARP clients", {ip_of("--yarp-listen", listen_), 0},
                                         "--yarp-listen"));
    }
    return extension;
  } catch (const std::system_error& error) {
    rethrow_if_short(error);
    throw InputError(fmt::format(
        "{}. Is the address this computer's, and no other name server there? --yarp-nameserver=N "
        "takes another port number, --yarp-register HOST:PORT the name server that is there",
        error.what()));
  } catch (const std::logic_error& error) {  // of a board that cannot be
    throw InputError(error.what());
  }
}

YarpRunExtension::Options YarpPart::options(Simulation& simulation) const {
  YarpRunExtension::Options options;
  for (const std::string& argument : boards_) {
    options.boards.push_back(board_of(argument));
  }
  if (!config_.empty()) {
    const auto more = read_yarp_config(config_, simulation);
    options.boards.insert(options.boards.end(), more.begin(), more.end());
  }
  if (options.boards.empty()) {
    throw InputError(
        "there is no board to serve; say which with --yarp ROBOT=/PORT or --yarp-config FILE");
  }
  options.generation = generation_ == "4" ? yarp::Generation::V4 : yarp::Generation::V3;
  if (!own_server_.empty()) {
    options.node.own_name_server = std::stoi(own_server_);
  }
  options.node.name_server = server_;
  add_addresses(options);
  return options;
}

// Others cannot dial 0.0.0.0.
void YarpPart::add_addresses(YarpRunExtension::Options& options) const {
  if (!listen_.empty()) {
    options.listen.ip = options.node.own_ip = ip_of("--yarp-listen", listen_);
  }
  if (!announce_.empty()) {
    options.node.announced_ip = ip_of("--yarp-announce", announce_);
  } else if (options.listen.ip == INADDR_ANY) {
    const auto own = net::own_address();
    if (!own) {
      throw InputError(
          "--yarp-listen 0.0.0.0: this computer has no address that others could dial; give one "
          "with --yarp-announce");
    }
    options.node.announced_ip = own->ip;
  }
}

}  // namespace

std::unique_ptr<LivePart> yarp_part() { return std::make_unique<YarpPart>(); }

}  // namespace servosim
