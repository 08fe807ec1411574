// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "physics/rows/servo_law.h"
#include "physics/servo_state.h"
#include "servosim/motor.h"
#include "servosim/velocity_controller.h"

namespace servosim {

class DeviceArchive;
class Random;

/// What registers add to the shape of a position loop, on each side of the goal: [0] where the
/// servo pushes towards lower positions, [1] towards higher ones.
///
/// Threads: a plain value.
struct LoopShape {
  double dead_zone[2] = {0.0, 0.0};         ///< to ServoFirmware::dead_zone [rad|m]
  double compliance_slope[2] = {0.0, 0.0};  ///< to that of a compliant loop [rad|m]
  double punch = 0.0;                       ///< to ServoFirmware::punch
  bool operator==(const LoopShape&) const = default;
};

/// A loop that holds a velocity: output = p·(goal − velocity) + ∫i·(goal − velocity)dt.
///
/// Threads: a plain value.
struct VelocityGains {
  double p = 0.0;  ///< [output/(rad/s)]
  double i = 0.0;  ///< [output/rad]
  bool operator==(const VelocityGains&) const = default;
};

/// What a servo does in the next step, in terms of the joint.
///
/// Threads: a plain value.
struct ServoOrder {
  enum class Mode { Position, Velocity, Force, Current, Duty } mode = Mode::Position;
  double value = 0.0;         ///< [rad|m, rad/s|m/s, N·m|N, A, from -1 to 1]
  double speed = 0.0;         ///< of the profile [rad/s|m/s]; infinite: the model's
  double acceleration = 0.0;  ///< of the profile [rad/s²|m/s²]; > 0; infinite: the model's
  double share = 1.0;         ///< of the PWM limit; 0: no torque
  /// The window of current [A]; > 0; infinite: the model's.
  double max_current = std::numeric_limits<double>::infinity();
  PidGains gains;  ///< as the registers have them
  /// The gains of Mode::Velocity; nothing: the position loop follows a target that moves.
  std::optional<VelocityGains> velocity_gains = {};
  LoopShape shape = {};
  /// The one who orders watches temperature, voltage and overload, so that the model does not.
  bool is_protected = false;
  bool operator==(const ServoOrder&) const = default;
};

/// What is wrong with a servo.
///
/// Threads: a plain value.
struct ServoTrouble {
  static constexpr double kNone = std::numeric_limits<double>::infinity();

  double max_volts = kNone;     ///< its supply has at most this without a load [V]; > 0
  double friction = 0.0;        ///< its gear has this much more [N·m|N]; infinite: jam_friction()
  double temperature = -kNone;  ///< its winding and its case have at least this [°C]
  bool operator==(const ServoTrouble&) const = default;
};

/// The friction of a gear that something blocks, which is ten times what the motor gives at rest
/// [N·m|N].
double jam_friction(const ServoModel& model);

/// The electronics of a servo: commands, their delay, the frame of pulses and the encoder. The
/// firmware's loop and the motor are part of the physics of its joint, which reads what this class
/// writes.
///
/// Threads: one at a time, with the whole Simulation.
class ServoElectronics {
 public:
  /// `state` and `random` must outlive this object or its next bind().
  ServoElectronics(ServoState& state, Random& random) { bind(state, random); }
  /// To the servo of the same motor in another scene.
  void bind(ServoState& state, Random& random);

  const ServoModel& model() const { return *state_->model; }
  /// Gives an order for the next step of `h` [s]. `position`: of the joint [rad|m].
  void before_step(const ServoOrder& order, double position, double h);
  /// Makes it obey this order in each step, whatever its Motor wants; nothing: it obeys its Motor
  /// again.
  void take_over(const std::optional<ServoOrder>& order) { order_ = order; }
  /// Returns the order that it obeys in place of its Motor; null for none.
  const ServoOrder* taken_over() const { return order_ ? &*order_ : nullptr; }
  /// Makes it suffer from this from the next step on; what ServoTrouble begins with is nothing.
  void suffer(const ServoTrouble& trouble);
  /// Leaves the next step to JointState::drive. `position`: of the joint [rad|m].
  void leave_step(double position);
  /// Forgets orders that have not had an effect yet, but for the next one, and goes on with it.
  void stop();
  /// What it measures of itself, in the last step.
  ServoReading reading() const {
    const ServoMemory& m = state_->memory.law;
    return {m.current,     m.volts,   m.duty,
            m.winding,     m.housing, m.motor_torque,
            m.load_torque, m.target,  m.is_shut_down > 0.5 || m.is_limited > 0.5,
            m.max_duty};
  }
  /// Returns once what its protection has done and why; empty if it has done nothing. Call it after
  /// each step, since a later one no longer has the values that ended the torque.
  /// @param now_ms  the time of the last step [ms]
  std::string protection_news(double now_ms);
  /// Returns which of these gains has no effect and why; empty if there is none, or if its
  /// register has this value from the start, which asks for nothing.
  std::string idle_gain_news(const PidGains& gains) const;
  /// What it takes from its supply [W]; negative where it brakes.
  double power() const;
  /// The rate of its target behind the profile in the last step [rad/s|m/s].
  double target_rate() const;
  /// The rate of its shaft after the last step [rad/s|m/s].
  double rate() const;
  /// What its motor gives at rest, with its command in the last step [N·m|N].
  double stall_torque() const;
  void archive(DeviceArchive& archive);

 private:
  ServoCommand command_for(const ServoOrder& order) const;
  void set_shape(const LoopShape& shape);
  void apply_trouble();
  bool repeats(const ServoOrder& order, double h);

  ServoState* state_ = nullptr;
  Random* random_ = nullptr;
  // No part of a saved state: their giver gives them again.
  std::optional<ServoOrder> order_;
  ServoTrouble trouble_;
  // Whether it was reported; a restored state does not change it.
  bool told_protection_ = false;
  // The order for a position whose command the firmware has, but for its goal; most orders repeat
  // it. It is no part of a saved state either, since commands follow from orders.
  ServoOrder repeated_;
  bool has_shape_ = false;  // the last order has one
  double h_ = 0.0;          // for which `repeated_` holds [s]; 0: for none
  // A ring, so that a step allocates nothing.
  std::vector<ServoCommand> delayed_;
  std::size_t next_ = 0;      // index of the command that acts next
  double pulse_ = 0.0;        // the position that the last pulse asked for [rad|m]
  double until_pulse_ = 0.0;  // [s]
};

/// What the encoder of a servo reads at a position [rad|m].
double read_encoder(const ServoModel& model, double position, Random& random);

}  // namespace servosim
