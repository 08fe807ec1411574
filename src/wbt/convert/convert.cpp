// SPDX-License-Identifier: Apache-2.0
#include "wbt/convert/convert.h"

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <type_traits>
#include <unordered_set>
#include <utility>

#include "base/assert.h"
#include "base/state_archive.h"
#include "wbt/values.h"

namespace servosim {
namespace {

// This is the last step, since until then the version of a node decides what its fields mean.
wbt::NodePtr newest(wbt::Node node) {
  for (wbt::Field& field : node.fields) {
    field.type = node.type->field(field.type->name);
  }
  node.version = wbt::kNewestVersion;
  return std::make_shared<const wbt::Node>(std::move(node));
}

}  // namespace

// Scales come first, since present fields have none. Axes come after a Servo's rotation has stopped
// being an axis, and before the fields of old grids are removed.
wbt::WorldFile convert(const wbt::WorldFile& world, Diagnostics& diagnostics) {
  wbt::WorldFile converted = world;
  drop_invalid_bounding_objects(converted, diagnostics);
  use_modern_scale(converted, diagnostics);
  use_modern_nodes(converted, diagnostics);
  use_modern_axes(converted);
  use_modern_gravity(converted, diagnostics);
  use_modern_fields(converted, diagnostics);
  converted.nodes = with_present_rows(converted.nodes);
  converted.version = wbt::kNewestVersion;
  return converted;
}

std::vector<wbt::NodePtr> with_present_rows(const std::vector<wbt::NodePtr>& nodes) {
  return Rewriter(newest).rewrite(nodes);
}

wbt::NodePtr Rewriter::rewrite(const wbt::NodePtr& node) {
  if (!node) {
    return node;
  }
  if (const auto found = done_.find(node); found != done_.end()) {
    return found->second;
  }
  if (enter_) {
    enter_(*node);
  }
  wbt::Node copy = *node;
  for (wbt::Field& field : copy.fields) {
    if (auto* one = std::get_if<wbt::NodePtr>(&field.value)) {
      *one = rewrite(*one);
    } else if (auto* several = std::get_if<std::vector<wbt::NodePtr>>(&field.value)) {
      *several = rewrite(*several);
    }
  }
  const auto [done, is_new] = done_.emplace(node, change_(std::move(copy)));
  SERVOSIM_ASSERT(is_new, "a {} was changed twice", node->type->name);
  return done->second;
}

std::vector<wbt::NodePtr> Rewriter::rewrite(const std::vector<wbt::NodePtr>& nodes) {
  std::vector<wbt::NodePtr> result;
  for (const wbt::NodePtr& node : nodes) {
    if (wbt::NodePtr changed = rewrite(node)) {
      result.push_back(std::move(changed));
    }
  }
  return result;
}

bool is_equivalent(const wbt::Value& a, const wbt::Value& b) {
  const auto* turn = std::get_if<AxisAngle>(&a);
  const auto* other = std::get_if<AxisAngle>(&b);
  return a == b ||
         (turn != nullptr && other != nullptr && turn->angle == 0.0 && other->angle == 0.0);
}

wbt::Node new_node(std::string_view type, const wbt::Node& origin) {
  wbt::Node node;
  node.type = wbt::find_node_type(type);
  node.where = origin.where;
  node.version = wbt::kNewestVersion;
  return node;
}

wbt::Node retyped(const wbt::Node& node, std::string_view type) {
  wbt::Node next = node;
  next.type = wbt::find_node_type(type);
  next.fields.clear();
  for (const wbt::FieldType* row : next.type->fields) {
    const wbt::FieldType* old = node.type->field(row->name, node.version);
    if (old == nullptr || row != next.type->field(row->name, node.version)) {
      continue;
    }
    if (node.has(row->name) ||
        (old != row && !is_equivalent(default_value(*old), default_value(*row)))) {
      next.fields.push_back({row, node.where_of(row->name), node.value(row->name)});
    }
  }
  return next;
}

void set_field(wbt::Node& node, std::string_view name, wbt::Value value) {
  const wbt::FieldType* type = node.type->field(name);
  if (type == nullptr) {
    throw std::out_of_range("no field " + std::string(name) + " in " +
                            std::string(node.type->name));
  }
  for (wbt::Field& field : node.fields) {
    if (field.type->name == name) {
      field.type = type;
      field.value = std::move(value);
      return;
    }
  }
  node.fields.push_back({type, node.where, std::move(value)});
}

void copy_field(const wbt::Node& from, std::string_view name, wbt::Node& to, std::string_view as) {
  if (const wbt::Field* field = from.find(name)) {
    remove_field(to, as);
    to.fields.push_back({to.type->field(as), field->where, field->value});
  }
}

void remove_field(wbt::Node& node, std::string_view name) {
  std::erase_if(node.fields, [&](const wbt::Field& field) { return field.type->name == name; });
}

namespace {

void add(Fnv1a& hash, const std::string& text) { hash.add(text).add(double(text.size())); }
void add(Fnv1a& hash, const wbt::Vec2& v) { hash.add(v.x).add(v.y); }
void add(Fnv1a& hash, const Vec3& v) { hash.add(v.x).add(v.y).add(v.z); }
void add(Fnv1a& hash, const AxisAngle& v) {
  add(hash, v.axis);
  hash.add(v.angle);
}
void add(Fnv1a&, const wbt::NodePtr&) {}
template <class T>
requires std::is_arithmetic_v<T>
void add(Fnv1a& hash, T number) { hash.add(static_cast<double>(number)); }
template <class T>
void add(Fnv1a& hash, const std::vector<T>& items) {
  for (const T& item : items) {
    add(hash, item);
  }
  hash.add(static_cast<double>(items.size()));
}

std::uint64_t fingerprint(const wbt::Node& node) {
  Fnv1a hash;
  hash.add(static_cast<double>(node.where.file)).add(static_cast<double>(node.where.offset));
  hash.add(node.type->name).add(" ").add(node.def);
  for (const wbt::Field& field : node.fields) {
    hash.add(" ").add(field.type->name);
    std::visit([&](const auto& value) { add(hash, value); }, field.value);
  }
  return hash.value();
}

using Visit = std::function<void(const wbt::Node&)>;

// Calls `visit` once for each node.
class Walk {
 public:
  explicit Walk(Visit visit) : visit_(std::move(visit)) {}

  void each(const std::vector<wbt::NodePtr>& nodes) {
    for (const wbt::NodePtr& node : nodes) {
      each(node);
    }
  }

 private:
  void each(const wbt::NodePtr& node) {
    if (!node || !seen_.insert(node.get()).second) {
      return;
    }
    visit_(*node);
    wbt::for_each_child(*node, [this](const wbt::NodePtr& child) { each(child); });
  }

  Visit visit_;
  std::unordered_set<const wbt::Node*> seen_;
};

}  // namespace

Difference difference_between(const wbt::WorldFile& original, const wbt::WorldFile& converted) {
  Difference difference;
  std::unordered_set<std::uint64_t> known;
  Walk([&](const wbt::Node& node) {
    known.insert(fingerprint(node));
    difference.proto_instances += node.proto.name.empty() ? 0 : 1;
  }).each(original.nodes);
  Walk([&](const wbt::Node& node) {
    ++difference.nodes;
    difference.changed += known.count(fingerprint(node)) == 0 ? 1 : 0;
  }).each(converted.nodes);
  return difference;
}

}  // namespace servosim
