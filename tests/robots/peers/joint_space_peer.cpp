// SPDX-License-Identifier: Apache-2.0
// Prints what a simulation finds of a robot in given poses, for pinocchio_robots.py and
// exported_robots.py.
//
// Usage: joint_space_peer ROBOT.urdf|ROBOT.xml|WORLD.wbt
//
// The first line of the output is a JSON object with the names and limits of the joints, and with
// what the rotors of real servos add to them, which the mass matrix has not. Each line
// of the standard input has positions of all joints, in that order, and is answered by a JSON
// object about this pose.
#include <exception>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "scene/scene.h"
#include "servosim/simulation.h"
#include "sim/world_inspector.h"

namespace servosim {
namespace {

// Returns the first robot that has a coordinate, or else the first one.
int robot_of(const Simulation& simulation) {
  int number = 0;
  for (const Robot& robot : simulation.robots()) {
    if (!simulation.coordinates(robot.index()).empty()) {
      number = robot.index();
      break;
    }
  }
  return number;
}

nlohmann::json describe(const Simulation& simulation) {
  const int robot = robot_of(simulation);
  const JointMatrix mass = simulation.mass_matrix(robot);
  nlohmann::json poses;
  for (const Solid solid : simulation.solids()) {
    const Pose pose = solid.pose();
    poses[solid.name()] = {
        {"translation", {pose.translation.x, pose.translation.y, pose.translation.z}},
        {"rotation", pose.rotation.m}};
  }
  return {{"coordinates", simulation.coordinates(robot)},
          {"mass_matrix", mass.values},
          {"gravity_torques", simulation.gravity_torques(robot)},
          {"poses", poses}};
}

// Returns the inertia that the servo of a joint adds to it.
double rotor_of(const Scene& scene, int joint) {
  for (const RobotSpec& robot : scene.robots) {
    for (const DeviceSpec& device : robot.devices) {
      if (device.joint == joint && device.motor && device.motor->servo) {
        return device.motor->servo->drive.armature;
      }
    }
  }
  return 0.0;
}

// Returns the joints with their limits, and the messages about values that the world has not.
nlohmann::json facts_of(Simulation& simulation) {
  nlohmann::json facts{{"robot", simulation.robot(robot_of(simulation)).name()},
                       {"joints", nlohmann::json::array()},
                       {"limits", nlohmann::json::array()},
                       {"rotors", nlohmann::json::array()},
                       {"replaced", nlohmann::json::array()}};
  const Scene& scene = WorldInspector(simulation).scene();
  for (const Joint joint : simulation.joints()) {
    const StopSpec& stops = scene.joints[static_cast<std::size_t>(joint.index())].stops;
    const bool free = stops.min == stops.max;
    facts["joints"].push_back(joint.name());
    facts["limits"].push_back({free ? -1.0 : stops.min, free ? 1.0 : stops.max});
    facts["rotors"].push_back(rotor_of(scene, joint.index()));
  }
  for (const Diagnostic& diagnostic : simulation.diagnostics()) {
    if (diagnostic.replaced) {
      facts["replaced"].push_back(diagnostic.message);
    }
  }
  return facts;
}

void answer(const char* path) {
  LoadOptions options;
  options.robot_file.floor = false;
  Simulation simulation(path, options);
  std::cout << facts_of(simulation) << std::endl;
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream positions(line);
    for (Joint joint : simulation.joints()) {
      double position = 0.0;
      positions >> position;
      joint.set_state(position);
    }
    std::cout << describe(simulation) << std::endl;
  }
}

}  // namespace
}  // namespace servosim

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: joint_space_peer FILE\n";
    return 2;
  }
  try {
    servosim::answer(argv[1]);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return 0;
}
