// SPDX-License-Identifier: Apache-2.0
#include "view/still/canvas.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/packed_png.h"

namespace servosim::still {
namespace {

constexpr double kMargin = 20.0;  // around the picture, where marks may begin [pixels]

// A share of a line, from 0 to 1, and the way to it in pixels.
struct NearestPoint {
  double share = 0.0;
  double distance = 0.0;
};

NearestPoint nearest_on(const StillEye::Spot& from, const StillEye::Spot& to, double x, double y) {
  const double dx = to.x - from.x;
  const double dy = to.y - from.y;
  const double square = dx * dx + dy * dy;
  const double share =
      square > 0.0 ? std::clamp(((x - from.x) * dx + (y - from.y) * dy) / square, 0.0, 1.0) : 0.0;
  return {share, std::hypot(x - from.x - share * dx, y - from.y - share * dy)};
}

// Cuts a line, with its opacities, by a limit of one coordinate; returns whether something is left.
bool cut(double StillEye::Spot::*part, double limit, double sign, StillEye::Spot& from,
         StillEye::Spot& to, MarkLine& line) {
  const double a = sign * (from.*part - limit);
  const double b = sign * (to.*part - limit);
  if (a < 0.0 && b < 0.0) {
    return false;
  }
  if (a >= 0.0 && b >= 0.0) {
    return true;
  }
  const double share = a / (a - b);
  // In a picture the inverse of the depth changes evenly along a line.
  const StillEye::Spot cutting{
      from.x + share * (to.x - from.x), from.y + share * (to.y - from.y),
      1.0 / (1.0 / from.depth + share * (1.0 / to.depth - 1.0 / from.depth))};
  const double opacity = line.from_opacity + share * (line.to_opacity - line.from_opacity);
  (a < 0.0 ? from : to) = cutting;
  (a < 0.0 ? line.from_opacity : line.to_opacity) = opacity;
  return true;
}

}  // namespace

void StillCanvas::blend(int column, int row, const Vec3& color, double opacity) {
  std::uint8_t* const pixel = &pixels[3 * (std::size_t{1} * row * width + column)];
  const std::array<double, 3> parts{color.x, color.y, color.z};
  for (std::size_t i = 0; i < 3; ++i) {
    pixel[i] = static_cast<std::uint8_t>(
        std::lround(pixel[i] + opacity * (255.0 * std::clamp(parts[i], 0.0, 1.0) - pixel[i])));
  }
}

void StillCanvas::draw(const StillEye& eye, const MarkLine& line) {
  const Pose to_eye = inverse(eye.pose);
  Vec3 from = to_eye * line.from;
  Vec3 to = to_eye * line.to;
  MarkLine rest = line;
  if (!is_finite(from) || !is_finite(to) || (from.x < eye.near && to.x < eye.near)) {
    return;
  }
  const double share = (eye.near - from.x) / (to.x - from.x);
  const double opacity = line.from_opacity + share * (line.to_opacity - line.from_opacity);
  if (from.x < eye.near) {
    from = from + share * (to - from);
    rest.from_opacity = opacity;
  } else if (to.x < eye.near) {
    to = from + share * (to - from);
    rest.to_opacity = opacity;
  }
  StillEye::Spot a = eye.spot_of(from, width, height);
  StillEye::Spot b = eye.spot_of(to, width, height);
  using Spot = StillEye::Spot;
  if (cut(&Spot::x, -kMargin, 1.0, a, b, rest) &&
      cut(&Spot::x, width + kMargin, -1.0, a, b, rest) &&
      cut(&Spot::y, -kMargin, 1.0, a, b, rest) &&
      cut(&Spot::y, height + kMargin, -1.0, a, b, rest)) {
    draw_across(a, b, rest);
  }
}

// Draws the pixels near a line, column by column or row by row.
void StillCanvas::draw_across(const StillEye::Spot& from, const StillEye::Spot& to,
                              const MarkLine& line) {
  const double dx = to.x - from.x;
  const double dy = to.y - from.y;
  const bool is_flat = std::abs(dx) >= std::abs(dy);
  const double reach = 0.5 * line.width + 1.0;
  const double along_from = is_flat ? from.x : from.y;
  const double along_to = is_flat ? to.x : to.y;
  const double slope = along_to != along_from ? (is_flat ? dy / dx : dx / dy) : 0.0;
  const double side = reach * std::hypot(1.0, slope);
  const int most_along = (is_flat ? width : height) - 1;
  const int most_across = (is_flat ? height : width) - 1;
  const auto pixel = [](double x, int most) {
    return static_cast<int>(std::clamp(std::floor(x), 0.0, static_cast<double>(most)));
  };
  const int begin = pixel(std::min(along_from, along_to) - reach, most_along);
  const int end = pixel(std::max(along_from, along_to) + reach, most_along);
  for (int i = begin; i <= end; ++i) {
    const double middle =
        (is_flat ? from.y : from.x) + slope * (std::clamp(i + 0.5, std::min(along_from, along_to),
                                                          std::max(along_from, along_to)) -
                                               along_from);
    for (int k = pixel(middle - side, most_across); k <= pixel(middle + side, most_across); ++k) {
      const int column = is_flat ? i : k;
      const int row = is_flat ? k : i;
      const NearestPoint point = nearest_on(from, to, column + 0.5, row + 0.5);
      const double covered = std::clamp(0.5 * line.width + 0.5 - point.distance, 0.0, 1.0);
      if (covered == 0.0) {
        continue;
      }
      const double depth =
          1.0 / (1.0 / from.depth + point.share * (1.0 / to.depth - 1.0 / from.depth));
      if (line.is_on_ground && depth > depths[std::size_t{1} * row * width + column]) {
        continue;
      }
      const double opacity =
          line.from_opacity + point.share * (line.to_opacity - line.from_opacity);
      blend(column, row, line.color, covered * opacity);
    }
  }
}

void StillCanvas::draw(const StillEye& eye, const MarkDot& dot) {
  const Vec3 seen = inverse(eye.pose) * dot.at;
  if (!is_finite(seen) || seen.x < eye.near) {
    return;
  }
  const auto [x, y, depth] = eye.spot_of(seen, width, height);
  const bool is_mass = dot.sign == MarkDot::Sign::Mass;
  const double radius = is_mass ? 6.5 : 3.8;  // [pixels]
  const double rim = 1.0;
  constexpr Vec3 kDark{0.114, 0.145, 0.188};
  constexpr Vec3 kLight{0.969, 0.973, 0.98};
  constexpr Vec3 kRed{0.898, 0.282, 0.302};
  const auto first = [](double at) { return static_cast<int>(std::floor(at)); };
  if (std::abs(x) > 1e6 || std::abs(y) > 1e6) {
    return;
  }
  for (int row = std::max(0, first(y - radius - 1));
       row <= std::min(height - 1, first(y + radius + 1)); ++row) {
    for (int column = std::max(0, first(x - radius - 1));
         column <= std::min(width - 1, first(x + radius + 1)); ++column) {
      const double dx = column + 0.5 - x;
      const double dy = row + 0.5 - y;
      const double distance = std::hypot(dx, dy);
      const double covered = std::clamp(radius + 0.5 - distance, 0.0, 1.0);
      const double inside = std::clamp(radius - rim + 0.5 - distance, 0.0, 1.0);
      const Vec3 inner = !is_mass ? kRed : (dx < 0.0) == (dy < 0.0) ? kDark : kLight;
      const Vec3 outer = is_mass ? kDark : Vec3{1.0, 1.0, 1.0};
      blend(column, row, inside * inner + (1.0 - inside) * outer, covered);
    }
  }
}

std::string StillCanvas::png() const {
  return packed_png(width, height, PixelBytes::Color,
                    {reinterpret_cast<const char*>(pixels.data()), pixels.size()});
}

}  // namespace servosim::still
