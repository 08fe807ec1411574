// SPDX-License-Identifier: Apache-2.0
#include "wbt/convert/difference.h"

#include <functional>
#include <type_traits>
#include <unordered_set>

#include "base/state_archive.h"

namespace servosim {
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
    difference.proto_instances += node.proto_name.empty() ? 0 : 1;
  }).each(original.nodes);
  Walk([&](const wbt::Node& node) {
    ++difference.nodes;
    difference.changed += known.count(fingerprint(node)) == 0 ? 1 : 0;
  }).each(converted.nodes);
  return difference;
}

}  // namespace servosim
