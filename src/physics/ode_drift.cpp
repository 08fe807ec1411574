// SPDX-License-Identifier: Apache-2.0
// Solids without a body that move by velocities of their own, which nothing changes.
#include <algorithm>

#include "core/hash.h"
#include "core/state_block.h"
#include "physics/ode_library.h"
#include "physics/ode_world_impl.h"
#include "scene/scene.h"
#include "scene/scene_match.h"

namespace servosim {

namespace {

/// A Drifter as a saved state has it.
struct DrifterState {
  Drifter drifter;
  Pose local;
};

bool is_at_rest(const PointMotion& motion) { return motion == PointMotion{}; }

// Products of many small turns drift away from being a rotation.
Mat3 tidied(const Mat3& r) {
  const Vec3 x = unit_or({r(0, 0), r(0, 1), r(0, 2)}, {1.0, 0.0, 0.0});
  const Vec3 second{r(1, 0), r(1, 1), r(1, 2)};
  const Vec3 y = unit_or(second - dot(second, x) * x, {0.0, 1.0, 0.0});
  const Vec3 z = cross(x, y);
  return {{x.x, x.y, x.z, y.x, y.y, y.z, z.x, z.y, z.z}};
}

Mat3 turn(const Vec3& spin, double h) {
  return rotation_matrix({unit_or(spin, {0.0, 0.0, 1.0}), norm(spin) * h});
}

}  // namespace

// Joints and wheels that move it decide alone where it is.
bool PhysicsWorld::Impl::can_drift(int solid) const {
  return motion[solid].body < 0 && motion[solid].joint < 0;
}

void PhysicsWorld::Impl::create_drifters() {
  for (int s = 0; s < static_cast<int>(scene.solids.size()); ++s) {
    const SolidSpec& solid = scene.solids[s];
    if (can_drift(s)) {
      set_drift(s, {solid.linear_velocity, solid.angular_velocity});
    }
  }
}

std::vector<Drifter>::iterator PhysicsWorld::Impl::drifter_at(int solid) {
  return std::lower_bound(drifters.begin(), drifters.end(), solid,
                          [](const Drifter& known, int s) { return known.solid < s; });
}

bool PhysicsWorld::Impl::has_drifted(int solid) const {
  return std::any_of(drifters.begin(), drifters.end(),
                     [solid](const Drifter& known) { return known.solid == solid; });
}

PointMotion PhysicsWorld::Impl::drift_of(int solid) const {
  const auto found = std::find_if(drifters.begin(), drifters.end(),
                                  [solid](const Drifter& known) { return known.solid == solid; });
  return found == drifters.end() ? PointMotion{} : found->motion;
}

void PhysicsWorld::Impl::set_drift(int solid, const PointMotion& how) {
  const auto at = drifter_at(solid);
  if (at != drifters.end() && at->solid == solid) {
    at->motion = how;
  } else if (!is_at_rest(how)) {
    drifters.insert(at, {solid, how});
    let_follow(solid);
  }
}

// Its shapes, and those of what is below it, no longer stand still.
void PhysicsWorld::Impl::let_follow(int solid) {
  motion[solid].drifts = true;
  const std::vector<bool> branch = branch_of(solid);
  const auto moved = std::stable_partition(fixtures.begin(), fixtures.end(),
                                           [&](const Follower& f) { return !branch[f.solid]; });
  followers.insert(followers.end(), moved, fixtures.end());
  fixtures.erase(moved, fixtures.end());
}

// Parents come first. Velocities are in the world's axes.
void PhysicsWorld::Impl::drift() {
  for (const Drifter& drifter : drifters) {
    if (is_at_rest(drifter.motion)) {
      continue;
    }
    Pose& local = local_poses[drifter.solid];
    const int parent = scene.solids[drifter.solid].parent;
    const Mat3 frame = parent >= 0 ? solid_pose(parent).rotation : Mat3{};
    const Mat3 back = transposed(frame);
    local.translation = local.translation + back * (h * drifter.motion.velocity);
    if (drifter.motion.spin != Vec3{}) {
      local.rotation = tidied(back * turn(drifter.motion.spin, h) * frame * local.rotation);
    }
  }
}

// How the drifters at and above a Solid move its origin; nothing if there are none.
std::optional<PointMotion> PhysicsWorld::Impl::drift_above(int solid) const {
  if (drifters.empty()) {
    return std::nullopt;
  }
  PointMotion sum;
  const Vec3 point = solid_pose(solid).translation;
  bool drifts = false;
  for (int s = solid; s >= 0; s = scene.solids[s].parent) {
    if (motion[s].drifts) {
      const PointMotion own = drift_of(s);
      const Vec3 arm = point - solid_pose(s).translation;
      sum.velocity = sum.velocity + own.velocity + cross(own.spin, arm);
      sum.spin = sum.spin + own.spin;
      drifts = true;
    }
  }
  return drifts ? std::optional(sum) : std::nullopt;
}

void PhysicsWorld::Impl::save_drifters(StateWriter& out) const {
  out.put(drifters.size());
  for (const Drifter& drifter : drifters) {
    out.put(DrifterState{drifter, local_poses[drifter.solid]});
  }
}

// What drifts now and did not then is where it was put, or where the world has it.
void PhysicsWorld::Impl::restore_drifters(StateReader& in) {
  for (Drifter& drifter : drifters) {
    local_poses[drifter.solid] = local_place_of_joints(drifter.solid);
    drifter.motion = {};
  }
  const auto count = in.take<std::size_t>();
  for (std::size_t i = 0; i < count; ++i) {
    const auto saved = in.take<DrifterState>();
    const int solid = saved.drifter.solid;
    if (!has_drifted(solid)) {
      drifters.insert(drifter_at(solid), saved.drifter);
      let_follow(solid);
    }
    drifter_at(solid)->motion = saved.drifter.motion;
    local_poses[solid] = saved.local;
  }
}

// Where ODE's joints hold what hangs on a Solid, in the frame of the one above: a drifter leaves
// that place, and what hangs there.
Pose PhysicsWorld::Impl::local_place_of_joints(int solid) const {
  if (!has_drifted(solid)) {
    return local_poses[solid];
  }
  const auto put = std::find_if(moved_solids.begin(), moved_solids.end(),
                                [solid](const MovedSolid& known) { return known.solid == solid; });
  return put != moved_solids.end() ? put->local : scene.solids[solid].pose;
}

// The same in the world, but for drifters above.
Pose PhysicsWorld::Impl::place_of_joints(int solid) const {
  if (!has_drifted(solid)) {
    return solid_pose(solid);
  }
  const int parent = scene.solids[solid].parent;
  const Pose local = local_place_of_joints(solid);
  return parent >= 0 ? solid_pose(parent) * local : local;
}

// They go on where they are. One that has another velocity in the tree begins with that.
void PhysicsWorld::Impl::take_over_drifters(const Impl& before, const SceneMatch& match) {
  if (before.drifters.empty() && drifters.empty()) {
    return;
  }
  for (std::size_t s = 0; s < match.solids.size(); ++s) {
    const int old = match.solids[s];
    const int solid = static_cast<int>(s);
    if (old < 0 || !can_drift(solid)) {
      continue;
    }
    if (before.has_drifted(old) && !has_drifted(solid)) {
      drifters.insert(drifter_at(solid), {solid, {}});
      let_follow(solid);
    }
    if (before.has_drifted(old)) {
      local_poses[s] = before.local_poses[old];
    }
    const SolidSpec& was = before.scene.solids[old];
    const SolidSpec& now = scene.solids[s];
    if (was.linear_velocity == now.linear_velocity &&
        was.angular_velocity == now.angular_velocity) {
      set_drift(solid, before.drift_of(old));
    }
  }
}

bool PhysicsWorld::Impl::is_sane(const Drifter& drifter, double farthest) const {
  return norm(local_poses[drifter.solid].translation) < farthest &&
         norm(drifter.motion.velocity) < farthest && norm(drifter.motion.spin) < farthest;
}

void PhysicsWorld::Impl::add_drifters(Fnv1a& hash) const {
  for (const Drifter& drifter : drifters) {
    if (is_at_rest(drifter.motion) &&
        local_poses[drifter.solid] == scene.solids[drifter.solid].pose) {
      continue;  // as if it had never drifted
    }
    const Pose& local = local_poses[drifter.solid];
    for (const Vec3& v : {local.translation, drifter.motion.velocity, drifter.motion.spin}) {
      hash.add(v.x);
      hash.add(v.y);
      hash.add(v.z);
    }
    for (const double number : local.rotation.m) {
      hash.add(number);
    }
  }
}

bool PhysicsWorld::can_drift(int solid) const { return impl_->can_drift(solid); }

PointMotion PhysicsWorld::drift(int solid) const { return impl_->drift_of(solid); }

void PhysicsWorld::set_drift(int solid, const PointMotion& motion) {
  if (impl_->can_drift(solid)) {
    ++moment_;
    impl_->set_drift(solid, motion);
  }
}

}  // namespace servosim
