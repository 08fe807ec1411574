// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>
#include <sys/types.h>

namespace servosim {

/// The first SIGINT or SIGTERM since a SignalWatch was made; 0 if there was none, or is no watch.
int interrupting_signal();

/// While it exists, the first SIGINT or SIGTERM is only recorded, and the second ends the process
/// at once, together with the process groups of add_process_group(). A signal that was ignored
/// stays ignored.
///
/// Invariant: there is one at most, since signals belong to the process.
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

/// Process groups that end with the process after a second signal. Groups beyond a thousand end by
/// PR_SET_PDEATHSIG alone.
void add_process_group(pid_t group);
void remove_process_group(pid_t group);

}  // namespace servosim
