// SPDX-License-Identifier: Apache-2.0
// Implements the instances of a batch: their episodes, their steps, and their random draws.
#include "batch/parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

#include "base/shortage.h"
#include "batch/draw.h"
#include "batch/interrupt_poll.h"
#include "batch/memory_check.h"
#include "physics/physics_world.h"
#include "sim/world_control.h"
#include "sim/world_inspector.h"

namespace servosim {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kMaxThreads = 1024;
constexpr std::size_t kMostLanes = 8;
constexpr std::size_t kBodiesTogether = 48;  // about 400 kB, which fits a second-level cache

bool is_same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

bool are_same(const std::vector<double>& a, const std::vector<double>& b) {
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    if (!is_same(i < a.size() ? a[i] : kNaN, i < b.size() ? b[i] : kNaN)) {
      return false;
    }
  }
  return true;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_in_number(char c) { return is_digit(c) || c == '.' || c == '-' || c == '+' || c == 'e'; }

// Removes numbers, except those in quotes and those after a letter, an underscore or a colon.
std::string without_numbers(std::string_view text) {
  std::string rest;
  bool is_quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    is_quoted = is_quoted != (c == '"');
    if (is_quoted || !is_digit(c)) {
      rest += c;
      continue;
    }
    const char before = i > 0 ? text[i - 1] : ' ';
    const bool is_name =
        before == '_' || before == ':' || std::isalpha(static_cast<unsigned char>(before)) != 0;
    for (; i < text.size() && (is_name ? is_digit(text[i]) : is_in_number(text[i])); ++i) {
      rest.append(is_name ? 1 : 0, text[i]);
    }
    --i;
    if (!is_name && rest.ends_with('-')) {
      rest.pop_back();
    }
  }
  return rest;
}

std::int64_t substeps_of(double control_step_ms, double basic_ms) {
  const double ratio = control_step_ms == 0.0 ? 1.0 : control_step_ms / basic_ms;
  const double whole = std::round(ratio);
  refuse_if(!(whole >= 1.0 && whole <= 1e9 && std::abs(ratio - whole) < 1e-9 * whole),
            fmt::format("control_step_ms {} is no multiple of the world's basicTimeStep, {} ms",
                        control_step_ms, basic_ms));
  return static_cast<std::int64_t>(whole);
}

std::size_t checked_threads(std::size_t threads) {
  refuse_if(threads < 1 || threads > kMaxThreads,
            fmt::format("a batch of {} threads: 1 to {} are possible", threads, kMaxThreads));
  return threads;
}

// This many instances fill the lanes. Large worlds get fewer, since a cache miss costs more than
// lanes save.
std::size_t instances_together(const Simulation& world) {
  const std::size_t bodies = std::max<std::size_t>(1, WorldInspector(world).bodies().size());
  return std::clamp<std::size_t>(kBodiesTogether / bodies, 1, kMostLanes);
}

}  // namespace

void refuse_if(bool wrong, const std::string& what) {
  if (wrong) {
    throw std::invalid_argument(what);
  }
}

void refuse_if_at_work(bool is_at_work) {
  if (is_at_work) {
    throw std::logic_error(
        "the batch is at work: its interrupt or notice may use other batches, not this one; end "
        "the call first, by an interrupt that returns true");
  }
}

void SharedNotices::report(std::string_view text) {
  const std::string shape = without_numbers(text);
  const std::lock_guard lock(mutex_);
  if (reported_.first(shape)) {
    to_.report(text);
  }
}

namespace {

void go_on_unless_over(const InterruptPoll& poll) {
  if (!poll.finish()) {
    throw std::runtime_error("the batch is not made: it was interrupted");
  }
}

}  // namespace

// Sensors measure at the end of each step of the batch. If no period expresses that, they measure
// at the end of each basic step.
Batch::Parts::Parts(const Simulation& original, std::size_t count, const BatchOptions& the_options,
                    const Interrupt& interrupt)
    : options(the_options),
      world(original.clone()),
      begin(world.save()),
      substeps(substeps_of(options.control_step_ms, world.basic_time_step_ms())),
      sensor_period_ms(1),
      most_together(instances_together(world)),
      parameters(world),
      failed(count),
      refused(count),
      groups(checked_threads(options.threads)),
      pool(checked_threads(options.threads)) {
  options.control_step_ms = static_cast<double>(substeps) * world.basic_time_step_ms();
  if (options.control_step_ms == std::floor(options.control_step_ms) &&
      options.control_step_ms < 1e9) {
    sensor_period_ms = static_cast<int>(options.control_step_ms);
  }
  const WorldInspector inspector(world);
  const std::int64_t by_clock = std::chrono::system_clock::now().time_since_epoch().count();
  const auto first_seed = static_cast<std::uint64_t>(inspector.seed().value_or(by_clock));
  const auto notices = std::make_shared<SharedNotices>(inspector.notices());
  InterruptPoll poll(interrupt);
  const std::string what = fmt::format("a batch of {} instances", count);
  refuse_if_too_large(count * sizeof(BatchInstance), what);
  instances.reserve(count);
  MemoryCheck memory(count, what);
  for (std::size_t i = 0; i < count; ++i) {
    BatchInstance& x = instances.emplace_back(world.clone());
    x.seed = first_seed + i;
    WorldControl(x.simulation).send_notices_to(Notices([notices](std::string_view text) {
      notices->report(text);
    }));
    memory.made_one();
    poll.poll();
    go_on_unless_over(poll);
  }
  if (options.contacts) {
    forces_from_now_on();
  }
  const auto begin_some = [&](std::size_t first, std::size_t last, std::size_t worker) {
    for (std::size_t i = first; i < last && !poll.is_over(); ++i) {
      begin_episode(i, nullptr);
      if (worker == WorkerPool::kCaller) {
        poll.poll();
      }
    }
  };
  pool.run(count, piece(), begin_some, [&poll] { poll.poll(); });
  go_on_unless_over(poll);
}

void Batch::Parts::forces_from_now_on() {
  for (BatchInstance& x : instances) {
    WorldControl(x.simulation).keep_contact_forces();
  }
}

void Batch::Parts::bind(Columns next) {
  std::vector<DrawnNoise> next_noise = randomized.noise;
  for (DrawnNoise& noise : next_noise) {
    noise.columns = noisy(next, noise.pattern);
  }
  refuse_if_too_large((next.observation_names.size() + next.action_names.size()) *
                          instances.size() * (is_float() ? sizeof(float) : sizeof(double)),
                      fmt::format("a batch of {} instances with {} columns", instances.size(),
                                  next.observation_names.size() + next.action_names.size()));
  BatchTable next_observed(options.number, instances.size(), next.observation_names.size());
  BatchTable next_acted(options.number, instances.size(), next.action_names.size());
  columns = std::move(next);
  for (std::unique_ptr<InstanceGroup>& group : groups) {
    group = nullptr;
  }
  randomized.noise = std::move(next_noise);
  observed = std::move(next_observed);
  acted = std::move(next_acted);
  if (has_contact_forces(columns)) {
    forces_from_now_on();
  }
  for_each([this](std::size_t i) {
    BatchInstance& x = instances[i];
    draw_noise(x);
    draw_delay(x);
    if (failed[i] == 0) {
      start_sensors(x.simulation, columns.observed, sensor_period_ms);
      observe(i);
    }
  });
}

std::vector<bool> Batch::Parts::noisy(const Columns& of, const std::string& pattern) const {
  return pattern.empty() ? std::vector<bool>(of.observation_names.size(), true)
                         : columns_of(world, of, pattern);
}

void Batch::Parts::draw(BatchInstance& x) const {
  if (!randomized.numbers.empty() || x.own != nullptr) {
    draw_values(x);
  }
  draw_noise(x);
  draw_delay(x);
}

void Batch::Parts::draw_values(BatchInstance& x) const {
  const Draw draws = x.draw();
  std::vector<double>& values = x.made_own().values_drawn;
  values.clear();
  if (!randomized.numbers.empty()) {
    values.assign(parameters.count(), kNaN);
  }
  for (const DrawnNumber& n : randomized.numbers) {
    values[n.number] = draws.between(n.low, n.high, n.key);
  }
}

void Batch::Parts::draw_noise(BatchInstance& x) const {
  if (randomized.noise.empty() && x.own == nullptr) {
    return;
  }
  std::vector<double>& of_columns = x.made_own().noise;
  of_columns.clear();
  for (const DrawnNoise& noise : randomized.noise) {
    of_columns.resize(columns.observation_names.size());
    const double deviation = x.draw().between(noise.low, noise.high, noise.key);
    for (std::size_t c = 0; c < of_columns.size(); ++c) {
      of_columns[c] = noise.columns[c] ? deviation : of_columns[c];
    }
  }
}

void Batch::Parts::draw_delay(BatchInstance& x) const {
  const auto [low, high] = randomized.delay;
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

std::vector<double> Batch::Parts::wanted(const OwnNumbers& own) const {
  std::vector<double> values = own.values_set;
  values.resize(parameters.count(), kNaN);
  for (std::size_t n = 0; n < own.values_drawn.size(); ++n) {
    values[n] = std::isnan(own.values_drawn[n]) ? values[n] : own.values_drawn[n];
  }
  return values;
}

// Rebuilds the instance with its parameters if its tree has others. Throws if they cannot be
// simulated, or only with another value instead of one of them.
void Batch::Parts::give_values(BatchInstance& x) const {
  if (parameters.count() == 0) {
    return;
  }
  const WorldInspector inspector(x.simulation);
  OwnNumbers& own = x.made_own();
  std::vector<double> values = wanted(own);
  const auto& loaded = WorldInspector(world).world_file();
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
  const std::shared_ptr<const wbt::WorldFile> tree = parameters.tree_with(values);
  const std::vector<Diagnostic> found = WorldControl(x.simulation).rebuild(tree);
  parameters.check_result(inspector.world_file() == tree, found);
  own.tree = inspector.world_file();
  own.values_in_tree = std::move(values);
}

void Batch::Parts::begin_episode(std::size_t i, const SimulationState* state) {
  BatchInstance& x = instances[i];
  failed[i] = 0;
  refused[i] = 0;
  x.error = nullptr;
  x.steps = 0;
  try {
    draw(x);
    if (state == nullptr && x.own != nullptr && x.own->start &&
        are_same(wanted(*x.own), x.own->values_in_tree)) {
      x.simulation.restore(*x.own->start);
    } else {
      x.simulation.restore(state != nullptr ? *state : begin);
      give_values(x);
      if (state == nullptr && x.own != nullptr && x.own->tree != nullptr) {
        x.own->start = x.simulation.save();
      }
    }
    WorldControl(x.simulation)
        .restart_random(x.episode == 0 ? x.seed : x.draw().bits(Draw::name("devices")));
    start_sensors(x.simulation, columns.observed, sensor_period_ms);
    observe(i);
  } catch (...) {
    fail(i, std::current_exception());
  }
}

void Batch::Parts::fail(std::size_t i, std::exception_ptr error) {
  failed[i] = 1;
  instances[i].error = std::move(error);
  try {
    std::rethrow_exception(instances[i].error);
  } catch (const std::exception& thrown) {
    rethrow_if_short(thrown);
  } catch (...) {  // thrown by a function of a caller, such as the one for notices
  }
}

void Batch::Parts::observe(BatchInstance& x, double* row) const {
  servosim::observe(x.simulation, columns.observed, row);
  if (x.own == nullptr || x.own->noise.empty()) {
    return;
  }
  const std::vector<double>& noise = x.own->noise;
  const Draw draws = x.draw();
  static const std::uint64_t what = Draw::name("observations");
  for (std::size_t c = 0; c < noise.size(); ++c) {
    if (noise[c] != 0.0) {
      row[c] += noise[c] * draws.normal(what, x.steps * noise.size() + c);
    }
  }
}

void Batch::Parts::observe(std::size_t i) {
  std::vector<double> row(columns.observation_names.size());
  observe(instances[i], row.data());
  observed.write(i, row.data());
}

// Returns the actions that reach the motors now; null if none has arrived yet.
const double* Batch::Parts::delayed(BatchInstance& x, const double* actions) const {
  if (x.own == nullptr || x.own->delay == 0) {
    return actions;
  }
  OwnNumbers& own = *x.own;
  const std::size_t columns_count = columns.action_names.size();
  const std::uint64_t step = x.steps - own.bound_at;
  const std::uint64_t rows = std::uint64_t{own.delay} + 1;
  std::copy_n(actions, columns_count, own.past_actions.data() + (step % rows) * columns_count);
  return step >= own.delay ? own.past_actions.data() + ((step - own.delay) % rows) * columns_count
                           : nullptr;
}

InstanceGroup& Batch::Parts::group_of(std::size_t worker, std::size_t first, std::size_t last) {
  std::unique_ptr<InstanceGroup>& group = groups[worker];
  if (group == nullptr) {
    group = std::make_unique<InstanceGroup>(piece(), columns);
  }
  group->first = first;
  group->last = last;
  return *group;
}

std::exception_ptr Batch::Parts::step(InstanceGroup& group) {
  group.steps.clear();
  group.stepping.clear();
  std::exception_ptr shortage;
  const auto attempt = [this, &shortage](std::size_t i, const auto& action) {
    try {
      try {
        action(instances[i]);
      } catch (...) {
        fail(i, std::current_exception());
      }
    } catch (...) {
      shortage = shortage == nullptr ? std::current_exception() : shortage;
    }
  };
  for (std::size_t i = group.first; i < group.last; ++i) {
    if (failed[i] != 0) {
      continue;
    }
    attempt(i, [&](BatchInstance& x) {
      if (const double* given = delayed(x, group.actions_of(i))) {
        if (const std::uint32_t not_given = command(x.simulation, columns.actions, given);
            not_given > 0) {  // written rarely, since threads share its cache line
          refused[i] += not_given;
        }
      }
      group.steps.add(x.simulation);
      group.stepping.push_back(i);
    });
  }
  for (std::int64_t s = 0; s < substeps && group.steps.step(); ++s) {
    if (const std::exception_ptr error = watchers.empty() ? nullptr : show(group);
        shortage == nullptr) {
      shortage = error;
    }
  }
  for (std::size_t m = 0; m < group.stepping.size(); ++m) {
    attempt(group.stepping[m], [&](BatchInstance& x) {
      if (const std::exception_ptr& error = group.steps.error(m); error != nullptr) {
        std::rethrow_exception(error);
      }
      ++x.steps;
      observe(x, group.fresh_row.data());  // may fail half-way, so it does not write the row itself
      std::ranges::copy(group.fresh_row, group.row_of(group.stepping[m]));
    });
  }
  return shortage;
}

std::exception_ptr Batch::Parts::show(InstanceGroup& group) {
  std::exception_ptr first;
  for (auto& [instance, watch] : watchers) {
    const auto member = std::ranges::find(group.stepping, instance);
    if (watch == nullptr || member == group.stepping.end() ||
        group.steps.error(static_cast<std::size_t>(member - group.stepping.begin())) != nullptr) {
      continue;
    }
    try {
      if (!watch(instances[instance].simulation)) {
        watch = nullptr;
      }
    } catch (...) {
      watch = nullptr;
      first = first == nullptr ? std::current_exception() : first;
    }
  }
  return first;
}

}  // namespace servosim
