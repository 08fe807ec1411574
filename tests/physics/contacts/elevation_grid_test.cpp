// SPDX-License-Identifier: Apache-2.0
// Bodies on an ElevationGrid.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <thread>

#include "support/worlds.h"

namespace servosim::test {
namespace physics_elevation_grid_test {

// 5 x 4 points half a metre apart, all at height 0.25 but those that `heights` names.
std::string ground(const std::string& heights, const std::string& pose = "") {
  return fmt::format(
      "Solid {{ name \"ground\" {} boundingObject ElevationGrid {{ xDimension 5 xSpacing 0.5 "
      "yDimension 4 ySpacing 0.5 height [ {} ] }} }}\n",
      pose, heights);
}

constexpr const char* kFlat =
    ".25 .25 .25 .25 .25 .25 .25 .25 .25 .25 .25 .25 .25 .25 .25 .25 .25 .25 .25 .25";
// The rows rise by 0.1 per metre of x and by 0.3 per metre of y.
constexpr const char* kSlope =
    "0 .05 .1 .15 .2 .15 .2 .25 .3 .35 .3 .35 .4 .45 .5 .45 .5 .55 .6 .65";

std::string world(const std::string& nodes, const std::string& info = "",
                  const std::string& header = "R2023b") {
  return fmt::format(
      "#VRML_SIM {} utf8\nWorldInfo {{ basicTimeStep 8 physicsDisableTime 0 {} }}\n{}", header,
      info, nodes);
}

std::string thing(const std::string& shape, const std::string& at) {
  return fmt::format(
      "Solid {{ name \"thing\" translation {} boundingObject {} physics Physics {{ density -1 mass "
      "0.5 damping Damping {{ linear 0.3 angular 0.3 }} }} }}\n",
      at, shape);
}

// One contact point with the default softness sinks by m·g·h·CFM/ERP.
constexpr double kSunk = 0.5 * 9.81 * 0.008 * 0.001 / 0.2;

TEST(ElevationGrid, EveryShapeRestsOnIt) {
  const std::pair<const char*, double> cases[] = {
      {"Box { size 0.3 0.3 0.2 }", 0.1},
      {"Sphere { radius 0.15 }", 0.15},
      {"Cylinder { radius 0.1 height 0.3 }", 0.15},
      {"Capsule { radius 0.1 height 0.3 }", 0.25},
      {"Pose { rotation 1 0 0 1.5707963 children [ Capsule { radius 0.1 height 0.3 } ] }", 0.1},
      {"Pose { rotation 1 0 0 1.5707963 children [ Cylinder { radius 0.1 height 0.3 } ] }", 0.1},
  };
  for (const auto& [shape, height] : cases) {
    Simulation simulation = load(world(ground(kFlat) + thing(shape, "1.1 0.8 0.6")));
    simulation.step(500);
    const Vec3 p = simulation.solid("thing").pose().translation;
    EXPECT_LT(p.z, 0.25 + height) << shape;
    EXPECT_GT(p.z, 0.25 + height - 1.01 * kSunk) << shape;
    EXPECT_NEAR(p.x, 1.1, 1e-3) << shape;
    EXPECT_NEAR(p.y, 0.8, 1e-3) << shape;
  }
}

// A ball that starts at rest rolls down the line of steepest slope: a = 5/7·g·sin of the slope.
TEST(ElevationGrid, ABallRollsDownItsSlope) {
  const Vec3 normal = unit_or({-0.1, -0.3, 1.0}, {});
  const double radius = 0.1;
  const Vec3 start = Vec3{1.3, 1.1, 0.1 * 1.3 + 0.3 * 1.1} + radius * normal;
  Simulation simulation = load(world(
      ground(kSlope) + fmt::format("Solid {{ name \"thing\" translation {} {} {} boundingObject "
                                   "Sphere {{ radius {} }} physics Physics {{ }} }}\n",
                                   start.x, start.y, start.z, radius),
      "contactProperties ContactProperties { bounce 0 }"));
  simulation.step(60);
  const Vec3 moved = simulation.solid("thing").pose().translation - start;
  const double t = 60 * 0.008;
  const Vec3 gravity{0, 0, -9.81};
  const Vec3 expected = (0.5 * t * t * 5.0 / 7.0) * (gravity - dot(gravity, normal) * normal);
  // The contact gives way by millimetres on the way, and the steps are finite: 1/60 of the way.
  EXPECT_NEAR(norm(moved - expected), 0.0, 0.03 * norm(expected));
  EXPECT_GT(norm(expected), 0.2);
}

TEST(ElevationGrid, OfOldFilesRisesAlongY) {
  const std::string grid =
      "Solid { boundingObject ElevationGrid { xDimension 5 xSpacing 0.5 zDimension 4 zSpacing 0.5 "
      "height [ 0 0 0 0 0, 0 0 0 0 0, 0 0 0 3 3, 0 0 0 3 3 ] } }\n";
  const auto height_at = [&](const char* at) {
    Simulation simulation = load(
        world(grid + thing("Sphere { radius 0.1 }", at), "coordinateSystem \"NUE\"", "R2021a"));
    simulation.step(500);
    return simulation.solid("thing").pose().translation.y;
  };
  EXPECT_NEAR(height_at("1.75 3.4 1.25"), 3.1, 2 * kSunk);
  EXPECT_NEAR(height_at("0.25 3.4 1.25"), 0.1, 2 * kSunk);
  EXPECT_NEAR(height_at("1.75 3.4 0.25"), 0.1, 2 * kSunk);
}

TEST(ElevationGrid, StandsWhereItsSolidStands) {
  Simulation simulation =
      load(world(ground(kFlat, "translation 3 4 5 rotation 0 0 1 1.5707963267948966") +
                 thing("Sphere { radius 0.15 }", "2 5 5.6")));
  simulation.step(500);
  EXPECT_NEAR(simulation.solid("thing").pose().translation.z, 5.4, 2 * kSunk);
  Simulation beside =
      load(world(ground(kFlat, "translation 3 4 5 rotation 0 0 1 1.5707963267948966") +
                 thing("Sphere { radius 0.15 }", "4 5 5.6")));
  beside.step(500);
  EXPECT_LT(beside.solid("thing").pose().translation.z, 0.0);
}

TEST(ElevationGrid, OfABodyCollidesButWeighsNothing) {
  const std::string text = world(
      "Solid { boundingObject Plane { } }\n"
      "Solid { name \"tray\" translation 0 0 0.2\nphysics Physics { density -1 mass 2 centerOfMass "
      "1 0.75 0 } boundingObject Group { children [ Pose { translation 1 0.75 0 children [ Box { "
      "size 2 1.5 0.1 } ] } ElevationGrid { xDimension 5 xSpacing 0.5 yDimension 4 ySpacing 0.5 "
      "height [ .25 .25 .25 .25 .25 .25 .25 .25 .25 .25 .25 .25 .25 .25 .25 .25 .25 .25 .25 .25 ] "
      "} ] } }\n" +
      thing("Sphere { radius 0.15 }", "1 0.75 0.8"));
  Simulation simulation = Simulation::from_text(text);
  ASSERT_EQ(simulation.diagnostics().size(), 1u);
  EXPECT_EQ(simulation.diagnostics()[0].message,
            "an ElevationGrid has no volume; that of Solid \"tray\" adds nothing to its mass");
  simulation.step(600);
  const double tray = simulation.solid("tray").pose().translation.z;
  EXPECT_NEAR(tray, 0.05, 2e-3);
  EXPECT_NEAR(simulation.solid("thing").pose().translation.z, tray + 0.25 + 0.15, 2 * kSunk);
}

// ODE keeps work space inside the heightfield's geom; each simulation has its own.
TEST(ElevationGrid, IsSafeInTwoThreads) {
  const auto run = [](double x) {
    std::string things;
    const char* shapes[] = {"Box { size 0.2 0.3 0.1 }", "Sphere { radius 0.1 }",
                            "Cylinder { radius 0.1 height 0.2 }",
                            "Capsule { radius 0.05 height 0.2 }"};
    for (int i = 0; i < 4; ++i) {
      things += fmt::format(
          "Solid {{ translation {} {} 0.9 rotation 1 1 0 0.{} boundingObject {} physics Physics {{ "
          "}} }}\n",
          x + 0.45 * i, 0.4 + 0.2 * i, i + 1, shapes[i]);
    }
    Simulation simulation = load(world(ground(kSlope) + things));
    simulation.step(250);
    return simulation.state_hash();
  };
  const std::uint64_t alone[] = {run(0.2), run(0.25)};
  EXPECT_NE(alone[0], alone[1]);
  std::uint64_t together[2] = {};
  std::thread first([&] { together[0] = run(0.2); });
  std::thread second([&] { together[1] = run(0.25); });
  first.join();
  second.join();
  EXPECT_EQ(together[0], alone[0]);
  EXPECT_EQ(together[1], alone[1]);
}

// More points than a pair of shapes may have: the deepest of them carry the body, wherever they
// are.
TEST(ElevationGrid, FineGroundCarriesAWideDisc) {
  std::string heights;
  std::uint32_t random = 12345;
  for (int i = 0; i < 61 * 61; ++i) {
    random = 1664525u * random + 1013904223u;
    heights += fmt::format("{} ", 0.01 * (random >> 8) / double(1 << 24));
  }
  LoadOptions options;
  options.notice = [](std::string_view) {};
  Simulation simulation = Simulation::from_text(
      world(
          fmt::format("Solid {{ name \"ground\" translation -1.5 -1.5 0 boundingObject "
                      "ElevationGrid {{ xDimension 61 xSpacing 0.05 yDimension 61 ySpacing 0.05 "
                      "height [ {} ] }} }}\nSolid {{ name \"disc\" translation 0 0 0.16 "
                      "boundingObject Cylinder {{ radius 1 height 0.3 }} physics Physics {{ }} }}",
                      heights)),
      std::move(options));
  double lowest = 1.0;
  double highest = 0.0;
  for (int n = 0; n < 250; ++n) {
    simulation.step();
    const Pose at = simulation.solid("disc").pose();
    lowest = std::min(lowest, at.translation.z);
    highest = std::max(highest, at.translation.z);
    ASSERT_GT(at.rotation(2, 2), 0.9999) << n;
  }
  // The ten deepest tops, all nearly 0.01 high, give way by CFM·m·g·h/ERP in total.
  const double mass = 1000.0 * 0.3 * M_PI;
  const double rest = 0.15 + 0.01 - 0.001 * mass * 9.81 * 0.008 / 0.2 / 10.0;
  EXPECT_NEAR(simulation.solid("disc").pose().translation.z, rest, 0.005) << "tops differ";
  EXPECT_GT(lowest, rest - 0.02) << "it may swing while it settles";
  EXPECT_LT(highest, 0.16);
}

}  // namespace physics_elevation_grid_test
}  // namespace servosim::test
