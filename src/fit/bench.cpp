// SPDX-License-Identifier: Apache-2.0
#include "fit/bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "fit/bench_run.h"

namespace servosim {
namespace {

// A rate below this many steps of the encoder per sample is none.
constexpr double kResolved = 2.5;

struct BenchLanes {
  BenchKernel kernel;
  std::size_t count;
};

BenchLanes lanes_of(LaneSet set) {
#if defined(__x86_64__)
  if (set == LaneSet::Avx512) {
    return {kAvx512Bench, 8};
  }
  if (set == LaneSet::Avx2) {
    return {kAvx2Bench, 4};
  }
#endif
  static_cast<void>(set);
  return {kSse2Bench, 2};
}

BenchSupplyOf<double> supply_of(const ServoModel& model) {
  const bool is_rounded = model.encoder.counts > 0.0;
  return {model.supply.voltage,
          model.supply.resistance,
          least_voltage(model.supply),
          model.encoder.offset,
          is_rounded ? 2.0 * std::numbers::pi / model.encoder.counts : 1.0,
          is_rounded ? 1.0 : 0.0,
          model.firmware.delay};
}

// What the law needs of each model.
struct BenchModels {
  std::array<ServoNumbers, kBenchModels> numbers;
  std::array<ServoCommand, kBenchModels> commands;
  std::array<ServoMemory, kBenchModels> memories;
  std::array<BenchSupplyOf<double>, kBenchModels> supplies;

  void set(std::size_t m, const BenchStart& start, const ServoModel& model) {
    numbers[m] = numbers_of(model);
    commands[m] = command_of(model, start.goal);
    memories[m] = servo_at(model, start.goal, start.rate);
    supplies[m] = supply_of(model);
  }
  BenchTask task(const BenchLog& log, const std::vector<BenchStep>& steps,
                 std::size_t first) const {
    const std::vector<LogSample>& samples = log.log->samples;
    return {samples.data(),    samples.size(),   steps.data(),       steps.size(),
            log.rig.inertia(), log.rig.weight(), start_of(*log.log), &numbers[first],
            &commands[first],  &memories[first], &supplies[first]};
  }
};

}  // namespace

ServoModel model_for(const BenchLog& log, const ServoModel& model) {
  ServoModel result = model;
  const auto take = [](double said, double& number) { number = std::isnan(said) ? number : said; };
  take(log.settings.p, result.firmware.p);
  take(log.settings.i, result.firmware.i);
  take(log.settings.d, result.firmware.d);
  take(log.settings.supply, result.supply.voltage);
  result.protection = {};
  return result;
}

BenchStart start_of(const ServoLog& log) {
  const LogSample& first = log.samples[0];
  const LogSample& second = log.samples[1];
  const double h = second.time - first.time;
  const double rate =
      std::isfinite(first.velocity) ? first.velocity : (second.position - first.position) / h;
  return {first.position, std::abs(rate) * h > kResolved * log.quantum ? rate : 0.0, first.goal};
}

std::vector<BenchStep> steps_of(const ServoLog& log) {
  if (log.duration() > kLongestLog) {
    throw std::invalid_argument(
        fmt::format("{}: it is {:.4g} s long, and a fit takes at most {:.4g} s: cut it, or say its "
                    "unit of time by --columns 'time=…[ms]'",
                    log.path, log.duration(), kLongestLog));
  }
  std::vector<BenchStep> steps;
  double before = 0.0;
  for (std::size_t s = 0; s + 1 < log.samples.size(); ++s) {
    const LogSample& sample = log.samples[s];
    const double way = log.samples[s + 1].time - sample.time;
    const double count = std::ceil(way / kLongestStep - 1e-9);
    const double h = way / count;
    const auto last = static_cast<std::size_t>(count);
    for (std::size_t i = 1; i <= last; ++i) {
      const double mean = before > 0.0 ? 0.5 * (before + h) : h;
      steps.push_back({h, mean, sample.time + static_cast<double>(i - 1) * h, sample.goal,
                       sample.on, i == last});
      before = h;
    }
  }
  return steps;
}

void run_bench(const BenchLog& log, const std::vector<BenchStep>& steps,
               std::span<const ServoModel> models, std::vector<double>& positions, LaneSet lanes) {
  positions.resize(log.log->samples.size() * kBenchModels);
  const BenchStart start = start_of(*log.log);
  BenchModels all;
  for (std::size_t m = 0; m < kBenchModels; ++m) {
    all.set(m, start, model_for(log, models[std::min(m, models.size() - 1)]));
  }
  const BenchLanes chosen = lanes_of(lanes);
  for (std::size_t first = 0; first < models.size(); first += chosen.count) {
    chosen.kernel(all.task(log, steps, first), positions.data() + first);
  }
}

std::vector<BenchState> run_bench_once(const BenchLog& log, const ServoModel& model) {
  const std::vector<BenchStep> steps = steps_of(*log.log);
  BenchModels all;
  all.set(0, start_of(*log.log), model_for(log, model));
  BenchRun<double> run{all.numbers[0], all.commands[0], all.memories[0], all.supplies[0], {}, {}};
  std::vector<BenchState> states;
  run.go(all.task(log, steps, 0), [&](std::size_t) {
    const ServoMemory& m = run.memory;
    states.push_back({run.reading(), run.rate, m.motor_torque, m.current, m.duty, m.volts});
  });
  return states;
}

}  // namespace servosim
