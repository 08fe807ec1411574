// SPDX-License-Identifier: Apache-2.0
#include "physics/coupled_bodies.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <unordered_map>
#include <utility>

#include "base/report_once.h"
#include "physics/body_sleep.h"
#include "physics/ode_library.h"
#include "physics/rows/coupling_rows.h"
#include "physics/rows/joint_rows.h"
#include "scene/scene.h"

namespace servosim {

namespace {

// Returns the seconds of rest that a body needs until it falls asleep; at most 0 if none.
double& time_to_rest(dBodyID body) { return static_cast<SleepClock*>(dBodyGetData(body))->left; }

bool is_enabled(dBodyID body) { return dBodyIsEnabled(body) != 0; }

}  // namespace

// The smaller of two groups that share a body joins the larger one.
CoupledBodies::CoupledBodies(const Scene& scene, std::span<const CouplingRows> couplings,
                             Notices* notices)
    : scene_(scene), notices_(notices) {
  std::unordered_map<dBodyID, std::size_t> group_of;
  for (const CouplingRows& coupling : couplings) {
    std::size_t into = groups_.size();
    groups_.emplace_back();
    for (const CouplingRows::Term& term : coupling.terms) {
      for (const dBodyID body : {term.joint->child, term.joint->parent}) {
        if (body == nullptr) {
          continue;
        }
        const auto [known, is_new] = group_of.emplace(body, into);
        if (is_new) {
          groups_[into].push_back(body);
        }
        if (std::size_t from = known->second; from != into) {
          if (groups_[from].size() > groups_[into].size()) {
            std::swap(from, into);
          }
          for (const dBodyID moved : std::exchange(groups_[from], {})) {
            group_of[moved] = into;
            groups_[into].push_back(moved);
          }
        }
      }
    }
  }
  std::erase_if(groups_, [](const std::vector<dBodyID>& group) { return group.empty(); });
}

void CoupledBodies::wake() const {
  for (const std::vector<dBodyID>& group : groups_) {
    if (std::any_of(group.begin(), group.end(), is_enabled)) {
      for (const dBodyID body : group) {
        if (!is_enabled(body)) {
          servosim::wake(body);
        }
      }
    }
  }
}

// The clock of a body that waits for its group stays next to 0 and does not start again, so that
// the group falls asleep when the last of its bodies has rested.
void CoupledBodies::keep_awake() const {
  const auto is_restless = [](dBodyID body) {
    return is_enabled(body) && time_to_rest(body) > 0.0;
  };
  for (const std::vector<dBodyID>& group : groups_) {
    if (std::any_of(group.begin(), group.end(), is_restless)) {
      for (const dBodyID body : group) {
        if (is_enabled(body) && !(time_to_rest(body) > 0.0)) {
          time_to_rest(body) = std::numeric_limits<double>::min();
        }
      }
    }
  }
}

void CoupledBodies::report_free(int solid, OdeReason why) const {
  if (notices_ != nullptr) {
    notices_->report(
        fmt::format("\"{}\" moves without its couplings in a step ({}), and they close again "
                    "later; so do others "
                    "like it (reported once)",
                    scene_.solids[solid].name, to_string(why)));
  }
}

}  // namespace servosim
