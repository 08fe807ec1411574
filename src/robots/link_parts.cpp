// SPDX-License-Identifier: Apache-2.0
#include "robots/link_parts.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/text.h"

namespace servosim::robots {

bool is_true(std::string_view text) {
  text = trimmed(text, " \t\r\n");
  return text == "true" || text == "True" || text == "yes" || text == "1";
}

bool find_mesh(XmlFields& xml, RobotFiles& files, pugi::xml_node node, const std::string& uri,
               bool touches, Geometry& geometry) {
  geometry.type = GeometryType::Mesh;
  RobotFiles::Found found = files.find(uri);
  if (found.path.empty()) {
    const std::string lost = fmt::format("mesh {}; it is left out", found.fault);
    if (touches) {
      xml.diagnostics().warning(
          xml.place(node), lost,
          MissingPart{Missing::Meshes, fmt::format("mesh '{}'", uri), found.fault});
    } else {
      xml.diagnostics().missing_looks(xml.place(node), lost);
    }
    return false;
  }
  const std::string ending = ending_of(found.path);
  const Vec3& scale = geometry.scale;
  if (ending != ".stl" && ending != ".obj" && ending != ".dae") {
    xml.lose(node, fmt::format("'{}' is no STL, OBJ or DAE file and is left out: convert it", uri),
             touches);
  } else if (scale.x == 0.0 || scale.y == 0.0 || scale.z == 0.0) {
    xml.lose(node, "a mesh whose scale is 0 is left out", touches);
  } else {
    geometry.file = std::move(found.path);
  }
  return !geometry.file.empty();
}

void add_sensors(XmlFields& xml, pugi::xml_node node, const std::string& name,
                 const std::string& link, const Pose& pose, std::vector<UrdfSensor>& sensors) {
  struct Part {
    std::string_view of;  // the type in the file
    SensorType type;
    std::string_view ending;  // of the name, where one sensor becomes several
  };
  constexpr std::array<Part, 9> kSensors{{{"imu", SensorType::Accelerometer, "_accelerometer"},
                                          {"imu", SensorType::Gyro, "_gyro"},
                                          {"imu", SensorType::InertialUnit, "_inertial_unit"},
                                          {"accelerometer", SensorType::Accelerometer, ""},
                                          {"gyroscope", SensorType::Gyro, ""},
                                          {"gps", SensorType::Gps, ""},
                                          {"navsat", SensorType::Gps, ""},
                                          {"magnetometer", SensorType::Compass, ""},
                                          {"altimeter", SensorType::Altimeter, ""}}};
  const std::string_view type = node.attribute("type").value();
  bool known = false;
  for (const Part& part : kSensors) {
    if (part.of == type) {
      sensors.push_back({{name + std::string(part.ending), part.type, 0, pose, xml.place(node),
                          part.ending.empty()},
                         link});
      known = true;
    }
  }
  if (!known) {
    xml.lose(node, fmt::format("sensor '{}' of type '{}' is left out", name, type), false);
  }
}

// The sensor of a world is always in the frame of the child, and measures what the child puts on
// the parent, as Gazebo's does unless the file says otherwise.
void add_joint_sensor(XmlFields& xml, pugi::xml_node node, const std::string& joint,
                      const std::string& child, std::vector<UrdfSensor>& sensors) {
  const std::string name = xml.name_of(node);
  if (std::string_view(node.attribute("type").value()) != "force_torque") {
    xml.lose(node, fmt::format("sensor '{}' at joint '{}' is left out", name, joint), false);
    return;
  }
  const pugi::xml_node measured = node.child("force_torque");
  const auto expect = [&](const char* element, std::string_view usual, std::string_view instead) {
    const std::string_view given = trimmed(measured.child(element).text().get());
    if (!given.empty() && given != usual) {
      xml.lose(node, fmt::format("sensor '{}' measures {}, not {}", name, instead, given), true);
    }
  };
  expect("frame", "child", "in the frame of the child");
  expect("measure_direction", "child_to_parent", "what the child puts on the parent");
  sensors.push_back({{name, SensorType::ForceTorque, 0, {}, xml.place(node)}, child});
}

}  // namespace servosim::robots
