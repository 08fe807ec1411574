// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "mcu/servo_map.h"
#include "mcu/servo_movement.h"
#include "servosim/srvp/frames.h"

namespace servosim::mcu {

/// A simulated robot that does what SRVP asks of an MCU, one order after the other. Belongs to the
/// thread of its simulation, which must outlive it.
///
/// The answer to a movement comes when it is over: ACK 255 if all servos are where they were to be,
/// NACK 248 if one cannot get there. An order that it can never perform moves nothing: NACK 252.
class McuRobot {
 public:
  using Respond = std::function<void(srvp::Control)>;
  /// Most orders that wait for the one that is performed; the next is answered NACK 248.
  static constexpr std::size_t kMaxWaiting = 32;
  /// How often a movement is looked at [s], if steps are shorter: reading joints takes time.
  static constexpr double kLookInterval = 0.005;

  McuRobot(const Simulation& simulation, srvp::McuKind kind, std::vector<McuServo> servos);

  /// Calls `respond` once: at once or in a later after_step().
  void perform(srvp::McuOrder order, Respond respond);
  void after_step();
  /// Everything is back where it began: what is being performed has failed.
  void after_reset();
  /// What a server takes for granted when an MCU logs in: nothing is stored.
  void forget_stored() { stored_.clear(); }
  /// Whether a movement is being performed.
  bool moving() const { return movement_.has_value(); }

  srvp::McuKind kind() const { return kind_; }
  const std::vector<McuServo>& servos() const { return servos_; }
  /// Where the servos are, rounded and within 0 ... 179, by id.
  std::vector<std::uint8_t> positions() const;

 private:
  using Targets = std::map<std::size_t, double>;  // of servos [degrees]
  struct Waiting {
    srvp::McuOrder order;
    Respond respond;
  };

  void begin(const srvp::McuOrder& order, Respond respond);
  void begin_next();
  std::optional<Targets> targets_of(const srvp::Movement& movement) const;
  std::optional<double> target_of(const McuServo& servo, int value) const;
  void set_off(const Targets& targets, Respond respond);
  void measure();
  void finish(srvp::Control answer);

  const Simulation& simulation_;
  srvp::McuKind kind_;
  std::vector<McuServo> servos_;
  std::vector<double> measured_;  // where they are [degrees]
  Targets stored_;
  std::optional<ServoMovement> movement_;
  double next_look_ = 0.0;  // at it [s]
  Respond respond_;         // when it is over
  std::deque<Waiting> waiting_;
};

}  // namespace servosim::mcu
