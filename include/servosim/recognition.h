// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "servosim/camera_sight.h"
#include "servosim/math.h"

namespace servosim {

struct Scene;

/// A Solid with `recognitionColors` that a Camera recognises.
///
/// Threads: a plain value.
struct RecognizedObject {
  std::uint32_t node = 0;           ///< number of its node, as supervisors know it
  Vec3 position;                    ///< middle of its box in the frame of the Camera [m]
  AxisAngle orientation;            ///< in the same frame
  std::array<double, 2> size{};     ///< of its box along the Camera's x and y axes [m]
  std::array<int, 2> middle{};      ///< in the picture, from the upper left corner [pixels]
  std::array<int, 2> frame_size{};  ///< width and height in the picture [pixels]
  std::vector<Vec3> colors;         ///< its recognitionColors
  std::string model;                ///< its field `model`
};

/// What a Camera with a Recognition node recognises, and the picture in which each object has its
/// first colour. It has a sampling period of its own.
///
/// Threads: one at a time, with the whole Simulation it is part of.
class Recognition : public CameraSight {
 public:
  /// @param binding  its node and scene; what it refers to must outlive the sensor or its next
  ///   rebind()
  explicit Recognition(const DeviceBinding& binding);

  /// The objects of the last sample. The span is valid until the next one.
  std::span<const RecognizedObject> objects() const { return objects_; }
  /// The segmentation picture, with pixels like those of Camera::picture(): black where there is no
  /// object. There is none while segmentation is off.
  std::span<const std::uint8_t> picture() const { return picture_; }
  std::span<const std::byte> picture_bytes() const override { return std::as_bytes(picture()); }
  std::shared_ptr<const void> shared_picture() const override { return picture_.shared(); }

  void rebind(const DeviceBinding& binding) override;
  CommandEffect command(const DeviceCommand& command, double now_ms) override;
  /// Whether the Recognition node allows segmentation, by its field `segmentation`.
  bool can_segment() const;
  /// Switches segmentation on, if the node allows it, or off.
  void set_segmentation(bool on);
  std::function<void()> keep_settings() override;

 private:
  using Shade = std::array<std::uint8_t, 3>;  // blue, green, red
  void clear() override;
  void measure(double now_ms) override;
  void archive_state(DeviceArchive& archive) override;
  void recognize();
  void paint();
  void find_shades(std::size_t shapes);
  bool is_candidate(std::size_t solid) const;

  const Scene* scene_ = nullptr;  // null: its node is gone
  bool segments_ = false;
  std::vector<RecognizedObject> objects_;
  PictureNumbers<std::uint8_t> picture_;
  // Scratch memory.
  std::vector<std::int32_t> seen_;
  std::vector<Shade> shades_;  // of each shape
};

}  // namespace servosim
