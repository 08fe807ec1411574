// SPDX-License-Identifier: Apache-2.0
#include <numbers>

#include "scene/checks.h"
#include "scene/device_builders.h"

namespace servosim {

std::optional<RadarSpec> read_radar(const wbt::Node& device, std::vector<DeviceField>& fields,
                                    Findings& findings) {
  if (device.type->name != "Radar") {
    return std::nullopt;
  }
  const CheckedFields checked(device, findings);
  RadarSpec radar;
  if (!wbt::geometry_axis_is_z(device.version)) {
    radar.axes = kAxesOfOldSensors;
  }
  radar.min_range = checked.positive("minRange", 1.0);
  const double least = radar.min_range;
  radar.max_range = checked.number(
      "maxRange", [least](double x) { return x <= least; }, least + 1.0,
      "it must be greater than minRange");
  const auto angle = [&checked](std::string_view field, double most, double otherwise,
                                std::string_view rule) {
    return checked.number(
        field, [most](double x) { return x <= 0.0 || x >= most; }, otherwise, rule);
  };
  radar.horizontal_field_of_view =
      angle("horizontalFieldOfView", std::numbers::pi, 0.78, "it must be in (0, pi)");
  radar.vertical_field_of_view =
      angle("verticalFieldOfView", 0.5 * std::numbers::pi, 0.1, "it must be in (0, pi/2)");
  radar.min_absolute_speed = checked.non_negative("minAbsoluteRadialSpeed", 0.0);
  radar.min_radial_speed = checked.finite("minRadialSpeed");
  radar.max_radial_speed = checked.finite("maxRadialSpeed");
  radar.cell_distance = checked.non_negative("cellDistance", 0.0);
  radar.cell_speed = checked.non_negative("cellSpeed", 0.0);
  radar.range_noise = checked.non_negative("rangeNoise", 0.0);
  radar.speed_noise = checked.non_negative("speedNoise", 0.0);
  radar.angular_noise = checked.non_negative("angularNoise", 0.0);
  radar.antenna_gain = checked.finite("antennaGain", 20.0);
  radar.frequency = checked.positive("frequency", 24.0);
  radar.transmitted_power = checked.finite("transmittedPower", 20.0);
  radar.min_detectable_signal = checked.finite("minDetectableSignal", -100.0);
  radar.occlusion = device.boolean("occlusion");
  tell_controller(fields, "minRange", radar.min_range);
  tell_controller(fields, "maxRange", radar.max_range);
  tell_controller(fields, "horizontalFieldOfView", radar.horizontal_field_of_view);
  tell_controller(fields, "verticalFieldOfView", radar.vertical_field_of_view);
  return radar;
}

}  // namespace servosim
