// SPDX-License-Identifier: Apache-2.0
// The laws by which a Display is drawn on, pixel by pixel. The figures were derived by hand from
// the descriptions of the laws.
#include "devices/canvas.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace servosim {
namespace canvas_test {

using Rows = std::vector<std::string>;

// An opaque black image.
Image black(int width, int height) {
  Image image{width, height, {}};
  image.pixels.assign(std::size_t{4} * width * height, 0);
  for (std::size_t i = 3; i < image.pixels.size(); i += 4) {
    image.pixels[i] = 255;
  }
  return image;
}

std::vector<int> pixel(const Image& image, int x, int y) {
  const auto* const p = &image.pixels[4 * (static_cast<std::size_t>(y) * image.width + x)];
  return {p[0], p[1], p[2], p[3]};
}

// The image as text: `#` for what is not black.
Rows rows(const Image& image) {
  Rows all;
  for (int y = 0; y < image.height; ++y) {
    all.emplace_back();
    for (int x = 0; x < image.width; ++x) {
      all.back() += pixel(image, x, y)[0] != 0 ? '#' : '.';
    }
  }
  return all;
}

template <typename Draw>
Rows drawn(int width, int height, const Draw& draw) {
  Image image = black(width, height);
  Canvas canvas(image);
  draw(canvas);
  return rows(image);
}

const Brush kWhite;

TEST(Canvas, DrawsLines) {
  const auto line = [](Canvas::Point from, Canvas::Point to) {
    return drawn(8, 4, [&](Canvas& canvas) { canvas.line(from, to, kWhite); });
  };
  EXPECT_EQ(line({0, 0}, {7, 3}), (Rows{"##......", "..##....", "....##..", "......##"}));
  EXPECT_EQ(line({0, 3}, {7, 0}), (Rows{"......##", "....##..", "..##....", "##......"}));
  EXPECT_EQ(line({1, 0}, {2, 3}), (Rows{".#......", ".#......", "..#.....", "..#....."}));
  EXPECT_EQ(line({0, 0}, {3, 3}), (Rows{"#.......", ".#......", "..#.....", "...#...."}));
  EXPECT_EQ(line({6, 1}, {2, 1}), (Rows{"........", "..#####.", "........", "........"}));
  EXPECT_EQ(line({5, 2}, {5, 2}), (Rows{"........", "........", ".....#..", "........"}));
  // At half a pixel, the side of the start counts.
  EXPECT_EQ(line({0, 0}, {4, 2}), (Rows{"##......", "..##....", "....#...", "........"}));
}

// What is outside is left out, and the inner part is that of the whole line.
TEST(Canvas, ClipsLinesOfAnyLength) {
  constexpr std::int32_t kFar = std::numeric_limits<std::int32_t>::max();
  constexpr std::int32_t kLow = std::numeric_limits<std::int32_t>::min();
  const Rows diagonal{"#...", ".#..", "..#.", "...#"};
  EXPECT_EQ(drawn(4, 4, [](Canvas& c) { c.line({kLow, kLow}, {kFar, kFar}, kWhite); }), diagonal);
  EXPECT_EQ(drawn(4, 4, [](Canvas& c) { c.line({kFar, kFar}, {-3, -3}, kWhite); }), diagonal);
  EXPECT_EQ(drawn(4, 2,
                  [](Canvas& c) {
                    c.line({-1, 0}, {kFar, 0}, kWhite);
                  }),
            (Rows{"####", "...."}));
  EXPECT_EQ(drawn(4, 2,
                  [](Canvas& c) {
                    c.line({-5, 4}, {9, 4}, kWhite);
                  }),
            (Rows{"....", "...."}));
}

TEST(Canvas, DrawsRectangles) {
  EXPECT_EQ(drawn(6, 5,
                  [](Canvas& c) {
                    c.rectangle({1, 1}, 4, 3, kWhite);
                  }),
            (Rows{"......", ".####.", ".#..#.", ".####.", "......"}));
  EXPECT_EQ(drawn(6, 3,
                  [](Canvas& c) {
                    c.rectangle({1, 1}, 4, 1, kWhite);
                  }),
            (Rows{"......", ".####.", "......"}));
  EXPECT_EQ(drawn(4, 4,
                  [](Canvas& c) {
                    c.rectangle({2, -1}, 1, 4, kWhite);
                  }),
            (Rows{"..#.", "..#.", "..#.", "...."}));
  EXPECT_EQ(drawn(4, 3,
                  [](Canvas& c) {
                    c.fill_rectangle({-2, 1}, 4, 2147483647, kWhite);
                  }),
            (Rows{"....", "##..", "##.."}));
}

// With half of the opacity, each pixel of a frame is drawn once.
TEST(Canvas, DrawsEachPixelOnce) {
  Brush half;
  half.opacity = 100;
  Image image = black(9, 9);
  Canvas canvas(image);
  canvas.rectangle({0, 0}, 9, 9, half);
  canvas.oval({4, 4}, {3, 2}, false, half);
  for (int y = 0; y < 9; ++y) {
    for (int x = 0; x < 9; ++x) {
      EXPECT_TRUE(pixel(image, x, y)[0] == 0 || pixel(image, x, y)[0] == 100) << x << ' ' << y;
    }
  }
}

TEST(Canvas, DrawsOvals) {
  EXPECT_EQ(drawn(7, 5,
                  [](Canvas& c) {
                    c.oval({3, 2}, {3, 2}, false, kWhite);
                  }),
            (Rows{"..###..", ".#...#.", "#.....#", ".#...#.", "..###.."}));
  EXPECT_EQ(drawn(7, 5,
                  [](Canvas& c) {
                    c.oval({3, 2}, {3, 2}, true, kWhite);
                  }),
            (Rows{"..###..", ".#####.", "#######", ".#####.", "..###.."}));
  EXPECT_EQ(drawn(3, 3,
                  [](Canvas& c) {
                    c.oval({1, 1}, {1, 1}, false, kWhite);
                  }),
            (Rows{".#.", "#.#", ".#."}));
}

TEST(Canvas, DrawsPolygons) {
  using Corners = std::vector<Canvas::Point>;
  const auto polygon = [](const Corners& corners, bool filled) {
    return drawn(8, 6, [&](Canvas& c) { c.polygon(corners, filled, kWhite); });
  };
  const Corners triangle{{1, 1}, {6, 1}, {1, 5}};
  EXPECT_EQ(polygon(triangle, true),
            (Rows{"........", ".######.", ".#####..", ".####...", ".###....", ".#......"}));
  EXPECT_EQ(polygon(triangle, false),
            (Rows{"........", ".######.", ".#...#..", ".#..#...", ".#.#....", ".#......"}));
  // The uppermost row of a polygon without an edge along it has no crossing.
  EXPECT_EQ(polygon({{3, 0}, {6, 3}, {0, 3}}, true),
            (Rows{"........", "..###...", ".#####..", "#######.", "........", "........"}));
  // Two arms of one form meet where crossings are equal, and are shifted by one there.
  EXPECT_EQ(polygon({{0, 0}, {2, 4}, {4, 0}, {6, 4}, {0, 4}}, true)[4], "#######.");
}

TEST(Canvas, BlendsByOpacityAndWritesAlpha) {
  Image image = black(2, 1);
  Canvas canvas(image);
  Brush brush;
  brush.color = {200, 100, 50};
  brush.opacity = 128;
  brush.alpha = 10;
  canvas.pixel(0, 0, brush);
  // (255 - 128) old + 128 new, divided by 255 without a rest.
  EXPECT_EQ(pixel(image, 0, 0), (std::vector<int>{100, 50, 25, (127 * 255 + 128 * 10) / 255}));
  brush.opacity = 255;
  brush.alpha = 0;
  canvas.pixel(1, 0, brush);
  EXPECT_EQ(pixel(image, 1, 0), (std::vector<int>{200, 100, 50, 0})) << "a pixel keeps its colour";
  canvas.fill_rectangle({0, 0}, 2, 1, brush);
  EXPECT_EQ(pixel(image, 0, 0), (std::vector<int>{0, 0, 0, 0})) << "a rectangle does not";
  brush.alpha = 7;
  canvas.fill_rectangle({0, 0}, 2, 1, brush);
  EXPECT_EQ(pixel(image, 1, 0), (std::vector<int>{200, 100, 50, 7}));
}

TEST(Canvas, DrawsGlyphsFromTheBaseline) {
  Glyph glyph;
  glyph.left = 1;
  glyph.top = 2;
  glyph.width = 2;
  glyph.coverage = {255, 0, 51, 255};
  Image image = black(5, 4);
  Brush brush;
  brush.opacity = 200;
  Canvas(image).glyph({1, 3}, glyph, brush);
  EXPECT_EQ(rows(image), (Rows{".....", "..#..", "..##.", "....."}));
  EXPECT_EQ(pixel(image, 2, 1)[0], 200);
  EXPECT_EQ(pixel(image, 2, 2)[0], 40);
}

TEST(Canvas, CopiesAndPastesWhatIsInside) {
  Image image = black(4, 3);
  Canvas canvas(image);
  canvas.pixel(3, 2, kWhite);
  const Image part = part_of(image, {2, 1}, 9, 9);
  EXPECT_EQ(part.width, 2);
  EXPECT_EQ(rows(part), (Rows{"..", ".#"}));
  EXPECT_EQ(part_of(image, {4, 0}, 3, 3).pixels.size(), 0u);
  canvas.paste(part, {-1, -1}, false);
  EXPECT_EQ(rows(image), (Rows{"#...", "....", "...#"}));
  Image glass = black(1, 1);
  glass.pixels = {100, 50, 0, 51};
  canvas.paste(glass, {3, 2}, true);
  EXPECT_EQ(pixel(image, 3, 2), (std::vector<int>{224, 214, 204, 255}));
  image.pixels[3] = 60;
  canvas.paste(glass, {0, 0}, true);
  EXPECT_EQ(pixel(image, 0, 0)[3], 111) << "alphas add up";
}

}  // namespace canvas_test
}  // namespace servosim
