// SPDX-License-Identifier: Apache-2.0
#include "physics/step_losses.h"

#include <ode/ode.h>

#include <algorithm>
#include <cmath>

#include "physics/bodies.h"
#include "physics/joints/joints.h"
#include "physics/ode_library.h"
#include "physics/rows/joint_rows.h"
#include "scene/scene.h"
#include "scene/scene_match.h"

namespace servosim {

namespace {

// A pause is eight times as long as the last one. A look takes about 40 % of the time of a
// step.
constexpr int kLongestPause = 1600;  // [steps]
// With the suggested step, this much is lost.
constexpr double kEnoughPerSecond = 0.01;
constexpr double kEnoughOfWay = 1e-3;

Vec3 across(const Vec3& v, const Vec3& axis) { return v - dot(v, axis) * axis; }

double kinetic_energy(const Body& body, const MassProperties& mass) {
  const Vec3 spin = transposed(to_mat3(body.rotation)) * to_vec3(body.spin);
  return 0.5 * (mass.mass * square(body.velocity) + dot(spin, mass.inertia * spin));
}

}  // namespace

double step_within(double now_ms, double most_ms) {
  for (int parts = 2; now_ms / parts >= 1.0; ++parts) {
    const double step = now_ms / parts;
    if (step <= most_ms && std::abs(step - std::round(step)) < 1e-9) {
      return std::round(step);
    }
  }
  double step = now_ms / 2.0;
  while (step > most_ms && step > 1e-3) {
    step /= 2.0;
  }
  return step;
}

StepLosses::StepLosses(const Scene& scene, const Bodies& bodies, Joints& joints, double h,
                       const StepLosses* like)
    : bodies_(bodies),
      h_(h),
      energies_(static_cast<std::size_t>(bodies.count())),
      is_found_(scene.joints.size()) {
  for (const Body& body : bodies) {
    behind_.push_back(bodies.carrying_body(scene.solids[body.solid].parent));
  }
  add_joints(scene, joints);
  if (like != nullptr) {
    is_found_ = like->is_found_;
    found_ = like->found_;
  }
}

// A joint whose child is the world has nothing behind it.
void StepLosses::add_joints(const Scene& scene, Joints& joints) {
  const std::vector<bool> has_exception = with_exceptions(scene, joints);
  for (int j = 0; j < static_cast<int>(scene.joints.size()); ++j) {
    const JointSpec& spec = scene.joints[j];
    const JointRows* const rows = spec.first_axis == j ? joints.rows_of(j) : nullptr;
    if (rows == nullptr || !rows->has_axis() || rows->child == nullptr) {
      continue;
    }
    Observed& o = observed_.emplace_back();
    o.joint = j;
    o.rows = static_cast<const HingeRows*>(rows);
    o.state = &joints[j];
    o.child = bodies_.find(spec.child);
    o.parent = bodies_.find(spec.parent);
    o.body = static_cast<std::size_t>(bodies_.body_of(spec.child));
    o.joint_helps = !has_exception[o.body];
  }
}

// A tree has the number of its first body.
std::vector<bool> StepLosses::with_exceptions(const Scene& scene, Joints& joints) const {
  std::vector<int> tree(behind_.size());
  for (std::size_t b = 0; b < tree.size(); ++b) {
    tree[b] = behind_[b] >= 0 ? tree[behind_[b]] : static_cast<int>(b);
  }
  std::vector<bool> has(tree.size());
  for (int j = 0; j < static_cast<int>(scene.joints.size()); ++j) {
    const JointSpec& spec = scene.joints[j];
    const JointRows* const rows = spec.first_axis == j ? joints.rows_of(j) : nullptr;
    for (const int solid : {spec.parent, spec.child}) {
      const int body = bodies_.carrying_body(solid);
      if (rows != nullptr && body >= 0 && (!rows->has_axis() || spec.reference)) {
        has[tree[body]] = true;
      }
    }
  }
  for (std::size_t b = 0; b < tree.size(); ++b) {
    has[b] = has[tree[b]];
  }
  return has;
}

// After a change from outside, the velocities before the step are unknown, and so is what the rows
// have done.
std::vector<StepLoss> StepLosses::look(std::uint64_t revision) {
  const bool is_known = prepared_at_ != 0 && revision == prepared_at_ + 1;
  if (is_known) {
    for (Observed& o : observed_) {
      measure(o);
    }
  }
  std::vector<StepLoss> found;
  if (is_known && ++measured_ == kWindow) {
    found = judge();
    end_window(!found.empty());
  } else if (is_known && measured_ == kFirstLook &&
             std::none_of(observed_.begin(), observed_.end(),
                          [this](const Observed& o) { return may_lose(o); })) {
    end_window(false);
  }
  update_energies();
  for (Observed& o : observed_) {
    prepare(o);
  }
  prepared_at_ = revision;
  return found;
}

StepLosses::Relative StepLosses::relative_motion(const Observed& o) const {
  const Vec3 spin = to_vec3(o.child->spin);
  Relative motion{to_vec3(o.child->velocity) + cross(spin, o.arm), spin};
  if (o.parent != nullptr) {
    const Vec3 parent_spin = to_vec3(o.parent->spin);
    motion.velocity =
        motion.velocity - to_vec3(o.parent->velocity) - cross(parent_spin, o.parent_arm);
    motion.spin = motion.spin - parent_spin;
  }
  return motion;
}

// What acts along the axis is the work of motor, friction, stops and springs.
void StepLosses::measure(Observed& o) const {
  const bool is_hinge = o.rows->kind == RowsKind::Hinge;
  const auto& [force, torque] = o.rows->on_body;
  const Relative now = relative_motion(o);
  const Vec3 holds = is_hinge ? force : across(force, o.axis);
  const Vec3 about_arm = torque + cross(force, o.arm);
  const Vec3 turns = is_hinge ? across(about_arm, o.axis) : about_arm;
  o.work += 0.5 * h_ *
            (dot(holds, now.velocity + o.motion.velocity) + dot(turns, now.spin + o.motion.spin));
  o.stored = -0.5 * dot(force, o.gap);
  if (measured_ == 0) {
    o.first_stored = o.stored;
  }
  o.energies += o.energy;
  const double of_parent = o.parent != nullptr ? square(o.parent->spin) : 0.0;
  o.turns += std::max(square(o.child->spin), of_parent) * (h_ * h_);
  if (is_hinge) {
    const double rate = o.rows->is_moved ? o.rows->rate : o.rows->coordinate.rate();
    o.way += std::abs(rate) * h_;
    o.way_that_is += (o.state->position - o.position) * (rate < 0.0 ? -1.0 : 1.0);
  }
}

// A hinge acts at the anchor of each body. A slider acts between them, but its bodies turn alike,
// so that any point will do.
void StepLosses::prepare(Observed& o) const {
  dVector3 v;
  const Vec3 center = to_vec3(o.child->position);
  if (o.rows->kind == RowsKind::Hinge) {
    dJointGetHingeAxis(o.rows->joint, v);
    o.axis = to_vec3(v);
    dJointGetHingeAnchor2(o.rows->joint, v);  // that of the child, also without a parent
    const Vec3 anchor = to_vec3(v);
    o.arm = anchor - center;
    dJointGetHingeAnchor(o.rows->joint, v);
    o.gap = anchor - to_vec3(v);
    if (o.parent != nullptr) {
      o.parent_arm = to_vec3(v) - to_vec3(o.parent->position);
    }
  } else {
    dJointGetSliderAxis(o.rows->joint, v);
    o.axis = to_vec3(v);
    if (o.parent != nullptr) {
      o.parent_arm = center - to_vec3(o.parent->position);
    }
  }
  o.motion = relative_motion(o);
  o.position = o.state->position;
  o.energy = energies_[o.body];
}

// A body comes before those behind it.
void StepLosses::update_energies() {
  for (std::size_t b = energies_.size(); b-- > 0;) {
    energies_[b] = kinetic_energy(bodies_[static_cast<int>(b)], bodies_.rigid_bodies()[b].mass);
  }
  for (const Observed& o : observed_) {  // an armature is a mass behind its joint
    const double rate = o.rows->is_moved ? o.rows->rate : o.rows->coordinate.rate();
    energies_[o.body] += 0.5 * o.rows->axis.spring.per_rate * h_ * (rate * rate);
  }
  for (std::size_t b = energies_.size(); b-- > 0;) {
    if (behind_[b] >= 0) {
      energies_[behind_[b]] += energies_[b];
    }
  }
}

// What the gap still stores counts here, as the joint may lose it yet.
bool StepLosses::may_lose(const Observed& o) const {
  const bool turns = o.turns > kFirstLook * (kLeastTurn * kLeastTurn);
  const bool loses_energy = turns && -o.work > 0.5 * kEnergyPerSecond * h_ * o.energies;
  return !is_found_[o.joint] && (loses_energy || o.way - o.way_that_is > 0.5 * kOfWay * o.way);
}

// A joint that is slow by itself, or hardly moves, loses nothing that anybody would notice.
StepLoss StepLosses::loss_of(const Observed& o) const {
  StepLoss loss{o.joint};
  const double lost = -o.work - std::max(0.0, o.stored - o.first_stored);
  const double of_energy = o.energies > 0.0 ? lost / o.energies : 0.0;
  const double of_way = o.way > 0.0 ? 1.0 - o.way_that_is / o.way : 0.0;
  if (o.turns > kWindow * (kLeastTurn * kLeastTurn) && of_energy > kEnergyPerSecond * h_) {
    loss.per_step = of_energy;
    // The loss per second grows with h³.
    loss.enough_ms = 1e3 * h_ * std::cbrt(kEnoughPerSecond * h_ / of_energy);
  } else if (o.way > kWindow * kLeastTurn && of_way > kOfWay) {
    loss.of = StepLoss::Of::Way;
    loss.per_step = of_way;
    // The share grows with h².
    loss.enough_ms = 1e3 * h_ * std::sqrt(kEnoughOfWay / of_way);
  }
  loss.joint_helps = o.joint_helps;
  return loss;
}

std::vector<StepLoss> StepLosses::judge() {
  std::vector<StepLoss> found;
  for (const Observed& o : observed_) {
    StepLoss loss = loss_of(o);
    if (loss.per_step > 0.0 && !is_found_[o.joint] && found_ < kMost) {
      is_found_[o.joint] = true;
      loss.enough_ms = step_within(1e3 * h_, loss.enough_ms);
      loss.is_last = ++found_ == kMost;
      found.push_back(loss);
    }
  }
  return found;
}

void StepLosses::end_window(bool has_found) {
  for (Observed& o : observed_) {
    o.work = o.energies = o.turns = o.way = o.way_that_is = 0.0;
  }
  measured_ = 0;
  pause_ = has_found ? 0 : std::clamp(8 * pause_, kWindow, kLongestPause);
  pause_left_ = pause_;
}

double StepLosses::work() const {
  double sum = 0.0;
  for (const Observed& o : observed_) {
    sum += o.work;
  }
  return sum;
}

void StepLosses::restore_from(const StepLosses& before, const SceneMatch& match) {
  for (std::size_t j = 0; j < is_found_.size(); ++j) {
    is_found_[j] = match.joints[j] >= 0 && before.is_found_[match.joints[j]];
  }
  found_ = before.found_;
}

}  // namespace servosim
