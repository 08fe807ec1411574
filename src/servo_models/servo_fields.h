// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "servosim/servo_model.h"

namespace servosim {

/// A number or a word, as a TOML file or a setting gives it.
using ServoValue = std::variant<double, std::string>;

/// One field of a ServoModel. The table of all fields serves the reading and writing of TOML,
/// settings, parameters of sweeps and batches, and the listings of the program.
struct ServoField {
  using Member = std::variant<double& (*)(ServoModel&), std::string& (*)(ServoModel&),
                              ServoLoad& (*)(ServoModel&), ServoLaw& (*)(ServoModel&)>;

  std::string_view key;       ///< such as "drive.resistance"
  Member member;              ///< returns the member of a model
  std::string_view unit;      ///< empty for words
  double low = 0.0;           ///< the least value of a number
  double high = 0.0;          ///< the greatest value of a number, perhaps infinite
  bool excludes_low = false;  ///< whether the least value itself is refused
  std::string_view meaning;   ///< a phrase

  /// Returns the part of the key before the dot.
  std::string_view table() const { return key.substr(0, key.find('.')); }
  /// Returns the part of the key after the dot.
  std::string_view name() const { return key.substr(key.find('.') + 1); }
  bool is_number() const { return member.index() == 0; }
};

/// Returns all fields; those of one table follow each other.
std::span<const ServoField> servo_fields();

/// Returns whether a name is the part of keys before the dot, such as "drive".
bool is_servo_table(std::string_view name);

/// Returns the field with this key; nullptr if there is none.
const ServoField* find_servo_field(std::string_view key);
/// Does the same.
/// @throws std::invalid_argument with the nearest keys if there is none
const ServoField& servo_field(std::string_view key);

/// Returns the values that a field accepts, such as `(0, inf)` or `duty | current`.
std::string range_of(const ServoField& field);

ServoValue value_of(const ServoModel& model, const ServoField& field);
/// Returns the value of a field as TOML: a number with all its digits, or a word in quotes.
std::string toml_of(const ServoModel& model, const ServoField& field);

/// Sets a field.
/// @throws std::invalid_argument if the field does not accept the value; what() names the key, the
///   value and the range
void set_value(ServoModel& model, const ServoField& field, const ServoValue& value);
/// Sets a field to a value that is given as text: a number, `inf` or a word without quotes.
/// @throws std::invalid_argument as above
void set_text(ServoModel& model, const ServoField& field, std::string_view text);

/// Checks the range of every field, and what several fields must be together.
/// @throws std::invalid_argument; what() names the fields and their values
void check_servo(const ServoModel& servo);

/// Returns why a gain of the position loop does nothing, in a phrase; empty if it does something.
/// @param gain  p, i or d
std::string_view why_idle(const ServoFirmware& firmware, std::string_view gain);

/// Returns the name of a law of the firmware: `duty` or `current`.
std::string_view name_of(ServoLaw law);
/// Returns the name of a load: `transmitted` or `static`.
std::string_view name_of(ServoLoad load);

/// Returns a servo that drives a slider, in units of the slider: m for rad and N for N·m. The
/// model's drive.travel is the motion of the slider per radian; it is 0 in the result.
ServoModel as_slider(const ServoModel& servo);

}  // namespace servosim
