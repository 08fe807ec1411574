// SPDX-License-Identifier: Apache-2.0
#include "scene/scene_match.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/assert.h"

namespace servosim {

namespace {

// Worlds are read in the order of the node numbers, so most lists are sorted and without
// duplicates. Numbering such a list and searching in it then need no map.
template <typename Spec, typename Axis>
std::vector<NodeKey> keys_of(const std::vector<Spec>& specs, Axis axis_of) {
  std::vector<NodeKey> keys;
  bool rises = true;
  for (const Spec& spec : specs) {
    const NodeKey key{spec.node, axis_of(spec), 0};
    rises = rises && (keys.empty() || keys.back() < key);
    keys.push_back(key);
  }
  if (!rises) {
    std::map<NodeKey, std::uint32_t> used;
    for (NodeKey& key : keys) {
      key.number = used[key]++;
    }
  }
  return keys;
}

template <typename Spec>
std::vector<NodeKey> keys_of(const std::vector<Spec>& specs) {
  return keys_of(specs, [](const Spec&) { return 0U; });
}

std::vector<int> places_of(const std::vector<NodeKey>& after, const std::vector<NodeKey>& before) {
  std::vector<std::pair<NodeKey, int>> index;
  for (const NodeKey& key : before) {
    index.emplace_back(key, static_cast<int>(index.size()));
  }
  if (!std::is_sorted(index.begin(), index.end())) {
    std::sort(index.begin(), index.end());
  }
  std::vector<int> places;
  auto next = index.begin();  // after the one that was found last
  for (const NodeKey& key : after) {
    if (next == index.end() || next->first != key) {
      next = std::lower_bound(index.begin(), index.end(), std::pair(key, -1));
    }
    const bool is_there = next != index.end() && next->first == key;
    places.push_back(is_there ? (next++)->second : -1);
  }
  return places;
}

bool is_identity(const std::vector<int>& places, std::size_t count) {
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i] != static_cast<int>(i)) {
      return false;
    }
  }
  return places.size() == count;
}

// Compares with a tolerance for rounding, because a place may have been computed in two ways.
bool same(const Vec3& a, const Vec3& b) {
  constexpr double kRounding = 1e-9;
  return norm(a - b) <= kRounding * (1.0 + norm(a));
}

bool same(const Pose& a, const Pose& b) {
  constexpr double kRounding = 1e-9;
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) {
      if (!(std::abs(a.rotation(row, column) - b.rotation(row, column)) <= kRounding)) {
        return false;
      }
    }
  }
  return same(a.translation, b.translation);
}

bool same(const JointSpec& a, const JointSpec& b) {
  return a.kind == b.kind && a.type == b.type && a.reference == b.reference &&
         same(a.anchor, b.anchor) && same(a.axis, b.axis) && a.stops.min == b.stops.min &&
         a.stops.max == b.stops.max && a.spring.constant == b.spring.constant &&
         a.damping_constant == b.damping_constant && a.static_friction == b.static_friction &&
         a.spring.reference == b.spring.reference && a.armature == b.armature &&
         a.suspension.spring_constant == b.suspension.spring_constant &&
         same(a.suspension.axis, b.suspension.axis);
}

bool same(const CouplingSpec& a, const CouplingSpec& b) {
  return a.offset == b.offset && a.compliance == b.compliance && a.backlash == b.backlash &&
         std::equal(a.terms.begin(), a.terms.end(), b.terms.begin(), b.terms.end(),
                    [](const CouplingSpec::Term& x, const CouplingSpec::Term& y) {
                      return x.joint == y.joint && x.ratio == y.ratio;
                    });
}

bool same(const Shape& a, const Shape& b) {
  const auto heights = [](const Shape& s) {
    return s.grid != nullptr ? s.grid->heights : std::vector<double>{};
  };
  const auto vertices = [](const Shape& s) {
    return s.mesh != nullptr ? s.mesh->vertices : std::vector<Vec3>{};
  };
  return a.type == b.type && a.pose == b.pose && a.size == b.size && a.radius == b.radius &&
         a.height == b.height && (a.mesh == b.mesh || vertices(a) == vertices(b)) &&
         (a.grid == b.grid || heights(a) == heights(b));
}

bool same(const SolidSpec& a, const SolidSpec& b) {
  return a.parent == b.parent && a.joint == b.joint && a.contact_material == b.contact_material &&
         a.physics.has_value() == b.physics.has_value() &&
         std::equal(a.shapes.begin(), a.shapes.end(), b.shapes.begin(), b.shapes.end(),
                    [](const Shape& x, const Shape& y) { return same(x, y); });
}

// The endpoint of a joint keeps its place if the joint keeps its position and only its anchor
// changes.
bool same_place(const Scene& before, const Scene& after, const SolidSpec& old, const SolidSpec& now,
                const Pose* placed) {
  if (placed != nullptr && same(now.pose, *placed)) {
    return true;
  }
  if (!same(old.pose, now.pose)) {
    return false;
  }
  if (old.joint < 0 || now.joint < 0) {
    return true;
  }
  const JointSpec& a = before.joints[old.joint];
  const JointSpec& b = after.joints[now.joint];
  return same(a.zero_pose, b.zero_pose) && same(a.anchor, b.anchor) && same(a.axis, b.axis) &&
         have_same_parameters(axes_of(before, old.joint), axes_of(after, now.joint));
}

}  // namespace

bool have_same_parameters(std::span<const JointSpec> before, std::span<const JointSpec> after) {
  return std::equal(
      before.begin(), before.end(), after.begin(), after.end(),
      [](const JointSpec& a, const JointSpec& b) { return a.parameters == b.parameters; });
}

std::vector<NodeKey> joint_keys(const Scene& scene) {
  return keys_of(scene.joints, [](const JointSpec& joint) {
    return static_cast<std::uint32_t>(joint.axis_number);
  });
}

std::vector<NodeKey> robot_keys(const Scene& scene) { return keys_of(scene.robots); }

std::vector<NodeKey> device_keys(const std::vector<DeviceSpec>& devices) {
  return keys_of(devices);
}

SceneMatch match_scenes(const Scene& before, const Scene& after,
                        const std::map<int, Pose>& placed) {
  SceneMatch match;
  match.solids = places_of(keys_of(after.solids), keys_of(before.solids));
  match.joints = places_of(joint_keys(after), joint_keys(before));
  match.propellers = places_of(keys_of(after.propellers), keys_of(before.propellers));
  match.relocated.resize(after.solids.size(), false);
  match.wakes_bodies =
      !(before.world.gravity == after.world.gravity) ||
      before.world.contact_properties.size() != after.world.contact_properties.size() ||
      !is_identity(match.solids, before.solids.size()) ||
      !is_identity(match.joints, before.joints.size()) ||
      !std::equal(after.couplings.begin(), after.couplings.end(), before.couplings.begin(),
                  before.couplings.end(),
                  [](const CouplingSpec& a, const CouplingSpec& b) { return same(a, b); });
  SERVOSIM_ASSERT(
      match.solids.size() == after.solids.size() && match.joints.size() == after.joints.size(),
      "{} of {} Solids, {} of {} joints", match.solids.size(), after.solids.size(),
      match.joints.size(), after.joints.size());
  for (std::size_t s = 0; s < match.solids.size(); ++s) {
    const int old = match.solids[s];
    if (old >= 0) {
      const SolidSpec& now = after.solids[s];
      const auto found = placed.find(old);
      match.relocated[s] = !same_place(before, after, before.solids[old], now,
                                       found == placed.end() ? nullptr : &found->second);
      match.wakes_bodies =
          match.wakes_bodies || match.relocated[s] || !same(before.solids[old], now);
    }
  }
  for (std::size_t j = 0; j < match.joints.size(); ++j) {
    const int old = match.joints[j];
    match.wakes_bodies =
        match.wakes_bodies || old < 0 || !same(before.joints[old], after.joints[j]);
  }
  return match;
}

}  // namespace servosim
