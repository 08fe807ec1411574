// SPDX-License-Identifier: Apache-2.0
#include "batch/lane_instances.h"

#include <algorithm>

#include "base/assert.h"

namespace servosim {

LaneInstances::LaneInstances(Simulation& world, std::size_t count)
    : world_(LaneWorld::of(world, refusal_)), step_ms_(world.basic_time_step_ms()) {
  if (world_ == nullptr) {
    return;
  }
  lanes_ = JointLaneSolver::lanes(set_);
  const std::size_t groups = (count + lanes_ - 1) / lanes_;
  groups_.reserve(groups);
  for (std::size_t g = 0; g < groups; ++g) {
    groups_.emplace_back(*world_, set_);
  }
}

void LaneInstances::bind(const Columns& columns) {
  column_refusal_.clear();
  observed_.clear();
  motors_.clear();
  if (world_ == nullptr) {
    return;
  }
  for (const ObservedColumns& each : columns.observed) {
    const bool of_axis = each.measure == Measure::Position || each.measure == Measure::Velocity;
    const int axis = of_axis ? world_->axis_of(each.index) : 0;
    if ((!of_axis && each.measure != Measure::Time) || axis < 0) {
      column_refusal_ =
          "the batch observes more than positions and velocities of joints with "
          "Physics, and the time";
      return;
    }
    observed_.push_back({each.measure, static_cast<std::size_t>(axis)});
  }
  if (!columns.pictures.empty()) {
    column_refusal_ = "the batch observes pictures";
    return;
  }
  for (const ActionColumn& action : columns.actions) {
    const int motor = world_->motor_of(action.joint);
    SERVOSIM_ASSERT(motor >= 0, "joint {} has no motor", action.joint);
    motors_.push_back(static_cast<std::size_t>(motor));
  }
}

void LaneInstances::take(std::size_t i, Simulation& simulation) {
  if (world_ != nullptr && column_refusal_.empty()) {
    groups_[i / lanes_].take(i % lanes_, simulation);
  }
}

std::unique_ptr<JointLaneSolver> LaneInstances::make_solver() const {
  return world_ != nullptr ? std::make_unique<JointLaneSolver>(set_, world_->model()) : nullptr;
}

bool LaneInstances::step(std::size_t first, std::size_t last, JointLaneSolver& solver) {
  SERVOSIM_ASSERT(first % lanes_ == 0, "instance {} of {} lanes", first, lanes_);
  bool any_stuck = false;
  for (std::size_t g = first / lanes_; g * lanes_ < last; ++g) {
    if (groups_[g].any()) {
      any_stuck = groups_[g].step(solver) || any_stuck;
    }
  }
  return any_stuck;
}

std::uint32_t LaneInstances::command(std::size_t i, const Columns& columns, const double* row) {
  LaneGroup& group = groups_[i / lanes_];
  std::uint32_t refused = 0;
  for (std::size_t a = 0; a < motors_.size(); ++a) {
    refused += servosim::command(group.motor(i % lanes_, motors_[a]), columns.actions[a], row[a]);
  }
  return refused;
}

void LaneInstances::observe(std::size_t i, double* row) const {
  const LaneGroup& group = groups_[i / lanes_];
  const std::size_t lane = i % lanes_;
  for (const Observed& each : observed_) {
    *row++ = each.measure == Measure::Position   ? group.position(lane, each.axis)
             : each.measure == Measure::Velocity ? group.rate(lane, each.axis)
                                                 : time(i);
  }
}

double LaneInstances::time(std::size_t i) const {
  return static_cast<double>(groups_[i / lanes_].step_count(i % lanes_)) * step_ms_ / 1000.0;
}

}  // namespace servosim
