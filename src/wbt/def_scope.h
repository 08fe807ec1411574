// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <unordered_map>

#include "wbt/node.h"

namespace servosim::wbt {

/// What USE means at a place of a world: for each DEF name the last node of it above.
class DefScope {
 public:
  /// Whether `node` can stand here as USE of its name.
  bool is_use(const Node& node) const {
    const auto last = last_.find(node.def);
    return last != last_.end() && last->second == &node && allows_use(*node.type);
  }
  /// The text of `node` ends here.
  void close(const Node& node) {
    if (!node.def.empty()) {
      last_[node.def] = &node;
    }
  }

 private:
  std::unordered_map<std::string_view, const Node*> last_;
};

}  // namespace servosim::wbt
