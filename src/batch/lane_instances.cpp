// SPDX-License-Identifier: Apache-2.0
#include "batch/lane_instances.h"

#include <algorithm>
#include <bit>

#include "base/assert.h"

namespace servosim {

LaneInstances::LaneInstances(Simulation& world, std::size_t count, const Notices& notices)
    : world_(LaneWorld::of(world, notices, refusal_)),
      step_ms_(world.basic_time_step_ms()),
      is_in_(count) {
  if (world_ == nullptr) {
    return;
  }
  mask_ = JointLaneSolver::lanes(set_) - 1;
  shift_ = static_cast<std::size_t>(std::countr_one(mask_));
  const std::size_t groups = (count + mask_) >> shift_;
  groups_.reserve(groups);
  begin_.resize(count);
  uniform_.resize(groups);
  steps_.resize(groups);
  for (std::size_t g = 0; g < groups; ++g) {
    groups_.emplace_back(*world_, set_);
  }
}

std::string LaneInstances::refusal_of(const Columns& columns) const {
  for (const ObservedColumns& each : columns.observed) {
    const bool of_axis = each.measure == Measure::Position || each.measure == Measure::Velocity;
    if (of_axis ? world_->axis_of(each.index) < 0 : each.measure != Measure::Time) {
      return "the batch observes more than positions and velocities of joints with Physics, and "
             "the "
             "time";
    }
  }
  return columns.pictures.empty() ? "" : "the batch observes pictures";
}

void LaneInstances::bind(const Columns& columns) {
  column_refusal_ = world_ != nullptr ? refusal_of(columns) : "";
  observed_.clear();
  times_.clear();
  commanded_.clear();
  if (!suits(columns)) {
    return;
  }
  for (const ObservedColumns& each : columns.observed) {
    const bool is_time = each.measure == Measure::Time;
    if (is_time) {
      times_.push_back(observed_.size());
    }
    const int axis = is_time ? 0 : world_->axis_of(each.index);
    observed_.push_back(
        {each.measure == Measure::Velocity, static_cast<std::size_t>(axis) << shift_});
  }
  for (const ActionColumn& action : columns.actions) {
    const int motor = world_->motor_of(action.joint);
    SERVOSIM_ASSERT(motor >= 0, "joint {} has no motor", action.joint);
    using enum MotorInLane::OneNumber;
    commanded_.push_back({static_cast<std::size_t>(motor), action.command == Command::Force ? Force
                                                           : action.command == Command::Position
                                                               ? Position
                                                               : None});
  }
}

void LaneInstances::set_start(const Simulation& simulation) {
  start_ = world_ != nullptr ? world_->read(simulation) : std::nullopt;
}

bool LaneInstances::begin(std::size_t i, bool has_own) {
  if (!can_begin()) {
    return false;
  }
  take(i, *start_, has_own);
  return true;
}

void LaneInstances::take(std::size_t i, Simulation& simulation, bool has_own) {
  if (world_ == nullptr || !column_refusal_.empty()) {
    return;
  }
  if (const std::optional<LaneMember> member = world_->read(simulation)) {
    take(i, *member, has_own);
  }
}

void LaneInstances::take(std::size_t i, const LaneMember& member, bool has_own) {
  group_of(i).take(lane_of(i), member);
  is_in_[i] = has_own ? 1 : kUniform;
  uniform_[i >> shift_] += has_own ? 0 : 1;
  begin_[i] = steps_[i >> shift_];
}

std::unique_ptr<JointLaneSolver> LaneInstances::make_solver() const {
  return world_ != nullptr ? std::make_unique<JointLaneSolver>(set_, world_->model()) : nullptr;
}

bool LaneInstances::step(std::size_t first, std::size_t last, JointLaneSolver& solver) {
  SERVOSIM_ASSERT(lane_of(first) == 0, "instance {} of {} lanes", first, mask_ + 1);
  bool any_stuck = false;
  for (std::size_t g = first >> shift_; g << shift_ < last; ++g) {
    if (groups_[g].any()) {
      any_stuck = groups_[g].step(solver) || any_stuck;
    }
  }
  return any_stuck;
}

std::uint32_t LaneInstances::command(std::size_t i, const Columns& columns, const double* row) {
  LaneGroup& group = group_of(i);
  std::uint32_t refused = 0;
  for (std::size_t a = 0; a < commanded_.size(); ++a) {
    const ActionColumn& action = columns.actions[a];
    const Commanded& commanded = commanded_[a];
    if (!group.change(lane_of(i), commanded.motor, commanded.number, row[a])) {
      group.use_motor(lane_of(i), commanded.motor, [&](MotorInLane& motor) {
        refused += servosim::command(motor, action, row[a]);
      });
    }
  }
  return refused;
}

void LaneInstances::observe(std::size_t i, double* row) const {
  const LaneGroup& group = group_of(i);
  const double* const numbers[]{group.positions() + lane_of(i), group.rates() + lane_of(i)};
  for (std::size_t c = 0; c < observed_.size(); ++c) {
    row[c] = numbers[observed_[c].is_rate ? 1 : 0][observed_[c].first];
  }
  for (const std::size_t c : times_) {
    row[c] = time(i);
  }
}

double LaneInstances::time(std::size_t i) const {
  return static_cast<double>(group_of(i).step_count(lane_of(i))) * step_ms_ / 1000.0;
}

}  // namespace servosim
