// SPDX-License-Identifier: Apache-2.0
#include "sweep/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <stdexcept>
#include <utility>

#include "assets/digest.h"
#include "base/assert.h"
#include "base/printable.h"
#include "base/shortage.h"
#include "base/text.h"
#include "batch/interrupt_poll.h"
#include "batch/parameters.h"
#include "batch/parts.h"
#include "batch/worker_pool.h"
#include "scene/mesh_file.h"
#include "scene/scene.h"
#include "sim/field_settings.h"
#include "sim/run_metrics.h"
#include "sim/simulation_core.h"
#include "wbt/field_path.h"
#include "wbt/world_file.h"

namespace servosim {
namespace {

constexpr double kUsualDuration = 10.0;  // [s], as of `servosim run`
constexpr std::size_t kMostThreads = 1024;
constexpr std::size_t kMostRunsAtOnce = 16;

// The columns of every row, each one line; the paths of parameters follow the fourth one.
enum First : std::size_t { kId, kVersion, kNumber, kRuns, kFirstParameter };
enum AfterParameters : std::size_t {
  kSeed,
  kExitCode,
  kMessage,
  kSteps,
  kTime,
  kWallTime,
  kHash,
  kFirstMetric
};
constexpr const char* kAfterParameters[]{"seed",           "exit_code", "message",   "steps",
                                         "simulated_time", "wall_time", "state_hash"};
constexpr const char* kOfJoint[]{"start",
                                 "position.final",
                                 "position.min",
                                 "position.min_time",
                                 "position.max",
                                 "position.max_time",
                                 "velocity.final",
                                 "velocity.min",
                                 "velocity.min_time",
                                 "velocity.max",
                                 "velocity.max_time",
                                 "effort.final",
                                 "effort.min",
                                 "effort.min_time",
                                 "effort.max",
                                 "effort.max_time",
                                 "step_response.time",
                                 "step_response.from",
                                 "step_response.to",
                                 "step_response.rise_time",
                                 "step_response.overshoot",
                                 "step_response.settling_time"};
constexpr const char* kOfRobot[]{"position.x", "position.y", "position.z", "tilt", "speed"};

// Writes values one after the other; what is not finite is none.
class RowWriter {
 public:
  RowWriter(SweepRow& row, std::size_t at) : row_(row), at_(at) {}

  void put(double value) {
    SERVOSIM_ASSERT(at_ < row_.size(), "column {} of {}", at_, row_.size());
    if (std::isfinite(value)) {
      row_[at_] = value;
    }
    ++at_;
  }
  void put(const RunMetrics::Range& range) {
    for (const double value : {range.final, range.min, range.min_time, range.max, range.max_time}) {
      put(value);
    }
  }

 private:
  SweepRow& row_;
  std::size_t at_;
};

void put_joint(RowWriter out, const RunMetrics::JointMetrics& joint) {
  out.put(joint.start);
  out.put(joint.position);
  out.put(joint.velocity);
  out.put(joint.effort);
  if (const auto& marks = joint.response.marks()) {
    for (const double value : {marks->begin, marks->from, marks->to, marks->rise_time(),
                               marks->overshoot(), marks->settling_time()}) {
      out.put(value);
    }
  }
}

// Digests of the mesh files of a world.
void add_meshes(const Simulation& of, std::set<std::string>& meshes) {
  if (const auto& store = core_of(of).meshes) {
    for (const auto& [path, parts] : store->files) {
      meshes.insert(assets::sha256(encode(*parts)));
    }
  }
}

std::string id_of(const std::string& contents) {
  return "s" + assets::sha256(contents).substr(0, 15);
}

void put_robot(RowWriter out, const RobotPose& pose) {
  for (const double value :
       {pose.position.x, pose.position.y, pose.position.z, pose.tilt, pose.speed}) {
    out.put(value);
  }
}

}  // namespace

SweepValue sweep_value(const std::string& text) {
  if (const auto whole = parse_number<std::int64_t>(text)) {
    return *whole;
  }
  if (const auto number = parse_number<double>(text); number && std::isfinite(*number)) {
    return *number;
  }
  return text;
}

bool says_replaced(const std::string& message) {
  Diagnostic about;
  about.message = message;
  return replaces_value(about);
}

// A variant that is loaded.
struct SweepVariant {
  std::uint64_t number;
  Simulation simulation;
  std::string warning;    // of its values, else of what is missing
  bool replaces = false;  // one of them has another value in its place
  bool incomplete = false;
  std::vector<std::size_t> joint_columns;  // by joint that is watched
  std::vector<std::size_t> robot_columns;
  Watch watched;
};

struct Sweep::Parts {
  explicit Parts(SweepOptions the_options);

  void check_options() const;
  void check_parameters();
  void name_columns();
  std::string identity() const;
  std::set<std::string> meshes_of_parameters() const;
  Simulation load(const std::vector<FieldSetting>& more, std::optional<std::int64_t> seed) const;
  std::unique_ptr<SweepVariant> load_variant(const SweepRun& run) const;
  std::int64_t steps_of(const Simulation& simulation) const;
  std::string missing_in(const Simulation& simulation) const;
  void begin(const SweepRun& run, SweepRow& row) const;
  bool run(const SweepRun& run, std::unique_ptr<SweepVariant>& loaded, SweepRow& row,
           const std::function<bool()>& is_over) const;
  bool simulate(SweepVariant& variant, SweepRow& row, const std::function<bool()>& is_over) const;

  std::unique_ptr<SweepVariant> take_idle(std::uint64_t variant) const;
  void give_back(std::unique_ptr<SweepVariant> loaded) const;

  std::size_t after_parameters(AfterParameters column) const {
    return kFirstParameter + plan.parameters().size() + column;
  }

  SweepOptions options;
  SweepPlan plan;
  std::shared_ptr<SharedNotices> notices;
  Diagnostics read;
  wbt::WorldFile file;  // as it was read
  std::optional<Simulation> world;
  std::vector<std::string> columns;
  std::map<std::string, std::size_t> places;
  std::set<std::string> texts;  // the parameters that are texts or nodes, which may name files
  std::string id;
  mutable std::mutex mutex;
  mutable std::vector<std::unique_ptr<SweepVariant>> idle;
};

Sweep::Parts::Parts(SweepOptions the_options)
    : options(std::move(the_options)), plan(options.variation) {
  check_options();
  notices = std::make_shared<SharedNotices>(Notices(options.load.notice));
  options.load.notice = [shared = notices](std::string_view text) { shared->report(text); };
  file = wbt::read_world(options.world, read_options(options.load), read);
  world.emplace(load({}, {}));
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

// A path that only exists once another parameter is set is found in the first variant.
void Sweep::Parts::check_parameters() {
  const SimulationCore& core = core_of(*world);
  const wbt::Tree tree(core.world_file());
  const std::vector<wbt::NamedNodes> names = named_nodes(core.scene());
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
        continue;  // of two settings the last one counts
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
    } catch (const wbt::FieldPathError&) {  // gone with the node that another setting replaced
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

void Sweep::Parts::name_columns() {
  columns = {"sweep", "servosim", "run", "runs"};
  for (const std::string& path : plan.parameters()) {
    columns.push_back(printable(path));
  }
  columns.insert(columns.end(), std::begin(kAfterParameters), std::end(kAfterParameters));
  for (const int joint : watch(*world, options.watch).joints) {
    for (const char* metric : kOfJoint) {
      columns.push_back(printable(world->joint(joint).name()) + '.' + metric);
    }
  }
  for (const Robot& robot : world->robots()) {
    for (const char* metric : kOfRobot) {
      columns.push_back(printable(robot.name()) + '.' + metric);
    }
  }
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (!places.emplace(columns[c], c).second) {
      throw std::invalid_argument(
          fmt::format("two columns of the results would be called '{}'", printable(columns[c])));
    }
  }
}

// Digests of the meshes of the worlds with each value that may name a file.
std::set<std::string> Sweep::Parts::meshes_of_parameters() const {
  std::set<std::string> meshes;
  for (std::size_t p = 0; p < plan.parameters().size(); ++p) {
    const std::string& path = plan.parameters()[p];
    for (const std::string& value : plan.listed_values(p)) {
      if (value.find('.') == std::string::npos || !texts.contains(path)) {
        continue;
      }
      try {
        const Simulation simulation = load({{path, value, path + '=' + value}}, {});
        add_meshes(simulation, meshes);
      } catch (const std::exception& error) {  // the row says why
        rethrow_if_short(error);
      }
    }
  }
  return meshes;
}

// Texts of the world and its PROTOs, meshes in any order, and all that decides the rows.
std::string Sweep::Parts::identity() const {
  std::string all = "servosim-sweep-1\n";
  const auto add = [&all](std::string_view part) {
    all += fmt::format("{}:{}\n", part.size(), part);
  };
  for (std::uint32_t i = 0; i < read.sources().size(); ++i) {
    add(assets::sha256(read.sources().text(i)));
  }
  std::set<std::string> meshes;
  add_meshes(*world, meshes);
  meshes.merge(meshes_of_parameters());
  for (const std::string& mesh : meshes) {
    add(mesh);
  }
  for (const FieldSetting& setting : options.load.settings) {
    add(setting.path);
    add(setting.value);
  }
  const SweepVariation& variation = plan.variation();
  for (const std::string& parameter : variation.parameters) {
    add(parameter);
  }
  add(variation.variants);
  add(variation.seeds);
  add(fmt::format("{} {} {} {} {} {} {} {}", variation.samples.value_or(0), variation.draw_seed,
                  variation.latin_hypercube, steps_of(*world),
                  options.load.random_seed.value_or(-1), options.load.random_seed_offset,
                  options.load.compat_webots, static_cast<int>(options.load.solver)));
  for (const std::string& controller : options.controllers) {
    add(controller);
  }
  for (const std::string& glob : options.watch) {
    add(glob);
  }
  // With another time step a duration is another number of steps.
  add(options.steps ? "steps" : fmt::format("{}", options.duration.value_or(kUsualDuration)));
  std::set<Missing> allowed(options.allow_missing.begin(), options.allow_missing.end());
  for (const Missing kind : allowed) {
    add(fmt::format("{}", static_cast<int>(kind)));
  }
  return id_of(all);
}

Simulation Sweep::Parts::load(const std::vector<FieldSetting>& more,
                              std::optional<std::int64_t> seed) const {
  LoadOptions load = options.load;
  load.settings.insert(load.settings.end(), more.begin(), more.end());
  load.random_seed = seed ? seed : load.random_seed;
  Diagnostics diagnostics = read;
  return simulation_of(SimulationCore::load(file, diagnostics, std::move(load),
                                            world ? core_of(*world).meshes : nullptr));
}

// `PROTO 'Table', PROTO 'Chair'`: what may not be missing; empty if there is nothing.
std::string Sweep::Parts::missing_in(const Simulation& simulation) const {
  std::set<std::string> subjects;
  std::string all;
  const auto& allowed = options.allow_missing;
  for (const Diagnostic& d : simulation.diagnostics()) {
    if (d.missing && std::find(allowed.begin(), allowed.end(), d.missing->kind) == allowed.end() &&
        subjects.insert(d.missing->subject).second) {
      all += (all.empty() ? "" : ", ") + d.missing->subject;
    }
  }
  return all;
}

std::unique_ptr<SweepVariant> Sweep::Parts::load_variant(const SweepRun& run) const {
  const std::vector<FieldSetting> settings = plan.settings(run);
  auto variant = std::make_unique<SweepVariant>(
      SweepVariant{run.variant, load(settings, run.seed), {}, false, false, {}, {}, {}});
  const Simulation& simulation = variant->simulation;
  for (const Diagnostic& d : simulation.diagnostics()) {
    const bool is_its =
        d.severity != Severity::Info &&
        std::any_of(settings.begin(), settings.end(),
                    [&d](const FieldSetting& setting) { return d.file == setting.place; });
    if (is_its && (variant->warning.empty() || (replaces_value(d) && !variant->replaces))) {
      variant->warning = to_string(d);
      variant->replaces = replaces_value(d);
    }
  }
  const std::string missing = missing_in(simulation);
  variant->incomplete = !missing.empty();
  if (variant->incomplete && !variant->replaces) {
    variant->warning = "it lacks " + missing;
  }
  variant->watched = watch(simulation, options.watch);
  const auto place_of = [this](const std::string& thing, const char* metric) {
    const auto found = places.find(printable(thing) + '.' + metric);
    if (found == places.end()) {
      throw std::invalid_argument(
          fmt::format("the variant has '{}', which the world without parameters does not have, so "
                      "that the results have no column for it: sweep it by itself",
                      printable(thing)));
    }
    return found->second;
  };
  for (const int joint : variant->watched.joints) {
    variant->joint_columns.push_back(
        place_of(std::string(simulation.joint(joint).name()), kOfJoint[0]));
  }
  for (const Robot& robot : simulation.robots()) {
    variant->robot_columns.push_back(place_of(std::string(robot.name()), kOfRobot[0]));
  }
  return variant;
}

std::int64_t Sweep::Parts::steps_of(const Simulation& simulation) const {
  if (options.steps) {
    return *options.steps;
  }
  return steps_for(options.duration.value_or(kUsualDuration), simulation.basic_time_step_ms());
}

void Sweep::Parts::begin(const SweepRun& run, SweepRow& row) const {
  row.assign(columns.size(), std::monostate());
  row[kId] = id;
  row[kVersion] = SERVOSIM_VERSION;
  row[kNumber] = static_cast<std::int64_t>(run.number);
  row[kRuns] = static_cast<std::int64_t>(plan.size());
  for (std::size_t p = 0; p < run.values.size(); ++p) {
    row[kFirstParameter + p] = sweep_value(printable(run.values[p]));
  }
  if (run.seed) {
    row[after_parameters(kSeed)] = *run.seed;
  }
}

// @returns false if it was interrupted.
bool Sweep::Parts::run(const SweepRun& run, std::unique_ptr<SweepVariant>& loaded, SweepRow& row,
                       const std::function<bool()>& is_over) const {
  const auto start = std::chrono::steady_clock::now();
  begin(run, row);
  const auto end = [&](Exit code, const std::string& message) {
    row[after_parameters(kExitCode)] = static_cast<std::int64_t>(code);
    if (!message.empty()) {
      row[after_parameters(kMessage)] = printable(message);
    }
    row[after_parameters(kWallTime)] =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return true;
  };
  try {
    if (loaded == nullptr || loaded->number != run.variant) {
      loaded = load_variant(run);
    } else {
      loaded->simulation.reset();
      if (run.seed) {
        core_of(loaded->simulation).set_seed(*run.seed);
      }
    }
  } catch (const std::exception& error) {
    loaded = nullptr;
    rethrow_if_short(error);
    return end(BadInput, error.what());
  }
  std::string failure;
  try {
    if (!simulate(*loaded, row, is_over)) {
      return false;
    }
  } catch (const std::invalid_argument& error) {
    return end(BadInput, error.what());
  } catch (const StepFailed& error) {
    return end(Failed, error.what());
  }
  return end(loaded->replaces ? BadInput : loaded->incomplete ? Incomplete : Ok, loaded->warning);
}

bool Sweep::Parts::simulate(SweepVariant& variant, SweepRow& row,
                            const std::function<bool()>& is_over) const {
  Simulation& simulation = variant.simulation;
  const std::int64_t steps = steps_of(simulation);
  const SimulationCore& core = core_of(simulation);
  if (core.seed() >= 0) {
    row[after_parameters(kSeed)] = core.seed() + core.settings.seed_offset;
  }
  RunMetrics metrics(simulation, variant.watched);
  std::int64_t taken = 0;
  const auto finish = [&] {
    row[after_parameters(kSteps)] = taken;
    row[after_parameters(kTime)] = simulation.time();
    row[after_parameters(kHash)] = fmt::format("{:016x}", simulation.state_hash());
    for (std::size_t j = 0; j < metrics.joints().size(); ++j) {
      put_joint(RowWriter(row, variant.joint_columns[j]), metrics.joints()[j]);
    }
    for (std::size_t r = 0; r < metrics.robots().size(); ++r) {
      const RunMetrics::Root& root = metrics.robots()[r];
      put_robot(RowWriter(row, variant.robot_columns[r]),
                robot_pose(simulation, *root.robot, root.start));
    }
  };
  try {
    for (; taken < steps; ++taken) {
      if (is_over()) {
        return false;
      }
      simulation.step();
      metrics.update(simulation.time());
    }
  } catch (const StepFailed&) {
    finish();
    throw;
  }
  finish();
  return true;
}

std::unique_ptr<SweepVariant> Sweep::Parts::take_idle(std::uint64_t variant) const {
  const std::lock_guard lock(mutex);
  if (idle.empty()) {
    return nullptr;
  }
  auto found = std::find_if(idle.begin(), idle.end(),
                            [variant](const auto& one) { return one->number == variant; });
  found = found != idle.end() ? found : idle.end() - 1;
  std::unique_ptr<SweepVariant> taken = std::move(*found);
  idle.erase(found);
  return taken;
}

void Sweep::Parts::give_back(std::unique_ptr<SweepVariant> loaded) const {
  if (loaded != nullptr) {
    const std::lock_guard lock(mutex);
    idle.push_back(std::move(loaded));
  }
}

Sweep::Sweep(SweepOptions options) : parts_(std::make_unique<Parts>(std::move(options))) {}
Sweep::Sweep(Sweep&&) noexcept = default;
Sweep& Sweep::operator=(Sweep&&) noexcept = default;
Sweep::~Sweep() = default;

const SweepPlan& Sweep::plan() const { return parts_->plan; }
const SweepOptions& Sweep::options() const { return parts_->options; }
const std::string& Sweep::id() const { return parts_->id; }
void Sweep::add_to_id(const std::string& contents) {
  parts_->id = id_of(parts_->id + '\n' + contents);
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
  std::unique_ptr<SweepVariant> loaded = p.take_idle(run.variant);
  SweepRow row;
  static_cast<void>(p.run(run, loaded, row, [] { return false; }));
  p.give_back(std::move(loaded));
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
    // @returns false if it was interrupted.
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
          loaded = p.take_idle(run.variant);
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
          failed = true;  // before the next one may take its row
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
    p.give_back(std::move(loaded));
  };
  WorkerPool pool(threads);
  pool.run(threads, 1, work, [&poll] { poll.poll(); });
  return poll.finish();
}

}  // namespace servosim
