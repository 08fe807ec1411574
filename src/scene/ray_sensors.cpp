// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "scene/checks.h"
#include "scene/device_builders.h"

namespace servosim {

namespace {

constexpr double kRayFullTurn = 2.0 * std::numbers::pi;

constexpr int kMaxRays = 10000;

int read_count(const CheckedFields& sensor) {
  const int count = sensor.node().integer("numberOfRays");
  if (sensor.node().string("type") == "laser") {
    if (count != 1) {
      sensor.warn_and_substitute("numberOfRays", fmt::format("{}", count), 1,
                                 "a laser has one ray");
    }
    return 1;
  }
  if (count >= 1 && count <= kMaxRays) {
    return count;
  }
  const int used = std::clamp(count, 1, kMaxRays);
  (count < 1 ? sensor : sensor.keeping_the_field())
      .warn_and_substitute("numberOfRays", fmt::format("{}", count), used,
                           fmt::format("it must be in [1, {}]", kMaxRays));
  return used;
}

// The direction of a ray: the angle about x from upwards to the left, in whole turns, and the angle
// off x as a fraction of half the aperture.
struct RayPlace {
  double turn = 0.0;
  double off = 0.0;
};

// Adds `count` rays, beginning with the upward one.
void add_ring(std::vector<RayPlace>& places, int count, double off) {
  for (int k = 0; k < count; ++k) {
    places.push_back({static_cast<double>(k) / count, off});
  }
}

// More than ten rays are on rings of 1, 4, 7, 10 … rays from the middle out. The last ring has the
// rest.
std::vector<RayPlace> places_on_rings(int count) {
  std::vector<int> rings;
  for (int left = count; left > 0; left -= rings.back()) {
    rings.push_back(std::min(left, 3 * static_cast<int>(rings.size()) + 1));
  }
  std::vector<RayPlace> places;
  for (std::size_t n = 0; n < rings.size(); ++n) {
    add_ring(places, rings[n], static_cast<double>(n) / static_cast<double>(rings.size() - 1));
  }
  return places;
}

// Returns the directions that Webots uses.
std::vector<RayPlace> places_of(int count) {
  if (count > 10) {
    return places_on_rings(count);
  }
  if (count == 2) {
    return {{0.25, 1.0}, {0.75, 1.0}};
  }
  std::vector<RayPlace> places;
  if (count != 3 && count != 9) {
    places.push_back({});  // the middle
  }
  if (count == 9 || count == 10) {
    add_ring(places, 3, count == 9 ? 0.3 : 0.5);
  }
  add_ring(places, count - static_cast<int>(places.size()), 1.0);
  return places;
}

}  // namespace

double read_aperture(const CheckedFields& sensor) {
  return sensor.number(
      "aperture", [](double x) { return x < 0.0 || x > kRayFullTurn; }, std::numbers::pi / 2.0,
      "it must be in [0, 2 pi]");
}

std::vector<SensorRay> read_rays(const CheckedFields& sensor, double aperture) {
  const std::vector<RayPlace> places = places_of(read_count(sensor));
  const double width = sensor.non_negative("gaussianWidth", 1.0);
  const bool z_up = wbt::geometry_axis_is_z(sensor.node().version);
  const Vec3 side = z_up ? Vec3{0.0, 1.0, 0.0} : Vec3{0.0, 0.0, 1.0};
  const Vec3 up = z_up ? Vec3{0.0, 0.0, 1.0} : Vec3{0.0, 1.0, 0.0};
  std::vector<SensorRay> rays;
  double sum = 0.0;
  for (const RayPlace& place : places) {
    const double off = 0.5 * aperture * place.off;
    const double turn = kRayFullTurn * place.turn;
    const double ratio = off > 0.0 ? off / (aperture * width) : 0.0;
    const Vec3 direction = std::cos(off) * Vec3{1.0, 0.0, 0.0} +
                           std::sin(off) * (std::sin(turn) * side + std::cos(turn) * up);
    rays.push_back({direction, std::exp(-ratio * ratio)});
    sum += rays.back().weight;
  }
  for (SensorRay& ray : rays) {
    ray.weight = sum > 0.0 ? ray.weight / sum : 1.0 / static_cast<double>(rays.size());
  }
  return rays;
}

double ray_range(const CheckedFields& sensor, std::span<const LookupRow> table) {
  if (table.empty()) {
    return std::numeric_limits<double>::infinity();
  }
  if (table.back().value > 0.0) {
    return table.back().value;
  }
  sensor.warn_replaced("lookupTable",
                       "the last distance of lookupTable must be > 0; the sensor detects nothing");
  return 0.0;
}

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

Vec3 read_attenuation(const CheckedFields& checked) {
  const Vec3 given = checked.point("attenuation");
  if (given.x >= 0.0 && given.y >= 0.0 && given.z >= 0.0 && given != Vec3{}) {
    return given;
  }
  checked.warn_replaced("attenuation", "attenuation must be >= 0 and not all 0; 1 0 0 is used");
  return {1.0, 0.0, 0.0};
}

}  // namespace

std::optional<LightSpec> read_light(const wbt::Node& node, const Placement& at, bool is_of_led,
                                    Findings& findings) {
  const std::optional<LightType> type = type_of(node.type->name);
  if (!type || !(is_of_led || node.boolean("on"))) {
    return std::nullopt;
  }
  const CheckedFields checked(node, findings);
  LightSpec light;
  light.type = *type;
  light.color = checked.point("color");
  light.intensity = checked.non_negative("intensity", 1.0);
  const double ambient = node.number("ambientIntensity");
  light.ambient_intensity = checked.fraction(
      "ambientIntensity", std::isfinite(ambient) ? std::clamp(ambient, 0.0, 1.0) : 0.0);
  light.casts_shadows = node.boolean("castShadows");
  if (*type != LightType::Point) {
    light.direction = checked.direction("direction", {0.0, 0.0, -1.0});
  }
  if (*type == LightType::Spot) {
    light.direction = at.pose.rotation * light.direction;
  }
  if (*type != LightType::Directional) {
    light.location = at.pose * scaled(checked.point("location"), at.scale);
    light.attenuation = read_attenuation(checked);
    light.radius = checked.magnitude("radius");
    if (light.ambient_intensity != 0.0 && light.attenuation != Vec3{1.0, 0.0, 0.0}) {
      checked.warn_and_substitute("ambientIntensity", fmt::format("{}", light.ambient_intensity),
                                  0.0, "a light that fades with the distance has none");
      light.ambient_intensity = 0.0;
    }
  }
  if (*type == LightType::Spot) {
    light.cut_off_angle = checked.magnitude("cutOffAngle");
    light.beam_width = checked.magnitude("beamWidth");
  }
  return light;
}

std::optional<LedSpec> read_led(const wbt::Node& device, Findings& findings) {
  if (device.type->name != "LED") {
    return std::nullopt;
  }
  LedSpec led;
  led.gradual = device.boolean("gradual");
  led.colors = device.vec3s("color");
  for (Vec3& color : led.colors) {
    if (!is_finite(color)) {
      CheckedFields(device, findings)
          .warn_replaced("color", "a color of an LED is not finite; 0 0 0 is used");
      color = {};
    }
  }
  return led;
}

}  // namespace servosim
