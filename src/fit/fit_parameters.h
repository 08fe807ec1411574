// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "servosim/servo_model.h"

namespace servosim {

/// A number of a servo that a fit looks for.
struct FitParameter {
  std::vector<std::string> keys;  ///< the fields that have this value, such as "drive.resistance"
  std::string unit;
  double start = 0.0;
  double low = 0.0;
  double high = 0.0;
  bool is_logarithmic = false;  ///< it is looked for on a logarithmic scale

  /// Returns the key, or two keys joined by " = ".
  std::string name() const;
  /// Brings a value to [0, 1] and back.
  double to_share(double value) const;
  double from_share(double share) const;
};

/// The friction models of BAM by name, M1 to M6, from the simplest on.
inline constexpr std::string_view kFrictionModels[] = {"M1", "M2", "M3", "M4", "M5", "M6"};

/// Returns the parameters of a friction model, with the motor and the encoder's offset, and of the
/// fields in `more`. Each starts at the value of `start`; bounds are wide around it, in terms of
/// its stall torque and its speed without load.
/// @throws std::invalid_argument for a field that does not exist or that a fit cannot find
std::vector<FitParameter> fit_parameters(std::string_view friction_model, const ServoModel& start,
                                         std::span<const std::string> more);

/// Returns `start` with the friction of a model alone: fields that the model does not have are 0.
ServoModel with_friction_model(const ServoModel& start, std::string_view friction_model);

/// Returns whether a model keeps the conditions that concern several fields: it lets go of a load,
/// and its supply has less resistance than its winding.
bool is_sound(const ServoModel& model);

/// Returns or sets the number with a key.
double number_of(const ServoModel& model, std::string_view key);
void set_number(ServoModel& model, std::string_view key, double value);

}  // namespace servosim
