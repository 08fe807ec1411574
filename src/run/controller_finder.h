// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "servosim/diagnostics.h"

namespace servosim {

/// Whether a file can be started on this machine: an ELF program for it, or a script with an
/// interpreter, that we may execute.
bool runs_here(const std::filesystem::path& file);

/// Whether a file is a program of any machine (ELF, Mach-O, PE), and not someone's data.
bool is_any_program(const std::filesystem::path& file);

/// The program that a shell would run for `name`; empty if there is none.
std::string find_in_path(const std::string& name);

/// The program to run for a robot.
struct ControllerChoice {
  enum class Kind {
    Nothing,  ///< the robot stays passive
    Extern,   ///< it is started outside of the run
    Program,  ///< start `program` as it is
    Python,   ///< let Python run `program`
    Sources   ///< build first: see build_controller()
  };
  Kind kind = Kind::Nothing;
  std::string name;    ///< as its program is called
  std::string folder;  ///< absolute; where it is started
  /// Program, Python: absolute path. Sources: one that stands there already, or empty.
  std::string program;
  std::string source;               ///< Sources: build this file alone; empty: the folder's
  std::string warning;              ///< Nothing: why the world's controller is not run
  bool is_built_elsewhere = false;  ///< Nothing: its program is what its own build would make
  /// With a warning of find_controller(): the same as a part that is missing.
  std::optional<MissingPart> missing = std::nullopt;
};

/// The fields of a Robot node that name its controller.
struct ControllerQuery {
  std::string robot;          ///< its name, for messages
  std::string controller;     ///< the field of that name
  std::string project;        ///< folder that holds controllers/
  std::string proto_project;  ///< the same of the PROTO the robot comes from, or empty
};

/// Whether the field, or an option, leaves the robot without a controller: `<none>`, "" and the
/// like.
bool means_no_controller(std::string_view controller);

/// Looks the controller up as Webots does: the project, the PROTO's project, the folders of
/// WEBOTS_EXTRA_PROJECT_PATH, then ours; the first that has the controller's folder wins.
ControllerChoice find_controller(const ControllerQuery& query);

/// The program of a controller folder that runs here: `name`, or build/release/`name` if that is
/// newer; empty if there is none.
std::string existing_program(const std::string& folder, const std::string& name);

/// The choice for a program named by the user: an executable file, a C, C++ or Python source file,
/// a controller folder, `<extern>`, or one of Webots' names for "nothing", such as `<none>`.
/// @throws std::invalid_argument if it is none of these or cannot run here.
ControllerChoice choose_controller(const std::string& program);

/// The same for a robot: where there is no such path, a name is that of a controller, which is
/// looked up as find_controller() does.
ControllerChoice choose_controller(const std::string& program, const ControllerQuery& robot);

/// Translates ROBOT=PROGRAM, written in a file of `folder`, for the command line: a relative path
/// becomes an absolute one. A word such as `<none>`, and a name that is no path there, are kept.
std::string controller_in(const std::filesystem::path& folder, const std::string& argument);

}  // namespace servosim
