// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>
#include <sys/types.h>

namespace servosim {

/// The first SIGINT or SIGTERM a SignalWatch saw; 0 when there was none or no watch lives.
int interrupting_signal();

/// While it lives, the first SIGINT or SIGTERM is only noted, and the second ends the process at
/// once, together with the process groups entrusted to it. A signal that was ignored stays so.
/// At most one at a time: signals belong to the process.
class SignalWatch {
 public:
  SignalWatch();
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  /// Readable from the first signal on.
  int descriptor() const;

 private:
  struct sigaction previous_int_ {};
  struct sigaction previous_term_ {};
};

/// Entrusts a process group to the watch, or takes it back. Groups beyond a thousand are left to
/// PR_SET_PDEATHSIG.
void add_doomed_group(pid_t group);
void remove_doomed_group(pid_t group);

}  // namespace servosim
