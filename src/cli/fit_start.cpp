// SPDX-License-Identifier: Apache-2.0
#include "cli/fit_start.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/letter_case.h"
#include "cli/fit_servo_file.h"
#include "fit/fit_parameters.h"
#include "run/launch_plan.h"
#include "servo_models/catalogue.h"
#include "servo_models/servo_fields.h"

namespace servosim {
namespace {

// The name in the catalogue of what the logs call their motor. Logs of two servos have no numbers
// in common.
std::string servo_of_logs(const FitRig& rig, const ServoCatalogue& catalogue) {
  const ServoLog& first = *rig.logs().front().log;
  const auto word = first.words.find("motor");
  if (word == first.words.end()) {
    throw InputError(
        fmt::format("{}: does not say which servo it is of; --servo NAME says it, and `servosim "
                    "servos` lists the names",
                    first.path));
  }
  try {
    return catalogue.meant_by(word->second).name;
  } catch (const std::invalid_argument& error) {
    throw InputError(fmt::format("{}: {}; --servo names one", first.path, error.what()));
  }
}

void check_servos_of_logs(const FitRig& rig) {
  const ServoLog* first = nullptr;
  for (const BenchLog& on_rig : rig.logs()) {
    const ServoLog& log = *on_rig.log;
    const auto word = log.words.find("motor");
    if (word == log.words.end()) {
      continue;
    }
    if (first != nullptr && lower_case(first->words.at("motor")) != lower_case(word->second)) {
      throw InputError(fmt::format("{} is of '{}' and {} of '{}': a fit is of one servo",
                                   first->path, first->words.at("motor"), log.path, word->second));
    }
    first = first == nullptr ? &log : first;
  }
}

FitStart servo_of(const FitArguments& arguments, const FitRig& rig) {
  std::string name = arguments.servo;
  if (name.empty()) {
    try {
      name = servo_of_logs(rig, ServoCatalogue(arguments.servo_paths));
    } catch (const TomlError& error) {
      throw InputError(error.what());
    }
  }
  return {name, servo_called(name, arguments, false), {}};
}

// The gains and the supply that all logs have belong to the servo.
void take_settings(const FitRig& rig, ServoModel& model) {
  const auto common = [&](double BenchSettings::*which, double& value) {
    const double first = rig.logs().front().settings.*which;
    const bool is_common =
        std::all_of(rig.logs().begin(), rig.logs().end(),
                    [&](const BenchLog& log) { return log.settings.*which == first; });
    value = is_common ? first : value;
  };
  common(&BenchSettings::p, model.firmware.p);
  common(&BenchSettings::i, model.firmware.i);
  common(&BenchSettings::d, model.firmware.d);
  common(&BenchSettings::supply, model.supply.voltage);
}

// A servo that was on at a voltage does not end its torque there.
void let_supply_pass(const FitRig& rig, ServoModel& model) {
  for (const BenchLog& log : rig.logs()) {
    if (log.settings.supply > model.protection.max_voltage) {
      model.protection.max_voltage = std::numeric_limits<double>::infinity();
    } else if (log.settings.supply < model.protection.min_voltage) {
      model.protection.min_voltage = 0.0;
    }
  }
}

}  // namespace

ServoModel servo_called(const std::string& name, const FitArguments& arguments, bool of_bench) {
  if (name.ends_with(".toml")) {
    return servo_of_file(name, of_bench);
  }
  try {
    return *ServoCatalogue(arguments.servo_paths).model(name);
  } catch (const TomlError& error) {
    throw InputError(error.what());
  }
}

std::vector<std::string> doubts_of_logs(const FitArguments& arguments, const FitBench& bench,
                                        const FitRig& rig, const std::string& name,
                                        const ServoModel& model) {
  std::vector<std::string> doubts;
  for (const BenchLog& log : rig.logs()) {
    const std::string& path = log.log->path;
    if (std::isnan(log.settings.p)) {
      doubts.push_back(
          fmt::format("{}: does not say its P gain; that of {}, {:.4g}, counts; --gain "
                      "kp=P says it",
                      path, name, model.firmware.p));
    }
    if (std::isnan(log.settings.supply)) {
      doubts.push_back(
          fmt::format("{}: does not say the voltage of its supply; that of {}, {:.4g} "
                      "V, counts; --supply V says it",
                      path, name, model.supply.voltage));
    }
    if (!arguments.supply && !std::isnan(log.settings.supply) &&
        !log.log->numbers.contains("vin") && !log.log->numbers.contains("supply")) {
      doubts.push_back(fmt::format("{}: its supply counts as {:.4g} V, the mean of its voltages",
                                   path, log.settings.supply));
    }
    const double volts = log.settings.supply;
    const double least = model.protection.min_voltage;
    const double most = model.protection.max_voltage;
    if (volts > most || volts < least) {
      doubts.push_back(
          fmt::format("{}: its supply has {:.4g} V, where {} ends its torque at {:.4g} V; a fit "
                      "leaves that limit out",
                      path, volts, name, volts > most ? most : least));
    }
    constexpr double kTooHeavy = 5.0;
    const ServoModel model_of_log = model_for(log, model);
    const double stall = model_of_log.drive.torque_constant * model_of_log.supply.voltage /
                         model_of_log.drive.resistance;
    if (bench.is_pendulum() && log.rig.weight() > kTooHeavy * stall) {
      doubts.push_back(
          fmt::format("{}: the pendulum needs {:.3g} N m, and {} has {:.3g} N m: is its mass of "
                      "{:.4g} in g, or its length of {:.4g} in cm or mm? They are in kg and m",
                      path, log.rig.weight(), name, stall, log.rig.mass, log.rig.length));
    }
    constexpr double kTooFast = 3.0;
    const double free_speed = model_of_log.supply.voltage / model.drive.torque_constant;
    if (bench.is_pendulum() && top_speed(*log.log) > kTooFast * free_speed) {
      doubts.push_back(fmt::format(
          "{}: position moves at up to {:.3g} rad/s, and {} turns at {:.3g} rad/s at most: is "
          "it in degrees? --columns 'position=…[deg]' says so",
          path, top_speed(*log.log), name, free_speed));
    }
  }
  for (const LogColumn& column : bench.columns()) {
    const bool is_supply = column.quantity == LogQuantity::Voltage && arguments.supply;
    if (is_supply || column.quantity == LogQuantity::Current ||
        column.quantity == LogQuantity::Effort) {
      doubts.push_back(fmt::format("--columns: a fit does not use {}{}", name_of(column.quantity),
                                   is_supply ? ", since --supply says it" : ""));
    }
  }
  return doubts;
}

FitStart start_of_fit(const FitArguments& arguments, const FitBench& bench, const FitRig& rig) {
  check_servos_of_logs(rig);
  FitStart start = servo_of(arguments, rig);
  start.warnings = doubts_of_logs(arguments, bench, rig, start.name, start.model);
  take_settings(rig, start.model);
  let_supply_pass(rig, start.model);
  for (const std::string& fixed : words_of_lists(arguments.fixed)) {
    if (const std::size_t equals = fixed.find('='); equals != fixed.npos) {
      set_text(start.model, servo_field(fixed.substr(0, equals)), fixed.substr(equals + 1));
    }
  }
  return start;
}

}  // namespace servosim
