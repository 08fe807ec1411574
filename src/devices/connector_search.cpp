// SPDX-License-Identifier: Apache-2.0
#include "devices/connector_search.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/assert.h"

namespace servosim {

void ConnectorSearch::set(const std::vector<Connector*>& connectors) {
  all_ = connectors;
  tree_.clear();
  places_.reserve(all_.size());
  tree_.reserve(all_.size());
  for (std::size_t i = 0; i < all_.size(); ++i) {
    all_[i]->meet(*this, static_cast<int>(i));
  }
}

void ConnectorSearch::set_still(bool still) {
  if (all_.empty()) {
    return;
  }
  SERVOSIM_ASSERT(still != still_, "two passes over {} Connectors", all_.size());
  still_ = still;
  scans_ = 0;
  tree_.clear();
}

bool ConnectorSearch::has_tree() {
  SERVOSIM_ASSERT(tree_.empty() || tree_.size() == all_.size(), "a tree of {}, {} Connectors",
                  tree_.size(), all_.size());
  if (!still_ || !tree_.empty() || ++scans_ <= kScans) {
    return !tree_.empty();
  }
  // A step stops a simulation whose places are NaN or infinite, so that their order does not
  // matter.
  const auto finite = [](double x) { return std::isfinite(x) ? x : 0.0; };
  places_.clear();
  for (const Connector* connector : all_) {
    const Vec3 place = connector->place();
    places_.push_back({finite(place.x), finite(place.y), finite(place.z)});
  }
  tree_.resize(all_.size());
  std::iota(tree_.begin(), tree_.end(), 0);
  build(tree_, 0);
  scans_ = 0;
  return true;
}

void ConnectorSearch::build(std::span<int> part, int axis) {
  if (part.size() < 2) {
    return;
  }
  const auto middle = part.begin() + static_cast<std::ptrdiff_t>(part.size() / 2);
  std::nth_element(part.begin(), middle, part.end(),
                   [&](int a, int b) { return coordinate(a, axis) < coordinate(b, axis); });
  build({part.begin(), middle}, (axis + 1) % 3);
  build({middle + 1, part.end()}, (axis + 1) % 3);
}

}  // namespace servosim
