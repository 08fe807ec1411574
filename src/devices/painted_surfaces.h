// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "scene/ink_layer.h"
#include "scene/scene.h"

namespace servosim {

class Camera;
class DeviceArchive;
class Display;
struct PenSpec;
struct SeenPoint;

/// What controllers have changed of the surfaces of a scene: the pictures of Displays, and the ink
/// of Pens.
///
/// Threads: one at a time, with the whole Simulation.
class PaintedSurfaces {
 public:
  /// @param scene  outlives this object
  /// @param before  the surfaces of the scene before the tree changed, whose ink stays; may be null
  PaintedSurfaces(const Scene& scene, const PaintedSurfaces* before);

  // ---- Displays

  /// Displays and Cameras register themselves when they are bound to the scene. They outlive it, or
  /// register in the next one.
  void add(const Display& display, int number);
  void add(const Camera& camera, std::uint32_t node) { cameras_[node] = &camera; }
  /// Returns the Camera of a node; null if there is none.
  const Camera* camera(std::uint32_t node) const;
  /// Returns a Display by DisplaySpec::number; null if there is none.
  const Display* display(int number) const;

  // ---- ink

  /// Returns the ink on a Shape, which gets another address when it changes; null without ink.
  std::shared_ptr<const InkLayer> ink(const ShapeKey& key) const;
  /// Writes at a point of a Shape.
  /// @param lead_size  diameter of what a Pen writes [m]
  void write(const SeenPoint& seen, double lead_size, const InkLayer::Ink& ink);
  /// Lets the ink fade for some time [s].
  void fade(double elapsed);
  /// Saves or restores the ink, which no hash contains.
  void archive(DeviceArchive& archive);

  // ---- what infra-red sensors see

  /// Returns the reflection of a point, in [0.2, 1].
  double reflection(const SeenPoint& seen) const;

 private:
  // The place of a point in the ink layer of its Shape.
  std::array<double, 2> ink_place(const SeenPoint& seen) const;
  InkLayer& writable(const ShapeKey& key, const VisibleShape& shape);

  const Scene& scene_;
  std::vector<const Display*> displays_;
  std::map<std::uint32_t, const Camera*> cameras_;
  // Sensors of pictures keep layers, so one that somebody else holds is copied before it changes.
  std::map<ShapeKey, std::shared_ptr<InkLayer>> ink_;
};

}  // namespace servosim
