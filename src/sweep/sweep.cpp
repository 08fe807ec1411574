// SPDX-License-Identifier: Apache-2.0
#include "sweep/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "base/printable.h"
#include "batch/interrupt_poll.h"
#include "batch/worker_pool.h"
#include "robots/robot_file.h"
#include "scene/scene.h"
#include "sim/field_settings.h"
#include "sim/world_control.h"
#include "sim/world_inspector.h"
#include "sweep/sweep_parts.h"
#include "wbt/field_path.h"

namespace servosim {
namespace {

constexpr std::size_t kMostThreads = 1024;
constexpr std::size_t kMostRunsAtOnce = 16;

}  // namespace

Sweep::Parts::Parts(SweepOptions the_options)
    : options(std::move(the_options)), plan(options.variation) {
  check_options();
  notices = std::make_shared<SharedNotices>(Notices(options.load.notice, options.load.remark));
  options.load.notice = [shared = notices](std::string_view text) { shared->report(text); };
  options.load.remark = [shared = notices](std::string_view text) { shared->remark(text); };
  file =
      robots::read_world(options.world, read_options(options.load), options.load.robot_file, read);
  world.emplace(load({}, {}));
  refuse_replacements(*world, options.load, [this](const LoadOptions& without) {
    Diagnostics diagnostics = read;
    return load_tree(file, diagnostics, without);
  });
  check_parameters();
  name_columns();
  id = identity();
}

void Sweep::Parts::check_options() const {
  if (options.duration && options.steps) {
    throw std::invalid_argument("a duration and a number of steps exclude each other");
  }
  if (options.duration && !(*options.duration >= 0.0 && std::isfinite(*options.duration))) {
    throw std::invalid_argument(
        fmt::format("a duration of {} s: it is a number >= 0", *options.duration));
  }
  if (options.steps && *options.steps < 0) {
    throw std::invalid_argument(fmt::format("{} steps: it is a number >= 0", *options.steps));
  }
  if (!plan.variation().seeds.empty()) {
    const auto& paths = plan.parameters();
    if (options.load.random_seed ||
        std::find(paths.begin(), paths.end(), "WorldInfo.randomSeed") != paths.end()) {
      throw std::invalid_argument(
          "seeds, a seed and the parameter WorldInfo.randomSeed exclude each other");
    }
  }
}

// A path that exists only if another parameter is set is looked up in the first variant.
void Sweep::Parts::check_parameters() {
  const WorldInspector inspector(*world);
  const wbt::Tree tree(inspector.world_file());
  const std::vector<wbt::NamedNodes> names = named_nodes(inspector.scene());
  struct Taken {
    std::string path;
    std::optional<wbt::FieldPlace> place;
    bool is_parameter;
  };
  std::vector<Taken> taken;
  const auto take = [&taken](Taken one) {
    for (const Taken& other : taken) {
      const bool same_place = one.place && other.place == one.place;
      if (!one.is_parameter || (!same_place && one.path != other.path)) {
        continue;  // the last of two settings counts
      }
      const std::string names_of = one.path == other.path
                                       ? fmt::format("'{}' is", printable(one.path))
                                       : fmt::format("'{}' and '{}' are one field,",
                                                     printable(other.path), printable(one.path));
      throw std::invalid_argument(fmt::format("{} {}: remove one", names_of,
                                              other.is_parameter
                                                  ? "given twice as a parameter"
                                                  : "both set for all runs and a parameter"));
    }
    taken.push_back(std::move(one));
  };
  for (const FieldSetting& setting : options.load.settings) {
    std::optional<wbt::FieldPlace> place;
    try {
      place = wbt::find_field_place(tree, names, setting.path);
    } catch (const wbt::FieldPathError&) {  // another setting has replaced its node
    }
    take({setting.path, place, false});
  }
  bool found_later = false;
  for (const std::string& path : plan.parameters()) {
    std::optional<wbt::FieldPlace> place;
    try {
      place = wbt::find_field_place(tree, names, path);
      const wbt::ValueType type = wbt::item_type(wbt::type_at(tree, *place));
      if (type == wbt::ValueType::SFString || type == wbt::ValueType::SFNode) {
        texts.insert(path);
      }
    } catch (const wbt::FieldPathError& error) {
      if (!found_later) {
        try {
          static_cast<void>(load(plan.settings(plan.run(0)), {}));
          found_later = true;
        } catch (const LoadError&) {
          throw std::invalid_argument(
              fmt::format("parameter '{}': {}", printable(path), error.what()));
        }
      }
    }
    take({path, place, true});
  }
}

Simulation Sweep::Parts::load(const std::vector<FieldSetting>& more,
                              std::optional<std::int64_t> seed) const {
  LoadOptions load = options.load;
  load.settings.insert(load.settings.end(), more.begin(), more.end());
  load.random_seed = seed ? seed : load.random_seed;
  Diagnostics diagnostics = read;
  return load_tree(file, diagnostics, std::move(load),
                   world ? WorldInspector(*world).meshes() : nullptr);
}

Sweep::Sweep(SweepOptions options) : parts_(std::make_unique<Parts>(std::move(options))) {}
Sweep::Sweep(Sweep&&) noexcept = default;
Sweep& Sweep::operator=(Sweep&&) noexcept = default;
Sweep::~Sweep() = default;

const SweepPlan& Sweep::plan() const { return parts_->plan; }
const SweepOptions& Sweep::options() const { return parts_->options; }
const std::string& Sweep::id() const { return parts_->id; }
void Sweep::add_to_id(const std::string& contents) {
  parts_->id = sweep_id_of(parts_->id + '\n' + contents);
}
const std::vector<std::string>& Sweep::columns() const { return parts_->columns; }
const Simulation& Sweep::world() const { return *parts_->world; }

std::size_t Sweep::column(const std::string& name) const { return parts_->places.at(name); }

SweepRow Sweep::begin_row(const SweepRun& run) const {
  SweepRow row;
  parts_->begin(run, row);
  return row;
}

SweepRow Sweep::run(std::uint64_t number) const {
  const Parts& p = *parts_;
  const SweepRun run = p.plan.run(number);
  std::unique_ptr<SweepVariant> loaded = p.idle.take(run.variant);
  SweepRow row;
  static_cast<void>(p.run(run, loaded, row, [] { return false; }));
  p.idle.give_back(std::move(loaded));
  return row;
}

bool Sweep::run(const SweepSelection& selection, std::size_t threads, const TakeRow& take,
                const Interrupt& interrupt, const Runner& runner) const {
  const Parts& p = *parts_;
  if (threads < 1 || threads > kMostThreads) {
    throw std::invalid_argument(
        fmt::format("{} threads: 1 to {} are possible", threads, kMostThreads));
  }
  InterruptPoll poll(interrupt);
  std::atomic<bool> failed = false;
  std::mutex taking;
  const std::uint64_t piece =
      std::clamp<std::uint64_t>(selection.count / (8 * threads), 1, kMostRunsAtOnce);
  std::atomic<std::uint64_t> next = 0;
  const auto work = [&](std::size_t, std::size_t, std::size_t worker) {
    std::unique_ptr<SweepVariant> loaded;
    const auto is_over = [&] {
      if (worker == WorkerPool::kCaller) {
        poll.poll();
      }
      return poll.is_over() || failed.load(std::memory_order_relaxed);
    };
    SweepRow row;
    // @returns false if the run was interrupted.
    const auto run_one = [&](std::uint64_t number) {
      const SweepRun run = p.plan.run(number);
      if (runner) {
        std::optional<SweepRow> made = runner(run);
        if (!made) {
          return false;
        }
        row = std::move(*made);
      } else {
        if (loaded == nullptr) {
          loaded = p.idle.take(run.variant);
        }
        if (!p.run(run, loaded, row, is_over)) {
          return false;
        }
      }
      const std::lock_guard lock(taking);
      if (!failed) {
        try {
          take(row);
        } catch (...) {
          failed = true;  // set before another thread may call `take`
          throw;
        }
      }
      return true;
    };
    try {
      for (bool going_on = true; going_on && !is_over();) {
        const std::uint64_t first = next.fetch_add(piece);
        const std::uint64_t last = std::min(first + piece, selection.count);
        going_on = first < selection.count;
        for (std::uint64_t i = first; i < last && going_on && !is_over(); ++i) {
          const std::optional<std::uint64_t> number = selection.number(i);
          going_on = !number || run_one(*number);
        }
      }
    } catch (...) {
      failed = true;
      throw;
    }
    p.idle.give_back(std::move(loaded));
  };
  WorkerPool pool(threads);
  pool.run(threads, 1, work, [&poll] { poll.poll(); });
  return poll.finish();
}

}  // namespace servosim
