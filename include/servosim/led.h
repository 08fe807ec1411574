// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "servosim/device.h"
#include "servosim/math.h"

namespace servosim {

struct LedSpec;
struct SwitchedColors;

/// An LED: gives the lights and Shapes below it the colour in which it shines. Sensors see that:
/// the fields of the lights and Shapes keep their values
/// (docs/explanation/deviations.md#sensors-that-touch-and-look).
///
/// Threads: one at a time, with the whole Simulation it is part of.
class Led : public Device {
 public:
  /// Switches the LED off. What `binding` refers to must outlive the LED or its next rebind().
  explicit Led(const DeviceBinding& binding);
  /// Sets the colour. 0 or less switches the LED off. Otherwise `value` counts the colours of the
  /// field `color` from 1, and a number beyond the last one switches it off. With `gradual` TRUE,
  /// `value` / 255, at most 1, scales the first colour; where `color` is empty, `value` is the
  /// colour 0xRRGGBB.
  void set(int value);
  /// The value that was set last; 0 at the start.
  int value() const { return value_; }
  /// Red, green and blue, from 0 to 1, in which it shines; black when it is off.
  Vec3 color() const;

 private:
  /// Binds it to the same node's new description and to the lights of another scene, which get its
  /// colour, or to none if the node is gone: then the LED acts on no light.
  void rebind(const DeviceBinding& binding) override;
  CommandEffect command(const DeviceCommand& command, double now_ms) override;
  void list_settings(std::vector<DeviceSetting>& settings) const override;
  void restart() override { set(0); }
  /// A restored state also gives the lights its colour.
  void archive_state(DeviceArchive& archive) override;
  void shine() const;

  const LedSpec* spec_;     // not null
  SwitchedColors* colors_;  // of the scene; nullptr: its node is gone
  int value_ = 0;
};

}  // namespace servosim
