// SPDX-License-Identifier: Apache-2.0
// This file hashes, saves and restores the state of a simulation between two steps.

#include "base/state_archive.h"
#include "devices/device_archive.h"
#include "sim/simulation_core.h"
#include "sim/state_family.h"

namespace servosim {

void SimulationCore::write(StateWriter& out) const {
  out.put(steps_);
  random_.numbers().save(out);
  DeviceArchive archive(out);
  devices_.archive(archive);
  built_->surfaces.archive(archive);
  physics().save(out);
}

void SimulationCore::read(StateReader in) {
  in.get(steps_);
  random_.numbers().restore(in);
  DeviceArchive archive(in);
  devices_.archive(archive);
  built_->surfaces.archive(archive);
  physics().restore(in);
}

void SimulationCore::describe(SimulationState& state) const {
  state.family_ = family_;
  state.file_ = tree_.file();
  state.scene_ = built_->scene;
  state.placed_ = placed_;
}

void SimulationCore::save(SimulationState& into) const {
  describe(into);
  StateWriter out(into.block_);
  write(out);
}

std::shared_ptr<const SimulationState> SimulationCore::saved() const {
  const auto state = std::make_shared<SimulationState>();
  save(*state);
  return state;
}

std::vector<std::byte> SimulationCore::save_bytes() const {
  SimulationState state;
  describe(state);
  return family_->bytes_of(state, [this](StateWriter& out) { write(out); });
}

void SimulationCore::go_to(const SimulationState& state) {
  family_->check(state);
  go_to(state, state.block_);
}

void SimulationCore::go_to(std::span<const std::byte> bytes) {
  const StateFamily::StateInBytes found = family_->find_in(bytes);
  go_to(found.state, found.block);
}

void SimulationCore::go_to(const SimulationState& state, std::span<const std::byte> block) {
  const bool other_tree = state.scene_ != built_->scene;
  if (other_tree) {
    Diagnostics diagnostics;  // unused: its messages were reported when that tree was new
    adopt(next_scene(state.scene_, diagnostics));
    tree_.set_diagnostics(diagnostics.list());
  }
  tree_.replace(state.file_);
  placed_ = state.placed_;
  read(StateReader(block));
  if (other_tree) {
    node_states().follow(*this);
  }
}

void SimulationCore::reset() {
  go_to(*initial_);
  start_ = initial_;
}

std::uint64_t Simulation::state_hash() const {
  Fnv1a hash;
  hash.add(time());
  core_->physics().add_to_hash(hash);
  DeviceArchive archive(hash);
  core_->devices().add_to_hash(archive);
  return hash.value();
}

}  // namespace servosim
