// SPDX-License-Identifier: Apache-2.0
#include "servosim/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>

#include "base/assert.h"
#include "base/text.h"
#include "devices/rolling.h"
#include "scene/checks.h"
#include "scene/scene_builder.h"
#include "sim/field_settings.h"
#include "sim/node_states.h"
#include "sim/simulation_core.h"
#include "sim/state_family.h"
#include "sim/world_control.h"
#include "wbt/world_file.h"

namespace servosim {

namespace {

// Returns the names for an error message.
std::string names_of(const std::vector<std::unique_ptr<Robot>>& robots) {
  std::string names;
  for (const auto& robot : robots) {
    names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", robot->name());
  }
  return names.empty() ? "none" : names;
}

}  // namespace

std::unique_ptr<SimulationCore> SimulationCore::load(wbt::WorldFile file, Diagnostics& diagnostics,
                                                     LoadOptions options,
                                                     std::shared_ptr<const MeshStore> meshes) {
  std::shared_ptr<const Scene> scene;
  std::vector<Substitute> substitutes;
  FarSolids far{true, {}};
  if (diagnostics.errors() == 0) {
    apply_settings(file, options.settings, diagnostics, meshes);
  }
  if (diagnostics.errors() == 0) {
    scene =
        std::make_shared<const Scene>(build_scene(file, diagnostics, &meshes, &substitutes, &far));
  }
  if (diagnostics.errors() > 0) {
    throw LoadError(diagnostics.list());
  }
  const std::int64_t world_seed = scene->world.random_seed;
  auto core = std::make_unique<SimulationCore>(
      with_substitutes(std::make_shared<const wbt::WorldFile>(std::move(file)), substitutes),
      std::move(scene), diagnostics,
      Settings{Notices(std::move(options.notice)), world_seed,
               options.random_seed.value_or(world_seed), options.random_seed_offset,
               options.compat_webots, options.step_memory, options.solver});
  core->source_map = CopyOnWrite(std::move(diagnostics.sources()));
  core->meshes = std::move(meshes);
  core->far_solids = std::make_shared<const FarSolids>(FarSolids{false, std::move(far.nodes)});
  core->family = std::make_shared<StateFamily>();
  core->begin();
  NodeStates& states = core->node_states();
  states.file = core->file;
  states.initial = core->node_state();
  states.last_loaded = states.last_id = core->file->last_id;
  core->start = core->initial = core->saved();
  return core;
}

// A randomSeed other than the one that was loaded takes precedence over the seed option.
std::int64_t SimulationCore::seed() const {
  const std::int64_t number = scene().world.random_seed;
  return number == settings.loaded_seed ? settings.first_seed : number;
}

Random SimulationCore::new_random() const {
  const std::int64_t by_clock = std::chrono::system_clock::now().time_since_epoch().count();
  return Random(seed() >= 0 ? static_cast<std::uint64_t>(seed()) +
                                  static_cast<std::uint64_t>(settings.seed_offset)
                            : static_cast<std::uint64_t>(by_clock));
}

BuiltScene::BuiltScene(std::shared_ptr<const Scene> the_scene, Diagnostics& diagnostics,
                       const PhysicsOptions& options, const BuiltScene* like)
    : scene(std::move(the_scene)),
      physics(*scene, diagnostics, options, like != nullptr ? &like->physics : nullptr) {
  for (const LightSpec& light : scene->world.lights) {
    light_colors.push_back(light.color);
  }
}

SimulationCore::SimulationCore(std::shared_ptr<const wbt::WorldFile> the_file,
                               std::shared_ptr<const Scene> the_scene, Diagnostics& diagnostics,
                               Settings the_settings, const SimulationCore* like)
    : file(std::move(the_file)),
      settings(std::move(the_settings)),
      built(std::make_unique<BuiltScene>(std::move(the_scene), diagnostics, physics_options(),
                                         like != nullptr ? like->built.get() : nullptr)),
      random(new_random()),
      diagnostics_list(like != nullptr ? like->diagnostics_list : CopyOnWrite(diagnostics.list())) {
  const DeviceEnvironment now = environment(*built);
  robots.reserve(scene().robots.size());
  for (const RobotSpec& spec : scene().robots) {
    robots.push_back(make_robot({built->scene, &spec}, static_cast<int>(robots.size()), now));
  }
  for (const auto* list : {&scene().ownerless_motors, &scene().ownerless_connectors}) {
    for (const DeviceSpec& device : *list) {
      ownerless.push_back(make_node({built->scene, &device}, "world", now));
    }
  }
  if (like != nullptr) {
    numbers.copy_joints(like->numbers);
  } else {
    numbers.follow(scene());
  }
}

void SimulationCore::assemble() {
  lists.assemble(robots, ownerless, scene());
  numbers.number_devices(lists.nodes, physics());
}

void SimulationCore::begin() {
  assemble();
  start_connectors(lists.connectors);
}

void SimulationCore::start_connectors(const std::vector<Connector*>& connectors) {
  const ConnectorSearch::Pass pass(lists.connector_search);
  for (Connector* connector : connectors) {
    connector->start();
  }
}

void SimulationCore::drain_batteries() {
  for (Robot* robot : lists.with_battery) {
    if (robot->drain_battery(h())) {
      settings.notices.report(
          fmt::format("robot \"{}\": its battery is empty at {:.6g} s; its motors and sensors "
                      "are off",
                      robot->name(), now_ms() / 1000.0));
    }
  }
}

// Takes one basic step, in Webots' order.
void SimulationCore::step() {
  before_physics();
  int torn_loop = -1;
  try {
    torn_loop = physics().step();
  } catch (...) {
    rethrow_failure(std::current_exception());
  }
  after_physics(torn_loop);
}

void SimulationCore::before_physics() {
  SERVOSIM_ASSERT(lists.motor_of.size() == scene().joints.size(),
                  "lists of {} joints, {} in the scene", lists.motor_of.size(),
                  scene().joints.size());
  const auto act = [this](Turn turn) {
    for (Device* device : lists.of(turn)) {
      device->before_step(h());
    }
  };
  Rolling rolling(scene(), physics());
  act(Turn::Motor);
  rolling.roll();
  for (Emitter* emitter : lists.emitters) {
    emitter->transmit(lists.receivers, now_ms() + scene().world.basic_time_step_ms);
  }
  act(Turn::Wheels);
  const ConnectorSearch::Pass pass(lists.connector_search);
  act(Turn::Connector);
}

void SimulationCore::after_physics(int torn_loop) {
  ++steps;
  if (!lists.with_battery.empty()) {
    drain_batteries();
  }
  if (torn_loop >= 0) {
    settings.notices.report(
        fmt::format("joint \"{}\" closes a loop that cannot close: its ends are {:.3g} m "
                    "apart (reported once)",
                    scene().joints[torn_loop].name, physics().joints().loop_gap(torn_loop)));
  }
  measure();
}

void SimulationCore::measure() {
  const double now = now_ms();
  const ConnectorSearch::Pass pass(lists.connector_search);
  for (Device* device : lists.devices) {
    device->after_step(now);
  }
}

void SimulationCore::rethrow_failure(const std::exception_ptr& of_physics) const {
  try {
    std::rethrow_exception(of_physics);
  } catch (const Unstable& unstable) {
    throw_diverged(unstable.solid);
  } catch (const Overloaded& overloaded) {
    throw StepFailed(fmt::format("the step to {:.6g} s failed: {}",
                                 (static_cast<double>(steps) + 1.0) * h(), overloaded.what()));
  }
}

void SimulationCore::throw_diverged(int solid) const {
  const double t = (static_cast<double>(steps) + 1.0) * h();
  const SolidSpec* spec = &scene().solids[solid];
  while (spec->joint < 0 && spec->parent >= 0) {
    spec = &scene().solids[spec->parent];
  }
  const std::string joint =
      spec->joint >= 0 ? fmt::format("joint \"{}\" of ", scene().joints[spec->joint].name) : "";
  throw Diverged(fmt::format(
      "the simulation diverged at {}Solid \"{}\", {:.6g} s: its speed or position left the "
      "range that can be simulated. Try a smaller basicTimeStep, smaller forces or heavier parts",
      joint, scene().solids[solid].name, t));
}

Simulation::Simulation(std::unique_ptr<SimulationCore> core) : core_(std::move(core)) {}
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;
Simulation::~Simulation() = default;

wbt::ReadOptions read_options(const LoadOptions& options) {
  wbt::ReadOptions read;
  read.proto_paths = options.proto_paths;
  read.assets = options.assets;
  read.servo_paths = options.servo_paths;
  read.use_stand_ins = options.use_stand_ins;
  return read;
}

Simulation::Simulation(const std::string& world_path, LoadOptions options) {
  Diagnostics diagnostics;
  wbt::WorldFile file = wbt::read_world(world_path, read_options(options), diagnostics);
  core_ = SimulationCore::load(std::move(file), diagnostics, std::move(options));
}

Simulation Simulation::from_text(std::string world_text, LoadOptions options,
                                 const std::string& folder) {
  Diagnostics diagnostics;
  wbt::WorldFile file = wbt::read_world_text(std::move(world_text), "world", folder,
                                             read_options(options), diagnostics);
  return Simulation(SimulationCore::load(std::move(file), diagnostics, std::move(options)));
}

const std::vector<Diagnostic>& Simulation::diagnostics() const { return *core_->diagnostics_list; }

void Simulation::step(std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    core_->step();
  }
}

double Simulation::time() const { return core_->now_ms() / 1000.0; }
double Simulation::basic_time_step_ms() const { return core_->scene().world.basic_time_step_ms; }
std::int64_t Simulation::step_count() const { return core_->steps; }

template <>
Robot& element_of(SimulationCore& core, int index) {
  return *core.robots[checked_index("robot", index, core.robots.size())];
}
template <>
Joint element_of(SimulationCore& core, int index) {
  return Joint(core, index);
}
template <>
Propeller element_of(SimulationCore& core, int index) {
  return Propeller(core, index);
}
template <>
Solid element_of(SimulationCore& core, int index) {
  return Solid(core, index);
}

ElementRange<Robot&> Simulation::robots() const {
  return {*core_, static_cast<int>(core_->robots.size())};
}
ElementRange<Joint> Simulation::joints() const {
  return {*core_, static_cast<int>(core_->numbers.joints().size())};
}
ElementRange<Propeller> Simulation::propellers() const {
  return {*core_, static_cast<int>(core_->numbers.propellers().size())};
}
ElementRange<Solid> Simulation::solids() const {
  return {*core_, static_cast<int>(core_->scene().solids.size())};
}

Robot& Simulation::robot(int index) { return robots()[index]; }
Joint Simulation::joint(int index) const { return joints()[index]; }
Solid Simulation::solid(int index) const { return solids()[index]; }

Robot& Simulation::robot(std::string_view name) {
  for (Robot& robot : robots()) {
    if (robot.name() == name) {
      return robot;
    }
  }
  throw std::out_of_range(
      fmt::format("no robot \"{}\" in this world; it has {}", name, names_of(core_->robots)));
}

Joint Simulation::joint(std::string_view name) const {
  int found = -1;
  for (const Joint joint : joints()) {
    if (!joint.exists()) {
      continue;
    }
    const std::string_view full = joint.name();
    if (full == name) {
      return joint;
    }
    if (full.substr(full.find('/') + 1) == name) {
      found = found == -1 ? joint.index() : -2;
    }
  }
  if (found < 0) {
    std::vector<std::string> names;
    for (const Joint joint : joints()) {
      names.push_back(joint.name());
    }
    throw std::out_of_range(fmt::format("{} joint is called \"{}\"{}",
                                        found == -1 ? "no" : "more than one", name,
                                        nearest_names(name, names)));
  }
  return joint(found);
}

Solid Simulation::solid(std::string_view name) const {
  for (const Solid solid : solids()) {
    if (solid.name() == name) {
      return solid;
    }
  }
  std::vector<std::string> names;
  for (const Solid solid : solids()) {
    names.push_back(solid.name());
  }
  throw std::out_of_range(
      fmt::format("no Solid is called \"{}\"{}", name, nearest_names(name, names)));
}

Simulation load_tree(wbt::WorldFile file, Diagnostics& diagnostics, LoadOptions options,
                     std::shared_ptr<const MeshStore> meshes) {
  return simulation_of(
      SimulationCore::load(std::move(file), diagnostics, std::move(options), std::move(meshes)));
}

SimulationCore& core_of(Simulation& simulation) { return *simulation.core_; }
const SimulationCore& core_of(const Simulation& simulation) { return *simulation.core_; }
Simulation simulation_of(std::unique_ptr<SimulationCore> core) {
  return Simulation(std::move(core));
}

}  // namespace servosim
