// SPDX-License-Identifier: Apache-2.0
// How fast the programs read, load and show worlds: a large mesh, and plain numbers.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "servosim/simulation.h"
#include "wbt/world_file.h"

namespace servosim {
namespace {

// A wavy square of `side`² points as an IndexedFaceSet. A side of 177 gives a world of 2.4 MB.
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

/// A world in a file, which is removed at the end.
struct TemporaryWorld {
  explicit TemporaryWorld(const std::string& text) { std::ofstream(path) << text; }
  ~TemporaryWorld() { std::remove(path.c_str()); }
  const std::string path =
      std::filesystem::temp_directory_path() / fmt::format("servosim-bench-{}.wbt", ::getpid());
};

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
    benchmark::DoNotOptimize(Simulation::from_text(text).joints().size());
  }
  state.counters["MB"] = static_cast<double>(text.size()) / 1e6;
}
BENCHMARK(load_world)->Unit(benchmark::kMillisecond);

// Runs `servosim info` as a process of its own. Its time is compared with plain reading of the same
// file, in turns: the ratio is more exact than the time.
void info_program(benchmark::State& state) {
  using Clock = std::chrono::steady_clock;
  const TemporaryWorld world(mesh_world(177));
  const std::string command =
      std::string("'") + SERVOSIM_PROGRAM + "' info --json '" + world.path + "' >/dev/null";
  std::vector<double> ratios;
  for (auto _ : state) {
    const auto start = Clock::now();
    Diagnostics diagnostics;
    benchmark::DoNotOptimize(wbt::read_world(world.path, {}, diagnostics));
    const auto read = Clock::now();
    if (std::system(command.c_str()) != 0) {
      state.SkipWithError("servosim info failed");
      return;
    }
    const std::chrono::duration<double> info = Clock::now() - read;
    state.SetIterationTime(info.count());
    ratios.push_back(info / std::chrono::duration<double>(read - start));
  }
  std::nth_element(ratios.begin(), ratios.begin() + ratios.size() / 2, ratios.end());
  state.counters["over_reading"] = ratios[ratios.size() / 2];
}
BENCHMARK(info_program)->Unit(benchmark::kMillisecond)->UseManualTime();

}  // namespace
}  // namespace servosim

BENCHMARK_MAIN();
