// SPDX-License-Identifier: Apache-2.0
// Where the pictures of Shapes are, and what is seen of their pixels.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "rendering/light_scenery.h"

namespace servosim {
namespace light_test {

// Where a ray meets a Shape, as the place in its picture: u to the right, v downwards.
std::array<double, 2> place_on(const DrawnShape& shape, const Vec3& from, const Vec3& to) {
  Finish finish;
  finish.color_map.image = places();
  Scenery scenery;
  scenery.add(shape, {}, finish);
  const Vec3 x = unit_or(to - from, {});
  const Vec3 y = unit_or(cross({0.1, 0.2, 1.0}, x), {});
  const Vec3 z = cross(x, y);
  scenery.eye = {{{x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z}}, from};
  const Vec3 seen = scenery.see_ahead();
  return {(255.0 * seen.x + 0.5) / 256.0, (255.0 * seen.y + 0.5) / 256.0};
}

void expect_place(const std::array<double, 2>& seen, double u, double v, double tolerance = 3e-3) {
  EXPECT_NEAR(seen[0], u, tolerance);
  EXPECT_NEAR(seen[1], v, tolerance);
}

TEST(Light, ShowsPicturesWherePrimitivesHaveThem) {
  const DrawnShape cube = box({1.0, 1.0, 1.0});
  expect_place(place_on(cube, {3.0, 0.2, 0.1}, {0.5, 0.2, 0.1}), 0.7, 0.4);
  expect_place(place_on(cube, {-3.0, 0.2, 0.1}, {-0.5, 0.2, 0.1}), 0.3, 0.4);
  expect_place(place_on(cube, {0.2, 3.0, 0.1}, {0.2, 0.5, 0.1}), 0.3, 0.4);
  expect_place(place_on(cube, {0.2, -3.0, 0.1}, {0.2, -0.5, 0.1}), 0.7, 0.4);
  expect_place(place_on(cube, {0.2, 0.1, 3.0}, {0.2, 0.1, 0.5}), 0.7, 0.4);
  expect_place(place_on(cube, {0.2, 0.1, -3.0}, {0.2, 0.1, -0.5}), 0.7, 0.6);
  expect_place(place_on(plane(2.0, 4.0), {0.4, 0.4, 3.0}, {0.4, 0.4, 0.0}), 0.7, 0.4);
  const DrawnShape can = round(Form::Cylinder, 0.5, 2.0);
  // A quarter of a turn from +y towards +x.
  expect_place(place_on(can, {3.0, 0.0, 0.5}, {0.5, 0.0, 0.5}), 0.75, 0.25);
  expect_place(place_on(can, {0.1, 0.2, 3.0}, {0.1, 0.2, 1.0}), 0.6, 0.3);
  expect_place(place_on(can, {0.1, 0.2, -3.0}, {0.1, 0.2, -1.0}), 0.6, 0.7);
  const DrawnShape cone = round(Form::Cone, 0.5, 2.0);
  expect_place(place_on(cone, {0.1, 0.2, -3.0}, {0.1, 0.2, -1.0}), 0.6, 0.7);
  EXPECT_NEAR(place_on(cone, {3.0, 0.0, -0.5}, {0.3, 0.0, -0.5})[1], 0.75, 0.01);
  EXPECT_NEAR(place_on(cone, {3.0, 0.0, -0.5}, {0.3, 0.0, -0.5})[0], 0.75, 0.02);
  const DrawnShape ball = round(Form::Sphere, 0.5, 0.0);
  const auto on_ball = [&ball](double turn, double latitude) {  // from +y over -x
    const Vec3 to{-std::sin(turn) * std::cos(latitude), std::cos(turn) * std::cos(latitude),
                  std::sin(latitude)};
    return place_on(ball, 3.0 * to, {});
  };
  expect_place(on_ball(0.25 * 2.0 * kPi, 0.0), 0.25, 0.5, 0.01);
  expect_place(on_ball(0.6 * 2.0 * kPi, 0.25 * kPi), 0.6, 0.25, 0.01);
  expect_place(on_ball(0.93 * 2.0 * kPi, -0.1 * kPi), 0.93, 0.6, 0.01);
  const DrawnShape pill = round(Form::Capsule, 0.5, 2.0);
  expect_place(place_on(pill, {3.0, 0.0, 0.5}, {0.5, 0.0, 0.5}), 0.75, 0.4167, 0.01);
  EXPECT_NEAR(place_on(pill, {0.0, 0.3, 4.0}, {0.0, 0.3, 1.0})[1],
              (1.0 - std::acos(0.6) / (0.5 * kPi)) / 3.0, 0.01);
}

TEST(Light, ShowsPicturesAsTheyAreTurnedAndRepeated) {
  const auto seen = [](const auto& change) {
    Finish finish;
    finish.color_map.image = places();
    change(finish);
    Scenery scenery;
    scenery.add(plane(1.0, 1.0), facing(1.0), finish);
    scenery.eye.translation = {0.0, -0.2, 0.1};  // 0.2 to the right and 0.1 up: u 0.7, v 0.4
    const Vec3 light = scenery.see_ahead();
    return std::array{(255.0 * light.x + 0.5) / 256.0, (255.0 * light.y + 0.5) / 256.0};
  };
  expect_place(seen([](Finish&) {}), 0.7, 0.4);
  // With c = (c_x, -c_y - 1) and t = (t_x, -t_y): S R (uv + t + c) - c.
  expect_place(seen([](Finish& f) { f.transform.translation = {0.1, 0.2}; }), 0.8, 0.2);
  expect_place(seen([](Finish& f) { f.transform.scale = {2.0, 1.0}; }), 0.4, 0.4);
  expect_place(seen([](Finish& f) { f.transform.scale = {1.0, 2.0}; }), 0.7, 0.8);
  expect_place(seen([](Finish& f) { f.transform.rotation = kPi / 2; }), 0.4, 0.3);
  expect_place(seen([](Finish& f) {
                 f.transform.center = {0.5, 0.5};
                 f.transform.scale = {2.0, 2.0};
               }),
               0.9, 0.3);
  expect_place(seen([](Finish& f) {
                 f.transform.scale = {2.0, 1.0};
                 f.color_map.repeats_u = false;
               }),
               1.0, 0.4, 0.01);
  const auto shade = [&seen](bool smooth) {
    return seen([smooth](Finish& f) {
      f.color_map.image = image(2, 1, {{0, 0, 0, 255}, {255, 0, 0, 255}});
      f.color_map.repeats_u = false;
      f.color_map.is_smooth = smooth;
    })[0];
  };
  EXPECT_NEAR(shade(true), 0.9, 0.01);  // 0.7 lies between the middles of both, 0.25 and 0.75
  EXPECT_NEAR(shade(false), 1.0, 0.01);
}

// A picture of fine squares far away has the colour of their mean.
TEST(Light, IsTheMeanOfSmallPixels) {
  std::vector<Bytes> pixels;
  for (int i = 0; i < 256 * 256; ++i) {
    const auto value = static_cast<std::uint8_t>((i ^ (i >> 8)) & 1 ? 255 : 0);
    pixels.push_back({value, value, value, 255});
  }
  Finish finish;
  finish.color_map.image = image(256, 256, pixels);
  Scenery scenery;
  scenery.add(plane(1.0, 1.0), facing(20.0), finish);
  const std::vector<float> seen = scenery.see({Projection::Planar, 16, 16, 0.04});
  for (int i = 0; i < 256; ++i) {
    EXPECT_NEAR(Scenery::pixel(seen, i).x, 0.5, 0.01);
  }
}

}  // namespace light_test
}  // namespace servosim
