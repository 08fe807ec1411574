// SPDX-License-Identifier: Apache-2.0
#include "sim/world_control.h"

#include <utility>

#include "sim/simulation_core.h"
#include "wbt/world_file.h"

namespace servosim {

WorldControl::WorldControl(Simulation& simulation) : core_(&SimulationCore::of(simulation)) {}

std::vector<Diagnostic> WorldControl::rebuild(std::shared_ptr<const wbt::WorldFile> file) {
  return core_->rebuild(std::move(file));
}
void WorldControl::replace_world_file(std::shared_ptr<const wbt::WorldFile> file) {
  core_->tree().replace(std::move(file));
}
void WorldControl::edit_world_file(const wbt::Edits& edits) { core_->tree().edit(edits); }
const wbt::Tree& WorldControl::tree() { return core_->tree().nodes(); }
ScopedSwap<SourceMap> WorldControl::lend_sources(Diagnostics& diagnostics) {
  return {core_->tree().sources(), diagnostics.sources()};
}
void WorldControl::keep_missing(const Diagnostic& diagnostic) {
  core_->tree().keep_missing(diagnostic);
}
void WorldControl::keep_missing(MissingPart part) { core_->tree().keep_missing(std::move(part)); }
std::vector<MissingPart> WorldControl::take_missing() { return core_->tree().take_missing(); }

void WorldControl::restart() { core_->restart(); }
void WorldControl::reset_physics(int solid) { servosim::reset_physics(*core_, solid); }
Motor* WorldControl::motor_of(int joint_in_scene) {
  return core_->devices().motor_of(joint_in_scene);
}
void WorldControl::keep_contact_forces() { core_->keep_contact_forces(); }
Sight& WorldControl::sight() { return core_->sight(); }
NodeStates& WorldControl::node_states() { return core_->node_states(); }

void WorldControl::set_seed(std::int64_t seed) { core_->random().set_seed(seed); }
void WorldControl::restart_random(std::uint64_t seed) { core_->random().begin_with(seed); }
void WorldControl::send_notices_to(Notices notices) { core_->notices() = std::move(notices); }
ScopedSwap<Notices> WorldControl::redirect_notices(Notices& notices) {
  return {core_->notices(), notices};
}
void WorldControl::report(std::string_view notice) { core_->notices().report(notice); }

}  // namespace servosim
