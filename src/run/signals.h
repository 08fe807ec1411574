// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <array>
#include <stdexcept>
#include <string>

namespace servosim {

/// Makes SIGINT, SIGTERM and SIGHUP end the process at once with 128 + their number, together with
/// the process groups of add_process_group(). A signal that was ignored stays ignored.
/// @throws std::system_error
void end_at_signals();

/// Returns the first of these signals since a SignalWatch was made; 0 if there was none, or if
/// there is no watch.
int interrupting_signal();

/// Thrown when a signal has interrupted work, in a process that has a SignalWatch.
class Interrupted : public std::runtime_error {
 public:
  explicit Interrupted(int signal_number)
      : std::runtime_error(text_of(signal_number)), signal_number_(signal_number) {}
  int exit_code() const { return 128 + signal_number_; }

 private:
  static std::string text_of(int signal_number);  // returns a clause

  int signal_number_;
};

/// @throws Interrupted if a signal has arrived since a SignalWatch was made
void throw_if_interrupted();

/// While it exists, the first of these signals is only recorded, and the second one ends the
/// process as after end_at_signals().
///
/// Invariant: at most one exists, since signals belong to the process.
class SignalWatch {
 public:
  SignalWatch();
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  /// Returns a descriptor that is readable from the first signal on.
  int descriptor() const;

 private:
  std::array<struct sigaction, 3> previous_{};
};

/// Add and remove process groups that end with the process after a second signal. Groups beyond a
/// thousand end only by PR_SET_PDEATHSIG.
void add_process_group(pid_t group);
void remove_process_group(pid_t group);

}  // namespace servosim
