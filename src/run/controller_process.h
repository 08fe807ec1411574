// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/scoped.h"

namespace servosim {

struct LaunchSpec {
  std::string program;                                           ///< absolute path
  std::vector<std::string> arguments;                            ///< argv[1] and on
  std::string folder;                                            ///< absolute; working directory
  std::vector<std::pair<std::string, std::string>> environment;  ///< over that of servosim
};

/// A running controller program, or servosim itself for one of several worlds: leader of its own
/// process group, with /dev/null as input, killed by the kernel when the thread that started it
/// ends. Of our descriptors it gets only the link, whose number is in SERVOSIM_CONTROLLER_FD.
class ControllerProcess {
 public:
  /// @throws std::system_error naming the program if it cannot be started.
  explicit ControllerProcess(const LaunchSpec& spec);
  ~ControllerProcess();
  ControllerProcess(ControllerProcess&&) = delete;
  ControllerProcess& operator=(ControllerProcess&&) = delete;

  /// Our ends; each can be taken once.
  Descriptor take_link() { return std::move(link_); }
  Descriptor take_output() { return std::move(output_); }
  Descriptor take_errors() { return std::move(errors_); }

  /// What waitpid() says once the program has ended; what it left in its group is then killed.
  std::optional<int> wait_status();
  /// Sends a signal to the whole group, unless it has ended.
  void signal(int number);

 private:
  Descriptor link_;
  Descriptor output_;
  Descriptor errors_;
  pid_t pid_ = -1;
  std::optional<int> status_;
};

}  // namespace servosim
