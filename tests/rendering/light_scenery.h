// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numbers>
#include <optional>
#include <vector>

#include "rendering/renderer.h"

// Shapes in light, and an eye that sees them.

namespace servosim {
namespace light_test {

using Form = DrawnShape::Form;
inline constexpr double kPi = std::numbers::pi;

inline double lin(double c) {
  return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}
inline Vec3 lin(const Vec3& c) { return {lin(c.x), lin(c.y), lin(c.z)}; }

// The byte that Webots makes of light.
inline int byte_of(double light, double exposure = 1.0) {
  return static_cast<int>(
      std::lround(255.0 * std::pow(1.0 - std::exp(-light * exposure), 1.0 / 2.2)));
}

inline DrawnShape box(const Vec3& size) {
  DrawnShape shape;
  shape.form = Form::Box;
  shape.size = size;
  return shape;
}

inline DrawnShape plane(double width, double depth) {
  DrawnShape shape;
  shape.form = Form::Plane;
  shape.size = {width, depth, 0.0};
  return shape;
}

inline DrawnShape round(Form form, double radius, double height) {
  DrawnShape shape;
  shape.form = form;
  shape.radius = radius;
  shape.height = height;
  shape.subdivision = form == Form::Sphere ? 4 : 36;
  shape.icosahedron = true;
  return shape;
}

inline Pose at(double x, double y, double z, const AxisAngle& rotation = {}) {
  return {rotation_matrix(rotation), {x, y, z}};
}

// A Plane whose front looks at a sensor in the origin: its x axis points to the right, y up.
inline Pose facing(double distance) {
  return {{{0.0, 0.0, -1.0, -1.0, 0.0, 0.0, 0.0, 1.0, 0.0}}, {distance, 0.0, 0.0}};
}

inline Finish phong(const Vec3& color) {
  Finish finish;
  finish.law = ShadingLaw::Phong;
  finish.color = color;
  return finish;
}

inline Finish physical(const Vec3& color, double roughness, double metalness) {
  Finish finish;
  finish.law = ShadingLaw::Physical;
  finish.color = color;
  finish.roughness = roughness;
  finish.metalness = metalness;
  return finish;
}

inline Sky sky_of(const Vec3& color, double view_exposure = 1.0, double luminosity = 1.0) {
  Sky sky;
  sky.color = color;
  sky.view_exposure = view_exposure;
  sky.luminosity = luminosity;
  return sky;
}

inline LightSpec sun(const Vec3& direction, double intensity = 1.0) {
  LightSpec light;
  light.direction = unit_or(direction, {});
  light.intensity = intensity;
  return light;
}

inline LightSpec lamp(const Vec3& location, const Vec3& attenuation = {1.0, 0.0, 0.0}) {
  LightSpec light;
  light.type = LightType::Point;
  light.location = location;
  light.attenuation = attenuation;
  return light;
}

using Bytes = std::array<std::uint8_t, 4>;

inline std::shared_ptr<const Image> image(int width, int height, const std::vector<Bytes>& pixels) {
  auto made = std::make_shared<Image>();
  made->width = width;
  made->height = height;
  for (const Bytes& pixel : pixels) {
    made->pixels.insert(made->pixels.end(), pixel.begin(), pixel.end());
  }
  return made;
}

inline std::shared_ptr<const Image> one_color(const Bytes& pixel) { return image(1, 1, {pixel}); }

// A picture whose red says how far a place is to the right, and whose green how far it is below.
inline std::shared_ptr<const Image> places() {
  std::vector<Bytes> pixels;
  for (int y = 0; y < 256; ++y) {
    for (int x = 0; x < 256; ++x) {
      pixels.push_back({static_cast<std::uint8_t>(x), static_cast<std::uint8_t>(y), 0, 255});
    }
  }
  return image(256, 256, pixels);
}

// A sensor in the origin that looks along x.
struct Scenery {
  std::vector<DrawnShape> shapes;
  std::vector<Pose> poses;
  std::vector<std::shared_ptr<const Finish>> finishes;
  std::vector<LightSpec> lights;
  std::optional<Sky> sky;
  std::optional<Fog> fog;
  double far = 0.0;
  int rays_per_pixel = 1;
  Pose eye;

  void add(const DrawnShape& shape, const Pose& pose, const Finish& finish) {
    shapes.push_back(shape);
    poses.push_back(pose);
    finishes.push_back(std::make_shared<const Finish>(finish));
  }
  std::vector<float> see(const RayPattern& pattern, int threads = 1) const {
    return see_columns(pattern, 0, pattern.width, threads);
  }
  std::vector<float> see_columns(const RayPattern& pattern, int first, int columns,
                                 int threads = 1) const {
    const std::unique_ptr<Renderer> renderer = make_renderer(shapes);
    std::vector<float> light(static_cast<std::size_t>(3 * columns * pattern.height), -1.0f);
    Glance part = glance(looks(), columns, threads);
    part.first_column = first;
    renderer->open(pattern)->find_light(part, light);
    return light;
  }
  Looks looks() const { return {finishes, lights, sky, fog}; }
  Vec3 see_ahead() const { return pixel(see({Projection::Planar, 1, 1, 0.01}), 0); }
  // The number of the shape that is seen, or -1.
  std::int32_t shape_ahead() const {
    std::int32_t shape = -2;
    make_renderer(shapes)
        ->open({Projection::Planar, 1, 1, 0.01})
        ->find_shapes(glance(looks(), 1, 1), {&shape, 1});
    return shape;
  }
  static Vec3 pixel(const std::vector<float>& light, int number) {
    const float* const p = &light[static_cast<std::size_t>(3 * number)];
    return {p[0], p[1], p[2]};
  }

 private:
  mutable Looks looks_;
  Glance glance(const Looks& now, int columns, int threads) const {
    looks_ = now;
    Glance glance;
    glance.eye = eye;
    glance.shapes = poses;
    glance.near = 0.01;
    glance.far = far;
    glance.columns = columns;
    glance.threads = threads;
    glance.looks = &looks_;
    glance.rays_per_pixel = rays_per_pixel;
    return glance;
  }
};

// A Plane in front of the sensor, which fills the picture.
inline Scenery wall(const Finish& finish, double distance = 2.0) {
  Scenery scenery;
  scenery.add(plane(9.0, 9.0), facing(distance), finish);
  return scenery;
}

inline void expect_near(const Vec3& seen, const Vec3& expected, double tolerance = 1e-5) {
  EXPECT_NEAR(seen.x, expected.x, tolerance);
  EXPECT_NEAR(seen.y, expected.y, tolerance);
  EXPECT_NEAR(seen.z, expected.z, tolerance);
}

}  // namespace light_test
}  // namespace servosim
