// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/toml_error.h"
#include "servosim/servo_model.h"

namespace servosim {

/// How a servo behaves at one voltage, as its maker prints it.
struct ServoPoint {
  double voltage = 0.0;                   ///< [V]
  std::optional<double> stall_torque;     ///< [N·m]
  std::optional<double> stall_current;    ///< [A]
  std::optional<double> no_load_rpm;      ///< [1/min]
  std::optional<double> no_load_current;  ///< [A]
};

/// Where the numbers of a servo come from.
struct ServoOrigin {
  std::string source;
  /// "identified": fitted to a real servo; "data sheet": follows from what its maker prints;
  /// "assumed": neither. Empty where a file does not say it.
  std::string confidence;
  std::vector<std::string> notes;    ///< sentences
  std::vector<std::string> assumed;  ///< keys of fields whose values are assumptions
  /// Returns whether the value of a field is an assumption.
  bool assumes(std::string_view key) const;
};

/// One set of numbers for a servo, such as one of the laws that were fitted to it.
struct ServoVariant {
  std::string law;  ///< such as "m4"; empty for the only one of a file
  ServoOrigin origin;
  ServoModel model;
};

/// What a TOML file says about one servo. docs/reference/servos.md describes the format.
struct ServoFile {
  std::string path;  ///< as the user should see it
  std::string name;  ///< of its maker, without blanks
  std::vector<std::string> aliases;
  std::string maker;
  std::string default_law;  ///< empty if the file has one set of numbers only
  std::string why;          ///< why that law is the default
  std::vector<ServoPoint> points;
  std::vector<std::pair<std::string, std::string>> facts;  ///< what else is printed about it
  std::vector<ServoVariant> variants;                      ///< at least one

  /// Returns the numbers of a law; those of the default for an empty name, nullptr for a law that
  /// the file does not have.
  const ServoVariant* find(std::string_view law) const;
};

/// Reads a servo.
/// @param text  TOML
/// @param path  the name of the file, for messages and for a file that gives no name
/// @throws TomlError if the text is no TOML, has an unknown key or a value that its field does
///   not accept, or if check_servo() refuses its numbers
ServoFile read_servo_file(std::string_view text, const std::string& path);

/// Returns a servo as TOML, with a comment on each number. Reading it gives the same model.
std::string to_toml(const ServoModel& servo, const ServoOrigin& origin);

}  // namespace servosim
