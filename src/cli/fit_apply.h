// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "servosim/servo_model.h"
#include "servosim/simulation.h"

namespace servosim {

/// A line `#servosim servo "…"` that was written into a world.
struct AppliedServo {
  std::string world;
  std::string joint;     ///< robot/joint
  std::string motor;     ///< the name of its motor
  std::size_t line = 0;  ///< of the world
  std::string servo;     ///< the value
  std::string before;    ///< the value before; empty if there was none
};

/// Returns what has changed, as one line.
std::string to_text(const AppliedServo& applied);

/// The motor of a world that `fit --apply WORLD:robot/joint` makes a servo. The text of the world
/// keeps its comments and its layout. It is written as a whole or not at all, after the changed
/// text was loaded: the motor then is the servo, and no other motor has changed.
class ServoTarget {
 public:
  /// @param target  `WORLD.wbt:robot/joint`
  /// @param options  how the world is loaded
  /// @throws InputError if it has another form, and for a world that cannot be read or written
  ServoTarget(const std::string& target, LoadOptions options);

  /// Returns the world of a target. @throws InputError if it has another form
  static std::string world_of(const std::string& target);
  /// Returns what loading the world says of parts that it lacks; nothing if it cannot be loaded,
  /// which check() throws.
  std::vector<Diagnostic> missing_parts() const;

  /// Makes sure that the motor can become such a servo, as apply() does, without a change.
  /// @throws InputError
  void check(const ServoModel& model) const;
  /// Returns the name by which the world finds the servo of a file that is or will be there.
  /// @throws InputError if the world does not find it
  std::string name_for(const std::string& file) const;
  /// Returns a servo as a name of the catalogue and the numbers in which it differs from that.
  /// @throws InputError if the world finds no such name
  std::string numbers_for(const ServoModel& model, const std::string& name) const;
  /// Returns whether the world finds another servo, or none, without the folders of `--servo-path`.
  bool needs_servo_path(const std::string& servo) const;
  /// Makes the motor this servo. Gains, a supply's name and numbers, and a slider's way per radian
  /// that the line of the motor had stay, since they belong to the robot. @throws InputError;
  /// std::runtime_error if the world cannot be written
  AppliedServo apply(const std::string& servo) const;

 private:
  struct Change {
    AppliedServo applied;
    std::string text;  // of the whole world
  };
  Change change_to(const std::string& servo) const;

  std::string world_;
  std::string joint_;
  LoadOptions options_;
};

}  // namespace servosim
