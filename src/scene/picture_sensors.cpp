// SPDX-License-Identifier: Apache-2.0
// Reads RangeFinders, Lidars and Cameras.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <variant>

#include "base/device_command.h"
#include "scene/checks.h"
#include "scene/device_builders.h"
#include "scene/mesh_file.h"

namespace servosim {

namespace {

// A picture takes 8 MiB of a message to a controller, which has at most 16.
constexpr int kMaxPixelsOfASensor = 1 << 21;
constexpr int kMaxSide = 1 << 16;
constexpr double kPi = std::numbers::pi;

// Reads what all sensors of pictures have.
class SightReader {
 public:
  SightReader(const wbt::Node& device, std::vector<DeviceField>& fields, Findings& findings)
      : checked_(device, findings), fields_(fields) {}

 protected:
  void read_sight(SightSpec& spec, bool is_lidar) {
    if (!wbt::geometry_axis_is_z(node().version)) {
      spec.axes = kAxesOfOldSensors;
    }
    spec.projection = read_projection(is_lidar);
    spec.field_of_view = tell(
        "fieldOfView",
        checked_.number(
            "fieldOfView",
            [&spec](double angle) { return !is_angle_of_view(spec.projection, angle); }, 0.7854,
            spec.projection == Projection::Planar ? "it must be in (0, pi)"
                                                  : "it must be in (0, 2 pi]"));
    const std::string_view columns = is_lidar ? "horizontalResolution" : "width";
    const std::string_view rows = is_lidar ? "numberOfLayers" : "height";
    const int otherwise = is_lidar ? 1 : 64;
    spec.width = read_pixels(checked_, columns, otherwise, kMaxSide, fields_);
    spec.height = read_pixels(checked_, rows, otherwise, kMaxSide, fields_);
    const int most = std::max(1, kMaxPixelsOfASensor / spec.width);
    if (spec.height > most) {
      checked_.keeping_the_field().warn_and_substitute(
          rows, fmt::format("{}", spec.height), most,
          fmt::format("a sensor has at most {} pixels", kMaxPixelsOfASensor));
      spec.height = static_cast<int>(tell(rows, most));
    }
    spec.noise = checked_.non_negative("noise", 0.0);
    if (!is_lidar) {
      spec.motion_blur = checked_.non_negative("motionBlur", 0.0);
      spec.lens = read_lens(spec.projection);
    }
  }

  const wbt::Node& node() const { return checked_.node(); }
  const CheckedFields& checked() const { return checked_; }
  std::vector<DeviceField>& fields() { return fields_; }

  double tell(std::string_view field, double value) {
    return tell_controller(fields_, field, value);
  }

 private:
  Projection read_projection(bool is_lidar) const {
    if (node().find("projection") == nullptr && node().find("spherical") != nullptr) {
      // Up to R2022b `spherical` had the place of `projection`.
      return node().boolean("spherical") ? Projection::Cylindrical : Projection::Planar;
    }
    const std::string& name = node().string("projection");
    if (name == "cylindrical") {
      return Projection::Cylindrical;
    }
    if (name == "spherical" && !is_lidar) {
      return Projection::Spherical;
    }
    if (name != "planar") {
      checked_.warn_and_substitute("projection", fmt::format("\"{}\"", name), std::string("planar"),
                                   is_lidar ? "it must be \"planar\" or \"cylindrical\""
                                            : "it must be \"planar\", \"cylindrical\" or "
                                              "\"spherical\"");
    }
    return Projection::Planar;
  }

  std::optional<LensDistortion> read_lens(Projection projection) const {
    const wbt::NodePtr& lens = node().node("lens");
    if (!is_of_type(lens, "Lens")) {
      return std::nullopt;
    }
    if (projection != Projection::Planar) {
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
};

class RangingReader : public SightReader {
 public:
  using SightReader::SightReader;

  RangingSpec read() {
    spec_.is_lidar = node().type->name == "Lidar";
    read_sight(spec_, spec_.is_lidar);
    read_ranges();
    if (spec_.is_lidar) {
      read_layers();
      fields().push_back({std::string(kPointAxes), {}, {}});
      fields().back().numbers.assign(spec_.axes.m.begin(), spec_.axes.m.end());
      read_rotation();
      fit_layers();
    }
    return spec_;
  }

 private:
  void read_layers() {
    spec_.vertical_field_of_view =
        tell("verticalFieldOfView",
             checked().number(
                 "verticalFieldOfView", [](double x) { return x <= 0.0 || x > kPi; },
                 node().number("verticalFieldOfView") > kPi ? kPi : 0.2, "it must be in (0, pi]"));
    spec_.tilt =
        tell("tiltAngle", checked().number(
                              "tiltAngle", [](double x) { return std::abs(x) > 0.5 * kPi + 1e-3; },
                              0.0, "it must be in [-pi/2, pi/2]"));
  }

  // Webots draws the layers as rows of a picture whose pixels are square. It has as many rows as
  // layers at least.
  void fit_layers() {
    const double width = spec_.field_of_view;  // of what is drawn [rad]
    const double columns =
        spec_.rotating ? std::ceil(spec_.width * width / (2.0 * kPi)) : spec_.width;
    const double rows =
        std::ceil((spec_.vertical_field_of_view + width / columns) * columns / width);
    if (spec_.height == 1 || rows >= spec_.height) {
      return;
    }
    double least = std::ceil(spec_.height * width / spec_.vertical_field_of_view);
    if (spec_.rotating) {
      least = std::ceil(least * 2.0 * kPi / width);
    }
    const int most = std::min<int>(kMaxSide, kMaxPixelsOfASensor / spec_.height);
    const int used = static_cast<int>(std::min<double>(least, most));
    if (used <= spec_.width) {
      return;  // layers look at their exact angles here, so that none is lost
    }
    checked().warn_and_substitute(
        "horizontalResolution", fmt::format("{}", spec_.width), used,
        fmt::format("{} layers within verticalFieldOfView need more columns", spec_.height));
    spec_.width = static_cast<int>(tell("horizontalResolution", used));
  }

  void read_ranges() {
    spec_.min_range = tell("minRange", checked().positive("minRange", 0.01));
    spec_.near = checked().positive("near", 0.01);
    if (spec_.near > spec_.min_range) {
      checked().warn_and_substitute("near", fmt::format("{}", spec_.near), spec_.min_range,
                                    "it must be at most minRange");
      spec_.near = spec_.min_range;
    }
    const double least = spec_.min_range;
    spec_.max_range = tell("maxRange", checked().number(
                                           "maxRange", [least](double x) { return x <= least; },
                                           least + 1.0, "it must be greater than minRange"));
    spec_.resolution = checked().positive_or_none("resolution");
  }

  void read_rotation() {
    const std::string& type = node().string("type");
    spec_.rotating = type == "rotating";
    if (!spec_.rotating && type != "fixed") {
      checked().warn_and_substitute("type", fmt::format("\"{}\"", type), std::string("fixed"),
                                    "it must be \"fixed\" or \"rotating\"");
    }
    spec_.min_frequency = tell("minFrequency", checked().non_negative("minFrequency", 1.0));
    const double low = spec_.min_frequency;
    spec_.max_frequency =
        tell("maxFrequency", checked().number(
                                 "maxFrequency", [low](double x) { return x < low; }, low,
                                 "it must be at least minFrequency"));
    const double high = spec_.max_frequency;
    spec_.frequency =
        tell("defaultFrequency",
             checked().number(
                 "defaultFrequency", [low, high](double x) { return x < low || x > high; },
                 std::clamp(node().number("defaultFrequency"), low, high),
                 "it must be in the range of minFrequency and maxFrequency"));
  }

  RangingSpec spec_;
};

class CameraReader : public SightReader {
 public:
  CameraReader(const wbt::Node& device, std::vector<DeviceField>& fields, MeshFiles& files,
               Findings& findings)
      : SightReader(device, fields, findings), files_(files), findings_(findings) {}

  CameraSpec read() {
    read_sight(spec_, false);
    spec_.near = tell("near", checked().positive("near", 0.01));
    spec_.far = checked().non_negative("far", 0.0);
    if (spec_.far > 0.0 && spec_.near > spec_.far) {
      checked().warn_and_substitute("near", fmt::format("{}", spec_.near), spec_.far,
                                    "it must be at most far");
      spec_.near = tell("near", spec_.far);
    }
    spec_.exposure = tell("exposure", checked().non_negative("exposure", 1.0));
    spec_.anti_aliasing = node().boolean("antiAliasing");
    read_zoom();
    read_focus();
    read_recognition();
    read_noise_mask();
    return spec_;
  }

 private:
  const wbt::Node* inner(std::string_view field, std::string_view type) const {
    const wbt::NodePtr& found = node().node(field);
    return is_of_type(found, type) ? found.get() : nullptr;
  }

  void read_zoom() {
    const wbt::Node* const zoom = inner("zoom", "Zoom");
    if (zoom == nullptr) {
      return;
    }
    const CheckedFields checked_zoom(*zoom, findings_);
    const auto angle = [&](std::string_view field, double otherwise) {
      return checked_zoom.number(
          field, [this](double x) { return !is_angle_of_view(spec_.projection, x); }, otherwise,
          "it must be an angle of view of this projection");
    };
    const double least = tell("zoom.minFieldOfView", angle("minFieldOfView", 0.5));
    double most = angle("maxFieldOfView", std::max(1.5, least));
    if (most < least) {
      checked_zoom.warn_and_substitute("maxFieldOfView", fmt::format("{}", most), least,
                                       "it must be at least minFieldOfView");
      most = least;
    }
    // Webots does not ask whether the angle of the file is in this range.
    spec_.zoom = {least, tell("zoom.maxFieldOfView", most)};
  }

  void read_focus() {
    const wbt::Node* const focus = inner("focus", "Focus");
    if (focus == nullptr) {
      return;
    }
    const CheckedFields checked_focus(*focus, findings_);
    FocusSpec read;
    read.length = tell("focus.focalLength", checked_focus.non_negative("focalLength", 0.0));
    read.min_distance =
        tell("focus.minFocalDistance", checked_focus.non_negative("minFocalDistance", 0.0));
    const double least = read.min_distance;
    read.max_distance = tell("focus.maxFocalDistance",
                             checked_focus.number(
                                 "maxFocalDistance", [least](double x) { return x < least; }, least,
                                 "it must be at least minFocalDistance"));
    // Webots does not ask whether the file's distance is in this range.
    read.distance = tell("focus.focalDistance", checked_focus.non_negative("focalDistance", 0.0));
    spec_.focus = read;
  }

  void read_recognition() {
    const wbt::Node* const recognition = inner("recognition", "Recognition");
    if (recognition == nullptr) {
      return;
    }
    const CheckedFields checked_recognition(*recognition, findings_);
    RecognitionSpec read;
    read.max_range = checked_recognition.positive("maxRange", 100.0);
    read.max_objects = recognition->integer("maxObjects");
    if (const wbt::Field* const found = recognition->find("occlusion");
        found != nullptr && std::holds_alternative<bool>(found->value)) {
      read.occlusion = std::get<bool>(found->value) ? 1 : 0;  // up to R2023a
    } else {
      read.occlusion = recognition->integer("occlusion");
      if (read.occlusion < 0 || read.occlusion > 2) {
        checked_recognition.warn_and_substitute("occlusion", fmt::format("{}", read.occlusion), 1,
                                                "it must be 0, 1 or 2");
        read.occlusion = 1;
      }
    }
    read.segmentation = recognition->boolean("segmentation");
    spec_.recognition = read;
  }

  void read_noise_mask() {
    const std::string& url = node().string("noiseMaskUrl");
    if (url.empty()) {
      return;
    }
    if (spec_.projection != Projection::Planar) {
      checked().warn("noiseMaskUrl", "a noise mask has no effect on a picture that is not planar");
      return;
    }
    spec_.noise_mask = NamedPicture{files_.name_of(node(), url), url};
  }

  const MeshFiles& files_;
  Findings& findings_;
  CameraSpec spec_;
};

// The distances that a Camera of type "both" measures up to V8.3.
RangingSpec ranging_of(const wbt::Node& camera, const CameraSpec& seen, Findings& findings) {
  const CheckedFields checked(camera, findings);
  const auto exists = [&camera](std::string_view field) {
    const wbt::FieldType* const row = camera.type->field(field);
    return row != nullptr && row->exists_in(camera.version);
  };
  RangingSpec spec;
  static_cast<SightSpec&>(spec) = seen;
  spec.min_range = seen.near;
  spec.max_range = std::max(checked.positive("maxRange", 1.0), std::nextafter(seen.near, 1e300));
  spec.noise = exists("rangeNoise") ? checked.non_negative("rangeNoise", 0.0) : 0.0;
  spec.resolution = exists("rangeResolution") ? checked.positive_or_none("rangeResolution") : -1.0;
  return spec;
}

}  // namespace

int read_pixels(const CheckedFields& checked, std::string_view field, int otherwise, int most,
                std::vector<DeviceField>& fields) {
  const int given = checked.node().integer(field);
  int used = given;
  if (given < 1) {
    used = otherwise;
    checked.warn_and_substitute(field, fmt::format("{}", given), used, "it must be > 0");
  } else if (given > most) {
    used = most;
    checked.keeping_the_field().warn_and_substitute(field, fmt::format("{}", given), used,
                                                    fmt::format("it must be <= {}", most));
  }
  return static_cast<int>(tell_controller(fields, field, used));
}

void read_picture_sensor(const wbt::Node& node, int solid, MeshFiles& files, DeviceSpec& device,
                         Findings& findings) {
  const std::string_view type = node.type->name;
  if (type == "RangeFinder" || type == "Lidar") {
    device.ranging = RangingReader(node, device.fields, findings).read();
    device.ranging->solid = solid;
  } else if (type == "Camera") {
    device.camera = CameraReader(node, device.fields, files, findings).read();
    device.camera->solid = solid;
    const wbt::FieldType* const range = node.type->field("maxRange");
    if (range != nullptr && range->exists_in(node.version)) {
      device.ranging = ranging_of(node, *device.camera, findings);
    }
  }
}

}  // namespace servosim
