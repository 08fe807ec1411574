// SPDX-License-Identifier: Apache-2.0
#include "servo_models/servo_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <type_traits>

#include "base/printable.h"
#include "base/text.h"

namespace servosim {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

using M = ServoModel;

// Returns a function that returns a member of a part of a model.
template <auto Part, auto Member>
constexpr auto at() {
  return +[](M & model) -> auto& { return model.*Part.*Member; };
}

template <auto Member>
constexpr auto drive = at<&M::drive, Member>();
template <auto Member>
constexpr auto friction = at<&M::friction, Member>();
template <auto Member>
constexpr auto firmware = at<&M::firmware, Member>();
template <auto Member>
constexpr auto supply = at<&M::supply, Member>();
template <auto Member>
constexpr auto encoder = at<&M::encoder, Member>();
template <auto Member>
constexpr auto thermal = at<&M::thermal, Member>();
template <auto Member>
constexpr auto protection = at<&M::protection, Member>();
template <auto Member>
constexpr auto pulses = at<&M::pulses, Member>();

using D = ServoDrive;
using F = ServoFriction;
using W = ServoFirmware;
using S = ServoSupply;
using E = ServoEncoder;
using T = ServoThermal;
using P = ServoProtection;
using U = ServoPulses;

constexpr bool kOpen = true;

constexpr ServoField kFields[] = {
    {"drive.torque_constant", drive<&D::torque_constant>, "N·m/A", 0, kInf, kOpen,
     "torque per current, and back-EMF per speed"},
    {"drive.resistance", drive<&D::resistance>, "Ω", 0, kInf, kOpen,
     "of the winding at thermal.reference_temperature"},
    {"drive.inductance", drive<&D::inductance>, "H", 0, kInf, false, "of the winding"},
    {"drive.armature", drive<&D::armature>, "kg·m²", 0, kInf, false,
     "inertia of the rotor, times the square of the gear ratio"},
    {"drive.backlash", drive<&D::backlash>, "rad", 0, kInf, false,
     "play of the gear, from flank to flank"},
    {"drive.travel", drive<&D::travel>, "m/rad", 0, kInf, false,
     "motion of a slider per radian of the shaft"},

    {"friction.coulomb", friction<&F::coulomb>, "N·m", 0, kInf, false, "friction without load"},
    {"friction.viscous", friction<&F::viscous>, "N·m·s/rad", 0, kInf, false, "friction per speed"},
    {"friction.stribeck", friction<&F::stribeck>, "N·m", 0, kInf, false,
     "what friction at rest has in addition"},
    {"friction.stribeck_speed", friction<&F::stribeck_speed>, "rad/s", 0, kInf, kOpen,
     "speed at which that is exp(-1) of it"},
    {"friction.stribeck_exponent", friction<&F::stribeck_exponent>, "-", 0, kInf, kOpen,
     "sharpness of that edge"},
    {"friction.motor", friction<&F::motor>, "-", 0, 1, false, "friction per torque of the motor"},
    {"friction.external", friction<&F::external>, "-", 0, 1, false,
     "friction per torque of the load"},
    {"friction.motor_stribeck", friction<&F::motor_stribeck>, "-", 0, 1, false,
     "what that has at rest in addition, per torque of the motor"},
    {"friction.external_stribeck", friction<&F::external_stribeck>, "-", 0, 1, false,
     "what that has at rest in addition, per torque of the load"},
    {"friction.motor_quadratic", friction<&F::motor_quadratic>, "1/(N·m)", 0, kInf, false,
     "friction per squared torque of the motor, where the load is stronger"},
    {"friction.external_quadratic", friction<&F::external_quadratic>, "1/(N·m)", 0, kInf, false,
     "friction per squared torque of the load, where the motor is stronger"},
    {"friction.load", friction<&F::load>, "", 0, 0, false,
     "which torque of the load these numbers mean"},

    {"firmware.law", firmware<&W::law>, "", 0, 0, false, "what the position loop sets"},
    {"firmware.p", firmware<&W::p>, "-", 0, kInf, false, "P gain as in its register"},
    {"firmware.i", firmware<&W::i>, "-", 0, kInf, false, "I gain as in its register"},
    {"firmware.d", firmware<&W::d>, "-", 0, kInf, false, "D gain as in its register"},
    {"firmware.p_scale", firmware<&W::p_scale>, "1/rad or A/rad", 0, kInf, kOpen,
     "output per radian and unit of p"},
    {"firmware.i_scale", firmware<&W::i_scale>, "1/(rad·s) or A/(rad·s)", 0, kInf, false,
     "output per radian, second and unit of i"},
    {"firmware.d_scale", firmware<&W::d_scale>, "s/rad or A·s/rad", 0, kInf, false,
     "output per rad/s and unit of d"},
    {"firmware.dead_zone", firmware<&W::dead_zone>, "rad", 0, kInf, false,
     "error, to both sides, within which there is no output"},
    {"firmware.punch", firmware<&W::punch>, "-", 0, 1, false,
     "least output outside of the dead zone"},
    {"firmware.compliance_slope", firmware<&W::compliance_slope>, "rad", 0, kInf, false,
     "width over which a compliant loop rises to its limit; 0: p, i and d hold"},
    {"firmware.max_duty", firmware<&W::max_duty>, "-", 0, 1, false, "PWM limit"},
    {"firmware.max_current", firmware<&W::max_current>, "A", 0, kInf, kOpen,
     "beyond it the bridge is throttled"},
    {"firmware.max_supply_current", firmware<&W::max_supply_current>, "A", 0, kInf, kOpen,
     "the same for the current of the supply, duty times that of the motor"},
    {"firmware.max_speed", firmware<&W::max_speed>, "rad/s", 0, kInf, kOpen,
     "speed of the goal's profile"},
    {"firmware.max_acceleration", firmware<&W::max_acceleration>, "rad/s²", 0, kInf, kOpen,
     "acceleration of the goal's profile"},
    {"firmware.period", firmware<&W::period>, "s", 0, kInf, false,
     "how long an output is held; 0: continuous"},
    {"firmware.delay", firmware<&W::delay>, "s", 0, kInf, false, "from a command to its effect"},

    {"supply.name", supply<&S::name>, "", 0, 0, false,
     "servos of a robot with the same name share the supply"},
    {"supply.voltage", supply<&S::voltage>, "V", 0, kInf, kOpen, "without a load"},
    {"supply.resistance", supply<&S::resistance>, "Ω", 0, kInf, false,
     "less than that of each of its motors"},
    {"supply.min_voltage", supply<&S::min_voltage>, "V", 0, kInf, false,
     "the voltage does not sag below this and 0.1 of supply.voltage"},

    {"encoder.counts", encoder<&E::counts>, "-", 0, kInf, false, "per turn; 0: exact"},
    {"encoder.offset", encoder<&E::offset>, "rad", -kInf, kInf, false,
     "what it reads at the joint's 0"},
    {"encoder.noise", encoder<&E::noise>, "rad", 0, kInf, false, "standard deviation of a reading"},

    {"thermal.winding_capacity", thermal<&T::winding_capacity>, "J/K", 0, kInf, false,
     "heat capacity of the winding; 0: it does not warm"},
    {"thermal.winding_resistance", thermal<&T::winding_resistance>, "K/W", 0, kInf, false,
     "from the winding to the case"},
    {"thermal.case_capacity", thermal<&T::case_capacity>, "J/K", 0, kInf, false,
     "heat capacity of the case; 0: it does not warm"},
    {"thermal.case_resistance", thermal<&T::case_resistance>, "K/W", 0, kInf, false,
     "from the case to the air"},
    {"thermal.ambient", thermal<&T::ambient>, "°C", -273.15, kInf, false, "of the air"},
    {"thermal.reference_temperature", thermal<&T::reference_temperature>, "°C", -273.15, kInf,
     false, "the one of drive.resistance"},
    {"thermal.resistance_per_kelvin", thermal<&T::resistance_per_kelvin>, "1/K", 0, kInf, false,
     "relative rise of the resistance"},

    {"protection.max_temperature", protection<&P::max_temperature>, "°C", -273.15, kInf, false,
     "of the case; beyond it the torque ends"},
    {"protection.min_voltage", protection<&P::min_voltage>, "V", 0, kInf, false,
     "of the supply; below it the torque ends"},
    {"protection.max_voltage", protection<&P::max_voltage>, "V", 0, kInf, kOpen,
     "of the supply; above it the torque ends"},
    {"protection.overload_duty", protection<&P::overload_duty>, "-", 0, kInf, false,
     "a greater duty is an overload"},
    {"protection.overload_time", protection<&P::overload_time>, "s", 0, kInf, false,
     "after this long in overload the torque ends"},
    {"protection.overload_rest", protection<&P::overload_rest>, "-", 0, 1, false,
     "the PWM limit that an overload leaves; 0: the torque ends"},

    {"pulses.low", pulses<&U::low>, "µs", 0, kInf, false,
     "width of the pulse at low_position; 0: no pulses"},
    {"pulses.high", pulses<&U::high>, "µs", 0, kInf, false, "width of the pulse at high_position"},
    {"pulses.low_position", pulses<&U::low_position>, "rad", -kInf, kInf, false, "at that pulse"},
    {"pulses.high_position", pulses<&U::high_position>, "rad", -kInf, kInf, false, "at that pulse"},
    {"pulses.frame", pulses<&U::frame>, "s", 0, kInf, kOpen, "time between two pulses"},
};

template <typename Choice>
struct Word {
  std::string_view name;
  Choice value;
};

constexpr Word<ServoLaw> kLaws[] = {{"duty", ServoLaw::Duty}, {"current", ServoLaw::Current}};
constexpr Word<ServoLoad> kLoads[] = {{"transmitted", ServoLoad::Transmitted},
                                      {"static", ServoLoad::Static}};

constexpr std::span<const Word<ServoLaw>> words(ServoLaw) { return kLaws; }
constexpr std::span<const Word<ServoLoad>> words(ServoLoad) { return kLoads; }

template <typename Choice>
std::string_view word_of(Choice choice) {
  for (const auto& word : words(choice)) {
    if (word.value == choice) {
      return word.name;
    }
  }
  return {};
}

std::string shown(const ServoValue& value) {
  const auto* number = std::get_if<double>(&value);
  return number != nullptr ? fmt::format("{}", *number)
                           : fmt::format("\"{}\"", printable(std::get<std::string>(value)));
}

[[noreturn]] void refuse_value(const ServoField& field, const ServoValue& value) {
  throw std::invalid_argument(
      fmt::format("{} is {}, but it must be {}", field.key, shown(value), range_of(field)));
}

// Only a limit that is off by default may be infinite.
bool may_be_infinite(const ServoField& field) {
  ServoModel model;
  return std::isinf(std::get<0>(field.member)(model));
}

void set_member(ServoModel& model, const ServoField& field, const ServoValue& value) {
  std::visit(
      [&](auto member) {
        using Kind = std::remove_reference_t<decltype(member(model))>;
        if constexpr (std::is_same_v<Kind, double>) {
          const auto* number = std::get_if<double>(&value);
          if (number == nullptr || std::isnan(*number) || *number < field.low ||
              *number > field.high || (field.excludes_low && *number == field.low) ||
              (std::isinf(*number) && !may_be_infinite(field))) {
            refuse_value(field, value);
          }
          member(model) = *number;
        } else if constexpr (std::is_same_v<Kind, std::string>) {
          const auto* text = std::get_if<std::string>(&value);
          if (text == nullptr || text->find_first_of(" \t\r\n=\"") != std::string::npos) {
            refuse_value(field, value);
          }
          member(model) = *text;
        } else {
          const auto* text = std::get_if<std::string>(&value);
          for (const auto& word : words(Kind{})) {
            if (text != nullptr && *text == word.name) {
              member(model) = word.value;
              return;
            }
          }
          refuse_value(field, value);
        }
      },
      field.member);
}

}  // namespace

std::span<const ServoField> servo_fields() { return kFields; }

bool is_servo_table(std::string_view name) {
  return std::any_of(std::begin(kFields), std::end(kFields),
                     [&](const ServoField& field) { return field.table() == name; });
}

const ServoField* find_servo_field(std::string_view key) {
  const auto* const found = std::find_if(std::begin(kFields), std::end(kFields),
                                         [&](const ServoField& field) { return field.key == key; });
  return found == std::end(kFields) ? nullptr : found;
}

const ServoField& servo_field(std::string_view key) {
  if (const ServoField* field = find_servo_field(key)) {
    return *field;
  }
  std::vector<std::string> keys;
  for (const ServoField& field : kFields) {
    keys.emplace_back(field.key);
  }
  throw std::invalid_argument(
      fmt::format("a servo has no field '{}'{}", printable(key), nearest_names(key, keys)));
}

std::string range_of(const ServoField& field) {
  ServoModel model;
  return std::visit(
      [&](auto member) -> std::string {
        using Kind = std::remove_reference_t<decltype(member(model))>;
        if constexpr (std::is_same_v<Kind, double>) {
          return fmt::format(
              "in {}{}, {}{}", field.excludes_low || std::isinf(field.low) ? '(' : '[', field.low,
              field.high, std::isinf(field.high) && !may_be_infinite(field) ? ')' : ']');
        } else if constexpr (std::is_same_v<Kind, std::string>) {
          return "a word without blanks, quotes and '='";
        } else {
          std::string list;
          for (const auto& word : words(Kind{})) {
            list += fmt::format("{}\"{}\"", list.empty() ? "" : " or ", word.name);
          }
          return list;
        }
      },
      field.member);
}

ServoValue value_of(const ServoModel& model, const ServoField& field) {
  auto& changeable = const_cast<ServoModel&>(model);  // the members are only read
  return std::visit(
      [&](auto member) -> ServoValue {
        const auto& value = member(changeable);
        using Kind = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<Kind, double> || std::is_same_v<Kind, std::string>) {
          return value;
        } else {
          return std::string(word_of(value));
        }
      },
      field.member);
}

std::string toml_of(const ServoModel& model, const ServoField& field) {
  const ServoValue value = value_of(model, field);
  if (const auto* number = std::get_if<double>(&value)) {
    return fmt::format("{}", *number);  // the fewest digits that give the number back
  }
  return fmt::format("\"{}\"", std::get<std::string>(value));
}

void set_value(ServoModel& model, const ServoField& field, const ServoValue& value) {
  set_member(model, field, value);
}

void set_text(ServoModel& model, const ServoField& field, std::string_view text) {
  if (field.is_number()) {
    if (const auto number = parse_number<double>(text)) {
      return set_member(model, field, *number);
    }
  }
  set_member(model, field, std::string(text));
}

std::string_view why_idle(const ServoFirmware& firmware, std::string_view gain) {
  if (gain == "p") {
    return firmware.compliance_slope > 0.0 ? "firmware.compliance_slope gives the output per radian"
                                           : "";
  }
  if (gain == "i") {
    return firmware.i_scale > 0.0 ? "" : "firmware.i_scale, the output per unit of it, is 0";
  }
  return firmware.d_scale > 0.0 ? "" : "firmware.d_scale, the output per unit of it, is 0";
}

std::string_view name_of(ServoLaw law) { return word_of(law); }

std::string_view name_of(ServoLoad load) { return word_of(load); }

void check_servo(const ServoModel& servo) {
  ServoModel copy;
  for (const ServoField& field : kFields) {
    set_member(copy, field, value_of(servo, field));
  }
  const auto refuse = [](bool fault, const std::string& text) {
    if (fault) {
      throw std::invalid_argument(text);
    }
  };
  const ServoFriction& f = servo.friction;
  refuse(f.motor + f.motor_stribeck >= 1.0,
         fmt::format("friction.motor {} and friction.motor_stribeck {} must add up to less than 1, "
                     "or the gear never lets go",
                     f.motor, f.motor_stribeck));
  refuse(f.external + f.external_stribeck >= 1.0,
         fmt::format("friction.external {} and friction.external_stribeck {} must add up to less "
                     "than 1, or the gear never lets go",
                     f.external, f.external_stribeck));
  refuse(servo.supply.resistance >= servo.drive.resistance,
         fmt::format("supply.resistance {} must be less than drive.resistance {}",
                     servo.supply.resistance, servo.drive.resistance));
  refuse(servo.supply.min_voltage > servo.supply.voltage,
         fmt::format("supply.min_voltage {} must not be above supply.voltage {}",
                     servo.supply.min_voltage, servo.supply.voltage));
  refuse(servo.firmware.punch > servo.firmware.max_duty,
         fmt::format("firmware.punch {} must not be above firmware.max_duty {}",
                     servo.firmware.punch, servo.firmware.max_duty));
  refuse(servo.protection.min_voltage >= servo.protection.max_voltage,
         fmt::format("protection.min_voltage {} must be below protection.max_voltage {}",
                     servo.protection.min_voltage, servo.protection.max_voltage));
  const ServoPulses& p = servo.pulses;
  refuse(p.low > 0.0 && !(p.high > p.low && p.high_position != p.low_position),
         fmt::format("pulses.high {} must be above pulses.low {}, at another position", p.high,
                     p.low));
}

// With x = r·θ and F = τ/r, what is per radian becomes per r metres, and what is in N·m becomes
// that in N divided by r.
ServoModel as_slider(const ServoModel& servo) {
  const double r = servo.drive.travel;
  ServoModel slider = servo;
  slider.drive.torque_constant /= r;
  slider.drive.armature /= r * r;
  slider.drive.backlash *= r;
  slider.drive.travel = 0.0;
  slider.friction.coulomb /= r;
  slider.friction.viscous /= r * r;
  slider.friction.stribeck /= r;
  slider.friction.stribeck_speed *= r;
  slider.friction.motor_quadratic *= r;
  slider.friction.external_quadratic *= r;
  slider.firmware.p_scale /= r;
  slider.firmware.i_scale /= r;
  slider.firmware.d_scale /= r;
  slider.firmware.dead_zone *= r;
  slider.firmware.compliance_slope *= r;
  slider.firmware.max_speed *= r;
  slider.firmware.max_acceleration *= r;
  slider.encoder.counts /= r;
  slider.encoder.offset *= r;
  slider.encoder.noise *= r;
  slider.pulses.low_position *= r;
  slider.pulses.high_position *= r;
  return slider;
}

}  // namespace servosim
