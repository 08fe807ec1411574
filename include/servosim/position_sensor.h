// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "servosim/device.h"
#include "servosim/joint_type.h"

namespace servosim {

class Random;
struct JointState;
struct SensorSpec;
struct ServoModel;

/// A PositionSensor, or the position measurement of a Servo. It measures with all turns of a hinge,
/// adds noise, and rounds to a multiple of the field `resolution`. Where the motor of the joint is
/// a real servo, it reads the encoder of the servo, which is on the endpoint's side of its gear.
///
/// Threads: one at a time, with the whole Simulation it is part of.
class PositionSensor : public Device {
 public:
  /// What `binding` refers to must outlive the sensor or its next rebind().
  explicit PositionSensor(const DeviceBinding& binding);
  /// All arguments must outlive the sensor or its next rebind().
  /// @param spec  its node
  /// @param joint  what it measures, on the motor's side of a backlash; null where the joint is not
  ///   simulated: then it measures the position that the file gives
  /// @param random  gives its noise
  PositionSensor(const SensorSpec& spec, const JointState* joint, Random& random);

  /// The last sample [rad|m]; NaN before the first one.
  double value() const { return sampler_.value(); }
  /// Tells the unit of its values.
  JointType type() const;

 private:
  /// Binds it to the same node's new description and joint, or to none if the node is gone: then
  /// the sensor measures nothing and keeps its last value. Its samples stay.
  void rebind(const DeviceBinding& binding) override;
  void measure(double now_ms) override;
  void bind(const SensorSpec& spec, const JointState* joint);
  void bind_servo(const DeviceBinding& binding);

  const SensorSpec* spec_;  // not null
  // The position of the joint or of its motor's shaft; nullptr: SensorSpec::fixed_position is
  // measured.
  const double* position_;
  const ServoModel* servo_ = nullptr;  // of the joint; nullptr for none
  bool detached_ = false;              // whether the node is gone
  Random& random_;
};

}  // namespace servosim
