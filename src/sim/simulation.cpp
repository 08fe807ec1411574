// SPDX-License-Identifier: Apache-2.0
#include "servosim/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>

#include "scene/checks.h"
#include "scene/scene_builder.h"
#include "sim/node_states.h"
#include "sim/simulation_core.h"
#include "wbt/world_file.h"

namespace servosim {

namespace {

// For an error message.
std::string names_of(const std::vector<std::unique_ptr<Robot>>& robots) {
  std::string names;
  for (const auto& robot : robots) {
    names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", robot->name());
  }
  return names.empty() ? "none" : names;
}

}  // namespace

std::unique_ptr<SimulationCore> SimulationCore::load(wbt::WorldFile file, Diagnostics& diagnostics,
                                                     LoadOptions options) {
  std::shared_ptr<const Scene> scene;
  std::shared_ptr<const MeshStore> meshes;
  std::vector<Substitute> substitutes;
  if (diagnostics.errors() == 0) {
    scene = std::make_shared<const Scene>(build_scene(file, diagnostics, &meshes, &substitutes));
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
               options.compat_webots, options.step_memory});
  core->sources = std::make_shared<SourceMap>(std::move(diagnostics.sources()));
  core->meshes = std::move(meshes);
  core->family = std::make_shared<char>();
  core->begin();
  core->node_states = std::make_shared<NodeStates>();
  core->node_states->file = core->file;
  core->node_states->initial = core->node_state();
  core->node_states->last_loaded = core->node_states->last_id = core->file->last_id;
  core->save(core->initial);
  core->start = core->initial;
  return core;
}

// A randomSeed other than the one that was loaded counts, whatever was asked for at the start.
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
                       const PhysicsOptions& options)
    : scene(std::move(the_scene)), physics(*scene, diagnostics, options) {
  for (const LightSpec& light : scene->world.lights) {
    light_colors.push_back(light.color);
  }
}

SimulationCore::SimulationCore(std::shared_ptr<const wbt::WorldFile> the_file,
                               std::shared_ptr<const Scene> the_scene, Diagnostics& diagnostics,
                               Settings the_settings)
    : file(std::move(the_file)),
      settings(std::move(the_settings)),
      built(std::make_unique<BuiltScene>(std::move(the_scene), diagnostics, physics_options())),
      random(new_random()),
      diagnostics_list(diagnostics.list()) {
  const DeviceEnvironment now = environment(*built);
  for (const RobotSpec& spec : scene().robots) {
    robots.push_back(make_robot({built->scene, &spec}, static_cast<int>(robots.size()), now));
  }
  for (const auto* list : {&scene().ownerless_motors, &scene().ownerless_connectors}) {
    for (const DeviceSpec& device : *list) {
      ownerless.push_back(make_device({built->scene, &device}, "world", now));
    }
  }
  numbers.follow(scene());
}

void SimulationCore::assemble() {
  lists.assemble(robots, ownerless, scene());
  numbers.number_devices(lists.devices, physics());
}

void SimulationCore::begin() {
  assemble();
  for (Connector* connector : lists.connectors) {
    connector->start();
  }
}

void SimulationCore::drain_batteries() {
  for (Robot* robot : lists.with_battery) {
    if (robot->battery()->exhausted()) {
      continue;
    }
    for (const Device& device : robot->devices()) {
      if (device.motor != nullptr && !device.gone && device.spec->joint >= 0 &&
          device.motor->consumes_by_effort()) {
        physics().joints().measure(device.spec->joint);
      }
    }
    if (robot->drain_battery(h())) {
      settings.notices.report(
          fmt::format("robot \"{}\": its battery is empty at {:.6g} s; its motors and sensors "
                      "are off",
                      robot->name(), now_ms() / 1000.0));
    }
  }
}

// One basic step, in Webots' order.
void SimulationCore::step() {
  for (Motor* motor : lists.motors) {
    motor->before_step(h());
  }
  for (Emitter* emitter : lists.emitters) {
    emitter->transmit(lists.receivers, now_ms() + scene().world.basic_time_step_ms);
  }
  for (DifferentialWheels* pair : lists.wheels) {
    pair->before_step(h());
  }
  for (Connector* connector : lists.connectors) {
    connector->before_step();
  }
  int torn_loop = -1;
  try {
    torn_loop = physics().step();
  } catch (const Unstable& unstable) {
    diverged(unstable.solid);
  } catch (const Overloaded& overloaded) {
    throw StepFailed(fmt::format("the step to {:.6g} s failed: {}",
                                 (static_cast<double>(steps) + 1.0) * h(), overloaded.what()));
  }
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
  const double now = now_ms();
  for (std::size_t j = 0; j < lists.motor_of.size(); ++j) {
    if (lists.motor_of[j] != nullptr && lists.motor_of[j]->feedback().due(now)) {
      physics().joints().measure(static_cast<int>(j));
      lists.motor_of[j]->after_step(now);
    }
  }
  for (PositionSensor* sensor : lists.sensors) {
    sensor->after_step(now);
  }
  for (SolidSensor* sensor : lists.solid_sensors) {
    sensor->after_step(now);
  }
  for (Receiver* receiver : lists.receivers) {
    receiver->after_step(now);
  }
  for (Connector* connector : lists.connectors) {
    connector->after_step(now);
  }
  for (DifferentialWheels* pair : lists.wheels) {
    pair->after_step(now);
  }
}

void SimulationCore::diverged(int solid) {
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

Simulation::Simulation(const std::string& world_path, LoadOptions options) {
  Diagnostics diagnostics;
  wbt::WorldFile file = wbt::read_world(world_path, {options.proto_paths}, diagnostics);
  core_ = SimulationCore::load(std::move(file), diagnostics, std::move(options));
}

Simulation Simulation::from_text(std::string world_text, LoadOptions options,
                                 const std::string& folder) {
  Diagnostics diagnostics;
  wbt::WorldFile file = wbt::read_world_text(std::move(world_text), "world", folder,
                                             {options.proto_paths}, diagnostics);
  return Simulation(SimulationCore::load(std::move(file), diagnostics, std::move(options)));
}

const std::vector<Diagnostic>& Simulation::diagnostics() const { return core_->diagnostics_list; }

void Simulation::step() { core_->step(); }

void Simulation::step(std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    core_->step();
  }
}

double Simulation::time() const { return core_->now_ms() / 1000.0; }
double Simulation::basic_time_step_ms() const { return core_->scene().world.basic_time_step_ms; }
std::int64_t Simulation::step_count() const { return core_->steps; }

int Simulation::robot_count() const { return static_cast<int>(core_->robots.size()); }

Robot& Simulation::robot(int index) {
  return *core_->robots[checked_index("robot", index, core_->robots.size())];
}

Robot& Simulation::robot(std::string_view name) {
  for (const auto& robot : core_->robots) {
    if (robot->name() == name) {
      return *robot;
    }
  }
  throw std::out_of_range(
      fmt::format("no robot \"{}\" in this world; it has {}", name, names_of(core_->robots)));
}

int Simulation::joint_count() const { return static_cast<int>(core_->numbers.joints().size()); }

const std::string& Simulation::joint_name(int joint) const {
  return core_->numbers.joint(joint).name;
}

JointType Simulation::joint_type(int joint) const { return core_->numbers.joint(joint).type; }

int Simulation::joint_in_scene(int joint) const { return core_->numbers.joint(joint).index; }

int Simulation::joint_index(std::string_view name) const {
  int found = -1;
  for (int j = 0; j < joint_count(); ++j) {
    if (joint_in_scene(j) < 0) {
      continue;
    }
    const std::string_view full = joint_name(j);
    if (full == name) {
      return j;
    }
    if (full.substr(full.find('/') + 1) == name) {
      found = found == -1 ? j : -2;
    }
  }
  if (found < 0) {
    throw std::out_of_range(
        fmt::format("{} joint is called \"{}\"", found == -1 ? "no" : "more than one", name));
  }
  return found;
}

void Simulation::set_joint_state(int joint, double position, double velocity) {
  if (!std::isfinite(position) || !std::isfinite(velocity)) {
    throw std::invalid_argument("a joint's position and velocity must be finite");
  }
  const int index = joint_in_scene(joint);
  if (index < 0) {
    throw std::invalid_argument(
        fmt::format("joint \"{}\" is no longer in the world", joint_name(joint)));
  }
  if (core_->scene().joints[index].reference) {
    throw std::invalid_argument(fmt::format(
        "joint \"{}\" closes a loop: its position follows from the others", joint_name(joint)));
  }
  core_->physics().joints().set_state(index, position, velocity);
}

const Scene& Simulation::scene() const { return core_->scene(); }
const std::vector<RigidBody>& Simulation::bodies() const {
  return core_->physics().bodies().rigid_bodies();
}

void Simulation::pin_robot(int robot, bool pinned) {
  const auto& robots = core_->scene().robots;
  core_->physics().attachments().fix_to_world(
      robots[checked_index("robot", robot, robots.size())].solid, pinned);
}

}  // namespace servosim
