// SPDX-License-Identifier: Apache-2.0
#include "rendering/rays/light_picture.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <span>
#include <tuple>
#include <utility>

#include "base/assert.h"

namespace servosim::rays {

namespace {

Floats3 product(const std::array<Float3, 3>& rows, const Floats3& v) {
  return {dot(all(rows[0]), v), dot(all(rows[1]), v), dot(all(rows[2]), v)};
}

// The corners of the triangles that rays meet, with the weights that the points there give them.
class Corners {
 public:
  Corners(const DrawnMesh& mesh, const std::array<unsigned, kLanes>& triangles, const Floats& u,
          const Floats& v)
      : mesh_(mesh), weights_{1.0f - u - v, u, v} {
    for (int i = 0; i < kLanes; ++i) {
      numbers_[i] = &mesh.indices[std::size_t{3} * triangles[i]];
    }
  }
  const DrawnMesh& mesh() const { return mesh_; }
  Floats3 vector(const std::vector<float>& list, int corner) const {
    const FourFloats four =
        load_four([&](int i) { return &list[std::size_t{3} * numbers_[i][corner]]; });
    return {four.n[0], four.n[1], four.n[2]};
  }
  Floats3 edge(int corner) const {
    return vector(mesh_.positions, corner) - vector(mesh_.positions, 0);
  }
  Floats3 mean(const std::vector<float>& list) const {
    return weights_[0] * vector(list, 0) + weights_[1] * vector(list, 1) +
           weights_[2] * vector(list, 2);
  }
  // Places in a picture, with v downwards.
  PicturePlaces place() const {
    PicturePlaces sum{};
    for (int i = 0; i < 3; ++i) {
      const PicturePlaces at = place(i);
      sum = {sum.u + weights_[i] * at.u, sum.v + weights_[i] * at.v, Floats{}};
    }
    return sum;
  }
  PicturePlaces place_edge(int corner) const {
    const PicturePlaces from = place(0);
    const PicturePlaces to = place(corner);
    return {to.u - from.u, to.v - from.v, Floats{}};
  }

 private:
  PicturePlaces place(int corner) const {
    const auto [u, v] =
        load_two([&](int i) { return &mesh_.uvs[std::size_t{2} * numbers_[i][corner]]; });
    return {u, 1.0f - v, Floats{}};
  }

  const DrawnMesh& mesh_;
  std::array<const std::uint32_t*, kLanes> numbers_;
  std::array<Floats, 3> weights_;
};

// Finds the normals of triangles.
// @param across  along them, as long as the area of two triangles
// @return the part of that area that the eye sees: a ray is as wide as a pixel, and wider where it
//   meets the surface at an angle, up to twenty times
Floats find_flat(const Floats3& across, SurfacePoints& points) {
  const Floats size = norm(across);
  const Floats facing = dot(across, points.to_eye);
  const Floats shrink = 1.0f / size;
  points.flat = choose(size > 0.0f, choose(facing < 0.0f, -shrink, shrink) * across, points.to_eye);
  return greater(0.05f * size, absolute(facing));
}

// The normals that the normal map of a surface gives, in the frame of the directions in which u and
// v grow.
Floats3 bent_normal(const SurfacePoints& points, const Corners& corners,
                    const std::array<Float3, 3>& rows) {
  const SeenSurface& surface = *points.surface;
  const PicturePlaces first = surface.change(corners.place_edge(1));
  const PicturePlaces second = surface.change(corners.place_edge(2));
  const Floats3 across_second = cross(product(rows, corners.edge(2)), points.normal);
  const Floats3 across_first = cross(points.normal, product(rows, corners.edge(1)));
  const Floats3 along_u = first.u * across_second + second.u * across_first;
  const Floats3 along_v = first.v * across_second + second.v * across_first;
  const Floats longest = greater(dot(along_u, along_u), dot(along_v, along_v));
  const Floats3 coded = surface.normal_map.at(points.place).color;
  const Floats scale = surface.normal_strength / square_root(longest);
  const Floats3 bent = unit_or(scale * (2.0f * coded.x - 1.0f) * along_u +
                                   scale * (2.0f * coded.y - 1.0f) * along_v +
                                   (2.0f * coded.z - 1.0f) * points.normal,
                               points.normal);
  return choose(longest > 1e-30f, bent, points.normal);
}

// Adds the ink of a layer.
// @param across  normals in the frame of the geometry, of any length
void add_ink(const SeenShape& seen, const InkLayer& layer, const Corners& corners,
             const Floats3& across, SurfacePoints& points) {
  const PicturePlaces place = corners.place();
  const Floats3 position = corners.mean(corners.mesh().positions);
  const double side = seen.bottom->mirrored ? -1.0 : 1.0;
  const auto at = [](const Floats3& v, int i) { return Vec3{v.x[i], v.y[i], v.z[i]}; };
  for_each_lane(points.used, [&](int i) {
    const auto [u, v] =
        ink_place(seen.ink, side * at(across, i), {place.u[i], place.v[i]},
                  place_in_box(at(position, i), seen.bottom->low, seen.bottom->high));
    const InkLayer::Ink ink = layer.at(u, v);
    set_lane(points.ink, i, {ink.red, ink.green, ink.blue});
    points.ink_density[i] = ink.density;
  });
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

void LightPicture::find_points(const Hits& hits, int first, unsigned used,
                               const Floats3& directions, SurfacePoints& points) const {
  const int leader = first + std::countr_zero(used);
  const SeenShape& seen = bottom_.seen()[hits.shape[leader]];
  const PlacedShape& placed = placed_[hits.shape[leader]];
  const BottomScene& bottom = *seen.bottom;
  // Other rays have the numbers of one that is used.
  const Ints is_used = mask_of(used);
  const auto numbers = [&](const TopScene::OfRays<float>& values) {
    return choose(is_used, load(&values[first]), all(values[leader]));
  };
  const Floats3 direction = choose(is_used, directions, all(of_lane(directions, leader - first)));
  std::array<unsigned, kLanes> triangles;
  for (int i = 0; i < kLanes; ++i) {
    triangles[i] = hits.triangle[(used >> i & 1u) != 0 ? first + i : leader];
  }
  const Floats t = numbers(hits.distance);
  const Corners corners(bottom.mesh, triangles, numbers(hits.u), numbers(hits.v));
  points.surface = placed.surface;
  points.left_out = placed.left_out.any() ? &placed.left_out : nullptr;
  points.used = used;
  points.position = t * direction;
  const Floats length = norm(direction);
  points.distance = t * length;
  points.to_eye = (-1.0f / length) * direction;
  const FourFloats facets = load_four([&](int i) { return bottom.facets[triangles[i]].data(); });
  const Floats3 across{facets.n[0], facets.n[1], facets.n[2]};
  const Floats seen_area = find_flat(product(placed.normal_rows, across), points);
  points.normal = points.flat;
  if (!bottom.mesh.normals.empty()) {
    const Floats3 smooth = product(placed.normal_rows, corners.mean(bottom.mesh.normals));
    points.normal = unit_or(bottom.mirrored ? -smooth : smooth, points.flat);
  }
  if (points.surface->has_pictures) {
    PicturePlaces place = corners.place();
    const Floats area = seen_area * placed.area;
    place.width = t * spread_ * square_root(choose(area > 0.0f, facets.n[3] / area, Floats{}));
    points.place = points.surface->place(place);
    if (points.surface->normal_map) {
      points.normal = bent_normal(points, corners, placed.rows);
    }
  }
  points.ink = Floats3{};
  points.ink_density = Floats{};
  if (const InkLayer* const layer = finishes_[seen.shape]->ink.get()) {
    add_ink(seen, *layer, corners, across, points);
  }
}

// Casts the shadows of a light on what one packet sees.
void LightPicture::cast_shadows(const Lamp& lamp, std::span<SeenPart> parts) const {
  TopScene::Ways ways;
  for (int n = 0; n < TopScene::kParts; ++n) {
    ways.from[n] = ways.direction[n] = Floats3{};
    ways.length[n] = Floats{};
  }
  for (const SeenPart& part : parts) {
    const SurfacePoints& points = part.points;
    if (points.surface->law == ShadingLaw::Unlit) {
      continue;
    }
    const ArrivingLight arriving = lamp.at(points.position, points.used);
    const Ints lit = (arriving.share > 0.0f) & (dot(points.normal, arriving.towards) > 0.0f) &
                     mask_of(points.used);
    // The point is rounded, and may be behind its triangle.
    const Floats offset = 1e-4f * (points.distance + 1.0f);
    const int n = part.first / kLanes;
    ways.from[n] = choose(lit, points.position + offset * points.flat, ways.from[n]);
    ways.direction[n] = choose(lit, arriving.towards, ways.direction[n]);
    ways.length[n] = choose(lit, arriving.distance, ways.length[n]);
    ways.used |= set_of(lit) << part.first;
  }
  if (ways.used == 0) {
    return;
  }
  const TopScene& casters = scenes_[kCasters] ? *scenes_[kCasters] : *scenes_[kOpaque];
  const unsigned blocked = casters.blocked(ways);
  for (SeenPart& part : parts) {
    part.shadows[lamp.shadow] = static_cast<std::uint8_t>(blocked >> part.first & kAllLanes);
  }
}

void LightPicture::cast_shadows(std::span<SeenPart> parts) const {
  for (auto begin = parts.begin(); begin != parts.end();) {
    const auto end = std::find_if(
        begin, parts.end(), [&](const SeenPart& part) { return part.packet != begin->packet; });
    for (const Lamp& lamp : illumination_->lamps()) {
      if (lamp.shadow >= 0) {
        cast_shadows(lamp, {begin, end});
      }
    }
    begin = end;
  }
}

// Translucent Shapes cover what is behind them in the order of the distances of their middles,
// whatever lies in front where.
void LightPicture::cover(const Packet& packet, const OfRays<float>& distances, Light& light) const {
  using Layer = TopScene::Layer;
  OfRays<TopScene::Layers> layers;
  scenes_[kTranslucent]->collect(packet, distances, layers);
  const auto order = [this](const Layer& layer) {
    return std::tuple(-placed_[layer.shape].eye_distance, layer.shape, -layer.distance,
                      layer.triangle);
  };
  // On the edge between two triangles a ray meets both.
  const auto is_same = [](const Layer& a, const Layer& b) {
    return a.shape == b.shape && std::abs(a.distance - b.distance) <= 1e-5f * a.distance;
  };
  OfRays<std::span<const Layer>> left;
  for (int i = 0; i < kRays; ++i) {
    const std::span<Layer> all = layers[i].all();
    std::sort(all.begin(), all.end(),
              [&](const Layer& a, const Layer& b) { return order(a) < order(b); });
    left[i] = std::span(all.begin(), std::unique(all.begin(), all.end(), is_same));
  }
  while (true) {
    Hits hits;  // the farthest layer of each ray that is left
    for (int i = 0; i < kRays; ++i) {
      if (!left[i].empty()) {
        const Layer& layer = left[i].front();
        hits.shape[i] = layer.shape;
        hits.triangle[i] = layer.triangle;
        hits.u[i] = layer.u;
        hits.v[i] = layer.v;
        hits.distance[i] = layer.distance;
        hits.met |= 1u << i;
        left[i] = left[i].subspan(1);
      }
    }
    if (hits.met == 0) {
      return;
    }
    SeenParts parts;
    find_parts({&packet, 1}, {&hits, 1}, parts);
    for (const SeenPart& part : parts.all()) {
      const SeenLight seen = shade(part.points, *illumination_, part.shadows);
      Floats3& below = part.of({&light, 1});
      below = choose(mask_of(part.points.used), mixed(below, seen.light, seen.opacity), below);
    }
  }
}

void LightPicture::find_parts(std::span<const Packet> packets, std::span<const Hits> hits,
                              SeenParts& parts) const {
  for (std::size_t n = 0; n < packets.size(); ++n) {
    for (int first = 0; first < kRays; first += kLanes) {
      const Floats3 directions = packets[n].directions(first);
      const unsigned* const shapes = &hits[n].shape[first];
      unsigned left = hits[n].met >> first & kAllLanes;
      while (left != 0) {
        const unsigned shape = shapes[std::countr_zero(left)];
        unsigned used = 0;
        for_each_lane(left, [&](int i) { used |= shapes[i] == shape ? 1u << i : 0u; });
        SeenPart& part = parts.list[parts.count++];
        part.packet = n;
        part.first = first;
        find_points(hits[n], first, used, directions, part.points);
        part.shadows.fill(0);
        left &= ~used;
      }
    }
  }
}

LightPicture::Light LightPicture::light_behind(const Packet& packet, unsigned met) const {
  Light light;
  for (int first = 0; first < kRays; first += kLanes) {
    const Floats3 d = packet.directions(first);
    const Ints is_ray = (d.x != 0.0f) | (d.y != 0.0f) | (d.z != 0.0f);
    const bool sees_sky = (met >> first & kAllLanes) != kAllLanes;
    light[first / kLanes] =
        sees_sky ? choose(is_ray, illumination_->sky_along(d), Floats3{}) : Floats3{};
  }
  return light;
}

void LightPicture::see(std::span<const Packet> packets, std::span<Light> light) const {
  std::array<Hits, kMostPackets> hits;
  for (std::size_t n = 0; n < packets.size(); ++n) {
    scenes_[kOpaque]->trace(packets[n], hits[n]);
    light[n] = light_behind(packets[n], hits[n].met);
  }
  SeenParts parts;
  find_parts(packets, std::span(hits).first(packets.size()), parts);
  if (illumination_->has_shadows()) {
    cast_shadows(parts.all());
  }
  for (const SeenPart& part : parts.all()) {
    Floats3& seen = part.of(light);
    seen = choose(mask_of(part.points.used), shade(part.points, *illumination_, part.shadows).light,
                  seen);
  }
  for (std::size_t n = 0; scenes_[kTranslucent] && n < packets.size(); ++n) {
    cover(packets[n], hits[n].distance, light[n]);
  }
}

}  // namespace servosim::rays
