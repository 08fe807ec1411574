// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>

#include <cerrno>
#include <system_error>

namespace servosim {

/// As long as one lives, its thread blocks all signals, and so do, for ever, the threads that it
/// starts: signals are for the thread that runs the simulation.
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
    // It fails for arguments only that are not these.
    static_cast<void>(::pthread_sigmask(SIG_SETMASK, &before_, nullptr));
  }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_;
};

}  // namespace servosim
