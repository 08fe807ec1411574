// SPDX-License-Identifier: Apache-2.0
// Solids without Physics that move by their linearVelocity and angularVelocity.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "servosim/simulation.h"
#include "sim/world_control.h"
#include "sim/world_inspector.h"
#include "wbt/world_file.h"

namespace servosim::test {
namespace sim_drift_test {

constexpr double kStep = 0.008;

Simulation world(const std::string& nodes, LoadOptions options = {}) {
  return Simulation::from_text(
      "#VRML_SIM R2023b utf8\nWorldInfo { basicTimeStep 8 gravity 9.81 }\n" + nodes,
      std::move(options));
}

const char* kBelt = R"(Solid { name "belt" translation 0 3 1 linearVelocity 0.5 0 -0.25
  boundingObject Box { size 2 1 0.2 } })";

void expect_at(const Simulation& simulation, const char* solid, const Vec3& at) {
  const Vec3 there = simulation.solid(solid).pose().translation;
  EXPECT_NEAR(norm(there - at), 0.0, 1e-9)
      << solid << " at " << there.x << ' ' << there.y << ' ' << there.z;
}

TEST(Drift, AVelocityWithoutPhysicsMovesByItEachStep) {
  Simulation simulation = world(kBelt);
  simulation.step();
  expect_at(simulation, "belt", {0.5 * kStep, 3.0, 1.0 - 0.25 * kStep});
  simulation.step(124);
  expect_at(simulation, "belt", {0.5, 3.0, 0.75});
  EXPECT_EQ(simulation.solid(0).velocity().linear, (Vec3{0.5, 0.0, -0.25}));
  EXPECT_TRUE(simulation.diagnostics().empty());
}

TEST(Drift, TurnsAboutItsOriginAndTakesAlongWhatIsBelow) {
  Simulation simulation = world(R"(Robot { name "fan" angularVelocity 0 0 2 translation 1 0 0
    rotation 1 0 0 0.5 children [ Solid { name "tip" translation 0.5 0 0 }
    HingeJoint { device RotationalMotor { name "m" maxVelocity 3 } jointParameters
      HingeJointParameters { axis 1 0 0 } endPoint Solid { name "hand" translation 0 0.5 0 } } ] })");
  simulation.step(250);
  const double angle = 2.0 * 250 * kStep;
  expect_at(simulation, "tip", {1.0 + 0.5 * std::cos(angle), 0.5 * std::sin(angle), 0.0});
  expect_at(simulation, "fan", {1.0, 0.0, 0.0});
  simulation.robot(0).motor("m").set_position(1.0);
  simulation.step(250);
  const Vec3 hand = simulation.solid("hand").pose().translation - Vec3{1.0, 0.0, 0.0};
  EXPECT_NEAR(norm(hand), 0.5, 1e-12);
  EXPECT_NEAR(hand.z, 0.5 * std::sin(1.5), 1e-9) << "the joint moved it, too";
}

TEST(Drift, VelocitiesAreInTheAxesOfTheWorld) {
  Simulation simulation = world(R"(Solid { name "base" rotation 0 0 1 1.5707963267948966 children [
    Solid { name "sled" translation 1 0 0 linearVelocity 2 0 0 angularVelocity 0 3 0 children [
      Solid { name "rider" translation 0 0 1 } ] } ] })");
  simulation.step(100);
  expect_at(simulation, "sled", {2.0 * 0.8, 1.0, 0.0});
  expect_at(simulation, "rider", {1.6 + std::sin(2.4), 1.0, std::cos(2.4)});
}

TEST(Drift, PushesBodiesThatItMeets) {
  Simulation simulation = world(R"(Solid { name "floor" boundingObject Plane { size 9 9 } }
    Solid { name "ram" translation 0 0 0.5 boundingObject Box { size 0.2 1 0.8 } }
    Solid { name "box" translation 0.5 0 0.1 boundingObject Box { size 0.2 0.2 0.2 }
      physics Physics { density -1 mass 1 } })");
  simulation.solid(1).set_velocity({{0.5, 0.0, 0.0}, {}});
  simulation.step(250);
  expect_at(simulation, "ram", {1.0, 0.0, 0.5});
  EXPECT_NEAR(simulation.solid("box").pose().translation.x, 1.2, 0.03);
}

TEST(Drift, IsSetReadAndStopped) {
  Simulation simulation = world(R"(Solid { name "a" children [ Solid { name "b" } ] }
    Solid { name "c" })");
  const SolidVelocity velocity{{1.0, 2.0, 3.0}, {0.0, 0.0, 0.5}};
  simulation.solid(0).set_velocity(velocity);
  EXPECT_EQ(simulation.solid(0).velocity().linear, velocity.linear);
  EXPECT_EQ(simulation.solid(0).velocity().angular, velocity.angular);
  EXPECT_EQ(simulation.solid(2).velocity().linear, Vec3{});
  simulation.step(125);
  expect_at(simulation, "b", {1.0, 2.0, 3.0});
  expect_at(simulation, "c", {});
  simulation.solid(0).set_pose({{}, {5.0, 0.0, 0.0}});
  simulation.step();
  expect_at(simulation, "a", Vec3{5.0, 0.0, 0.0} + kStep * velocity.linear);
  simulation.solid(0).reset_physics();
  EXPECT_EQ(simulation.solid(0).velocity().linear, Vec3{});
  simulation.step(10);
  expect_at(simulation, "a", Vec3{5.0, 0.0, 0.0} + kStep * velocity.linear);
}

TEST(Drift, IsSavedRestoredClonedAndReset) {
  Simulation simulation = world(std::string(kBelt) + "Solid { name \"late\" }");
  const std::uint64_t start = simulation.state_hash();
  simulation.step(10);
  const SimulationState early = simulation.save();
  const std::uint64_t early_hash = simulation.state_hash();
  simulation.solid(1).set_velocity({{0.0, 1.0, 0.0}, {1.0, 0.0, 0.0}});
  simulation.step(10);
  const SimulationState state = simulation.save();
  const std::uint64_t hash = simulation.state_hash();
  Simulation twin = simulation.clone();
  EXPECT_EQ(twin.state_hash(), hash);
  simulation.step(10);
  twin.step(10);
  EXPECT_NE(simulation.state_hash(), hash);
  EXPECT_EQ(twin.state_hash(), simulation.state_hash());
  expect_at(twin, "late", {0.0, 20 * kStep, 0.0});
  simulation.restore(early);
  EXPECT_EQ(simulation.state_hash(), early_hash);
  simulation.step();
  expect_at(simulation, "late", {});
  expect_at(simulation, "belt", {0.5 * 11 * kStep, 3.0, 1.0 - 0.25 * 11 * kStep});
  simulation.restore(state);
  EXPECT_EQ(simulation.state_hash(), hash);
  simulation.step(10);
  EXPECT_EQ(twin.state_hash(), simulation.state_hash());
  simulation.reset();
  EXPECT_EQ(simulation.state_hash(), start);
  expect_at(simulation, "late", {});
  expect_at(simulation, "belt", {0.0, 3.0, 1.0});
}

// Its motor turns the door about the world's origin, wherever the velocity has brought it.
const char* kDoor = R"(Robot { name "r" children [ HingeJoint { device RotationalMotor { name "m"
  maxVelocity 2 } jointParameters HingeJointParameters { axis 0 0 1 } endPoint Solid { name "door"
  translation 1 0 0 linearVelocity 0.5 0 0 angularVelocity 0 0 0.25
  boundingObject Box { size 0.1 0.1 0.1 } } } ] })";

TEST(Drift, MovesTheEndpointOfAJoint) {
  Simulation simulation = world(kDoor);
  const int door = simulation.solid("door").index();
  simulation.step(100);
  expect_at(simulation, "door", {1.4, 0.0, 0.0});
  EXPECT_NEAR(simulation.solid(door).pose().rotation(1, 0), std::sin(0.2), 1e-12);
  EXPECT_EQ(simulation.joint(0).position(), 0.0);
  simulation.solid(door).set_velocity({});
  simulation.robot(0).motor("m").set_position(std::numbers::pi / 2.0);
  simulation.step(200);
  expect_at(simulation, "door", {0.0, 1.4, 0.0});
  simulation.solid(door).set_velocity({{0.0, 0.0, 2.0}, {}});
  simulation.step(25);
  expect_at(simulation, "door", {0.0, 1.4, 0.4});
  const SimulationState state = simulation.save();
  const std::uint64_t hash = simulation.state_hash();
  Simulation twin = simulation.clone();
  WorldControl(simulation).rebuild(WorldInspector(simulation).world_file());
  EXPECT_EQ(simulation.state_hash(), hash);
  simulation.step(25);
  twin.step(25);
  expect_at(simulation, "door", {0.0, 1.4, 0.8});
  EXPECT_EQ(simulation.state_hash(), twin.state_hash());
  simulation.restore(state);
  expect_at(simulation, "door", {0.0, 1.4, 0.4});
  simulation.solid(door).set_pose({{}, {0.0, 3.0, 0.0}});
  WorldControl(simulation).rebuild(WorldInspector(simulation).world_file());
  simulation.step(25);
  expect_at(simulation, "door", {0.0, 3.0, 0.4});
  simulation.reset();
  expect_at(simulation, "door", {1.0, 0.0, 0.0});
  EXPECT_EQ(simulation.state_hash(), world(kDoor).state_hash());
}

// A joint holds a body where it was made: a Solid that moves by its velocity leaves it behind, also
// when something else changes.
const char* kMovingPost = R"(DEF POST Solid { name "post" linearVelocity 2 0 0 children [
  HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 }
    endPoint Solid { name "bob" translation 0 0 -0.5 rotation 0 1 0 0.3
      boundingObject Sphere { radius 0.1 } physics Physics { density -1 mass 2 } } } ] }
)";

TEST(Drift, WhatItLeavesBehindDoesNotJumpWhenTheTreeChanges) {
  Simulation simulation = world(kMovingPost);
  simulation.joint(0).set_state(0.5);
  simulation.step(100);
  Simulation twin = simulation.clone();
  WorldControl(simulation).rebuild(WorldInspector(simulation).world_file());
  EXPECT_EQ(simulation.state_hash(), twin.state_hash());
  expect_at(simulation, "post", {1.6, 0.0, 0.0});
  simulation.step(100);
  twin.step(100);
  EXPECT_EQ(simulation.state_hash(), twin.state_hash());
  expect_at(simulation, "post", {3.2, 0.0, 0.0});
  simulation.solid(0).set_velocity({});
  WorldControl(simulation).rebuild(WorldInspector(simulation).world_file());
  WorldControl(simulation).rebuild(WorldInspector(simulation).world_file());
  twin.solid(0).set_velocity({});
  simulation.step(100);
  twin.step(100);
  EXPECT_EQ(simulation.state_hash(), twin.state_hash());
  simulation.reset();
  twin.reset();
  EXPECT_EQ(simulation.state_hash(), twin.state_hash());
}

TEST(Drift, PutElsewhereTakesAlongWhatItHasLeftBehind) {
  Simulation simulation = world(kMovingPost);
  simulation.step(100);
  const double position = simulation.joint(0).position();
  const Vec3 bob = simulation.solid("bob").pose().translation;
  simulation.solid(0).set_pose({{}, {0.0, 7.0, 0.0}});
  expect_at(simulation, "bob", bob + Vec3{0.0, 7.0, 0.0});
  EXPECT_NEAR(simulation.joint(0).position(), position, 1e-9);
  WorldControl(simulation).rebuild(WorldInspector(simulation).world_file());
  simulation.step(100);
  expect_at(simulation, "post", {1.6, 7.0, 0.0});
  EXPECT_NEAR(norm(simulation.solid("bob").pose().translation - Vec3{0.0, 7.0, 0.0}), 0.5, 1e-3);
}

TEST(Drift, ANewBodyHangsWhereTheOthersDo) {
  const std::string post = kMovingPost;
  Simulation simulation = world("DEF POST Solid { name \"post\" linearVelocity 2 0 0 }");
  simulation.step(100);
  Diagnostics diagnostics;
  auto changed = std::make_shared<wbt::WorldFile>(wbt::read_world_text(
      "#VRML_SIM R2023b utf8\nWorldInfo { basicTimeStep 8 gravity 9.81 }\n" + post, "world", ".",
      {}, diagnostics));
  WorldControl(simulation).rebuild(changed);
  expect_at(simulation, "post", {1.6, 0.0, 0.0});
  simulation.step(100);
  EXPECT_NEAR(norm(simulation.solid("bob").pose().translation), 0.5, 1e-3);
}

TEST(Drift, TooFastEndsTheRun) {
  Simulation simulation = world("Solid { name \"a\" angularVelocity 1e300 1e300 0 }");
  EXPECT_THROW(simulation.step(), Diverged);
}

}  // namespace sim_drift_test
}  // namespace servosim::test
