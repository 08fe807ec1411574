// SPDX-License-Identifier: Apache-2.0
// How fast worlds are read and loaded: a large mesh, and plain numbers.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cmath>
#include <string>

#include "servosim/simulation.h"
#include "wbt/world_file.h"

namespace servosim {
namespace {

// A wavy square of `side`² points as an IndexedFaceSet; side 177 is a world of 2.4 MB.
std::string mesh_world(int side) {
  std::string text =
      "#VRML_SIM R2023b utf8\nSolid { boundingObject IndexedFaceSet { coord Coordinate { point [\n";
  for (int i = 0; i < side; ++i) {
    for (int j = 0; j < side; ++j) {
      text += fmt::format("{:.6f} {:.6f} {:.6f},\n", 0.01 * i, 0.01 * j,
                          0.1 * std::sin(0.1 * i) * std::cos(0.1 * j));
    }
  }
  text += "] } coordIndex [\n";
  for (int i = 0; i + 1 < side; ++i) {
    for (int j = 0; j + 1 < side; ++j) {
      const int a = i * side + j;
      text += fmt::format("{}, {}, {}, -1, {}, {}, {}, -1,\n", a, a + side, a + 1, a + 1, a + side,
                          a + side + 1);
    }
  }
  return text + "] } }\n";
}

void read_tree(benchmark::State& state) {
  const std::string text = mesh_world(177);
  for (auto _ : state) {
    Diagnostics diagnostics;
    benchmark::DoNotOptimize(wbt::read_world_text(text, "world", ".", {}, diagnostics));
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * text.size()));
}
BENCHMARK(read_tree)->Unit(benchmark::kMillisecond);

void load_world(benchmark::State& state) {
  const std::string text = mesh_world(177);
  for (auto _ : state) {
    benchmark::DoNotOptimize(Simulation::from_text(text).joint_count());
  }
  state.counters["MB"] = static_cast<double>(text.size()) / 1e6;
}
BENCHMARK(load_world)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace servosim

BENCHMARK_MAIN();
