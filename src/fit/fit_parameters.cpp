// SPDX-License-Identifier: Apache-2.0
#include "fit/fit_parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "base/text.h"
#include "servo_models/servo_fields.h"

namespace servosim {
namespace {

double& member_of(ServoModel& model, const ServoField& field) {
  return std::get<0>(field.member)(model);
}

// What the bounds are measured by.
struct ServoScale {
  double torque;   // at rest with the full voltage [N·m]
  double speed;    // without a load [rad/s]
  double damping;  // by the back-EMF [N·m·s/rad]
  double current;  // at rest with the full voltage [A]
  double resistance;
};

ServoScale scale_of(const ServoModel& model) {
  const double kt = model.drive.torque_constant;
  const double r = model.drive.resistance;
  const double volts = model.supply.voltage;
  return {kt * volts / r, volts / kt, kt * kt / r, volts / r, r};
}

enum class Bounds { Factor, Range };

// A field that a fit can find, with its bounds: times the start, or in units of a scale.
struct FitField {
  const char* key;
  Bounds kind;
  double low;
  double high;
  double ServoScale::*scale;  // null: the bounds are plain numbers
  bool is_logarithmic;
};

constexpr FitField kFitFields[] = {
    {"drive.torque_constant", Bounds::Factor, 0.4, 2.5, nullptr, true},
    {"drive.resistance", Bounds::Factor, 0.25, 4.0, nullptr, true},
    {"drive.armature", Bounds::Factor, 0.05, 20.0, nullptr, true},
    {"drive.inductance", Bounds::Range, 0.0, 0.01, &ServoScale::resistance, false},
    {"friction.viscous", Bounds::Range, 0.0, 1.0, &ServoScale::damping, false},
    {"friction.coulomb", Bounds::Range, 0.0, 0.3, &ServoScale::torque, false},
    {"friction.stribeck", Bounds::Range, 0.0, 0.3, &ServoScale::torque, false},
    {"friction.stribeck_speed", Bounds::Range, 0.005, 1.0, &ServoScale::speed, true},
    {"friction.stribeck_exponent", Bounds::Range, 0.5, 4.0, nullptr, false},
    {"friction.motor", Bounds::Range, 0.0, 0.8, nullptr, false},
    {"friction.external", Bounds::Range, 0.0, 0.8, nullptr, false},
    {"friction.motor_stribeck", Bounds::Range, 0.0, 0.8, nullptr, false},
    {"friction.external_stribeck", Bounds::Range, 0.0, 0.8, nullptr, false},
    {"friction.motor_quadratic", Bounds::Range, 0.0, 3.0, nullptr, false},
    {"friction.external_quadratic", Bounds::Range, 0.0, 3.0, nullptr, false},
    {"firmware.p_scale", Bounds::Factor, 0.25, 4.0, nullptr, true},
    {"firmware.i_scale", Bounds::Factor, 0.25, 4.0, nullptr, true},
    {"firmware.d_scale", Bounds::Factor, 0.25, 4.0, nullptr, true},
    {"firmware.dead_zone", Bounds::Range, 0.0, 0.05, nullptr, false},
    {"firmware.punch", Bounds::Range, 0.0, 0.2, nullptr, false},
    {"firmware.max_duty", Bounds::Range, 0.5, 1.0, nullptr, false},
    {"firmware.max_current", Bounds::Range, 0.05, 3.0, &ServoScale::current, true},
    {"firmware.max_supply_current", Bounds::Range, 0.02, 3.0, &ServoScale::current, true},
    {"firmware.max_speed", Bounds::Range, 0.1, 3.0, &ServoScale::speed, true},
    {"firmware.delay", Bounds::Range, 0.0, 0.05, nullptr, false},
    {"supply.resistance", Bounds::Range, 0.0, 0.9, &ServoScale::resistance, false},
    {"encoder.offset", Bounds::Range, -0.1, 0.1, nullptr, false},
};

// What of a friction model is beyond Coulomb's and viscous friction.
struct FrictionParts {
  bool stribeck;
  bool load;
  bool directional;
  bool quadratic;
};

FrictionParts parts_of(std::string_view name) {
  if (name == "M1") return {false, false, false, false};
  if (name == "M2") return {true, false, false, false};
  if (name == "M3") return {false, true, false, false};
  if (name == "M4") return {true, true, false, false};
  if (name == "M5") return {true, true, true, false};
  if (name == "M6") return {true, true, true, true};
  throw std::invalid_argument(
      fmt::format("there is no friction model '{}'; there are M1 to M6", name));
}

FitParameter parameter_of(const std::vector<std::string>& keys, const ServoModel& start) {
  const auto* const found =
      std::find_if(std::begin(kFitFields), std::end(kFitFields),
                   [&](const FitField& field) { return field.key == keys.front(); });
  if (found == std::end(kFitFields)) {
    static_cast<void>(servo_field(keys.front()));
    std::vector<std::string> names;
    for (const FitField& field : kFitFields) {
      names.emplace_back(field.key);
    }
    throw std::invalid_argument(
        fmt::format("a fit cannot find {}{}", keys.front(), nearest_names(keys.front(), names)));
  }
  FitParameter parameter;
  parameter.keys = keys;
  parameter.unit = servo_field(keys.front()).unit;
  parameter.is_logarithmic = found->is_logarithmic;
  const ServoScale scale = scale_of(start);
  const double value = number_of(start, keys.front());
  const double unit = found->kind == Bounds::Factor ? std::max(value, 1e-9)
                      : found->scale != nullptr     ? scale.*(found->scale)
                                                    : 1.0;
  parameter.low = found->low * unit;
  parameter.high = found->high * unit;
  parameter.start = std::clamp(value, parameter.low, parameter.high);
  return parameter;
}

}  // namespace

std::string FitParameter::name() const {
  std::string result = keys.front();
  for (std::size_t i = 1; i < keys.size(); ++i) {
    result += " = " + keys[i];
  }
  return result;
}

double FitParameter::to_share(double value) const {
  const double within = std::clamp(value, low, high);
  return is_logarithmic ? std::log(within / low) / std::log(high / low)
                        : (within - low) / (high - low);
}

double FitParameter::from_share(double share) const {
  if (share <= 0.0) {
    return low;
  }
  if (share >= 1.0) {
    return high;
  }
  return is_logarithmic ? low * std::pow(high / low, share) : low + share * (high - low);
}

std::vector<FitParameter> fit_parameters(std::string_view friction_model, const ServoModel& start,
                                         std::span<const std::string> more) {
  const FrictionParts parts = parts_of(friction_model);
  std::vector<std::vector<std::string>> keys{{"drive.torque_constant"}, {"drive.resistance"},
                                             {"drive.armature"},        {"friction.coulomb"},
                                             {"friction.viscous"},      {"encoder.offset"}};
  if (parts.stribeck) {
    keys.insert(
        keys.end(),
        {{"friction.stribeck"}, {"friction.stribeck_speed"}, {"friction.stribeck_exponent"}});
  }
  if (parts.directional) {
    keys.insert(keys.end(), {{"friction.motor"},
                             {"friction.external"},
                             {"friction.motor_stribeck"},
                             {"friction.external_stribeck"}});
  } else if (parts.load) {
    keys.push_back({"friction.motor", "friction.external"});
    if (parts.stribeck) {
      keys.push_back({"friction.motor_stribeck", "friction.external_stribeck"});
    }
  }
  if (parts.quadratic) {
    keys.insert(keys.end(), {{"friction.motor_quadratic"}, {"friction.external_quadratic"}});
  }
  for (const std::string& key : more) {
    // A field that shares a value with another one gets its own.
    for (std::vector<std::string>& group : keys) {
      if (group.size() > 1) {
        std::erase(group, key);
      }
    }
    if (std::find(keys.begin(), keys.end(), std::vector<std::string>{key}) == keys.end()) {
      keys.push_back({key});
    }
  }
  std::vector<FitParameter> parameters;
  for (const std::vector<std::string>& each : keys) {
    parameters.push_back(parameter_of(each, start));
  }
  return parameters;
}

ServoModel with_friction_model(const ServoModel& start, std::string_view friction_model) {
  const FrictionParts parts = parts_of(friction_model);
  ServoModel model = start;
  ServoFriction& friction = model.friction;
  if (!parts.stribeck) {
    friction.stribeck = friction.motor_stribeck = friction.external_stribeck = 0.0;
  }
  if (!parts.load) {
    friction.motor = friction.external = 0.0;
    friction.motor_stribeck = friction.external_stribeck = 0.0;
  }
  if (!parts.quadratic) {
    friction.motor_quadratic = friction.external_quadratic = 0.0;
  }
  return model;
}

bool is_sound(const ServoModel& model) {
  constexpr double kMost = 0.95;  // a gear above it hardly lets go of a load
  const ServoFriction& f = model.friction;
  return f.motor + f.motor_stribeck <= kMost && f.external + f.external_stribeck <= kMost &&
         model.supply.resistance <= kMost * model.drive.resistance;
}

double number_of(const ServoModel& model, std::string_view key) {
  ServoModel copy = model;
  return member_of(copy, servo_field(key));
}

void set_number(ServoModel& model, std::string_view key, double value) {
  member_of(model, servo_field(key)) = value;
}

}  // namespace servosim
