// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "servosim/picture_sensor.h"

namespace servosim {

struct CameraSpec;

/// What the parts of a Camera have in common: its rays, which change with its field of view.
///
/// Threads: one at a time, with the whole Simulation it is part of.
class CameraSight : public PictureSensor {
 public:
  /// The angle that the width spans [rad].
  double field_of_view() const { return field_of_view_; }
  void rebind(const DeviceBinding& binding) override;
  CommandEffect command(const DeviceCommand& command, double now_ms) override;
  void set_field(std::string_view field, std::span<const double> numbers) override;
  std::function<void()> keep_settings() override;

 protected:
  CameraSight(Turn turn, const DeviceBinding& binding);
  const CameraSpec& spec() const;
  std::unique_ptr<Eye> open(Sight& sight) const override;
  /// Makes a picture of this many pixels opaque and black.
  static void blacken(PictureNumbers<std::uint8_t>& picture, std::size_t pixels);
  void archive_state(DeviceArchive& archive) override;

 private:
  double field_of_view_;
};

}  // namespace servosim
