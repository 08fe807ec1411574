// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "support/worlds.h"

namespace servosim::test {
namespace contact_test {

std::string dropped(const std::string& shape, const std::string& pose,
                    const std::string& physics = "", const std::string& header = "R2023b",
                    const std::string& info = "") {
  return fmt::format(R"(#VRML_SIM {} utf8
WorldInfo {{ basicTimeStep 32 {} }}
Solid {{ name "floor" boundingObject Plane {{ }} }}
Solid {{ name "thing" {} boundingObject {} physics Physics {{ {} }} }}
)",
                     header, info, pose, shape, physics);
}

// Tilted cans fall on their rim, rock and come to rest. With unmodified ODE they rock for ever.
TEST(Contact, ATiltedCanComesToRest) {
  for (const double tilt : {0.02, 0.1, 0.3}) {
    Simulation simulation =
        load(dropped("Cylinder { radius 0.1 height 0.2 }",
                     fmt::format("translation 0 0 0.13 rotation 1 0 0 {}", tilt)));
    simulation.step(300);
    const Pose before = simulation.solid("thing").pose();
    simulation.step(30);
    const Pose after = simulation.solid("thing").pose();
    EXPECT_NEAR(norm(after.translation - before.translation), 0.0, 1e-6) << tilt;
    // Webots' resting height of this can, which includes the softness of the contact.
    EXPECT_NEAR(after.translation.z, 0.09753, 2e-4) << tilt;
    EXPECT_GT(after.rotation(2, 2), 0.9999) << tilt;
  }
}

TEST(Contact, OldCylindersStandAlongY) {
  Simulation simulation =
      load(dropped("Cylinder { radius 0.1 height 0.5 }", "translation 0 0.26 0",
                   "density -1 mass 0.5", "R2021b", "coordinateSystem \"NUE\""));
  simulation.step(200);
  EXPECT_NEAR(simulation.solid("thing").pose().translation.y, 0.25, 2e-3);
}

TEST(Contact, EveryShapeRestsOnThePlane) {
  const std::pair<const char*, double> cases[] = {
      {"Box { size 0.3 0.3 0.2 }", 0.1},
      {"Sphere { radius 0.15 }", 0.15},
      {"Pose { rotation 1 0 0 1.5707963 children [ Capsule { radius 0.1 height 0.3 } ] }", 0.1},
      {"IndexedFaceSet { coord Coordinate { point [ -.2 -.2 -.1, .2 -.2 -.1, .2 .2 -.1, "
       "-.2 .2 -.1, -.2 -.2 .1, .2 -.2 .1, .2 .2 .1, -.2 .2 .1 ] } coordIndex [ 0 3 2 1 -1 "
       "4 5 6 7 -1 0 1 5 4 -1 1 2 6 5 -1 2 3 7 6 -1 3 0 4 7 -1 ] }",
       0.1},
  };
  for (const auto& [shape, height] : cases) {
    Simulation simulation = load(dropped(shape, "translation 0 0 0.3", "density -1 mass 0.5"));
    simulation.step(200);
    // One soft contact sinks by m·g·h·CFM/ERP = 0.8 mm. Several contacts sink less.
    EXPECT_NEAR(simulation.solid("thing").pose().translation.z, height, 1e-3) << shape;
  }
}

// A mesh from a file works like a mesh whose points are in the world: its box rests where a Box
// does.
TEST(Contact, AMeshFileRestsWhereABoxOfItsSizeRests) {
  const auto rest = [](const std::string& shape) {
    Simulation simulation = load(dropped(shape, "translation 0 0 0.2 rotation 0 0 1 0.3"));
    simulation.step(200);
    return simulation.solid("thing").pose();
  };
  const Pose box = rest("Box { size 0.3 0.2 0.1 }");
  const Pose mesh = rest("Mesh { url \"" SERVOSIM_WORLDS_DIR "/meshes/block.obj\" }");
  // Both have a contact in each of the four corners. Positions of the mesh are rounded to 1e-8.
  EXPECT_NEAR(norm(mesh.translation - box.translation), 0.0, 1e-4);
  EXPECT_NEAR(mesh.rotation(2, 2), 1.0, 1e-6);
  EXPECT_NEAR(box.translation.z, 0.05, 1e-2) << "it fell on the floor";
}

// One SolidBox lies on a Wall 2.4 m high, another one on the hills of an UnevenTerrain 5 m high.
TEST(Contact, BuiltinProtosCarryEachOther) {
  for (const bool z_up : {true, false}) {
    const auto place = [&](double x, double height) {
      return z_up ? fmt::format("{} 0 {}", x, height) : fmt::format("{} {} 0", x, height);
    };
    const std::string box = "size 0.4 0.4 0.4 physics Physics { density -1 mass 2 }";
    // The builtin PROTOs give messages of level info, so load(), which rejects messages, is not
    // used.
    Simulation simulation = Simulation::from_text(fmt::format(
        R"(#VRML_SIM {} utf8
WorldInfo {{ basicTimeStep 8 {} }}
UnevenTerrain {{ translation {} }}
Wall {{ }}
SolidBox {{ name "on wall" translation {} {} }}
SolidBox {{ name "on hills" translation {} {} }})",
        z_up ? "R2025a" : "R2021b", z_up ? "" : "coordinateSystem \"NUE\"", place(40, 0),
        place(0, 2.7), box, place(40, 5.3), box));
    simulation.step(1000);
    const auto height = [&](const char* name) {
      const Vec3 at = simulation.solid(name).pose().translation;
      return z_up ? at.z : at.y;
    };
    // The box sinks by some tenths of a millimetre, like any box on four contacts.
    EXPECT_NEAR(height("on wall"), 2.6, 1e-3) << z_up;
    EXPECT_GT(height("on hills"), 0.1) << z_up;
    EXPECT_LT(height("on hills"), 5.2) << z_up;
  }
}

TEST(Contact, FrictionHoldsBelowItsAngleAndSlidesBeyond) {
  const auto distance = [](double angle) {
    const std::string text = fmt::format(R"(#VRML_SIM R2023b utf8
WorldInfo {{
  basicTimeStep 8
  contactProperties [ ContactProperties {{ material2 "ice" coulombFriction 0.3 bounce 0 }} ]
}}
Solid {{ name "floor" rotation 0 1 0 {0} boundingObject Plane {{ }} }}
Solid {{
  name "thing"
  translation {1} 0 {2}
  rotation 0 1 0 {0}
  contactMaterial "ice"
  boundingObject Box {{ size 0.4 0.4 0.1 }}
  physics Physics {{ density -1 mass 3 }}
}})",
                                         angle, 0.05 * std::sin(angle), 0.05 * std::cos(angle));
    Simulation simulation = load(text);
    const Vec3 start = simulation.solid("thing").pose().translation;
    simulation.step(125);
    return norm(simulation.solid("thing").pose().translation - start);
  };
  EXPECT_LT(distance(0.25), 0.01);  // tan 0.25 = 0.255 < 0.3
  // The expected way is one second of g·(sin − 0.3·cos) at 0.5 rad. ODE's friction pyramid is exact
  // along its axes.
  EXPECT_NEAR(distance(0.5), 0.5 * 9.81 * (std::sin(0.5) - 0.3 * std::cos(0.5)), 0.05);
}

}  // namespace contact_test
}  // namespace servosim::test
