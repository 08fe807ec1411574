// SPDX-License-Identifier: Apache-2.0
#include "wbt/equal.h"

#include <algorithm>

#include "wbt/def_scope.h"

namespace servosim::wbt {
namespace {

class Comparison {
 public:
  bool same(const NodePtr& a, const NodePtr& b);
  bool same(const std::vector<NodePtr>& a, const std::vector<NodePtr>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [this](const NodePtr& x, const NodePtr& y) { return same(x, y); });
  }

  bool same(const Value& a, const Value& b);

 private:
  bool same(const Field& a, const Field& b) { return a.type == b.type && same(a.value, b.value); }

  DefScope<const Node*> a_scope_;
  DefScope<const Node*> b_scope_;
};

bool Comparison::same(const NodePtr& a, const NodePtr& b) {
  if (!a || !b) {
    return !a && !b;
  }
  if (a->type != b->type || a->def != b->def || a->version != b->version ||
      is_use(a_scope_, *a) != is_use(b_scope_, *b)) {
    return false;
  }
  if (is_use(a_scope_, *a)) {
    return true;  // of what has been compared
  }
  const std::uint32_t a_word = a_scope_.enter();
  const std::uint32_t b_word = b_scope_.enter();
  const bool result =
      std::equal(a->fields.begin(), a->fields.end(), b->fields.begin(), b->fields.end(),
                 [this](const Field& x, const Field& y) { return same(x, y); });
  if (!a->def.empty()) {
    a_scope_.leave(a->def, a_word, a.get());
    b_scope_.leave(b->def, b_word, b.get());
  }
  return result;
}

bool Comparison::same(const Value& a, const Value& b) {
  if (a.index() != b.index()) {
    return false;
  }
  if (const auto* one = std::get_if<NodePtr>(&a)) {
    return same(*one, std::get<NodePtr>(b));
  }
  if (const auto* several = std::get_if<std::vector<NodePtr>>(&a)) {
    return same(*several, std::get<std::vector<NodePtr>>(b));
  }
  return a == b;
}

}  // namespace

bool equal(const WorldFile& a, const WorldFile& b) {
  return a.version == b.version && a.comments == b.comments && a.importable == b.importable &&
         Comparison().same(a.nodes, b.nodes);
}

bool equal(const Value& a, const Value& b) { return Comparison().same(a, b); }

}  // namespace servosim::wbt
