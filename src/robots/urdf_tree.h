// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "robots/robot_model.h"
#include "servosim/diagnostics.h"
#include "servosim/math.h"

namespace servosim::robots {

/// A joint as URDF and SDF have it: an edge between two links that it names.
struct UrdfJoint {
  RobotJoint joint;
  std::optional<RobotJoint> second;  ///< about another axis, behind the first one; of SDF
  std::string parent;
  std::string child;
  Pose origin;  ///< of the child's frame at position 0, in the parent's
  bool is_fixed = false;
};

/// A sensor and the name of its link.
struct UrdfSensor {
  Sensor sensor;
  std::string link;
};

/// What a URDF contains, in the order of the file. Names of links and of joints are unique.
struct UrdfParts {
  std::string name;
  std::vector<RobotLink> links;  ///< without parents and joints; the pose of a root counts
  std::vector<UrdfJoint> joints;
  std::vector<UrdfSensor> sensors;
  bool is_static = false;
  SourceLocation where;
};

/// Makes the tree of the parts. A root link `world` without mass is the world: what is fixed to it
/// does not move. If it is a mere frame, a link below it on a joint that leaves it free becomes the
/// root.
/// @returns nothing after an error: no root, a loop, a link with two parents, mimic joints that
///   follow each other, links that nest too deep
std::optional<RobotModel> tree_of(UrdfParts parts, Diagnostics& diagnostics,
                                  std::vector<Loss>& losses);

}  // namespace servosim::robots
