// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "host/console.h"
#include "host/controller_process.h"

namespace servosim {

struct Scene;

/// What a run was asked for cannot be had: an unknown robot, a controller that does not compile.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The program to run for a robot instead of the one its world names.
struct ControllerOverride {
  std::string robot;    ///< its name
  std::string program;  ///< see choose_controller()
};

/// What to say of a robot that is not there. `they_have`: "the world has".
std::string no_such_robot(const std::string& robot, const char* they_have,
                          const std::vector<std::string_view>& names);

/// The option for the robot of that name, or null. The last one wins, as usual on a command line.
const ControllerOverride* find_override(const std::vector<ControllerOverride>& overrides,
                                        const std::string& robot);

struct PlannedController {
  int robot = -1;          ///< index in Scene::robots
  std::string robot_name;  ///< for messages
  bool synchronous = true;
  LaunchSpec launch;
  bool is_extern = false;  ///< somebody else starts it: `launch` is empty
};

/// Finds the controller of every robot of the world, or only of some (indices in Scene::robots),
/// builds those that need it, and says how to start them. Robots that stay passive are left out,
/// with a warning if the world asks for more.
/// @throws InputError
std::vector<PlannedController> plan_controllers(const Scene& scene,
                                                const std::vector<ControllerOverride>& overrides,
                                                Console& console,
                                                const std::vector<int>* only = nullptr);

}  // namespace servosim
