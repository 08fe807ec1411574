// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>

#include "rendering/renderer.h"

namespace servosim {

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
  /// The number of threads that may draw a picture.
  virtual int threads() const = 0;
};

}  // namespace servosim
