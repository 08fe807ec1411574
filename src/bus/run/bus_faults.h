// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bus/servo/servo_bus.h"
#include "bus/servo/servo_plant.h"
#include "bus/setup/bus_fault.h"

namespace servosim::bus {

class BusLine;

/// What a fault can name a servo by.
///
/// Threads: a plain value.
struct FaultTarget {
  int id = 0;
  std::string motor;  ///< ROBOT/MOTOR; empty for a servo on a bench
};

/// Returns whether a fault concerns a servo.
bool concerns(const BusFault& fault, const FaultTarget& servo);
/// Refuses a fault that concerns none of these. @throws as SetupPlace::refuse()
void check_fault(const BusFault& fault, const std::vector<FaultTarget>& servos);

/// The faults of a bus, in simulated time.
///
/// Threads: one at a time, as its bus.
class BusFaults {
 public:
  /// One servo of the bus, with the name of its motor.
  struct Sufferer {
    BusServo* servo = nullptr;
    ServoPlant* plant = nullptr;
    std::string motor;  ///< ROBOT/MOTOR; empty on a bench
  };

  /// Those that `servos` point to must outlive it. @throws as check_fault()
  BusFaults(std::vector<Sufferer> servos, std::vector<BusFault> faults);

  /// Obeys a line that a control socket has got: a fault, or `end`, which ends all faults, those
  /// that are still to come, too. IDs are those that servos have now. Returns the answer: `ok`, or
  /// `error: ` and the reason.
  /// @param now  simulated time [s]
  std::string obey(std::string_view line, double now);
  /// Brings all that act now upon servos and the line. Call it after each step.
  void apply(double now, BusLine& line);
  /// Simulated time has gone back to its start. Faults of a control socket end.
  void begin_again();

 private:
  struct Known {
    BusFault fault;
    double begin = 0.0;
    double end = 0.0;
    std::vector<bool> concerns;  // by servo
    bool is_of_file = false;
    bool has_restarted = false;
  };

  std::vector<FaultTarget> targets() const;
  void add(const BusFault& fault, double now, bool is_of_file);

  std::vector<Sufferer> servos_;
  std::vector<Known> faults_;
  /// What acts on one servo.
  struct Effect {
    LineNoise noise;
    bool is_gone = false;
    ServoTrouble trouble;
  };

  std::vector<Effect> effects_;  // of the present step; a member, so that a step allocates nothing
  std::vector<ServoTrouble> troubles_;  // what each servo suffers from
  bool has_applied_ = false;            // otherwise nothing has to end
};

}  // namespace servosim::bus
