// SPDX-License-Identifier: Apache-2.0
#include "scene/solid_references.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "scene/bodies.h"
#include "scene/joint_axes.h"

namespace servosim {

namespace {

constexpr const char* kStaticEnvironment = "<static environment>";

// Solids by the Solid at the top of their branch and by name, each in the order of the scene.
class NamedSolids {
 public:
  explicit NamedSolids(const Scene& scene) : top_(scene.solids.size()) {
    for (int s = 0; s < static_cast<int>(scene.solids.size()); ++s) {
      const SolidSpec& solid = scene.solids[s];
      top_[s] = solid.parent >= 0 ? top_[solid.parent] : s;
      by_name_[{top_[s], solid.name}].push_back(s);
    }
  }

  /// The first of that name in the branch of the Solid `parent` that is not `parent`; -1 for none.
  int find(int parent, const std::string& name) const {
    const auto found = by_name_.find({parent >= 0 ? top_[parent] : -1, name});
    if (found == by_name_.end()) {
      return -1;
    }
    const auto other = std::find_if(found->second.begin(), found->second.end(),
                                    [parent](int s) { return s != parent; });
    return other != found->second.end() ? *other : -1;
  }

 private:
  std::vector<int> top_;  // by Solid; parents stand in front of what is below them
  std::map<std::pair<int, std::string_view>, std::vector<int>> by_name_;
};

// Why a joint from `parent` to the Solid `child` can move nothing; empty if it can.
std::string obstacle(const Scene& scene, int parent, int child) {
  const SolidSpec& solid = scene.solids[child];
  if (!solid.physics) {
    return fmt::format("Solid \"{}\" has no Physics", solid.name);
  }
  if (parent >= 0 && scene.solids[parent].physics &&
      body_owner(scene, parent) == body_owner(scene, child)) {
    return fmt::format("Solid \"{}\" is one body with Solid \"{}\", which carries the joint",
                       solid.name, scene.solids[parent].name);
  }
  return {};
}

void connect(Scene& scene, int leader, int child) {
  const JointSpec& first = scene.joints[leader];
  const Pose now = inverse(world_pose(scene, first.parent)) * world_pose(scene, child);
  const Pose zero_pose = inverse(start_motion(axes_of(scene, leader))) * now;
  for (int axis = 0; axis < axis_count(first.kind); ++axis) {
    JointSpec& joint = scene.joints[leader + axis];
    joint.reference = true;
    joint.child = child;
    joint.zero_pose = zero_pose;
  }
  if (child >= 0) {
    scene.solids[child].referenced = true;
  }
}

}  // namespace

void resolve_references(Scene& scene, const std::vector<PendingReference>& pending,
                        Diagnostics& diagnostics) {
  if (pending.empty()) {
    return;
  }
  const NamedSolids solids(scene);
  for (const PendingReference& reference : pending) {
    const int parent = scene.joints[reference.joint].parent;
    if (reference.solid_name == kStaticEnvironment) {
      if (scene.joints[reference.joint].kind == JointKind::Hinge2) {
        diagnostics.warning(reference.where,
                            "a Hinge2Joint cannot end in the static environment; this joint moves "
                            "nothing");
      } else if (parent >= 0 && scene.solids[parent].physics) {
        connect(scene, reference.joint, -1);
      } else {
        diagnostics.warning(reference.where,
                            "this joint moves nothing: the Solid above it has no Physics and its "
                            "endPoint is the static environment");
      }
      continue;
    }
    const int child = solids.find(parent, reference.solid_name);
    if (child < 0) {
      diagnostics.warning(reference.where,
                          fmt::format("no other Solid below the same top Solid is called \"{}\"; "
                                      "joint \"{}\" moves nothing",
                                      reference.solid_name, scene.joints[reference.joint].name));
      continue;
    }
    if (const std::string why = obstacle(scene, parent, child); !why.empty()) {
      diagnostics.warning(reference.where, "this joint moves nothing: " + why);
      continue;
    }
    connect(scene, reference.joint, child);
  }
}

}  // namespace servosim
