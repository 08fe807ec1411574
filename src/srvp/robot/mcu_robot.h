// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "servosim/srvp/frames.h"
#include "srvp/robot/servo_map.h"

namespace servosim::srvp::robot {

/// Simulated times that differ by less are considered equal, since they are sums of steps [s].
inline constexpr double kTimeSlack = 1e-9;

/// Tracks whether the servos of one order have reached their targets. Positions are in degrees of
/// the servo, times in simulated seconds.
///
/// A servo has arrived when it has been within its tolerance of its target for kRest, so a servo
/// that swings past it has not arrived. It has failed when it has come no nearer for kStallTime, or
/// after kTimeOut. The movement is over when each servo has arrived or failed.
class ServoMovement {
 public:
  static constexpr double kTolerance = 0.5;  ///< usual distance from the target [degrees]
  static constexpr double kRest = 0.05;      ///< how long a servo must be within that distance [s]
  static constexpr double kProgress = 0.1;   ///< least approach that counts as progress [degrees]
  static constexpr double kStallTime = 1.0;  ///< how long a servo may make no progress [s]
  /// Limit for the movement [s]; shorter than a server's timeout.
  static constexpr double kTimeOut = 8.0;

  enum class State : std::uint8_t { Moving, Done, Failed };

  struct Goal {
    std::size_t servo = 0;
    double target = 0.0;
    double tolerance = kTolerance;  ///< largest distance from the target
  };

  /// `goals` must have each servo at most once.
  ServoMovement(const std::vector<Goal>& goals, double now);

  /// `positions` has the positions of all servos.
  State update(std::span<const double> positions, double now);

 private:
  struct Progress {
    Goal goal;
    double nearest;       // least distance from the target so far
    double nearer_since;  // time at which it was reached
    double near_since;    // time since which it is near the target; infinite if it is not near
    bool arrived = false;
  };

  static void update_progress(Progress& servo, double position, double now);

  std::vector<Progress> progress_;
  double start_;
};

/// A simulated robot that executes the orders of SRVP to an MCU, one after the other. Only the
/// thread of its simulation, which must outlive it, may call its functions.
///
/// A movement is answered when it is over: ACK 255 if all servos have arrived, NACK 248 if one has
/// failed. An impossible order moves nothing: NACK 252.
///
/// Invariant: orders wait only while a movement is active.
class McuRobot {
 public:
  using Respond = std::function<void(Control)>;
  /// The most orders that wait for the present one; a further one is answered by NACK 248.
  static constexpr std::size_t kMaxWaiting = 32;
  /// Least time between two checks of a movement [s], since reading joints takes time.
  static constexpr double kCheckInterval = 0.005;

  McuRobot(const Simulation& simulation, McuKind kind, std::vector<McuServo> servos);

  /// Executes an order. Calls `respond` once: in this call or in a later after_step().
  void perform(McuOrder order, Respond respond);
  void after_step();
  /// Call this after a reset of the simulation: the present order has failed.
  void after_reset();
  /// Forgets stored moves. Call it at a login, after which a server assumes that nothing is stored.
  void clear_stored() { stored_.clear(); }
  /// Returns whether a movement is active.
  bool moving() const { return movement_.has_value(); }

  McuKind kind() const { return kind_; }
  const std::vector<McuServo>& servos() const { return servos_; }
  /// Returns servo positions by id, rounded and clamped to 0 ... 179.
  std::vector<std::uint8_t> positions() const;

 private:
  using Targets = std::map<std::size_t, double>;  // positions of servos [degrees]
  struct Waiting {
    McuOrder order;
    Respond respond;
  };

  void begin(const McuOrder& order, Respond respond);
  void begin_next();
  std::optional<Targets> targets_of(const Movement& movement) const;
  std::optional<double> target_of(const McuServo& servo, int value) const;
  void start_movement(const Targets& targets, Respond respond);
  void measure();
  void finish(Control answer);

  const Simulation& simulation_;
  McuKind kind_;
  std::vector<McuServo> servos_;
  std::vector<double> measured_;  // servo positions [degrees]
  Targets stored_;
  std::optional<ServoMovement> movement_;
  double next_check_ = 0.0;  // [s]
  Respond respond_;          // called when the movement is over
  std::deque<Waiting> waiting_;
};

}  // namespace servosim::srvp::robot
