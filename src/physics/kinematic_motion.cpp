// SPDX-License-Identifier: Apache-2.0
// Solids without a body that move by velocities of their own, which nothing changes.
#include <algorithm>
#include <utility>

#include "base/state_archive.h"
#include "physics/ode_library.h"
#include "physics/world.h"
#include "scene/scene.h"
#include "scene/scene_match.h"

namespace servosim {

namespace {

/// A KinematicSolid as a saved state has it.
struct DrifterState {
  KinematicSolid drifter;
  Pose place;
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

bool PhysicsWorld::Impl::can_drift(int solid) const { return motion[solid].body < 0; }

// What a velocity changes: of the endpoint of a joint the place at position 0, so that its motor
// goes on from where it has got to; else the place in the frame of the Solid above.
const Pose& PhysicsWorld::Impl::drift_place(int solid) const {
  const int joint = motion[solid].joint;
  return joint >= 0 ? zero_poses[scene.joints[joint].leader] : local_poses[solid];
}

Pose& PhysicsWorld::Impl::drift_place(int solid) {
  return const_cast<Pose&>(std::as_const(*this).drift_place(solid));
}

void PhysicsWorld::Impl::create_drifters() {
  for (int s = 0; s < static_cast<int>(scene.solids.size()); ++s) {
    const SolidSpec& solid = scene.solids[s];
    if (can_drift(s)) {
      set_drift(s, {solid.linear_velocity, solid.angular_velocity});
    }
  }
}

std::vector<KinematicSolid>::iterator PhysicsWorld::Impl::drifter_at(int solid) {
  return std::lower_bound(drifters.begin(), drifters.end(), solid,
                          [](const KinematicSolid& known, int s) { return known.solid < s; });
}

bool PhysicsWorld::Impl::has_drifted(int solid) const {
  return std::any_of(drifters.begin(), drifters.end(),
                     [solid](const KinematicSolid& known) { return known.solid == solid; });
}

PointMotion PhysicsWorld::Impl::drift_of(int solid) const {
  const auto found =
      std::find_if(drifters.begin(), drifters.end(),
                   [solid](const KinematicSolid& known) { return known.solid == solid; });
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
  for (const KinematicSolid& drifter : drifters) {
    if (is_at_rest(drifter.motion)) {
      continue;
    }
    const int joint = motion[drifter.solid].joint;
    Pose local = joint >= 0 ? joint_pose(joint) : local_poses[drifter.solid];
    const int parent = scene.solids[drifter.solid].parent;
    const Mat3 frame = parent >= 0 ? solid_pose(parent).rotation : Mat3{};
    const Mat3 back = transposed(frame);
    local.translation = local.translation + back * (h * drifter.motion.velocity);
    if (drifter.motion.spin != Vec3{}) {
      local.rotation = tidied(back * turn(drifter.motion.spin, h) * frame * local.rotation);
    }
    drift_place(drifter.solid) =
        joint >= 0 ? inverse(joint_motion(joint, axis_count(scene.joints[joint].kind))) * local
                   : local;
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
  for (const KinematicSolid& drifter : drifters) {
    out.put(DrifterState{drifter, drift_place(drifter.solid)});
  }
}

// What drifts now and did not then is where it was put, or where the world has it.
void PhysicsWorld::Impl::restore_drifters(StateReader& in) {
  for (KinematicSolid& drifter : drifters) {
    drift_place(drifter.solid) = place_before_drift(drifter.solid);
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
    drift_place(solid) = saved.place;
  }
}

// What drift_place() of a drifter was before it moved: where it was put, or where the world has it.
Pose PhysicsWorld::Impl::place_before_drift(int solid) const {
  const auto put = std::find_if(moved_solids.begin(), moved_solids.end(),
                                [solid](const MovedSolid& known) { return known.solid == solid; });
  const int joint = motion[solid].joint;
  if (put != moved_solids.end()) {
    return joint >= 0 ? put->zero : put->local;
  }
  return joint >= 0 ? scene.joints[scene.joints[joint].leader].zero_pose : scene.solids[solid].pose;
}

void PhysicsWorld::Impl::undo_drift(MovedSolid& place) const {
  if (has_drifted(place.solid)) {
    (motion[place.solid].joint >= 0 ? place.zero : place.local) = place_before_drift(place.solid);
  }
}

// Where ODE's joints hold what hangs on a Solid, but for drifters above: a drifter leaves that
// place, and what hangs there.
Pose PhysicsWorld::Impl::place_of_joints(int solid) const {
  if (!has_drifted(solid)) {
    return solid_pose(solid);
  }
  const int parent = scene.solids[solid].parent;
  const int joint = motion[solid].joint;
  const Pose place = place_before_drift(solid);
  const Pose local =
      joint >= 0 ? joint_motion(joint, axis_count(scene.joints[joint].kind)) * place : place;
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
    if (before.has_drifted(old) && (before.motion[old].joint >= 0) == (motion[s].joint >= 0)) {
      drift_place(solid) = before.drift_place(old);
    }
    const SolidSpec& was = before.scene.solids[old];
    const SolidSpec& now = scene.solids[s];
    if (was.linear_velocity == now.linear_velocity &&
        was.angular_velocity == now.angular_velocity) {
      set_drift(solid, before.drift_of(old));
    }
  }
}

bool PhysicsWorld::Impl::is_sane(const KinematicSolid& drifter, double farthest) const {
  return norm(drift_place(drifter.solid).translation) < farthest &&
         norm(drifter.motion.velocity) < farthest && norm(drifter.motion.spin) < farthest;
}

void PhysicsWorld::Impl::add_drifters(Fnv1a& hash) const {
  for (const KinematicSolid& drifter : drifters) {
    const Pose& place = drift_place(drifter.solid);
    const int joint = motion[drifter.solid].joint;
    const Pose& at_start = joint >= 0 ? scene.joints[scene.joints[joint].leader].zero_pose
                                      : scene.solids[drifter.solid].pose;
    if (is_at_rest(drifter.motion) && place == at_start) {
      continue;  // as if it had never drifted
    }
    for (const Vec3& v : {place.translation, drifter.motion.velocity, drifter.motion.spin}) {
      hash.add(v.x);
      hash.add(v.y);
      hash.add(v.z);
    }
    for (const double number : place.rotation.m) {
      hash.add(number);
    }
  }
}

PointMotion PhysicsWorld::drift(int solid) const { return impl_->drift_of(solid); }

void PhysicsWorld::set_drift(int solid, const PointMotion& motion) {
  if (impl_->can_drift(solid)) {
    ++moment_;
    impl_->set_drift(solid, motion);
  }
}

}  // namespace servosim
