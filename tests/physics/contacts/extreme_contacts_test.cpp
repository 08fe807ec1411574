// SPDX-License-Identifier: Apache-2.0
// Shapes of absurd sizes, heaps and surfaces: the simulation goes on or stops with Diverged.
#include <gtest/gtest.h>

#include <cmath>

#include "support/worlds.h"

namespace servosim::test {
namespace {

constexpr const char* kShapes[] = {
    "Box { size 1e-5 1e5 1 }",
    "Sphere { radius 1e5 }",
    "Cylinder { radius 1e-6 height 1e5 }",
    "Cylinder { radius 1e5 height 1e-6 }",
    "Capsule { radius 1e-6 height 1e5 }",
    "Capsule { radius 1e4 height 1e-6 }",
};

constexpr const char* kGrounds[] = {
    "Plane { }",
    "ElevationGrid { xDimension 2 yDimension 2 xSpacing 9e5 ySpacing 9e5 height [ -9e5 9e5 9e5 "
    "-9e5 ] }",
    "ElevationGrid { xDimension 3 yDimension 2 xSpacing 1e-9 ySpacing 1e-300 height [ 1 2 3, 5 7 9 "
    "] }",
    "ElevationGrid { xDimension 40 yDimension 40 thickness 0 }",
    "Cylinder { radius 2 height 3 }",
    "Capsule { radius 2 height 3 }",
};

constexpr const char* kSurfaces[] = {
    "",
    "coulombFriction [ -1 1e308 ] forceDependentSlip [ 1e308 1e308 ] frictionRotation 1e300 -1e300",
    "rollingFriction -1 1e308 -1 bounce 1 bounceVelocity 0 softERP 1 softCFM 1e-300",
    "coulombFriction [ 1e308 1e308 1e308 1e308 ] softCFM 1e300 softERP 0",
};

void run(const std::string& ground, const std::string& shape, const std::string& surface) {
  LoadOptions options;
  options.notice = [](std::string_view) {};
  Simulation simulation = Simulation::from_text(
      fmt::format(
          "#VRML_SIM R2025a utf8\nWorldInfo {{ basicTimeStep 8 contactProperties [ "
          "ContactProperties {{ {} }} ] }}\nSolid {{ boundingObject {} }}\n"
          "Solid {{ name \"a\" translation 0.4 0.3 0.5 rotation 1 2 3 0.7 boundingObject {} "
          "physics Physics {{ density -1 mass 2 }} }}\n"
          "Solid {{ name \"b\" translation 0.4 0.3 0.6 boundingObject Cylinder {{ radius 0.1 "
          "height 0.2 }} physics Physics {{ }} }}\n",
          surface, ground, shape),
      std::move(options));
  try {
    simulation.step(30);
    EXPECT_TRUE(is_finite(simulation.solid("a").pose().translation)) << shape;
    EXPECT_TRUE(is_finite(simulation.solid("b").pose().translation)) << shape;
  } catch (const Diverged&) {
    EXPECT_THROW(simulation.step(), Diverged) << "and again, instead of an abort";
  }
}

TEST(ExtremeContacts, NeverAbort) {
  for (const char* ground : kGrounds) {
    for (const char* shape : kShapes) {
      for (const char* surface : kSurfaces) {
        SCOPED_TRACE(fmt::format("{} on {}: {}", shape, ground, surface));
        run(ground, shape, surface);
      }
    }
  }
}

}  // namespace
}  // namespace servosim::test
