// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "servosim/diagnostics.h"

namespace servosim {

/// Returns whether a file can be started on this machine: an ELF program for it, or a script with
/// an interpreter, that the process may execute.
bool runs_here(const std::filesystem::path& file);

/// Returns whether a file is a program of any machine (ELF, Mach-O, PE), as opposed to data.
bool is_any_program(const std::filesystem::path& file);

/// Returns the program that a shell would run for `name`; empty if there is none.
std::string find_in_path(const std::string& name);

/// The choice of the program to run for a robot.
struct ControllerChoice {
  enum class Kind {
    Nothing,  ///< the robot stays passive
    Extern,   ///< it is started outside of the run
    Program,  ///< start `program` as it is
    Python,   ///< let Python run `program`
    Sources   ///< build the program first: see build_controller()
  };
  Kind kind = Kind::Nothing;
  std::string name;    ///< name of its program
  std::string folder;  ///< absolute path in which it is started
  /// For Program and Python an absolute path. For Sources an existing program, or empty.
  std::string program;
  std::string source;   ///< for Sources: build only this file; empty: all files of the folder
  std::string warning;  ///< for Nothing: why the world's controller is not run
  bool is_built_elsewhere = false;  ///< for Nothing: its own build would make its program
  /// The missing part that corresponds to a warning of find_controller().
  std::optional<MissingPart> missing = std::nullopt;
};

/// The fields of a Robot node that name its controller.
struct ControllerQuery {
  std::string robot;          ///< its name, for messages
  std::string controller;     ///< the field `controller`
  std::string project;        ///< folder that holds controllers/
  std::string proto_project;  ///< the project of the PROTO from which the robot comes; may be empty
};

/// Returns whether the field, or an option, leaves the robot without a controller: `<none>`, "" and
/// the like.
bool means_no_controller(std::string_view controller);

/// Finds the controller as Webots does. It searches the project, the PROTO's project, the folders
/// of WEBOTS_EXTRA_PROJECT_PATH, then ours; the first one that has the controller's folder is used.
ControllerChoice find_controller(const ControllerQuery& query);

/// Returns the program of a controller folder that runs here: `name`, or build/release/`name` if
/// that is newer; empty if there is none.
std::string existing_program(const std::string& folder, const std::string& name);

/// Returns the choice for a program that the user names: an executable file, a C, C++ or Python
/// source file, a controller folder, `<extern>`, or one of Webots' names for "nothing", such as
/// `<none>`.
/// @throws std::invalid_argument if it is none of these or cannot run here
ControllerChoice choose_controller(const std::string& program);

/// Does the same for a robot. If there is no such path, the name is that of a controller, which
/// find_controller() finds.
ControllerChoice choose_controller(const std::string& program, const ControllerQuery& robot);

/// Translates ROBOT=PROGRAM in a file of `folder` for the command line: a relative path becomes
/// absolute. A word such as `<none>`, and a name that is no path there, do not change.
std::string controller_in(const std::filesystem::path& folder, const std::string& argument);

}  // namespace servosim
