// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "wbt/convert/convert.h"
#include "wbt/convert/passes.h"
#include "wbt/convert/placing.h"
#include "wbt/eras/legacy.h"

namespace servosim {
namespace {

// The names of a robot's devices: those below a robot in it are not its own.
void collect_device_names(const wbt::Node& node, std::set<std::string>& names) {
  wbt::for_each_child(node, [&](const wbt::NodePtr& child) {
    if (child->type->field("controller") == nullptr) {
      if (child->type->is_device) {
        names.insert(child->string("name"));
      }
      collect_device_names(*child, names);
    }
  });
}

wbt::NodePtr present_physics(wbt::Node physics) {
  const wbt::NodePtr modern = wbt::modern_physics(physics);
  if (!modern) {
    return shared(std::move(physics));
  }
  remove_field(physics, "orientation");
  std::vector<Vec3> centers = modern->vec3s("centerOfMass");
  std::transform(centers.begin(), centers.end(), centers.begin(), tidy);
  if (!centers.empty()) {
    set_field(physics, "centerOfMass", std::move(centers));
  }
  if (const auto& rows = modern->vec3s("inertiaMatrix"); rows.size() == 2) {
    set_field(physics, "inertiaMatrix", inertia_rows(wbt::inertia_tensor(rows[0], rows[1])));
  }
  return shared(std::move(physics));
}

class ModernNodes {
 public:
  explicit ModernNodes(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  std::vector<wbt::NodePtr> rewrite(const std::vector<wbt::NodePtr>& nodes) {
    Rewriter rewriter([this](wbt::Node node) { return change(std::move(node)); },
                      [this](const wbt::Node& node) { enter(node); });
    std::vector<wbt::NodePtr> result = rewriter.rewrite(nodes);
    for (wbt::NodePtr& node : result) {
      node = with_joints_in_solids(node);
    }
    return result;
  }

 private:
  static bool is_robot(const wbt::Node& node) { return node.type->field("controller") != nullptr; }

  void enter(const wbt::Node& node) {
    if (is_robot(node)) {
      collect_device_names(node, names_.emplace_back());
    } else if (node.type->name == "Servo") {
      sensors_.push_back(sensor_name(node, names_.back()));
    }
  }

  wbt::NodePtr change(wbt::Node node) {
    const std::string_view type = node.type->name;
    if (type == "Servo") {
      report_servo(node);
      const std::string sensor = std::move(sensors_.back());
      sensors_.pop_back();
      auto solid = shared(successor(node, "Solid"));
      wbt::NodePtr joint = servo_joint(std::move(node), sensor, diagnostics_);
      servos_[joint.get()] = std::move(solid);
      return joint;
    }
    if (is_robot(node)) {
      names_.pop_back();
    }
    if (type == "DifferentialWheels") {
      return robot_with_wheels(std::move(node), diagnostics_);
    }
    if (type == "Camera" && node.string("type") == "range-finder") {
      return range_finder(std::move(node));
    }
    if (type == "Cubemap") {
      diagnostics_.warning(node.where,
                           "Webots has no Cubemap any more; these pictures of the sky "
                           "are left out: see the fields of Background");
      return {};
    }
    if (type == "Physics") {  // before the axes: what turns its Solid turns it as it is said now
      return present_physics(std::move(node));
    }
    if (type != "Slot") {
      take_servos_as_solids(node);
    }
    return shared(std::move(node));
  }

  void report_servo(const wbt::Node& servo) {
    if (!std::exchange(said_servo_, true)) {
      diagnostics_.warning(
          servo.where,
          "Servo nodes become joints: present controllers use wb_motor_ functions on the motor of "
          "the Servo's name and wb_position_sensor_ functions on the sensor \"NAME sensor\"");
    }
  }

  // Where one Solid is meant, as the endPoint of a joint, a Servo is no joint.
  void take_servos_as_solids(wbt::Node& node) {
    for (wbt::Field& field : node.fields) {
      auto* child = std::get_if<wbt::NodePtr>(&field.value);
      if (const auto servo = child != nullptr ? servos_.find(child->get()) : servos_.end();
          servo != servos_.end()) {
        diagnostics_.warning(field.where, fmt::format("a Servo as {} of a {} moves nothing; it "
                                                      "becomes a Solid",
                                                      field.type->name, node.type->name));
        *child = servo->second;
      }
    }
  }

  wbt::NodePtr range_finder(wbt::Node camera);
  wbt::NodePtr with_joints_in_solids(const wbt::NodePtr& node);

  Diagnostics& diagnostics_;
  std::vector<std::set<std::string>> names_{1};  // of devices: outside any robot, then each within
  std::vector<std::string> sensors_;             // of the Servos that are open
  // By the joint that each Servo became: its Solid, should only that be needed.
  std::map<const wbt::Node*, wbt::NodePtr> servos_;
  bool said_servo_ = false;
};

wbt::NodePtr ModernNodes::range_finder(wbt::Node camera) {
  diagnostics_.warning(camera.where,
                       "a Camera of type \"range-finder\" becomes a RangeFinder: controllers use "
                       "wb_range_finder_ functions");
  wbt::Node finder = successor(camera, "RangeFinder");
  carry_field(camera, "rangeNoise", finder, "noise");
  carry_field(camera, "rangeResolution", finder, "resolution");
  carry_field(camera, "near", finder, "minRange");
  return shared(std::move(finder));
}

// Webots makes joints only below a Solid; a Servo could stand anywhere.
wbt::NodePtr ModernNodes::with_joints_in_solids(const wbt::NodePtr& node) {
  if (node->type->is_solid) {
    return node;  // perhaps a Servo of type "none"
  }
  if (servos_.count(node.get()) > 0) {
    wbt::Node base = new_node("Solid", *node);
    set_field(base, "name", std::string("base"));
    set_field(base, "children", std::vector<wbt::NodePtr>{node});
    return shared(std::move(base));
  }
  const wbt::Field* children = node->find("children");
  if (children == nullptr) {
    return node;
  }
  auto changed = std::get<std::vector<wbt::NodePtr>>(children->value);
  for (wbt::NodePtr& child : changed) {
    child = with_joints_in_solids(child);
  }
  if (changed == std::get<std::vector<wbt::NodePtr>>(children->value)) {
    return node;
  }
  wbt::Node copy = *node;
  set_field(copy, "children", std::move(changed));
  return shared(std::move(copy));
}

}  // namespace

void use_modern_nodes(wbt::WorldFile& world, Diagnostics& diagnostics) {
  world.nodes = ModernNodes(diagnostics).rewrite(world.nodes);
}

}  // namespace servosim
