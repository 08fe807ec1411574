// SPDX-License-Identifier: Apache-2.0
#include "servosim/batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

#include "base/shortage.h"
#include "batch/interrupt_poll.h"
#include "batch/parts.h"
#include "physics/physics_world.h"
#include "sim/world_inspector.h"

namespace servosim {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kMaxCount = 10'000'000;

void check_count(std::size_t count) {
  refuse_if(count < 1 || count > kMaxCount,
            fmt::format("a batch of {} instances: 1 to {} are possible", count, kMaxCount));
}

}  // namespace

namespace {

Simulation loaded(const std::string& world_path, std::size_t count, LoadOptions load) {
  check_count(count);
  return Simulation(world_path, std::move(load));
}

const Simulation& checked(const Simulation& original, std::size_t count) {
  check_count(count);
  refuse_if(WorldInspector(original).is_over(),
            "the simulation has diverged: restore or reset it before a batch is made of it");
  return original;
}

}  // namespace

Batch::Batch(const std::string& world_path, std::size_t count, LoadOptions load,
             const BatchOptions& options, const Interrupt& interrupt)
    : Batch(loaded(world_path, count, std::move(load)), count, options, interrupt) {}
Batch::Batch(const Simulation& original, std::size_t count, const BatchOptions& options,
             const Interrupt& interrupt)
    : parts_(std::make_unique<Parts>(checked(original, count), count, options, interrupt)) {}
Batch::Batch(Batch&&) noexcept = default;
Batch& Batch::operator=(Batch&&) noexcept = default;
Batch::~Batch() = default;

std::size_t Batch::size() const { return parts_->instances.size(); }
const BatchOptions& Batch::options() const { return parts_->options; }

const Simulation& Batch::simulation(std::size_t instance) const {
  refuse_if_at_work(parts_->at_work);
  const std::size_t i = parts_->index(instance);
  parts_->held[i] = 1;
  return parts_->simulation(i);
}

void Batch::simulation(std::size_t instance, const std::function<void(Simulation&)>& use) const {
  const AtWork mark(parts_->at_work);
  use(parts_->simulation(parts_->index(instance)));
}

double time_of(const Batch& batch, std::size_t instance) {
  const Batch::Parts& p = *batch.parts_;
  refuse_if_at_work(p.at_work);
  const std::size_t i = p.index(instance);
  const BatchInstance& x = p.instances[i];
  // One without a simulation of its own, or behind its lane, has failed.
  const bool has_its_own = x.simulation != nullptr && !x.is_behind;
  return p.lanes.has(i) ? p.lanes.time(i) : has_its_own ? x.simulation->time() : p.world.time();
}

BatchLanes Batch::lanes() const {
  const Parts& p = *parts_;
  refuse_if_at_work(p.at_work);
  BatchLanes lanes;
  lanes.width = p.lanes.lanes();
  std::map<std::string, std::size_t> alone;
  for (std::size_t i = 0; i < size(); ++i) {
    if (p.lanes.has(i)) {
      ++lanes.instances;
    } else {
      ++alone[p.why_alone(i)];
    }
  }
  lanes.alone.assign(alone.begin(), alone.end());
  return lanes;
}

void Batch::bind(const std::vector<std::string>& observe, const std::vector<std::string>& act) {
  const AtWork mark(parts_->at_work);
  parts_->bind(find_columns(parts_->world, observe, act));
}

const std::vector<std::string>& Batch::observation_names() const {
  return parts_->columns.observation_names;
}
const std::vector<std::string>& Batch::action_names() const { return parts_->columns.action_names; }
const std::vector<BatchPicture>& Batch::pictures() const { return parts_->pictures.pictures(); }
std::span<const double> Batch::action_low() const { return parts_->columns.action_low; }
std::span<const double> Batch::action_high() const { return parts_->columns.action_high; }

namespace {

void check_number(BatchNumber asked, BatchNumber has) {
  const auto name = [](BatchNumber number) {
    return number == BatchNumber::Float32 ? "float" : "double";
  };
  refuse_if(asked != has, fmt::format("the batch has arrays of {}, not of {}: BatchOptions::number",
                                      name(has), name(asked)));
}

}  // namespace

std::shared_ptr<const void> Batch::observation_data(BatchNumber number) const {
  check_number(number, parts_->options.number);
  return std::as_const(parts_->observed).data();
}

std::shared_ptr<void> Batch::action_data(BatchNumber number) {
  check_number(number, parts_->options.number);
  return parts_->acted.data();
}

namespace {

void rethrow_if_any(const std::exception_ptr& error) {
  if (error != nullptr) {
    std::rethrow_exception(error);
  }
}

}  // namespace

bool Batch::step(const Interrupt& interrupt) {
  Parts& p = *parts_;
  const AtWork mark(p.at_work);
  InterruptPoll poll(interrupt);
  // With more than two captures, the call of the workers would allocate memory.
  const auto work = [&p, &poll](std::size_t first, std::size_t last, std::size_t worker) {
    if (poll.is_over()) {
      return;
    }
    InstanceGroup& group = p.workers.group_of(worker, first, last, p.columns);
    rethrow_if_any(p.step(group, {std::as_const(p.acted).data().get(), p.acted.is_float(), 1, 0}));
    if (worker == WorkerPool::kCaller) {
      poll.poll();
    }
  };
  p.workers.run(work, [&poll] { poll.poll(); });
  return poll.finish();
}

bool Batch::rollout(const Rows& rows, const Interrupt& interrupt) {
  Parts& p = *parts_;
  const AtWork mark(p.at_work);
  check_number(rows.number, p.options.number);
  const std::size_t steps = rows.steps;
  const std::size_t in = p.columns.action_names.size();
  const std::size_t out = p.columns.observation_names.size();
  const auto check_size = [&](std::size_t has, std::size_t each, const char* what,
                              const std::string& of_what) {
    refuse_if(steps > std::numeric_limits<std::size_t>::max() / 16 / size() / (each + 1) ||
                  has != size() * steps * each,
              fmt::format("{} {} for {} instances, {} steps and {}: {} are needed", has, what,
                          size(), steps, of_what, size() * steps * each));
  };
  check_size(rows.action_count, in, "actions", fmt::format("{} columns", in));
  check_size(rows.observation_count, out, "observations", fmt::format("{} columns", out));
  for (const BatchPictureRows& wanted : rows.pictures) {
    refuse_if(wanted.picture >= pictures().size(),
              fmt::format("picture {}: the batch has {}, counted from 0", wanted.picture,
                          pictures().size()));
    const std::size_t bytes = pictures()[wanted.picture].bytes();
    check_size(wanted.rows.size(), bytes, "bytes", fmt::format("pictures of {} bytes", bytes));
  }
  InterruptPoll poll(interrupt);
  const bool is_float = p.acted.is_float();
  const auto work = [&](std::size_t first, std::size_t last, std::size_t worker) {
    InstanceGroup& group = p.workers.group_of(worker, first, last, p.columns);
    std::exception_ptr shortage;
    for (std::size_t t = 0; t < steps && shortage == nullptr && !poll.is_over(); ++t) {
      shortage = p.step(group, {rows.actions, is_float, steps, t});
      for (std::size_t i = first; i < last; ++i) {
        p.observed.copy_row(i, rows.observations, i * steps + t);
        for (const BatchPictureRows& wanted : rows.pictures) {
          const std::span<const std::byte> shown = p.pictures.row(wanted.picture, i);
          std::ranges::copy(shown, wanted.rows.subspan((i * steps + t) * shown.size()).begin());
        }
      }
      if (worker == WorkerPool::kCaller) {
        poll.poll();
      }
    }
    rethrow_if_any(shortage);
  };
  p.workers.run(work, [&poll] { poll.poll(); });
  return poll.finish();
}

void Batch::reset(std::span<const std::uint8_t> mask, std::span<const SimulationState> states,
                  std::span<const std::int64_t> seeds) {
  Parts& p = *parts_;
  const AtWork mark(p.at_work);
  const auto check_size = [this](std::size_t has, const char* what, bool one_is_enough) {
    refuse_if(has != 0 && has != size() && !(one_is_enough && has == 1),
              fmt::format("{} {} for {} instances", has, what, size()));
  };
  check_size(mask.size(), "numbers of a mask", false);
  check_size(states.size(), "states", true);
  check_size(seeds.size(), "seeds", false);
  const auto is_chosen = [mask](std::size_t i) { return mask.empty() || mask[i] != 0; };
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    refuse_if(is_chosen(i) && seeds[i] < 0,
              fmt::format("seed {} of instance {}: it is a number >= 0", seeds[i], i));
  }
  for (std::size_t i = 0; i < states.size(); ++i) {
    if (states.size() < size() || is_chosen(i)) {
      WorldInspector(p.world).check_family(states[i]);
    }
  }
  p.workers.for_each([&](std::size_t i) {
    if (!is_chosen(i)) {
      return;
    }
    BatchInstance& x = p.instances[i];
    if (seeds.empty()) {
      ++x.episode;
    } else {
      x.seed = static_cast<std::uint64_t>(seeds[i]);
      x.episode = 0;
    }
    const SimulationState* state = states.empty() ? nullptr : &states[states.size() == 1 ? 0 : i];
    p.begin_episode(i, state);
  });
}

void Batch::watch(std::size_t instance, Watch watch) {
  Parts& p = *parts_;
  const AtWork mark(p.at_work);
  if (watch(p.simulation(p.index(instance)))) {
    std::erase_if(p.watchers, [](const Watcher& watcher) { return watcher.watch == nullptr; });
    p.watchers.push_back({instance, std::move(watch)});
  }
}

SimulationState Batch::save(std::size_t instance) const {
  refuse_if_at_work(parts_->at_work);
  refuse_if(parts_->failed[parts_->index(instance)] != 0,
            fmt::format("instance {} has failed: reset it first", instance));
  return parts_->simulation(instance).save();
}

void Batch::set(const std::string& name, std::span<const double> values) {
  Parts& p = *parts_;
  const AtWork mark(p.at_work);
  refuse_if(values.size() != 1 && values.size() != size(),
            fmt::format("\"{}\": {} values for {} instances", name, values.size(), size()));
  Parameters& parameters = p.variation.parameters();
  const std::vector<std::size_t> numbers = parameters.find(name);
  const auto put = [&numbers, &parameters](std::vector<double>& into, double value) {
    into.resize(parameters.count(), kNone);
    for (const std::size_t number : numbers) {
      into[number] = value;
    }
  };
  for (std::size_t i = 0; i < values.size(); ++i) {
    refuse_if(
        !std::isfinite(values[i]),
        fmt::format("\"{}\": value {} of instance {}: it is a finite number", name, values[i], i));
  }
  for (const double value : std::set<double>(values.begin(), values.end())) {
    std::vector<double> alone;
    put(alone, value);
    parameters.check(name, alone);
  }
  p.make_simulations([] {});
  std::vector<std::vector<double>> before;
  before.reserve(size());
  for (BatchInstance& x : p.instances) {
    before.push_back(x.made_own().values_set);
    put(x.own->values_set, values.size() == 1 ? values[0] : values[before.size() - 1]);
  }
  const auto apply = [&p](std::size_t i) {
    if (p.failed[i] == 0) {
      p.simulation(i);
      p.variation.give_values(p.instances[i]);
      p.pictures.check(*p.instances[i].simulation);
      p.observe_numbers(i);
    }
  };
  const auto take_back = [&] {
    for (std::size_t i = 0; i < size(); ++i) {
      p.instances[i].own->values_set = std::move(before[i]);
    }
    p.workers.for_each([&](std::size_t i) {
      try {
        apply(i);
      } catch (...) {
        p.fail(i, std::current_exception());
      }
    });
  };
  try {
    p.workers.for_each(apply);
  } catch (const std::exception& error) {
    take_back();
    rethrow_if_short(error);
    throw std::invalid_argument(fmt::format("\"{}\": {}", name, error.what()));
  } catch (...) {
    take_back();
    throw;
  }
}

void Batch::randomize(const std::vector<RandomRange>& ranges) {
  Parts& p = *parts_;
  const AtWork mark(p.at_work);
  p.variation.randomize(ranges, p.columns,
                        [&p](const std::string& name, const std::vector<double>& values) {
                          p.check_pictures(name, values);
                        });
}

std::span<const std::uint8_t> Batch::failed() const { return parts_->failed; }
std::span<const std::uint32_t> Batch::refused() const { return parts_->refused; }

std::string Batch::failure(std::size_t instance) const {
  refuse_if_at_work(parts_->at_work);
  const std::exception_ptr& error = parts_->instances[parts_->index(instance)].error;
  if (error == nullptr) {
    return "";
  }
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "a function of the caller has thrown something that is no std::exception";
  }
}

std::vector<BatchContact> Batch::contacts() const {
  refuse_if_at_work(parts_->at_work);
  refuse_if(!parts_->options.contacts, "the batch keeps no contacts: BatchOptions::contacts");
  std::vector<BatchContact> all;
  for (std::size_t i = 0; i < size(); ++i) {
    if (parts_->instances[i].simulation == nullptr) {
      continue;  // in a lane, where nothing can touch
    }
    const WorldInspector inspector(*parts_->instances[i].simulation);
    for (const ContactForce& contact : inspector.physics().contacts().forces()) {
      all.push_back({static_cast<std::int64_t>(i), contact.solid, contact.other, contact.point,
                     contact.force});
    }
  }
  return all;
}

}  // namespace servosim
