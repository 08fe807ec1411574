// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace servosim::mcu {

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

}  // namespace servosim::mcu
