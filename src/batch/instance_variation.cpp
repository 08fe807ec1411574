// SPDX-License-Identifier: Apache-2.0
#include "batch/instance_variation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "batch/draw.h"
#include "batch/parts.h"
#include "servosim/batch.h"
#include "sim/world_control.h"
#include "sim/world_inspector.h"

namespace servosim {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

bool is_same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

bool are_same(const std::vector<double>& a, const std::vector<double>& b) {
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    if (!is_same(i < a.size() ? a[i] : kNaN, i < b.size() ? b[i] : kNaN)) {
      return false;
    }
  }
  return true;
}

constexpr double kMaxDelay = 1000.0;

void check_range(const RandomRange& range) {
  refuse_if(!std::isfinite(range.low) || !std::isfinite(range.high) || range.low > range.high,
            fmt::format("\"{}\": the range from {} to {} has no numbers", range.name, range.low,
                        range.high));
  refuse_if(!std::isfinite(range.high - range.low),
            fmt::format("\"{}\": the range from {} to {} is too wide: use one of less than 1.7e308",
                        range.name, range.low, range.high));
}

DrawnDelay delay_of(const RandomRange& range) {
  refuse_if(range.low < 0.0 || range.high > kMaxDelay || range.low != std::floor(range.low) ||
                range.high != std::floor(range.high),
            fmt::format("\"{}\" is a whole number of steps from 0 to {}, not {} to {}", range.name,
                        kMaxDelay, range.low, range.high));
  return {static_cast<std::uint32_t>(range.low), static_cast<std::uint32_t>(range.high)};
}

}  // namespace

std::vector<bool> InstanceVariation::noisy(const Columns& of, const std::string& pattern) const {
  return pattern.empty() ? std::vector<bool>(of.observation_names.size(), true)
                         : columns_of(world_, of, pattern);
}

void InstanceVariation::randomize(const std::vector<RandomRange>& ranges, const Columns& columns,
                                  const CheckEnds& check) {
  Randomized next;
  for (const RandomRange& range : ranges) {
    check_range(range);
    if (range.name == kActionDelay) {
      next.delay = delay_of(range);
    } else if (range.name == kSensorNoise || range.name.ends_with(kNoise)) {
      next.noise.push_back(noise_of(range, columns));
    } else {
      add_numbers(range, check, next.numbers);
    }
  }
  randomized_ = std::move(next);
}

DrawnNoise InstanceVariation::noise_of(const RandomRange& range, const Columns& columns) const {
  const std::string pattern =
      range.name == kSensorNoise ? "" : range.name.substr(0, range.name.size() - kNoise.size());
  refuse_if(range.low < 0.0,
            fmt::format("\"{}\" is a standard deviation >= 0, not {}", range.name, range.low));
  return {pattern, noisy(columns, pattern), Draw::name(pattern + std::string(kNoise)), range.low,
          range.high};
}

// Both ends of the range must be values that the world can have.
void InstanceVariation::add_numbers(const RandomRange& range, const CheckEnds& check,
                                    std::vector<DrawnNumber>& to) {
  const std::vector<std::size_t> numbers = parameters_.find(range.name);
  for (const std::size_t number : numbers) {
    to.push_back({number, parameters_.key(number), range.low, range.high});
  }
  for (const double end : {range.low, range.high}) {
    std::vector<double> together(parameters_.count(), kNaN);
    for (const std::size_t number : numbers) {
      std::vector<double> alone(parameters_.count(), kNaN);
      alone[number] = together[number] = end;
      parameters_.check(range.name, alone);
    }
    check(range.name, together);
  }
}

std::vector<DrawnNoise> InstanceVariation::noise_for(const Columns& columns) const {
  std::vector<DrawnNoise> noise = randomized_.noise;
  for (DrawnNoise& one : noise) {
    one.columns = noisy(columns, one.pattern);
  }
  return noise;
}

void InstanceVariation::draw(BatchInstance& x, const Columns& columns) const {
  if (!randomized_.numbers.empty() || x.own != nullptr) {
    draw_values(x);
  }
  draw_for_columns(x, columns);
}

void InstanceVariation::draw_for_columns(BatchInstance& x, const Columns& columns) const {
  draw_noise(x, columns);
  draw_delay(x, columns);
}

void InstanceVariation::draw_values(BatchInstance& x) const {
  const Draw draws = x.draw();
  std::vector<double>& values = x.made_own().values_drawn;
  values.clear();
  if (!randomized_.numbers.empty()) {
    values.assign(parameters_.count(), kNaN);
  }
  for (const DrawnNumber& n : randomized_.numbers) {
    values[n.number] = draws.between(n.low, n.high, n.key);
  }
}

void InstanceVariation::draw_noise(BatchInstance& x, const Columns& columns) const {
  if (randomized_.noise.empty() && x.own == nullptr) {
    return;
  }
  std::vector<double>& of_columns = x.made_own().noise;
  of_columns.clear();
  for (const DrawnNoise& noise : randomized_.noise) {
    of_columns.resize(columns.observation_names.size());
    const double deviation = x.draw().between(noise.low, noise.high, noise.key);
    for (std::size_t c = 0; c < of_columns.size(); ++c) {
      of_columns[c] = noise.columns[c] ? deviation : of_columns[c];
    }
  }
}

void InstanceVariation::draw_delay(BatchInstance& x, const Columns& columns) const {
  const auto [low, high] = randomized_.delay;
  if (high == 0 && x.own == nullptr) {
    return;
  }
  OwnNumbers& own = x.made_own();
  own.delay = low + static_cast<std::uint32_t>(x.draw().bits(Draw::name(kActionDelay)) %
                                               (std::uint64_t{high} - low + 1));
  own.past_actions.clear();
  if (own.delay > 0) {
    own.past_actions.resize((own.delay + 1) * columns.action_names.size());
  }
  own.bound_at = x.steps;
}

std::vector<double> InstanceVariation::wanted(const OwnNumbers& own) const {
  std::vector<double> values = own.values_set;
  values.resize(parameters_.count(), kNaN);
  for (std::size_t n = 0; n < own.values_drawn.size(); ++n) {
    values[n] = std::isnan(own.values_drawn[n]) ? values[n] : own.values_drawn[n];
  }
  return values;
}

void InstanceVariation::give_values(BatchInstance& x) const {
  if (parameters_.count() == 0) {
    return;
  }
  const WorldInspector inspector(*x.simulation);
  OwnNumbers& own = x.made_own();
  std::vector<double> values = wanted(own);
  const auto& loaded = WorldInspector(world_).world_file();
  const bool has_known_tree = inspector.world_file() == (own.tree != nullptr ? own.tree : loaded);
  if (has_known_tree && are_same(values, own.values_in_tree)) {
    return;
  }
  own.start.reset();
  if (!has_known_tree && inspector.world_file() == loaded && are_same(values, {})) {
    own.tree = nullptr;
    own.values_in_tree.clear();
    return;
  }
  const std::shared_ptr<const wbt::WorldFile> tree = parameters_.tree_with(values);
  const std::vector<Diagnostic> found = WorldControl(*x.simulation).rebuild(tree);
  parameters_.check_result(inspector.world_file() == tree, found);
  own.tree = inspector.world_file();
  own.values_in_tree = std::move(values);
}

bool InstanceVariation::is_in_tree(const OwnNumbers& own) const {
  return are_same(wanted(own), own.values_in_tree);
}

const double* delayed(BatchInstance& x, const double* actions, std::size_t count) {
  if (x.own == nullptr || x.own->delay == 0) {
    return actions;
  }
  OwnNumbers& own = *x.own;
  const std::uint64_t step = x.steps - own.bound_at;
  const std::uint64_t rows = std::uint64_t{own.delay} + 1;
  std::copy_n(actions, count, own.past_actions.data() + (step % rows) * count);
  return step >= own.delay ? own.past_actions.data() + ((step - own.delay) % rows) * count
                           : nullptr;
}

}  // namespace servosim
