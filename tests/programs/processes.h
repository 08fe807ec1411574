// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/types.h>

#include <cstring>
#include <string>
#include <vector>

#include "programs/program.h"

// What /proc says about the processes of a run.

namespace servosim::test {

/// Those whose program lies in the project's folder. Zombies have none.
int processes_of(const Project& project);
/// Whether there are none left, now or a little later.
bool all_gone(const Project& project);
/// Whether its handler would get the signal: before that, a signal would end it.
bool catches(pid_t process, int signal_number);
/// Oldest first.
std::vector<pid_t> children_of(pid_t process);

/// Names a case by the signal that ends its run.
inline constexpr auto by_signal = [](const testing::TestParamInfo<int>& test) {
  return "SIG" + std::string(::sigabbrev_np(test.param));
};

}  // namespace servosim::test
