// SPDX-License-Identifier: Apache-2.0
#include "scene/propellers.h"

#include "scene/checks.h"
#include "scene/joints.h"

namespace servosim {

namespace {

// Larger constants overflow with speeds that a simulation can have.
constexpr double kLargestConstant = 1e9;

std::array<double, 2> read_constants(const Checked& checked, std::string_view field) {
  const auto v = std::get<wbt::Vec2>(checked.node().value(field));
  if (std::abs(v.x) <= kLargestConstant && std::abs(v.y) <= kLargestConstant) {
    return {v.x, v.y};
  }
  checked.replaced(field, fmt::format("{} {}", v.x, v.y), "0 0", "both must be within 1e9");
  return {};
}

}  // namespace

PropellerSpec read_propeller(const wbt::Node& node, const Placement& at, Diagnostics& diagnostics) {
  const Checked checked(node, diagnostics);
  PropellerSpec spec;
  spec.node = node.id;
  spec.axis = at.pose.rotation * checked.direction("shaftAxis", {1.0, 0.0, 0.0});
  spec.center = at.pose * scaled(checked.near_point("centerOfThrust"), at.scale);
  spec.thrust = read_constants(checked, "thrustConstants");
  spec.torque = read_constants(checked, "torqueConstants");
  return spec;
}

std::optional<DeviceSpec> read_propeller_motor(const wbt::Node& propeller,
                                               Diagnostics& diagnostics) {
  const wbt::NodePtr& device = propeller.node("device");
  if (!device) {
    diagnostics.warning(propeller.where,
                        "this Propeller has no motor as its device: it never turns");
    return std::nullopt;
  }
  if (device->type->name != "RotationalMotor") {
    diagnostics.warning(device->where, fmt::format("a {} cannot turn a Propeller; it is left out",
                                                   device->type->name));
    return std::nullopt;
  }
  JointSpec shaft;
  return read_joint_device(*device, shaft, diagnostics);
}

}  // namespace servosim
