// SPDX-License-Identifier: Apache-2.0
// Implements `webots convert`, which writes a PROTO as URDF or as the nodes of which it consists.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/files.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "run/launch_plan.h"
#include "scene/scene_builder.h"
#include "sim/world_inspector.h"
#include "wbt/writer.h"

namespace servosim {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kWorldHeader = "#VRML_SIM";
constexpr std::string_view kObjectHeader = "#VRML_OBJ";

struct WebotsConvertArguments {
  std::string input;
  std::string type = "URDF";
  std::string output;
  std::vector<std::string> parameters;  // NAME=VALUE
};

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    result += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  }
  return result + '"';
}

// Returns a world with one instance of the PROTO.
std::string world_of(const WebotsConvertArguments& arguments) {
  const fs::path path = fs::absolute(arguments.input).lexically_normal();
  std::string fields;
  for (const std::string& parameter : arguments.parameters) {
    const std::size_t equals = parameter.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw InputError(fmt::format("-p needs NAME=VALUE, not '{}'", parameter));
    }
    fields += fmt::format("  {} {}\n", parameter.substr(0, equals), parameter.substr(equals + 1));
  }
  return fmt::format("#VRML_SIM R2025a utf8\nEXTERNPROTO {}\n{} {{\n{}}}\n", quoted(path.string()),
                     path.stem().string(), fields);
}

// Returns the nodes as the text of an object file.
std::string as_object(wbt::WorldFile file) {
  std::erase_if(file.nodes,
                [](const wbt::NodePtr& node) { return node->type->name == "WorldInfo"; });
  file.comments.clear();
  const std::string text = wbt::write_world(file);
  return std::string(kObjectHeader) + text.substr(kWorldHeader.size());
}

std::string converted(const WebotsConvertArguments& arguments, Console& console) {
  std::string type = arguments.type;
  std::transform(type.begin(), type.end(), type.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (type != "urdf" && type != "wbo") {
    throw InputError(fmt::format(
        "-t {}: URDF and WBO can be written; other types are for looks alone", arguments.type));
  }
  const std::string folder = fs::absolute(arguments.input).parent_path().string();
  Simulation simulation = Simulation::from_text(world_of(arguments), {}, folder);
  for (const Diagnostic& diagnostic : simulation.diagnostics()) {
    console.log(diagnostic);
  }
  const WorldInspector inspector(simulation);
  if (type == "wbo") {
    return as_object(*inspector.world_file());
  }
  if (inspector.scene().robots.empty()) {
    throw InputError(fmt::format("'{}' is no robot, which alone has a URDF", arguments.input));
  }
  return to_urdf(inspector.scene(), 0, "");
}

int webots_convert(const WebotsConvertArguments& arguments) {
  return run_writer([&](Console& console) {
    std::error_code ignored;
    if (!fs::is_regular_file(arguments.input, ignored)) {
      throw InputError(fmt::format("there is no file '{}'", arguments.input));
    }
    std::string text;
    try {
      text = converted(arguments, console);
    } catch (const LoadError& error) {
      for (const Diagnostic& diagnostic : error.list()) {
        console.log(diagnostic);
      }
      throw InputError(fmt::format("'{}' cannot be converted", arguments.input));
    }
    if (arguments.output.empty()) {
      console.write(STDOUT_FILENO, text);
    } else if (const auto error = write_file(arguments.output, text, true)) {
      throw std::runtime_error(
          fmt::format("cannot write '{}': {}", arguments.output, error->reason));
    }
  });
}

}  // namespace

void add_webots_convert(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(kWebotsConvert, "Convert a PROTO to URDF or WBO");
  const auto arguments = std::make_shared<WebotsConvertArguments>();
  command->callback(
      [&action, arguments] { action = [arguments] { return webots_convert(*arguments); }; });
  command->add_option("PROTO", arguments->input, "PROTO file (.proto)")->required();
  command->add_option("-t", arguments->type, "What is written (URDF)")->type_name("URDF|WBO");
  command->add_option("-o", arguments->output, "Without it the text goes to standard output")
      ->type_name("FILE");
  add_repeatable(*command, "-p", arguments->parameters, "Another value for a field of the PROTO")
      ->type_name("NAME=VALUE");
}

}  // namespace servosim
