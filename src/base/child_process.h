// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <cerrno>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "base/scoped.h"

namespace servosim {

/// The descriptors of a child process; -1 means /dev/null.
struct ChildStreams {
  int input = -1;
  int output = -1;
  int error = -1;
};

/// Starts a program that PATH finds, without a shell, in a process group of its own and with the
/// default signals. Returns 0 and sets `pid`, or returns an errno. An empty `folder` means the
/// current folder.
int start_child(const std::vector<std::string>& arguments, const std::string& folder,
                const ChildStreams& streams, pid_t& pid);

struct PipedChild {
  Descriptor reader;  ///< reads its output
  pid_t pid = 0;
};

/// Calls start_child() with a pipe from the child's standard output and, if `with_errors`, from its
/// standard error.
/// @throws std::system_error if it cannot be started, with the errno as its code
PipedChild start_piped_child(const std::vector<std::string>& arguments, const std::string& folder,
                             int input, bool with_errors);

/// Waits for the end of a child. Returns its status as waitpid() does, or nothing if the process
/// does not keep it because SIGCHLD is ignored.
[[nodiscard]] std::optional<int> wait_for_child(pid_t pid);

/// Describes a status, such as "exited with status 3" or "was ended by SIGSEGV".
std::string describe_wait_status(int wait_status);

/// Returns everything up to the end of a stream; of a longer stream its first `max_bytes` and up to
/// 64 KiB more. @throws std::system_error if it cannot be read
std::string read_to_end(int fd, std::size_t max_bytes);

/// The output of a program that has ended.
struct ChildOutput {
  std::string text;
  std::optional<int> wait_status;  ///< nothing if the process does not keep it
};

/// Runs a program to its end with `input` as its standard input. Its output is closed after
/// `max_output` bytes.
/// @throws std::system_error if it cannot be started
ChildOutput run_filter(const std::vector<std::string>& arguments, int input,
                       std::size_t max_output);

/// Blocks all signals in a thread during its lifetime. Threads that start meanwhile keep them
/// blocked forever, so that only the thread that runs the simulation receives signals.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t all;
    ::sigfillset(&all);
    if (const int error = ::pthread_sigmask(SIG_SETMASK, &all, &before_); error != 0) {
      throw std::system_error(error, std::generic_category(), "pthread_sigmask");
    }
  }
  ~BlockedSignals() {
    // The call fails only for invalid arguments.
    static_cast<void>(::pthread_sigmask(SIG_SETMASK, &before_, nullptr));
  }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_;
};

}  // namespace servosim
