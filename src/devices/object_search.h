// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "devices/object_box.h"
#include "devices/sight.h"
#include "servosim/math.h"

namespace servosim {

class PhysicsWorld;
struct Scene;

/// What a sensor must know of a Solid in order to recognise it: its extent and what hides it. What
/// is attached below the Solid is part of it.
///
/// Threads: one at a time, with the whole Simulation.
class ObjectSearch {
 public:
  /// @param scene, physics, sight  outlive this object
  /// @param sensor  the Solid of the sensor
  /// @param eye  the pose of the sensor in the world, with x forward
  ObjectSearch(const Scene& scene, PhysicsWorld& physics, Sight& sight, int sensor,
               const Pose& eye);

  /// Chooses the object that the other functions are about.
  void choose(std::size_t solid);
  /// A sphere around its Shapes, in the world; nothing without Shapes. The reference is valid until
  /// the next choice.
  const std::optional<BoundingSphere>& sphere();
  /// Adds what the sensor can see of its boundingObjects to a box; without any the sphere around
  /// its Shapes.
  void add_to(ObjectBox& box);
  /// Whether the ray to its origin is blocked before it reaches half of the box's depth.
  bool hides_origin(const ObjectBox& box) const;
  /// Whether the rays to all corners of its box are blocked, or, if the box is that of the sphere,
  /// those to its six tips. Each passes through what is within half of one size of its end.
  bool hides_box(const ObjectBox& box) const;

 private:
  bool is_blocked(const Vec3& to, double allowance) const;

  const Scene& scene_;
  PhysicsWorld& physics_;
  Sight& sight_;
  int sensor_;
  Pose eye_;
  std::size_t solid_ = 0;
  std::vector<char> is_part_;  // by Solid
  bool knows_sphere_ = false;  // sphere_ is that of this object
  std::optional<BoundingSphere> sphere_;
  bool is_round_ = false;  // its box is that of the sphere, since it has no boundingObject
};

}  // namespace servosim
