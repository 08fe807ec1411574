// SPDX-License-Identifier: Apache-2.0
// Has the order of a step. Its three phases are begin_step(), solve() and end_step(). Between the
// first two, the trees of all worlds that step together are solved in lanes.
#include "physics/physics_world.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/assert.h"
#include "base/state_archive.h"
#include "physics/joints/joint_parts.h"
#include "physics/ode_library.h"
#include "physics/parts.h"
#include "physics/servo_state.h"
#include "scene/scene.h"

namespace servosim {

namespace {

// At most this many worlds share the phases of a step. It is several times the number of lanes.
constexpr std::size_t kMostTogether = 64;

}  // namespace

// The initialisers are in the order of the members. Each component gets references to those that it
// calls.
PhysicsWorld::Parts::Parts(const Scene& the_scene, Diagnostics& diagnostics,
                           std::span<JointState> states, std::span<PropellerState> propellers,
                           ServoStates& servos, const PhysicsOptions& options, const Parts* like,
                           std::vector<MovedSolid> moved)
    : scene(the_scene),
      ode(scene.world, options.step_memory),
      bodies(scene, ode, diagnostics, like != nullptr ? &like->bodies : nullptr),
      poses(scene, bodies, states, moved),
      kinematic(scene, ode, bodies, poses, states, std::move(moved)),
      joints(scene, ode, bodies, poses, states, propellers, servos),
      attachments(scene, ode, bodies),
      coupled(scene, joints.couplings(), options.notices),
      ode_rows(joints.rows(), dWorldGetCFM(ode.id())),
      contacts(scene, ode, bodies, poses, kinematic, states, diagnostics, options.notices,
               like != nullptr ? &like->contacts : nullptr) {
  const WorldSettings& world = scene.world;
  const IntegratorRule rule{options.integrator.value_or(world.integrator) == Integrator::Joint,
                            options.evaluations.value_or(world.evaluations),
                            options.accuracy.value_or(world.accuracy)};
  // A step of one evaluation, as one of ODE, has its forces at its start.
  joints.loads().set_at_middle(rule.is_joint && rule.evaluations != 1);
  if (options.explicit_gyroscopic && !rule.is_joint) {
    gyroscopic_torques.emplace(bodies);
  }
  if (options.solver == Solver::Tree) {
    trees.emplace(ode, bodies, joints.rows(), joints.couplings(), attachments, options.lanes,
                  contacts.can_collide(), rule,
                  like != nullptr && like->trees ? &*like->trees : nullptr);
    contacts.keep_joints();
  }
  if (options.contact_forces) {
    contacts.keep_forces();
  }
  if (options.integrator.value_or(scene.world.integrator) == Integrator::Ode) {
    losses.emplace(scene, bodies, joints, ode.h(),
                   like != nullptr && like->losses ? &*like->losses : nullptr);
  }
}

// This is phase 1. Stale contacts are replaced early, since waking and sleeping depend on them.
// Kinematic Solids move before joints write the demands of their motors. Gyroscopic torques come
// after all other torques.
void PhysicsWorld::Parts::begin_step() {
  contacts.wake_at_belts();
  if (ode.contacts_stale()) {
    joints.clear_moved_between_steps();
    check_in_range();
    contacts.update();
  }
  kinematic.advance();
  if (trees) {
    trees->find_islands(contacts.joints());
  }
  if (bodies.sleep().may_sleep()) {
    coupled.wake();
  }
  joints.before_step();
  if (bodies.sleep().find_rested()) {
    keep_awake_what_works();
    bodies.sleep().let_fall_asleep();
  }
  if (gyroscopic_torques) {
    gyroscopic_torques->add();
  }
  if (!contacts.can_collide()) {
    bodies.set_geoms_stale();
  }
  if (trees) {
    trees->begin_step(contacts.joints());
  }
}

// A body that a motor, a spring, a damper or a belt moves does not rest, however slow it is. The
// same holds for bodies that touch it or are joined to it. Coupled ones wait for each other.
void PhysicsWorld::Parts::keep_awake_what_works() {
  std::vector<dBodyID> at_work;
  joints.add_bodies_at_work(at_work);
  contacts.add_bodies_on_belts(at_work);
  wake_islands(std::move(at_work));
  coupled.keep_awake();
}

// This is phase 3. The forces of contacts are read before their joints are replaced. Positions are
// read before contacts are found, because kinematic Solids follow them.
void PhysicsWorld::Parts::end_step(StepOutcome& outcome) {
  contacts.update_forces();
  bodies.sleep().drop_forces_of_sleepers();
  const double h = ode.h();
  const std::optional<double> known = trees ? trees->fastest_squared() : std::nullopt;
  const double fastest = known && kinematic.out_of_range() < 0 ? *known : check_in_range();
  // The squared angular speeds of two bodies sum up to at most 2·fastest. If even that is too slow
  // for turns_fast(), no joint needs to ask.
  joints.after_step(2.0 * fastest * (h * h) > kFastTurn * kFastTurn);
  if (losses && losses->wants_to_look(fastest)) {
    write_efforts();
    outcome.losses = losses->look(ode.revision());
  }
  contacts.update_belts();
  if (contacts.can_collide()) {
    contacts.update();
  }
  contacts.update_touched();
  outcome.torn_loop = joints.find_torn_loop();
}

// This is phase 2. ODE steps the islands that the tree solver leaves to it, while the bodies of the
// others are hidden from it. The others move afterwards.
void PhysicsWorld::Parts::solve() {
  if (!trees) {
    solve_by_ode();
    return;
  }
  trees->rethrow_failure();
  if (trees->leaves_any_to_ode()) {
    trees->hide_from_ode();
    try {
      solve_by_ode();
    } catch (...) {
      trees->show_to_ode();  // the world may still be saved and restored
      throw;
    }
  }
  trees->move_bodies();
  if (const auto uncoupled = trees->take_uncoupled()) {
    coupled.report_free(uncoupled->solid, uncoupled->why);
  }
}

// ODE gets the rows of joints only if it solves at least one island.
void PhysicsWorld::Parts::solve_by_ode() {
  ode_rows.write();
  OdeCount count{static_cast<std::size_t>(bodies.count()), 0};
  for (const Body& body : bodies) {
    count.joints += dBodyGetNumJoints(body.id);  // counts joints between two bodies twice
  }
  if (const OdeStep step = ode.solve(count); !step.done) {
    contacts.end_unsolved(step.asked);
  }
  ode_rows.read();
}

void PhysicsWorld::Parts::write_efforts() {
  if (trees) {
    trees->write_efforts();
  }
}

void PhysicsWorld::Parts::restore_counts_from(const Parts& before) {
  if (trees && before.trees) {
    trees->restore_counts_from(*before.trees);
  }
}

// The check comes before ODE reads the numbers, since huge ones overflow inside ODE.
double PhysicsWorld::Parts::check_in_range() {
  double fastest = 0.0;
  if (const int solid = out_of_range(fastest); solid >= 0) {
    ode.end_unstable(solid);
  }
  return fastest;
}

int PhysicsWorld::Parts::out_of_range(double& fastest_squared) const {
  const int solid = servosim::out_of_range(bodies, fastest_squared);
  return solid >= 0 ? solid : kinematic.out_of_range();
}

// Each component lists its members. This is the order of the components in saved states and hashes.
template <class Archive>
void PhysicsWorld::Parts::archive(Archive& archive) {
  write_efforts();
  attachments.archive(archive);
  bodies.archive(archive);
  joints.archive_states(archive);
  kinematic.archive(archive);
  contacts.archive(archive);
  joints.archive_mechanisms(archive);
  if (trees) {
    trees->archive(archive);
  }
}

PhysicsWorld::PhysicsWorld(const Scene& scene, Diagnostics& diagnostics,
                           const PhysicsOptions& options, const PhysicsWorld* like)
    : scene_(scene),
      options_(options),
      joint_states_(scene.joints.size()),
      propeller_states_(scene.propellers.size()),
      servo_states_(std::make_unique<ServoStates>(scene)) {
  use_ode();
  parts_ =
      std::make_unique<Parts>(scene, diagnostics, joint_states_, propeller_states_, *servo_states_,
                              options, like != nullptr ? like->parts_.get() : nullptr);
}

PhysicsWorld::~PhysicsWorld() = default;

// One world takes the same path as several, so the results are equal bit for bit.
int PhysicsWorld::step() {
  PhysicsWorld* const world = this;
  StepOutcome outcome;
  step_together({&world, 1}, {&outcome, 1});
  if (outcome.error) {
    std::rethrow_exception(outcome.error);
  }
  return outcome.torn_loop;
}

void PhysicsWorld::step_together(std::span<PhysicsWorld* const> worlds,
                                 std::span<StepOutcome> outcomes) {
  SERVOSIM_ASSERT(worlds.size() == outcomes.size(), "{} worlds, {} outcomes", worlds.size(),
                  outcomes.size());
  // Errors of ODE become exceptions for the duration of the step.
  const OdeErrorsThrow guard;
  while (!worlds.empty()) {
    const std::size_t count = std::min(worlds.size(), kMostTogether);
    step_few(worlds.first(count), outcomes.first(count));
    worlds = worlds.subspan(count);
    outcomes = outcomes.subspan(count);
  }
}

// A world that fails in one phase takes no part in the next one. The other worlds go on.
void PhysicsWorld::step_few(std::span<PhysicsWorld* const> worlds,
                            std::span<StepOutcome> outcomes) {
  std::array<Trees*, kMostTogether> trees;
  std::size_t count = 0;
  for (std::size_t w = 0; w < worlds.size(); ++w) {
    PhysicsWorld& world = *worlds[w];
    outcomes[w] = {};
    // Results that were measured before this step are stale.
    world.parts_->ode.note_change();
    world.do_part(outcomes[w], [](Parts& parts) { parts.begin_step(); });
    if (world.parts_->trees && !outcomes[w].error) {
      trees[count++] = &*world.parts_->trees;
    }
  }
  Trees::solve_in_lanes(std::span(trees).first(count));
  for (std::size_t w = 0; w < worlds.size(); ++w) {
    StepOutcome& outcome = outcomes[w];
    worlds[w]->do_part(outcome, [&outcome](Parts& parts) {
      parts.solve();
      parts.end_step(outcome);
    });
    if (auto& trees_of_world = worlds[w]->parts_->trees) {
      outcome.exceptions = trees_of_world->take_new_exceptions();
    }
  }
}

// OdeStopped means that numbers overflowed inside ODE. The first body is reported if all of them
// seem to be in range. An exception out of ODE leaves its world in an unknown state, so the world
// is interrupted.
template <typename Action>
void PhysicsWorld::do_part(StepOutcome& outcome, Action action) {
  if (outcome.error) {
    return;
  }
  OdeWorld& ode = parts_->ode;
  try {
    ode.check_not_over();
    try {
      action(*parts_);
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
  } catch (...) {
    outcome.error = std::current_exception();
  }
}

int PhysicsWorld::out_of_range() const {
  double ignored = 0.0;
  return parts_->out_of_range(ignored);
}

bool PhysicsWorld::is_over() const { return parts_->ode.is_over(); }

ServoState* PhysicsWorld::servo(int joint) const { return servo_states_->find(joint); }
double PhysicsWorld::joint_position(int joint) const { return parts_->joints[joint].position; }
double PhysicsWorld::joint_velocity(int joint) const { return parts_->joints.velocity(joint); }

Pose PhysicsWorld::solid_pose(int solid) const { return parts_->poses.pose(solid); }

std::optional<PointMotion> PhysicsWorld::solid_motion(int solid) const {
  const int carrier = parts_->bodies.carrying_body(solid);
  return carrier >= 0 ? motion_at(parts_->bodies[carrier], solid_pose(solid).translation)
                      : parts_->kinematic.motion_of_origin(solid);
}

// ODE's joints to the world keep the poses at which they were created. If these move, all
// components are rebuilt with the new poses and continue from the saved state.
void PhysicsWorld::set_solid_pose(int solid, const Pose& in_world) {
  Parts& parts = *parts_;
  const SolidRange branch = servosim::branch_of(scene_, solid);
  parts.ode.note_change();
  // The product X_new·X_old⁻¹ moves the whole branch rigidly.
  const Pose back = inverse(parts.kinematic.pose_of_joints(solid));
  parts.contacts.wake_neighbours(branch);
  parts.joints.forget_efforts(branch);
  forget_steps(solid);
  for (int s = branch.begin; s < branch.end; ++s) {
    if (parts.bodies.owns_body(s)) {
      const Body& body = parts.bodies[parts.bodies.body_of(s)];
      put_at(body, in_world * (back * pose_of(body)));
      wake(body.id);
    }
  }
  if (parts.kinematic.keeps_place(solid)) {
    parts.kinematic.put(solid, in_world);
  }
  parts.attachments.rebuild(branch);
  parts.kinematic.place_geoms_of(branch);
  parts.ode.set_contacts_stale(true);
  // Neighbours at the old pose and at the new pose wake.
  parts.contacts.wake_neighbours(branch);
  if (parts.joints.hold_to_place(branch) || parts.attachments.hold_to_place(branch)) {
    // The state is saved and restored within new components, so the motion continues bit for bit.
    StateBlock block;
    {
      StateWriter out(block);
      save(out);
    }
    rebuild(parts.kinematic.moved());
    StateReader in(block);
    restore(in);
  }
  // A joint of which only one side has moved has another position now.
  parts_->joints.read_positions_around(solid);
}

void PhysicsWorld::stop(int solid) {
  const SolidRange branch = branch_of(solid);
  parts_->ode.note_change();
  parts_->bodies.stop(branch);
  parts_->kinematic.stop(branch);
  parts_->joints.stop(branch);
  forget_steps(solid);
}

void PhysicsWorld::forget_steps(int solid) {
  if (parts_->trees) {
    parts_->trees->forget_steps(branch_of(solid));
  }
}

SolidRange PhysicsWorld::branch_of(int solid) const {
  return solid >= 0 ? servosim::branch_of(scene_, solid)
                    : SolidRange{0, static_cast<int>(scene_.solids.size())};
}

// Poses come first, because the components must be built with them.
void PhysicsWorld::save(StateWriter& out) const {
  SavingArchive archive(out);
  archive.unhashed(parts_->kinematic.moved());
  parts_->archive(archive);
}

// If poses were set from outside in the saved state or in this one, joints to the world may be at
// other poses, so the components are rebuilt. This also replaces an interrupted world of ODE.
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
  parts_->contacts.forget_forces();
  parts_->ode.set_contacts_stale(true);  // the contacts of the next step follow from the poses
}

void PhysicsWorld::add_to_hash(Fnv1a& hash) const {
  HashingArchive archive(hash);
  parts_->archive(archive);
}

// The new components share tables with the old ones and take over which warnings were given, so
// nothing is reported twice. States of joints and propellers do not belong to the components and
// keep their addresses.
void PhysicsWorld::rebuild(std::vector<MovedSolid> moved) {
  Diagnostics ignored;  // all were reported when the world was built
  auto parts = std::make_unique<Parts>(scene_, ignored, joint_states_, propeller_states_,
                                       *servo_states_, options_, parts_.get(), std::move(moved));
  parts->joints.restore_reports_from(parts_->joints);
  parts->contacts.restore_reports_from(parts_->contacts);
  parts->restore_counts_from(*parts_);
  parts_ = std::move(parts);
}

void PhysicsWorld::keep_contact_forces() {
  options_.contact_forces = true;
  parts_->contacts.keep_forces();
}

std::optional<SolverCounts> PhysicsWorld::solver_counts() const {
  return parts_->trees ? std::optional(parts_->trees->counts()) : std::nullopt;
}

std::optional<SolverCounts> PhysicsWorld::islands_of_joints() const {
  return parts_->trees ? std::optional(parts_->trees->islands_of_joints()) : std::nullopt;
}

Bodies& PhysicsWorld::bodies() const { return parts_->bodies; }
Joints& PhysicsWorld::joints() const {
  parts_->write_efforts();
  return parts_->joints;
}
Contacts& PhysicsWorld::contacts() const { return parts_->contacts; }
Attachments& PhysicsWorld::attachments() const { return parts_->attachments; }
KinematicMotion& PhysicsWorld::kinematic_motion() const { return parts_->kinematic; }

}  // namespace servosim
