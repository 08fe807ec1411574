// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "physics/mass.h"
#include "scene/scene.h"
#include "sim/world_inspector.h"
#include "support/scenes.h"
#include "support/worlds.h"

namespace servosim::test {
namespace {

constexpr const char* kBox =
    "boundingObject Box { size 0.2 0.2 0.2 } physics Physics { density -1 mass ";

// A table without Physics with a lamp, a cart with a crate on it and a wheel, and a ball.
std::string world() {
  const std::string box = kBox;
  return "Solid { name \"table\" children [ Solid { name \"lamp\" " + box + "0.5 } } ] }\n" +
         "Solid { name \"cart\" " + box +
         "4 } children [ Solid { name \"crate\" translation 0 0 1 " + box + "2 } }\n" +
         "HingeJoint { endPoint Solid { name \"wheel\" " + box + "1.5 } } } " +
         "TouchSensor { name \"bumper\" " + box + "0.25 } } ] }\n" + "Solid { name \"ball\" " +
         box + "0.75 } }";
}

std::vector<std::string> names(const Scene& scene, const RigidBody& body) {
  std::vector<std::string> names;
  for (const RigidBody::Part& part : body.parts) {
    names.push_back(scene.solids[part.solid].name);
  }
  return names;
}

TEST(RigidBodies, AreWhatMovesAsOne) {
  const LoadedScene loaded = load_scene(world());
  ASSERT_EQ(loaded.messages, Messages{});
  Diagnostics diagnostics;
  const std::vector<RigidBody> bodies = weigh_bodies(loaded.scene, diagnostics);
  EXPECT_TRUE(diagnostics.list().empty());
  using Names = std::vector<std::string>;
  ASSERT_EQ(bodies.size(), 5u);
  EXPECT_EQ(names(loaded.scene, bodies[0]), Names{"lamp"});
  EXPECT_EQ(names(loaded.scene, bodies[1]), (Names{"cart", "crate"}));
  EXPECT_EQ(names(loaded.scene, bodies[4]), Names{"ball"});
  EXPECT_EQ(bodies[1].mass.mass, 6.0);
  // Rounding of one division only.
  EXPECT_NEAR(bodies[1].mass.center.z, 2.0 * 1.0 / 6.0, 1e-15);
  EXPECT_EQ(bodies[1].parts[1].in_owner.translation, (Vec3{0, 0, 1}));
}

TEST(RigidBodies, AreHeldByWhatTheyHangOn) {
  const LoadedScene loaded = load_scene(world());
  const auto hold_of = [&](const std::string& name) {
    int solid = 0;
    while (loaded.scene.solids[solid].name != name) {
      ++solid;
    }
    return body_hold(loaded.scene, solid);
  };
  EXPECT_EQ(hold_of("lamp"), BodyHold::World);
  EXPECT_EQ(hold_of("cart"), BodyHold::Nothing);
  EXPECT_EQ(hold_of("wheel"), BodyHold::Joint);
  EXPECT_EQ(hold_of("bumper"), BodyHold::Parent);
  EXPECT_EQ(hold_of("ball"), BodyHold::Nothing);
}

// The masses that are shown are those that move: F = m·a of a pushed slider.
TEST(RigidBodies, AreThoseTheSimulationMoves) {
  OneJoint world;
  world.slider = true;
  world.mass = 2.5;
  Simulation simulation = load(world);
  ASSERT_EQ(WorldInspector(simulation).bodies().size(), 1u);
  const double mass = WorldInspector(simulation).bodies()[0].mass.mass;
  EXPECT_EQ(mass, 2.5);
  simulation.robot("r").motor("m").set_force(1.25);
  simulation.step();
  // The rows of the slider give way by about CFM.
  EXPECT_NEAR(simulation.joint(0).velocity(), 0.008 * 1.25 / mass, 1e-8);
}

}  // namespace
}  // namespace servosim::test
