// SPDX-License-Identifier: Apache-2.0
#include "physics/tree/tree_coupling.h"

#include <algorithm>
#include <cmath>

#include "base/assert.h"
#include "base/coupling_limits.h"
#include "physics/bodies.h"
#include "physics/ode_library.h"

namespace servosim {

namespace {

// The softness of a rigid coupling, relative to the mobility of its joints: the error that it
// leaves is rounding.
constexpr double kHardness = 1e-13;
// The same for a flank. Both flanks together have a solution, if one that breaks their bounds.
constexpr double kHardnessOfFlanks = 1e-9;
// A step may leave this error, relative to 1 rad or m and the position, for the next one.
constexpr double kNearEnough = 1e-13;

// Returns the motion of a body before the step, or the one that was found, divided by h.
SpatialVector motion_of(const TreeBody& body, double h, bool is_found) {
  return is_found
             ? body.node->motion
             : (1.0 / h) * SpatialVector{to_vec3(body.body->velocity), to_vec3(body.body->spin)};
}

// Returns the pose of a body after a step with this motion.
BodyFrame moved(const TreeBody& body, const SpatialVector& motion, double h) {
  const MovedBody to = moved_by_step(body.limits, body.frame.turn, body.frame.center, motion, h);
  return {rotation_of<Vec3>(to.turn), to.turn, to.center};
}

}  // namespace

TreeCoupling::Places::Places(const Forest& forest) {
  for (std::size_t i = 0; i < forest.joints.size(); ++i) {
    if (const SolvedJoint& joint = forest.joints[i].solved(); joint.axis != nullptr) {
      of[joint.axis] = {&joint, &forest.nodes[i], i};
    }
  }
  for (const LoopJoint& loop : forest.loops) {
    if (const SolvedJoint& joint = loop.solved(); joint.axis != nullptr) {
      of[joint.axis] = {&joint, &loop.placed(),
                        static_cast<std::size_t>(joint.child->node - forest.nodes.data())};
    }
  }
}

TreeCoupling::TreeCoupling(const CouplingRows& coupling, const Places& places) : of_(coupling) {
  SERVOSIM_ASSERT(of_.terms.size() > 1 && of_.terms.size() <= kMaxCoupledJoints, "{} joints",
                  of_.terms.size());
  for (const CouplingRows::Term& term : of_.terms) {
    terms_.push_back({places.of.at(term.joint), term.ratio});
  }
}

double TreeCoupling::error_before() const {
  double error = -of_.offset;
  for (const Term& term : terms_) {
    error += term.ratio * term.joint->axis->axis.position;
  }
  return error;
}

// The position of a joint follows from the poses of its bodies. Of all turns, those count that are
// nearest to what its rate says.
double TreeCoupling::error_after(const StepSettings& settings, bool is_found) const {
  const double h = settings.h;
  double error = -of_.offset;
  for (const Term& term : terms_) {
    const HingeRows& rows = *term.joint->axis;
    const TreeBody* const on_parent = term.joint->parent;
    SpatialVector apart = motion_of(*term.joint->child, h, is_found);
    const BodyFrame child = moved(*term.joint->child, apart, h);
    BodyFrame parent;
    if (on_parent != nullptr) {
      const SpatialVector of_parent = motion_of(*on_parent, h, is_found);
      parent = moved(*on_parent, of_parent, h);
      apart = apart - of_parent;
    }
    const bool child_is_first = rows.coordinate.has_first(*term.joint->child->body);
    const double place =
        rows.offset + (child_is_first ? rows.coordinate.position_in(
                                            child, on_parent != nullptr ? &parent : nullptr)
                                      : rows.coordinate.position_in(parent, &child));
    const double way = h * h * dot(term.placed->axis, apart.angular);
    error += term.ratio *
             (rows.kind == RowsKind::Hinge ? wrap_near(place, rows.axis.position + way) : place);
  }
  return error;
}

void TreeCoupling::add_row(const RowTerms& terms, Row::State first_state,
                           std::vector<BodyRow>& rows) const {
  const std::size_t first = rows.size();
  double mobility = 0.0;
  for (const Term& term : terms_) {
    BodyRow& row = rows.emplace_back();
    mobility += term.joint->set_ends(
        *term.placed, term.ratio * along(term.joint->geometry.kind(), term.placed->axis), row);
    row.has_further_ends = rows.size() > first + 1;
  }
  BodyRow& row = rows[first];
  row.more = static_cast<std::uint16_t>(terms_.size() - 1);
  row.set(terms);
  row.first_state.fill(first_state);
  row.softness =
      std::max(row.softness, (of_.play == 0.0 ? kHardness : kHardnessOfFlanks) * mobility);
  row.inertia = 1.0 / mobility;
}

// A step may last longer than the way to an end of free play, so rows exist within the play, too.
void TreeCoupling::add_rows(const StepSettings& settings, CoupledStep step,
                            std::vector<BodyRow>& rows) {
  first_row_ = rows.size();
  const double per_h2 = settings.per_step * settings.per_step;
  const double error = error_before();
  double rate = 0.0;
  double drift = 0.0;  // what the motion of the bodies along the axes has besides Σ r_k·p'_k⁺/h
  for (const Term& term : terms_) {
    const HingeRows& joint = *term.joint->axis;
    drift +=
        term.ratio * dot(along(term.joint->geometry.kind(), term.placed->axis), term.placed->drift);
    rate += term.ratio * (joint.knows_rate ? joint.rate : joint.coordinate.rate());
  }
  // Adds the row that brings e to `end`.
  const auto add = [&](double end, double low, double high, Row::State first_state) {
    const double apart = end - error;
    const bool is_within = low == 0.0 ? apart < 0.0 : high == 0.0 && apart > 0.0;
    const double softness = per_h2 * of_.compliance;
    RowTerms terms{softness, per_h2 * apart, low, high};
    if (!is_within && of_.compliance == 0.0) {
      terms.target = settings.position_gain * apart;
    } else if (!is_within && step == CoupledStep::AtMiddle) {
      terms.softness = 4.0 * softness;
      terms.target = 4.0 * per_h2 * apart - settings.per_step * rate;
    }
    terms.target += drift;
    targets_[(rows.size() - first_row_) / terms_.size()] = terms.target;
    add_row(terms, first_state, rows);
  };
  if (of_.play == 0.0) {
    add(0.0, -kInfinity, kInfinity, Row::State::Inside);
  } else {
    add(-0.5 * of_.play, 0.0, kInfinity, Row::State::AtLow);
    add(0.5 * of_.play, -kInfinity, 0.0, Row::State::AtHigh);
  }
  missed_ = 0.0;
  last_.reset();
  if (step == CoupledStep::OfBodies) {  // a first estimate, from the motion before the step
    correct_by(error_after(settings, false) - error - settings.h * rate, settings, rows);
  }
}

void TreeCoupling::correct_by(double missed, const StepSettings& settings,
                              std::span<BodyRow> rows) {
  missed_ = missed;
  const std::size_t count = of_.play == 0.0 ? 1 : 2;
  for (std::size_t i = 0; i < count; ++i) {
    rows[first_row_ + i * terms_.size()].target =
        targets_[i] - missed * settings.per_step * settings.per_step;
  }
}

// Each solution is nearer by a factor s of about (h·ω/2)², since what the bodies miss hardly
// depends on the correction. From the third one on, two trials tell s.
bool TreeCoupling::correct_targets(const StepSettings& settings, std::span<BodyRow> rows) {
  constexpr double kMostPerTrial = 0.5;  // of s; beyond, other couplings have changed the result
  const double error = error_after(settings, true);
  const double missed = error - error_before() - settings.h * settings.h * rows[first_row_].rate;
  const double off = missed - missed_;
  if (std::abs(off) <= kNearEnough * (1.0 + std::abs(error + of_.offset))) {
    return false;
  }
  double s = 0.0;
  if (last_ && missed_ != last_->missed) {
    const double slope = 1.0 + (off - last_->off) / (missed_ - last_->missed);
    s = std::abs(slope) <= kMostPerTrial ? slope : 0.0;
  }
  last_ = Trial{missed_, off};
  correct_by(missed_ + off / (1.0 - s), settings, rows);
  return true;
}

void TreeCouplings::add(std::span<const CouplingRows> couplings, const Forest& forest,
                        std::span<const std::size_t> ends, Islands& islands) {
  if (couplings.empty()) {
    return;
  }
  by_tree_.resize(ends.size());
  const TreeCoupling::Places places(forest);
  for (const CouplingRows& coupling : couplings) {
    const TreeCoupling& added = couplings_.emplace_back(coupling, places);
    int first = -1;
    added.for_each_node([&](std::size_t node) {
      const auto end = std::upper_bound(ends.begin(), ends.end(), node);
      const int tree = static_cast<int>(end - ends.begin());
      first = first < 0 ? tree : first;
      islands.couple(first, tree);
    });
    by_tree_[first].push_back(couplings_.size() - 1);
  }
}

void TreeCouplings::add_rows(std::span<const int> trees, const StepSettings& settings,
                             CoupledStep step, std::vector<BodyRow>& rows) {
  for_each_of(trees, [&](TreeCoupling& coupling) { coupling.add_rows(settings, step, rows); });
}

// Couplings ask for positions, which only the motion of the bodies gives.
bool TreeCouplings::solve(TreeSolver& solver, TreeSolver::Trees nodes, std::span<const int> trees,
                          const StepSettings& settings, std::span<BodyRow> rows) {
  constexpr int kMostCorrections = 6;
  bool solved = solver.solve(nodes, rows).solved;
  for (int i = 0; solved && i < kMostCorrections; ++i) {
    bool is_worth = false;
    for_each_of(trees, [&](TreeCoupling& coupling) {
      is_worth = coupling.correct_targets(settings, rows) || is_worth;
    });
    if (!is_worth) {
      break;
    }
    solved = solver.solve(nodes, rows).solved;
  }
  return solved;
}

}  // namespace servosim
