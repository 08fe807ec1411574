// SPDX-License-Identifier: Apache-2.0
#include "robots/sdf_frames.h"

#include <fmt/format.h>

#include <vector>

namespace servosim::robots {

bool SdfFrames::add(const std::string& name, const Pose& pose, const std::string& relative_to,
                    const std::string& holder, pugi::xml_node where) {
  return frames_.emplace(name, Frame{pose, relative_to, holder, where, State::Given, {}}).second;
}

// Without recursion, since a file may have a chain of any length.
Pose SdfFrames::pose(const std::string& name, pugi::xml_node where) {
  std::vector<Frame*> chain;
  const std::string* next = &name;
  Pose at;
  for (;;) {
    const auto found = frames_.find(*next);
    if (found == frames_.end()) {
      xml_.fail(where, fmt::format("there is no frame '{:.100}'", *next));
      break;
    }
    Frame& frame = found->second;
    if (frame.state == State::Open) {
      xml_.fail(where,
                fmt::format("the pose of '{:.100}' is relative to itself by way of others", *next));
      break;
    }
    if (frame.state == State::Known) {
      at = frame.pose;
      break;
    }
    frame.state = State::Open;
    chain.push_back(&frame);
    next = &frame.relative_to;
    where = frame.where;
  }
  for (auto frame = chain.rbegin(); frame != chain.rend(); ++frame) {
    at = at * (*frame)->own;
    (*frame)->pose = at;
    (*frame)->state = State::Known;
  }
  return at;
}

std::string SdfFrames::link_of(std::string name) const {
  constexpr int kMostSteps = 1000;  // so that long chains take no time for each joint
  for (int step = 0; step < kMostSteps; ++step) {
    const auto found = frames_.find(name);
    if (found == frames_.end() || found->second.holder.empty()) {
      return name;
    }
    name = found->second.holder;
  }
  return {};  // they are attached to each other, or the chain is longer than any that has a use
}

}  // namespace servosim::robots
