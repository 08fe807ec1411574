// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "wbt/node.h"

namespace servosim::wbt {

/// The DEF names of one text up to a place in it. USE means the node of the last DEF word of that
/// name: a node whose descendant repeats its name does not take the name back when it ends.
/// Names are kept by reference to the caller's text.
template <class NodePointer>
class DefScope {
 public:
  /// At a DEF word; gives its number, which leave() wants.
  std::uint32_t enter() { return ++words_; }

  /// At the end of the node of that DEF word.
  void leave(std::string_view name, std::uint32_t word, NodePointer node) {
    Definition& last = last_[name];
    if (last.word < word) {
      last = {word, std::move(node)};
    }
  }

  /// A DEF that Webots does not see, in a value that it skips: USE of the name is null while there
  /// is no other one.
  void skip(std::string_view name) { last_.try_emplace(name); }

  /// What USE of that name means here; null if there is no DEF of it that has ended.
  const NodePointer* find(std::string_view name) const {
    const auto found = last_.find(name);
    return found != last_.end() ? &found->second.node : nullptr;
  }

 private:
  struct Definition {
    std::uint32_t word = 0;
    NodePointer node{};
  };

  std::uint32_t words_ = 0;
  std::unordered_map<std::string_view, Definition> last_;
};

/// Whether `node` can stand in a text as USE of its name.
inline bool is_use(const DefScope<const Node*>& scope, const Node& node) {
  const Node* const* last = scope.find(node.def);
  return last != nullptr && *last == &node && allows_use(*node.type);
}

}  // namespace servosim::wbt
