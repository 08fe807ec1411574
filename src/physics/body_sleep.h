// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

struct dxBody;  // ODE's dBodyID is a pointer to this

namespace servosim {

struct Body;

/// States when bodies at rest fall asleep (the physicsDisable fields of WorldInfo). The rule is
/// that of ODE's automatic disabling: a body sleeps when |v| ≤ linear_threshold and |ω| ≤
/// angular_threshold have held for `time`. ODE's own clocks are not used, since nobody can read and
/// thus save them.
struct SleepRule {
  double time = 1.0;  ///< required time below both thresholds [s]; 0 or less means never
  double linear_threshold = 0.01;   ///< largest |v| [m/s]
  double angular_threshold = 0.01;  ///< largest |ω| [rad/s]
};

/// Counts the seconds of rest until a body falls asleep. Values above SleepRule::time count as that
/// time. The clock is the user data of every body.
struct SleepClock {
  double left = std::numeric_limits<double>::infinity();
};

/// Wakes a body if fall_asleep() has put it to sleep, and restarts its clock.
void wake(dxBody* body);
/// Wakes these bodies and all bodies that joints and contacts connect with them.
void wake_islands(std::vector<dxBody*> bodies);

/// Returns whether one of the bodies of a joint is awake; `parent` may be null. Forces must not be
/// added to sleeping bodies, since ODE would add them up until the bodies wake.
bool is_awake(dxBody* child, dxBody* parent);

/// Advances the clock of a body. This must be called for each body before each step, of length `h`
/// [s]. Returns whether the body is awake and has rested long enough for fall_asleep(). As in ODE,
/// a body without a joint or contact stays awake.
bool has_rested(dxBody* body, const SleepRule& rule, double h);
/// Stops a body and disables it. As in ODE, a neighbour that is awake wakes it again during the
/// step.
void fall_asleep(dxBody* body);

/// Puts the bodies of a world to sleep. A step first finds those that have rested long enough. What
/// must stay awake is then woken, and the others fall asleep.
///
/// Threads: one at a time for each object.
class BodySleep {
 public:
  /// `h` is the length of a step [s]. `bodies` must outlive this object, and gets `count` members.
  BodySleep(const SleepRule& rule, double h, const std::vector<Body>& bodies, std::size_t count);

  /// Returns false if no body has fallen asleep so far and none was asleep in a restored state.
  bool may_sleep() const { return may_sleep_; }
  /// Notes that a body was asleep in a restored state.
  void note_sleeper() { may_sleep_ = true; }
  /// Finds the bodies that have rested long enough to fall asleep. Returns whether there are any.
  /// This must be called once per step, since it advances their clocks.
  bool find_rested() { return rule_.time > 0.0 && look_for_rested(); }
  /// Puts to sleep the bodies that find_rested() found, except those that were woken since.
  void let_fall_asleep();
  /// Clears the forces that joints added to the bodies that fell asleep in this step. It must be
  /// called after the step.
  void drop_forces_of_sleepers() {
    if (!rested_.empty()) {
      drop_forces();
    }
  }

 private:
  bool look_for_rested();
  /// Clears the forces of the bodies in rested_ that sleep now, and empties the list.
  void drop_forces();

  SleepRule rule_;
  double h_;
  const std::vector<Body>& bodies_;
  std::vector<dxBody*> rested_;  // bodies that may fall asleep in this step
  bool may_sleep_ = false;
};

}  // namespace servosim
