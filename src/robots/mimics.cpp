// SPDX-License-Identifier: Apache-2.0
#include "robots/mimics.h"

#include <map>
#include <string_view>
#include <vector>

namespace servosim::robots {

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

}  // namespace servosim::robots
