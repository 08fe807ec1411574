// SPDX-License-Identifier: Apache-2.0
#include "sim/step_group.h"

#include <span>

#include "base/assert.h"
#include "sim/simulation_core.h"

namespace servosim {

StepGroup::StepGroup(std::size_t most) : outcomes_(most) {
  members_.reserve(most);
  stepping_.reserve(most);
  worlds_.reserve(most);
}

void StepGroup::add(Simulation& simulation) {
  SERVOSIM_ASSERT(members_.size() < outcomes_.size(), "more than {} members", outcomes_.size());
  members_.push_back({&SimulationCore::of(simulation), nullptr});
}

template <typename Action>
void StepGroup::attempt(Member& member, Action action) {
  try {
    action();
  } catch (...) {
    member.error = std::current_exception();
  }
}

bool StepGroup::step() {
  stepping_.clear();
  worlds_.clear();
  for (Member& member : members_) {
    if (member.error == nullptr) {
      attempt(member, [&member] { member.core->before_physics(); });
    }
    if (member.error == nullptr) {
      stepping_.push_back(&member);
      worlds_.push_back(&member.core->physics());
    }
  }
  const auto outcomes = std::span(outcomes_).first(worlds_.size());
  PhysicsWorld::step_together(worlds_, outcomes);
  for (std::size_t i = 0; i < stepping_.size(); ++i) {
    SimulationCore& core = *stepping_[i]->core;
    const PhysicsWorld::StepOutcome& outcome = outcomes[i];
    attempt(*stepping_[i], [&core, &outcome] { core.after_physics(outcome); });
  }
  return !stepping_.empty();
}

}  // namespace servosim
