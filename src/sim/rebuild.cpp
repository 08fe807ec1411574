// SPDX-License-Identifier: Apache-2.0
#include "sim/rebuild.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <stdexcept>
#include <type_traits>
#include <unordered_set>
#include <utility>

#include "base/scoped.h"
#include "scene/checks.h"
#include "scene/scene_builder.h"
#include "sim/node_states.h"
#include "sim/simulation.h"
#include "wbt/world_file.h"

namespace servosim {

namespace {

double bounded(double value, double most) { return std::clamp(value, -most, most); }

int channel_after(int was, const AntennaSpec& before, const AntennaSpec& now) {
  return before.channel != now.channel ? now.channel : was;
}

}  // namespace

void go_on(Motor& motor, const Motor::State& was, const DeviceSpec& before, const DeviceSpec& now) {
  const MotorSpec& a = *before.motor;
  const MotorSpec& b = *now.motor;
  Motor::State state = was;
  if (a.max_velocity != b.max_velocity) {
    state.target_velocity = was.target_velocity == a.max_velocity
                                ? b.max_velocity
                                : bounded(was.target_velocity, b.max_velocity);
  }
  if (a.max_force != b.max_force) {
    state.available_force = was.available_force == a.available_force
                                ? b.available_force
                                : std::min(was.available_force, b.max_force);
    state.force = bounded(was.force, std::max(0.0, state.available_force));
  }
  if (a.acceleration != b.acceleration) {
    state.acceleration = b.acceleration;
  }
  if (a.gains.p != b.gains.p || a.gains.i != b.gains.i || a.gains.d != b.gains.d) {
    state.gains = b.gains;
    state.law.clear_errors();
  }
  if (b.min_position != b.max_position && std::isfinite(was.target_position)) {
    state.target_position = std::clamp(was.target_position, b.min_position, b.max_position);
  }
  motor.set_state(state);
}

void go_on(Receiver& receiver, const Receiver::State& was, const DeviceSpec& before,
           const DeviceSpec& now) {
  receiver.set_state(was);
  receiver.set_channel(channel_after(was.channel, *before.receiver, *now.receiver));
}

void go_on(Emitter& emitter, const Emitter::State& was, const DeviceSpec& before,
           const DeviceSpec& now) {
  const EmitterSpec& a = *before.emitter;
  const EmitterSpec& b = *now.emitter;
  const bool by_maximum = a.range == a.max_range && b.range == b.max_range;
  const bool stays = a.range == b.range || (by_maximum && was.range != a.range);
  emitter.set_state(was);
  emitter.set_channel(channel_after(was.channel, a, b));
  emitter.set_range(stays ? was.range : b.range);
}

// A simulation of a changed tree takes the place of the one before, with the same robots.

namespace {

// Whoever refers to `known` then refers to what was in `anew`.
template <typename T>
void replace(T& known, T& anew) {
  if constexpr (std::is_nothrow_move_constructible_v<T>) {
    std::destroy_at(&known);
    std::construct_at(&known, std::move(anew));
  } else {
    known = std::move(anew);
  }
}

// True if a motor's strength or aim has another bound: its joint must not sleep then.
bool other_limits(const DeviceSpec& before, const DeviceSpec& now) {
  return before.motor && now.motor &&
         (before.motor->max_force != now.motor->max_force ||
          before.motor->max_velocity != now.motor->max_velocity ||
          before.motor->min_position != now.motor->min_position ||
          before.motor->max_position != now.motor->max_position);
}

std::vector<NodeKey> keys_of(const std::vector<Device>& devices) {
  std::vector<DeviceSpec> specs(devices.size());
  for (std::size_t i = 0; i < devices.size(); ++i) {
    specs[i].node = devices[i].spec->node;
  }
  return device_keys(specs);
}

}  // namespace

const std::shared_ptr<const wbt::WorldFile>& Simulation::world_file() const { return impl_->file; }

SourceMap& Simulation::sources() { return *impl_->sources; }

std::uint64_t Simulation::tree_version() const { return impl_->tree_version; }

void Simulation::replace_world_file(std::shared_ptr<const wbt::WorldFile> file) {
  if (file == nullptr) {
    throw std::invalid_argument("no tree");
  }
  impl_->file = std::move(file);
}

void Simulation::rebuild(std::shared_ptr<const wbt::WorldFile> file) {
  if (file == nullptr) {
    throw std::invalid_argument("no tree");
  }
  if (impl_->physics().is_over()) {
    throw std::invalid_argument("the simulation has diverged: restore or reset it first");
  }
  Diagnostics diagnostics;
  std::unique_ptr<Impl> next;
  {
    const ScopedSwap swapped(*impl_->sources, diagnostics.sources());
    next = impl_->successor(std::move(file), diagnostics);
  }
  const SceneMatch match = match_scenes(impl_->scene(), next->scene(), impl_->told);
  next->physics().take_over(impl_->physics(), match);
  next->refuse_what_is_too_far();
  next->inherit(*impl_);
  next->say_news(*impl_);
  next->note_newcomers();
  next->lock_connectors(impl_->connectors);
  impl_ = std::move(next);
}

// Changes nothing here. The time step stays: time is counted in steps.
std::unique_ptr<Simulation::Impl> Simulation::Impl::successor(
    std::shared_ptr<const wbt::WorldFile> next_file, Diagnostics& diagnostics) {
  std::shared_ptr<const MeshStore> next_meshes = meshes;
  std::vector<Substitute> substitutes;
  auto next_scene =
      std::make_shared<Scene>(build_scene(*next_file, diagnostics, &next_meshes, &substitutes));
  if (diagnostics.errors() > 0) {
    throw LoadError(diagnostics.list());
  }
  if (next_scene->world.basic_time_step_ms != scene().world.basic_time_step_ms) {
    diagnostics.warning({},
                        "basicTimeStep cannot change while the world runs; it counts when the "
                        "world is loaded");
    next_scene->world.basic_time_step_ms = scene().world.basic_time_step_ms;
  }
  auto next = std::make_unique<Impl>(with_substitutes(std::move(next_file), substitutes),
                                     std::move(next_scene), diagnostics, settings);
  next->meshes = std::move(next_meshes);
  return next;
}

// The next step would not accept it.
void Simulation::Impl::refuse_what_is_too_far() const {
  const int solid = physics().out_of_range();
  if (solid < 0) {
    return;
  }
  const SolidSpec& spec = scene().solids[solid];
  Diagnostics diagnostics;
  diagnostics.error(spec.where,
                    fmt::format("Solid \"{}\" is too far away or too fast to be simulated: beyond "
                                "1e9 m, m/s or rad/s; put it nearer",
                                spec.name));
  throw LoadError(diagnostics.list());
}

// Those that came locked hold who is in front of them, as when the world was loaded.
void Simulation::Impl::lock_connectors(const std::vector<Connector*>& before) {
  const std::unordered_set<const Connector*> known(before.begin(), before.end());
  for (Connector* connector : connectors) {
    if (!known.contains(connector)) {
      connector->start();
    }
  }
  for (Connector* connector : std::exchange(relocked, {})) {
    connector->is_locked_by_tree() ? connector->lock() : connector->unlock();
  }
}

void Simulation::Impl::say_news(const Impl& before) {
  std::set<std::string> known;
  for (const Diagnostic& diagnostic : before.diagnostics_list) {
    known.insert(to_string(diagnostic));
  }
  std::vector<Diagnostic> all = before.diagnostics_list;
  for (const Diagnostic& diagnostic : diagnostics_list) {
    if (const Diagnostic& d = diagnostic; known.insert(to_string(d)).second) {
      // Whoever shows a notice says that it is a warning.
      const std::string where =
          d.file.empty() ? "" : fmt::format("{}:{}:{}: ", d.file, d.line, d.column);
      settings.notices.say(where + d.message);
      if (all.size() < Diagnostics::kMaxKept) {
        all.push_back(diagnostic);
      }
    }
  }
  diagnostics_list = std::move(all);
}

// All but the physics.
void Simulation::Impl::inherit(Impl& before) {
  random = scene().world.random_seed == before.scene().world.random_seed ? before.random : random;
  steps = before.steps;
  family = before.family;
  initial = before.initial;
  start = before.start;
  sources = before.sources;
  meshes = meshes != nullptr ? meshes : before.meshes;
  tree_version = before.tree_version + 1;
  node_states = before.node_states;
  gone_robots = std::move(before.gone_robots);
  limbo = before.limbo != nullptr ? before.limbo : std::make_shared<Limbo>(settings.notices);
  turned_propellers = before.turned_propellers;
  for (TurnedPropeller& turned : turned_propellers) {
    turned.state = nullptr;
  }
  inherit_numbers(before);
  inherit_robots(before);
  merge(before.ownerless, ownerless, "world");
  ownerless = std::move(before.ownerless);
  assemble();
  for (Connector* connector : connectors) {
    connector->renumber(before.connectors);
  }
}

void Simulation::Impl::inherit_numbers(Impl& before) {
  const std::vector<NumberedJoint> present = std::move(numbers);
  numbers = before.numbers;
  std::map<NodeKey, std::size_t> places;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i].index = -1;
    places.emplace(numbers[i].key, i);
  }
  for (const NumberedJoint& joint : present) {
    if (const auto known = places.find(joint.key); known != places.end()) {
      numbers[known->second] = joint;
    } else {
      numbers.push_back(joint);
    }
  }
}

void Simulation::Impl::inherit_robots(Impl& before) {
  std::map<NodeKey, std::unique_ptr<Robot>> known;
  for (GoneRobot& gone : gone_robots) {
    known.emplace(gone.key, std::move(gone.robot));
  }
  gone_robots.clear();
  const std::vector<NodeKey> old_keys = robot_keys(before.scene());
  for (std::size_t r = 0; r < old_keys.size(); ++r) {
    known[old_keys[r]] = std::move(before.robots[r]);
  }
  const std::vector<NodeKey> keys = robot_keys(scene());
  for (std::size_t r = 0; r < keys.size(); ++r) {
    const auto found = known.find(keys[r]);
    if (found != known.end()) {
      inherit_robot(*found->second, *robots[r], static_cast<int>(r));
      robots[r] = std::move(found->second);
      known.erase(found);
    }
  }
  for (auto& [key, robot] : known) {
    if (robot->index() >= 0) {
      bury(*robot);
    }
    gone_robots.push_back({key, std::move(robot)});
  }
}

void Simulation::Impl::inherit_robot(Robot& known, Robot& anew, int index) {
  merge(known.own_devices(), anew.own_devices(), anew.name());
  if (known.wheels() != nullptr && anew.wheels() != nullptr) {
    const DifferentialWheels::State was = known.wheels()->state();
    replace(*known.wheels(), *anew.wheels());
    known.wheels()->set_state(was);
  }
  const bool same_battery = known.spec().battery == anew.spec().battery;
  const bool was_empty = known.battery() != nullptr && known.battery()->exhausted();
  std::optional<Battery> battery;
  if (anew.battery() != nullptr) {
    battery = *anew.battery();
    if (same_battery && known.battery() != nullptr) {
      battery->set_state(known.battery()->state());
    }
  }
  known.set_battery(battery);
  if (was_empty && (!battery || !battery->exhausted())) {
    known.set_power(true);
  }
  known.move_to(scene().robots[index], index);
}

// Devices that were there keep their places and addresses; new ones follow.
void Simulation::Impl::merge(std::vector<Device>& known, std::vector<Device>& anew,
                             const std::string& owner) {
  std::map<NodeKey, std::size_t> places;
  const std::vector<NodeKey> known_keys = keys_of(known);
  for (std::size_t i = 0; i < known_keys.size(); ++i) {
    places.emplace(known_keys[i], i);
  }
  std::vector<bool> there(known.size(), false);
  const std::vector<NodeKey> keys = keys_of(anew);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (const auto found = places.find(keys[i]); found != places.end()) {
      there[found->second] = true;
      adopt(known[found->second], anew[i], owner);
    } else {
      known.push_back(std::move(anew[i]));
    }
  }
  for (std::size_t i = 0; i < there.size(); ++i) {
    if (!there[i] && !known[i].gone) {
      bury(known[i], owner);
    }
  }
}

void Simulation::Impl::adopt(Device& known, Device& anew, const std::string& owner) {
  bool all_again = true;
  for_each_part([&](const auto& part, const auto& fresh) { all_again &= !part || fresh; }, known,
                anew);
  if (!all_again) {
    bury(known, owner);
  }
  const DeviceSpec& before = *known.spec;
  const DeviceSpec& now = *anew.spec;
  for_each_part(
      [&](auto& part, auto& fresh) {
        if (part != nullptr && fresh != nullptr) {
          const auto was = part->state();
          replace(*part, *fresh);
          go_on(*part, was, before, now);
        } else if (fresh != nullptr) {
          part = std::move(fresh);
        }
      },
      known, anew);
  if (before.connector && now.connector && before.connector->locked != now.connector->locked) {
    relocked.push_back(known.connector.get());
  }
  if (now.joint >= 0 && other_limits(before, now)) {
    physics().joints()[now.joint].wake = true;
  }
  known.name = anew.name;
  known.model = anew.model;
  known.node_type = anew.node_type;
  known.spec = anew.spec;
  known.gone = false;
}

void Simulation::Impl::bury(Device& device, const std::string& owner) {
  limbo->devices.push_back(without_surroundings(*device.spec));
  device.spec = &limbo->devices.back();
  device.gone = true;
  Device dead = make_device(*device.spec, owner, limbo->surroundings());
  for_each_part(
      [](auto& part, auto& fresh) {
        if (part != nullptr && fresh != nullptr) {
          const auto was = part->state();
          replace(*part, *fresh);
          part->set_state(was);
        }
      },
      device, dead);
  if (device.connector != nullptr) {
    device.connector->meet(limbo->connectors, -1);
    Connector::State alone = device.connector->state();
    alone.peer = -1;
    device.connector->set_state(alone);
  }
}

void Simulation::Impl::bury(Robot& robot) {
  for (Device& device : robot.own_devices()) {
    if (!device.gone) {
      bury(device, robot.name());
    }
  }
  RobotSpec& spec = limbo->robots.emplace_back(robot.spec());
  spec.devices.clear();
  spec.solid = -1;
  if (robot.wheels() != nullptr) {
    spec.wheels->solid = 0;
    spec.wheels->joints = {-1, -1};
    const DifferentialWheels::State was = robot.wheels()->state();
    DifferentialWheels dead(*spec.wheels, robot.name(), limbo->physics, limbo->random,
                            limbo->notices);
    replace(*robot.wheels(), dead);
    robot.wheels()->set_state(was);
  }
  robot.move_to(spec, -1);
}

}  // namespace servosim
