// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "servosim/math.h"

namespace servosim {

struct LedSpec;

/// An LED: gives the lights below it the colour in which it shines. Only LightSensors see that: the
/// fields of the lights and Shapes keep their values
/// (docs/explanation/deviations.md#sensors-that-touch-and-look).
///
/// Threads: one at a time, with the whole Simulation it is part of.
class Led {
 public:
  /// Switches the LED off. `light_colors` has the colour of each light of the scene and must
  /// outlive the LED or its next rebind().
  Led(const LedSpec& spec, std::vector<Vec3>& light_colors);
  /// Sets the colour. 0 or less switches the LED off. Otherwise `value` counts the colours of the
  /// field `color` from 1, and a number beyond the last one switches it off. With `gradual` TRUE,
  /// `value` / 255, at most 1, scales the first colour; where `color` is empty, `value` is the
  /// colour 0xRRGGBB.
  void set(int value);
  /// The value that was set last; 0 at the start.
  int value() const { return state_.value; }
  /// Red, green and blue, from 0 to 1, in which it shines; black when it is off.
  Vec3 color() const;

  // Only Simulation uses what follows.
  /// Binds it to the same node's new description and to the lights of another scene, which get its
  /// colour.
  void rebind(const LedSpec& spec, std::vector<Vec3>& light_colors);
  /// The node is gone: the LED acts on no light. `spec` describes it as before.
  void detach(const LedSpec& spec);

  /// Everything that changes while it runs.
  struct State {
    int value = 0;
  };
  const State& state() const { return state_; }
  /// Restores a state, and gives the lights its colour.
  void set_state(const State& state);

 private:
  const LedSpec* spec_;              // not null
  std::vector<Vec3>* light_colors_;  // nullptr: its node is gone
  State state_;
};

}  // namespace servosim
