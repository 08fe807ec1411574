// SPDX-License-Identifier: Apache-2.0
#include "sim/rebuild.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <stdexcept>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "base/assert.h"
#include "base/scoped.h"
#include "scene/checks.h"
#include "scene/scene_builder.h"
#include "sim/node_states.h"
#include "wbt/tree.h"
#include "wbt/world_file.h"

namespace servosim {

namespace {

// Whether a limit of a motor has changed. Its joint must not sleep then, since the motor may move
// it.
bool has_other_limits(const DeviceSpec& before, const DeviceSpec& now) {
  return before.motor && now.motor &&
         (before.motor->max_force != now.motor->max_force ||
          before.motor->max_velocity != now.motor->max_velocity ||
          before.motor->min_position != now.motor->min_position ||
          before.motor->max_position != now.motor->max_position);
}

// The id of the node of a device, the type of the node, and the number of its use: a node that is
// used several times is several devices.
using DeviceKey = std::tuple<std::uint32_t, std::string, int>;

// Returns the keys of the devices of a list, in the order of the list.
class DeviceKeys {
 public:
  DeviceKey next(const DeviceSpec& spec) {
    DeviceKey key{spec.node, spec.node_type, 0};
    std::get<2>(key) = used_[key]++;
    return key;
  }

 private:
  std::map<DeviceKey, int> used_;
};

std::vector<const DeviceSpec*> ownerless_devices(const Scene& scene) {
  std::vector<const DeviceSpec*> specs;
  for (const auto* list : {&scene.ownerless_motors, &scene.ownerless_connectors}) {
    for (const DeviceSpec& spec : *list) {
      specs.push_back(&spec);
    }
  }
  return specs;
}

}  // namespace

void refuse_out_of_range(const BuiltScene& built) {
  const int solid = built.physics.out_of_range();
  if (solid < 0) {
    return;
  }
  const SolidSpec& spec = built.scene->solids[solid];
  Diagnostics diagnostics;
  diagnostics.error(spec.where,
                    fmt::format("Solid \"{}\" is too far away or too fast to be simulated: beyond "
                                "1e9 m, m/s or rad/s; put it nearer",
                                spec.name));
  throw LoadError(diagnostics.list());
}

Rebuild::Rebuild(SimulationCore& core, std::shared_ptr<const Scene> scene, Diagnostics& diagnostics)
    : core_(core),
      next_(std::make_unique<BuiltScene>(std::move(scene), diagnostics, core.physics_options())) {
  match_robots();
  ownerless_ = match_devices(core_.ownerless, ownerless_devices(*next_->scene), "world");
}

void Rebuild::match_robots() {
  std::map<NodeKey, Robot*> known;
  for (const SimulationCore::DetachedRobot& detached : core_.detached_robots) {
    known.emplace(detached.key, detached.robot.get());
  }
  present_robots_ = robot_keys(core_.scene());
  for (std::size_t r = 0; r < present_robots_.size(); ++r) {
    known[present_robots_[r]] = core_.robots[r].get();
  }
  const Scene& scene = *next_->scene;
  const std::vector<NodeKey> keys = robot_keys(scene);
  for (std::size_t r = 0; r < keys.size(); ++r) {
    const RobotSpec& spec = scene.robots[r];
    const auto found = known.find(keys[r]);
    NextRobot& robot = robots_.emplace_back(
        NextRobot{keys[r], found != known.end() ? found->second : nullptr, nullptr, {}});
    if (robot.known == nullptr) {
      robot.made =
          make_robot({next_->scene, &spec}, static_cast<int>(r), core_.environment(*next_));
      continue;
    }
    std::vector<const DeviceSpec*> specs;
    for (const DeviceSpec& device : spec.devices) {
      specs.push_back(&device);
    }
    robot.devices = match_devices(robot.known->devices(), specs, spec.name);
  }
}

std::vector<Rebuild::NextDevice> Rebuild::match_devices(const std::vector<DeviceNode>& known,
                                                        const std::vector<const DeviceSpec*>& specs,
                                                        const std::string& owner) {
  std::map<DeviceKey, std::size_t> places;
  DeviceKeys known_keys;
  for (std::size_t i = 0; i < known.size(); ++i) {
    places.emplace(known_keys.next(*known[i].spec), i);
  }
  std::vector<NextDevice> devices;
  DeviceKeys keys;
  for (const DeviceSpec* spec : specs) {
    NextDevice& device = devices.emplace_back(NextDevice{{next_->scene, spec}, {}, {}});
    if (const auto found = places.find(keys.next(*spec)); found != places.end()) {
      device.known = found->second;
    } else {
      device.made = make_node(device.spec, owner, core_.environment(*next_));
    }
  }
  return devices;
}

void Rebuild::transfer_physics() {
  const SceneMatch match = match_scenes(core_.scene(), *next_->scene, core_.placed);
  next_->physics.restore_from(core_.physics(), match);
  refuse_out_of_range(*next_);
}

std::vector<Connector*> Rebuild::apply() {
  const std::vector<Connector*> connectors = core_.lists.connectors;
  const std::unique_ptr<BuiltScene> former = std::exchange(core_.built, std::move(next_));
  if (core_.scene().world.random_seed != former->scene->world.random_seed) {
    core_.random = core_.new_random();
  }
  ++core_.version;
  core_.placed.clear();
  core_.numbers.follow(core_.scene());
  apply_to_robots();
  apply_to_devices(core_.ownerless, ownerless_, "world");
  core_.assemble();
  for (Connector* connector : core_.lists.connectors) {
    connector->renumber(connectors);
  }
  return std::move(relocked_);
}

void Rebuild::apply_to_robots() {
  std::map<NodeKey, std::unique_ptr<Robot>> known;
  for (SimulationCore::DetachedRobot& detached : core_.detached_robots) {
    known.emplace(detached.key, std::move(detached.robot));
  }
  core_.detached_robots.clear();
  for (std::size_t r = 0; r < present_robots_.size(); ++r) {
    SERVOSIM_ASSERT(!known.contains(present_robots_[r]), "robot \"{}\" is gone and in the tree",
                    core_.robots[r]->name());
    known[present_robots_[r]] = std::move(core_.robots[r]);
  }
  core_.robots.clear();
  for (NextRobot& next : robots_) {
    const int index = static_cast<int>(core_.robots.size());
    if (next.known != nullptr) {
      apply_to_robot(*next.known, next, index);
      next.made = std::move(known.extract(next.key).mapped());
    }
    core_.robots.push_back(std::move(next.made));
  }
  for (auto& [key, robot] : known) {
    if (robot->index() >= 0) {
      detach_robot(*robot);
    }
    core_.detached_robots.push_back({key, std::move(robot)});
  }
}

void Rebuild::apply_to_robot(Robot& robot, NextRobot& next, int index) {
  const std::shared_ptr<const Scene>& scene = core_.built->scene;
  const RobotSpec& spec = scene->robots[index];
  apply_to_devices(robot.own_devices(), next.devices, spec.name);
  SERVOSIM_ASSERT(robot.drive().has_value() == spec.drive.has_value(),
                  "robot \"{}\" becomes a robot of another type", spec.name);
  if (robot.drive()) {
    rebind_node(*robot.drive(), {scene, &*spec.drive}, spec.name, core_.environment(*core_.built));
  }
  const bool was_empty = robot.battery() != nullptr && robot.battery()->exhausted();
  std::optional<Battery> battery = make_battery(spec);
  if (battery && robot.battery() != nullptr && robot.spec().battery == spec.battery) {
    battery->continue_from(*robot.battery());
  }
  robot.set_battery(battery);
  if (was_empty && (!battery || !battery->exhausted())) {
    robot.set_power(true);
  }
  robot.rebind({scene, &spec}, index);
}

// Devices that were there keep their tags and addresses. New ones follow behind.
void Rebuild::apply_to_devices(std::vector<DeviceNode>& known, std::vector<NextDevice>& next,
                               const std::string& owner) {
  std::vector<bool> there(known.size(), false);
  for (NextDevice& device : next) {
    if (device.known) {
      there[*device.known] = true;
      apply_to_device(known[*device.known], device, owner);
    } else {
      known.push_back(std::move(device.made));
    }
  }
  for (std::size_t i = 0; i < there.size(); ++i) {
    if (!there[i]) {
      detach_node(known[i]);
    }
  }
}

void Rebuild::apply_to_device(DeviceNode& node, NextDevice& next, const std::string& owner) {
  const std::shared_ptr<const DeviceSpec> before = node.spec;
  const DeviceSpec& now = *next.spec;
  rebind_node(node, next.spec, owner, core_.environment(*core_.built));
  if (before->connector && now.connector && before->connector->locked != now.connector->locked) {
    relocked_.push_back(node.get<Connector>());
  }
  if (now.joint >= 0 && has_other_limits(*before, now)) {
    core_.physics().joints()[now.joint].wake = true;
  }
}

CheckedTree SimulationCore::check_tree(std::shared_ptr<const wbt::WorldFile> next_file,
                                       Diagnostics& diagnostics) const {
  std::shared_ptr<const MeshStore> next_meshes = meshes;
  std::vector<Substitute> substitutes;
  FarSolids far = *far_solids;
  auto next_scene = std::make_shared<Scene>(
      build_scene(*next_file, diagnostics, &next_meshes, &substitutes, &far));
  if (diagnostics.errors() > 0) {
    throw LoadError(diagnostics.list());
  }
  if (next_scene->world.basic_time_step_ms != scene().world.basic_time_step_ms) {
    diagnostics.replacement({},
                            "basicTimeStep cannot change while the world runs; it counts when the "
                            "world is loaded");
    next_scene->world.basic_time_step_ms = scene().world.basic_time_step_ms;
  }
  return {with_substitutes(std::move(next_file), substitutes), std::move(next_scene),
          std::move(next_meshes)};
}

std::vector<Diagnostic> SimulationCore::rebuild(std::shared_ptr<const wbt::WorldFile> next_file) {
  if (next_file == nullptr) {
    throw std::invalid_argument("no tree");
  }
  if (physics().is_over()) {
    throw std::invalid_argument("the simulation has diverged: restore or reset it first");
  }
  Diagnostics diagnostics;
  CheckedTree next;
  std::optional<Rebuild> change;
  {
    const ScopedSwap swapped(sources(), diagnostics.sources());
    next = check_tree(std::move(next_file), diagnostics);
    change.emplace(*this, next.scene, diagnostics);
  }
  change->transfer_physics();
  const std::vector<Connector*> before = lists.connectors;
  const std::vector<Connector*> relocked = change->apply();
  file = std::move(next.file);
  ++edit_count;
  meshes = next.meshes != nullptr ? std::move(next.meshes) : meshes;
  report_new(diagnostics.list());
  update_initial_states();
  // New locked Connectors attach to the Connector in front of them, as when the world is loaded.
  const std::unordered_set<const Connector*> known(before.begin(), before.end());
  std::vector<Connector*> new_ones;
  std::copy_if(lists.connectors.begin(), lists.connectors.end(), std::back_inserter(new_ones),
               [&known](const Connector* connector) { return !known.contains(connector); });
  start_connectors(new_ones);
  for (Connector* connector : relocked) {
    connector->is_locked_by_tree() ? connector->lock() : connector->unlock();
  }
  return diagnostics.list();
}

void SimulationCore::report_new(const std::vector<Diagnostic>& list) {
  std::set<std::string> known;
  for (const Diagnostic& diagnostic : *diagnostics_list) {
    known.insert(to_string(diagnostic));
  }
  for (const Diagnostic& d : list) {
    if (known.insert(to_string(d)).second) {
      // A notice is always shown as a warning, so that the severity is left out.
      const std::string where =
          d.file.empty() ? "" : fmt::format("{}:{}:{}: ", d.file, d.line, d.column);
      settings.notices.report(where + d.message);
      keep_missing(d);
      if (diagnostics_list->size() < Diagnostics::kMaxKept) {
        diagnostics_list.writable().push_back(d);
      }
    }
  }
}

void SimulationCore::keep_missing(const Diagnostic& diagnostic) {
  if (diagnostic.missing) {
    keep_missing(*diagnostic.missing);
  }
}

void SimulationCore::keep_missing(MissingPart part) {
  if (missing_since_load.size() < Diagnostics::kMaxKept) {
    missing_since_load.push_back(std::move(part));
  }
}

const wbt::Tree& SimulationCore::tree() {
  if (indexed == nullptr) {
    indexed = std::make_shared<wbt::Tree>(file);
  } else if (indexed->file() != file) {
    indexed->set_file(file);
  }
  return *indexed;
}

void SimulationCore::edit_world_file(const wbt::Edits& edits) {
  static_cast<void>(tree());
  indexed->apply(edits, 1);  // replace_world_file() sets `file`
  replace_world_file(indexed->file());
}

void SimulationCore::replace_world_file(std::shared_ptr<const wbt::WorldFile> next_file) {
  if (next_file == nullptr) {
    throw std::invalid_argument("no tree");
  }
  file = std::move(next_file);
  ++edit_count;
}

}  // namespace servosim
