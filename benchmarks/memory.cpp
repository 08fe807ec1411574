// SPDX-License-Identifier: Apache-2.0
// The resident memory of a process after 1000 steps of a six-joint arm. The program does not link
// the libraries of other engines: DART's alone take 10 MB.
#include <fmt/format.h>
#include <sys/resource.h>

#include "engine.h"

int main() {
  using namespace servosim::bench;
  const auto arm = make_servosim({Kind::Arms, 1, 6});
  for (int i = 0; i < 1000; ++i) {
    arm->step();
  }
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  fmt::print("{:.1f} MB\n", static_cast<double>(usage.ru_maxrss) / 1024.0);
}
