// SPDX-License-Identifier: Apache-2.0
#include "robots/mimics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

#include "base/coupling_limits.h"
#include "base/limits.h"
#include "robots/robot_bodies.h"

namespace servosim::robots {
namespace {

bool has_axis(const RobotJoint& joint) {
  return joint.motion == JointMotion::Turn || joint.motion == JointMotion::Slide;
}

// Returns the link that is a Robot or Solid of its own at or above a link.
const RobotLink& top_of(const RobotModel& model, const RobotLink& link) {
  const RobotLink* top = &link;
  while (top->parent >= 0 && !is_loose(model, *top)) {
    top = &model.links[static_cast<std::size_t>(top->parent)];
  }
  return *top;
}

// Returns why the joint of a link cannot follow that of its leader; nullptr if it can. A world has
// rigid couplings between bodies of one robot.
const char* why_not_coupled(const RobotModel& model, const RobotLink& link,
                            const RobotLink* leader) {
  if (leader == nullptr) {
    return "as that joint is fixed";
  }
  const RobotJoint& joint = link.joints[0];
  const Mimic& mimic = *joint.mimic;
  const double ratio = std::abs(mimic.multiplier);
  return !has_axis(joint) || !has_axis(leader->joints[0])  ? "as one of them has several axes"
         : !link.inertial || !leader->inertial             ? "as one of them moves no mass"
         : &top_of(model, link) != &top_of(model, *leader) ? "as they are on different bodies"
         : !(ratio >= 1.0 / kMaxCouplingRatio && ratio <= kMaxCouplingRatio) ||
                 !(std::abs(mimic.offset) <= kMaxCouplingOffset)
             ? "as its multiplier or offset is out of range"
             : nullptr;
}

}  // namespace

// Each joint is visited once, so that the time grows with the number of joints only.
const RobotJoint* follow_last_leaders(std::span<RobotJoint* const> joints) {
  enum class State : char { Open, InChain, Done };
  struct Entry {
    RobotJoint* joint;
    State state;
  };
  std::map<std::string_view, Entry> entries;
  for (RobotJoint* const joint : joints) {
    entries.emplace(joint->name, Entry{joint, State::Open});
  }
  std::vector<Entry*> chain;
  for (RobotJoint* const first : joints) {
    Entry* at = &entries.at(first->name);
    for (; at->state == State::Open && at->joint->mimic;
         at = &entries.at(at->joint->mimic->leader)) {
      at->state = State::InChain;
      chain.push_back(at);
    }
    if (at->state == State::InChain) {
      return at->joint;
    }
    for (; !chain.empty(); chain.pop_back()) {
      Mimic& mimic = *chain.back()->joint->mimic;
      if (const auto& above = at->joint->mimic) {
        mimic = {above->leader, mimic.multiplier * above->multiplier,
                 mimic.offset + mimic.multiplier * above->offset};
      }
      at = chain.back();
      at->state = State::Done;
    }
  }
  return nullptr;
}

void start_with_leaders(std::span<RobotJoint* const> joints) {
  std::map<std::string_view, const RobotJoint*> leaders;
  for (const RobotJoint* const joint : joints) {
    leaders.emplace(joint->name, joint);
  }
  for (RobotJoint* const joint : joints) {
    if (!joint->mimic) {
      continue;
    }
    const RobotJoint& leader = *leaders.at(joint->mimic->leader);
    const double start = joint->mimic->multiplier * leader.start + joint->mimic->offset;
    if (has_axis(*joint) && has_axis(leader) && std::abs(start) < kMaxFileJointPosition) {
      joint->start = start;
    }
    if (joint->range) {
      joint->start = std::clamp(joint->start, joint->range->lower, joint->range->upper);
    }
  }
}

void drop_impossible_mimics(RobotModel& model, std::vector<Loss>& losses) {
  std::map<std::string_view, const RobotLink*> links;  // by the name of its joint
  for (const RobotLink& link : model.links) {
    for (const RobotJoint& joint : link.joints) {
      links.emplace(joint.name, &link);
    }
  }
  for (RobotLink& link : model.links) {
    if (link.joints.empty() || !link.joints[0].mimic) {
      continue;
    }
    RobotJoint& joint = link.joints[0];
    const auto leader = links.find(joint.mimic->leader);
    if (const char* const why =
            why_not_coupled(model, link, leader != links.end() ? leader->second : nullptr)) {
      losses.push_back(
          {joint.where,
           fmt::format("joint '{}' does not follow joint '{}', {}; it moves on its own", joint.name,
                       joint.mimic->leader, why),
           true});
      joint.mimic.reset();
    }
  }
}

}  // namespace servosim::robots
