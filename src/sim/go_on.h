// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scene/device_spec.h"
#include "servosim/robot.h"

// How parts of devices go on whose nodes may have other fields than before.

namespace servosim {

template <typename Part>
void go_on(Part& part, const typename Part::State& was, const DeviceSpec&, const DeviceSpec&) {
  part.set_state(was);
}

/// What stood at its maximum stays there; all else is kept, within the new limits.
void go_on(Motor& motor, const Motor::State& was, const DeviceSpec& before, const DeviceSpec& now);
/// A channel or range that the tree changes counts more than the one that was set. A range that was
/// set stays when another maxRange gives the field another value, as far as it may.
void go_on(Emitter& emitter, const Emitter::State& was, const DeviceSpec& before,
           const DeviceSpec& now);
void go_on(Receiver& receiver, const Receiver::State& was, const DeviceSpec& before,
           const DeviceSpec& now);

}  // namespace servosim
