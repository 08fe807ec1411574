// SPDX-License-Identifier: Apache-2.0
#include "physics/tree/tree_coordinates.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "base/state_archive.h"
#include "physics/bodies.h"
#include "physics/ode_library.h"
#include "physics/rows/mean_spring.h"
#include "physics/tree/row_states.h"

namespace servosim {

// The accelerations of the last steps determine the last bits of the next one.
static void add_to_hash(Fnv1a& hash, double number) { hash.add(number); }

namespace {

// A step that does not settle is divided into at most this many parts.
constexpr int kMostParts = 64;
constexpr int kMostRounds = 200;

StepSettings settings_of_part(const StepSettings& whole, int parts) {
  StepSettings part = whole;
  part.h = whole.h / parts;
  part.per_step = whole.per_step * parts;
  part.softness = whole.softness * parts;
  part.motor_softness = whole.motor_softness * parts;
  part.position_gain = whole.position_gain * parts * parts;
  return part;
}

Vec3 limited_spin(const Vec3& spin, double most) {
  const double square = dot(spin, spin);
  return square > most * most ? (most / std::sqrt(square)) * spin : spin;
}

// Returns the rate d of the damping that leaves this share of a velocity in a step. It acts on the
// velocity that the step moves by: on the mean of those before and after it, or, with one
// evaluation, on that before it,
//
//     v⁺ − v = −d·h·(v + v⁺)/2,    or    v⁺ − v = −d·h·v
double decay_of(double rest, double per_step, int evaluations) {
  const double lost = 1.0 - rest;
  return (evaluations == 1 ? lost : 2.0 * lost / (1.0 + rest)) * per_step;
}

}  // namespace

std::unique_ptr<TreeCoordinates> TreeCoordinates::of(Forest& forest, const TreeRange& tree,
                                                     const StepSettings& settings,
                                                     const IntegratorRule& rule) {
  // No public constructor, since not every tree has coordinates.
  std::unique_ptr<TreeCoordinates> made(new TreeCoordinates(forest, tree, settings, rule));
  for (std::size_t i = tree.begin; i < tree.end; ++i) {
    if (!made->add_link(i)) {
      return nullptr;
    }
  }
  const std::size_t rates = made->model_.rates();
  for (std::size_t r = 0; r < rates; ++r) {
    const Axis& axis = made->axes_[r];
    if (axis.node != nullptr && axis.joint->axis->axis.spring.per_rate > 0.0) {
      made->armatures_.resize(rates);
      made->armatures_[r] = axis.joint->axis->axis.spring.per_rate * settings.h;
    }
  }
  made->step_ = std::make_unique<LinkStep<Vec3>>(made->model_);
  made->step_->forces.resize(made->model_.links().size());
  made->history_ = made->next_history_ = StepHistory(rates);
  made->start_.resize(rates);
  made->start_motions_.resize(made->model_.links().size());
  made->drifts_.resize(made->model_.links().size());
  made->moved_.resize(made->model_.links().size());
  made->by_joints_.resize(made->model_.links().size());
  made->momenta_.resize(made->model_.links().size());
  made->positions_before_.resize(made->model_.positions());
  made->rates_before_.resize(rates);
  return made;
}

TreeCoordinates::TreeCoordinates(Forest& forest, const TreeRange& tree,
                                 const StepSettings& settings, const IntegratorRule& rule)
    : forest_(forest), range_(tree), settings_(settings), rule_(rule) {}

// The positions of joints are 0 in the present poses.
bool TreeCoordinates::add_link(std::size_t index) {
  TreeNode& node = forest_.nodes[index];
  const TreeBody& body = forest_.bodies[index];
  const bool is_first = index == range_.begin;
  TreeLink link;
  link.mass = body.inertial.mass;
  link.inertia = body.inertial.inertia;
  link.linear_decay = decay_of(body.limits.linear_rest, settings_.per_step, rule_.evaluations);
  link.angular_decay = decay_of(body.limits.angular_rest, settings_.per_step, rule_.evaluations);
  link.parent = static_cast<int>(index - range_.begin) - static_cast<int>(node.above);
  if (node.above == 0) {
    link.parent = TreeLink::kWorld;
    if (!is_first && model_.links().front().kind == LinkKind::Free) {
      return false;
    }
  }
  if (node.kind == TreeNode::Kind::Root) {
    model_.add(link);
    axes_.resize(model_.rates());
    return true;
  }
  switch (node.kind) {
    case TreeNode::Kind::Rigid:
      link.kind = LinkKind::Fixed;
      break;
    case TreeNode::Kind::Hinge:
      link.kind = LinkKind::Hinge;
      break;
    case TreeNode::Kind::Slider:
      link.kind = LinkKind::Slider;
      break;
    default:
      return false;
  }
  const SolvedJoint& joint = forest_.joints[index].solved();
  const BodyFrame child = frame_of(body.body->id);
  const BodyFrame parent =
      node.above > 0
          ? frame_of(forest_.bodies[index - static_cast<std::size_t>(node.above)].body->id)
          : BodyFrame{};
  PlacedJoint placed;
  joint.geometry.place(child, node.above > 0 ? &parent : nullptr, 0.0, placed);
  const Vec3 anchor = link.kind == LinkKind::Hinge ? child.center + placed.arm : child.center;
  if (is_first) {
    reference_ = anchor;
  }
  const Mat3 to_parent = transposed(parent.rotation);
  link.anchor = node.above > 0 ? to_parent * (anchor - parent.center) : anchor - reference_;
  link.arm = transposed(child.rotation) * (child.center - anchor);
  link.set_turn(to_parent * placed.axis, conjugated(parent.turn) * child.turn);
  model_.add(link);
  if (link.has_axis()) {
    axes_.push_back({&node, &joint, model_.links().size() - 1});
  }
  return true;
}

void TreeCoordinates::read() {
  LinkStep<Vec3>& step = *step_;
  for (std::size_t i = range_.begin; i < range_.end; ++i) {
    const TreeBody& body = forest_.bodies[i];
    step.forces[i - range_.begin] = {to_vec3(body.force), to_vec3(body.torque)};
    const double* const q = body.body->quaternion;
    moved_[i - range_.begin] = {{q[0], q[1], q[2], q[3]},
                                to_vec3(body.body->position),
                                to_vec3(body.body->velocity),
                                to_vec3(body.body->spin)};
  }
  if (model_.links().front().kind == LinkKind::Free) {
    const Body& root = *forest_.bodies[range_.begin].body;
    std::copy_n(root.position, 3, step.positions.begin());
    std::copy_n(root.quaternion, 4, step.positions.begin() + 3);
    if (knows_rates_ == 0.0) {
      std::copy_n(root.velocity, 3, step.rates.begin());
      const Vec3 spin = transposed(to_mat3(root.rotation)) * to_vec3(root.spin);
      step.rates[3] = spin.x;
      step.rates[4] = spin.y;
      step.rates[5] = spin.z;
    }
  }
  for (Axis& axis : axes_) {
    if (axis.node == nullptr) {
      continue;
    }
    const TreeLink& link = model_.links()[axis.link];
    const HingeRows& rows = *axis.joint->axis;
    if (knows_rates_ != 0.0) {
      step.positions[link.position] = rows.axis.position - rows.offset;
    } else {
      step.positions[link.position] = rows.coordinate.position();
      step.rates[link.rate] = rows.coordinate.rate();
    }
    axis.position = rows.axis.position;
    axis.from_rest = rows.axis.spring.from_rest;
    axis.stop_erp = rows.axis.stops.erp;
    if (rows.servo != nullptr) {
      axis.passive = rows.servo->step.passive;
    }
  }
  if (knows_rates_ == 0.0) {
    project_rates();
  }
  positions_before_ = step.positions;
  rates_before_ = step.rates;
  knows_rates_ = 0.0;  // until the bodies have moved: the step may fail
}

// Velocities that were set from outside may not be those of a motion of the joints. The rates are
// then those whose motion is nearest: with J, the Jacobian of all links, M, their inertias, and v,
// their velocities, Σ (v − J·q')ᵀ·M·(v − J·q') is least for JᵀMJ·q' = JᵀM·v. So q' is the
// acceleration from rest by forces that are equal to the momenta.
void TreeCoordinates::project_rates() {
  constexpr double kRounding = 1e-12;  // of the kinetic energy
  LinkStep<Vec3>& step = *step_;
  LinkKernel<Vec3>::find_poses(model_, reference_, step.positions.data(), step.rates.data(),
                               by_joints_.data());
  double kinetic = 0.0;
  double apart = 0.0;
  for (std::size_t l = 0; l < moved_.size(); ++l) {
    const TreeLink& link = model_.links()[l];
    const auto& body = moved_[l];
    const SymMat3 inertia = rotated(rotation_of(body.turn), link.inertia);
    const SpatialVector momentum{link.mass * body.velocity, inertia * body.spin};
    const Vec3 slip = body.velocity - by_joints_[l].velocity;
    const Vec3 twist = body.spin - by_joints_[l].spin;
    kinetic += dot(momentum, {body.velocity, body.spin});
    apart += link.mass * dot(slip, slip) + dot(twist, inertia * twist);
    momenta_[l] = momentum;
  }
  if (!(apart > kRounding * kinetic)) {
    return;
  }
  struct NoRows {
    static bool fold(std::size_t /*rate*/, double /*inertia*/, FoldedRows<double>& /*folded*/) {
      return false;
    }
  } none;
  LinkKernel<Vec3>& kernel = step.kernel();
  std::fill(step.rates.begin(), step.rates.end(), 0.0);
  kernel.place(step.positions.data(), step.rates.data(), {}, momenta_.data(), 1.0);
  kernel.solve(none, step.rates.data(), 1.0);
  std::copy_n(kernel.accelerations(), step.rates.size(), step.rates.begin());
  find_poses();
}

// What the joints have set is for the whole step. The rotor of a servo is a mass, whose row depends
// on the length of a part and on the rate before it. A stop asks for the rate erp·e/h, with the
// length h of the whole step: a longer part may have made the error e, which a shorter one would
// throw back with more energy than there was.
void TreeCoordinates::set_demand(const Axis& axis, std::size_t rate, int parts) const {
  HingeRows& rows = *axis.joint->axis;
  const std::size_t at = model_.links()[axis.link].position;
  const double moved = step_->positions[at] - positions_before_[at];
  AxisDemand& demand = rows.axis;
  demand.position = axis.position + moved;
  demand.is_at_stop = demand.stops.hold(demand.position);
  demand.stops.erp = axis.stop_erp / parts;
  demand.spring.from_rest = axis.from_rest + moved;
  if (rows.servo != nullptr) {
    ServoStep& step = rows.servo->step;
    step.passive = axis.passive;
    step.passive.stiffness += step.armature * (parts - 1);
    step.passive.force += step.armature * (parts * step_->rates[rate] - rates_before_[rate]);
  }
}

// As the joints have set it, for whoever solves or measures this step.
void TreeCoordinates::restore_demands() const {
  for (std::size_t r = 0; r < axes_.size(); ++r) {
    const Axis& axis = axes_[r];
    if (axis.node != nullptr) {
      HingeRows& rows = *axis.joint->axis;
      rows.axis.spring.rate = rates_before_[r];
      rows.axis.position = axis.position;
      rows.axis.is_at_stop = rows.axis.stops.hold(axis.position);
      rows.axis.stops.erp = axis.stop_erp;
      rows.axis.spring.from_rest = axis.from_rest;
      if (rows.servo != nullptr) {
        rows.servo->step.passive = axis.passive;
      }
    }
  }
}

// The states of rows are not kept from step to step, so that a saved state needs none.
void TreeCoordinates::set_rows(const StepSettings& settings, int parts) {
  for (std::size_t r = 0; r < axes_.size(); ++r) {
    const Axis& axis = axes_[r];
    if (axis.node == nullptr) {
      continue;
    }
    if (parts > 1) {
      set_demand(axis, r, parts);
    }
    axis.joint->axis->axis.spring.rate = step_->rates[r];
    axis.joint->set_axis_rows(settings, axis.node->rows);
    for (AxisRow& row : axis.node->rows) {
      row.state = Row::State::Inside;
    }
  }
}

bool TreeCoordinates::Rows::fold(std::size_t rate, double inertia, FoldedRows<double>& folded) {
  const Axis& axis = tree.axes_[rate];
  AxisRows& rows = axis.node->rows;
  const double whole = tree.settings_.h;
  const SpringRow& spring = axis.joint->axis->axis.spring;
  if (spring.active && (takes_mean || settings.h < whole)) {
    for (AxisRow& row : rows) {
      if (row.owner == AxisRow::Owner::Soft) {
        row.set(takes_mean ? mean_spring_row_terms(spring, whole, tree.step_->rates[rate], inertia,
                                                   settings)
                           : spring_row_terms(spring_in_part(spring, whole, settings.h), settings));
      }
    }
  }
  const bool is_inside = !rows.empty() && servosim::fold(rows, folded);
  folded.force += axis.joint->axis->direct_force();
  return is_inside;
}

bool TreeCoordinates::Rows::settle(const LinkKernel<Vec3>& kernel, int round) {
  if (round == 0) {
    has_failed = false;
    fewest = static_cast<std::size_t>(-1);
    rounds_without_gain = 0;
  }
  std::size_t broken = 0;
  AxisRow* last = nullptr;
  Row::State last_to{};
  const bool one_by_one = rounds_without_gain >= kRoundsWithoutGain;
  for (std::size_t r = 0; r < tree.axes_.size(); ++r) {
    const Axis& axis = tree.axes_[r];
    if (axis.node == nullptr || axis.node->rows.empty()) {
      continue;
    }
    const double inertia = kernel.state(axis.link).along_axis;
    distribute(kernel.accelerations()[r] + tree.step_->rates[r] * settings.per_step,
               kernel.force_of_rows(axis.link) - axis.joint->axis->direct_force(), axis.node->rows);
    for (AxisRow& row : axis.node->rows) {
      Row::State to{};
      if (breaks_bounds(row, inertia, to)) {
        ++broken;
        last = &row;
        last_to = to;
        if (!one_by_one) {
          row.state = to;
        }
      }
    }
  }
  if (broken == 0) {
    return false;
  }
  if (one_by_one) {
    last->state = last_to;
  }
  if (broken < fewest) {
    fewest = broken;
    rounds_without_gain = one_by_one ? rounds_without_gain : 0;
  } else {
    ++rounds_without_gain;
  }
  has_failed = round >= kMostRounds;
  return !has_failed;
}

// The parts are of lengths h/2ⁿ, and each begins at a multiple of its length.
CoordinateOutcome TreeCoordinates::solve() {
  read();
  next_history_ = history_;
  CoordinateOutcome outcome;
  if (rule_.accuracy > 0.0 && rule_.evaluations != 1 && next_history_.steps == 0.0) {
    find_start();
    ++outcome.evaluations;
  }
  int done = 0;               // in shares of 1/kMostParts of the step
  int longest = kMostParts;   // share that the next part may have
  int shortest = kMostParts;  // share that any part had
  while (done < kMostParts) {
    int share = std::min(longest, done == 0 ? kMostParts : done & -done);
    while (share > 1 && !is_accurate(share, next_history_.roughness)) {
      share /= 2;
    }
    shortest = std::min(shortest, share);
    if (solve_part(share, outcome.evaluations)) {
      done += share;
      ++outcome.parts;
      longest = 2 * share;
    } else if (share > 1) {
      longest = share / 2;
    } else {
      break;
    }
  }
  outcome.is_solved = done == kMostParts;
  if (shortest < kMostParts) {
    restore_demands();
  }
  return outcome;
}

// The forces of springs and servos are those of the shortest part, since those of a long one would
// tell nothing of how fast they change.
void TreeCoordinates::find_start() {
  const StepSettings settings = settings_of_part(settings_, kMostParts);
  Rows rows{*this, settings, true};
  set_rows(settings, kMostParts);
  begin_from(next_history_, settings.h);
  step_->solve({settings.h, 1}, settings_.gravity, rows);
  add_to(next_history_, 0.0);
  restore_demands();
}

bool TreeCoordinates::solve_part(int share, int& evaluations) {
  LinkStep<Vec3>& step = *step_;
  StepHistory& history = next_history_;
  const int parts = kMostParts / share;
  const StepSettings settings = settings_of_part(settings_, parts);
  const StepRule rule{settings.h, rule_.evaluations};
  const bool is_midpoint = rule.evaluations != 1;
  Rows rows{*this, settings, is_midpoint};
  set_rows(settings, parts);
  begin_from(history, rule.h);
  const SolvedStep solved = step.solve(rule, settings_.gravity, rows);
  evaluations += solved.evaluations;
  const bool is_finite =
      std::all_of(step.accelerations().begin(), step.accelerations().end(),
                  [](double acceleration) { return std::isfinite(acceleration); });
  if (rows.has_failed || !is_finite) {
    return false;
  }
  const double roughness = rule_.accuracy > 0.0 ? this->roughness(rule) : 0.0;
  if (share > 1 && !(solved.has_settled && is_accurate(share, roughness) && !turns_far(rule.h))) {
    return false;
  }
  if (!take_part(rule) && share > 1) {
    step.positions = positions_of_part_;
    step.rates = rates_of_part_;
    find_poses();
    return false;
  }
  add_to(history, rule.h);
  history.roughness = roughness;
  return true;
}

bool TreeCoordinates::take_part(const StepRule& rule) {
  LinkStep<Vec3>& step = *step_;
  const bool is_midpoint = rule.evaluations != 1;
  const bool keeps_energy = is_midpoint && is_without_row_inside();
  if (keeps_energy) {
    find_poses();  // those of the bodies may have other last digits than those by the state alone
  }
  const double before = keeps_energy ? balance().energy().total() : 0.0;
  const double work = keeps_energy ? work_of_middle(rule.h) : 0.0;
  const bool keeps_momentum = is_midpoint && is_free_and_undamped();
  const Vec3 origin = moved_.front().center;  // of angular momenta
  const TreeMomentum momentum = keeps_momentum ? balance().momentum(origin) : TreeMomentum{};
  positions_of_part_ = step.positions;
  rates_of_part_ = step.rates;
  step.take(rule);
  find_poses();
  if (keeps_momentum) {
    const Vec3 root_in_middle = 0.5 * (moved_.front().center - origin);
    const TreeMomentum push = balance().impulse(root_in_middle, rule.h);
    balance().balance_momentum({momentum.linear + push.linear, momentum.angular + push.angular},
                               origin);
  }
  return !keeps_energy || !balance().balance_energy(before + work, true);
}

// The error of a part may be as large a share of the whole as its length.
bool TreeCoordinates::is_accurate(int share, double roughness) const {
  const double of_step = static_cast<double>(share) / kMostParts;
  return !(rule_.accuracy > 0.0) || local_error({of_step * settings_.h, rule_.evaluations},
                                                roughness) <= of_step * rule_.accuracy;
}

// If a joint turns far, the accelerations of two steps may be near by chance.
bool TreeCoordinates::turns_far(double h) const {
  constexpr double kFar = 1.0;  // [rad]
  const LinkStep<Vec3>& step = *step_;
  const auto is_far = [&step, h](std::size_t rate) {
    return std::abs(step.rates[rate] + 0.5 * h * step.accelerations()[rate]) * h > kFar;
  };
  const auto& links = model_.links();
  return rule_.accuracy > 0.0 &&
         std::any_of(links.begin(), links.end(), [&is_far](const TreeLink& link) {
           const std::size_t r = link.rate;
           return link.kind == LinkKind::Hinge  ? is_far(r)
                  : link.kind == LinkKind::Free ? is_far(r + 3) || is_far(r + 4) || is_far(r + 5)
                                                : false;
         });
}

// A row that is inside its bounds, of a motor or a stop, says how the axis moves, whatever the
// length of the step. A spring gives way. The law of a servo is made for the whole step, so that
// its parts would be worse.
double TreeCoordinates::roughness(const StepRule& rule) const {
  const std::vector<double>& found = step_->accelerations();
  const StepHistory& history = next_history_;
  double greatest = 0.0;
  for (std::size_t r = 0; r < found.size(); ++r) {
    const Axis& axis = axes_[r];
    if (axis.node != nullptr &&
        (axis.joint->axis->servo != nullptr ||
         std::any_of(axis.node->rows.begin(), axis.node->rows.end(), [](const AxisRow& row) {
           return row.owner != AxisRow::Owner::Soft && row.state == Row::State::Inside;
         }))) {
      continue;
    }
    const double rough = rule.evaluations == 1 ? std::abs(found[r])
                                               : 2.0 * std::abs(found[r] - history.last[r]) /
                                                     (rule.h + history.last_h);
    greatest = std::max(greatest, rough);
  }
  return greatest;
}

void TreeCoordinates::find_poses() {
  LinkKernel<Vec3>::find_poses(model_, reference_, step_->positions.data(), step_->rates.data(),
                               moved_.data());
}

// A free root has a momentum, which scaled rates would change.
bool TreeCoordinates::is_without_row_inside() const {
  return model_.links().front().kind != LinkKind::Free &&
         std::all_of(axes_.begin(), axes_.end(), [](const Axis& axis) {
           const bool is_armature = axis.joint->axis->axis.spring.is_armature();
           return std::all_of(axis.node->rows.begin(), axis.node->rows.end(),
                              [is_armature](const AxisRow& row) {
                                return row.state != Row::State::Inside ||
                                       (row.owner == AxisRow::Owner::Soft && is_armature);
                              });
         });
}

// Rows at a bound, forces on the bodies, and damping do work.
double TreeCoordinates::work_of_middle(double h) {
  const LinkStep<Vec3>& step = *step_;
  double power = balance().power_on_bodies();
  for (std::size_t r = 0; r < axes_.size(); ++r) {
    double force = axes_[r].joint->axis->direct_force();
    for (const AxisRow& row : axes_[r].node->rows) {
      force += row.force_at_bound();
    }
    power += force * (step.rates[r] + 0.5 * h * step.accelerations()[r]);
  }
  return power * h;
}

LinkBalance TreeCoordinates::balance() {
  return {*step_, moved_, settings_.gravity, reference_, armatures_};
}

bool TreeCoordinates::is_free_and_undamped() const {
  return model_.links().front().kind == LinkKind::Free && model_.links().size() > 1 &&
         std::all_of(model_.links().begin(), model_.links().end(), [](const TreeLink& link) {
           return link.linear_decay == 0.0 && link.angular_decay == 0.0;
         });
}

// Goes on in a line from the last two accelerations to the middle of the next part, but not farther
// than twice their distance.
void TreeCoordinates::begin_from(const StepHistory& history, double h) {
  const double distance =
      history.steps > 1.0
          ? std::min(2.0, (h + history.last_h) / (history.last_h + history.before_h))
          : 0.0;
  for (std::size_t r = 0; r < start_.size(); ++r) {
    start_[r] = history.steps > 0.0
                    ? history.last[r] + distance * (history.last[r] - history.before[r])
                    : 0.0;
  }
  step_->begin(start_.data());
}

// Semi-implicit Euler begins with the rates, so it needs no accelerations.
void TreeCoordinates::add_to(StepHistory& history, double h) const {
  if (rule_.evaluations == 1) {
    return;
  }
  std::swap(history.before, history.last);
  history.last = step_->accelerations();
  history.before_h = history.last_h;
  history.last_h = h;
  history.steps = std::min(2.0, history.steps + 1.0);
}

void TreeCoordinates::forget() {
  history_.steps = history_.roughness = 0.0;
  read_again();
}

void TreeCoordinates::read_again() {
  knows_rates_ = 0.0;
  tell_rates();
}

void TreeCoordinates::tell_rates() {
  for (std::size_t r = 0; r < axes_.size(); ++r) {
    if (axes_[r].node != nullptr) {
      HingeRows& rows = *axes_[r].joint->axis;
      rows.knows_rate = knows_rates_ != 0.0;
      rows.rate = rows.knows_rate ? step_->rates[r] : rows.rate;
    }
  }
}

void TreeCoordinates::move() {
  put_bodies();
  std::swap(history_, next_history_);
}

// As read() and project_rates() do it.
bool TreeCoordinates::read_start(std::span<const double> positions, double* rates) const {
  if (knows_rates_ != 0.0) {
    std::copy(step_->rates.begin(), step_->rates.end(), rates);
    return true;
  }
  for (std::size_t i = range_.begin; i < range_.end; ++i) {
    const Body& body = *forest_.bodies[i].body;
    if (to_vec3(body.velocity) != Vec3{} || to_vec3(body.spin) != Vec3{}) {
      return false;
    }
  }
  for (std::size_t r = 0; r < axes_.size(); ++r) {
    const HingeRows* const rows = this->rows(r);
    if (rows == nullptr || std::bit_cast<std::uint64_t>(rows->coordinate.position()) !=
                               std::bit_cast<std::uint64_t>(positions[r])) {
      return false;
    }
    rates[r] = rows->coordinate.rate();
  }
  return true;
}

void TreeCoordinates::put(const LaneState& state) {
  const auto copy = [](std::span<const double> from, std::vector<double>& to) {
    std::copy(from.begin(), from.end(), to.begin());
  };
  copy(state.positions, step_->positions);
  copy(state.rates, step_->rates);
  if (rule_.evaluations != 1) {
    copy(state.last, history_.last);
    copy(state.before, history_.before);
    history_.last_h = history_.before_h = settings_.h;
    history_.steps = 2.0;
    history_.roughness = 0.0;
  }
  positions_before_ = step_->positions;
  find_poses();
  put_bodies();
}

HingeRows* TreeCoordinates::rows(std::size_t rate) const {
  return axes_[rate].node != nullptr ? axes_[rate].joint->axis : nullptr;
}

// A spin that is limited is not that of the rates.
void TreeCoordinates::put_bodies() {
  const LinkStep<Vec3>& step = *step_;
  knows_rates_ = 1.0;
  for (std::size_t i = range_.begin; i < range_.end; ++i) {
    const auto& moved = moved_[i - range_.begin];
    const TreeBody& body = forest_.bodies[i];
    const double most = body.limits.max_spin;
    knows_rates_ = dot(moved.spin, moved.spin) > most * most ? 0.0 : knows_rates_;
    body.put({moved.turn, moved.center, moved.velocity, limited_spin(moved.spin, most)});
  }
  for (std::size_t r = 0; r < axes_.size(); ++r) {
    if (axes_[r].node != nullptr) {
      const std::size_t at = model_.links()[axes_[r].link].position;
      axes_[r].joint->axis->set_moved(step.positions[at], step.rates[r],
                                      step.positions[at] - positions_before_[at]);
    }
  }
  tell_rates();
}

void TreeCoordinates::write_forces() {
  const LinkKernel<Vec3>& kernel = step_->kernel();
  for (std::size_t i = range_.begin; i < range_.end; ++i) {
    const std::size_t l = i - range_.begin;
    const TreeLink& link = model_.links()[l];
    const LinkStateOf<Vec3>& state = kernel.state(l);
    TreeNode& node = forest_.nodes[i];
    if (link.kind == LinkKind::Free) {
      continue;
    }
    node.force = kernel.force_of_joint(l);
    node.arm = state.anchor - state.center;
    node.parent_arm =
        link.parent >= 0 ? state.anchor - kernel.state(static_cast<std::size_t>(link.parent)).center
                         : Vec3{};
    node.axis = link.kind == LinkKind::Hinge ? state.along_rate.angular : state.along_rate.linear;
    node.along_axis = state.along_axis;
  }
}

// What the next step does not use must not tell equal states apart.
void TreeCoordinates::clear_unused() {
  if (knows_rates_ == 0.0) {
    std::fill(step_->rates.begin(), step_->rates.end(), 0.0);
  }
  if (history_.steps == 0.0) {
    std::fill(history_.last.begin(), history_.last.end(), 0.0);
    std::fill(history_.before.begin(), history_.before.end(), 0.0);
    history_.last_h = history_.before_h = 0.0;
  }
}

template <class Archive>
void TreeCoordinates::archive(Archive& archive) {
  clear_unused();
  archive.hashed(knows_rates_);
  archive.hashed(std::span<double>(step_->rates));
  archive.hashed(history_.steps);
  archive.hashed(history_.last_h);
  archive.hashed(history_.before_h);
  archive.hashed(history_.roughness);
  archive.hashed(std::span<double>(history_.last));
  archive.hashed(std::span<double>(history_.before));
  if constexpr (Archive::kRestores) {
    tell_rates();
  }
}

template void TreeCoordinates::archive(SavingArchive&);
template void TreeCoordinates::archive(RestoringArchive&);
template void TreeCoordinates::archive(HashingArchive&);

}  // namespace servosim
