// SPDX-License-Identifier: Apache-2.0
#include "scene/world_hints.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "base/text.h"
#include "scene/checks.h"

namespace servosim {
namespace {

// Returns the materials of Solids that may touch something, with the first Solid of each.
std::map<std::string, const SolidSpec*> materials_of(const Scene& scene) {
  std::map<std::string, const SolidSpec*> materials;
  for (const SolidSpec& solid : scene.solids) {
    if (!solid.shapes.empty()) {
      materials.emplace(solid.contact_material, &solid);
    }
  }
  return materials;
}

std::vector<std::string> names_of(const std::map<std::string, const SolidSpec*>& materials) {
  std::vector<std::string> names;
  for (const auto& [name, solid] : materials) {
    names.push_back(name);
  }
  return names;
}

// The sensors that measure the force of what their Solid is fixed to.
bool is_force_sensor(const DeviceSpec& device) {
  return device.node_type == "TouchSensor" && device.body_sensor->touch_type != TouchType::Bumper &&
         device.joint < 0;
}

}  // namespace

std::vector<Hint> contact_hints(const wbt::WorldFile& file, const Scene& scene) {
  std::vector<Hint> hints;
  const auto materials = materials_of(scene);
  std::set<std::string> named{"default"};
  if (const wbt::Node* const info = first_of_type(file, "WorldInfo")) {
    for (const wbt::NodePtr& properties : info->nodes("contactProperties")) {
      if (!properties || properties->type->name != "ContactProperties") {
        continue;
      }
      for (const char* field : {"material1", "material2"}) {
        const std::string& material = properties->string(field);
        named.insert(material);
        if (material != "default" && !materials.contains(material)) {
          hints.push_back({properties->where_of(field),
                           fmt::format("no Solid with a boundingObject has the contactMaterial "
                                       "\"{}\", so that these ContactProperties do nothing{}",
                                       material, nearest_names(material, names_of(materials)))});
        }
      }
    }
  }
  for (const auto& [material, solid] : materials) {
    if (!named.contains(material)) {
      hints.push_back(
          {solid->where, fmt::format("no ContactProperties name the contactMaterial \"{}\" of "
                                     "Solid \"{}\": its contacts have the defaults",
                                     material, solid->name)});
    }
  }
  return hints;
}

std::vector<Hint> motor_hints(const Scene& scene) {
  std::vector<Hint> hints;
  for (const RobotSpec& robot : scene.robots) {
    for (const DeviceSpec& device : robot.devices) {
      const int joint = device.motor ? device.joint : -1;
      const int child = joint >= 0 ? scene.joints[static_cast<std::size_t>(joint)].child : -1;
      const auto rolls_on_it = [joint](const RollingSpec& rolling) {
        return rolling.joints[0] == joint || rolling.joints[1] == joint;
      };
      if (child >= 0 && !is_dynamic(scene, child) &&
          std::none_of(scene.rolling.begin(), scene.rolling.end(), rolls_on_it)) {
        hints.push_back(
            {scene.joints[static_cast<std::size_t>(joint)].where,
             fmt::format("the endPoint of motor \"{}\" of robot \"{}\" has no Physics: it moves "
                         "without forces, pushes nothing along, and setForce() or setTorque() do "
                         "not move it",
                         device.name, robot.name)});
      }
    }
  }
  return hints;
}

void warn_of_unmounted_sensors(const Scene& scene, Diagnostics& diagnostics) {
  for (const RobotSpec& robot : scene.robots) {
    for (const DeviceSpec& device : robot.devices) {
      const int solid = is_force_sensor(device) ? device.body_sensor->solid : -1;
      if (!is_dynamic(scene, solid)) {
        continue;  // another warning has told it
      }
      const BodyHold hold = body_hold(scene, solid);
      if (hold == BodyHold::Joint) {
        diagnostics.warning(device.where,
                            fmt::format("TouchSensor \"{}\" is the endPoint of a joint: it "
                                        "measures no force; put it into the children of a Solid "
                                        "that is the endPoint",
                                        device.name));
      } else if (hold == BodyHold::Nothing) {
        diagnostics.warning(device.where,
                            fmt::format("TouchSensor \"{}\" is fixed to nothing: it measures no "
                                        "force; give the Solid above it Physics",
                                        device.name));
      }
    }
  }
}

}  // namespace servosim
