// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "servosim/device.h"
#include "servosim/math.h"

namespace servosim {

struct LedSpec;

/// An LED: gives the lights below it the colour in which it shines. Only LightSensors see that: the
/// fields of the lights and Shapes keep their values
/// (docs/explanation/deviations.md#sensors-that-touch-and-look).
///
/// Threads: one at a time, with the whole Simulation it is part of.
class Led : public Device {
 public:
  explicit Led(const DeviceBinding& binding);
  /// 0 or less: off. Else the color of that number in the list, from 1; a number beyond it: off.
  /// A gradual one: 1 to 255 times the first color; without a color: 0xRRGGBB.
  void set(int value);
  int value() const { return value_; }
  /// Red, green, blue, in which it shines; black: off.
  Vec3 color() const;

  // Used by Simulation.

 private:
  /// The lights of another scene take its colour.
  void rebind(const DeviceBinding& binding) override;
  CommandEffect command(const DeviceCommand& command, double now_ms) override;
  void list_settings(std::vector<DeviceSetting>& settings) const override;
  void restart() override { set(0); }
  void archive_state(DeviceArchive& archive) override;
  void shine() const;

  const LedSpec* spec_;              // not null
  std::vector<Vec3>* light_colors_;  // nullptr: its node is gone
  int value_ = 0;
};

}  // namespace servosim
