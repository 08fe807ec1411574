// SPDX-License-Identifier: Apache-2.0
#include "servosim/simulation.h"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "base/text.h"
#include "robots/robot_file.h"
#include "sim/checked_index.h"
#include "sim/joint_space.h"
#include "sim/simulation_core.h"
#include "sim/world_control.h"
#include "sim/world_inspector.h"
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

Simulation load_file(const std::string& path, LoadOptions options) {
  Diagnostics diagnostics;
  wbt::WorldFile file =
      robots::read_world(path, read_options(options), options.robot_file, diagnostics);
  return load_tree(std::move(file), diagnostics, std::move(options));
}

}  // namespace

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

Simulation::Simulation(const std::string& world_path, LoadOptions options)
    : Simulation(load_file(world_path, std::move(options))) {}

Simulation Simulation::from_text(std::string world_text, LoadOptions options,
                                 const std::string& folder) {
  Diagnostics diagnostics;
  wbt::WorldFile file = wbt::read_world_text(std::move(world_text), "world", folder,
                                             read_options(options), diagnostics);
  return load_tree(std::move(file), diagnostics, std::move(options));
}

const std::vector<Diagnostic>& Simulation::diagnostics() const {
  return core_->tree().diagnostics();
}

void Simulation::step(std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    core_->step();
  }
}

double Simulation::time() const {
  return static_cast<double>(step_count()) * basic_time_step_ms() / 1000.0;
}
double Simulation::basic_time_step_ms() const { return core_->scene().world.basic_time_step_ms; }
std::int64_t Simulation::step_count() const { return core_->step_count(); }

template <>
Robot& element_of(SimulationCore& core, int index) {
  const auto& robots = core.devices().robots();
  return *robots[checked_index("robot", index, robots.size())];
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
  return {*core_, static_cast<int>(core_->devices().robots().size())};
}
ElementRange<Joint> Simulation::joints() const {
  return {*core_, static_cast<int>(core_->devices().numbers().joints().size())};
}
ElementRange<Propeller> Simulation::propellers() const {
  return {*core_, static_cast<int>(core_->devices().numbers().propellers().size())};
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
  throw std::out_of_range(fmt::format("no robot \"{}\" in this world; it has {}", name,
                                      names_of(core_->devices().robots())));
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

namespace {

// Returns the index of a robot in the scene. @throws std::out_of_range
int robot_in_scene(const Simulation& simulation, int robot) {
  return simulation.robots()[robot].index();
}

}  // namespace

std::vector<std::string> Simulation::coordinates(int robot) const {
  const WorldInspector inspector(*this);
  return JointSpace(inspector, robot_in_scene(*this, robot)).names();
}

JointMatrix Simulation::mass_matrix(int robot) const {
  const WorldInspector inspector(*this);
  return JointSpace(inspector, robot_in_scene(*this, robot)).mass_matrix();
}

std::vector<double> Simulation::gravity_torques(int robot) const {
  const WorldInspector inspector(*this);
  return JointSpace(inspector, robot_in_scene(*this, robot)).gravity_torques();
}

JointMatrix Simulation::jacobian(const Solid& solid, const Vec3& point) const {
  const WorldInspector inspector(*this);
  const int robot = inspector.scene().solids.at(static_cast<std::size_t>(solid.index())).robot;
  if (robot < 0) {
    throw std::invalid_argument(fmt::format(
        "Solid \"{}\" belongs to no robot, whose coordinates could move it", solid.name()));
  }
  return JointSpace(inspector, robot).jacobian(solid.index(), point);
}

Simulation load_tree(wbt::WorldFile file, Diagnostics& diagnostics, LoadOptions options,
                     std::shared_ptr<const MeshStore> meshes) {
  return SimulationCore::load(std::move(file), diagnostics, std::move(options), std::move(meshes));
}

SimulationState Simulation::save(SimulationState reused) const {
  core_->save(reused);
  return reused;
}
void Simulation::restore(const SimulationState& state) { core_->go_to(state); }
std::vector<std::byte> Simulation::save_bytes() const { return core_->save_bytes(); }
void Simulation::restore_bytes(std::span<const std::byte> bytes) { core_->go_to(bytes); }
void Simulation::reset() { core_->reset(); }
Simulation Simulation::clone() const { return core_->clone(); }

}  // namespace servosim
