// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "servosim/device.h"
#include "servosim/math.h"

namespace servosim {

class Notices;
class PaintedSurfaces;
class PhysicsWorld;
struct PenSpec;

/// A Pen: before each step it marks the first Shape in its direction, -z. Cameras and infra-red
/// DistanceSensors see its ink.
///
/// Threads: one at a time, with the whole Simulation it is part of.
class Pen : public Device {
 public:
  /// What `binding` refers to must outlive the Pen or its next rebind().
  explicit Pen(const DeviceBinding& binding);

  bool writes() const { return writes_; }
  /// Red, green and blue of its ink, from 0 to 1.
  const Vec3& color() const { return color_; }
  /// The density of its ink, in [0, 1].
  double density() const { return density_; }

  void rebind(const DeviceBinding& binding) override;
  void before_step(double h) override;
  CommandEffect command(const DeviceCommand& command, double now_ms) override;
  std::function<void()> keep_settings() override;

 private:
  void archive_state(DeviceArchive& archive) override;

  const PenSpec* spec_;    // not null
  PhysicsWorld* physics_;  // null, like surfaces_: its node is gone
  PaintedSurfaces* surfaces_;
  Notices& notices_;
  bool writes_;
  Vec3 color_;
  double density_;
};

}  // namespace servosim
