// SPDX-License-Identifier: Apache-2.0
#include "servosim/solid.h"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/limits.h"
#include "physics/mass.h"
#include "sim/checked_index.h"
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

// @throws std::out_of_range
const SolidSpec& spec_of(const SimulationCore& core, int solid) {
  const std::vector<SolidSpec>& solids = core.scene().solids;
  return solids[checked_index("Solid", solid, solids.size())];
}

}  // namespace

Solid::Solid(SimulationCore& core, int index) : core_(&core), index_(index) {
  spec_of(core, index);  // throws for another index
}

const std::string& Solid::name() const { return spec_of(*core_, index_).name; }

Pose Solid::pose() const {
  spec_of(*core_, index_);
  return core_->physics().solid_pose(index_);
}

void Solid::set_pose(const Pose& in_world) {
  const SolidSpec& spec = spec_of(*core_, index_);
  require_place(in_world);
  if (core_->physics().bodies().is_part(index_)) {
    throw std::invalid_argument(fmt::format(
        "Solid \"{}\" is a rigid part of the Solid above it: only the tree can place it elsewhere",
        spec.name));
  }
  core_->set_pose(index_, in_world);
}

bool Solid::has_body() const {
  spec_of(*core_, index_);
  return core_->physics().bodies().motion(index_).has_value();
}

SolidVelocity Solid::velocity() const {
  spec_of(*core_, index_);
  return velocity_of(core_->physics(), index_);
}

void Solid::set_velocity(const SolidVelocity& velocity) {
  spec_of(*core_, index_);
  require_finite("velocity", velocity.linear);
  require_finite("angular velocity", velocity.angular);
  const PointMotion motion{velocity.linear, velocity.angular};
  core_->physics().bodies().set_motion(index_, motion);
  core_->physics().forget_steps(index_);
  core_->physics().kinematic_motion().set_velocity(index_, motion);
}

void Solid::pin(bool pinned) {
  spec_of(*core_, index_);
  core_->physics().attachments().fix_to_world(index_, pinned);
}

void Solid::add_force(const Vec3& force, const Vec3& point) {
  spec_of(*core_, index_);
  require_finite("force", force);
  require_finite("point", point);
  core_->physics().bodies().push(index_, force, {}, point);
}

void Solid::add_force(const Vec3& force) {
  spec_of(*core_, index_);
  require_finite("force", force);
  core_->physics().bodies().push(index_, force, {}, {});
}

void Solid::add_torque(const Vec3& torque) {
  spec_of(*core_, index_);
  require_finite("torque", torque);
  core_->physics().bodies().push(index_, {}, torque, {});
}

void Solid::reset_physics() {
  spec_of(*core_, index_);
  servosim::reset_physics(*core_, index_);
}

std::vector<ContactPoint> Solid::contact_points(bool include_descendants) const {
  spec_of(*core_, index_);
  const SolidRange included =
      include_descendants ? core_->physics().branch_of(index_) : SolidRange{index_, index_ + 1};
  std::vector<ContactPoint> points;
  for (const SolidContact& touch : core_->physics().contacts().points()) {
    if (included.contains(touch.solid)) {
      points.push_back({touch.point, touch.normal, touch.solid, touch.other});
    }
    if (included.contains(touch.other)) {
      points.push_back({touch.point, -touch.normal, touch.other, touch.solid});
    }
  }
  return points;
}

Vec3 Solid::center_of_mass() const {
  spec_of(*core_, index_);
  return servosim::center_of_mass(core_->physics().bodies(), core_->physics().branch_of(index_))
      .value_or(core_->physics().solid_pose(index_).translation);
}

bool Solid::static_balance() const {
  spec_of(*core_, index_);
  const Vec3 gravity = core_->scene().world.gravity;
  const SolidRange branch = core_->physics().branch_of(index_);
  std::vector<Vec3> ground;
  for (const SolidContact& touch : core_->physics().contacts().points()) {
    if (branch.contains(touch.solid) != branch.contains(touch.other)) {
      ground.push_back(touch.point);
    }
  }
  return norm(gravity) > 0.0 && is_supported(center_of_mass(), ground, gravity);
}

}  // namespace servosim
