// SPDX-License-Identifier: Apache-2.0
#include "physics/physics_world.h"

#include <utility>

#include "base/state_archive.h"
#include "physics/joints/rows.h"
#include "physics/ode_library.h"
#include "physics/parts.h"
#include "scene/scene.h"

namespace servosim {

PhysicsWorld::Parts::Parts(const Scene& the_scene, Diagnostics& diagnostics,
                           std::span<JointState> states, std::span<PropellerState> propellers,
                           const PhysicsOptions& options, std::vector<MovedSolid> moved)
    : scene(the_scene),
      ode(scene.world, options.step_memory),
      bodies(scene, ode, diagnostics, options.explicit_gyroscopic),
      poses(scene, bodies, states, moved),
      kinematic(scene, ode, bodies, poses, states, std::move(moved)),
      joints(scene, ode, bodies, poses, states, propellers),
      attachments(scene, ode, bodies),
      contacts(scene, ode, bodies, poses, kinematic, states, diagnostics, options.notices) {}

int PhysicsWorld::Parts::step() {
  contacts.wake_at_belts();
  if (ode.contacts_stale()) {
    joints.clear_moved_by_hand();
    check_in_range();
    contacts.update();
  }
  kinematic.advance();
  joints.before_step();
  bodies.let_fall_asleep();
  bodies.add_gyroscopic_torques();
  solve();
  bodies.drop_forces_of_sleepers();
  const double h = ode.h();
  joints.after_step(2.0 * check_in_range() * (h * h) > kFastTurn * kFastTurn);
  contacts.update_belts();
  contacts.update();
  contacts.update_touched();
  return joints.find_torn_loop();
}

void PhysicsWorld::Parts::solve() {
  OdeCount count{static_cast<std::size_t>(bodies.count()), 0};
  for (const Body& body : bodies) {
    count.joints += dBodyGetNumJoints(body.id);  // those between two bodies twice
  }
  if (const OdeStep step = ode.solve(count); !step.done) {
    contacts.end_unsolved(step.asked);
  }
}

double PhysicsWorld::Parts::check_in_range() {
  double fastest = 0.0;
  if (const int solid = out_of_range(fastest); solid >= 0) {
    ode.end_unstable(solid);
  }
  return fastest;
}

int PhysicsWorld::Parts::out_of_range(double& fastest_squared) const {
  const int solid = bodies.out_of_range(fastest_squared);
  return solid >= 0 ? solid : kinematic.out_of_range();
}

// Each part lists its members; this is the order of the parts in a saved state and in the hash.
template <class Archive>
void PhysicsWorld::Parts::archive(Archive& archive) {
  attachments.archive(archive);
  bodies.archive(archive);
  joints.archive_states(archive);
  kinematic.archive(archive);
  contacts.archive(archive);
  joints.archive_mechanisms(archive);
}

PhysicsWorld::PhysicsWorld(const Scene& scene, Diagnostics& diagnostics,
                           const PhysicsOptions& options)
    : scene_(scene),
      options_(options),
      joints_(scene.joints.size()),
      propellers_(scene.propellers.size()) {
  use_ode();
  parts_ = std::make_unique<Parts>(scene, diagnostics, joints_, propellers_, options);
}

PhysicsWorld::~PhysicsWorld() = default;

int PhysicsWorld::step() {
  OdeWorld& ode = parts_->ode;
  ode.note_change();
  const OdeErrorsThrow guard;
  ode.check_not_over();
  try {
    return parts_->step();
  } catch (const OdeStopped&) {
    ode.set_interrupted();
    parts_->check_in_range();
    ode.end_unstable(parts_->bodies[0].solid);
  } catch (const Unstable&) {
    throw;
  } catch (...) {  // no memory
    ode.set_interrupted();
    throw;
  }
}

int PhysicsWorld::out_of_range() const {
  double ignored = 0.0;
  return parts_->out_of_range(ignored);
}

bool PhysicsWorld::is_over() const { return parts_->ode.is_over(); }

Pose PhysicsWorld::solid_pose(int solid) const { return parts_->poses.pose(solid); }

std::optional<PointMotion> PhysicsWorld::solid_motion(int solid) const {
  const int carrier = parts_->bodies.carrying_body(solid);
  return carrier >= 0 ? parts_->bodies.motion_at(carrier, solid_pose(solid).translation)
                      : parts_->kinematic.motion_of_origin(solid);
}

// ODE's joints to the world keep the places at which they were made. When these are moved, all is
// built again with the new places, and goes on from the saved state.
void PhysicsWorld::set_solid_pose(int solid, const Pose& in_world) {
  Parts& parts = *parts_;
  const std::vector<bool> branch = servosim::branch_of(scene_, solid);
  parts.ode.note_change();
  const Pose back = inverse(parts.kinematic.pose_of_joints(solid));
  parts.contacts.wake_neighbours(branch);
  parts.joints.forget_efforts(branch);
  for (const Body& body : parts.bodies) {
    if (branch[body.solid]) {
      put_at(body, in_world * (back * pose_of(body)));
      wake(body.id);
    }
  }
  if (parts.kinematic.keeps_place(solid)) {
    parts.kinematic.put(solid, in_world);
  }
  parts.attachments.rebuild(branch);
  parts.kinematic.place_all();
  parts.ode.set_contacts_stale(true);
  parts.contacts.wake_neighbours(branch);
  if (parts.joints.hold_to_place(branch) || parts.attachments.hold_to_place(branch)) {
    StateBlock block;
    {
      StateWriter out(block);
      save(out);
    }
    rebuild(parts.kinematic.moved());
    StateReader in(block);
    restore(in);
  }
  parts_->joints.read_positions_around(solid);
}

void PhysicsWorld::stop(int solid) {
  const std::vector<bool> branch = branch_of(solid);
  parts_->ode.note_change();
  parts_->bodies.stop(branch);
  parts_->kinematic.stop(branch);
  parts_->joints.stop(branch);
}

std::vector<bool> PhysicsWorld::branch_of(int solid) const {
  return solid >= 0 ? servosim::branch_of(scene_, solid)
                    : std::vector<bool>(scene_.solids.size(), true);
}

// Places come first: the parts must have been built with them.
void PhysicsWorld::save(StateWriter& out) const {
  SavingArchive archive(out);
  std::vector<MovedSolid> moved = parts_->kinematic.moved();
  archive.unhashed(moved);
  parts_->archive(archive);
}

void PhysicsWorld::restore(StateReader& in) {
  RestoringArchive archive(in);
  std::vector<MovedSolid> moved;
  archive.unhashed(moved);
  if (parts_->ode.is_interrupted() || moved != parts_->kinematic.moved()) {
    rebuild(std::move(moved));
  }
  parts_->archive(archive);
  parts_->ode.note_change();
  parts_->ode.resume();
  parts_->ode.set_contacts_stale(true);  // the contacts of the next step follow from the poses
}

void PhysicsWorld::add_state(Fnv1a& hash) const {
  HashingArchive archive(hash);
  parts_->archive(archive);
}

void PhysicsWorld::rebuild(std::vector<MovedSolid> moved) {
  Diagnostics ignored;  // they were reported when the world was built first
  auto parts =
      std::make_unique<Parts>(scene_, ignored, joints_, propellers_, options_, std::move(moved));
  parts->joints.restore_reports_from(parts_->joints);
  parts->contacts.restore_reports_from(parts_->contacts);
  parts_ = std::move(parts);
}

void PhysicsWorld::take_over(const PhysicsWorld& before, const SceneMatch& match) {
  restore_from(before, match);
}

// ---- what the parts do

const std::vector<RigidBody>& PhysicsWorld::bodies() const { return parts_->bodies.rigid_bodies(); }
double PhysicsWorld::loop_gap(int joint) const { return parts_->joints.loop_gap(joint); }
void PhysicsWorld::set_joint_state(int joint, double position, double velocity) {
  parts_->joints.set_state(joint, position, velocity);
}
void PhysicsWorld::measure(int joint) { parts_->joints.measure(joint); }
bool PhysicsWorld::is_part(int solid) const { return parts_->bodies.is_part(solid); }
std::optional<PointMotion> PhysicsWorld::body_motion(int solid) const {
  return parts_->bodies.motion(solid);
}
void PhysicsWorld::set_body_motion(int solid, const PointMotion& motion) {
  parts_->bodies.set_motion(solid, motion);
}
PointMotion PhysicsWorld::drift(int solid) const { return parts_->kinematic.velocity(solid); }
void PhysicsWorld::set_drift(int solid, const PointMotion& motion) {
  parts_->kinematic.set_velocity(solid, motion);
}
bool PhysicsWorld::is_carried_by_body(int solid) const { return parts_->bodies.is_carried(solid); }
void PhysicsWorld::push(int solid, const Vec3& force, const Vec3& torque,
                        const std::optional<Vec3>& point) {
  parts_->bodies.push(solid, force, torque, point);
}
const std::vector<Touch>& PhysicsWorld::touches() const { return parts_->contacts.touches(); }
std::optional<Vec3> PhysicsWorld::center_of_mass(int solid) const {
  return parts_->bodies.center_of_mass(solid);
}
std::pair<int, int> PhysicsWorld::largest_heap() { return parts_->contacts.largest_overlap(); }
void PhysicsWorld::pin(int solid, bool pinned) { parts_->attachments.fix_to_world(solid, pinned); }
void PhysicsWorld::set_kinematic_pose(int solid, const Pose& in_parent) {
  parts_->kinematic.set_pose(solid, in_parent);
}
Pose PhysicsWorld::kinematic_pose(int solid) const { return parts_->kinematic.pose(solid); }
double PhysicsWorld::depth_from_the_side(int solid) {
  return parts_->contacts.side_penetration(solid);
}
bool PhysicsWorld::touched(int solid) const { return parts_->contacts.touched(solid); }
Vec3 PhysicsWorld::mounting_force(int solid) const {
  return parts_->attachments.mounting_force(solid);
}
std::optional<RayHit> PhysicsWorld::cast_ray(const Vec3& from, const Vec3& direction, double range,
                                             int solid) {
  return parts_->contacts.cast_ray(from, direction, range, solid);
}
void PhysicsWorld::place_visible_shapes() { parts_->contacts.place_visible_shapes(); }
std::optional<SeenPoint> PhysicsWorld::cast_sight(const Vec3& from, const Vec3& direction,
                                                  double range, int solid) {
  return parts_->contacts.cast_sight(from, direction, range, solid);
}
void PhysicsWorld::couple(int holder, int held) { parts_->attachments.couple(holder, held); }
void PhysicsWorld::uncouple(int solid, int other) { parts_->attachments.uncouple(solid, other); }
int PhysicsWorld::held_by(int holder) const { return parts_->attachments.held_by(holder); }
Vec3 PhysicsWorld::coupling_force(int solid, int other) const {
  return parts_->attachments.coupling_force(solid, other);
}
bool PhysicsWorld::is_free(int solid) const { return parts_->bodies.is_free(solid); }
void PhysicsWorld::shift_body(int solid, const Pose& shift) { parts_->bodies.shift(solid, shift); }

}  // namespace servosim
