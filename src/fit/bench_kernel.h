// SPDX-License-Identifier: Apache-2.0
// The bench with models side by side. Included by one source for each set of instructions, which
// defines SERVOSIM_LANES. It calls no inline function of single numbers, since the linker keeps one
// of those that the sources have, whatever its instructions are.
#pragma once

// clang-format off
#include "physics/tree/lane_scalar.h"  // before the law, which uses it
#include "fit/lane_power.h"
// clang-format on
#include "fit/bench_run.h"

namespace servosim {

namespace {

// Puts kLanes models side by side. A structure of numbers becomes one of lanes member by member.
template <template <class> class Structure>
Structure<Lanes> side_by_side(const Structure<double>* of) {
  constexpr std::size_t kCount = sizeof(Structure<double>) / sizeof(double);
  static_assert(sizeof(Structure<Lanes>) == kCount * sizeof(Lanes));
  Structure<Lanes> result;
  for (std::size_t member = 0; member < kCount; ++member) {
    Lanes lanes{};
    for (std::size_t l = 0; l < kLanes; ++l) {
      double number;
      __builtin_memcpy(&number, reinterpret_cast<const char*>(of + l) + member * sizeof(double),
                       sizeof number);
      lanes[l] = number;
    }
    __builtin_memcpy(reinterpret_cast<char*>(&result) + member * sizeof(Lanes), &lanes,
                     sizeof lanes);
  }
  return result;
}

// All that it calls is a part of it, since check_lane_symbols.cmake allows no weak functions.
[[gnu::flatten]] void run_lanes(const BenchTask& task, double* positions) {
  BenchRun<Lanes> run{side_by_side<ServoNumbersOf>(task.numbers),
                      side_by_side<ServoCommandOf>(task.commands),
                      side_by_side<ServoMemoryOf>(task.memories),
                      side_by_side<BenchSupplyOf>(task.supplies),
                      {},
                      {}};
  run.go(task, [&](std::size_t sample) {
    const Lanes reading = run.reading();
    for (std::size_t l = 0; l < kLanes; ++l) {
      positions[sample * kBenchModels + l] = reading[l];
    }
  });
}

}  // namespace

}  // namespace servosim
