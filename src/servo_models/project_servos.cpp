// SPDX-License-Identifier: Apache-2.0
#include "servo_models/project_servos.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <variant>

#include "base/files.h"
#include "base/printable.h"
#include "servo_models/catalogue.h"
#include "servo_models/servo_fields.h"
#include "servo_models/servo_file.h"
#include "servo_models/toml_fields.h"

namespace servosim {
namespace {

// Adds the fields of a table such as `firmware.p`. Their values are checked on a model that counts
// for nothing else.
void read_values(const TomlReading& reading, const toml::table& table, std::string_view name,
                 ProjectServo& servo) {
  ServoModel checked;
  read_fields(reading, table, name, checked);
  for (const auto& [key, ignored] : table) {
    const ServoField& field = servo_field(fmt::format("{}.{}", name, key.str()));
    const ServoValue value = value_of(checked, field);
    const auto* number = std::get_if<double>(&value);
    servo.values.emplace_back(
        field.key, number != nullptr ? fmt::format("{}", *number) : std::get<std::string>(value));
  }
}

ProjectServo read_project_servo(const TomlReading& reading, const toml::key& glob,
                                const toml::node& node) {
  ProjectServo servo;
  servo.glob = glob.str();
  servo.line = static_cast<int>(glob.source().begin.line);
  servo.column = static_cast<int>(glob.source().begin.column);
  const toml::table& table = reading.table(node, fmt::format("servo.\"{}\"", glob.str()));
  for (const auto& [key, value] : table) {
    if (key.str() == "model") {
      if (value.value_exact<std::string>() == "") {
        servo.model = "";
        continue;
      }
      servo.model = reading.word(value);
      try {
        static_cast<void>(read_servo_choice(*servo.model));
      } catch (const std::invalid_argument& error) {
        reading.refuse(value, error.what());
      }
    } else if (is_servo_table(key.str())) {
      read_values(reading, reading.table(value, key.str()), key.str(), servo);
    } else {
      reading.refuse(key.source().begin,
                     fmt::format("'{}' is neither 'model' nor a field of a servo, such as "
                                 "firmware.p",
                                 printable(key.str())));
    }
  }
  if (!servo.model && servo.values.empty()) {
    reading.refuse(table, "say which servo it is, such as model = \"STS3215\"");
  }
  if (servo.model == "" && !servo.values.empty()) {
    reading.refuse(table, "model = \"\" is a motor without a servo, which has no other keys");
  }
  return servo;
}

}  // namespace

ProjectServos read_project_servos(const std::string& project) {
  namespace fs = std::filesystem;
  ProjectServos read;
  const fs::path path = fs::path(project) / "servosim.toml";
  std::error_code error;
  if (!fs::is_regular_file(path, error)) {
    return read;
  }
  read.path = path.string();
  auto text = read_file(read.path);
  if (const auto* fault = std::get_if<FileError>(&text)) {
    throw TomlError(read.path, 0, 0, fault->reason);
  }
  read.text = std::move(std::get<std::string>(text));
  const TomlReading reading(read.path);
  const toml::table table = reading.parse(read.text);
  if (const toml::node* const folders = table.get("servo_path")) {
    for (const std::string& folder : reading.words(*folders)) {
      read.folders.push_back((fs::path(project) / folder).lexically_normal().string());
      if (!fs::is_directory(read.folders.back(), error)) {
        reading.refuse(*folders, fmt::format("there is no folder '{}'", printable(folder)));
      }
    }
  }
  if (const toml::node* const name = table.get("integrator")) {
    const auto word = name->value_exact<std::string>();
    if (word != "ode" && word != "joint") {
      reading.refuse(*name, "integrator: expected \"ode\" or \"joint\"");
    }
    read.integrator = word == "joint" ? Integrator::Joint : Integrator::Ode;
  }
  if (const toml::node* const number = table.get("evaluations")) {
    const auto count = number->value_exact<std::int64_t>();
    if (!count || *count < 0 || *count > kMaxEvaluations) {
      reading.refuse(*number, fmt::format("evaluations: expected a whole number from 0 to {}",
                                          kMaxEvaluations));
    }
    read.evaluations = static_cast<int>(*count);
  }
  if (const toml::node* const number = table.get("accuracy")) {
    const auto accuracy = number->value<double>();
    if (!accuracy || !(*accuracy >= 0.0 && *accuracy <= kMaxAccuracy)) {
      reading.refuse(*number, fmt::format("accuracy: expected a number from 0 to {} [rad or m]",
                                          kMaxAccuracy));
    }
    read.accuracy = *accuracy;
  }
  if (const toml::node* const servos = table.get("servo")) {
    for (const auto& [glob, node] : reading.table(*servos, "servo")) {
      read.servos.push_back(read_project_servo(reading, glob, node));
    }
  }
  std::stable_sort(read.servos.begin(), read.servos.end(),
                   [](const ProjectServo& a, const ProjectServo& b) { return a.line < b.line; });
  return read;
}

}  // namespace servosim
