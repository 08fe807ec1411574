// SPDX-License-Identifier: Apache-2.0
#include "scene/solid_references.h"

#include <fmt/format.h>

#include "scene/bodies.h"
#include "scene/joint_axes.h"

namespace servosim {

namespace {

constexpr const char* kStaticEnvironment = "<static environment>";

int find_solid(const Scene& scene, const JointSpec& joint, const std::string& name) {
  const int top = top_solid(scene, joint.parent);
  for (int s = 0; top >= 0 && s < static_cast<int>(scene.solids.size()); ++s) {
    if (s != joint.parent && scene.solids[s].name == name && top_solid(scene, s) == top) {
      return s;
    }
  }
  return -1;
}

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
    const int child = find_solid(scene, scene.joints[reference.joint], reference.solid_name);
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
