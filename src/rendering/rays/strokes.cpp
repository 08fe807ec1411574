// SPDX-License-Identifier: Apache-2.0
#include "rendering/rays/strokes.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace servosim::rays {

std::vector<StrokeShape> strokes_of(const std::vector<DrawnShape>& shapes) {
  std::vector<StrokeShape> strokes;
  for (std::size_t s = 0; s < shapes.size(); ++s) {
    const DrawnShape& shape = shapes[s];
    if (shape.mesh != nullptr && !(shape.mesh->lines.empty() && shape.mesh->dots.empty())) {
      strokes.push_back({shape.mesh, shape.scale, s});
    }
  }
  return strokes;
}

StrokePainter::Spot StrokePainter::spot_of(const Vec3& p) const {
  const double w = pattern_.width;
  const double h = pattern_.height;
  const double angle = pattern_.field_of_view;
  if (pattern_.projection == Projection::Planar) {
    const double span = 2.0 * p.x * std::tan(0.5 * angle) / w;  // of a pixel there
    return {0.5 * w - p.y / span, 0.5 * h - p.z / span};
  }
  const Vec3 d = unit_or(p, {1.0, 0.0, 0.0});
  if (pattern_.projection == Projection::Cylindrical) {
    return {0.5 * w - std::atan2(d.y, d.x) * w / angle,
            0.5 * h - std::asin(std::clamp(d.z, -1.0, 1.0)) * w / angle};
  }
  const double across = std::hypot(d.y, d.z);
  const double off = across > 0.0 ? std::acos(std::clamp(d.x, -1.0, 1.0)) / (angle * across) : 0.0;
  return {w * (0.5 - off * d.y), h * (0.5 - off * d.z)};
}

std::map<std::size_t, StrokePixel> StrokePainter::paint(const Glance& glance,
                                                        const std::vector<StrokeShape>& strokes) {
  pixels_.clear();
  const Pose to_eye = inverse(glance.eye);
  for (const StrokeShape& stroke : strokes) {
    const Finish& finish = *glance.looks->finishes[stroke.shape];
    if (is_hidden(glance, stroke.shape) || finish.transparency >= 1.0) {
      continue;
    }
    const DrawnMesh& mesh = *stroke.mesh;
    const Pose pose = to_eye * glance.shapes[stroke.shape];
    const auto place = [&](std::uint32_t vertex) {
      const float* const p = &mesh.positions[std::size_t{3} * vertex];
      return pose * scaled({p[0], p[1], p[2]}, stroke.scale);
    };
    const Float3 plain =
        finish.law == ShadingLaw::Phong ? to_float(finish.emission) : Float3{1.0f, 1.0f, 1.0f};
    const auto color = [&](std::uint32_t vertex) {
      const std::size_t first = std::size_t{3} * vertex;
      return mesh.colors.empty()
                 ? plain
                 : Float3{mesh.colors[first], mesh.colors[first + 1], mesh.colors[first + 2]};
    };
    for (std::size_t i = 0; i + 1 < mesh.lines.size(); i += 2) {
      color_ = color(mesh.lines[i]);
      add_line(place(mesh.lines[i]), place(mesh.lines[i + 1]), glance.near);
    }
    for (const std::uint32_t dot : mesh.dots) {
      const Vec3 at = place(dot);
      color_ = color(dot);
      if (pattern_.projection == Projection::Planar ? at.x >= glance.near
                                                    : norm(at) >= glance.near) {
        add_point(at, spot_of(at));
      }
    }
  }
  return std::move(pixels_);
}

void StrokePainter::add_line(Vec3 from, Vec3 to, double near) {
  if (pattern_.projection == Projection::Planar) {
    if (from.x > to.x) {
      std::swap(from, to);
    }
    if (!(to.x > near)) {
      return;
    }
    if (from.x < near) {
      from = from + (near - from.x) / (to.x - from.x) * (to - from);
    }
  }
  split(from, to, spot_of(from), spot_of(to), 0);
}

// Halves a line until each part is within a pixel. A part that is wholly beyond one side of a
// planar picture is left out.
void StrokePainter::split(const Vec3& from, const Vec3& to, const Spot& first, const Spot& last,
                          int depth) {
  constexpr int kMostHalvings = 40;
  if (pattern_.projection == Projection::Planar &&
      (std::max(first.x, last.x) < 0.0 || std::min(first.x, last.x) > pattern_.width ||
       std::max(first.y, last.y) < 0.0 || std::min(first.y, last.y) > pattern_.height)) {
    return;
  }
  const double length = std::max(std::abs(last.x - first.x), std::abs(last.y - first.y));
  const Vec3 middle = 0.5 * (from + to);
  if (length <= 0.5 || depth == kMostHalvings) {
    add_point(middle, spot_of(middle));
    return;
  }
  const Spot half = spot_of(middle);
  split(from, middle, first, half, depth + 1);
  split(middle, to, half, last, depth + 1);
}

void StrokePainter::add_point(const Vec3& place, const Spot& spot) {
  if (!(spot.x >= 0.0 && spot.x < pattern_.width && spot.y >= 0.0 && spot.y < pattern_.height)) {
    return;
  }
  const std::size_t pixel =
      static_cast<std::size_t>(spot.y) * static_cast<std::size_t>(pattern_.width) +
      static_cast<std::size_t>(spot.x);
  const auto [known, is_new] = pixels_.try_emplace(pixel, StrokePixel{place, color_});
  if (!is_new && dot(place, place) < dot(known->second.place, known->second.place)) {
    known->second = {place, color_};
  }
}

}  // namespace servosim::rays
