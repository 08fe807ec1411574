// SPDX-License-Identifier: Apache-2.0
// Reads RangeFinders and Lidars.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "base/device_command.h"
#include "scene/checks.h"
#include "scene/device_builders.h"

namespace servosim {

namespace {

// A picture of them takes 8 MiB of a message to a controller, which has at most 16.
constexpr int kMaxDistances = 1 << 21;
constexpr int kMaxSide = 1 << 16;

class RangingReader {
 public:
  RangingReader(const wbt::Node& device, std::vector<DeviceField>& fields, Findings& findings)
      : checked_(device, findings), fields_(fields) {}

  RangingSpec read() {
    spec_.is_lidar = node().type->name == "Lidar";
    if (!wbt::geometry_axis_is_z(node().version)) {
      spec_.axes = {{0.0, -1.0, 0.0, 0.0, 0.0, 1.0, -1.0, 0.0, 0.0}};  // it looked along -z, y up
    }
    spec_.projection = read_projection();
    read_angles();
    spec_.width = count(spec_.is_lidar ? "horizontalResolution" : "width");
    spec_.height = count(spec_.is_lidar ? "numberOfLayers" : "height");
    limit_size();
    read_ranges();
    if (spec_.is_lidar) {
      fields_.push_back({std::string(kPointAxes), {}, {}});
      fields_.back().numbers.assign(spec_.axes.m.begin(), spec_.axes.m.end());
      read_rotation();
    } else {
      spec_.motion_blur = checked_.non_negative("motionBlur", 0.0);
      spec_.lens = read_lens();
    }
    return spec_;
  }

 private:
  const wbt::Node& node() const { return checked_.node(); }

  // What the controller is told, which may differ from the file.
  double tell(std::string_view field, double value) {
    const auto known = std::find_if(fields_.begin(), fields_.end(),
                                    [field](const DeviceField& f) { return f.name == field; });
    if (known != fields_.end()) {
      known->numbers = {value};
    }
    return value;
  }

  Projection read_projection() const {
    if (node().find("projection") == nullptr && node().find("spherical") != nullptr) {
      // Up to R2022b `spherical` had the place of `projection`.
      return node().boolean("spherical") ? Projection::Cylindrical : Projection::Planar;
    }
    const std::string& name = node().string("projection");
    if (name == "cylindrical") {
      return Projection::Cylindrical;
    }
    if (name == "spherical" && !spec_.is_lidar) {
      return Projection::Spherical;
    }
    if (name != "planar") {
      checked_.warn_and_substitute("projection", fmt::format("\"{}\"", name), std::string("planar"),
                                   spec_.is_lidar ? "it must be \"planar\" or \"cylindrical\""
                                                  : "it must be \"planar\", \"cylindrical\" or "
                                                    "\"spherical\"");
    }
    return Projection::Planar;
  }

  void read_angles() {
    constexpr double kPi = std::numbers::pi;
    const bool planar = spec_.projection == Projection::Planar;
    // A planar picture of pi would be endless.
    spec_.field_of_view = tell(
        "fieldOfView",
        checked_.number(
            "fieldOfView",
            [planar](double x) { return x <= 0.0 || (planar ? x >= kPi : x > 2.0 * kPi + 1e-3); },
            0.7854, planar ? "it must be in (0, pi)" : "it must be in (0, 2 pi]"));
    if (spec_.is_lidar) {
      spec_.vertical_field_of_view = tell(
          "verticalFieldOfView",
          checked_.number(
              "verticalFieldOfView", [](double x) { return x <= 0.0 || x > kPi; },
              node().number("verticalFieldOfView") > kPi ? kPi : 0.2, "it must be in (0, pi]"));
      spec_.tilt = tell("tiltAngle",
                        checked_.number(
                            "tiltAngle", [](double x) { return std::abs(x) > 0.5 * kPi + 1e-3; },
                            0.0, "it must be in [-pi/2, pi/2]"));
    }
  }

  int count(std::string_view field) {
    const int given = node().integer(field);
    int used = given;
    if (given < 1) {
      used = spec_.is_lidar ? 1 : 64;
      checked_.warn_and_substitute(field, fmt::format("{}", given), used, "it must be > 0");
    } else if (given > kMaxSide) {
      used = kMaxSide;
      checked_.keeping_the_field().warn_and_substitute(field, fmt::format("{}", given), used,
                                                       fmt::format("it must be <= {}", kMaxSide));
    }
    return static_cast<int>(tell(field, used));
  }

  void limit_size() {
    const int most = std::max(1, kMaxDistances / spec_.width);
    if (spec_.height > most) {
      const std::string_view field = spec_.is_lidar ? "numberOfLayers" : "height";
      checked_.keeping_the_field().warn_and_substitute(
          field, fmt::format("{}", spec_.height), most,
          fmt::format("a sensor measures at most {} distances", kMaxDistances));
      spec_.height = static_cast<int>(tell(field, most));
    }
  }

  void read_ranges() {
    spec_.min_range = tell("minRange", checked_.positive("minRange", 0.01));
    spec_.near = checked_.positive("near", 0.01);
    if (spec_.near > spec_.min_range) {
      checked_.warn_and_substitute("near", fmt::format("{}", spec_.near), spec_.min_range,
                                   "it must be at most minRange");
      spec_.near = spec_.min_range;
    }
    const double least = spec_.min_range;
    spec_.max_range = tell("maxRange", checked_.number(
                                           "maxRange", [least](double x) { return x <= least; },
                                           least + 1.0, "it must be greater than minRange"));
    spec_.noise = checked_.non_negative("noise", 0.0);
    spec_.resolution = checked_.positive_or_none("resolution");
  }

  void read_rotation() {
    const std::string& type = node().string("type");
    spec_.rotating = type == "rotating";
    if (!spec_.rotating && type != "fixed") {
      checked_.warn_and_substitute("type", fmt::format("\"{}\"", type), std::string("fixed"),
                                   "it must be \"fixed\" or \"rotating\"");
    }
    spec_.min_frequency = tell("minFrequency", checked_.non_negative("minFrequency", 1.0));
    const double low = spec_.min_frequency;
    spec_.max_frequency =
        tell("maxFrequency", checked_.number(
                                 "maxFrequency", [low](double x) { return x < low; }, low,
                                 "it must be at least minFrequency"));
    const double high = spec_.max_frequency;
    spec_.frequency =
        tell("defaultFrequency",
             checked_.number(
                 "defaultFrequency", [low, high](double x) { return x < low || x > high; },
                 std::clamp(node().number("defaultFrequency"), low, high),
                 "it must be in the range of minFrequency and maxFrequency"));
  }

  std::optional<LensDistortion> read_lens() const {
    const wbt::NodePtr& lens = node().node("lens");
    if (!lens || lens->type->name != "Lens") {
      return std::nullopt;
    }
    if (spec_.projection != Projection::Planar) {
      checked_.warn("lens", "a Lens has no effect on a picture that is not planar");
      return std::nullopt;
    }
    const auto pair = [&lens](std::string_view field) {
      const auto& v = std::get<wbt::Vec2>(lens->value(field));
      return std::isfinite(v.x + v.y) ? std::array{v.x, v.y} : std::array{0.0, 0.0};
    };
    return LensDistortion{pair("center"), pair("radialCoefficients"),
                          pair("tangentialCoefficients")};
  }

  CheckedFields checked_;
  std::vector<DeviceField>& fields_;
  RangingSpec spec_;
};

}  // namespace

std::optional<RangingSpec> read_ranging(const wbt::Node& device, std::vector<DeviceField>& fields,
                                        Findings& findings) {
  const std::string_view type = device.type->name;
  return type == "RangeFinder" || type == "Lidar"
             ? std::optional(RangingReader(device, fields, findings).read())
             : std::nullopt;
}

}  // namespace servosim
