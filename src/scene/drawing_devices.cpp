// SPDX-License-Identifier: Apache-2.0
// Reads Displays and Pens.
#include <algorithm>
#include <utility>

#include "scene/checks.h"
#include "scene/device_builders.h"

namespace servosim {

namespace {

constexpr int kMaxSideOfDisplay = 4096;

}  // namespace

std::optional<DisplaySpec> read_display(const wbt::Node& device, std::vector<DeviceField>& fields,
                                        std::vector<std::string> font_folders, Findings& findings) {
  if (device.type->name != "Display") {
    return std::nullopt;
  }
  const CheckedFields checked(device, findings);
  DisplaySpec display;
  display.width = read_pixels(checked, "width", 64, kMaxSideOfDisplay, fields);
  display.height = read_pixels(checked, "height", 64, kMaxSideOfDisplay, fields);
  display.font_folders = std::move(font_folders);
  return display;
}

std::optional<PenSpec> read_pen(const wbt::Node& device, int solid, Findings& findings) {
  if (device.type->name != "Pen") {
    return std::nullopt;
  }
  const CheckedFields checked(device, findings);
  PenSpec pen;
  pen.solid = solid;
  if (!wbt::geometry_axis_is_z(device.version)) {
    pen.axis = {0.0, -1.0, 0.0};
  }
  const Vec3 color = checked.point("inkColor");
  const auto part = [](double x) { return std::clamp(x, 0.0, 1.0); };
  pen.color = {part(color.x), part(color.y), part(color.z)};
  pen.density = checked.fraction("inkDensity", 0.5);
  pen.lead_size = checked.non_negative("leadSize", 0.002);
  pen.max_distance = std::max(0.0, checked.finite("maxDistance"));
  pen.writes = device.boolean("write");
  return pen;
}

}  // namespace servosim
