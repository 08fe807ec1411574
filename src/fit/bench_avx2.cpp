// SPDX-License-Identifier: Apache-2.0
#define SERVOSIM_LANES 4
#include "fit/bench_kernel.h"

namespace servosim {

extern const BenchKernel kAvx2Bench;
const BenchKernel kAvx2Bench = run_lanes;

}  // namespace servosim
