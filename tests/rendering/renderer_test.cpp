// SPDX-License-Identifier: Apache-2.0
// What rays from a sensor meet, against distances that follow from the shapes.
#include "rendering/renderer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <numbers>
#include <vector>

namespace servosim {
namespace {

using Form = DrawnShape::Form;
constexpr double kInf = std::numeric_limits<double>::infinity();

DrawnShape sphere(double radius, int subdivision) {
  DrawnShape shape;
  shape.form = Form::Sphere;
  shape.radius = radius;
  shape.subdivision = subdivision;
  shape.icosahedron = true;
  return shape;
}

DrawnShape box(const Vec3& size) {
  DrawnShape shape;
  shape.form = Form::Box;
  shape.size = size;
  return shape;
}

DrawnShape round(Form form, double radius, double height, int sides) {
  DrawnShape shape;
  shape.form = form;
  shape.radius = radius;
  shape.height = height;
  shape.subdivision = sides;
  return shape;
}

DrawnShape plane(double width, double depth) {
  DrawnShape shape;
  shape.form = Form::Plane;
  shape.size = {width, depth, 0.0};
  return shape;
}

Pose at(double x, double y, double z, const AxisAngle& rotation = {}) {
  return {rotation_matrix(rotation), {x, y, z}};
}

// A sensor in the world's origin that looks along x.
class Scenery {
 public:
  void add(const DrawnShape& shape, const Pose& pose) {
    shapes_.push_back(shape);
    poses_.push_back(pose);
  }
  std::vector<double> see(const RayPattern& pattern, int threads = 1, Pose eye = {},
                          double near = 0.01, double far = kInf) const {
    const std::unique_ptr<Renderer> renderer = make_renderer(shapes_);
    EXPECT_EQ(renderer->size(), shapes_.size());
    std::vector<double> distances(static_cast<std::size_t>(pattern.width * pattern.height), -1.0);
    renderer->open(pattern)->find_distances({eye, poses_, {}, near, far, 0, pattern.width, threads},
                                            distances);
    return distances;
  }
  double see_ahead(double near = 0.01, const Pose& eye = {}, double far = kInf) const {
    return see({Projection::Planar, 1, 1, 0.5}, 1, eye, near, far).at(0);
  }

 private:
  std::vector<DrawnShape> shapes_;
  std::vector<Pose> poses_;
};

TEST(Renderer, MeasuresDepthToTheTriangle) {
  Scenery scenery;
  scenery.add(box({0.4, 30.0, 30.0}), at(3.2, 0.0, 0.0));
  // A flat front has one depth in a planar picture, and longer rays to its edges in others.
  for (const double depth : scenery.see({Projection::Planar, 7, 5, 1.2})) {
    EXPECT_NEAR(depth, 3.0, 1e-12);
  }
  const RayPattern round{Projection::Cylindrical, 8, 4, 1.2};
  const std::vector<double> lengths = scenery.see(round);
  for (int row = 0; row < 4; ++row) {
    for (int column = 0; column < 8; ++column) {
      const double azimuth = (0.5 - (column + 0.5) / 8) * 1.2;
      const double elevation = (0.5 - (row + 0.5) / 4) * 0.6;
      EXPECT_NEAR(lengths[8 * row + column], 3.0 / (std::cos(azimuth) * std::cos(elevation)),
                  1e-12);
    }
  }
  const std::vector<double> fish = scenery.see({Projection::Spherical, 6, 6, 1.5});
  const double off = std::hypot(2.5, 1.5) / 6 * 1.5;
  EXPECT_NEAR(fish[6 * 1 + 0], 3.0 / std::cos(off), 1e-12);
}

TEST(Renderer, KnowsLeftFromRightAndUpFromDown) {
  Scenery scenery;
  scenery.add(box({0.2, 0.5, 0.5}), at(2.1, 1.0, 0.5));  // to the left and up
  for (const Projection projection :
       {Projection::Planar, Projection::Cylindrical, Projection::Spherical}) {
    const std::vector<double> seen = scenery.see({projection, 16, 16, 1.6});
    for (int row = 0; row < 16; ++row) {
      for (int column = 0; column < 16; ++column) {
        EXPECT_TRUE(std::isinf(seen[16 * row + column]) || (row < 8 && column < 8))
            << row << ' ' << column;
      }
    }
    EXPECT_TRUE(std::any_of(seen.begin(), seen.end(), [](double d) { return d < 3.0; }));
  }
}

// The middle of a face of a default Sphere is at 0.934 of its radius, and nearer with more faces.
TEST(Renderer, SeesSpheresAsPolyhedra) {
  constexpr double kRadius = 0.7;
  for (const auto& [subdivision, share] :
       {std::pair{1, 0.9342}, {2, 0.9822}, {3, 0.9955}, {4, 0.9989}}) {
    const std::unique_ptr<Renderer> renderer = make_renderer({sphere(kRadius, subdivision)});
    const std::unique_ptr<Eye> eye = renderer->open({Projection::Planar, 1, 1, 0.5});
    double least = 1.0;
    for (int turn = 0; turn < 2000; ++turn) {
      const std::vector<Pose> poses{at(5.0, 0.0, 0.0, {{0.2, 0.5, std::sin(turn)}, 0.31 * turn})};
      std::vector<double> seen(1);
      eye->find_distances({{}, poses, {}, 0.01, kInf, 0, 1, 1}, seen);
      const double radius = (5.0 - seen[0]) / kRadius;
      EXPECT_LE(radius, 1.0 + 1e-6);
      least = std::min(least, radius);
    }
    EXPECT_GE(least, share - 1e-4) << subdivision;
    EXPECT_LE(least, share + 0.05 * (1.0 - share)) << subdivision;
  }
}

// The middle of a side of a default Cylinder is at cos(pi/36) of its radius.
TEST(Renderer, SeesCylindersAsPrisms) {
  constexpr double kStep = 2.0 * std::numbers::pi / 36;
  for (const Form form : {Form::Cylinder, Form::Capsule}) {
    Scenery edge;
    edge.add(round(form, 0.4, 1.2, 36), at(2.0, 0.0, 0.0));  // an edge is at -x, as at +y
    EXPECT_NEAR(edge.see_ahead(), 1.6, 1e-6);
    Scenery side;
    side.add(round(form, 0.4, 1.2, 36), at(2.0, 0.0, 0.0, {{0.0, 0.0, 1.0}, 0.5 * kStep}));
    EXPECT_NEAR(side.see_ahead(), 2.0 - 0.4 * std::cos(0.5 * kStep), 1e-6);
  }
  // With five sides one edge is at +y, and the opposite side at -y.
  Scenery from_left;
  from_left.add(round(Form::Cylinder, 0.4, 1.2, 5),
                at(2.0, 0.0, 0.0, {{0.0, 0.0, 1.0}, std::numbers::pi / 2}));
  EXPECT_NEAR(from_left.see_ahead(), 1.6, 1e-6);
  Scenery from_right;
  from_right.add(round(Form::Cylinder, 0.4, 1.2, 5),
                 at(2.0, 0.0, 0.0, {{0.0, 0.0, 1.0}, -std::numbers::pi / 2}));
  EXPECT_NEAR(from_right.see_ahead(), 2.0 - 0.4 * std::cos(std::numbers::pi / 5), 1e-6);
}

TEST(Renderer, SeesTheEndsOfRoundForms) {
  const AxisAngle away{{0.0, 1.0, 0.0}, -std::numbers::pi / 2};  // z turns to -x: the top is near
  const AxisAngle ahead{{0.0, 1.0, 0.0}, std::numbers::pi / 2};  // the bottom is near
  Scenery cylinder;
  cylinder.add(round(Form::Cylinder, 0.4, 1.2, 36), at(3.0, 0.1, 0.05, away));
  EXPECT_NEAR(cylinder.see_ahead(), 2.4, 1e-6);
  Scenery capsule;
  capsule.add(round(Form::Capsule, 0.4, 1.2, 36), at(3.0, 0.0, 0.0, ahead));
  EXPECT_NEAR(capsule.see_ahead(), 2.0, 1e-6);
  Scenery cone;
  cone.add(round(Form::Cone, 0.4, 1.2, 36), at(3.0, 0.0, 0.0, away));
  EXPECT_NEAR(cone.see_ahead(), 2.4, 1e-6);
  Scenery base;
  base.add(round(Form::Cone, 0.4, 1.2, 36), at(3.0, 0.1, 0.1, ahead));
  EXPECT_NEAR(base.see_ahead(), 2.4, 1e-6);
  // Without its top a cylinder shows nothing: the back of its bottom is not drawn.
  DrawnShape open = round(Form::Cylinder, 0.4, 1.2, 36);
  open.top = false;
  Scenery pipe;
  pipe.add(open, at(3.0, 0.1, 0.05, away));
  EXPECT_EQ(pipe.see_ahead(), kInf);
}

// Each form is closed: from outside some front face hides every back face, and from inside one
// looks out of it.
TEST(Renderer, DrawsNoBackFaces) {
  Scenery inside;
  inside.add(box({1.0, 1.0, 1.0}), at(0.1, 0.05, -0.1));
  inside.add(sphere(2.0, 1), at(0.1, 0.0, 0.0));
  inside.add(round(Form::Cylinder, 2.0, 3.0, 36), {});
  inside.add(round(Form::Capsule, 1.5, 3.0, 12), {});
  inside.add(round(Form::Cone, 2.0, 4.0, 12), {});
  DrawnShape globe = sphere(2.5, 24);
  globe.icosahedron = false;
  inside.add(globe, at(0.0, 0.2, 0.0, {{1.0, 2.0, 3.0}, 1.0}));
  for (const double distance : inside.see({Projection::Cylindrical, 40, 20, 6.28})) {
    EXPECT_EQ(distance, kInf);
  }
  inside.add(box({0.2, 60.0, 60.0}), at(7.1, 0.0, 0.0));
  EXPECT_NEAR(inside.see_ahead(), 7.0, 1e-12);
  // A Plane is seen from +z alone.
  Scenery back;
  back.add(plane(2.0, 2.0), at(2.0, 0.0, 0.0, {{0.0, 1.0, 0.0}, std::numbers::pi / 2}));
  EXPECT_EQ(back.see_ahead(), kInf);
  Scenery front;
  front.add(plane(2.0, 2.0), at(2.0, 0.0, 0.0, {{0.0, 1.0, 0.0}, -std::numbers::pi / 2}));
  EXPECT_NEAR(front.see_ahead(), 2.0, 1e-12);
}

std::shared_ptr<const DrawnMesh> one_triangle() {
  auto mesh = std::make_shared<DrawnMesh>();
  // It faces -x.
  mesh->positions = {0.0f, -1.0f, -1.0f, 0.0f, 0.0f, 2.0f, 0.0f, 1.0f, -1.0f};
  mesh->indices = {0, 1, 2};
  return mesh;
}

TEST(Renderer, MirroredMeshesShowTheirInside) {
  DrawnShape shape;
  shape.form = Form::Mesh;
  shape.mesh = one_triangle();
  Scenery seen;
  seen.add(shape, at(2.5, 0.0, 0.0));
  EXPECT_NEAR(seen.see_ahead(), 2.5, 1e-12);
  shape.scale = {1.0, -2.0, 1.0};
  Scenery mirrored;
  mirrored.add(shape, at(2.5, 0.0, 0.0));
  EXPECT_EQ(mirrored.see_ahead(), kInf);
  shape.scale = {3.0, -2.0, -1.5};  // two mirrors are a turn
  Scenery turned;
  turned.add(shape, at(2.5, 0.0, 0.0));
  EXPECT_NEAR(turned.see_ahead(), 2.5, 1e-12);
}

TEST(Renderer, ReplacesAFinenessOutOfRange) {
  const auto seen = [](int subdivision, bool icosahedron) {
    DrawnShape shape = sphere(0.7, subdivision);
    shape.icosahedron = icosahedron;
    Scenery scenery;
    scenery.add(shape, at(3.0, 0.0, 0.0));
    return scenery.see({Projection::Planar, 20, 20, 0.5});
  };
  for (const int subdivision : {-1, 0, 6, 1000000}) {
    EXPECT_EQ(seen(subdivision, true), seen(1, true)) << subdivision;
  }
  EXPECT_NE(seen(5, true), seen(1, true));
  for (const int subdivision : {1, 2, 33, 1000000}) {
    EXPECT_EQ(seen(subdivision, false), seen(24, false)) << subdivision;
  }
  EXPECT_NE(seen(32, false), seen(24, false));
}

TEST(Renderer, SeesNothingFullyTransparent) {
  Scenery scenery;
  DrawnShape glass = box({0.2, 2.0, 2.0});
  glass.opacity = 0.0;
  scenery.add(glass, at(1.1, 0.0, 0.0));
  glass.opacity = 0.01;
  scenery.add(glass, at(2.1, 0.0, 0.0));
  EXPECT_NEAR(scenery.see_ahead(), 2.0, 1e-12);
}

TEST(Renderer, SeesNothingWhereNothingIs) {
  const std::unique_ptr<Renderer> renderer = make_renderer({});
  for (int i = 0; i < 2; ++i) {
    std::vector<double> seen(6);
    renderer->open({Projection::Planar, 3, 2, 0.5})
        ->find_distances({{}, {}, {}, 0.01, kInf, 0, 3, 1}, seen);
    EXPECT_EQ(seen, std::vector<double>(6, kInf));
  }
}

TEST(Renderer, SkipsWhatIsNearerThanNear) {
  Scenery scenery;
  scenery.add(box({0.1, 1.0, 1.0}), at(0.55, 0.0, 0.0));
  scenery.add(box({0.1, 9.0, 9.0}), at(2.05, 0.0, 0.0));
  EXPECT_NEAR(scenery.see_ahead(0.4), 0.5, 1e-12);
  EXPECT_NEAR(scenery.see_ahead(0.51), 2.0, 1e-12);
  EXPECT_EQ(scenery.see_ahead(0.51, {}, 1.9), kInf);
  // The depth counts, not the length of the ray: the ray to the upper left is longer than 0.51.
  const std::vector<double> round = scenery.see({Projection::Cylindrical, 5, 5, 1.0}, 1, {}, 0.51);
  EXPECT_GT(round[0], 2.0);
}

// Far from the world's origin single precision has steps of centimetres.
TEST(Renderer, IsExactFarFromTheOrigin) {
  const Pose far = at(3.1e6, -4.7e6, 120.0, {{0.0, 0.0, 1.0}, 0.3});
  Scenery scenery;
  scenery.add(box({0.1, 1.0, 1.0}), far * at(1.7345678901, 0.0, 0.0));
  EXPECT_NEAR(scenery.see_ahead(0.01, far), 1.6845678901, 1e-8);
}

TEST(Renderer, BendsRaysByTheLens) {
  Scenery scenery;
  // A wall whose depth is 3 / (cos 0.3 + sin 0.3 y) where a ray has the direction 1, y, z.
  scenery.add(box({0.2, 90.0, 90.0}),
              at(3.1 * std::cos(0.3), 3.1 * std::sin(0.3), 0.0, {{0.0, 0.0, 1.0}, 0.3}));
  RayPattern pattern{Projection::Planar, 4, 4, std::numbers::pi / 2};
  pattern.lens = LensDistortion{};
  EXPECT_EQ(scenery.see(pattern), scenery.see({Projection::Planar, 4, 4, std::numbers::pi / 2}));
  pattern.lens->radial = {-0.6, 0.0};
  const std::vector<double> seen = scenery.see(pattern);
  // Column 1 and row 2 are at d = (-1/8, 1/8) from the centre, r = 1/32. With k = -0.6 the pixel
  // sees q = p - d k r / (1 + 4 k r) of the picture without the lens.
  const double u = 0.375 - 0.125 * 0.6 / 32.0 / (1.0 - 4.0 * 0.6 / 32.0);
  EXPECT_NEAR(seen[4 * 2 + 1], 3.0 / (std::cos(0.3) + std::sin(0.3) * (1.0 - 2.0 * u)), 1e-12);
  EXPECT_EQ(seen[12], 0.0);  // the corner sees a place outside of the picture
}

// Rows of a lidar have any angles.
TEST(Renderer, TakesTheElevationOfEachRow) {
  Scenery scenery;
  scenery.add(plane(100.0, 100.0), at(0.0, 0.0, -0.5));
  RayPattern pattern{Projection::Cylindrical, 3, 3, 0.6};
  pattern.elevations = {-0.1, -0.2, -0.7};
  const std::vector<double> seen = scenery.see(pattern);
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) {
      EXPECT_NEAR(seen[3 * row + column], 0.5 / std::sin(-pattern.elevations[row]), 1e-12);
    }
  }
  pattern.projection = Projection::Planar;  // the depth along x of a row is the same
  const std::vector<double> flat = scenery.see(pattern);
  EXPECT_NEAR(flat[0], 0.5 / std::tan(0.1), 1e-12);
  EXPECT_NEAR(flat[2], 0.5 / std::tan(0.1), 1e-12);
}

Scenery crowd() {
  Scenery scenery;
  scenery.add(plane(100.0, 100.0), at(0.0, 0.0, -1.0));
  for (int i = 0; i < 40; ++i) {
    const Pose pose = at(2.0 + 0.37 * (i % 11), std::sin(1.7 * i) * 3.0, std::cos(2.3 * i),
                         {{1.0, 0.2 * i, 2.0}, 0.7 * i});
    i % 3 == 0   ? scenery.add(sphere(0.2, 1 + i % 4), pose)
    : i % 3 == 1 ? scenery.add(box({0.3, 0.2, 0.5}), pose)
                 : scenery.add(round(Form::Capsule, 0.1, 0.4, 24), pose);
  }
  return scenery;
}

TEST(Renderer, GivesTheSameBytesForAnyNumberOfThreads) {
  const Scenery scenery = crowd();
  for (const Projection projection :
       {Projection::Planar, Projection::Cylindrical, Projection::Spherical}) {
    const RayPattern pattern{projection, 163, 99, 1.3};  // 24 tiles: three threads
    const std::vector<double> one = scenery.see(pattern, 1);
    EXPECT_GT(std::count_if(one.begin(), one.end(), [](double d) { return d < 7.0; }), 1000);
    for (const int threads : {2, 3, 100}) {
      const std::vector<double> more = scenery.see(pattern, threads);
      EXPECT_EQ(std::memcmp(one.data(), more.data(), one.size() * sizeof(double)), 0);
    }
  }
}

// The columns of a part of a picture have the values that they have in the whole picture.
TEST(Renderer, DrawsSomeColumns) {
  const std::unique_ptr<Renderer> renderer = make_renderer({sphere(0.5, 3)});
  const std::vector<Pose> poses{at(2.0, 0.1, 0.0)};
  const RayPattern pattern{Projection::Cylindrical, 50, 9, 1.0};
  const std::unique_ptr<Eye> eye = renderer->open(pattern);
  std::vector<double> whole(50 * 9);
  eye->find_distances({{}, poses, {}, 0.01, kInf, 0, 50, 1}, whole);
  std::vector<double> part(13 * 9);
  eye->find_distances({{}, poses, {}, 0.01, kInf, 17, 13, 1}, part);
  for (int row = 0; row < 9; ++row) {
    for (int column = 0; column < 13; ++column) {
      EXPECT_EQ(part[13 * row + column], whole[50 * row + 17 + column]);
    }
  }
}

// A picture shows where the shapes are, whatever an eye has seen before.
TEST(Renderer, FollowsShapesAndEyes) {
  const std::unique_ptr<Renderer> renderer =
      make_renderer({box({1.0, 1.0, 1.0}), box({1.0, 9.0, 9.0})});
  std::vector<Pose> poses{at(3.0, 0.0, 0.0), at(9.0, 0.0, 0.0)};
  const std::unique_ptr<Eye> eye = renderer->open({Projection::Planar, 1, 1, 0.5});
  std::vector<double> seen(1);
  const auto look = [&](const Pose& from) {
    eye->find_distances({from, poses, {}, 0.01, kInf, 0, 1, 1}, seen);
    return seen[0];
  };
  EXPECT_NEAR(look({}), 2.5, 1e-12);
  poses[0].translation.x = 4.25;
  EXPECT_NEAR(look({}), 3.75, 1e-12);
  poses[0].translation.y = 2.0;
  EXPECT_NEAR(look({}), 8.5, 1e-12);
  EXPECT_NEAR(look(at(0.5, 2.0, 0.0)), 3.25, 1e-12);
}

// Rays do not slip through between the triangles of a closed form.
TEST(Renderer, HasNoHoles) {
  for (const Form form : {Form::Box, Form::Sphere, Form::Cylinder, Form::Capsule, Form::Cone}) {
    DrawnShape shape = round(form, 1.0, 1.0, 36);
    shape.size = {2.0, 2.0, 2.0};
    for (int turn = 0; turn < 12; ++turn) {
      Scenery scenery;
      scenery.add(shape, at(5.0, 0.0, 0.0, {{1.0, 0.3 * turn, 0.5}, 0.55 * turn}));
      for (const double depth : scenery.see({Projection::Planar, 64, 64, 0.03})) {
        ASSERT_LT(depth, 6.0) << static_cast<int>(form) << ' ' << turn;
      }
    }
  }
}

}  // namespace
}  // namespace servosim
