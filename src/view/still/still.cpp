// SPDX-License-Identifier: Apache-2.0
#include "view/still/still.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <numbers>
#include <stdexcept>
#include <thread>
#include <vector>

#include "devices/tone_map.h"
#include "scene/viewpoint.h"
#include "servosim/simulation.h"
#include "sim/world_control.h"
#include "sim/world_inspector.h"
#include "view/still/still_layer.h"

namespace servosim::still {
namespace {

// Each pixel is the mean of this many rays, squared.
constexpr int kFine = 2;
// More rays at a time would take more memory, not less time.
constexpr int kMaxRays = 4'000'000;

// What the rays of some columns of a picture meet.
struct RayColumns {
  std::vector<float> light;
  std::vector<double> depths;
};

// The parts of a scene, read once for each scene of a recording.
class PartsReader {
 public:
  explicit PartsReader(const Recording& recording) : recording_(recording) {}
  const SceneParts& of_frame(std::size_t frame) {
    const std::size_t scene = recording_.frames.at(frame).scene;
    auto found = parts_.find(scene);
    if (found == parts_.end()) {
      found = parts_.emplace(scene, read_scene_parts(recording_.scenes.at(scene))).first;
    }
    return found->second;
  }

 private:
  const Recording& recording_;
  std::map<std::size_t, SceneParts> parts_;
};

bool has_lights(const Simulation& world) {
  const std::vector<LightSpec>& lights = WorldInspector(world).scene().world.lights;
  return std::any_of(lights.begin(), lights.end(), [](const LightSpec& light) {
    return light.intensity > 0.0 || light.ambient_intensity > 0.0;
  });
}

class StillPainter {
 public:
  StillPainter(const StillSource& source, const StillView& view)
      : source_(source),
        view_(view),
        recording_(*source.recording),
        reader_(recording_),
        time_(view.time.value_or(recording_.frames.front().time)),
        parts_(reader_.of_frame(frame_at(recording_, time_))),
        moment_(moment_at(recording_, parts_, time_)),
        stage_(find_first_stage()) {}

  Still paint() {
    add_layers();
    find_eye();
    StillCanvas canvas(view_.width, view_.height);
    see(canvas);
    const Marks marks =
        find_marks(parts_, moment_, recording_.frames[moment_.frame], stage_, view_.shown);
    for (const MarkLine& line : marks.lines) {
      canvas.draw(eye_, line);
    }
    for (const MarkDot& dot : marks.dots) {
      canvas.draw(eye_, dot);
    }
    return {canvas.png(), is_lit_by_view_};
  }

 private:
  // The region is that of the beginning, unless the run has gone on with another world.
  Stage find_first_stage() {
    const SceneParts& first = reader_.of_frame(0);
    const bool is_same = first.world == parts_.world && first.up == parts_.up;
    return is_same ? find_stage(recording_, first, recording_.frames.front().time)
                   : find_stage(recording_, parts_, time_);
  }

  void add_layers() {
    if (source_.world != nullptr) {
      viewpoint_ = read_viewpoint(*WorldInspector(*source_.world).world_file());
      is_lit_by_view_ = !has_lights(*source_.world);
    }
    if (source_.world != nullptr && !is_lit_by_view_) {
      add_world();
    } else {
      layers_.push_back(layer_of_parts(parts_, moment_, PartsUse::World));
      light_by_view(stage_, layers_.back());
    }
    if (source_.second != nullptr) {
      PartsReader second(*source_.second);
      const SceneParts& parts = second.of_frame(frame_at(*source_.second, time_));
      layers_.push_back(
          layer_of_parts(parts, moment_at(*source_.second, parts, time_), PartsUse::Overlay));
      light_by_view(stage_, layers_.back());
    }
  }

  // Cameras do not see boundingObjects, which are all that some bodies have.
  void add_world() {
    layers_.push_back(layer_of_sight(WorldControl(*source_.world).sight()));
    layers_.back().exposure = viewpoint_ ? viewpoint_->exposure : 1.0;
    shows_sky_ = layers_.front().sky.has_value();
    layers_.push_back(layer_of_parts(parts_, moment_, PartsUse::Forms));
    layers_.back().lights = layers_.front().lights;
    layers_.back().sky = layers_.front().sky;
    layers_.back().fog = layers_.front().fog;
    layers_.back().exposure = layers_.front().exposure;
  }

  // ---- The eye.

  void find_eye() {
    const int body = find_followed();
    if (const auto* numbers = std::get_if<std::array<double, 6>>(&view_.camera)) {
      const auto& [x, y, z, to_x, to_y, to_z] = *numbers;
      eye_ = eye_at({x, y, z}, {to_x, to_y, to_z}, stage_.up, view_.width, view_.height);
      return;
    }
    const auto* const name = std::get_if<std::string>(&view_.camera);
    if (name == nullptr && viewpoint_ && viewpoint_->is_placed) {
      take_viewpoint(*viewpoint_);
      return;
    }
    // As in the page, a body to follow alone does not move the camera.
    const bool looks_at_body = body >= 0 && (name != nullptr || view_.follow.empty());
    const Vec3 center = looks_at_body ? moment_.bodies[static_cast<std::size_t>(body)].translation
                                      : stage_.around.center();
    const double half = 0.5 * kHeightAngle;
    const double narrow = std::max(0.3, static_cast<double>(view_.width) / view_.height);
    const double distance =
        0.5 * stage_.size() / std::sin(std::min(half, std::atan(std::tan(half) * narrow)));
    const Vec3 direction = name == nullptr || *name == "start" ? clear_direction() : axis_of(*name);
    eye_ = eye_at(center + distance * direction, center, stage_.up, view_.width, view_.height);
  }

  int find_followed() const {
    const auto& bodies = parts_.bodies;
    if (!view_.follow.empty()) {
      const auto found = std::find_if(bodies.begin(), bodies.end(), [this](const PartBody& body) {
        return body.name == view_.follow;
      });
      if (found == bodies.end()) {
        throw std::invalid_argument(fmt::format("there is no body '{}'", view_.follow));
      }
      return static_cast<int>(found - bodies.begin());
    }
    const auto moving =
        std::find_if(bodies.begin(), bodies.end(), [](const PartBody& body) { return body.moves; });
    return stage_.travels && moving != bodies.end() ? static_cast<int>(moving - bodies.begin())
                                                    : -1;
  }

  Vec3 axis_of(std::string_view name) const {
    const double sign = name.starts_with('-') ? -1.0 : 1.0;
    const auto part = [&](char axis) { return name.ends_with(axis) ? sign : 0.0; };
    const Vec3 axis{part('x'), part('y'), part('z')};
    return std::abs(dot(axis, stage_.up)) > 0.99 ? unit_or(axis + 1e-3 * stage_.near, axis) : axis;
  }

  // A direction from the front right, or from where less of what moves is hidden by what does not.
  Vec3 clear_direction() const {
    const StillLayer fixed = layer_of_fixed(parts_, moment_);
    LineOfSight sight(fixed);
    const double reach = 3.0 * stage_.size();
    Vec3 best = unit_or(1.5 * stage_.near + 0.95 * stage_.right + 0.75 * stage_.up, stage_.near);
    std::ptrdiff_t least = std::numeric_limits<std::ptrdiff_t>::max();
    for (const double height : {0.75, 1.8}) {
      for (const double turn : {0.0, 45.0, -45.0, 90.0, -90.0, 135.0, -135.0, 180.0}) {
        check();
        const Mat3 around = rotation_matrix({stage_.up, turn * std::numbers::pi / 180.0});
        const Vec3 direction =
            unit_or(around * (1.5 * stage_.near + 0.95 * stage_.right) + height * stage_.up, best);
        const auto hidden = std::count_if(
            stage_.places.begin(), stage_.places.end(),
            [&](const Vec3& place) { return !sight.is_free(place, direction, reach); });
        if (hidden < least) {
          least = hidden;
          best = direction;
        }
        if (least == 0) {
          return best;
        }
      }
    }
    return best;
  }

  void take_viewpoint(const Viewpoint& viewpoint) {
    eye_.pose = viewpoint.pose;
    eye_.near = viewpoint.near;
    const double tangent = std::tan(0.5 * viewpoint.field_of_view);
    eye_.field_of_view =
        2.0 * std::atan(tangent * std::min(1.0, static_cast<double>(view_.width) / view_.height));
  }

  void check() const {
    if (source_.check) {
      source_.check();
    }
  }

  // ---- What it sees.

  // Takes the picture some columns at a time.
  void see(StillCanvas& canvas) const {
    const int rays_of_column = kFine * kFine * view_.height;
    const int columns = std::clamp(kMaxRays / rays_of_column, 1, view_.width);
    const RayPattern pattern{.width = kFine * view_.width,
                             .height = kFine * view_.height,
                             .field_of_view = eye_.field_of_view};
    std::vector<std::unique_ptr<Eye>> eyes;
    for (const StillLayer& layer : layers_) {
      eyes.push_back(layer.poses.empty() ? nullptr : layer.open(pattern));
    }
    for (int first = 0; first < view_.width; first += columns) {
      check();
      const int count = std::min(columns, view_.width - first);
      std::vector<RayColumns> seen;
      for (std::size_t i = 0; i < layers_.size(); ++i) {
        seen.push_back(eyes[i] != nullptr ? see_columns(*eyes[i], layers_[i], first, count)
                                          : RayColumns{});
      }
      develop(seen, first, count, canvas);
    }
  }

  RayColumns see_columns(Eye& eye, const StillLayer& layer, int first, int count) const {
    const Looks looks = layer.looks();
    Glance glance;
    glance.eye = eye_.pose;
    glance.shapes = layer.poses;
    glance.near = eye_.near;
    glance.first_column = kFine * first;
    glance.columns = kFine * count;
    glance.threads = static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1u, 16u));
    glance.looks = &looks;
    const std::size_t rays = std::size_t{1} * kFine * count * kFine * view_.height;
    RayColumns seen{std::vector<float>(3 * rays), std::vector<double>(rays)};
    eye.find_light(glance, seen.light);
    glance.far = std::numeric_limits<double>::infinity();
    eye.find_distances(glance, seen.depths);
    return seen;
  }

  void develop(const std::vector<RayColumns>& seen, int first, int count,
               StillCanvas& canvas) const {
    const std::array<int, 3> backdrop = backdrop_bytes();
    const std::size_t across = std::size_t{1} * kFine * count;
    for (int row = 0; row < view_.height; ++row) {
      for (int column = 0; column < count; ++column) {
        std::array<double, 3> sum{};
        double farthest = 0.0;
        for (int quarter = 0; quarter < kFine * kFine; ++quarter) {
          const std::size_t ray = (std::size_t{1} * kFine * row + quarter / kFine) * across +
                                  kFine * column + quarter % kFine;
          farthest = std::max(farthest, add_ray(seen, ray, backdrop, sum));
        }
        const std::size_t pixel = std::size_t{1} * row * view_.width + first + column;
        canvas.depths[pixel] = static_cast<float>(farthest);
        for (std::size_t part = 0; part < 3; ++part) {
          canvas.pixels[3 * pixel + part] =
              static_cast<std::uint8_t>(std::lround(sum[part] / (kFine * kFine)));
        }
      }
    }
  }

  // Adds the bytes of a ray: those of the nearest layer, and of what is drawn over it.
  // @returns its depth
  double add_ray(const std::vector<RayColumns>& seen, std::size_t ray,
                 const std::array<int, 3>& backdrop, std::array<double, 3>& sum) const {
    const auto byte = [&](std::size_t layer, std::size_t part) {
      const auto exposure = static_cast<float>(layers_[layer].exposure);
      return static_cast<double>(tone_map_.byte_of(exposure * seen[layer].light[3 * ray + part]));
    };
    double depth = std::numeric_limits<double>::infinity();
    std::array<double, 3> color{};
    for (std::size_t part = 0; part < 3; ++part) {
      color[part] =
          shows_sky_ && has_sky() && !seen.front().light.empty() ? byte(0, part) : backdrop[part];
    }
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      if (seen[i].depths.empty()) {
        continue;
      }
      const double here = seen[i].depths[ray];
      const bool is_over = layers_[i].opacity < 1.0;
      // Where an overlay is at the same place, what is below it is seen.
      if (!(here < (is_over ? 0.998 * depth : depth))) {
        continue;
      }
      for (std::size_t part = 0; part < 3; ++part) {
        color[part] += layers_[i].opacity * (byte(i, part) - color[part]);
      }
      depth = is_over ? depth : here;
    }
    for (std::size_t part = 0; part < 3; ++part) {
      sum[part] += color[part];
    }
    return depth;
  }

  // As in the page, the sky is one of the things that are shown; a world has one unless a theme
  // asks for a plain backdrop.
  bool has_sky() const {
    return view_.shown.contains("background") || (source_.world != nullptr && !view_.theme);
  }

  // The colours of the page, or the sky.
  std::array<int, 3> backdrop_bytes() const {
    if (const auto& sky = parts_.background; sky && has_sky()) {
      const auto part = [](double x) {
        return static_cast<int>(std::lround(255.0 * std::clamp(x, 0.0, 1.0)));
      };
      return {part(sky->x), part(sky->y), part(sky->z)};
    }
    return view_.theme == Theme::Dark ? std::array{0x1b, 0x21, 0x29} : std::array{0xee, 0xf1, 0xf4};
  }

  const StillSource& source_;
  const StillView& view_;
  const Recording& recording_;
  PartsReader reader_;
  const double time_;
  const SceneParts& parts_;
  const RecordedMoment moment_;
  const Stage stage_;
  std::vector<StillLayer> layers_;
  std::optional<Viewpoint> viewpoint_;
  bool shows_sky_ = false;
  bool is_lit_by_view_ = false;
  const ToneMap tone_map_;
  StillEye eye_;
};

}  // namespace

Still draw_still(const StillSource& source, const StillView& view) {
  return StillPainter(source, view).paint();
}

}  // namespace servosim::still
