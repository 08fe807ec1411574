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

/// Simulated times that differ by less are the same [s].
inline constexpr double kTimeSlack = 1e-9;

/// Watches servos on their way to where one order wants them. Numbers only: positions are in
/// degrees of the servo, times are simulated seconds.
///
/// A servo has arrived when it has been near its target for a while, so one that swings past has
/// not. It cannot get there when it has come no nearer for longer, or when the time is up. The
/// movement is over when each servo is one or the other.
class ServoMovement {
 public:
  static constexpr double kTolerance = 0.5;  ///< what is near [degrees]
  static constexpr double kRest = 0.05;      ///< how long it must be near [s]
  static constexpr double kProgress = 0.1;   ///< what counts as nearer [degrees]
  static constexpr double kPatience = 1.0;   ///< how long it may come no nearer [s]
  static constexpr double kTimeOut = 8.0;    ///< for all of it [s]; below what a server waits

  enum class State : std::uint8_t { OnTheWay, Done, Failed };

  struct Goal {
    std::size_t servo = 0;
    double target = 0.0;
  };

  /// `goals` name each servo once.
  ServoMovement(const std::vector<Goal>& goals, double now);

  /// `positions` of all servos.
  State look(std::span<const double> positions, double now);

 private:
  struct Way {
    Goal goal;
    double nearest;       // to the target so far
    double nearer_since;  // when it was
    double near_since;    // infinite while it is not
    bool arrived = false;
  };

  static void follow(Way& way, double position, double now);

  std::vector<Way> ways_;
  double start_;
};

/// A simulated robot that does what SRVP asks of an MCU, one order after the other. Belongs to the
/// thread of its simulation, which must outlive it.
///
/// The answer to a movement comes when it is over: ACK 255 if all servos are where they were to be,
/// NACK 248 if one cannot get there. An order that it can never perform moves nothing: NACK 252.
class McuRobot {
 public:
  using Respond = std::function<void(Control)>;
  /// Most orders that wait for the one that is performed; the next is answered NACK 248.
  static constexpr std::size_t kMaxWaiting = 32;
  /// How often a movement is looked at [s], if steps are shorter: reading joints takes time.
  static constexpr double kLookInterval = 0.005;

  McuRobot(const Simulation& simulation, McuKind kind, std::vector<McuServo> servos);

  /// Calls `respond` once: at once or in a later after_step().
  void perform(McuOrder order, Respond respond);
  void after_step();
  /// Everything is back where it began: what is being performed has failed.
  void after_reset();
  /// What a server takes for granted when an MCU logs in: nothing is stored.
  void forget_stored() { stored_.clear(); }
  /// Whether a movement is being performed.
  bool moving() const { return movement_.has_value(); }

  McuKind kind() const { return kind_; }
  const std::vector<McuServo>& servos() const { return servos_; }
  /// Where the servos are, rounded and within 0 ... 179, by id.
  std::vector<std::uint8_t> positions() const;

 private:
  using Targets = std::map<std::size_t, double>;  // of servos [degrees]
  struct Waiting {
    McuOrder order;
    Respond respond;
  };

  void begin(const McuOrder& order, Respond respond);
  void begin_next();
  std::optional<Targets> targets_of(const Movement& movement) const;
  std::optional<double> target_of(const McuServo& servo, int value) const;
  void set_off(const Targets& targets, Respond respond);
  void measure();
  void finish(Control answer);

  const Simulation& simulation_;
  McuKind kind_;
  std::vector<McuServo> servos_;
  std::vector<double> measured_;  // where they are [degrees]
  Targets stored_;
  std::optional<ServoMovement> movement_;
  double next_look_ = 0.0;  // at it [s]
  Respond respond_;         // when it is over
  std::deque<Waiting> waiting_;
};

}  // namespace servosim::srvp::robot
