// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "servosim/device.h"
#include "servosim/joint_type.h"

namespace servosim {

struct JointState;

/// A Brake: adds damping to its joint, next to the joint's own dampingConstant.
///
/// Threads: one at a time, with the whole Simulation it is part of.
class Brake : public Device {
 public:
  /// What `binding` refers to must outlive the brake or the next rebind().
  explicit Brake(const DeviceBinding& binding);
  /// @param type  the kind of the joint
  /// @param joint  the joint that it brakes; null for a brake whose joint is not simulated, which
  ///   does nothing. It must outlive the brake or the next rebind().
  Brake(JointType type, JointState* joint) : Device(Turn::Brake), type_(type), joint_(joint) {}

  /// Tells the unit of the damping: N·m·s/rad or N·s/m.
  JointType type() const { return type_; }
  /// Sets the damping that acts from the next step on [N·m·s/rad | N·s/m], and wakes the joint's
  /// bodies. It replaces the last value; 0 releases the brake.
  /// @throws std::invalid_argument for NaN
  void set_damping_constant(double damping);
  /// The value that was set last [N·m·s/rad | N·s/m]; 0 at the start.
  double damping_constant() const { return damping_; }

 private:
  /// Binds the brake to another joint, which has this brake's damping already, or to none.
  void rebind(const DeviceBinding& binding) override;
  CommandEffect command(const DeviceCommand& command, double now_ms) override;
  void restart() override { set_damping_constant(0.0); }
  void archive_state(DeviceArchive& archive) override;

  JointType type_;
  JointState* joint_;  // nullptr for a brake without a joint
  // The joint stores the damping that acts, so that restoring this value does not change the joint.
  double damping_ = 0.0;
};

}  // namespace servosim
