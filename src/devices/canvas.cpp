// SPDX-License-Identifier: Apache-2.0
#include "devices/canvas.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

namespace servosim {

namespace {

std::uint8_t mixed_byte(int before, int now, int share) {
  return static_cast<std::uint8_t>(((255 - share) * before + share * now) / 255);
}

// Draws a pixel of four bytes.
void draw_over(std::uint8_t* p, const Brush& brush) {
  for (std::size_t i = 0; i < 3; ++i) {
    p[i] = mixed_byte(p[i], brush.color[i], brush.opacity);
  }
  p[3] = mixed_byte(p[3], brush.alpha, brush.opacity);
}

// The steps along the shorter axis after `i` steps along the longer one: those of Bresenham, with
// ties to the side of the start.
std::int64_t shorter_steps(std::int64_t i, std::int64_t shorter, std::int64_t longer) {
  const auto product = static_cast<std::uint64_t>(shorter) * static_cast<std::uint64_t>(i);
  const auto whole = static_cast<std::uint64_t>(longer);
  return static_cast<std::int64_t>(product / whole + (2 * (product % whole) > whole ? 1 : 0));
}

// Returns a b / c without its rest, of numbers with at most 33 bits and a sign.
std::int64_t share_of(std::int64_t a, std::int64_t b, std::int64_t c) {
  const auto size = [](std::int64_t x) { return static_cast<std::uint64_t>(std::abs(x)); };
  const auto quotient = static_cast<std::int64_t>(size(a) * size(b) / size(c));
  return ((a < 0) != (b < 0)) != (c < 0) ? -quotient : quotient;
}

}  // namespace

void Canvas::pixel(std::int64_t x, std::int64_t y, const Brush& brush) {
  if (x < 0 || y < 0 || x >= image_.width || y >= image_.height) {
    return;
  }
  draw_over(at(x, y), brush);
}

// Most controllers fill all of a Display in each step, so pixels are not blended without need.
void Canvas::row(std::int64_t left, std::int64_t right, std::int64_t y, const Brush& brush) {
  if (y < 0 || y >= image_.height) {
    return;
  }
  const std::int64_t first = std::max<std::int64_t>(left, 0);
  const std::int64_t last = std::min<std::int64_t>(right, image_.width - 1);
  if (first > last) {
    return;
  }
  const std::array<std::uint8_t, 4> now{brush.color[0], brush.color[1], brush.color[2],
                                        brush.alpha};
  std::uint8_t* p = at(first, y);
  for (std::int64_t x = first; x <= last; ++x, p += 4) {
    if (brush.opacity == 255) {
      std::memcpy(p, now.data(), now.size());
    } else {
      draw_over(p, brush);
    }
  }
}

// Only the part along the longer axis that may be seen is walked along, since a line may be as long
// as numbers are large.
void Canvas::line(const Point& from, const Point& to, const Brush& brush) {
  const std::int64_t dx = std::int64_t{to[0]} - from[0];
  const std::int64_t dy = std::int64_t{to[1]} - from[1];
  const std::size_t along = std::abs(dx) > std::abs(dy) ? 0 : 1;
  const std::array<std::int64_t, 2> change{dx, dy};
  const std::int64_t longer = std::abs(change[along]);
  const std::int64_t shorter = std::abs(change[1 - along]);
  if (longer == 0) {
    return pixel(from[0], from[1], brush);
  }
  const std::int64_t sense = change[along] > 0 ? 1 : -1;
  const std::int64_t across = change[1 - along] > 0 ? 1 : -1;
  const std::int64_t last = (along == 0 ? image_.width : image_.height) - 1;
  const std::int64_t begin = from[along];
  const std::int64_t first_step = std::max<std::int64_t>(0, sense > 0 ? -begin : begin - last);
  const std::int64_t last_step = std::min(longer, sense > 0 ? last - begin : begin);
  for (std::int64_t i = first_step; i <= last_step; ++i) {
    const std::int64_t a = begin + sense * i;
    const std::int64_t b = from[1 - along] + across * shorter_steps(i, shorter, longer);
    along == 0 ? pixel(a, b, brush) : pixel(b, a, brush);
  }
}

void Canvas::rectangle(const Point& corner, std::int32_t width, std::int32_t height,
                       const Brush& brush) {
  const std::int64_t left = corner[0];
  const std::int64_t top = corner[1];
  const std::int64_t right = left + width - 1;
  const std::int64_t bottom = top + height - 1;
  row(left, right, top, brush);
  if (bottom > top) {
    row(left, right, bottom, brush);
  }
  const std::int64_t last = std::min<std::int64_t>(bottom - 1, image_.height - 1);
  for (std::int64_t y = std::max<std::int64_t>(top + 1, 0); y <= last; ++y) {
    pixel(left, y, brush);
    if (right > left) {
      pixel(right, y, brush);
    }
  }
}

// Without alpha nothing is left of the colour, as Webots writes the pixels then.
void Canvas::fill_rectangle(const Point& corner, std::int32_t width, std::int32_t height,
                            const Brush& brush) {
  const std::int64_t right = std::int64_t{corner[0]} + width - 1;
  const std::int64_t bottom =
      std::min<std::int64_t>(std::int64_t{corner[1]} + height - 1, image_.height - 1);
  Brush direct = brush;
  if (brush.opacity == 255 && brush.alpha == 0) {
    direct.color = {};
  }
  for (std::int64_t y = std::max(corner[1], 0); y <= bottom; ++y) {
    row(corner[0], right, y, direct);
  }
}

// A quarter of the outline begins at x = a with r = a b². While x > 0, y grows if r > 0, and r
// falls by 2 a² y; then x shrinks if r <= 0, and r grows by 2 b² x. Each pixel is drawn once.
void Canvas::oval(const Point& middle, const Point& radii, bool is_filled, const Brush& brush) {
  const std::int64_t a = radii[0];
  const std::int64_t b = radii[1];
  std::int64_t x = a;
  std::int64_t y = 0;
  std::int64_t change_x = 2 * a * b * b;
  std::int64_t change_y = 0;
  std::int64_t r = a * b * b;
  std::vector<std::pair<std::int64_t, std::int64_t>> quarter{{x, y}};  // rows in rising order
  while (x > 0) {
    if (r > 0) {
      ++y;
      change_y += 2 * a * a;
      r -= change_y;
    }
    if (r <= 0) {
      --x;
      change_x -= 2 * b * b;
      r += change_x;
    }
    quarter.emplace_back(x, y);
  }
  std::int64_t filled = -1;
  for (const auto& [dx, dy] : quarter) {
    for (const std::int64_t row_of : {middle[1] - dy, middle[1] + dy}) {
      if (is_filled && dy > filled) {
        row(middle[0] - dx, middle[0] + dx, row_of, brush);
      } else if (!is_filled) {
        pixel(middle[0] - dx, row_of, brush);
        if (dx > 0) {
          pixel(middle[0] + dx, row_of, brush);
        }
      }
      if (dy == 0) {
        break;
      }
    }
    filled = std::max(filled, dy);
  }
}

void Canvas::polygon(std::span<const Point> corners, bool is_filled, const Brush& brush) {
  std::int64_t top = corners[0][1];
  std::int64_t bottom = top;
  for (const Point& corner : corners) {
    top = std::min<std::int64_t>(top, corner[1]);
    bottom = std::max<std::int64_t>(bottom, corner[1]);
  }
  bottom = std::min<std::int64_t>(bottom, image_.height - 1);
  std::vector<std::int64_t> crossings;
  std::vector<std::pair<std::int64_t, std::int64_t>> spans;  // of one row, first and last pixel
  for (std::int64_t y = std::max<std::int64_t>(top, 0); y <= bottom; ++y) {
    crossings.clear();
    spans.clear();
    for (std::size_t i = 0; i < corners.size(); ++i) {
      const Point& from = corners[i];
      const Point& to = corners[(i + 1) % corners.size()];
      if (from[1] == to[1]) {
        if (from[1] == y) {
          spans.emplace_back(std::min(from[0], to[0]), std::max(from[0], to[0]));
        }
      } else if ((from[1] < y && y <= to[1]) || (to[1] < y && y <= from[1])) {
        crossings.push_back(from[0] + share_of(y - from[1], std::int64_t{to[0]} - from[0],
                                               std::int64_t{to[1]} - from[1]));
      }
    }
    std::sort(crossings.begin(), crossings.end());
    for (std::size_t i = 0; i + 1 < crossings.size(); i += 2) {
      if (i > 0 && crossings[i] == crossings[i - 1]) {
        ++crossings[i];
      }
      if (is_filled) {
        spans.emplace_back(crossings[i], crossings[i + 1]);
      } else {
        spans.emplace_back(crossings[i], crossings[i]);
        spans.emplace_back(crossings[i + 1], crossings[i + 1]);
      }
    }
    std::sort(spans.begin(), spans.end());
    std::int64_t next = INT64_MIN;  // what is left of it is drawn already
    for (const auto& [left, right] : spans) {
      row(std::max(left, next), right, y, brush);
      next = std::max(next, right + 1);
    }
  }
}

void Canvas::glyph(const Point& pen, const Glyph& glyph, const Brush& brush) {
  const std::int64_t left = std::int64_t{pen[0]} + glyph.left;
  const std::int64_t top = std::int64_t{pen[1]} - glyph.top;
  Brush part = brush;
  for (std::int64_t i = 0; i < std::ssize(glyph.coverage); ++i) {
    const int coverage = glyph.coverage[static_cast<std::size_t>(i)];
    if (coverage > 0) {
      part.opacity = static_cast<std::uint8_t>(brush.opacity * coverage / 255);
      pixel(left + i % glyph.width, top + i / glyph.width, part);
    }
  }
}

Image part_of(const Image& image, const Canvas::Point& corner, std::int32_t width,
              std::int32_t height) {
  const auto inside = [](std::int64_t x, int size) {
    return static_cast<int>(std::clamp<std::int64_t>(x, 0, size));
  };
  const int left = inside(corner[0], image.width);
  const int top = inside(corner[1], image.height);
  const int right = std::max(left, inside(std::int64_t{corner[0]} + width, image.width));
  const int bottom = std::max(top, inside(std::int64_t{corner[1]} + height, image.height));
  Image part{right - left, bottom - top, {}};
  for (int y = top; y < bottom && right > left; ++y) {
    const auto* const begin = &image.pixels[4 * (static_cast<std::size_t>(y) * image.width + left)];
    part.pixels.insert(part.pixels.end(), begin, begin + std::size_t{4} * part.width);
  }
  return part;
}

void Canvas::paste(const Image& image, const Point& corner, bool is_blended) {
  for (int j = 0; j < image.height; ++j) {
    for (int i = 0; i < image.width; ++i) {
      const std::int64_t x = std::int64_t{corner[0]} + i;
      const std::int64_t y = std::int64_t{corner[1]} + j;
      if (x < 0 || y < 0 || x >= image_.width || y >= image_.height) {
        continue;
      }
      const std::uint8_t* const from =
          &image.pixels[4 * (static_cast<std::size_t>(j) * image.width + i)];
      std::uint8_t* const to = at(x, y);
      if (is_blended) {
        for (int part = 0; part < 3; ++part) {
          to[part] = mixed_byte(to[part], from[part], from[3]);
        }
        to[3] = static_cast<std::uint8_t>(std::min(255, to[3] + from[3]));
      } else {
        std::copy_n(from, 4, to);
      }
    }
  }
}

}  // namespace servosim
