// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/types.h>

#include <cstring>
#include <string>
#include <vector>

#include "programs/program.h"

// What /proc tells about the processes of a run.

namespace servosim::test {

/// Counts processes whose program is in the project's folder. Zombies have no program.
int processes_of(const Project& project);
/// Returns whether no processes are left, now or a little later.
bool all_gone(const Project& project);
/// Returns whether the process handles the signal. Before it does, the signal would end it.
bool catches(pid_t process, int signal_number);
/// Returns the oldest child first.
std::vector<pid_t> children_of(pid_t process);

/// Names a case by the signal that ends its run.
inline constexpr auto by_signal = [](const testing::TestParamInfo<int>& test) {
  return "SIG" + std::string(::sigabbrev_np(test.param));
};

}  // namespace servosim::test
