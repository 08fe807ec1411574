// SPDX-License-Identifier: Apache-2.0
#include "physics/joints/joints.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/state_archive.h"
#include "physics/joints/ball.h"
#include "physics/joints/hinge2.h"
#include "physics/joints/joint.h"
#include "physics/joints/joint_parts.h"
#include "physics/joints/servo.h"
#include "physics/ode_library.h"
#include "physics/servo_state.h"
#include "scene/scene.h"
#include "scene/scene_match.h"

// Joints::set_state() moves everything behind a joint as one rigid piece. With F, the pose of the
// parent, E(p), the pose of the endpoint in the parent's frame at the new positions, X, the present
// pose of the endpoint, and u, the travel of a suspension,
//
//     shift = F·u·E(p)·X⁻¹
//     velocity of a point x:  v_parent(x) + v_joint + ω_joint × (x − anchor)
//     angular velocity:       ω_parent + ω_joint
//
// where ω_joint is Σ p_i'·a_i of the hinges, and v_joint is that of a slider, or the rate of the
// travel. Signs are those of the child along +axis.

namespace servosim {

namespace {

constexpr double kTorn = 0.01;          // [m]; a fast linkage at a coarse step yields less
constexpr int kStepsPerLoopCheck = 32;  // since a check in every step costs too much

// Returns whether ODE moves the endpoint. If not, the state of the joint alone moves it.
bool has_bodies(const Scene& scene, const JointSpec& spec) {
  return is_dynamic(scene, spec.child) || (spec.reference && spec.child < 0);
}

// Returns whether the joint is an OdeJoint.
bool is_plain(const JointSpec& spec) {
  return spec.kind != JointKind::Ball && spec.kind != JointKind::Hinge2 &&
         !spec.suspension.is_elastic();
}

}  // namespace

// The hash contains what the next steps depend on. Velocity and efforts follow from the bodies.
static void add_to_hash(Fnv1a& hash, const JointState& joint) {
  hash.add(joint.position);
  hash.add(joint.brake_damping);
  hash.add(joint.backlash.shaft);
}

static void add_to_hash(Fnv1a& hash, const PropellerState& propeller) {
  hash.add(propeller.shaft.position);
}

// A Propeller on a body. Before each step it puts thrust T and the counter-torque −Q on the body,
// along its axis:
//
//     T = t1·|Ω|·Ω − t2·|Ω|·V,        Q = q1·|Ω|·Ω − q2·|Ω|·V
//
// Ω is the speed of the shaft [rad/s], V is the velocity of the propeller's centre along the axis
// [m/s], and t and q are the fields thrustConstants and torqueConstants. Q turns the blades and is
// positive about +axis, so the body gets −Q. Source: Webots' reference manual, "Propeller".
class OdePropeller {
 public:
  // `in_body` is the pose of the propeller's Solid in the frame of the body.
  OdePropeller(const PropellerSpec& spec, dBodyID body, const Pose& in_body, PropellerState& state);

  void before_step();

 private:
  const PropellerSpec* spec_;
  dBodyID body_;
  Vec3 axis_;    // in the body's frame
  Vec3 center_;  // in the body's frame, from the centre of mass [m]
  PropellerState* state_;
};

OdePropeller::OdePropeller(const PropellerSpec& spec, dBodyID body, const Pose& in_body,
                           PropellerState& state)
    : spec_(&spec),
      body_(body),
      axis_(in_body.rotation * spec.axis),
      center_(in_body * spec.center),
      state_(&state) {}

void OdePropeller::before_step() {
  // A controller can set NaN, which must not reach the bodies.
  const double asked = state_->shaft.velocity;
  const double speed = std::isnan(asked) ? 0.0 : bounded_velocity(asked);
  if (speed == 0.0) {
    state_->thrust = state_->torque = 0.0;
    return;
  }
  // Forces on a sleeping body would accumulate.
  wake(body_);
  const Mat3 turn = to_mat3(dBodyGetRotation(body_));
  const Vec3 axis = turn * axis_;
  const Vec3 arm = turn * center_;
  const Vec3 velocity =
      to_vec3(dBodyGetLinearVel(body_)) + cross(to_vec3(dBodyGetAngularVel(body_)), arm);
  const double square = std::abs(speed) * speed;
  const double through_air = std::abs(speed) * dot(velocity, axis);
  // The first constant belongs to Ω², the second to the product with the speed through the air.
  state_->thrust = bounded_force(spec_->thrust[0] * square - spec_->thrust[1] * through_air);
  state_->torque = bounded_force(spec_->torque[0] * square - spec_->torque[1] * through_air);
  const Vec3 force = state_->thrust * axis;
  // ODE takes the torque about the centre of mass.
  const Vec3 torque = cross(arm, force) - state_->torque * axis;
  dBodyAddForce(body_, force.x, force.y, force.z);
  dBodyAddTorque(body_, torque.x, torque.y, torque.z);
}

Joints::Joints(const Scene& scene, OdeWorld& ode, Bodies& bodies, SolidPoses& poses,
               std::span<JointState> states, std::span<PropellerState> propellers,
               ServoStates& servos)
    : scene_(scene),
      ode_(ode),
      bodies_(bodies),
      poses_(poses),
      states_(states),
      propeller_states_(propellers),
      servo_states_(servos),
      loads_(scene, bodies, poses),
      refs_(scene.joints.size()),
      measured_at_(scene.joints.size()) {
  SERVOSIM_ASSERT(states.size() == scene.joints.size(), "{} states of {} joints", states.size(),
                  scene.joints.size());
  for (std::size_t i = 0; i < states_.size(); ++i) {
    states_[i].position = scene.joints[i].position;
    states_[i].static_friction = scene.joints[i].static_friction;
  }
  // References to rows must stay valid while further joints are added.
  plain_.reserve(static_cast<std::size_t>(
      std::count_if(scene.joints.begin(), scene.joints.end(),
                    [&scene](const JointSpec& j) { return is_plain(j) && has_bodies(scene, j); })));
  // Joints that close a loop come last, as in Webots. The order of ODE's joints determines the bits
  // of its results.
  for (const bool reference : {false, true}) {
    for (int j = 0; j < static_cast<int>(scene.joints.size()); ++j) {
      if (scene.joints[j].reference == reference && scene.joints[j].first_axis == j) {
        create_axes_of(j);
      }
    }
  }
  create_backlash();
  create_servos();
  create_propellers();
  loads_.attach_to(*this);  // objects have their addresses now
}

Joints::~Joints() = default;

// There is no virtual call, since most worlds consist of plain joints.
template <typename Action>
void Joints::for_each(Action action) {
  for (OdeJoint& joint : plain_) {
    action(joint);
  }
  for (OdeHinge2& joint : hinge2s_) {
    action(joint);
  }
  for (OdeBall& joint : balls_) {
    action(joint);
  }
}

// A joint whose endpoint no body moves gets no object; SolidPoses moves its endpoint.
void Joints::create_axes_of(int first_axis) {
  const JointSpec& spec = scene_.joints[first_axis];
  const int end = first_axis + axis_count(spec.kind);
  const bool to_world = spec.reference && spec.child < 0;
  if (!has_bodies(scene_, spec)) {
    // The endpoint follows the position of the joint exactly.
    if (spec.child >= 0) {
      poses_.set_kinematic_joint(spec.child, first_axis);
    }
    return;
  }
  // Webots has force feedback only for a joint between two bodies.
  const bool has_parent_body = is_dynamic(scene_, spec.parent);
  for (int j = first_axis; j < end; ++j) {
    // A joint with bodies is moved by ODE or the tree solver.
    states_[j].dynamic = true;
    states_[j].has_feedback = has_parent_body && !to_world;
    states_[j].drive.max_force = scene_.joints[j].static_friction;
  }
  if (spec.reference) {
    loops_.push_back(first_axis);
  }
  create_joint(first_axis, bodies_.find(spec.parent), bodies_.find(spec.child));
}

// Makes the ODE joint for all axes of a joint. `parent` may be null.
void Joints::create_joint(int first_axis, const Body* parent, const Body* child) {
  const JointSpec& spec = scene_.joints[first_axis];
  const std::span<const JointSpec> specs = axes_of(scene_, first_axis);
  // The states of the axes of a joint are adjacent, as the axes in the scene are.
  const std::span<JointState> state = states_.subspan(first_axis, specs.size());
  const Pose frame = poses_.frame(spec.parent);
  const Vec3 anchor = frame * spec.anchor;
  const double h = ode_.h();
  Ref ref;
  if (spec.kind == JointKind::Ball) {
    ref = {Ref::Type::Ball, static_cast<int>(balls_.size())};
    balls_.emplace_back(ode_.id(), specs, parent, child, frame.rotation, anchor, state, h);
  } else if (!is_plain(spec)) {
    // The last axis follows the axes before it; the first one is fixed in the parent.
    const Vec3 second =
        poses_.axis_in_world(first_axis + static_cast<int>(specs.size()) - 1, frame.rotation);
    const Vec3 first =
        frame.rotation * (spec.kind == JointKind::Hinge2 ? spec.axis : spec.suspension.axis);
    SERVOSIM_ASSERT(parent != nullptr && child != nullptr, "joint {}", first_axis);
    ref = {Ref::Type::Hinge2, static_cast<int>(hinge2s_.size())};
    hinge2s_.emplace_back(ode_.id(), specs, *parent, *child, first, second, anchor, state, h);
  } else {
    ref = {Ref::Type::Plain, static_cast<int>(plain_.size())};
    plain_.emplace_back(ode_.id(), spec, parent, child, frame.rotation * spec.axis, anchor,
                        state[0], h);
    plain_.back().rows().number = first_axis;
  }
  std::fill_n(refs_.begin() + first_axis, specs.size(), ref);
}

// Contact sides exist for joints with bodies on the child's side only.
void Joints::create_backlash() {
  for (std::size_t j = 0; j < states_.size(); ++j) {
    const JointSpec& spec = scene_.joints[j];
    // Only a joint whose endpoint ODE moves has contact sides.
    if (spec.backlash == 0.0 || !states_[j].dynamic || !is_dynamic(scene_, spec.child) ||
        servo_states_.find(static_cast<int>(j)) != nullptr) {
      continue;
    }
    refs_[j].backlash = static_cast<int>(backlash_.size());
    backlash_.push_back(
        {spec.type == JointType::Rotational ? scene_.world.disable_angular_threshold
                                            : scene_.world.disable_linear_threshold,
         OdeBacklash(ode_.id(), spec, bodies_.id_of(spec.parent), bodies_.id_of(spec.child),
                     poses_.frame(spec.parent).rotation * spec.axis, states_[j])});
  }
  // Only now do the elements of backlash_ keep their addresses.
  for (const Ref& ref : refs_) {
    if (ref.backlash >= 0) {
      plain_[ref.index].rows().gap = &backlash_[ref.backlash].backlash.rows();
    }
  }
}

// Their places are known once all are made.
void Joints::create_servos() {
  for (std::size_t j = 0; !servo_states_.empty() && j < states_.size(); ++j) {
    ServoState* const servo = servo_states_.find(static_cast<int>(j));
    if (servo == nullptr || refs_[j].type != Ref::Type::Plain) {
      continue;
    }
    const JointSpec& spec = scene_.joints[j];
    servo->is_simulated = true;
    refs_[j].servo = static_cast<int>(servos_.size());
    servo_joints_.push_back(static_cast<int>(j));
    const HingeRows& rows = plain_[refs_[j].index].rows();
    servos_.emplace_back(ode_.id(), spec, rows.parent, rows.child,
                         poses_.frame(spec.parent).rotation * spec.axis, states_[j], *servo);
  }
  for (std::size_t s = 0; s < servos_.size(); ++s) {
    plain_[refs_[servo_joints_[s]].index].rows().servo = &servos_[s].rows();
  }
}

// The inertia is that of all bodies behind the joint, as if they were one, against that of the body
// before it. The tree solver finds that of the axis; this one does where ODE solves, and in the
// first step. The law needs no better one: rows/servo_law.h.
Joints::AxisLoad Joints::load_behind(int joint) const {
  const JointSpec& spec = scene_.joints[joint];
  const bool turns = spec.type == JointType::Rotational;
  const Pose frame = poses_.frame(spec.parent);
  const Vec3 axis = poses_.axis_in_world(joint, frame.rotation);
  const Vec3 anchor = frame * spec.anchor;
  dVector3 acceleration;
  dWorldGetGravity(ode_.id(), acceleration);
  const Vec3 gravity = to_vec3(acceleration);
  const auto of_body = [&](int body) {
    const MassProperties& mass = bodies_.rigid_bodies()[body].mass;
    const Pose pose = pose_of(bodies_[body]);
    const Vec3 arm = pose.translation - anchor;
    const Vec3 across = cross(axis, arm);
    const Vec3 in_body = transposed(pose.rotation) * axis;
    return turns ? AxisLoad{mass.mass * dot(across, across) + dot(in_body, mass.inertia * in_body),
                            mass.mass * dot(across, gravity)}
                 : AxisLoad{mass.mass, mass.mass * dot(axis, gravity)};
  };
  AxisLoad load;
  if (spec.child >= 0) {
    const SolidRange branch = branch_of(scene_, spec.child);
    for (int s = branch.begin; s < branch.end; ++s) {
      if (bodies_.owns_body(s)) {
        const AxisLoad more = of_body(bodies_.body_of(s));
        load = {load.inertia + more.inertia, load.weight + more.weight};
      }
    }
  }
  if (is_dynamic(scene_, spec.parent)) {
    const double before = of_body(bodies_.carrying_body(spec.parent)).inertia;
    load.inertia = load.inertia > 0.0 ? 1.0 / (1.0 / load.inertia + 1.0 / before) : before;
  }
  return load;
}

void Joints::step_servos() {
  servo_states_.set_voltages();
  // The step that begins is the only change since the last one.
  const bool is_after_step = ode_.revision() == stepped_at_ + 1;
  for (std::size_t s = 0; s < servos_.size(); ++s) {
    const int joint = servo_joints_[s];
    if (servos_[s].needs_load()) {
      const AxisLoad load = load_behind(joint);
      servos_[s].set_load(load.inertia, load.weight);
    }
    const OdeJoint& axis = plain_[refs_[joint].index];
    const double rate = is_after_step ? servos_[s].rate_after_step() : axis.rate();
    servos_[s].before_step(rate, ode_.h());
  }
}

// A propeller whose Solid has no body has nothing to push.
void Joints::create_propellers() {
  for (std::size_t p = 0; p < scene_.propellers.size(); ++p) {
    const PropellerSpec& spec = scene_.propellers[p];
    if (is_dynamic(scene_, spec.solid)) {
      propellers_.emplace_back(spec, bodies_.id_of(spec.solid), bodies_.in_body(spec.solid),
                               propeller_states_[p]);
    }
  }
}

void Joints::clear_moved_between_steps() {
  for (JointState& state : states_) {
    state.moved_between_steps = false;
  }
}

// The gaps come first, since they take the drive of their motor. Propellers add forces to bodies,
// which the solver reads later.
void Joints::before_step() {
  loads_.begin_step();
  // The gap takes the drive of the motor before the joint reads what is left of it.
  for (BacklashJoint& joint : backlash_) {
    joint.backlash.before_step(scene_.world.cfm, joint.wake_threshold, ode_.h());
  }
  if (!servos_.empty()) {
    step_servos();
  }
  for_each([](auto& joint) { joint.before_step(); });
  for (OdePropeller& propeller : propellers_) {
    propeller.before_step();
  }
}

// One body of each joint is enough, since joints connect all bodies that have to be awake.
void Joints::add_bodies_at_work(std::vector<dBodyID>& bodies) const {
  const auto add = [&bodies](const auto& joint) {
    if (joint.is_at_work()) {
      const JointRows& rows = joint.rows();
      bodies.push_back(rows.child != nullptr ? rows.child : rows.parent);
    }
  };
  // for_each() is not const, so the lists are here again.
  std::for_each(plain_.begin(), plain_.end(), add);
  std::for_each(hinge2s_.begin(), hinge2s_.end(), add);
  std::for_each(balls_.begin(), balls_.end(), add);
  for (const Ref& ref : refs_) {
    if (ref.backlash >= 0 &&
        backlash_[ref.backlash].backlash.is_at_work(plain_[ref.index].rate())) {
      bodies.push_back(plain_[ref.index].rows().child);
    }
    if (ref.servo >= 0 && servos_[ref.servo].is_at_work(plain_[ref.index].rate())) {
      const HingeRows& rows = plain_[ref.index].rows();
      bodies.push_back(rows.child != nullptr ? rows.child : rows.parent);
    }
  }
  // ODE does not know what is coupled. What works somewhere may move any coupled joint.
  if (!bodies.empty()) {
    for (const CouplingSpec& coupling : scene_.couplings) {
      for (const CouplingSpec::Term& term : coupling.terms) {
        const HingeRows& rows = plain_[refs_[term.joint].index].rows();
        bodies.push_back(rows.child != nullptr ? rows.child : rows.parent);
      }
    }
  }
}

// The shaft of a gap is clamped to the new position of its joint.
void Joints::after_step(bool some_turn_fast) {
  // Until the next change, rates of the solver are valid.
  stepped_at_ = ode_.revision();
  for_each([some_turn_fast](auto& joint) { joint.after_step(some_turn_fast); });
  for (BacklashJoint& joint : backlash_) {
    joint.backlash.after_step();
  }
  for (std::size_t s = 0; s < servos_.size(); ++s) {
    if (servos_[s].needs_inertia()) {
      servos_[s].set_inertia(load_behind(servo_joints_[s]).inertia);
    }
    servos_[s].after_step(plain_[refs_[servo_joints_[s]].index].rate_after_step(), ode_.h());
  }
}

// A joint has one object for all its axes, so only the first axis counts.
std::vector<JointRows*> Joints::rows() {
  std::vector<JointRows*> all;
  for (std::size_t j = 0; j < refs_.size(); ++j) {
    if (scene_.joints[j].first_axis == static_cast<int>(j)) {
      visit(refs_[j], [&](auto list) { all.push_back(&(this->*list)[refs_[j].index].rows()); });
    }
  }
  return all;
}

JointRows* Joints::rows_of(int joint) {
  JointRows* rows = nullptr;
  visit(refs_[joint], [&](auto list) { rows = &(this->*list)[refs_[joint].index].rows(); });
  return rows;
}

std::vector<CouplingRows> Joints::couplings() {
  std::vector<CouplingRows> couplings;
  for (const CouplingSpec& spec : scene_.couplings) {
    CouplingRows& added = couplings.emplace_back();
    added.offset = spec.offset;
    added.compliance = spec.compliance;
    added.play = spec.backlash;
    for (const CouplingSpec::Term& term : spec.terms) {
      const JointRows* const rows = rows_of(term.joint);
      SERVOSIM_ASSERT(rows != nullptr && rows->has_axis(), "joint {} has no axis", term.joint);
      added.terms.push_back({static_cast<const HingeRows*>(rows), term.ratio});
    }
  }
  return couplings;
}

// A measurement is valid until the revision of the world changes.
void Joints::measure(int joint) {
  SERVOSIM_ASSERT(joint >= 0 && joint < static_cast<int>(states_.size()), "joint {} of {}", joint,
                  states_.size());
  // A changed brake changes the damper's part of the effort.
  if (measured_at_[joint] != ode_.revision() || states_[joint].brake_changed) {
    read(joint);
    measured_at_[joint] = ode_.revision();
  }
}

// Directly after a step the solver or an earlier call may already know the rate.
double Joints::velocity(int joint) {
  SERVOSIM_ASSERT(joint >= 0 && joint < static_cast<int>(states_.size()), "joint {} of {}", joint,
                  states_.size());
  const Ref& ref = refs_[joint];
  const JointState& state = states_[joint];
  // Nothing has changed since the step if the revision is the same.
  const bool is_after_step = ode_.revision() == stepped_at_;
  switch (ref.type) {
    case Ref::Type::Plain:
      return is_after_step ? plain_[ref.index].rate_after_step() : plain_[ref.index].rate();
    case Ref::Type::Hinge2:
      return is_after_step ? hinge2s_[ref.index].rate_after_step(state)
                           : hinge2s_[ref.index].rate(state);
    case Ref::Type::Ball:
      return is_after_step ? balls_[ref.index].rate_after_step(state)
                           : balls_[ref.index].rate(state);
    case Ref::Type::None:
      break;
  }
  measure(joint);
  return state.velocity;
}

// The object measures all axes of the joint at once.
void Joints::read(int joint) const {
  const Ref& ref = refs_[joint];
  visit(ref, [&](auto list) { (this->*list)[ref.index].measure(); });
  JointState& state = states_[joint];
  // Efforts of the last step belong to other poses. Otherwise the contact sides are added to those
  // of the joint.
  if (state.moved_between_steps) {
    state.constraint_effort = state.effort = 0.0;
  } else if (ref.backlash >= 0) {
    backlash_[ref.backlash].backlash.measure();
  }
}

// The head of this file has the equations. The positions of other axes stay, and so does the play.
void Joints::set_state(int joint, double position, double velocity) {
  const JointSpec& spec = scene_.joints[joint];
  ode_.note_change();
  // The next step finds contacts again, and clears `moved_between_steps`.
  ode_.set_contacts_stale(true);
  // The other axes keep the speeds that they have now.
  read(joint);
  states_[joint].position = position;
  states_[joint].velocity = velocity;
  states_[joint].backlash.shaft = position;  // the middle of the play
  if (ServoState* const servo = servo_states_.find(joint); servo != nullptr) {
    servo->put(position, velocity);
  }
  for (int j = spec.first_axis; j < spec.first_axis + axis_count(spec.kind); ++j) {
    forget_effort(j);
  }
  if (refs_[joint].type == Ref::Type::None) {
    return;
  }
  const SolidRange behind = branch_of(scene_, spec.child);
  forget_efforts(behind);
  const Pose frame = poses_.frame(spec.parent);
  // A suspended axle keeps its travel and the rate of that. All other errors of the joint are
  // removed.
  const Vec3 travel = suspension_travel(joint);
  const Vec3 center = frame * (spec.anchor + travel);
  // The pose at the new position, times the inverse of the present pose.
  const Pose shift =
      frame * Pose{{}, travel} * poses_.endpoint(joint) * inverse(poses_.frame(spec.child));
  Vec3 along;
  Vec3 spin;
  if (const auto& suspension = scene_.joints[spec.first_axis].suspension; suspension.is_elastic()) {
    const Vec3 up = frame.rotation * suspension.axis;
    along = dot(point_velocity(bodies_, spec.child, center) -
                    point_velocity(bodies_, spec.parent, center),
                up) *
            up;
  }
  for (int j = spec.first_axis; j < spec.first_axis + axis_count(spec.kind); ++j) {
    // Each axis adds its rate along or about its direction.
    Vec3& part = spec.type == JointType::Rotational ? spin : along;
    part = part + states_[j].velocity * poses_.axis_in_world(j, frame.rotation);
  }
  shift_branch(joint, behind, shift, along, spin, center);
}

void Joints::forget_efforts(const SolidRange& solids) {
  for (const int j : joints_at(solids)) {
    forget_effort(j);
  }
}

void Joints::forget_effort(int joint) {
  states_[joint].moved_between_steps = true;
  states_[joint].constraint_effort = states_[joint].effort = 0.0;
  if (ServoState* const servo = servo_states_.find(joint); servo != nullptr) {
    servo->forget_load();
  }
}

// Builds the index on the first call: counts the ends at each Solid, adds the counts up, and fills
// each range from its end. A joint between two of the Solids is there twice.
std::span<const int> Joints::joints_at(const SolidRange& solids) const {
  if (first_at_.empty()) {
    std::vector<int> first(scene_.solids.size() + 1);
    const auto for_each_end = [this](const auto& action) {
      for (std::size_t j = 0; j < states_.size(); ++j) {
        for (const int solid : {scene_.joints[j].parent, scene_.joints[j].child}) {
          if (solid >= 0) {
            action(static_cast<int>(j), solid);
          }
        }
      }
    };
    for_each_end([&](int, int solid) { ++first[solid]; });
    std::partial_sum(first.begin(), first.end(), first.begin());
    std::vector<int> joints(first.back());
    for_each_end([&](int joint, int solid) { joints[--first[solid]] = joint; });
    joints_at_ = std::move(joints);
    first_at_ = std::move(first);
  }
  const auto count = static_cast<std::size_t>(first_at_[solids.end] - first_at_[solids.begin]);
  return std::span(joints_at_).subspan(static_cast<std::size_t>(first_at_[solids.begin]), count);
}

// The bodies move as one rigid piece: a point of them has the velocity that the parent would have
// there, plus that of the joint.
void Joints::shift_branch(int joint, const SolidRange& behind, const Pose& shift,
                          const Vec3& joint_velocity, const Vec3& joint_spin, const Vec3& center) {
  const int parent = scene_.joints[joint].parent;
  const Vec3 parent_spin =
      is_dynamic(scene_, parent) ? to_vec3(bodies_[bodies_.body_of(parent)].spin) : Vec3{};
  for (int s = behind.begin; s < behind.end; ++s) {
    if (!bodies_.owns_body(s)) {
      continue;
    }
    const Body& body = bodies_[bodies_.body_of(s)];
    const Pose pose = shift * pose_of(body);
    const Vec3 at = pose.translation;
    const Vec3 velocity =
        point_velocity(bodies_, parent, at) + joint_velocity + cross(joint_spin, at - center);
    put_at(body, pose);
    set_motion(body, {velocity, parent_spin + joint_spin});
    wake(body.id);
  }
}

// The gap is zero where the joint holds exactly.
Vec3 Joints::anchor_gap(int joint) const {
  const JointSpec& spec = scene_.joints[joint];
  const Pose parent = poses_.frame(spec.parent);
  const Pose child = poses_.frame(spec.child);
  return inverse(parent) * (child * (inverse(spec.zero_pose) * spec.anchor)) -
         poses_.joint_motion(joint) * spec.anchor;
}

// The part along the direction of the suspension is the travel.
Vec3 Joints::suspension_travel(int joint) const {
  const SuspensionSpec& suspension = scene_.joints[scene_.joints[joint].first_axis].suspension;
  return suspension.is_elastic() ? dot(anchor_gap(joint), suspension.axis) * suspension.axis
                                 : Vec3{};
}

double Joints::loop_gap(int joint) const {
  return norm(anchor_gap(joint) - suspension_travel(joint));
}

// A torn loop is removed from the list, so it is reported once.
int Joints::check_loops() {
  if (--steps_to_loop_check_ > 0) {
    return -1;
  }
  steps_to_loop_check_ = kStepsPerLoopCheck;
  const auto torn =
      std::find_if(loops_.begin(), loops_.end(), [this](int j) { return loop_gap(j) > kTorn; });
  if (torn == loops_.end()) {
    return -1;
  }
  const int joint = *torn;
  loops_.erase(torn);
  return joint;
}

// A joint counts if exactly one of its ends is in the moved branch. As after a step, the shaft of a
// gap follows.
void Joints::read_positions_around(int solid) {
  const SolidRange branch = branch_of(scene_, solid);
  for (const int j : joints_at(branch)) {
    const JointSpec& spec = scene_.joints[j];
    const Ref& ref = refs_[j];
    if (spec.axis_number > 0 || branch.contains(spec.parent) == branch.contains(spec.child) ||
        ref.type == Ref::Type::None) {
      continue;
    }
    visit(ref, [&](auto list) { (this->*list)[ref.index].read_position(); });
    if (ref.backlash >= 0) {
      backlash_[ref.backlash].backlash.after_step();
    }
  }
}

// The parent is among the Solids and has no body, so ODE's joint refers to its place in the world.
bool Joints::hold_to_place(const SolidRange& solids) const {
  const std::span<const int> joints = joints_at(solids);
  return std::any_of(joints.begin(), joints.end(), [&](int j) {
    const int parent = scene_.joints[j].parent;
    return refs_[j].type != Ref::Type::None && solids.contains(parent) &&
           !is_dynamic(scene_, parent);
  });
}

// An endpoint that was stopped does not move against its parent.
void Joints::stop(const SolidRange& solids) {
  for (const int j : joints_at(solids)) {
    if (solids.contains(scene_.joints[j].child)) {
      states_[j].velocity = 0.0;
      if (ServoState* const servo = servo_states_.find(j); servo != nullptr) {
        servo->stop();
      }
    }
  }
}

template <class Archive>
void Joints::archive_states(Archive& archive) {
  archive.hashed(states_);
}

template <class Archive>
void Joints::archive_mechanisms(Archive& archive) {
  // The memories are not hashed, since no later step depends on them.
  archive.hashed(propeller_states_);
  const auto archive_memory = [&archive](auto& object) {
    if constexpr (Archive::kRestores) {
      object.restore(archive.template next<decltype(object.memory())>());
    } else {
      archive.unhashed(object.memory());
    }
  };
  for_each(archive_memory);
  for (BacklashJoint& joint : backlash_) {
    archive_memory(joint.backlash);
  }
  for (const int joint : servo_joints_) {
    archive.hashed(servo_states_.by_joint[joint].memory);
  }
  loads_.archive(archive);
}

template void Joints::archive_states(SavingArchive&);
template void Joints::archive_states(RestoringArchive&);
template void Joints::archive_states(HashingArchive&);
template void Joints::archive_mechanisms(SavingArchive&);
template void Joints::archive_mechanisms(RestoringArchive&);
template void Joints::archive_mechanisms(HashingArchive&);

}  // namespace servosim
