// SPDX-License-Identifier: Apache-2.0
#include "fit/fit_rig.h"

#include <utility>

namespace servosim {

PendulumBench::PendulumBench(std::vector<BenchLog> logs) : logs_(std::move(logs)) {
  steps_.reserve(logs_.size());
  for (const BenchLog& log : logs_) {
    steps_.push_back(steps_of(*log.log));
  }
}

std::unique_ptr<FitRig> PendulumBench::with_rod(double more) const {
  std::vector<BenchLog> logs = logs_;
  for (BenchLog& log : logs) {
    log.rig.rod += more;
  }
  return std::make_unique<PendulumBench>(std::move(logs));
}

}  // namespace servosim
