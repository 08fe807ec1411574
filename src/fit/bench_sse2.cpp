// SPDX-License-Identifier: Apache-2.0
#define SERVOSIM_LANES 2
#include "fit/bench_kernel.h"

namespace servosim {

extern const BenchKernel kSse2Bench;
const BenchKernel kSse2Bench = run_lanes;

}  // namespace servosim
