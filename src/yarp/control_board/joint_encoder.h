// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace servosim::yarp {

/// The measured state of a joint, in the board's units.
struct JointMeasurement {
  double position = 0.0;  ///< position of the encoder
  double velocity = 0.0;
  double torque = 0.0;  ///< total effort of the joint on its endpoint [N·m|N]
  double output = 0.0;  ///< the part that was commanded to the motor [N·m|N]
  double time = 0.0;    ///< [s]
};

/// Converts positions of a joint into readings of its encoder, and derives accelerations.
class JointEncoder {
 public:
  /// `unit` is the board's unit in SI: π/180 for degrees, 1 for metres.
  explicit JointEncoder(double unit) : unit_(unit) {}

  double unit() const { return unit_; }
  double reading(double position) const { return position / unit_ - zero_; }
  /// The position, in the board's unit, at which the encoder reads 0.
  double zero() const { return zero_; }
  void move_zero(double by) { zero_ += by; }

  /// Stores the measurement of a step.
  void store(const JointMeasurement& now) {
    acceleration_ = acceleration_at(now);
    time_ = now.time;
    velocity_ = now.velocity;
  }
  /// Returns the mean acceleration since the stored measurement. Without a later measurement it is
  /// that of the last step.
  double acceleration_at(const JointMeasurement& now) const {
    return now.time > time_ ? (now.velocity - velocity_) / (now.time - time_) : acceleration_;
  }

 private:
  double unit_;
  double zero_ = 0.0;
  double time_ = 0.0;  // [s]
  double velocity_ = 0.0;
  double acceleration_ = 0.0;
};

}  // namespace servosim::yarp
