// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scene/scene.h"

namespace servosim {

/// True if a Solid has Physics; -1 is the world, which has none.
inline bool is_dynamic(const Scene& scene, int solid) {
  return solid >= 0 && scene.solids[solid].physics.has_value();
}

/// The Solid at the top of the branch of a Solid; -1 for -1.
inline int top_solid(const Scene& scene, int solid) {
  while (solid >= 0 && scene.solids[solid].parent >= 0) {
    solid = scene.solids[solid].parent;
  }
  return solid;
}

/// True if a Solid with Physics is a rigid part of the body of the Solid above it. Being named by
/// a SolidReference changes nothing about that.
inline bool is_merged(const Scene& scene, int solid) {
  const SolidSpec& spec = scene.solids[solid];
  return spec.joint < 0 && !spec.own_body && !spec.free_body && spec.parent >= 0 &&
         scene.solids[spec.parent].physics.has_value();
}

/// The Solid whose body a Solid with Physics belongs to: itself, or one above.
inline int body_owner(const Scene& scene, int solid) {
  while (is_merged(scene, solid)) {
    solid = scene.solids[solid].parent;
  }
  return solid;
}

inline bool has_dynamic_ancestor(const Scene& scene, int solid) {
  for (int s = scene.solids[solid].parent; s >= 0; s = scene.solids[s].parent) {
    if (scene.solids[s].physics) {
      return true;
    }
  }
  return false;
}

/// Where a Solid stands in the world at the start; -1 is the world itself.
inline Pose world_pose(const Scene& scene, int solid) {
  Pose pose;
  for (; solid >= 0; solid = scene.solids[solid].parent) {
    pose = scene.solids[solid].pose * pose;
  }
  return pose;
}

}  // namespace servosim
