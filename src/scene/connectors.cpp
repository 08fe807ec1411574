// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <numbers>

#include "scene/checks.h"
#include "scene/device_builders.h"

namespace servosim {

namespace {

ConnectorType read_connector_type(const CheckedFields& checked) {
  const std::string& type = checked.node().string("type");
  if (type == "active") {
    return ConnectorType::Active;
  }
  if (type == "passive") {
    return ConnectorType::Passive;
  }
  if (type != "symmetric") {
    checked.warn_and_substitute("type", '"' + type + '"', std::string("symmetric"),
                                "it must be \"symmetric\", \"active\" or \"passive\"");
  }
  return ConnectorType::Symmetric;
}

double read_angle(const CheckedFields& checked, std::string_view field) {
  return checked.number(
      field, [](double x) { return x < 0.0 || x > std::numbers::pi + 1e-6; }, 0.2,
      "it must be in [0, pi]");
}

ConnectorSpec read_vacuum_gripper(const wbt::Node& device, Findings& findings) {
  const CheckedFields checked(device, findings);
  ConnectorSpec spec;
  spec.type = ConnectorType::Vacuum;
  spec.locked = device.boolean("isOn");
  spec.auto_lock = true;
  spec.contact_points = device.integer("contactPoints");
  if (spec.contact_points < 1) {
    checked.warn_of_replacement("contactPoints", fmt::format("{}", spec.contact_points), "3",
                                "it must be >= 1");
    spec.contact_points = 3;
  }
  spec.tensile_strength = checked.non_negative_or_none("tensileStrength");
  spec.shear_strength = checked.non_negative_or_none("shearStrength");
  return spec;
}

}  // namespace

std::optional<ConnectorSpec> read_connector(const wbt::Node& device, Findings& findings) {
  if (device.type->name == "VacuumGripper") {
    return read_vacuum_gripper(device, findings);
  }
  if (device.type->name != "Connector") {
    return std::nullopt;
  }
  const CheckedFields checked(device, findings);
  ConnectorSpec spec;
  spec.type = read_connector_type(checked);
  spec.model = device.string("model");
  if (!wbt::geometry_axis_is_z(device.version)) {
    spec.axis = {0.0, 0.0, 1.0};
    spec.upward = {0.0, 1.0, 0.0};
  }
  spec.locked = device.boolean("isLocked") && spec.type != ConnectorType::Passive;
  spec.auto_lock = device.boolean("autoLock");
  spec.unilateral_lock = device.boolean("unilateralLock");
  spec.unilateral_unlock = device.boolean("unilateralUnlock");
  spec.distance_tolerance = checked.non_negative("distanceTolerance", 0.01);
  spec.axis_tolerance = read_angle(checked, "axisTolerance");
  spec.rotation_tolerance = read_angle(checked, "rotationTolerance");
  spec.number_of_rotations = device.integer("numberOfRotations");
  if (spec.number_of_rotations < 0) {
    checked.warn_and_substitute("numberOfRotations", fmt::format("{}", spec.number_of_rotations), 4,
                                "it must be >= 0");
    spec.number_of_rotations = 4;
  }
  spec.snap = device.boolean("snap");
  spec.tensile_strength = checked.non_negative_or_none("tensileStrength");
  spec.shear_strength = checked.non_negative_or_none("shearStrength");
  return spec;
}

}  // namespace servosim
