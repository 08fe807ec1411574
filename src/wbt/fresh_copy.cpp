// SPDX-License-Identifier: Apache-2.0
#include <unordered_map>
#include <utility>

#include "wbt/reading.h"
#include "wbt/values.h"

namespace servosim::wbt {
namespace {

class Copier {
 public:
  explicit Copier(Reading& reading) : reading_(reading) {}

  NodePtr copy(const NodePtr& node) {
    if (!node || failed_) {
      return {};
    }
    if (const auto known = copies_.find(node.get()); known != copies_.end()) {
      return known->second;
    }
    auto made = std::make_shared<Node>(*node);
    made->id = next_id(reading_);
    failed_ = failed_ || made->id == 0;
    ids_[node->id] = made->id;
    for (Field& field : made->fields) {
      renew(field.value);
    }
    if (node->instance) {
      made->instance = copy(*node->instance);
    }
    copies_[node.get()] = made;
    return made;
  }
  bool failed() const { return failed_; }

 private:
  void renew(Value& value) {
    const std::size_t words = words_in(value);
    if (words >= reading_.room) {
      failed_ = true;
      return;
    }
    reading_.room -= words;
    if (auto* node = std::get_if<NodePtr>(&value)) {
      *node = copy(*node);
    } else if (auto* list = std::get_if<std::vector<NodePtr>>(&value)) {
      for (NodePtr& item : *list) {
        item = copy(item);
      }
    }
  }

  std::shared_ptr<const ProtoInstance> copy(const ProtoInstance& instance) {
    auto made = std::make_shared<ProtoInstance>(instance);
    for (auto& value : made->given) {
      if (value) {
        renew(*value);
      }
    }
    for (Connection& c : made->connections) {
      const auto known = ids_.find(c.node);
      c.node = known != ids_.end() ? known->second : c.node;
    }
    if (instance.base) {
      made->base = copy(*instance.base);
    }
    return made;
  }

  Reading& reading_;
  std::unordered_map<const Node*, NodePtr> copies_;
  std::unordered_map<std::uint32_t, std::uint32_t> ids_;  // of a node → of its copy
  bool failed_ = false;
};

}  // namespace

NodePtr fresh_copy(Reading& reading, const NodePtr& root) {
  Copier copier(reading);
  NodePtr made = copier.copy(root);
  return copier.failed() ? NodePtr{} : made;
}

}  // namespace servosim::wbt
