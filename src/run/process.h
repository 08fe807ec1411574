// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <filesystem>
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
  std::vector<std::pair<std::string, std::string>> environment;  ///< added to that of servosim
};

/// A running controller program, or servosim itself for one of several worlds. It leads its own
/// process group and has /dev/null as input. The kernel kills it when the thread that started it
/// ends. Of our descriptors it gets only the link, whose number is in SERVOSIM_CONTROLLER_FD.
class ControllerProcess {
 public:
  /// @throws std::system_error with the name of the program if it cannot be started
  explicit ControllerProcess(const LaunchSpec& spec);
  ~ControllerProcess();
  ControllerProcess(ControllerProcess&&) = delete;
  ControllerProcess& operator=(ControllerProcess&&) = delete;

  /// These return the run's ends of the connection; each can be taken once.
  Descriptor take_link() { return std::move(link_); }
  Descriptor take_output() { return std::move(output_); }
  Descriptor take_errors() { return std::move(errors_); }

  /// Returns the status of waitpid() once the program has ended. Other processes of its group are
  /// then killed.
  std::optional<int> wait_status();
  pid_t pid() const { return pid_; }
  /// Returns the core file that it has left in its folder; empty if there is none. A file from
  /// before its start is not its own.
  std::string core_file() const;
  /// Sends a signal to the whole group unless it has ended.
  void signal(int number);

 private:
  Descriptor link_;
  Descriptor output_;
  Descriptor errors_;
  pid_t pid_ = -1;
  std::string folder_;
  std::filesystem::file_time_type started_;  // time of the start or a little earlier
  std::optional<int> status_;
};

struct CommandResult {
  bool started = false;  ///< false if there is no such program
  int wait_status = 0;   ///< the status of waitpid()
  std::string output;    ///< standard output and error together, at most max_lines

  bool succeeded() const { return started && wait_status == 0; }
};

/// Which lines of a long output are kept.
enum class KeptLines { First, Last };

/// Runs a program that PATH finds to its end, without a shell and without input, in its own process
/// group. Does not wait for its background processes, nor end them. SIGINT and SIGTERM end the
/// group while a SignalWatch exists.
/// @param folder  its working directory
/// @param max_lines  one line with their number replaces those that are not kept
/// @throws std::system_error if the program exists but cannot be started
CommandResult run_command(const std::vector<std::string>& arguments, const std::string& folder,
                          int max_lines, KeptLines kept = KeptLines::First);

}  // namespace servosim
