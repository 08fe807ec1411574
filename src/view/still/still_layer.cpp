// SPDX-License-Identifier: Apache-2.0
#include "view/still/still_layer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

#include "base/files.h"
#include "scene/mesh_file.h"
#include "servosim/diagnostics.h"
#include "view/still/canvas.h"
#include "view/still/still_eye.h"

namespace servosim::still {
namespace {

// The muted colours of web/src/shapes.ts for bodies without a colour in their world, one for each
// robot; grey for what never moves.
constexpr std::array<unsigned, 8> kPalette{0x7d9cc4, 0xc7a46c, 0x86b090, 0xb88c9d,
                                           0x9090bd, 0x72adad, 0xc29177, 0xa2a874};
constexpr unsigned kFixedColor = 0x9aa0a8;
constexpr unsigned kOverlayColor = 0xe08a2e;
constexpr double kOverlayOpacity = 0.45;

// Where a body is in its tree.
struct Ancestry {
  int root = -1;  // -1 while it is not known
  std::size_t depth = 0;
};

// Each body is entered once, so that a long chain takes no longer than other trees. The scene of a
// damaged recording could have a cycle: the body that closes it counts as its root.
std::vector<Ancestry> find_ancestries(const SceneParts& parts) {
  std::vector<Ancestry> found(parts.bodies.size());
  std::vector<char> is_entered(parts.bodies.size(), 0);
  std::vector<std::size_t> way;
  for (std::size_t i = 0; i < parts.bodies.size(); ++i) {
    way.clear();
    std::size_t at = i;
    while (is_entered[at] == 0) {
      is_entered[at] = 1;
      way.push_back(at);
      if (parts.bodies[at].parent < 0) {
        break;
      }
      at = static_cast<std::size_t>(parts.bodies[at].parent);
    }
    if (found[at].root < 0) {
      found[at].root = static_cast<int>(at);
    }
    Ancestry above = found[at];
    for (auto body = way.rbegin(); body != way.rend(); ++body) {
      if (*body != at) {
        ++above.depth;
        found[*body] = above;
      }
    }
  }
  return found;
}

// The parts of a robot are shades of one hue.
std::vector<Vec3> body_colors(const SceneParts& parts) {
  std::map<int, std::size_t> hues;
  std::vector<Vec3> colors;
  const std::vector<Ancestry> ancestries = find_ancestries(parts);
  for (std::size_t i = 0; i < parts.bodies.size(); ++i) {
    const auto [root, depth] = ancestries[i];
    if (!parts.bodies[i].moves) {
      colors.push_back(hex_color(kFixedColor));
      continue;
    }
    const std::size_t hue = hues.try_emplace(root, hues.size()).first->second;
    constexpr std::array<double, 3> kShades{1.0, 1.1, 0.92};
    const Vec3 shade = kShades[depth % kShades.size()] * hex_color(kPalette[hue % kPalette.size()]);
    colors.push_back({std::min(1.0, shade.x), std::min(1.0, shade.y), std::min(1.0, shade.z)});
  }
  return colors;
}

// Where pictures wait for the program that reads them.
struct DecodingPlace {
  const TemporaryFolder folder{"servosim_view"};
  Diagnostics ignored;
  MeshFiles files{folder.path(), ignored, {}, nullptr, MeshUse::Look};
};

// Decodes the pictures of a recording by the program that reads those of worlds.
class PictureDecoder {
 public:
  // Returns null for a picture that cannot be decoded.
  std::shared_ptr<const Image> decode(const std::shared_ptr<const Picture>& picture) {
    const auto [known, is_new] = images_.try_emplace(picture.get());
    if (is_new) {
      if (!place_) {
        place_.emplace();
      }
      const std::string path = fmt::format("{}/{}", place_->folder.path(), images_.size());
      if (const auto error = write_file(path, picture->bytes, true)) {
        throw std::runtime_error(fmt::format("'{}' {}", path, error->reason));
      }
      const ReadImage read = place_->files.image(path);
      if (const auto* image = std::get_if<std::shared_ptr<const Image>>(&read)) {
        known->second = *image;
      }
    }
    return known->second;
  }

 private:
  std::optional<DecodingPlace> place_;  // from the first picture on
  std::map<const void*, std::shared_ptr<const Image>> images_;
};

Finish finish_of(const DrawnShape& shape, const Vec3& otherwise, PictureDecoder& decoder) {
  Finish finish;
  finish.law = ShadingLaw::Physical;
  finish.roughness = 1.0;
  finish.metalness = 0.0;
  finish.transparency = 1.0 - shape.opacity.value_or(1.0);
  finish.transform.scale = shape.repeats;
  const bool has_places = shape.form != DrawnShape::Form::Mesh || !shape.mesh->uvs.empty();
  if (shape.picture != nullptr && has_places) {
    finish.color_map.image = decoder.decode(shape.picture);
  }
  const auto part = [](double x) { return std::clamp(x, 0.0, 1.0); };
  const Vec3 color = shape.color              ? *shape.color
                     : finish.color_map.image ? Vec3{1.0, 1.0, 1.0}
                                              : otherwise;
  finish.color = {part(color.x), part(color.y), part(color.z)};
  return finish;
}

Pose place_of(const DrawnShape& shape, const RecordedMoment& moment) {
  Pose in_body = shape.pose;
  if (shape.wheel) {
    const DrawnWheel& wheel = *shape.wheel;
    const double position = moment.positions[static_cast<std::size_t>(wheel.joint)];
    const double angle = std::isfinite(position) ? position / wheel.radius : 0.0;
    in_body = turn_about(wheel.center, wheel.axis, angle) * in_body;
  }
  return moment.bodies[static_cast<std::size_t>(shape.solid)] * in_body;
}

bool belongs(const SceneParts& parts, const DrawnShape& shape, PartsUse use) {
  return use == PartsUse::World ||
         (use == PartsUse::Forms ? shape.bounding
                                 : parts.bodies[static_cast<std::size_t>(shape.solid)].moves);
}

LightSpec sun_along(const Vec3& direction, double intensity) {
  LightSpec light;
  light.direction = unit_or(direction, {0.0, 0.0, -1.0});
  light.intensity = intensity;
  return light;
}

}  // namespace

// The sum is that of white which the sun shines on: as bright as in the page, after the tone map.
void light_by_view(const Stage& stage, StillLayer& layer) {
  const Vec3 to_sun = 2.2 * stage.up + 0.9 * stage.right + 1.2 * stage.near;
  layer.lights = {sun_along(-to_sun, 1.7), sun_along(stage.right + stage.near - stage.up, 0.6),
                  sun_along(-0.5 * stage.right - stage.near - 0.3 * stage.up, 0.5)};
  layer.lights[0].casts_shadows = true;
  layer.sky = Sky();
  layer.sky->color = {0.5, 0.5, 0.5};
}

StillLayer layer_of_sight(Sight& sight) {
  StillLayer layer;
  layer.sight = &sight;
  const Looks& looks = sight.looks();
  layer.finishes.assign(looks.finishes.begin(), looks.finishes.end());
  layer.lights.assign(looks.lights.begin(), looks.lights.end());
  layer.sky = looks.sky;
  layer.fog = looks.fog;
  const std::span<const Pose> poses = sight.shapes();
  layer.poses.assign(poses.begin(), poses.end());
  return layer;
}

StillLayer layer_of_parts(const SceneParts& parts, const RecordedMoment& moment, PartsUse use) {
  StillLayer layer;
  PictureDecoder decoder;
  const std::vector<Vec3> colors = body_colors(parts);
  std::vector<DrawnShape> shapes;
  for (const std::size_t i : shown_shapes(parts)) {
    DrawnShape shape = parts.shapes[i];
    if (!belongs(parts, shape, use)) {
      continue;
    }
    if (use == PartsUse::Overlay) {
      shape.color = hex_color(kOverlayColor);
      shape.picture.reset();
      shape.opacity.reset();
    }
    layer.poses.push_back(place_of(shape, moment));
    Finish finish = finish_of(shape, colors[static_cast<std::size_t>(shape.solid)], decoder);
    if (use == PartsUse::Forms) {
      finish.law = ShadingLaw::Phong;  // it needs no sky
    }
    layer.finishes.push_back(std::make_shared<const Finish>(std::move(finish)));
    shapes.push_back(std::move(shape));
  }
  layer.opacity = use == PartsUse::Overlay ? kOverlayOpacity : 1.0;
  layer.renderer = make_renderer(shapes);
  return layer;
}

StillLayer layer_of_fixed(const SceneParts& parts, const RecordedMoment& moment) {
  StillLayer layer;
  std::vector<DrawnShape> shapes;
  for (const std::size_t i : shown_shapes(parts)) {
    const DrawnShape& shape = parts.shapes[i];
    if (!parts.bodies[static_cast<std::size_t>(shape.solid)].moves) {
      layer.poses.push_back(place_of(shape, moment));
      shapes.push_back(shape);
    }
  }
  layer.renderer = make_renderer(shapes);
  return layer;
}

bool LineOfSight::is_free(const Vec3& place, const Vec3& direction, double reach) {
  Glance glance;
  glance.eye = eye_at(place, place + direction, {0.0, 0.0, 1.0}, 1, 1).pose;
  glance.shapes = layer_.poses;
  glance.far = reach;
  glance.columns = 1;
  double distance = 0.0;
  eye_->find_distances(glance, std::span(&distance, 1));
  return !std::isfinite(distance);
}

}  // namespace servosim::still
