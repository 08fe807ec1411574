// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <numbers>
#include <string>
#include <system_error>
#include <vector>

#include "base/printable.h"
#include "base/text.h"
#include "base/toml_error.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "plot/chart.h"
#include "run/launch_plan.h"
#include "servo_models/catalogue.h"
#include "servo_models/servo_fields.h"
#include "servo_models/torque_speed.h"

namespace servosim {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kServosHelp = R"(
Without NAME: every servo of the catalogue. NAME is its name or an alias; NAME/m4 chooses one of its
laws, and KEY=VALUE after it changes a number: quote the whole, as in a world's field "servo".

A motor of a world becomes such a servo by the line `#servosim servo "NAME"` in its node, or by
servosim.toml of the project:

  [servo."arm/*"]
  model = "STS3215"
  firmware.p = 16

An own servo is a file NAME.toml in the folder of the world or of --servo-path; --toml prints one to
begin with. docs/reference/servos.md describes the files.

Exit codes: 0 done; 1 the output cannot be written; 2 there is no such servo.

Examples:
  servosim servos
  servosim servos XL330-M288-T
  servosim servos 'STS3215 supply.voltage=6' --plot sts3215.svg
  servosim servos STS3215 --toml > worlds/mine.toml
  servosim servos --json | jq -r '.servos[] | [.name, .confidence] | @tsv'
)";

struct ServosArguments {
  std::string choice;
  std::vector<std::string> servo_paths;
  std::string plot;
  bool json = false;
  bool toml = false;
};

double rpm_of(double speed) { return speed * 30.0 / std::numbers::pi; }

std::string shown(double value) { return fmt::format("{:.4g}", value); }

// A servo as it is shown: a variant of a file, and its numbers with those that the user changes.
struct ShownServo {
  ServoFile file;
  ServoVariant variant;
};

// A servo and the folders in which it is looked for. A path is that of a file.
struct ServoPlace {
  std::string choice;
  std::vector<std::string> folders;
};

ServoPlace place_of(const ServosArguments& arguments) {
  namespace fs = std::filesystem;
  const std::string& choice = arguments.choice;
  // Settings follow after a blank; a path may have blanks, too.
  constexpr std::string_view kEnding = ".toml";
  const std::size_t dot = std::min(choice.find(".toml "), choice.size());
  const std::size_t end = std::min(dot + kEnding.size(), choice.size());
  const fs::path path = choice.substr(0, end);
  if (path.extension() != kEnding) {
    return {choice, arguments.servo_paths};
  }
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) {
    throw InputError(fmt::format("there is no file '{}'{}", printable(path.string()),
                                 did_you_mean_file(path.string())));
  }
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  return {path.stem().string() + choice.substr(end), {folder.string()}};
}

ShownServo find_shown(const ServoCatalogue& catalogue, const std::string& choice) {
  const auto model = catalogue.model(choice);
  const ServoChoice parts = read_servo_choice(choice);
  ShownServo found{catalogue.file(parts.name), {}};
  found.variant = *found.file.find(parts.law);
  found.variant.model = *model;
  for (const auto& [key, value] : parts.values) {
    std::erase(found.variant.origin.assumed, key);
  }
  return found;
}

std::string laws_text(const ServoFile& file) {
  std::vector<std::string> laws;
  for (const ServoVariant& each : file.variants) {
    if (!each.law.empty()) {
      laws.push_back(each.law == file.default_law ? each.law + '*' : each.law);
    }
  }
  return fmt::format("{}", fmt::join(laws, " "));
}

std::string catalogue_text(const std::vector<ServoFile>& files) {
  TextTable table({{"servo"},
                   {"at V", true},
                   {"stall N·m", true},
                   {"no load rpm", true},
                   {"confidence"},
                   {"laws"}});
  for (const ServoFile& file : files) {
    const ServoVariant& variant = *file.find("");
    const ServoModel& model = variant.model;
    table.add({file.name, shown(model.supply.voltage), shown(output_at(model, 0.0).torque),
               shown(rpm_of(no_load_speed(model))), variant.origin.confidence, laws_text(file)});
  }
  return table.text("") +
         "\n* is the law that a name without /LAW means. \"assumed\": no data sheet has been "
         "found,\n"
         "and the numbers are those of a sibling, or of Unitree's motors those with which another\n"
         "simulator has them. `servosim servos NAME` shows the data of one.\n";
}

void add_paragraph(std::string_view head, std::string_view body, std::string& text) {
  if (!body.empty()) {
    text += fmt::format("{}: {}\n", head, printable(body));
  }
}

std::string point_value(const std::optional<double>& value) {
  return value ? shown(*value) : std::string("-");
}

std::string servo_text(const ShownServo& servo) {
  const ServoFile& file = servo.file;
  const ServoVariant& variant = servo.variant;
  const ServoModel& model = variant.model;
  std::string text = printable(file.name);
  text += file.maker.empty() ? "" : " of " + printable(file.maker);
  text += file.aliases.empty()
              ? "\n"
              : fmt::format("; also called {}\n",
                            printable(fmt::format("{}", fmt::join(file.aliases, ", "))));
  add_paragraph("laws", laws_text(file), text);
  if (!variant.law.empty()) {
    const bool is_default = variant.law == file.default_law;
    add_paragraph("law", variant.law + (is_default ? ", the default. " + file.why : ""), text);
  }
  add_paragraph("source", variant.origin.source, text);
  add_paragraph("confidence", variant.origin.confidence, text);
  add_paragraph("file", file.path, text);
  for (const std::string& note : variant.origin.notes) {
    add_paragraph("note", note, text);
  }
  const ServoOutput stall = output_at(model, 0.0);
  const double fastest = no_load_speed(model);
  const bool guessed = variant.origin.assumes("drive.resistance");
  text +=
      fmt::format("\nAt {} V: stall torque {} N·m with {} A{}, no-load speed {} rad/s ({} rpm)\n\n",
                  shown(model.supply.voltage), shown(stall.torque), shown(stall.current),
                  guessed ? " (an estimate, since the resistance is an assumption)" : "",
                  shown(fastest), shown(rpm_of(fastest)));
  TextTable table({{"field"}, {"value", true}, {"unit"}, {"what"}});
  const ServoModel defaults;
  for (const ServoField& field : servo_fields()) {
    if (value_of(model, field) != value_of(defaults, field) || field.key == "supply.voltage") {
      const ServoValue value = value_of(model, field);
      const auto* number = std::get_if<double>(&value);
      table.add(
          {std::string(field.key),
           number != nullptr ? fmt::format("{:.6g}", *number) : std::get<std::string>(value),
           std::string(field.unit == "-" ? "" : field.unit),
           (variant.origin.assumes(field.key) ? "ASSUMED; " : "") + std::string(field.meaning)});
    }
  }
  text += table.text("");
  if (!file.points.empty()) {
    TextTable points({{"printed at V", true},
                      {"stall N·m", true},
                      {"stall A", true},
                      {"no load rpm", true},
                      {"no load A", true}});
    for (const ServoPoint& point : file.points) {
      points.add({shown(point.voltage), point_value(point.stall_torque),
                  point_value(point.stall_current), point_value(point.no_load_rpm),
                  point_value(point.no_load_current)});
    }
    text += '\n' + points.text("");
  }
  if (!file.facts.empty()) {
    text += "\nPrinted as well: ";
    std::vector<std::string> facts;
    for (const auto& [key, value] : file.facts) {
      facts.push_back(printable(fmt::format("{} {}", key, value)));
    }
    text += fmt::format("{}\n", fmt::join(facts, ", "));
  }
  return text;
}

Json or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }
Json or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

Json summary_json(const ServoFile& file, const ServoVariant& variant) {
  Json laws = Json::array();
  for (const ServoVariant& each : file.variants) {
    if (!each.law.empty()) {
      laws.push_back(each.law);
    }
  }
  const ServoOutput stall = output_at(variant.model, 0.0);
  return {{"name", file.name},
          {"aliases", file.aliases},
          {"maker", or_null(file.maker)},
          {"file", file.path},
          {"laws", laws},
          {"default_law", or_null(file.default_law)},
          {"law", or_null(variant.law)},
          {"source", or_null(variant.origin.source)},
          {"confidence", or_null(variant.origin.confidence)},
          {"voltage", variant.model.supply.voltage},
          {"stall_torque", stall.torque},
          {"stall_current", stall.current},
          {"no_load_speed", no_load_speed(variant.model)}};
}

constexpr int kCurvePoints = 100;

// Calls action(speed, output) from rest to the no-load speed.
template <class Action>
void for_each_speed(const ServoModel& model, const Action& action) {
  const double fastest = no_load_speed(model);
  for (int i = 0; i <= kCurvePoints; ++i) {
    const double speed = fastest * i / kCurvePoints;
    action(speed, output_at(model, speed));
  }
}

Json servo_json(const ShownServo& servo) {
  Json json = summary_json(servo.file, servo.variant);
  json["why"] = or_null(servo.file.why);
  json["notes"] = servo.variant.origin.notes;
  json["assumed"] = servo.variant.origin.assumed;
  json["points"] = Json::array();
  for (const ServoPoint& point : servo.file.points) {
    json["points"].push_back({{"voltage", point.voltage},
                              {"stall_torque", or_null(point.stall_torque)},
                              {"stall_current", or_null(point.stall_current)},
                              {"no_load_rpm", or_null(point.no_load_rpm)},
                              {"no_load_current", or_null(point.no_load_current)}});
  }
  json["facts"] = Json::object();
  for (const auto& [key, value] : servo.file.facts) {
    const auto number = parse_number<double>(value);
    json["facts"][key] = number && std::isfinite(*number) ? Json(*number) : Json(value);
  }
  json["fields"] = Json::object();
  for (const ServoField& field : servo_fields()) {
    const ServoValue value = value_of(servo.variant.model, field);
    const auto* number = std::get_if<double>(&value);
    // null: no limit
    json["fields"][std::string(field.key)] = number != nullptr
                                                 ? (std::isfinite(*number) ? Json(*number) : Json())
                                                 : Json(std::get<std::string>(value));
  }
  json["torque_speed"] = Json::array();
  for_each_speed(servo.variant.model, [&](double speed, const ServoOutput& output) {
    json["torque_speed"].push_back({speed, output.torque, output.current});
  });
  return json;
}

void draw_servo(const ShownServo& servo, const std::string& choice, const std::string& output) {
  const ServoModel& model = servo.variant.model;
  ChartCurve torque{"full duty", {}, ChartCurve::Style::Line};
  ChartCurve current{"", {}, ChartCurve::Style::Line};
  for_each_speed(model, [&](double speed, const ServoOutput& at) {
    torque.points.emplace_back(speed, at.torque);
    current.points.emplace_back(speed, at.current);
  });
  ChartPanel torques{"torque at the shaft [N·m]", {torque}, 0.0};
  ChartPanel currents{"current of the winding [A]", {current}, 0.0};
  for (const ServoPoint& point : servo.file.points) {
    if (point.voltage == model.supply.voltage && point.stall_torque && point.no_load_rpm) {
      torques.curves.push_back(
          {"data sheet",
           {{0.0, *point.stall_torque}, {*point.no_load_rpm * std::numbers::pi / 30.0, 0.0}},
           ChartCurve::Style::Mark});
    }
  }
  const std::string law = servo.variant.law.empty() ? "" : ", law " + servo.variant.law;
  draw_chart({fmt::format("{}{}, {:.4g} V", printable(choice), law, model.supply.voltage),
              "speed of the shaft [rad/s]",
              false,
              {torques, currents}},
             output);
}

void show_servos(const ServosArguments& arguments, Console& console) {
  const auto [choice, folders] = place_of(arguments);
  const ServoCatalogue catalogue(folders);
  if (arguments.choice.empty()) {
    if (!arguments.plot.empty() || arguments.toml) {
      throw InputError(
          fmt::format("{} needs the NAME of a servo", arguments.toml ? "--toml" : "--plot"));
    }
    const std::vector<ServoFile> files = catalogue.all([&console](const TomlError& error) {
      console.warn(fmt::format("{}; it is no servo, and is left out", error.what()));
    });
    if (arguments.json) {
      Json json{{"schema", "servosim-servos-1"}, {"servos", Json::array()}};
      for (const ServoFile& file : files) {
        json["servos"].push_back(summary_json(file, *file.find("")));
      }
      console.write(STDOUT_FILENO, json_text(json));
    } else {
      console.write(STDOUT_FILENO, catalogue_text(files));
    }
    return;
  }
  const ShownServo servo = find_shown(catalogue, choice);
  if (!arguments.plot.empty()) {
    draw_servo(servo, choice, arguments.plot);
  }
  console.write(STDOUT_FILENO, arguments.toml ? to_toml(servo.variant.model, servo.variant.origin)
                               : arguments.json
                                   ? json_text({{"schema", "servosim-servos-1"},
                                                {"servos", Json::array({servo_json(servo)})}})
                                   : servo_text(servo));
}

}  // namespace

void add_servos(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("servos", "Show the catalogue of real servos, or the data of one");
  const auto arguments = std::make_shared<ServosArguments>();
  command->callback([&action, arguments] {
    action = [arguments] {
      return run_writer([&arguments](Console& console) {
        try {
          show_servos(*arguments, console);
        } catch (const TomlError& error) {
          throw InputError(error.what());
        }
      });
    };
  });
  command->footer(kServosHelp);
  command->add_option("NAME", arguments->choice,
                      "Servo, e.g. STS3215 or 'STS3215/m1 firmware.p=16'");
  add_servo_path(*command, arguments->servo_paths);
  CLI::Option* json =
      command->add_flag("--json", arguments->json, "One JSON document instead of tables");
  command->add_flag("--toml", arguments->toml, "Its numbers as a file of an own servo")
      ->excludes(json);
  command->add_option("--plot", arguments->plot, "Draw torque and current over speed")
      ->type_name("FILE.svg|.png|.pdf");
}

}  // namespace servosim
