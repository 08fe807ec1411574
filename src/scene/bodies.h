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

/// The outermost robot a Solid belongs to; -1 for none.
inline int outer_robot(const Scene& scene, int solid) {
  int robot = -1;
  for (; solid >= 0; solid = scene.solids[solid].parent) {
    robot = scene.solids[solid].robot >= 0 ? scene.solids[solid].robot : robot;
  }
  return robot;
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

/// True if a Solid above has Physics.
inline bool has_dynamic_ancestor(const Scene& scene, int solid) {
  for (int s = scene.solids[solid].parent; s >= 0; s = scene.solids[s].parent) {
    if (scene.solids[s].physics) {
      return true;
    }
  }
  return false;
}

/// What holds the body that a Solid owns, besides contacts.
enum class BodyHold : std::uint8_t {
  Nothing,
  Joint,   ///< it is the endpoint of one, or named by a SolidReference
  Parent,  ///< fixed to the body of the Solid above
  World,   ///< fixed to the static environment
};

inline BodyHold body_hold(const Scene& scene, int owner) {
  const SolidSpec& solid = scene.solids[owner];
  if (solid.joint >= 0) {
    return BodyHold::Joint;
  }
  if (solid.parent >= 0 && !solid.free_body) {
    if (is_dynamic(scene, solid.parent)) {
      return BodyHold::Parent;
    }
    if (!solid.referenced && !has_dynamic_ancestor(scene, owner)) {
      return BodyHold::World;
    }
  }
  // Below a static Solid that hangs on a moving one it floats free, as in Webots.
  return solid.referenced ? BodyHold::Joint : BodyHold::Nothing;
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
