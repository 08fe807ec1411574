// SPDX-License-Identifier: Apache-2.0
// Implements the instances of a batch: their episodes and their steps.
#include "batch/parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "base/shortage.h"
#include "batch/draw.h"
#include "batch/interrupt_poll.h"
#include "batch/memory_check.h"
#include "batch/shared_notices.h"
#include "servosim/diagnostics.h"
#include "sim/report.h"
#include "sim/world_control.h"
#include "sim/world_inspector.h"

namespace servosim {

namespace {

constexpr std::size_t kMaxThreads = 1024;
constexpr std::size_t kMostLanes = 8;
constexpr std::size_t kInLanesTogether = 32;   // fit a first-level cache
constexpr std::size_t kBodiesTogether = 48;    // about 400 kB, which fits a second-level cache
constexpr std::size_t kPixelsTogether = 8192;  // about 1.5 ms, for which other threads may wait

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

// This many instances fill the lanes of the tree solver. Large worlds get fewer, since a cache miss
// costs more than lanes save, and so do large pictures, which take more time than lanes save.
std::size_t instances_together(const Simulation& world,
                               const std::vector<BatchPicture>& pictures = {}) {
  const std::size_t bodies = std::max<std::size_t>(1, WorldInspector(world).bodies().size());
  std::size_t pixels = 1;
  for (const BatchPicture& picture : pictures) {
    pixels += picture.height * picture.width;
  }
  return std::clamp<std::size_t>(std::min(kBodiesTogether / bodies, kPixelsTogether / pixels), 1,
                                 kMostLanes);
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

namespace {

std::string batch_of(std::size_t count) { return fmt::format("a batch of {} instances", count); }

// Messages may come from several threads.
Notices sent_to(const std::shared_ptr<SharedNotices>& notices) {
  return Notices([notices](std::string_view text) { notices->report(text); },
                 [notices](std::string_view text) { notices->remark(text); });
}

void go_on_unless_over(const InterruptPoll& poll) {
  if (!poll.finish()) {
    throw std::runtime_error("the batch is not made: it was interrupted");
  }
}

}  // namespace

// Sensors of numbers measure at the end of each step of the batch. If no period expresses that,
// they measure at the end of each basic step.
Batch::Parts::Parts(const Simulation& original, std::size_t count, const BatchOptions& the_options,
                    const Interrupt& interrupt)
    : options(the_options),
      world(original.clone()),
      notices(std::make_shared<SharedNotices>(WorldInspector(world).notices())),
      begin(world.save()),
      substeps(substeps_of(options.control_step_ms, world.basic_time_step_ms())),
      sensor_period_ms(1),
      picture_times(PictureTimes::of(substeps, world.basic_time_step_ms())),
      picture_sensors(all_picture_sensors(world)),
      variation(world),
      lanes(world, count, sent_to(notices)),
      held(count),
      failed(count),
      refused(count),
      workers(checked_threads(options.threads), count,
              lanes.lanes() > 1 ? kInLanesTogether : instances_together(world), lanes.lanes()) {
  options.control_step_ms = static_cast<double>(substeps) * world.basic_time_step_ms();
  if (options.control_step_ms == std::floor(options.control_step_ms) &&
      options.control_step_ms < 1e9) {
    sensor_period_ms = static_cast<int>(options.control_step_ms);
  }
  const WorldInspector inspector(world);
  const std::int64_t by_clock = std::chrono::system_clock::now().time_since_epoch().count();
  const auto first_seed = static_cast<std::uint64_t>(inspector.seed().value_or(by_clock));
  InterruptPoll poll(interrupt);
  refuse_if_too_large(count * sizeof(BatchInstance), batch_of(count));
  instances = std::vector<BatchInstance>(count);
  find_lane_start();
  keeps_forces = options.contacts;
  for (std::size_t i = 0; i < count; ++i) {
    instances[i].seed = first_seed + i;
  }
  if (!lanes.can_begin()) {
    make_simulations([&poll] {
      poll.poll();
      go_on_unless_over(poll);
    });
  }
  const auto begin_some = [&](std::size_t first, std::size_t last, std::size_t worker) {
    for (std::size_t i = first; i < last && !poll.is_over(); ++i) {
      begin_episode(i, nullptr);
      if (worker == WorkerPool::kCaller) {
        poll.poll();
      }
    }
  };
  workers.run(begin_some, [&poll] { poll.poll(); });
  go_on_unless_over(poll);
}

void Batch::Parts::forces_from_now_on() {
  keeps_forces = true;
  for (BatchInstance& x : instances) {
    if (x.simulation != nullptr) {
      WorldControl(*x.simulation).keep_contact_forces();
    }
  }
}

std::unique_ptr<Simulation> Batch::Parts::made_simulation() {
  const std::scoped_lock lock(making);
  auto made = std::make_unique<Simulation>(world.clone());
  WorldControl(*made).send_notices_to(sent_to(notices));
  if (keeps_forces) {
    WorldControl(*made).keep_contact_forces();
  }
  return made;
}

Simulation& Batch::Parts::some_simulation(BatchInstance& x) {
  if (x.simulation == nullptr) {
    x.simulation = made_simulation();
  }
  return *x.simulation;
}

void Batch::Parts::make_simulations(const std::function<void()>& after_each) {
  const auto missing = static_cast<std::size_t>(std::ranges::count_if(
      instances, [](const BatchInstance& x) { return x.simulation == nullptr; }));
  MemoryCheck memory(missing, batch_of(instances.size()));
  for (BatchInstance& x : instances) {
    if (x.simulation == nullptr) {
      x.simulation = made_simulation();
      memory.made_one();
      after_each();
    }
  }
}

void Batch::Parts::begin_simulation(BatchInstance& x, const SimulationState* state) {
  Simulation& simulation = some_simulation(x);
  if (state == nullptr && x.own != nullptr && x.own->start && variation.is_in_tree(*x.own)) {
    simulation.restore(*x.own->start);
  } else {
    simulation.restore(state != nullptr ? *state : begin);
    variation.give_values(x);
    if (state == nullptr && x.own != nullptr && x.own->tree != nullptr) {
      x.own->start = simulation.save();
    }
  }
  start_devices(x);
}

void Batch::Parts::start_devices(BatchInstance& x) {
  Simulation& simulation = *x.simulation;
  WorldControl(simulation)
      .restart_random(x.episode == 0 ? x.seed : x.draw().bits(Draw::name("devices")));
  stop_other_pictures(simulation, picture_sensors, columns.pictures);
  start_sensors(simulation, columns, sensor_period_ms);
  start_pictures(simulation, columns.pictures, picture_times);
}

// The parameters of its own that it has may be newer than the episode.
void Batch::Parts::catch_up(BatchInstance& x) {
  // A shortage of memory may have left an instance without one.
  if (x.is_behind || x.simulation == nullptr) {
    some_simulation(x).restore(begin);
    start_devices(x);
    x.is_behind = false;
  }
}

void Batch::Parts::find_lane_start() {
  if (lanes.lanes() == 1) {
    return;
  }
  BatchInstance trial;
  begin_simulation(trial, nullptr);
  lanes.set_start(*trial.simulation);
  start_row.resize(columns.observation_names.size());
  servosim::observe(*trial.simulation, columns.observed, start_row.data());
}

void Batch::Parts::bind(Columns next) {
  std::vector<DrawnNoise> next_noise = variation.noise_for(next);
  refuse_if_too_large((next.observation_names.size() + next.action_names.size()) *
                          instances.size() *
                          (options.number == BatchNumber::Float32 ? sizeof(float) : sizeof(double)),
                      fmt::format("{} with {} columns", batch_of(instances.size()),
                                  next.observation_names.size() + next.action_names.size()));
  PictureTable next_pictures(next.pictures.empty() ? world : simulation(sample()), next.pictures,
                             instances.size());
  BatchTable next_observed(options.number, instances.size(), next.observation_names.size());
  BatchTable next_acted(options.number, instances.size(), next.action_names.size());
  const bool stays_in_lanes = lanes.suits(next);
  if (!stays_in_lanes) {
    make_simulations([] {});
  }
  workers.for_each([this, stays_in_lanes](std::size_t i) {
    if (!stays_in_lanes || !lanes.has(i)) {
      simulation(i);
    }
  });
  begin_pictures(next_pictures);
  columns = std::move(next);
  pictures = std::move(next_pictures);
  lanes.bind(columns);
  find_lane_start();
  workers.drop_groups(lanes.lanes() > 1 && lanes.refusal().empty()
                          ? kInLanesTogether
                          : instances_together(world, pictures.pictures()));
  variation.set_noise(std::move(next_noise));
  observed = std::move(next_observed);
  acted = std::move(next_acted);
  if (has_contact_forces(columns)) {
    forces_from_now_on();
  }
  workers.for_each([this](std::size_t i) {
    BatchInstance& x = instances[i];
    variation.draw_for_columns(x, columns);
    if (lanes.has(i) && x.own == nullptr) {
      observe_in_lane(i);
      return;
    }
    Simulation& of_instance = simulation(i);
    stop_other_pictures(of_instance, picture_sensors, columns.pictures);
    if (failed[i] == 0) {
      start_sensors(of_instance, columns, sensor_period_ms);
      observe_numbers(i);
    }
  });
}

std::size_t Batch::Parts::sample() const {
  const auto good = std::ranges::find(failed, std::uint8_t{0});
  return good != failed.end() ? static_cast<std::size_t>(good - failed.begin()) : 0;
}

void Batch::Parts::check_pictures(const std::string& name,
                                  const std::vector<double>& values) const {
  if (pictures.observed().empty()) {
    return;
  }
  BatchInstance trial;
  trial.simulation = std::make_unique<Simulation>(world.clone());
  WorldControl(*trial.simulation).send_notices_to(Notices([](std::string_view) {}));
  if (const auto& own = instances[sample()].own; own != nullptr) {
    trial.made_own().values_set = own->values_set;
  }
  trial.made_own().values_drawn = values;
  try {
    variation.give_values(trial);
  } catch (const LoadError&) {
    return;  // not with each other: the instances that draw them fail
  } catch (const std::invalid_argument&) {
    return;
  }
  try {
    pictures.check(*trial.simulation);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(fmt::format("\"{}\": {}", name, error.what()));
  }
}

void Batch::Parts::begin_pictures(PictureTable& table) {
  if (table.observed().empty()) {
    return;
  }
  for (std::size_t i = 0; i < instances.size(); ++i) {
    if (failed[i] == 0) {
      table.check(*instances[i].simulation);
    }
  }
  try {
    workers.for_each([this, &table](std::size_t i) {
      if (failed[i] == 0) {
        start_pictures(*instances[i].simulation, table.observed(), picture_times);
        table.write(i, *instances[i].simulation);
      }
    });
  } catch (...) {
    for (const BatchInstance& x : instances) {
      stop_other_pictures(*x.simulation, picture_sensors, columns.pictures);
    }
    throw;
  }
  for (BatchInstance& x : instances) {  // each such notice of a batch comes once
    report_missing_pictures(*x.simulation);
  }
}

void Batch::Parts::begin_episode(std::size_t i, const SimulationState* state) {
  BatchInstance& x = instances[i];
  lanes.drop(i);
  x.is_behind = false;
  failed[i] = 0;
  refused[i] = 0;
  x.error = nullptr;
  x.steps = 0;
  try {
    variation.draw(x, columns);
    const bool is_as_loaded =
        x.own == nullptr || (x.own->tree == nullptr && variation.is_in_tree(*x.own));
    if (state == nullptr && is_as_loaded && held[i] == 0 && !is_watched(i) &&
        lanes.begin(i, x.own != nullptr)) {
      x.is_behind = true;
      observe_start(x, i);
    } else {
      begin_simulation(x, state);
      observe(i);
    }
  } catch (...) {
    fail(i, std::current_exception());
  }
}

void Batch::Parts::fail(std::size_t i, std::exception_ptr error) {
  failed[i] = 1;
  instances[i].error = std::move(error);
  lanes.drop(i);
  try {
    std::rethrow_exception(instances[i].error);
  } catch (const std::exception& thrown) {
    rethrow_if_short(thrown);
  } catch (...) {  // thrown by a function of a caller, such as the one for notices
  }
}

void Batch::Parts::observe(BatchInstance& x, double* row) const {
  servosim::observe(*x.simulation, columns.observed, row);
  if (x.has_noise()) {
    add_noise(x, row);
  }
}

void Batch::Parts::add_noise(const BatchInstance& x, double* row) const {
  const std::vector<double>& noise = x.own->noise;
  const Draw draws = x.draw();
  static const std::uint64_t what = Draw::name("observations");
  for (std::size_t c = 0; c < noise.size(); ++c) {
    if (noise[c] != 0.0) {
      row[c] += noise[c] * draws.normal(what, x.steps * noise.size() + c);
    }
  }
}

void Batch::Parts::observe_numbers(std::size_t i) {
  std::vector<double> row(columns.observation_names.size());
  observe(instances[i], row.data());
  observed.write(i, row.data());
}

void Batch::Parts::observe_start(const BatchInstance& x, std::size_t i) {
  if (!x.has_noise()) {
    observed.write(i, start_row.data());
    return;
  }
  std::vector<double> row = start_row;
  add_noise(x, row.data());
  observed.write(i, row.data());
}

void Batch::Parts::observe_in_lane(std::size_t i) {
  std::vector<double> row(columns.observation_names.size());
  lanes.observe(i, row.data());
  observed.write(i, row.data());
}

void Batch::Parts::observe(std::size_t i) {
  pictures.write(i, *instances[i].simulation);
  observe_numbers(i);
}

std::exception_ptr Batch::Parts::step(InstanceGroup& group, const ActionRows& actions) {
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
  bool any_in_lanes = false;
  for (std::size_t i = group.first; i < group.last; ++i) {
    if (lanes.begins_group(i) && lanes.is_uniform(i) && command_group(i, actions)) {
      any_in_lanes = true;
      i += lanes.lanes() - 1;
      continue;
    }
    if (failed[i] != 0) {
      continue;
    }
    attempt(i, [&](BatchInstance& x) {
      double* const now = group.actions_of(i);
      BatchTable::copy_row(actions.data, actions.is_float, i * actions.stride + actions.first,
                           group.action_count, now);
      if (const double* const given =
              x.own == nullptr ? now : delayed(x, now, columns.action_names.size())) {
        if (const std::uint32_t not_given = lanes.has(i)
                                                ? lanes.command(i, columns, given)
                                                : command(*x.simulation, columns.actions, given);
            not_given > 0) {  // written rarely, since threads share its cache line
          refused[i] += not_given;
        }
      }
      if (lanes.has(i)) {
        any_in_lanes = true;
      } else {
        group.steps.add(*x.simulation);
        group.stepping.push_back(i);
      }
    });
  }
  for (std::int64_t s = 0; s < substeps; ++s) {
    const bool any_alone = !group.stepping.empty() && group.steps.step();
    if (any_in_lanes) {
      step_in_lanes(group, attempt);
    } else if (!any_alone) {
      break;
    }
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
      observe(x, group.row.data());  // may fail half-way, which leaves the row of the last step
      take_pictures(*x.simulation, columns.pictures, picture_times);
      pictures.write(group.stepping[m], *x.simulation);
      observed.write(group.stepping[m], group.row.data());
    });
  }
  for (std::size_t i = group.first; any_in_lanes && i < group.last; ++i) {
    if (lanes.begins_group(i) && lanes.is_uniform(i)) {
      observe_group(i);
      i += lanes.lanes() - 1;
    } else if (lanes.has(i)) {
      BatchInstance& x = instances[i];
      ++x.steps;
      lanes.observe(i, group.row.data());
      if (x.has_noise()) {
        add_noise(x, group.row.data());
      }
      observed.write(i, group.row.data());
    }
  }
  for (const std::size_t i : group.stepping) {
    if (failed[i] == 0 && held[i] == 0 && !is_watched(i)) {
      attempt(i, [this, i](BatchInstance& x) { lanes.take(i, *x.simulation, x.own != nullptr); });
    }
  }
  return shortage;
}

bool Batch::Parts::command_group(std::size_t i, const ActionRows& actions) {
  const std::size_t count = columns.action_names.size();
  const std::size_t first = (i * actions.stride + actions.first) * count;
  const std::size_t stride = actions.stride * count;
  return actions.is_float
             ? lanes.command_group(i, static_cast<const float*>(actions.data) + first, stride)
             : lanes.command_group(i, static_cast<const double*>(actions.data) + first, stride);
}

void Batch::Parts::observe_group(std::size_t i) {
  const std::size_t count = columns.observation_names.size();
  lanes.count_step(i);
  if (observed.is_float()) {
    lanes.observe_group(i, observed.row<float>(i), count);
  } else {
    lanes.observe_group(i, observed.row<double>(i), count);
  }
}

void Batch::Parts::give_back(BatchInstance& x, std::size_t i) {
  x.steps += lanes.counted_steps(i);
  catch_up(x);
  lanes.give_back(i, *x.simulation);
}

template <typename Attempt>
void Batch::Parts::step_in_lanes(InstanceGroup& group, const Attempt& attempt) {
  if (group.solver == nullptr) {
    group.solver = lanes.make_solver();
  }
  if (!lanes.step(group.first, group.last, *group.solver)) {
    return;
  }
  for (std::size_t i = group.first; i < group.last; ++i) {
    if (lanes.is_stuck(i)) {
      attempt(i, [&](BatchInstance& x) {
        give_back(x, i);
        group.steps.add(*x.simulation);
        group.stepping.push_back(i);
      });
    }
  }
}

// The watch of another instance belongs to another thread, which may end it now.
bool Batch::Parts::is_watched(std::size_t i) const {
  return std::ranges::any_of(watchers, [i](const Watcher& watcher) {
    return watcher.instance == i && watcher.watch != nullptr;
  });
}

std::string Batch::Parts::why_alone(std::size_t i) const {
  if (!lanes.refusal().empty()) {
    return lanes.refusal();
  }
  if (failed[i] != 0) {
    return "it has failed";
  }
  if (held[i] != 0) {
    return "simulation() has given it to the caller";
  }
  if (is_watched(i)) {
    return "it is watched";
  }
  if (instances[i].own != nullptr && instances[i].own->tree != nullptr) {
    return "it has parameters of its own";
  }
  return "it has not stepped since its reset, or its state is not one for lanes";
}

std::exception_ptr Batch::Parts::show(InstanceGroup& group) {
  std::exception_ptr first;
  for (auto& [instance, watch] : watchers) {
    const auto member = std::ranges::find(group.stepping, instance);
    if (member == group.stepping.end() || watch == nullptr ||
        group.steps.error(static_cast<std::size_t>(member - group.stepping.begin())) != nullptr) {
      continue;
    }
    try {
      if (!watch(*instances[instance].simulation)) {
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
