// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "servosim/device.h"
#include "servosim/joint_type.h"

namespace servosim {

class Random;
struct JointState;
struct SensorSpec;

/// A PositionSensor, or the position measurement of a Servo. It measures with all turns of a hinge,
/// adds noise, and rounds to a multiple of the field `resolution`.
///
/// Threads: one at a time, with the whole Simulation it is part of.
class PositionSensor : public Device {
 public:
  explicit PositionSensor(const DeviceBinding& binding);
  /// `joint`: what it measures, null for none.
  PositionSensor(const SensorSpec& spec, const JointState* joint, Random& random);

  /// Last sample [rad|m], NaN before the first.
  double value() const { return sampler_.value(); }
  JointType type() const;

  // Used by Simulation.

 private:
  void rebind(const DeviceBinding& binding) override;
  void measure(double now_ms) override;
  void bind(const SensorSpec& spec, const JointState* joint);

  /// Not null.
  const SensorSpec* spec_;
  // The position of the joint or of its motor's shaft; nullptr: SensorSpec::fixed_position is
  // measured.
  const double* position_;
  // The node is gone.
  bool detached_ = false;
  Random& random_;
};

}  // namespace servosim
