// SPDX-License-Identifier: Apache-2.0
// What a trace of 50 joints costs a run. Runs with and without a trace take turns, so that other
// load on the machine meets both. Prints medians of the ratios of wall time, of the CPU time of the
// simulating thread, and of that of all threads.
//
//     bench_trace [FOLDER]
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "scene.h"
#include "servosim/simulation.h"
#include "sim/trace/trace_writer.h"

namespace servosim::bench {
namespace {

struct Cost {
  double wall;    // [s]
  double thread;  // CPU time of the thread that simulates [s]
  double all;     // CPU time of all threads [s]
};

double now(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

Cost cost_now() {
  return {now(CLOCK_MONOTONIC), now(CLOCK_THREAD_CPUTIME_ID), now(CLOCK_PROCESS_CPUTIME_ID)};
}

// Takes `steps` steps of the world. The joints are read as `servosim run` reads them for its table.
Cost run(const Scene& scene, int steps, const std::string& trace_path) {
  Simulation simulation = Simulation::from_text(world_text(scene));
  std::vector<Motor*> motors;
  for (int r = 0; r < simulation.robots().size(); ++r) {
    for (const DeviceNode& device : simulation.robot(r).devices()) {
      motors.push_back(device.get<Motor>());
    }
  }
  double highest = 0.0;
  const Cost start = cost_now();
  std::unique_ptr<Trace> trace;
  if (!trace_path.empty()) {
    trace = std::make_unique<Trace>(simulation, trace_path);
  }
  for (int n = 0; n < steps; ++n) {
    for (std::size_t m = 0; m < motors.size(); ++m) {
      motors[m]->set_position(arm_target(static_cast<int>(m) % scene.joints, simulation.time()));
    }
    simulation.step();
    for (int j = 0; j < simulation.joints().size(); ++j) {
      highest = std::max(highest, simulation.joint(j).effort());
    }
    if (trace != nullptr) {
      trace->row();
    }
  }
  if (trace != nullptr) {
    trace->close();
  }
  const Cost end = cost_now();
  if (highest <= 0.0) {
    throw std::runtime_error("the arms did not move");
  }
  return {end.wall - start.wall, end.thread - start.thread, end.all - start.all};
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

void compare(const Scene& scene, int steps, const std::filesystem::path& path) {
  constexpr int kRounds = 9;
  std::vector<double> ratios[3];
  std::vector<double> step;
  for (int i = 0; i < kRounds; ++i) {
    const Cost without = run(scene, steps, "");
    const Cost with = run(scene, steps, path);
    ratios[0].push_back(with.wall / without.wall);
    ratios[1].push_back(with.thread / without.thread);
    ratios[2].push_back(with.all / without.all);
    step.push_back(without.thread / steps * 1e6);
  }
  const auto bytes = std::filesystem::file_size(path);
  std::filesystem::remove(path);
  fmt::print("{:4} arms of {:2}  {:5} {:8.1f} us {:8.1f} kB {:8.3f} {:8.3f} {:8.3f}\n",
             scene.robots, scene.joints, path.extension() == ".csv" ? "csv" : "jsonl", median(step),
             static_cast<double>(bytes) / steps / 1000.0, median(ratios[0]), median(ratios[1]),
             median(ratios[2]));
}

}  // namespace
}  // namespace servosim::bench

int main(int argc, char** argv) {
  using namespace servosim::bench;
  const std::filesystem::path folder =
      argc > 1 ? std::filesystem::path(argv[1]) : std::filesystem::temp_directory_path();
  fmt::print("scene          format      step         row     wall   thread      all\n");
  for (const char* name : {"servosim_bench_trace.csv", "servosim_bench_trace.jsonl"}) {
    compare({Kind::Arms, 25, 2}, 10000, folder / name);
    compare({Kind::Arms, 1, 50}, 1000, folder / name);
  }
}
