// SPDX-License-Identifier: Apache-2.0
#include "rendering/rays/light_picture.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <tuple>
#include <utility>

#include "base/assert.h"

namespace servosim::rays {

namespace {

Float3 product(const std::array<Float3, 3>& rows, const Float3& v) {
  return {dot(rows[0], v), dot(rows[1], v), dot(rows[2], v)};
}

// The corners of a triangle with the weights that a point of it gives them.
class Corners {
 public:
  Corners(const DrawnMesh& mesh, const TopScene::Hit& hit)
      : mesh_(mesh), numbers_(&mesh.indices[std::size_t{3} * hit.triangle]) {
    weights_ = {1.0f - hit.u - hit.v, hit.u, hit.v};
  }
  Float3 vector(const std::vector<float>& list, int corner) const {
    const float* const p = &list[std::size_t{3} * numbers_[corner]];
    return {p[0], p[1], p[2]};
  }
  Float3 edge(int corner) const {
    return vector(mesh_.positions, corner) - vector(mesh_.positions, 0);
  }
  Float3 normal() const {
    return weights_[0] * vector(mesh_.normals, 0) + weights_[1] * vector(mesh_.normals, 1) +
           weights_[2] * vector(mesh_.normals, 2);
  }
  Vec3 point() const {
    const Float3 p = weights_[0] * vector(mesh_.positions, 0) +
                     weights_[1] * vector(mesh_.positions, 1) +
                     weights_[2] * vector(mesh_.positions, 2);
    return {p.x, p.y, p.z};
  }
  // Places in a picture, with v downwards.
  std::array<float, 2> place() const {
    std::array<float, 2> sum{};
    for (int i = 0; i < 3; ++i) {
      const std::array<float, 2> at = place(i);
      sum = {sum[0] + weights_[i] * at[0], sum[1] + weights_[i] * at[1]};
    }
    return sum;
  }
  std::array<float, 2> place_edge(int corner) const {
    const std::array<float, 2> from = place(0);
    const std::array<float, 2> to = place(corner);
    return {to[0] - from[0], to[1] - from[1]};
  }

 private:
  std::array<float, 2> place(int corner) const {
    const float* const p = &mesh_.uvs[std::size_t{2} * numbers_[corner]];
    return {p[0], 1.0f - p[1]};
  }

  const DrawnMesh& mesh_;
  const std::uint32_t* numbers_;
  std::array<float, 3> weights_;
};

// The normal that the normal map of a surface gives, in the frame of the directions in which u and
// v grow.
Float3 bent_normal(const SurfacePoint& point, const Corners& corners,
                   const std::array<Float3, 3>& rows) {
  const SeenSurface& surface = *point.surface;
  const auto change = [&](int corner) {
    const std::array<float, 2> edge = corners.place_edge(corner);
    return surface.change(edge[0], edge[1]);
  };
  const PicturePlace first = change(1);
  const PicturePlace second = change(2);
  const Float3 across_second = cross(product(rows, corners.edge(2)), point.normal);
  const Float3 across_first = cross(point.normal, product(rows, corners.edge(1)));
  const Float3 along_u = first.u * across_second + second.u * across_first;
  const Float3 along_v = first.v * across_second + second.v * across_first;
  const float longest = std::max(dot(along_u, along_u), dot(along_v, along_v));
  if (!(longest > 1e-30f)) {
    return point.normal;
  }
  const Float3 coded = surface.normal_map.at(point.place).color;
  const float scale = surface.normal_strength / std::sqrt(longest);
  return unit_or(scale * (2.0f * coded.x - 1.0f) * along_u +
                     scale * (2.0f * coded.y - 1.0f) * along_v +
                     (2.0f * coded.z - 1.0f) * point.normal,
                 point.normal);
}

InkLayer::Ink ink_at(const Corners& corners, const SeenShape& seen, const InkLayer& layer) {
  const Float3 across = cross(corners.edge(1), corners.edge(2));
  const float side = seen.bottom->mirrored ? -1.0f : 1.0f;
  const std::array<float, 2> place = corners.place();
  const auto [u, v] =
      ink_place(seen.ink, {side * across.x, side * across.y, side * across.z}, {place[0], place[1]},
                place_in_box(corners.point(), seen.bottom->low, seen.bottom->high));
  return layer.at(u, v);
}

}  // namespace

LightPicture::LightPicture(const BottomScenes& bottom, PictureStore& store)
    : bottom_(bottom), store_(store), placed_(bottom.seen().size()) {}

void LightPicture::prepare(const Glance& glance, double spread) {
  SERVOSIM_ASSERT(glance.looks != nullptr && glance.looks->finishes.size() == bottom_.size(),
                  "looks of {} shapes", bottom_.size());
  spread_ = static_cast<float>(spread);
  take_surfaces(*glance.looks);
  // The former one holds the cube of the sky until this one has it.
  illumination_ = Illumination(*glance.looks, glance.eye, store_.cubes);
  take_members(members_of(glance));
  place(glance);
}

void LightPicture::take_surfaces(const Looks& looks) {
  finishes_.resize(looks.finishes.size());
  surfaces_.resize(looks.finishes.size());
  for (std::size_t i = 0; i < finishes_.size(); ++i) {
    if (finishes_[i] != looks.finishes[i]) {
      finishes_[i] = looks.finishes[i];
      surfaces_[i] = std::make_shared<const SeenSurface>(*finishes_[i], store_.pyramids);
    }
  }
}

LightPicture::Members LightPicture::members_of(const Glance& glance) {
  Members members;
  const bool has_shadows = illumination_->has_shadows();
  for (unsigned i = 0; i < bottom_.seen().size(); ++i) {
    const SeenShape& seen = bottom_.seen()[i];
    const SeenSurface& surface = *surfaces_[seen.shape];
    if (surface.is_hidden || is_hidden(glance, seen.shape)) {
      continue;
    }
    const bool is_far = is_beyond(seen, glance.shapes[seen.shape], glance.eye, glance.far);
    if (surface.is_translucent) {
      if (!is_far) {
        members[kTranslucent].push_back(i);
      }
      continue;
    }
    if (!is_far) {
      members[kOpaque].push_back(i);
    }
    constexpr std::size_t kMostIndices = 65535;  // Webots draws no shadows of larger meshes
    if (has_shadows && surface.casts_shadows && seen.bottom->mesh.indices.size() <= kMostIndices) {
      members[kCasters].push_back(i);
    }
  }
  casters_differ_ = has_shadows && members[kCasters] != members[kOpaque];
  return members;
}

void LightPicture::take_members(Members members) {
  for (int group = 0; group < kGroups; ++group) {
    std::optional<TopScene>& scene = scenes_[group];
    const bool is_needed =
        group == kOpaque || (group == kCasters ? casters_differ_ : !members[group].empty());
    if (!is_needed) {
      scene.reset();
    } else if (!scene || members[group] != members_[group]) {
      scene.emplace(bottom_, members[group]);
    }
  }
  members_ = std::move(members);
}

void LightPicture::place(const Glance& glance) {
  for (std::optional<TopScene>& scene : scenes_) {
    if (scene) {
      scene->place(glance.eye, glance.shapes);
    }
  }
  const Mat3 to_eye = transposed(glance.eye.rotation);
  const Pose into_eye = inverse(glance.eye);
  for (unsigned i = 0; i < placed_.size(); ++i) {
    const SeenShape& seen = bottom_.seen()[i];
    const Pose& pose = glance.shapes[seen.shape];
    PlacedShape& placed = placed_[i];
    placed.surface = surfaces_[seen.shape].get();
    const Mat3 turn = to_eye * pose.rotation;
    const Vec3& s = seen.scale;
    for (int row = 0; row < 3; ++row) {
      const Vec3 r{turn(row, 0), turn(row, 1), turn(row, 2)};
      placed.rows[row] = to_float(scaled(r, s));
      placed.normal_rows[row] = to_float({r.x / s.x, r.y / s.y, r.z / s.z});
    }
    placed.area = static_cast<float>(std::abs(s.x * s.y * s.z));
    if (placed.surface->is_translucent) {
      const Vec3 middle = pose * (0.5 * scaled(seen.bottom->low + seen.bottom->high, s));
      placed.eye_distance = static_cast<float>(norm(middle - glance.eye.translation));
    }
    placed.left_out = illumination_->has_shadows() && !placed.surface->is_translucent
                          ? too_weak_for(seen, into_eye * pose)
                          : LampSet{};
  }
}

LampSet LightPicture::too_weak_for(const SeenShape& seen, const Pose& in_eye) const {
  const BottomScene& bottom = *seen.bottom;
  const Vec3& s = seen.scale;
  const Float3 center = to_float(in_eye * (0.5 * scaled(bottom.low + bottom.high, s)));
  const double largest = std::max({std::abs(s.x), std::abs(s.y), std::abs(s.z)});
  LampSet weak;
  for (std::size_t i = 0; i < illumination_->lamps().size(); ++i) {
    weak[i] = illumination_->lamps()[i].is_too_weak_for(
        center, static_cast<float>(largest * bottom.radius));
  }
  return weak;
}

SurfacePoint LightPicture::point_at(const Hit& hit, const Float3& direction, float t) const {
  const PlacedShape& placed = placed_[hit.shape];
  const BottomScene& bottom = *bottom_.seen()[hit.shape].bottom;
  const Corners corners(bottom.mesh, hit);
  SurfacePoint point;
  point.surface = placed.surface;
  point.left_out = placed.left_out.any() ? &placed.left_out : nullptr;
  point.position = t * direction;
  const float length = norm(direction);
  point.distance = t * length;
  point.to_eye = (-1.0f / length) * direction;
  const Float3 across = product(placed.normal_rows, cross(corners.edge(1), corners.edge(2)));
  const float size = norm(across);
  const float facing = dot(across, point.to_eye);
  point.flat = size > 0.0f ? (facing < 0.0f ? -1.0f / size : 1.0f / size) * across : point.to_eye;
  point.normal = point.flat;
  if (!bottom.mesh.normals.empty()) {
    const Float3 smooth = product(placed.normal_rows, corners.normal());
    point.normal = unit_or(bottom.mirrored ? -smooth : smooth, point.flat);
  }
  if (point.surface->has_pictures) {
    const std::array<float, 2> first = corners.place_edge(1);
    const std::array<float, 2> second = corners.place_edge(2);
    const float picture = std::abs(first[0] * second[1] - first[1] * second[0]);
    // The ray is as wide as a pixel, and wider where it meets the surface at an angle.
    const float slope = std::max(0.05f * size, std::abs(facing)) * placed.area;
    const float width = t * spread_ * std::sqrt(slope > 0.0f ? picture / slope : 0.0f);
    const std::array<float, 2> place = corners.place();
    point.place = point.surface->place(place[0], place[1], width);
    if (point.surface->normal_map) {
      point.normal = bent_normal(point, corners, placed.rows);
    }
  }
  const SeenShape& seen = bottom_.seen()[hit.shape];
  if (const InkLayer* const layer = finishes_[seen.shape]->ink.get()) {
    const InkLayer::Ink ink = ink_at(corners, seen, *layer);
    point.ink = {ink.red, ink.green, ink.blue};
    point.ink_density = ink.density;
  }
  return point;
}

std::array<ShadowSet, LightPicture::kRays> LightPicture::shadows_at(
    const std::array<SurfacePoint, kRays>& points, unsigned used) const {
  std::array<ShadowSet, kRays> shadows{};
  const TopScene& casters = scenes_[kCasters] ? *scenes_[kCasters] : *scenes_[kOpaque];
  for (const Lamp& lamp : illumination_->lamps()) {
    if (lamp.shadow < 0) {
      continue;
    }
    TopScene::Ways ways;
    for (int i = 0; i < kRays; ++i) {
      if ((used >> i & 1u) == 0 || points[i].surface->law == ShadingLaw::Unlit) {
        continue;
      }
      const ArrivingLight arriving = lamp.at(points[i].position);
      if (!(arriving.share > 0.0f) || !(dot(points[i].normal, arriving.towards) > 0.0f)) {
        continue;
      }
      // The point is rounded, and may be behind its triangle.
      const float offset = 1e-4f * (points[i].distance + 1.0f);
      ways.from[i] = points[i].position + offset * points[i].flat;
      ways.direction[i] = arriving.towards;
      ways.length[i] = arriving.distance;
      ways.used |= 1u << i;
    }
    const unsigned blocked = ways.used != 0 ? casters.blocked(ways) : 0;
    for (int i = 0; i < kRays; ++i) {
      shadows[i] |= static_cast<ShadowSet>(blocked >> i & 1u) << lamp.shadow;
    }
  }
  return shadows;
}

// Translucent Shapes cover what is behind them in the order of the distances of their middles,
// whatever lies in front where.
void LightPicture::cover(const TopScene::Packet& packet, std::array<Float3, kRays>& light) const {
  using Layer = TopScene::Layer;
  std::array<TopScene::Layers, kRays> layers;
  scenes_[kTranslucent]->collect(packet, layers);
  const auto order = [this](const Layer& layer) {
    return std::tuple(-placed_[layer.hit.shape].eye_distance, layer.hit.shape, -layer.distance,
                      layer.hit.triangle);
  };
  // On the edge between two triangles a ray meets both.
  const auto is_same = [](const Layer& a, const Layer& b) {
    return a.hit.shape == b.hit.shape && std::abs(a.distance - b.distance) <= 1e-5f * a.distance;
  };
  for (int i = 0; i < kRays; ++i) {
    const std::span<Layer> all = layers[i].all();
    std::sort(all.begin(), all.end(),
              [&](const Layer& a, const Layer& b) { return order(a) < order(b); });
    const auto end = std::unique(all.begin(), all.end(), is_same);
    const Float3 direction = to_float(packet.directions[i]);
    for (const Layer& layer : std::span(all.begin(), end)) {
      const SeenLight seen =
          shade(point_at(layer.hit, direction, layer.distance), *illumination_, ShadowSet{});
      light[i] = mixed(light[i], seen.light, seen.opacity);
    }
  }
}

std::array<Float3, LightPicture::kRays> LightPicture::see(TopScene::Packet& packet) const {
  std::array<Float3, kRays> light{};
  scenes_[kOpaque]->trace(packet);
  std::array<SurfacePoint, kRays> points;
  unsigned met = 0;
  for (int i = 0; i < kRays; ++i) {
    const Float3 direction = to_float(packet.directions[i]);
    if (packet.distances[i] != std::numeric_limits<double>::infinity()) {
      points[i] = point_at(packet.hits[i], direction, static_cast<float>(packet.distances[i]));
      met |= 1u << i;
    } else if (packet.directions[i] != Vec3{}) {
      light[i] = illumination_->sky_along(direction);
    }
  }
  std::array<ShadowSet, kRays> shadows{};
  if (met != 0 && illumination_->has_shadows()) {
    shadows = shadows_at(points, met);
  }
  for (int i = 0; i < kRays; ++i) {
    if ((met >> i & 1u) != 0) {
      light[i] = shade(points[i], *illumination_, shadows[i]).light;
    }
  }
  if (scenes_[kTranslucent]) {
    cover(packet, light);
  }
  return light;
}

}  // namespace servosim::rays
