// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rendering/renderer.h"

namespace servosim {

/// How Cameras recognise a Solid.
struct SolidLook {
  std::vector<Vec3> colors;  ///< recognitionColors; none if it is not recognised
  std::string model;         ///< its field `model`
};

struct BoundingSphere {
  Vec3 center;
  double radius = 0.0;  ///< [m]
};

/// What sensors see of a scene.
///
/// Threads: one at a time, with the whole Simulation.
class Sight {
 public:
  virtual ~Sight() = default;
  /// Opens an eye for the shapes of the scene. The first call reads their looks and loads the
  /// renderer. The eye is valid as long as this object.
  /// @throws StepFailed if the renderer cannot be loaded
  virtual std::unique_ptr<Eye> open(const RayPattern& pattern) = 0;
  /// The present pose of each shape in the world. The span is valid until the next call.
  virtual std::span<const Pose> shapes() = 0;
  /// What the shapes look like now, for Eye::find_light(). The first call reads the pictures of the
  /// world. The result is valid until the next call.
  virtual const Looks& looks() = 0;
  /// How Cameras recognise each Solid. The span is valid until the next call.
  virtual std::span<const SolidLook> solid_looks() = 0;
  /// The Solid that carries a shape; -1 for none.
  virtual int solid_of_shape(std::size_t shape) = 0;
  /// A sphere around the shapes of some Solids, in the world; nothing without shapes.
  /// @param is_wanted  by Solid
  virtual std::optional<BoundingSphere> sphere_around(std::span<const char> is_wanted) = 0;
  /// The number of threads that may draw a picture.
  virtual int threads() const = 0;
};

}  // namespace servosim
