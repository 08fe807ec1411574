// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "robots/robot_files.h"
#include "robots/robot_model.h"
#include "robots/xml_fields.h"
#include "servosim/math.h"

// The values of SDF, which are texts of elements, its names, and its shapes.

namespace servosim::robots {

/// Tells which elements of `parent` have a meaning in the format, and none here.
void tell_of_unused(XmlFields& xml, pugi::xml_node parent);
/// Demands that a name of an element is none that the format reserves. The version of the file is
/// 1.`minor`.
void check_sdf_name(XmlFields& xml, pugi::xml_node node, const std::string& name, double minor);
/// Returns the name of an element after the same check.
std::string sdf_name(XmlFields& xml, pugi::xml_node node, double minor);

/// Returns the text of an element without the blanks around it.
std::string sdf_text(pugi::xml_node element);
/// Returns the text of an element in `parent`; empty if there is none.
inline std::string sdf_text(pugi::xml_node parent, const char* name) {
  return sdf_text(parent.child(name));
}
/// Returns the number, perhaps infinite, that the text of an element in `parent` is.
double sdf_number(XmlFields& xml, pugi::xml_node parent, const char* name, double otherwise);
/// Returns the vector that the text of an element in `parent` is.
Vec3 sdf_vector(XmlFields& xml, pugi::xml_node parent, const char* name, const Vec3& otherwise);
/// Returns the pose that the element <pose> of `parent` has, in the frame that it names.
Pose sdf_pose(XmlFields& xml, pugi::xml_node parent);

/// Reads the <geometry> of a visual or, if it `touches`, of a collision. Returns whether there is a
/// shape; one that cannot be read is a loss.
bool read_sdf_geometry(XmlFields& xml, RobotFiles& files, pugi::xml_node parent, bool touches,
                       Geometry& geometry);
/// Reads the <surface> of a collision. A link has one friction, that of its first collision.
void read_sdf_friction(XmlFields& xml, pugi::xml_node collision, RobotLink& link);
/// Returns the look of a visual.
Material sdf_material(XmlFields& xml, pugi::xml_node visual);

}  // namespace servosim::robots
