// SPDX-License-Identifier: Apache-2.0
// What `servosim info` adds for a robot's own file: how far the robot reaches, what its motors have
// to hold, and meshes that are suspiciously large.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/printable.h"
#include "cli/info.h"
#include "cli/output.h"
#include "robots/robot_world.h"
#include "sim/joint_load.h"
#include "sim/world_inspector.h"

namespace servosim {
namespace {

constexpr double kHugeMesh = 10.0;  // [m]; in millimetres a part of 10 mm is as large as that

// Returns how far the end of each chain of joints is from the base, along the links; the longest.
double reach_of(const Scene& scene) {
  std::vector<double> lengths(scene.solids.size());
  double most = 0.0;
  for (std::size_t s = 0; s < scene.solids.size(); ++s) {
    const SolidSpec& solid = scene.solids[s];
    if (solid.robot < 0 || solid.parent < 0) {
      continue;
    }
    double slide = 0.0;
    if (solid.joint >= 0) {
      const JointSpec& joint = scene.joints[static_cast<std::size_t>(solid.joint)];
      slide = joint.type == JointType::Linear ? joint.stops.max - joint.position : 0.0;
    }
    lengths[s] = lengths[static_cast<std::size_t>(solid.parent)] + norm(solid.pose.translation) +
                 std::max(slide, 0.0);
    most = std::max(most, lengths[s]);
  }
  return most;
}

std::string share_of(double load, double limit) {
  return limit > 0.0 && limit < robots::kAnyEffort ? fmt::format("{:.0f} %", 100.0 * load / limit)
                                                   : "-";
}

// Returns the table of motors with the efforts that gravity asks of them.
std::string loads_text(const Simulation& simulation, const Scene& scene) {
  const JointLoads loads(simulation);
  TextTable table({{"motor"},
                   {"limit", true},
                   {"holds now", true},
                   {"holds at most", true},
                   {"of the limit", true}});
  for (const RobotSpec& robot : scene.robots) {
    for (const DeviceSpec& device : robot.devices) {
      if (!device.motor || device.joint < 0) {
        continue;
      }
      const JointSpec& joint = scene.joints[static_cast<std::size_t>(device.joint)];
      const bool has_stops = joint.stops.min != joint.stops.max;
      const std::optional<double> now = loads.at(device.joint, joint.position);
      const std::optional<double> most = loads.largest(
          device.joint, has_stops ? joint.stops.min : -M_PI, has_stops ? joint.stops.max : M_PI);
      if (!now || !most) {
        continue;
      }
      const char* const unit = joint.type == JointType::Linear ? "N" : "N·m";
      const double limit = device.motor->max_force;
      table.add({printable(device.name),
                 limit < robots::kAnyEffort ? fmt::format("{:.4g} {}", limit, unit) : "none",
                 fmt::format("{:.4g} {}", std::abs(*now) < 1e-9 ? 0.0 : *now, unit),
                 fmt::format("{:.4g} {}", *most, unit), share_of(*most, limit)});
    }
  }
  return table.empty() ? "" : "\n" + table.text("  ");
}

// Returns a line for each Solid with a mesh of an unlikely size.
std::string meshes_text(const Scene& scene) {
  std::string text;
  for (const SolidSpec& solid : scene.solids) {
    for (const Shape& shape : solid.shapes) {
      if (shape.type != ShapeType::Mesh || shape.mesh->vertices.empty()) {
        continue;
      }
      Vec3 low = shape.mesh->vertices.front();
      Vec3 high = low;
      for (const Vec3& v : shape.mesh->vertices) {
        low = {std::min(low.x, v.x), std::min(low.y, v.y), std::min(low.z, v.z)};
        high = {std::max(high.x, v.x), std::max(high.y, v.y), std::max(high.z, v.z)};
      }
      if (const double size = norm(high - low); size > kHugeMesh) {
        text += fmt::format(
            "  a mesh of link \"{}\" is {:.3g} m large: it may be in millimetres, which scale "
            "0.001 0.001 0.001 makes metres\n",
            printable(solid.name), size);
      }
    }
  }
  return text.empty() ? text : '\n' + text;
}

}  // namespace

std::string robot_file_text(const Simulation& simulation) {
  const Scene& scene = WorldInspector(simulation).scene();
  return fmt::format("\nReach along the longest chain of links: {:.4g} m\n", reach_of(scene)) +
         loads_text(simulation, scene) + meshes_text(scene);
}

}  // namespace servosim
