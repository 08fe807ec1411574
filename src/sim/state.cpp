// SPDX-License-Identifier: Apache-2.0
// This file hashes, saves and restores the state of a simulation between two steps.
#include <algorithm>
#include <limits>
#include <stdexcept>

#include "base/state_archive.h"
#include "devices/device_archive.h"
#include "sim/devices.h"
#include "sim/node_states.h"
#include "sim/rebuild.h"
#include "sim/simulation_core.h"
#include "sim/state_family.h"

namespace servosim {

void SimulationCore::archive_devices(DeviceArchive& archive) const {
  for (Device* device : lists.devices) {
    device->archive(archive);
  }
  archive_batteries(archive);
}

void SimulationCore::archive_batteries(DeviceArchive& archive) const {
  for (Robot* robot : lists.with_battery) {
    robot->own_battery()->archive(archive);
  }
}

void SimulationCore::save(StateBlock& block) const {
  StateWriter out(block);
  save(out);
}

void SimulationCore::save(StateWriter& out) const {
  out.put(steps);
  random.save(out);
  DeviceArchive archive(out);
  archive_devices(archive);
  physics().save(out);
}

void SimulationCore::restore(std::span<const std::byte> block) {
  StateReader in(block);
  in.get(steps);
  random.restore(in);
  DeviceArchive archive(in);
  archive_devices(archive);
  physics().restore(in);
}

SimulationState Simulation::save(SimulationState reused) const {
  core_->save(reused);
  return reused;
}

void SimulationCore::save(SimulationState& into) const {
  into.family_ = family;
  into.file_ = file;
  into.scene_ = built->scene;
  into.placed_ = placed;
  save(into.block_);
}

void SimulationCore::check_family(const SimulationState& state) const {
  if (state.family_ == nullptr || state.family_ != family) {
    throw std::invalid_argument(
        "this state was saved by another simulation; only a clone shares states with the original");
  }
}

std::shared_ptr<const SimulationState> SimulationCore::saved() const {
  const auto state = std::make_shared<SimulationState>();
  save(*state);
  return state;
}

void Simulation::restore(const SimulationState& state) {
  core_->check_family(state);
  core_->go_to(state);
}

std::vector<std::byte> Simulation::save_bytes() const { return core_->family->bytes_of(*core_); }

void Simulation::restore_bytes(std::span<const std::byte> bytes) {
  const StateFamily::StateInBytes found = core_->family->find_in(bytes);
  core_->go_to(found.state, found.block);
}

void Simulation::reset() {
  core_->go_to(*core_->initial);
  core_->start = core_->initial;
}

void SimulationCore::go_to(const SimulationState& state) { go_to(state, state.block_); }

void SimulationCore::go_to(const SimulationState& state, std::span<const std::byte> block) {
  const bool other_tree = state.scene_ != built->scene;
  if (other_tree) {
    Diagnostics diagnostics;  // unused: its messages were reported when that tree was new
    Rebuild(*this, state.scene_, diagnostics).apply();
    diagnostics_list = CopyOnWrite(diagnostics.list());
  }
  file = state.file_;
  ++edit_count;
  placed = state.placed_;
  restore(block);
  if (other_tree) {
    update_initial_states();
  }
}

Simulation Simulation::clone() const {
  Diagnostics diagnostics;  // unused: the clone has the same messages as this simulation
  auto twin = std::make_unique<SimulationCore>(core_->file, core_->built->scene, diagnostics,
                                               core_->settings, core_.get());
  twin->initial = core_->initial;
  twin->start = core_->start;
  twin->family = core_->family;
  twin->source_map = core_->source_map;
  twin->meshes = core_->meshes;
  twin->far_solids = core_->far_solids;
  twin->version = core_->version;
  twin->edit_count = core_->edit_count;
  twin->placed = core_->placed;
  twin->kept_states = core_->kept_states;
  twin->assemble();
  StateBlock now(core_->initial->block_.size());  // most states have the size of the first one
  core_->save(now);
  twin->restore(now);
  return Simulation(std::move(twin));
}

std::uint64_t Simulation::state_hash() const {
  Fnv1a hash;
  hash.add(time());
  core_->physics().add_to_hash(hash);
  DeviceArchive archive(hash);
  for (const bool drives : {true, false}) {
    for (Device* device : core_->lists.devices) {
      if (device->drives() == drives) {
        device->archive(archive);
      }
    }
  }
  core_->archive_batteries(archive);
  return hash.value();
}

}  // namespace servosim
