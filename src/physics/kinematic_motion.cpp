// SPDX-License-Identifier: Apache-2.0
// Moves Solids whose poses do not follow from forces, but are set by velocities, wheels and users.
// ODE knows only their geoms, which have no mass and push bodies out of their way.
#include "physics/kinematic_motion.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/limits.h"
#include "base/state_archive.h"
#include "physics/contacts/geoms.h"
#include "physics/ode_library.h"
#include "scene/rolling.h"
#include "scene/scene.h"
#include "scene/scene_match.h"

namespace servosim {

namespace {

bool is_at_rest(const PointMotion& motion) { return motion == PointMotion{}; }

// Returns a rotation near `r`, a product of many small rotations that rounding has changed
// (Gram–Schmidt process on the rows).
Mat3 orthonormalized(const Mat3& r) {
  const Vec3 x = unit_or({r(0, 0), r(0, 1), r(0, 2)}, {1.0, 0.0, 0.0});
  const Vec3 second{r(1, 0), r(1, 1), r(1, 2)};
  const Vec3 y = unit_or(second - dot(second, x) * x, {0.0, 1.0, 0.0});
  const Vec3 z = cross(x, y);
  return {{x.x, x.y, x.z, y.x, y.y, y.z, z.x, z.y, z.z}};
}

// Returns exp(h·ω), the rotation by the angle h·|ω| about ω (Rodrigues' formula).
Mat3 turn(const Vec3& spin, double h) {
  return rotation_matrix({unit_or(spin, {0.0, 0.0, 1.0}), norm(spin) * h});
}

// Returns the axes of joints whose endpoint has no body, with those of joints that close a loop
// after the others, and then the joints of belts.
std::vector<int> find_kinematic_axes(const Scene& scene) {
  std::vector<int> axes;
  for (const bool reference : {false, true}) {
    for (int j = 0; j < static_cast<int>(scene.joints.size()); ++j) {
      const JointSpec& spec = scene.joints[scene.joints[j].first_axis];
      if (spec.reference == reference && spec.child >= 0 && !is_dynamic(scene, spec.child)) {
        axes.push_back(j);
      }
    }
  }
  for (int j = 0; j < static_cast<int>(scene.joints.size()); ++j) {
    if (scene.joints[j].belt) {
      axes.push_back(j);
    }
  }
  return axes;
}

}  // namespace

// The velocities of the file are used here only for Solids without a body. SolidPoses gives bodies
// theirs.
KinematicMotion::KinematicMotion(const Scene& scene, OdeWorld& ode, const Bodies& bodies,
                                 SolidPoses& poses, std::span<const JointState> states,
                                 std::vector<MovedSolid> moved)
    : scene_(scene),
      ode_(ode),
      bodies_(bodies),
      poses_(poses),
      states_(states),
      moved_(std::move(moved)),
      had_velocity_(scene.solids.size()),
      kinematic_axes_(find_kinematic_axes(scene)),
      driven_(wheel_driven_solids(scene)) {
  const std::vector<int> heads = turning_heads(scene);
  driven_.insert(driven_.end(), heads.begin(), heads.end());
  for (int s = 0; s < static_cast<int>(scene.solids.size()); ++s) {
    if (!has_body(s)) {
      assign_velocity(s, {scene.solids[s].linear_velocity, scene.solids[s].angular_velocity});
    }
  }
}

// The list is sorted by Solid, so bisection finds the index.
std::size_t KinematicMotion::index_of(int solid) const {
  return static_cast<std::size_t>(
      std::lower_bound(moving_.begin(), moving_.end(), solid,
                       [](const KinematicSolid& known, int s) { return known.solid < s; }) -
      moving_.begin());
}

PointMotion KinematicMotion::velocity(int solid) const {
  return had_velocity(solid) ? moving_[index_of(solid)].velocity : PointMotion{};
}

void KinematicMotion::set_velocity(int solid, const PointMotion& velocity) {
  if (!has_body(solid)) {
    ode_.note_change();
    assign_velocity(solid, velocity);
  }
}

// A Solid that never had a velocity and gets none is not added to the list, so worlds without such
// Solids do no work in a step.
void KinematicMotion::assign_velocity(int solid, const PointMotion& velocity) {
  if (had_velocity(solid)) {
    moving_[index_of(solid)].velocity = velocity;
  } else if (!is_at_rest(velocity)) {
    add({solid, velocity});
  }
}

// From now on the shapes of this Solid and of Solids below it may move.
void KinematicMotion::add(const KinematicSolid& moving) {
  const int solid = moving.solid;
  SERVOSIM_ASSERT(!has_body(solid) && !had_velocity(solid), "Solid {}", solid);
  moving_.insert(moving_.begin() + static_cast<std::ptrdiff_t>(index_of(solid)), moving);
  had_velocity_[solid] = 1;
  // The geoms of the whole branch move with it, so they become followers.
  const auto [first, last] = fixtures_of(branch_of(scene_, solid));
  followers_.insert(followers_.end(), first, last);
  fixtures_.erase(first, last);
}

// Velocities are in the world's axes, poses in those of the Solid above. With F the rotation of the
// Solid above, p⁺ = p + Fᵀ·h·v and R⁺ = Fᵀ·exp(h·ω)·F·R. If a kinematic joint moves the Solid, the
// change goes into its pose at position 0: X_zero⁺ = X_joint⁻¹·X⁺. So the joint's position and its
// motor are not affected.
void KinematicMotion::advance_moving() {
  const double h = ode_.h();
  for (const KinematicSolid& moving : moving_) {
    // A Solid at rest keeps the bits of its pose.
    if (is_at_rest(moving.velocity)) {
      continue;
    }
    const auto& [velocity, spin] = moving.velocity;
    const int joint = poses_.kinematic_joint(moving.solid);
    Pose local = joint >= 0 ? poses_.endpoint(joint) : poses_.place(moving.solid);
    const Mat3 frame = poses_.frame(scene_.solids[moving.solid].parent).rotation;
    const Mat3 back = transposed(frame);
    local.translation = local.translation + back * (h * velocity);
    if (spin != Vec3{}) {
      local.rotation = orthonormalized(back * turn(spin, h) * frame * local.rotation);
    }
    poses_.writable_kinematic_place(moving.solid) =
        joint >= 0 ? inverse(poses_.joint_motion(joint)) * local : local;
  }
}

// The sums are v = Σ (v_s + ω_s × (p − p_s)) and ω = Σ ω_s over the Solid itself and the Solids s
// above it, with p the origin of the Solid and p_s that of s.
std::optional<PointMotion> KinematicMotion::motion_of_origin(int solid) const {
  if (moving_.empty()) {
    return std::nullopt;
  }
  PointMotion sum;
  const Vec3 point = poses_.pose(solid).translation;
  bool any = false;
  for (int s = solid; s >= 0; s = scene_.solids[s].parent) {
    if (had_velocity(s)) {
      const PointMotion own = velocity(s);
      const Vec3 arm = point - poses_.pose(s).translation;
      sum.velocity = sum.velocity + own.velocity + cross(own.spin, arm);
      sum.spin = sum.spin + own.spin;
      any = true;
    }
  }
  return any ? std::optional(sum) : std::nullopt;
}

void KinematicMotion::stop(const SolidRange& solids) {
  for (KinematicSolid& moving : moving_) {
    if (solids.contains(moving.solid)) {
      moving.velocity = {};
    }
  }
}

void KinematicMotion::set_pose(int solid, const Pose& in_parent) {
  ode_.note_change();
  poses_.writable_place(solid) = in_parent;
}

bool KinematicMotion::keeps_place(int solid) const {
  return !has_body(solid) ||
         (!bodies_.is_part(solid) && body_hold(scene_, solid) == BodyHold::World);
}

// The pose `zero` is X_joint(q)⁻¹·X_local with the current position q. The pose `local` is then
// X_joint(q₀)·zero with the initial position q₀, as MovedSolid demands.
void KinematicMotion::put(int solid, const Pose& in_world) {
  const int parent = scene_.solids[solid].parent;
  MovedSolid place{solid, parent >= 0 ? inverse(poses_.pose(parent)) * in_world : in_world, {}};
  if (const int joint = poses_.kinematic_joint(solid); joint >= 0) {
    place.zero = inverse(poses_.joint_motion(joint)) * place.local;
    Pose at_start;
    for (const JointSpec& axis : axes_of(scene_, joint)) {
      at_start = at_start * motion_of(axis, axis.position);
    }
    place.local = at_start * place.zero;
  }
  keep(place);
}

// The list moved_ is sorted by Solid, so that two lists can be compared and bisection finds a
// Solid.
void KinematicMotion::keep(const MovedSolid& place) {
  const auto at =
      std::lower_bound(moved_.begin(), moved_.end(), place.solid,
                       [](const MovedSolid& known, int solid) { return known.solid < solid; });
  if (at != moved_.end() && at->solid == place.solid) {
    *at = place;
  } else {
    moved_.insert(at, place);
  }
  poses_.use(place);
}

const MovedSolid* KinematicMotion::find_moved(int solid) const {
  const auto at = std::lower_bound(moved_.begin(), moved_.end(), solid,
                                   [](const MovedSolid& known, int s) { return known.solid < s; });
  return at != moved_.end() && at->solid == solid ? &*at : nullptr;
}

// This is the pose that was set, or else that of the scene.
Pose KinematicMotion::place_before_motion(int solid) const {
  if (const MovedSolid* const put = find_moved(solid); put != nullptr) {
    return poses_.kinematic_joint(solid) >= 0 ? put->zero : put->local;
  }
  return poses_.planned_place(solid);
}

// The pose follows from the pose that was set last, or that of the scene, as if the Solid's own
// velocity had always been 0. Velocities of Solids above count.
Pose KinematicMotion::pose_of_joints(int solid) const {
  if (!had_velocity(solid)) {
    return poses_.pose(solid);
  }
  const int parent = scene_.solids[solid].parent;
  const int joint = poses_.kinematic_joint(solid);
  const Pose place = place_before_motion(solid);
  const Pose local = joint >= 0 ? poses_.joint_motion(joint) * place : place;
  return parent >= 0 ? poses_.pose(parent) * local : local;
}

bool KinematicMotion::is_driven(int solid) const {
  return std::find(driven_.begin(), driven_.end(), solid) != driven_.end();
}

// A Solid moves with every Solid above it, so one of these is enough.
bool KinematicMotion::may_move(int solid) const {
  for (int s = solid; s >= 0; s = scene_.solids[s].parent) {
    if (has_body(s) || poses_.kinematic_joint(s) >= 0 || had_velocity(s) || is_driven(s)) {
      return true;
    }
  }
  return false;
}

// Fixtures are sorted by Solid. The new one goes after those of the same Solid.
void KinematicMotion::add_geom(dGeomID geom, int solid, const Pose& in_solid) {
  const Pose pose = poses_.pose(solid) * in_solid;
  // Geoms without a body do not move unless they are placed.
  place_geom(geom, pose);
  const Follower follower{geom, solid, in_solid, pose};
  if (may_move(solid)) {
    followers_.push_back(follower);
  } else {
    fixtures_.insert(fixtures_of({0, solid + 1}).second, follower);
  }
}

// A geom that has not moved is not placed again, since ODE would mark it as moved, which costs time
// in the search for contacts.
bool KinematicMotion::place(Follower& follower, const Pose& solid) {
  const Pose pose = solid * follower.in_solid;
  if (pose == follower.placed) {
    return false;
  }
  place_geom(follower.geom, pose);
  follower.placed = pose;
  return true;
}

// Every follower must be placed, so the loop does not stop at the first one that moved.
bool KinematicMotion::place_followers() {
  bool moved = false;
  for (Follower& f : followers_) {
    moved = place(f, poses_.pose(f.solid)) || moved;
  }
  return moved;
}

void KinematicMotion::place_all() {
  place_followers();
  for (Follower& f : fixtures_) {
    place(f, poses_.pose(f.solid));
  }
}

// Followers are not sorted, so all are compared. Fixtures are sorted, so those of a branch are a
// range.
void KinematicMotion::place_geoms_of(const SolidRange& solids) {
  for (Follower& f : followers_) {
    if (solids.contains(f.solid)) {
      place(f, poses_.pose(f.solid));
    }
  }
  const auto [first, last] = fixtures_of(solids);
  for (auto f = first; f != last; ++f) {
    place(*f, poses_.pose(f->solid));
  }
}

std::pair<KinematicMotion::Followers::iterator, KinematicMotion::Followers::iterator>
KinematicMotion::fixtures_of(const SolidRange& solids) {
  const auto from = [this](int solid) {
    return std::lower_bound(fixtures_.begin(), fixtures_.end(), solid,
                            [](const Follower& f, int s) { return f.solid < s; });
  };
  return {from(solids.begin), from(solids.end)};
}

// The comparisons are negated, so that NaN is out of range.
int KinematicMotion::find_out_of_range() const {
  for (const int axis : kinematic_axes_) {
    if (!(std::abs(states_[axis].position) < kMaxCoordinate)) {
      const JointSpec& spec = scene_.joints[axis];
      // A belt has no endpoint, so its Track is named.
      return spec.belt ? spec.parent : spec.child;
    }
  }
  for (const int solid : driven_) {
    if (!(norm(poses_.place(solid).translation) < kMaxCoordinate)) {
      return solid;
    }
  }
  for (const KinematicSolid& moving : moving_) {
    if (!is_in_range(moving)) {
      return moving.solid;
    }
  }
  return -1;
}

bool KinematicMotion::is_in_range(const KinematicSolid& moving) const {
  return norm(poses_.kinematic_place(moving.solid).translation) < kMaxCoordinate &&
         norm(moving.velocity.velocity) < kMaxCoordinate &&
         norm(moving.velocity.spin) < kMaxCoordinate;
}

// A Solid that has a velocity now and had none in the saved state returns to the pose that was set,
// or to that of the scene.
void KinematicMotion::forget_velocities() {
  for (KinematicSolid& moving : moving_) {
    poses_.writable_kinematic_place(moving.solid) = place_before_motion(moving.solid);
    moving.velocity = {};
  }
}

// The Solid may have a velocity in the saved state that it never had in this world.
void KinematicMotion::restore(const State& state) {
  const int solid = state.moving.solid;
  if (!had_velocity(solid)) {
    add(state.moving);
  }
  moving_[index_of(solid)].velocity = state.moving.velocity;
  poses_.writable_kinematic_place(solid) = state.place;
}

// Returns whether the state equals that of a Solid that never had a velocity.
bool KinematicMotion::is_as_in_scene(const State& state) const {
  return is_at_rest(state.moving.velocity) &&
         state.place == poses_.planned_place(state.moving.solid);
}

void add_to_hash(Fnv1a& hash, const KinematicMotion::State& state) {
  add_to_hash(hash, state.place.translation);
  add_to_hash(hash, state.moving.velocity.velocity);
  add_to_hash(hash, state.moving.velocity.spin);
  add_to_hash(hash, state.place.rotation);
}

// A Solid whose state equals the scene's adds nothing to the hash. So the hash does not depend on
// whether the Solid once had a velocity.
template <class Archive>
void KinematicMotion::archive(Archive& archive) {
  if constexpr (Archive::kRestores) {
    forget_velocities();
  }
  for (const int solid : driven_) {
    if constexpr (Archive::kRestores) {
      archive.hashed(poses_.writable_place(solid));
    } else {
      archive.hashed(poses_.place(solid));
    }
  }
  std::size_t count = moving_.size();
  archive.unhashed(count);
  for (std::size_t i = 0; i < count; ++i) {
    State state{};
    if constexpr (!Archive::kRestores) {
      state = {moving_[i], poses_.kinematic_place(moving_[i].solid)};
    }
    if (!Archive::kHashes || !is_as_in_scene(state)) {
      archive.hashed(state);
    }
    if constexpr (Archive::kRestores) {
      restore(state);
    }
  }
}

template void KinematicMotion::archive(SavingArchive&);
template void KinematicMotion::archive(RestoringArchive&);
template void KinematicMotion::archive(HashingArchive&);

}  // namespace servosim
