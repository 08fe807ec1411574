// SPDX-License-Identifier: Apache-2.0
// Damping: a share d of the velocity is lost per second, 1 − (1 − d)^h per step.
#include <gtest/gtest.h>

#include <cmath>

#include "support/worlds.h"

namespace servosim::test {
namespace physics_damping_test {

constexpr double kH = 0.008;
constexpr int kSteps = 150;

Simulation moving(const std::string& solid, const std::string& info = "") {
  return load(
      fmt::format("#VRML_SIM R2023b utf8\nWorldInfo {{ basicTimeStep 8 gravity 0 {} }}\n"
                  "Solid {{ name \"a\" linearVelocity 3 0 0 {} }}",
                  info, solid));
}

// The way of 3 m/s damped by d: ODE damps after it moves.
double way(double d) {
  const double q = std::pow(1.0 - d, kH);
  return 3.0 * kH * (1.0 - std::pow(q, kSteps)) / (1.0 - q);
}

double moved(Simulation simulation) {
  simulation.step(kSteps);
  return simulation.solid("a").pose().translation.x;
}

TEST(Damping, IsAShareOfTheVelocityPerSecond) {
  EXPECT_NEAR(
      moved(moving("boundingObject Sphere { } physics Physics { damping Damping { linear 0.3 } }")),
      way(0.3), 1e-11);
  EXPECT_NEAR(moved(moving("boundingObject Sphere { } physics Physics { }")), 3.0 * kH * kSteps,
              1e-11);
}

TEST(Damping, OfTurningToo) {
  Simulation simulation = moving(
      "angularVelocity 0 0 0.5 boundingObject Sphere { } physics Physics { damping Damping { "
      "linear 0 "
      "angular 0.7 } }");
  simulation.step(kSteps);
  double angle = 0.0;
  for (int n = 0; n < kSteps; ++n) {
    angle += 2.0 * std::atan(0.5 * kH * 0.5 * std::pow(0.3, n * kH));  // ODE's small-angle rotation
  }
  const Mat3 r = simulation.solid("a").pose().rotation;
  EXPECT_NEAR(std::atan2(r(1, 0), r(0, 0)), angle, 1e-11);
  EXPECT_NEAR(simulation.solid("a").pose().translation.x, 3.0 * kH * kSteps, 1e-11);
}

TEST(Damping, OfAllTakesAllAtOnce) {
  EXPECT_NEAR(
      moved(moving("boundingObject Sphere { } physics Physics { damping Damping { linear 1 } }")),
      3.0 * kH, 1e-12);
}

TEST(Damping, OfMergedSolidsIsAveragedByVolume) {
  const char* merged =
      R"(boundingObject Box { size 0.3 0.1 0.1 } physics Physics { damping Damping { linear 0.4 } }
    children [ Solid { translation 1 0 0 boundingObject Box { size 0.1 0.1 0.1 } physics Physics { } } ])";
  EXPECT_NEAR(moved(moving(merged, "defaultDamping Damping { linear 0.9 }")), way(0.3), 1e-11);
}

TEST(Damping, ByDefaultIsTheWorlds) {
  const std::string world = "defaultDamping Damping { linear 0.6 angular 0.25 }";
  EXPECT_NEAR(moved(moving("boundingObject Sphere { } physics Physics { }", world)), way(0.6),
              1e-11);
  EXPECT_NEAR(
      moved(moving("boundingObject Sphere { } physics Physics { damping Damping { linear 0 angular "
                   "0 } }",
                   world)),
      way(0.6), 1e-11);
  EXPECT_NEAR(
      moved(moving("boundingObject Sphere { } physics Physics { damping Damping { linear 0.3 } }",
                   world)),
      way(0.3), 1e-11);
}

TEST(Damping, OfASolidWithoutVolumeIsIgnored) {
  const char* text = R"(#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 8 gravity 0 }
Solid { name "a" linearVelocity 3 0 0 physics Physics { density -1 mass 2 damping Damping { linear 0.3 } } })";
  EXPECT_NEAR(moved(Simulation::from_text(text)), 3.0 * kH * kSteps, 1e-11);
}

}  // namespace physics_damping_test
}  // namespace servosim::test
