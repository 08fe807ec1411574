// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "robots/robot_files.h"
#include "robots/robot_model.h"
#include "robots/urdf_tree.h"
#include "robots/xml_fields.h"

// What URDF and SDF have in common.

namespace servosim::robots {

/// Returns whether the text of an element says so: true, True, yes or 1.
bool is_true(std::string_view text);

/// Makes `geometry`, whose scale is set, a mesh of the file `uri`. Returns false if it cannot be
/// used, which is a message at `node`.
/// @param touches  it is a collision
bool find_mesh(XmlFields& xml, RobotFiles& files, pugi::xml_node node, const std::string& uri,
               bool touches, Geometry& geometry);

/// Adds the sensors that a sensor of a file becomes. One of an unknown type is a loss.
void add_sensors(XmlFields& xml, pugi::xml_node node, const std::string& name,
                 const std::string& link, const Pose& pose, std::vector<UrdfSensor>& sensors);

/// Adds the sensor of a joint, which measures at its child. One of another type than force_torque
/// is a loss.
void add_joint_sensor(XmlFields& xml, pugi::xml_node node, const std::string& joint,
                      const std::string& child, std::vector<UrdfSensor>& sensors);

}  // namespace servosim::robots
