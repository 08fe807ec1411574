// SPDX-License-Identifier: Apache-2.0
// A tree in its own coordinates, of which the tree solver finds the accelerations, together with
// those of what touches it.
#include <algorithm>
#include <array>
#include <cmath>

#include "physics/tree/tree_coordinates.h"

namespace servosim {

// No state has the states in which rows start, on which it may depend whether a solution is found.
// So those of the last step do not count.
void TreeCoordinates::begin_in_island() {
  read();
  next_history_ = history_;
  begin_from(history_, settings_.h);
  for (std::size_t i = range_.begin; i < range_.end; ++i) {
    forest_.nodes[i].rows.forget();
  }
}

// With t₀, the motion of a link by the rates before the step in the places of this evaluation, the
// solver's unknown is u = t₀/h + t'. So its rates are those after the step, divided by h. With the
// kernel's d, the t' of the centre of mass for q'' = 0, which has −g, and f = M·d − forces,
//
//     M·u = M·(t₀/h + d + g) − f,    u_c − u_p = (d_c − d_p of the anchor) + s·q'⁺/h
//
// With J, the Jacobian in the middle of the step, h·u = J·q'⁺ + h·J'·q̄', but a link has J·q'⁺ +
// h/2·J'·q̄' after the step. So rows on bodies, which ask for that, find h/2·J'·q̄' too much.
void TreeCoordinates::place_in_island(std::span<SpatialVector> excess) {
  LinkStep<Vec3>& step = *step_;
  step.place({settings_.h, rule_.evaluations}, settings_.gravity);
  set_rows(settings_, 1);
  const bool has_springs =
      rule_.evaluations != 1 && std::any_of(axes_.begin(), axes_.end(), [](const Axis& axis) {
        return axis.node != nullptr && axis.joint->axis->axis.spring.active;
      });
  LinkKernel<Vec3>& kernel = step.kernel();
  if (has_springs) {  // their rows need the inertia that the axis moves
    Rows rows{*this, settings_, true};
    kernel.solve(rows, step.rates.data(), settings_.per_step);
  }
  const auto& links = model_.links();
  for (std::size_t l = 0; l < links.size(); ++l) {
    const TreeLink& link = links[l];
    const LinkStateOf<Vec3>& state = kernel.state(l);
    const TreeBody& body = forest_.bodies[range_.begin + l];
    TreeNode& node = *body.node;
    // t₀ and the acceleration of the centre of mass for q'' = 0.
    SpatialVector& start = start_motions_[l];
    if (link.kind == LinkKind::Free) {
      const double* const v = &step.rates[link.rate];
      start = {{v[0], v[1], v[2]}, state.rotation * Vec3{v[3], v[4], v[5]}};
    } else {
      start = link.parent >= 0 ? start_motions_[static_cast<std::size_t>(link.parent)]
                               : SpatialVector{};
      if (link.has_axis()) {
        start = start + step.rates[link.rate] * state.along_rate;
      }
    }
    const Vec3& spin = state.motion.angular;
    const Vec3& c = state.center;
    SpatialVector& drift = drifts_[l];
    drift = {state.drift.linear + cross(state.drift.angular, c) +
                 cross(spin, state.motion.linear + cross(spin, c)),
             state.drift.angular};
    node.mass = link.mass;
    node.inertia = rotated(state.rotation, link.inertia);
    const SpatialVector wanted =
        settings_.per_step * motion_at(start, c) + drift + SpatialVector{settings_.gravity, {}};
    node.load = SpatialVector{link.mass * wanted.linear, node.inertia * wanted.angular} -
                force_from(state.own_force, -c);
    node.linear_softness = node.angular_softness = 0.0;
    node.arm = node.parent_arm = Vec3{};
    node.drift = {};
    excess[range_.begin + l] = {};
    if (link.kind == LinkKind::Free) {
      continue;
    }
    node.arm = state.anchor - c;
    // With one evaluation u is already that after the step.
    if (rule_.evaluations != 1) {
      excess[range_.begin + l] =
          0.5 * motion_at(drift + SpatialVector{settings_.gravity, {}}, node.arm);
    }
    SpatialVector of_parent{-settings_.gravity, {}};
    if (link.parent >= 0) {
      const auto p = static_cast<std::size_t>(link.parent);
      node.parent_arm = state.anchor - kernel.state(p).center;
      of_parent = motion_at(drifts_[p], node.parent_arm);
    }
    node.drift = motion_at(drift, node.arm) - of_parent;
    node.axis = link.kind == LinkKind::Hinge ? state.along_rate.angular : state.along_rate.linear;
  }
}

bool TreeCoordinates::take_in_island() {
  const auto& links = model_.links();
  const LinkStep<Vec3>& step = *step_;
  for (std::size_t l = 0; l < links.size(); ++l) {
    const TreeLink& link = links[l];
    const TreeNode& node = forest_.nodes[range_.begin + l];
    if (link.kind == LinkKind::Free) {
      const Vec3& v = node.motion.linear;
      const Vec3 w = transposed(step.kernel().state(l).rotation) * node.motion.angular;
      const std::array<double, 6> found{v.x, v.y, v.z, w.x, w.y, w.z};
      for (std::size_t i = 0; i < found.size(); ++i) {
        start_[i] = found[i] - settings_.per_step * step.rates[i];
      }
    } else if (link.has_axis()) {
      SpatialVector apart = motion_at(node.motion, node.arm) - node.drift;
      if (link.parent >= 0) {
        apart =
            apart -
            motion_at(forest_.nodes[range_.begin + static_cast<std::size_t>(link.parent)].motion,
                      node.parent_arm);
      }
      start_[link.rate] = part_along_axis(node, apart) - settings_.per_step * step.rates[link.rate];
    }
  }
  return step_->accept({settings_.h, rule_.evaluations}, start_.data(), false);
}

bool TreeCoordinates::finish_in_island() {
  const std::vector<double>& found = step_->accelerations();
  if (!std::all_of(found.begin(), found.end(), [](double a) { return std::isfinite(a); })) {
    return false;
  }
  step_->take({settings_.h, rule_.evaluations});
  add_to(next_history_, settings_.h);
  next_history_.roughness = 0.0;
  find_poses();
  return true;
}

void TreeCoordinates::leave_island() {
  forget();
  for (std::size_t i = range_.begin; i < range_.end; ++i) {
    TreeNode& node = forest_.nodes[i];
    const bool is_joint = node.kind != TreeNode::Kind::Root;
    node.linear_softness = node.angular_softness = is_joint ? settings_.softness : 0.0;
  }
}

}  // namespace servosim
