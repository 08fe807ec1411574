// SPDX-License-Identifier: Apache-2.0
#include "scene/lights.h"

#include "scene/checks.h"

namespace servosim {

namespace {

std::optional<LightType> type_of(std::string_view node_type) {
  if (node_type == "DirectionalLight") {
    return LightType::Directional;
  }
  if (node_type == "PointLight") {
    return LightType::Point;
  }
  return node_type == "SpotLight" ? std::optional(LightType::Spot) : std::nullopt;
}

Vec3 read_attenuation(const Checked& checked) {
  const Vec3 given = checked.point("attenuation");
  if (given.x >= 0.0 && given.y >= 0.0 && given.z >= 0.0 && given != Vec3{}) {
    return given;
  }
  checked.warn("attenuation", "attenuation must be >= 0 and not all 0; 1 0 0 is used");
  return {1.0, 0.0, 0.0};
}

}  // namespace

std::optional<LightSpec> read_light(const wbt::Node& node, const Placement& at, bool is_of_led,
                                    Diagnostics& diagnostics) {
  const std::optional<LightType> type = type_of(node.type->name);
  if (!type || !(is_of_led || node.boolean("on"))) {
    return std::nullopt;
  }
  const Checked checked(node, diagnostics);
  LightSpec light;
  light.type = *type;
  light.color = checked.point("color");
  light.intensity = checked.magnitude("intensity");
  light.ambient_intensity = checked.magnitude("ambientIntensity");
  if (*type != LightType::Point) {
    light.direction = at.pose.rotation * checked.direction("direction", {0.0, 0.0, -1.0});
  }
  if (*type != LightType::Directional) {
    light.location = at.pose * scaled(checked.point("location"), at.scale);
    light.attenuation = read_attenuation(checked);
    light.radius = checked.magnitude("radius");
  }
  if (*type == LightType::Spot) {
    light.cut_off_angle = checked.magnitude("cutOffAngle");
    light.beam_width = checked.magnitude("beamWidth");
  }
  return light;
}

std::optional<LedSpec> read_led(const wbt::Node& device, Diagnostics& diagnostics) {
  if (device.type->name != "LED") {
    return std::nullopt;
  }
  LedSpec led;
  led.gradual = device.boolean("gradual");
  led.colors = device.vec3s("color");
  for (Vec3& color : led.colors) {
    if (!is_finite(color)) {
      Checked(device, diagnostics).warn("color", "a color of an LED is not finite; 0 0 0 is used");
      color = {};
    }
  }
  return led;
}

}  // namespace servosim
