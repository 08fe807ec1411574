// SPDX-License-Identifier: Apache-2.0
// Sweeps: one-second runs of the arm per second, compared with those of a plain batch; the same
// with two jobs; and the memory that many runs take.
//
//     bench_sweep [RUNS]
#include "sweep/sweep.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "servosim/batch.h"
#include "sweep/results_file.h"

namespace {

using servosim::Batch;
using servosim::Sweep;
using servosim::SweepOptions;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kSteps = 125;  // of 8 ms
constexpr std::size_t kInstances = 100;
constexpr int kRepetitions = 3;
const char* const kColumns[]{"*.position", "*.velocity", "*.effort"};

std::string results;  // path of the results file

// The time of some work, and its processor time [s].
struct Times {
  double wall = 1e9;
  double processor = 1e9;

  // Keeps the smallest of several times, since disturbances only make a time longer.
  void add(const std::function<void()>& work) {
    const auto used = [] {
      struct rusage usage {};
      ::getrusage(RUSAGE_SELF, &usage);
      const auto seconds = [](const timeval& t) {
        return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
      };
      return seconds(usage.ru_utime) + seconds(usage.ru_stime);
    };
    const double before = used();
    const Clock::time_point start = Clock::now();
    work();
    wall = std::min(wall, std::chrono::duration<double>(Clock::now() - start).count());
    processor = std::min(processor, used() - before);
  }
};

// A batch whose instances begin again for each of their runs. With several variants each run has an
// instance of its own.
class PlainBatch {
 public:
  PlainBatch(std::size_t runs, std::size_t variants)
      : runs_(runs), variants_(variants), batch_(SERVOSIM_ARM, kInstances) {
    batch_.bind({std::begin(kColumns), std::end(kColumns)}, {});
    rows_.resize(kInstances * kSteps * batch_.observation_names().size());
  }

  void run() {
    for (std::size_t first = 0; first < runs_; first += kInstances) {
      if (variants_ > 1 && first % (runs_ / variants_) == 0) {
        std::vector<double> masses(kInstances);
        for (std::size_t i = 0; i < kInstances; ++i) {
          const std::size_t variant = variants_ == runs_ ? first + i : first / (runs_ / variants_);
          masses[i] = 0.3 + 0.3 * static_cast<double>(variant) / static_cast<double>(variants_);
        }
        batch_.set("HAND.physics.mass", masses);
      }
      batch_.reset();
      batch_.rollout<double>({}, kSteps, rows_);
    }
  }

 private:
  std::size_t runs_;
  std::size_t variants_;
  Batch batch_;
  std::vector<double> rows_;
};

SweepOptions options_of(std::size_t runs, std::size_t variants) {
  SweepOptions options;
  options.world = SERVOSIM_ARM;
  options.duration = 1.0;
  options.load.notice = [](std::string_view) {};
  options.controllers = {"arm=<none>"};
  if (variants > 1) {
    options.variation.parameters = {fmt::format("HAND.physics.mass=0.3:0.6:{}", variants)};
  }
  if (runs > variants) {
    options.variation.seeds = fmt::format("1..{}", runs / variants);
  }
  return options;
}

void run(const Sweep& sweep, std::size_t jobs) {
  std::filesystem::remove(results);
  servosim::ResultsFile file(results, servosim::ResultsFile::header_of(sweep), false);
  sweep.run({sweep.plan().size(), [](std::uint64_t i) { return i; }}, jobs,
            [&file](const servosim::SweepRow& row) { file.add(row); });
  file.close();
}

// Uses processor time, which other programs disturb little; for two jobs it uses the clock.
void throughput(std::size_t runs, std::size_t variants) {
  PlainBatch batch(runs, variants);
  const Sweep sweep(options_of(runs, variants));
  Times of_batch;
  Times of_one;
  Times of_two;
  for (int i = 0; i < kRepetitions; ++i) {
    of_batch.add([&] { batch.run(); });
    of_one.add([&] { run(sweep, 1); });
    of_two.add([&] { run(sweep, 2); });
  }
  const double count = static_cast<double>(runs);
  fmt::print(
      "{} runs of {} variants: batch {:.0f} runs per second of a core, sweep {:.0f}: {:.2f} of it; "
      "two jobs: {:.2f} times the runs by the clock, {:.2f} times the processors' time\n",
      runs, variants, count / of_batch.processor, count / of_one.processor,
      of_batch.processor / of_one.processor, of_one.wall / of_two.wall,
      of_two.processor / of_one.processor);
}

// Measures the memory of a process of its own [MB].
void memory(std::size_t runs, std::size_t variants) {
  std::fflush(stdout);
  const pid_t child = ::fork();
  if (child == 0) {
    const Sweep sweep(options_of(runs, variants));
    run(sweep, 2);
    struct rusage usage {};
    ::getrusage(RUSAGE_SELF, &usage);
    fmt::print("{} runs of {} variants: {:.1f} MB at most\n", runs, variants,
               static_cast<double>(usage.ru_maxrss) / 1000.0);
    std::fflush(stdout);
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t runs = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 10000;
  results = std::filesystem::temp_directory_path() /
            fmt::format("servosim_bench_sweep_{}.csv", ::getpid());
  for (const std::size_t count : {runs / 10, runs, 4 * runs}) {
    memory(count, count / 10);
  }
  throughput(runs, 1);
  throughput(runs, runs / 100);
  throughput(runs, runs);
  std::filesystem::remove(results);
}
