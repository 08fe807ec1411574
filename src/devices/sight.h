// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rendering/renderer.h"

namespace servosim {

/// How Cameras and Radars recognise a Solid.
struct SolidLook {
  std::vector<Vec3> colors;          ///< recognitionColors; none if it is not recognised
  std::string model;                 ///< its field `model`
  double radar_cross_section = 0.0;  ///< [m²]; 0 if no Radar sees it
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
  /// Reads a picture of a sensor. Null if it cannot be read; the world lacks it then.
  /// @param sensor  such as `Camera "eye"`, for the message
  virtual std::shared_ptr<const Image> picture(const NamedPicture& file,
                                               const std::string& sensor) = 0;
  /// How Cameras and Radars recognise each Solid. The span is valid until the next call.
  virtual std::span<const SolidLook> solid_looks() = 0;
  /// The Solid that carries a shape; -1 for none.
  virtual int solid_of_shape(std::size_t shape) = 0;
  /// A sphere around the shapes of some Solids, in the world; nothing without shapes.
  /// @param is_wanted  by Solid
  virtual std::optional<BoundingSphere> sphere_around(std::span<const char> is_wanted) = 0;
  /// Which shapes a sensor does not see, 1 or 0 for each; empty if it sees all. The span is valid
  /// until the next call.
  /// @param nodes  the numbers of nodes that are hidden from it
  /// @param sees_spots  whether it sees the spots of lasers
  virtual std::span<const char> hidden_shapes(std::span<const std::uint32_t> nodes,
                                              bool sees_spots) = 0;
  /// The number of threads that may draw a picture.
  virtual int threads() const = 0;
};

}  // namespace servosim
