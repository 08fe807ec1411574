// SPDX-License-Identifier: Apache-2.0
#include "wbt/convert/convert.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <memory>
#include <set>
#include <stdexcept>
#include <utility>
#include <variant>
#include <vector>

#include "base/files.h"
#include "base/printable.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/project_file.h"
#include "robots/export/robot_export.h"
#include "robots/robot_file.h"
#include "run/console.h"
#include "run/controller_finder.h"
#include "run/launch_plan.h"
#include "servo_models/catalogue.h"
#include "servo_models/project_servos.h"
#include "servosim/diagnostics.h"
#include "wbt/convert/kept_protos.h"
#include "wbt/world_file.h"
#include "wbt/writer.h"

namespace servosim {

namespace {

namespace fs = std::filesystem;

constexpr const char* kConvertHelp = R"(
Writes a world of any Webots version as an equivalent one of R2025a. Defaults of its version become
explicit: the axes of shapes, cameras and other devices, gravity and the coordinate system. PROTO
instances are written as the nodes they consist of: OUT needs no PROTO file, and no EXTERNPROTO
line; IMPORTABLE ones stay. With --keep-protos an instance stays one, so that its robot finds the
controller in its PROTO's project, and supervisors its nodes; one whose file Webots R2025a would
read with another meaning is written out, with a warning. A node that cannot be read is left out
with a warning; with --strict nothing is written then, if it may be more than decoration. Comments
at the head of the file are kept, those further down are not.

Of a robot in URDF, SDF or MJCF (.urdf, .sdf, .xml) it writes the world that other commands make of
it; what a world cannot say is left out with a warning. If OUT ends in .xml, it is an MJCF with the
robots of the world and what is around them; if it ends in .urdf, it is a URDF of the first robot.
What these cannot say is left out with a warning each, which the head of OUT has, too.

Put OUT into the worlds/ folder of the project: Webots finds the controllers from there. Relative
paths to textures, meshes and sounds are changed to lead from OUT to the same files. With OUT -
the world goes to standard output, as if it were beside IN, and all messages to standard error.

Exit codes: 0 done; 1 OUT cannot be written; 2 IN or an argument is wrong. OUT is written as a
whole or not changed.

Examples:
  servosim convert worlds/servo.wbt worlds/new.wbt
  servosim convert worlds/servo.wbt - | diff worlds/servo.wbt -
  servosim convert worlds/servo.wbt worlds/servo.wbt --force
  servosim convert worlds/servo.wbt worlds/kept.wbt --keep-protos
  servosim convert worlds/arm.wbt arm.xml
)";

struct ConvertArguments {
  std::string in;
  std::string out;
  std::vector<std::string> proto_paths;
  std::vector<std::string> servo_paths;
  std::vector<std::string> assets;
  bool force = false;
  bool strict = false;
  bool keep_protos = false;
  RobotFileOptions robot_file;

  bool to_standard_output() const { return out == "-" || out == "/dev/stdout"; }
};

// Calls see(node) once for each node in a value, parents before children.
template <class See>
void visit(const wbt::Value& value, See see) {
  std::set<const wbt::Node*> seen;
  std::vector<const wbt::Node*> open;
  const auto add = [&](const wbt::NodePtr& node) {
    if (node && seen.insert(node.get()).second) {
      open.push_back(node.get());
    }
  };
  const auto push = [&](const wbt::Value& v) {
    if (const auto* one = std::get_if<wbt::NodePtr>(&v)) {
      add(*one);
    } else if (const auto* several = std::get_if<std::vector<wbt::NodePtr>>(&v)) {
      std::for_each(several->rbegin(), several->rend(), add);
    }
  };
  push(value);
  while (!open.empty()) {
    const wbt::Node& node = *open.back();
    open.pop_back();
    see(node);
    std::for_each(node.fields.rbegin(), node.fields.rend(),
                  [&](const wbt::Field& field) { push(field.value); });
  }
}

// Returns the first DEF name in the body of an instance, ignoring the nodes of its parameters.
std::string definition_in(const wbt::Node& root) {
  std::set<std::uint32_t> given;
  for (const auto& value : root.proto.instance->given) {
    if (value) {
      visit(*value, [&](const wbt::Node& node) { given.insert(node.id); });
    }
  }
  std::string name;
  for (const wbt::Field& field : root.fields) {
    visit(field.value, [&](const wbt::Node& node) {
      name = name.empty() && !given.contains(node.id) ? node.def : name;
    });
  }
  return name;
}

// Warns of each robot of `world` whose controller is found in the project of the world or of the
// robot's PROTO, but not from the written world, which is in `out_folder`. `kept` has the Node::id
// of the nodes in PROTO instances that stay.
void warn_of_lost_controllers(const wbt::WorldFile& world, const std::string& out_folder,
                              const std::set<std::uint32_t>& kept, Diagnostics& diagnostics) {
  const std::string project = wbt::project_of_world(out_folder);
  visit(world.nodes, [&](const wbt::Node& node) {
    if (node.type->field("controller") == nullptr) {
      return;
    }
    const std::string& name = node.string("name");
    const std::string& controller = node.string("controller");
    const std::string folder =
        find_controller({name, controller, world.project, node.proto.project}).folder;
    const std::string proto_project = kept.contains(node.id) ? node.proto.project : "";
    if (folder.empty() ||
        find_controller({name, controller, project, proto_project}).folder == folder) {
      return;
    }
    // A folder controllers/ next to OUT would make its folder the project of all worlds in it.
    const std::string advice =
        project == out_folder
            ? "put OUT into worlds/ of the project that has it"
            : fmt::format("copy it to '{}'",
                          (fs::path(project) / "controllers" / controller).string());
    diagnostics.warning(
        node.where,
        fmt::format("controller '{}' of robot \"{}\" is in '{}', where it is not found from "
                    "OUT: {}, or add '{}' to WEBOTS_EXTRA_PROJECT_PATH",
                    controller, name, folder, advice,
                    fs::path(folder).parent_path().parent_path().string()));
  });
}

// Warns once if a supervisor may search for nodes in a PROTO instance, which the written world
// lacks.
void warn_of_lost_definitions(const wbt::WorldFile& world, const std::set<std::uint32_t>& kept,
                              Diagnostics& diagnostics) {
  bool any_supervisor = false;
  const wbt::Node* instance = nullptr;  // the first one that contains a DEF
  std::string name;
  visit(world.nodes, [&](const wbt::Node& node) {
    any_supervisor =
        any_supervisor || (node.type->field("supervisor") != nullptr && node.boolean("supervisor"));
    if (instance == nullptr && node.proto.instance && !kept.contains(node.id) &&
        !node.proto.instance->interface->path.empty()) {
      name = definition_in(node);
      instance = name.empty() ? nullptr : &node;
    }
  });
  if (any_supervisor && instance != nullptr) {
    diagnostics.warning(
        instance->where,
        fmt::format("OUT has no {2}PROTO instances, in which a supervisor could find nodes by "
                    "wb_supervisor_node_get_from_proto_def(), such as {0} for \"{1}\"; there "
                    "wb_supervisor_node_get_from_def(\"{1}\") finds it",
                    instance->proto.name, name, kept.empty() ? "" : "such "));
  }
}

// Warns of what says which servos the motors of `world` are, and is not found from the written
// world, which is in `out_folder`: tables of servosim.toml, and files that no `--servo-path` has.
void warn_of_lost_servos(const wbt::WorldFile& world, const std::string& out_folder,
                         const std::vector<std::string>& servo_paths, Diagnostics& diagnostics) {
  const ProjectServos& project = *world.project_servos;
  const bool same_project = wbt::project_of_world(out_folder) == world.project;
  if (!project.servos.empty() && !same_project) {
    diagnostics.warning(
        {diagnostics.sources().add(project.path, project.text), 0},
        fmt::format("its tables [servo.\"…\"] do not hold for OUT, which is in another project: "
                    "put OUT into worlds/ of '{}', or copy them into servosim.toml of '{}'",
                    world.project, wbt::project_of_world(out_folder)));
  }
  std::vector<std::string> folders{out_folder};
  folders.insert(folders.end(), servo_paths.begin(), servo_paths.end());
  if (same_project) {
    folders.insert(folders.end(), project.folders.begin(), project.folders.end());
  }
  const ServoCatalogue later(std::move(folders));
  std::set<std::string> told;
  visit(world.nodes, [&](const wbt::Node& node) {
    if (node.type->field("servo") == nullptr || node.string("servo").empty()) {
      return;
    }
    std::string name;
    try {
      name = read_servo_choice(node.string("servo")).name;
    } catch (const std::invalid_argument&) {
      return;  // it names no servo anywhere
    }
    const std::string path = world.servos->path_of(name);
    if (!path.empty() && later.path_of(name).empty() && told.insert(path).second) {
      diagnostics.warning(node.where,
                          fmt::format("the file '{}' of this servo is not found from OUT: copy it "
                                      "to '{}'",
                                      path, out_folder));
    }
  });
}

class Conversion {
 public:
  Conversion(const ConvertArguments& arguments, Console& console)
      : arguments_(arguments), console_(console) {}

  int execute() {
    if (const std::string fault = find_output_fault(); !fault.empty()) {
      return refuse(fault);
    }
    const wbt::WorldFile world =
        robots::read_world(arguments_.in, read_options(), arguments_.robot_file, diagnostics_);
    if (diagnostics_.errors() > 0) {
      report();
      return refuse(fmt::format("'{}' is not converted; correct it first", arguments_.in));
    }
    if (!world.lost.empty() && arguments_.strict) {
      return refuse(missing(world));
    }
    if (robots::is_export(arguments_.out)) {
      return write_robot(world);
    }
    wbt::WorldFile converted = convert(world, diagnostics_);
    const std::string folder = out_folder(world);
    move_urls(converted, folder, diagnostics_.sources());
    const WorldWithProtos written =
        arguments_.keep_protos ? write_with_protos(converted, folder, read_options(), diagnostics_)
                               : write_nodes(converted, folder);
    warn_of_lost_controllers(world, folder, written.nodes, diagnostics_);
    warn_of_lost_servos(world, folder, arguments_.servo_paths, diagnostics_);
    warn_of_lost_definitions(world, written.nodes, diagnostics_);
    report();
    if (!written.fault.empty()) {
      return refuse(fmt::format("'{}' cannot be written: {}", arguments_.in, written.fault));
    }
    return write_result(written, world, converted);
  }

 private:
  // This check comes before any work is done; write_file() checks again.
  std::string find_output_fault() const {
    std::error_code ignored;
    if (const std::string fault = robots::fault_of_export(arguments_.out); !fault.empty()) {
      return fmt::format("'{}': {}", arguments_.out, fault);
    }
    if (arguments_.keep_protos && robots::is_export(arguments_.out)) {
      return fmt::format("--keep-protos is for worlds, and '{}' is a robot's file", arguments_.out);
    }
    if (arguments_.to_standard_output() || arguments_.force ||
        !fs::is_regular_file(arguments_.out, ignored)) {
      return {};
    }
    return fmt::format("'{}' exists already; --force replaces it", arguments_.out);
  }

  wbt::ReadOptions read_options() const {
    wbt::ReadOptions options;
    options.proto_paths = arguments_.proto_paths;
    options.servo_paths = arguments_.servo_paths;
    options.assets = arguments_.assets;
    options.report_decorations = true;
    return options;
  }

  int refuse(const std::string& message) {
    console_.log(LogLevel::Error, message);
    return kExitBadInput;
  }

  void report() {
    for (const Diagnostic& diagnostic : diagnostics_.list()) {
      console_.write(STDERR_FILENO, diagnostic);
    }
    if (diagnostics_.dropped() > 0) {
      console_.write(STDERR_FILENO,
                     fmt::format("and {} more\n", counted(diagnostics_.dropped(), "message")));
    }
  }

  std::string out_folder(const wbt::WorldFile& world) const {
    const fs::path out =
        arguments_.to_standard_output() ? fs::path(world.path) : fs::absolute(arguments_.out);
    return out.lexically_normal().parent_path().string();
  }

  // Lists each location once, since a PROTO may be expanded many times.
  std::string missing(const wbt::WorldFile& world) const {
    std::string text =
        fmt::format("'{}' is not converted, because these nodes would be lost:\n", arguments_.in);
    std::set<std::pair<std::string, int>> listed;
    for (const wbt::LostNode& lost : world.lost) {
      const Diagnostic at = diagnostics_.sources().resolve(lost.where);
      const std::string line = fmt::format("  {}:{}: {}\n", at.file, at.line, lost.reason);
      text += listed.insert({line, at.column}).second ? line : "";
    }
    text += world.lost.size() == Diagnostics::kMaxKept ? "  and perhaps more\n" : "";
    if (robots::is_robot_file(arguments_.in)) {
      return text + "A world cannot say that; without --strict it is left out.";
    }
    text +=
        "Name the folders of their PROTO files with --proto-path; without --strict they are left "
        "out.";
    if (world.version >= wbt::Version{2022, 1, 0}) {
      text += " Webots R2025a opens a world of R2022b and later without a conversion.";
    }
    return text;
  }

  // Reads the written text back, so that nothing with a changed meaning is written.
  static WorldWithProtos write_nodes(const wbt::WorldFile& world, const std::string& folder) {
    WorldWithProtos written;
    written.text = wbt::write_world(world);
    Diagnostics diagnostics;
    const wbt::WorldFile again = wbt::read_world_text(written.text, "OUT", folder, {}, diagnostics);
    if (diagnostics.errors() > 0) {
      written.fault = "in the result " + diagnostics.list().back().message;
    } else if (!wbt::equal(world, again)) {
      written.fault = "the result does not read back the same";
    }
    return written;
  }

  int write_robot(const wbt::WorldFile& world) {
    std::error_code ignored;
    const std::string path = fs::absolute(arguments_.out, ignored).lexically_normal().string();
    const robots::ExportedRobot robot = robots::export_robot(world, path, diagnostics_);
    report();
    if (!robot.fault.empty()) {
      return refuse(fmt::format("'{}' is not converted: {}", arguments_.in, robot.fault));
    }
    if (arguments_.strict && robot.moving > 0) {
      return refuse(
          fmt::format("'{}' is not converted, because {} of the warnings may change the "
                      "motion; without --strict that is left out",
                      arguments_.in, robot.moving));
    }
    if (const auto error = write_file(arguments_.out, robot.text, arguments_.force)) {
      console_.log(LogLevel::Error, fmt::format("'{}' {}", arguments_.out, error->reason));
      return kExitFailed;
    }
    console_.write(
        STDOUT_FILENO,
        printable_lines(fmt::format(
            "{}: {}{}. Next: servosim check {}\n", arguments_.out, counted(robot.links, "link"),
            robot.lost == 0 ? "" : fmt::format(", {} LEFT OUT", counted(robot.lost, "item")),
            arguments_.out)));
    return console_.output_lost() ? kExitFailed : kExitOk;
  }

  int write_result(const WorldWithProtos& written, const wbt::WorldFile& world,
                   const wbt::WorldFile& converted) {
    const int message_stream = arguments_.to_standard_output() ? STDERR_FILENO : STDOUT_FILENO;
    if (arguments_.to_standard_output()) {
      console_.write(STDOUT_FILENO, written.text);
    } else if (const auto error = write_file(arguments_.out, written.text, arguments_.force)) {
      console_.log(LogLevel::Error, fmt::format("'{}' {}", arguments_.out, error->reason));
      return kExitFailed;
    }
    const Difference difference = difference_between(world, converted);
    console_.write(
        message_stream,
        printable_lines(fmt::format(
            "{}: {} -> {}, {} of {} changed, {}{} written out{}, {}. Next: {}\n", arguments_.out,
            to_string(world.version), to_string(converted.version), difference.changed,
            counted(difference.nodes, "node"),
            written.instances == 0 ? "" : counted(written.instances, "PROTO instance") + " kept, ",
            counted(difference.proto_instances -
                        std::min(written.instances, difference.proto_instances),
                    "PROTO instance"),
            world.lost.empty() ? "" : fmt::format(", {} LEFT OUT", world.lost.size()),
            counted(diagnostics_.warnings(), "warning"),
            arguments_.to_standard_output() ? "save it in the worlds/ folder of a project"
                                            : "servosim check " + arguments_.out)));
    return console_.output_lost() ? kExitFailed : kExitOk;
  }

  const ConvertArguments& arguments_;
  Console& console_;
  Diagnostics diagnostics_;
};

int convert_file(ConvertArguments arguments) {
  Console console;
  try {
    const ProjectFile project = ProjectFile::of_world(arguments.in);
    arguments.proto_paths = project.values_unless(arguments.proto_paths, "proto_path");
    arguments.assets = project.values_unless(arguments.assets, "assets");
    return Conversion(arguments, console).execute();
  } catch (const std::invalid_argument& error) {
    console.log(LogLevel::Error, fmt::format("'{}': {}", arguments.in, error.what()));
  } catch (const InputError& error) {  // a fault in servosim.toml
    console.log(LogLevel::Error, error.what());
  }
  return kExitBadInput;
}

}  // namespace

void add_convert(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("convert", "Write a world for the present Webots");
  const auto arguments = std::make_shared<ConvertArguments>();
  command->callback(
      [&action, arguments] { action = [arguments] { return convert_file(*arguments); }; });
  command->footer(kConvertHelp);
  command
      ->add_option("IN", arguments->in,
                   "World file (.wbt) of any version, or robot (.urdf, .sdf, .xml)")
      ->required();
  command
      ->add_option("OUT", arguments->out,
                   "World (.wbt) or robot (.xml, .urdf) to write; - for standard output")
      ->required();
  command->add_flag("--force", arguments->force, "Replace OUT if it exists, be it IN itself");
  command->add_flag("--strict", arguments->strict,
                    "Write nothing rather than leave out a PROTO instance or unknown node that "
                    "cannot be read, or what may change the motion of a robot");
  command->add_flag("--keep-protos", arguments->keep_protos,
                    "Keep PROTO instances whose files R2025a reads with the same meaning");
  add_proto_path(*command, arguments->proto_paths);
  add_servo_path(*command, arguments->servo_paths);
  add_assets(*command, arguments->assets);
  add_robot_file(*command, arguments->robot_file);
}

}  // namespace servosim
