// SPDX-License-Identifier: Apache-2.0
#include "cli/run_extern.h"

#include <CLI/CLI.hpp>

namespace servosim {

CLI::Validator port_number() { return CLI::Range(1, 65535).description(""); }

void add_extern(CLI::App& command, ExternArguments& arguments) {
  command
      .add_option("--port", arguments.port,
                  "Of this simulation for extern controllers, instead of the first that is free "
                  "from 1234 on")
      ->type_name("N")
      ->check(port_number());
  command
      .add_option("--extern-tcp", arguments.tcp_address,
                  "Take extern controllers by TCP too, at this address of ours: 127.0.0.1 for this "
                  "machine alone; whoever reaches it may control the robots that wait")
      ->type_name("ADDRESS");
  command.add_flag("--extern-urls", arguments.print_urls,
                   "Print what to set WEBOTS_CONTROLLER_URL to, for each extern controller");
}

ExternOptions extern_options(const ExternArguments& arguments) {
  ExternOptions options;
  if (arguments.port) {
    options.port = static_cast<int>(*arguments.port);
  }
  options.tcp_address = arguments.tcp_address;
  options.print_urls = arguments.print_urls;
  return options;
}

}  // namespace servosim
