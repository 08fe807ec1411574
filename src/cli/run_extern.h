// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/cli11_fwd.h"
#include "host/extern_door.h"

namespace servosim {

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

}  // namespace servosim
