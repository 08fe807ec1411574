// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "servosim/camera_sight.h"

namespace servosim {

struct Image;
struct PicturePart;

/// A Camera: a sensor that takes pictures of colours as Webots' does, with its tone mapping, and
/// the node's motion blur, focus, lens, noise and noise mask. Noise comes from the simulation's
/// random numbers.
///
/// Threads: one at a time, with the whole Simulation it is part of.
class Camera : public CameraSight {
 public:
  /// @param binding  its node and scene; what it refers to must outlive the sensor or its next
  ///   rebind()
  explicit Camera(const DeviceBinding& binding);

  /// The last picture: height() rows of width() pixels, from the upper left corner; a pixel is four
  /// bytes: blue, green, red, and 255. It is black before the first sample, and there is none
  /// before the sensor is enabled. The span is valid until the tree changes; each sample overwrites
  /// the picture.
  std::span<const std::uint8_t> picture() const { return picture_; }
  std::span<const std::byte> picture_bytes() const override { return std::as_bytes(picture()); }
  std::shared_ptr<const void> shared_picture() const override { return picture_.shared(); }
  /// The light of the last picture, from which its bytes are made: red, green and blue of each
  /// pixel, linear, before exposure and noise, with lens, focus and motion blur. Empty before the
  /// first sample. The span is valid until the tree changes; each sample overwrites the light.
  std::span<const float> light() const { return light_; }
  /// The factor of the light, >= 0.
  double exposure() const { return exposure_; }
  /// The distance that is sharp [m]; 0 without a Focus node.
  double focal_distance() const { return focal_distance_; }

  void rebind(const DeviceBinding& binding) override;
  CommandEffect command(const DeviceCommand& command, double now_ms) override;
  void list_settings(std::vector<DeviceSetting>& settings) const override;
  void set_field(std::string_view field, std::span<const double> numbers) override;
  std::function<void()> keep_settings() override;

 private:
  void clear() override;
  void begin_again() override { blurred_.clear(); }
  void read_mask();
  void measure(double now_ms) override;
  void archive_state(DeviceArchive& archive) override;
  bool is_focused() const;
  // Finds the light. If nothing changes it any more, it becomes bytes there.
  void see(bool is_final);
  void blur_motion();
  void develop(const PicturePart& part);
  void develop_with_noise();

  double exposure_;
  double focal_distance_;
  std::vector<float> light_;    // red, green and blue of each pixel
  std::vector<float> blurred_;  // the same of the last picture, if it has motionBlur
  std::vector<double> depths_;  // of a Camera with focus, scratch memory [m]
  PictureNumbers<std::uint8_t> picture_;
  std::string name_;  // for messages
  bool has_read_mask_ = false;
  std::shared_ptr<const Image> mask_;  // of the noise; null without one
};

}  // namespace servosim
