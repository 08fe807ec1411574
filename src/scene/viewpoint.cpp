// SPDX-License-Identifier: Apache-2.0
#include "scene/viewpoint.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string_view>

#include "scene/checks.h"
#include "scene/device_builders.h"

namespace servosim {

std::optional<Viewpoint> read_viewpoint(const wbt::WorldFile& file) {
  const wbt::Node* const found = first_of_type(file, "Viewpoint");
  if (found == nullptr) {
    return std::nullopt;
  }
  const wbt::Node& node = *found;
  const auto number = [&node](std::string_view field, double most, double otherwise) {
    const double value = node.number(field);
    return value > 0.0 && value < most ? value : otherwise;
  };
  constexpr double kNoLimit = 1e9;
  Viewpoint view;
  view.field_of_view = number("fieldOfView", std::numbers::pi, view.field_of_view);
  view.near = node.has("near") ? number("near", kNoLimit, view.near) : view.near;
  view.exposure =
      node.has("exposure") ? number("exposure", kNoLimit, view.exposure) : view.exposure;
  view.pose = {rotation_matrix(node.rotation("orientation")), node.vec3("position")};
  if (!wbt::geometry_axis_is_z(node.version)) {
    view.pose.rotation = view.pose.rotation * kAxesOfOldSensors;
  }
  view.is_placed = node.has("position") && is_finite(view.pose.translation) &&
                   std::all_of(view.pose.rotation.m.begin(), view.pose.rotation.m.end(),
                               [](double x) { return std::isfinite(x); });
  return view;
}

}  // namespace servosim
