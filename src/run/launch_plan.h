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
    std::string value;         ///< value as in the file; may contain $(NAME)
    bool holds_paths = false;  ///< separated by ':' and relative to the controller's folder
  };
  std::vector<Variable> variables;
  std::string python_command;
  std::string python_options;
  std::vector<std::string> faults;  ///< such as "line 3: …", for lines without meaning
};

/// Parses the text of the file. Of the sections for a single system only those for Linux apply;
/// java and matlab are ignored.
RuntimeIni parse_runtime_ini(std::string_view text);

/// The robot for which a controller is started.
struct ControllerSite {
  std::string robot;    ///< its name; empty if unknown
  std::string project;  ///< folder that contains controllers/ and perhaps libraries/; may be empty
  std::string proto_project;  ///< the project of the PROTO from which the robot comes; may be empty
  std::vector<std::string> arguments;
};

struct Launch {
  LaunchSpec spec;
  std::vector<std::string> warnings;  ///< without the robot's name
  std::vector<std::string> notes;     ///< the same for what is no fault
};

/// Returns whether programs that servosim starts can open windows.
bool has_display();

/// Returns how to start a controller, which must be built if it is of kind Sources. The environment
/// has what Webots provides, the settings of its runtime.ini and, if there is no display, variables
/// that make it draw its windows off screen.
/// @throws std::runtime_error if it needs Python and there is none
Launch make_launch(const ControllerChoice& choice, const BuiltController& built,
                   const ControllerSite& site, const ControllerKit& kit);

/// An option or field of a run that cannot be satisfied, such as an unknown robot or a controller
/// that does not compile.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The program to run for a robot instead of the one that its world names.
struct ControllerOverride {
  std::string robot;    ///< its name
  std::string program;  ///< see choose_controller()
};

/// Returns the message for an unknown robot. `they_have` is a text such as "the world has".
std::string no_such_robot(const std::string& robot, const char* they_have,
                          const std::vector<std::string_view>& names);

/// Returns the option for the robot of that name, or null. The last one takes precedence, as usual
/// on a command line.
const ControllerOverride* find_override(const std::vector<ControllerOverride>& overrides,
                                        const std::string& robot);

/// @throws InputError if an option names a robot that the scene does not have
void check_overrides(const Scene& scene, const std::vector<ControllerOverride>& overrides);

/// A robot that needs its controller.
struct Candidate {
  int robot = -1;                              ///< index in Scene::robots
  const ControllerOverride* option = nullptr;  ///< override of its field, or null
};

struct PlannedController {
  int robot = -1;          ///< index in Scene::robots
  std::string robot_name;  ///< for messages
  bool synchronous = true;
  LaunchSpec launch;
  bool is_extern = false;  ///< it is started outside of the run, and `launch` is empty
};

/// Finds the controllers of robots, builds those that need it, and returns how to start them. Omits
/// robots that stay passive, with a warning and an entry in `missing` if the world names a
/// controller. Also omits those whose controller cannot be found or built, if `on_failure` returns.
std::vector<PlannedController> plan_controllers(
    const Scene& scene, const std::vector<Candidate>& candidates, Console& console,
    std::vector<MissingPart>& missing,
    const std::function<void(const std::runtime_error&)>& on_failure);

}  // namespace servosim
