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
  /// @param spec  its node
  /// @param joint  the joint that it measures; null where the joint is not simulated, so that it
  /// measures the
  ///   position in the file
  /// @param random  gives its noise
  PositionSensor(const SensorSpec& spec, const JointState* joint, Random& random);

  /// The last sample [rad|m]; NaN before the first one.
  double value() const { return sampler_.value(); }
  /// Tells the unit of its values.
  JointType type() const;

  // Only Simulation uses what follows.

 private:
  void rebind(const DeviceBinding& binding) override;
  void measure(double now_ms) override;
  void bind(const SensorSpec& spec, const JointState* joint);

  /// Never null.
  const SensorSpec* spec_;
  // The position of the joint or of its motor's shaft. If it is null, SensorSpec::fixed_position is
  // measured.
  const double* position_;
  // Whether the node is gone.
  bool detached_ = false;
  Random& random_;
};

}  // namespace servosim
