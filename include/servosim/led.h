// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "servosim/math.h"

namespace servosim {

struct LedSpec;

/// An LED: gives its lights the colour it shines in.
/// Threads: one at a time, with the whole Simulation it is part of.
class Led {
 public:
  /// `light_colors`, by light of the scene, must outlive it.
  Led(const LedSpec& spec, std::vector<Vec3>& light_colors);
  /// 0 or less: off. Else the color of that number in the list, from 1; a number beyond it: off.
  /// A gradual one: 1 to 255 times the first color; without a color: 0xRRGGBB.
  void set(int value);
  int value() const { return state_.value; }
  /// Red, green, blue, in which it shines; black: off.
  Vec3 color() const;

  // Used by Simulation.
  /// Binds it to the same node's new description and to the lights of another scene, which take its
  /// colour.
  void rebind(const LedSpec& spec, std::vector<Vec3>& light_colors);
  /// Its node is gone: it lights nothing. `spec` describes it as before.
  void detach(const LedSpec& spec);

  /// Everything that changes while it runs.
  struct State {
    int value = 0;
  };
  const State& state() const { return state_; }
  void set_state(const State& state);

 private:
  const LedSpec* spec_;              // not null
  std::vector<Vec3>* light_colors_;  // nullptr: its node is gone
  State state_;
};

}  // namespace servosim
