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
  explicit Brake(const DeviceBinding& binding);
  /// `joint`: what it brakes, null for none.
  Brake(JointType type, JointState* joint) : Device(Turn::Brake), type_(type), joint_(joint) {}

  /// Tells the unit of the damping: N·m·s/rad or N·s/m.
  JointType type() const { return type_; }
  /// Sets the damping that acts from the next step on [N·m·s/rad | N·s/m], and wakes the joint's
  /// bodies. It replaces the last value; 0 releases the brake.
  /// @throws std::invalid_argument for NaN
  void set_damping_constant(double damping);
  double damping_constant() const { return damping_; }

  // Used by Simulation.

 private:
  /// A joint of another scene has its damping already.
  void rebind(const DeviceBinding& binding) override;
  CommandEffect command(const DeviceCommand& command, double now_ms) override;
  void restart() override { set_damping_constant(0.0); }
  void archive_state(DeviceArchive& archive) override;

  JointType type_;
  JointState* joint_;     // nullptr for a brake without a joint
  double damping_ = 0.0;  // which its joint has, too
};

}  // namespace servosim
