// SPDX-License-Identifier: Apache-2.0
#include "wbt/tree.h"

#include <utility>

namespace servosim::wbt {

Tree::Tree(std::shared_ptr<const WorldFile> file) { set_file(std::move(file)); }

void Tree::set_file(std::shared_ptr<const WorldFile> file) {
  file_ = std::move(file);
  entries_.clear();
  order_.clear();
  for (const NodePtr& node : file_->nodes) {
    visit(node, {});
  }
}

void Tree::apply(const Edits& edits) {
  set_file(std::make_shared<WorldFile>(rewritten(*file_, edits)));
}

// Values of an instance come before its body, where they are met again.
void Tree::visit(const NodePtr& node, const Visit& how) {
  if (!node) {
    return;
  }
  TreeEntry& entry = entries_[node->id];
  const bool is_new = entry.node == nullptr;
  const bool now_in_body = !how.as_value && !entry.in_body;
  const bool now_collides = how.collides && !entry.collides;
  if (!is_new && !now_in_body && !now_collides) {
    return;
  }
  if (is_new) {
    entry.parent = how.parent;
    entry.internal = how.internal;
    entry.order = static_cast<std::uint32_t>(order_.size());
    order_.push_back(node->id);
  }
  if (is_new || now_in_body) {
    entry.node = node.get();
    entry.above = how.parent;
  }
  entry.in_body = entry.in_body || !how.as_value;
  entry.collides = entry.collides || how.collides;
  const bool internal = entry.internal;
  Visit below{node->id, internal, how.collides, true};
  for (const ProtoInstance* i = node->instance.get(); i != nullptr; i = i->base.get()) {
    for (const auto& value : i->given) {
      if (value) {
        visit_value(*value, below);
      }
    }
    below.internal = true;  // what a derived PROTO gives to its base
  }
  for (const Field& field : node->fields) {
    visit_value(field.value, {node->id, internal || node->instance != nullptr,
                              how.collides || field.type->name == "boundingObject", how.as_value});
  }
}

void Tree::visit_value(const Value& value, const Visit& how) {
  for_each_node(value, [&](const NodePtr& node) { visit(node, how); });
}

const TreeEntry* Tree::find(std::uint32_t id) const {
  const auto found = entries_.find(id);
  return found == entries_.end() ? nullptr : &found->second;
}

bool Tree::is_below(std::uint32_t id, std::uint32_t ancestor) const {
  while (id != ancestor && id != 0) {
    id = entries_.at(id).parent;
  }
  return id == ancestor;
}

// Whether the DEF names of `path` are met, from the last one up, on the way from `id` to `top`.
bool Tree::matches(std::uint32_t id, std::string_view path, std::uint32_t top) const {
  const auto last_of = [&path] { return path.substr(path.rfind('.') + 1); };
  if (last_of().empty() || entries_.at(id).node->def != last_of()) {
    return false;
  }
  while (true) {
    const std::size_t dot = path.rfind('.');
    if (dot == std::string_view::npos) {
      return true;
    }
    path = path.substr(0, dot);
    do {
      id = entries_.at(id).parent;
      if (id == 0 || id == top) {
        return false;
      }
    } while (entries_.at(id).node->def != last_of());
  }
}

std::uint32_t Tree::find_def(std::string_view path) const {
  for (const std::uint32_t id : order_) {
    if (!entries_.at(id).internal && matches(id, path, 0)) {
      return id;
    }
  }
  return 0;
}

std::uint32_t Tree::find_def_in(std::uint32_t proto, std::string_view path) const {
  for (const std::uint32_t id : order_) {
    if (id != proto && entries_.at(id).internal && is_below(id, proto) &&
        matches(id, path, proto)) {
      return id;
    }
  }
  return 0;
}

}  // namespace servosim::wbt
