// SPDX-License-Identifier: Apache-2.0
#define SERVOSIM_LANES 8
#include "fit/bench_kernel.h"

namespace servosim {

extern const BenchKernel kAvx512Bench;
const BenchKernel kAvx512Bench = run_lanes;

}  // namespace servosim
