// SPDX-License-Identifier: Apache-2.0
// What a Supervisor does to Solids, and asks of them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "base/limits.h"
#include "physics/mass.h"
#include "sim/simulation_core.h"

namespace servosim {

namespace {

void require_finite(const char* what, const Vec3& v) {
  if (!servosim::is_finite(v)) {
    throw std::invalid_argument(fmt::format("a {} must be finite", what));
  }
}

void require_place(const Pose& pose) {
  require_finite("place", pose.translation);
  if (norm(pose.translation) > kMaxCoordinate) {
    throw std::invalid_argument("a place must not be farther away than 1e9 m");
  }
  const Mat3 unit = pose.rotation * transposed(pose.rotation);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      if (!(std::abs(unit(i, j) - (i == j ? 1.0 : 0.0)) < 1e-6)) {
        throw std::invalid_argument("a rotation must be one");
      }
    }
  }
}

}  // namespace

int Simulation::solid_count() const { return static_cast<int>(core_->scene().solids.size()); }

const std::string& Simulation::solid_name(int solid) const {
  return core_->scene().solids[core_->checked_solid(solid)].name;
}

int Simulation::solid_index(std::string_view name) const {
  const auto& solids = core_->scene().solids;
  const auto found = std::find_if(solids.begin(), solids.end(),
                                  [&](const SolidSpec& s) { return s.name == name; });
  if (found == solids.end()) {
    throw std::out_of_range(fmt::format("no Solid is called \"{}\"", name));
  }
  return static_cast<int>(found - solids.begin());
}

Pose Simulation::solid_pose(std::string_view solid_name) const {
  return core_->physics().solid_pose(solid_index(solid_name));
}

Pose Simulation::solid_pose(int solid) const {
  core_->checked_solid(solid);
  return core_->physics().solid_pose(solid);
}

void Simulation::set_solid_pose(int solid, const Pose& in_world) {
  const SolidSpec& spec = core_->scene().solids[core_->checked_solid(solid)];
  require_place(in_world);
  if (core_->physics().bodies().is_part(solid)) {
    throw std::invalid_argument(fmt::format(
        "Solid \"{}\" is a rigid part of the Solid above it: only the tree can place it elsewhere",
        spec.name));
  }
  core_->physics().set_solid_pose(solid, in_world);
  core_->placed[solid] =
      spec.parent >= 0 ? inverse(core_->physics().solid_pose(spec.parent)) * in_world : in_world;
}

bool Simulation::solid_has_body(int solid) const {
  core_->checked_solid(solid);
  return core_->physics().bodies().motion(solid).has_value();
}

SolidVelocity Simulation::solid_velocity(int solid) const {
  core_->checked_solid(solid);
  const PointMotion motion = core_->physics().bodies().motion(solid).value_or(
      core_->physics().kinematic_motion().velocity(solid));
  return {motion.velocity, motion.spin};
}

void Simulation::set_solid_velocity(int solid, const SolidVelocity& velocity) {
  core_->checked_solid(solid);
  require_finite("velocity", velocity.linear);
  require_finite("angular velocity", velocity.angular);
  const PointMotion motion{velocity.linear, velocity.angular};
  core_->physics().bodies().set_motion(solid, motion);
  core_->physics().kinematic_motion().set_velocity(solid, motion);
}

void Simulation::add_force(int solid, const Vec3& force, const Vec3& point) {
  core_->checked_solid(solid);
  require_finite("force", force);
  require_finite("point", point);
  core_->physics().bodies().push(solid, force, {}, point);
}

void Simulation::add_force(int solid, const Vec3& force) {
  core_->checked_solid(solid);
  require_finite("force", force);
  core_->physics().bodies().push(solid, force, {}, {});
}

void Simulation::add_torque(int solid, const Vec3& torque) {
  core_->checked_solid(solid);
  require_finite("torque", torque);
  core_->physics().bodies().push(solid, {}, torque, {});
}

void Simulation::reset_physics() { core_->stop(-1); }

void Simulation::reset_physics(int solid) {
  core_->checked_solid(solid);
  core_->stop(solid);
}

// Motors begin anew from rest; what they were told stays.
void SimulationCore::stop(int solid) {
  physics().stop(solid);
  const std::vector<bool> branch = physics().branch_of(solid);
  for (std::size_t j = 0; j < lists.motor_of.size(); ++j) {
    const int child = scene().joints[j].child;
    if (lists.motor_of[j] != nullptr && child >= 0 && branch[child]) {
      Motor::State state = lists.motor_of[j]->state();
      state.law.stop();
      state.law.clear_errors();
      lists.motor_of[j]->set_state(state);
    }
  }
}

std::vector<ContactPoint> Simulation::contact_points(int solid, bool include_descendants) const {
  core_->checked_solid(solid);
  std::vector<bool> meant(core_->scene().solids.size(), false);
  meant[solid] = true;
  if (include_descendants) {
    meant = core_->physics().branch_of(solid);
  }
  std::vector<ContactPoint> points;
  for (const SolidContact& touch : core_->physics().contacts().points()) {
    if (meant[touch.solid]) {
      points.push_back({touch.point, touch.normal, touch.solid, touch.other});
    }
    if (meant[touch.other]) {
      points.push_back({touch.point, -touch.normal, touch.other, touch.solid});
    }
  }
  return points;
}

OverlappingShapes Simulation::overlapping_shapes() const {
  const auto [count, solid] = core_->physics().contacts().largest_overlap();
  return {count, solid};
}

Vec3 Simulation::center_of_mass(int solid) const {
  core_->checked_solid(solid);
  return core_->physics().bodies().center_of_mass(solid).value_or(
      core_->physics().solid_pose(solid).translation);
}

bool Simulation::static_balance(int solid) const {
  const Vec3 gravity = core_->scene().world.gravity;
  const std::vector<bool> branch =
      core_->physics().branch_of(static_cast<int>(core_->checked_solid(solid)));
  std::vector<Vec3> ground;
  for (const SolidContact& touch : core_->physics().contacts().points()) {
    if (branch[touch.solid] != branch[touch.other]) {
      ground.push_back(touch.point);
    }
  }
  return norm(gravity) > 0.0 && is_supported(center_of_mass(solid), ground, gravity);
}

}  // namespace servosim
