// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "run/console.h"
#include "run/controller_builder.h"
#include "run/controller_finder.h"
#include "run/process.h"

namespace servosim {

struct Scene;

/// The settings of a file runtime.ini in a controller's folder.
struct RuntimeIni {
  struct Variable {
    std::string name;
    std::string value;         ///< as it stands there: may hold $(NAME)
    bool holds_paths = false;  ///< with ':' between them, relative to the controller's folder
  };
  std::vector<Variable> variables;
  std::string python_command;
  std::string python_options;
  std::vector<std::string> faults;  ///< "line 3: …", of lines that mean nothing
};

/// Reads its text. Of the sections for one system those for Linux count; java and matlab are read
/// over.
RuntimeIni parse_runtime_ini(std::string_view text);

/// The robot that a controller is started for.
struct ControllerSite {
  std::string robot;          ///< its name; empty if that is not known
  std::string project;        ///< folder that holds controllers/ and perhaps libraries/, or empty
  std::string proto_project;  ///< the same of the PROTO the robot comes from, or empty
  std::vector<std::string> arguments;
};

struct Launch {
  LaunchSpec spec;
  std::vector<std::string> warnings;  ///< without the robot's name
  std::vector<std::string> notes;     ///< the same, of what is no fault
};

/// Whether programs that we start can open windows.
bool has_display();

/// How to start a controller, built if it was of kind Sources: with the environment that Webots
/// gives it, the settings of its runtime.ini, and without a display variables that let it draw its
/// windows nowhere.
/// @throws std::runtime_error if it needs Python, and there is none
Launch make_launch(const ControllerChoice& choice, const BuiltController& built,
                   const ControllerSite& site, const ControllerKit& kit);

/// An option or field of a run that cannot be satisfied: an unknown robot, a controller that does
/// not compile.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The program to run for a robot instead of the one its world names.
struct ControllerOverride {
  std::string robot;    ///< its name
  std::string program;  ///< see choose_controller()
};

/// The message for an unknown robot. `they_have`: "the world has".
std::string no_such_robot(const std::string& robot, const char* they_have,
                          const std::vector<std::string_view>& names);

/// The option for the robot of that name, or null. The last one wins, as usual on a command line.
const ControllerOverride* find_override(const std::vector<ControllerOverride>& overrides,
                                        const std::string& robot);

/// @throws InputError if an option names a robot that the scene does not have
void check_overrides(const Scene& scene, const std::vector<ControllerOverride>& overrides);

/// A robot that is to get its controller.
struct Candidate {
  int robot = -1;                              ///< index in Scene::robots
  const ControllerOverride* option = nullptr;  ///< the override of its field, or null
};

struct PlannedController {
  int robot = -1;          ///< index in Scene::robots
  std::string robot_name;  ///< for messages
  bool synchronous = true;
  LaunchSpec launch;
  bool is_extern = false;  ///< it is started outside of the run: `launch` is empty
};

/// Finds the controllers of robots, builds those that need it, and returns how to start them. Omits
/// robots that stay passive, with a warning and an entry in `missing` if the world names a
/// controller; and those whose controller cannot be found or built, if `on_failure` returns.
std::vector<PlannedController> plan_controllers(
    const Scene& scene, const std::vector<Candidate>& candidates, Console& console,
    std::vector<MissingPart>& missing,
    const std::function<void(const std::runtime_error&)>& on_failure);

}  // namespace servosim
