// SPDX-License-Identifier: Apache-2.0
// A tree that changes while the world runs: what remains goes on.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>

#include "physics/mass.h"
#include "scene/scene.h"
#include "servosim/simulation.h"
#include "sim/trace/trace_recorder.h"
#include "sim/world_control.h"
#include "sim/world_inspector.h"
#include "wbt/world_file.h"

namespace servosim::test {
namespace sim_rebuild_test {

// Nodes are numbered as they are read: texts that agree up to some place share what is before it.
constexpr const char* kHead = R"(#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 8 physicsDisableTime 0.1 randomSeed 5 }
Solid { name "floor" boundingObject Plane { size 9 9 } }
)";

std::string box(const std::string& name, const std::string& place, const std::string& more = "") {
  return "Solid { name \"" + name + "\" translation " + place +
         " boundingObject Box { size 0.1 0.1 0.1 } " +
         (more.empty() ? "physics Physics { density -1 mass 0.8 }" : more) + " }\n";
}

std::string arm(const std::string& name, const std::string& y, const std::string& motor = "",
                const std::string& parameters = "") {
  return "Robot { name \"" + name + "\" translation 0 " + y + R"( 0.4 battery [ 900 900 0 ]
  children [
    HingeJoint { jointParameters HingeJointParameters { axis 0 0 1 dampingConstant 0.01 )" +
         parameters + R"( }
      device [ RotationalMotor { name "m" )" +
         motor + R"( } PositionSensor { name "s" noise 0.01 } Brake { name "b" } ]
      endPoint Solid { name ")" +
         name + R"( link" translation 0.2 0 0 boundingObject Box { size 0.4 0.05 0.05 }
        physics Physics { } } }
    Accelerometer { name "a" }
  ]
  boundingObject Box { size 0.2 0.2 0.1 } physics Physics { } }
)";
}

std::shared_ptr<const wbt::WorldFile> tree(const std::string& text) {
  Diagnostics diagnostics;
  return std::make_shared<const wbt::WorldFile>(
      wbt::read_world_text(text, "world", ".", {}, diagnostics));
}

struct Quiet {
  std::vector<std::string> said;
  LoadOptions options() {
    LoadOptions options;
    options.notice = [this](std::string_view text) { said.emplace_back(text); };
    return options;
  }
};

void start(Simulation& simulation) {
  for (int r = 0; r < simulation.robots().size(); ++r) {
    simulation.robot(r).position_sensor("s").enable(24, 0.0);
    simulation.robot(r).body_sensor("a").enable(16, 0.0);
    simulation.robot(r).motor("m").enable(16, 0.0);
    simulation.robot(r).brake("b").set_damping_constant(0.02);
  }
}

void drive(Simulation& simulation, int steps) {
  for (int n = 0; n < steps; ++n) {
    for (int r = 0; r < simulation.robots().size(); ++r) {
      simulation.robot(r).motor("m").set_position(0.6 * std::sin(9.0 * simulation.time() + r));
    }
    simulation.step();
  }
}

TEST(Rebuild, OfTheSameTreeChangesNoBit) {
  const std::string text =
      kHead + box("one", "2 0 0.05") + arm("r", "0") + box("two", "0.1 0.1 0.9");
  Quiet quiet;
  Simulation simulation = Simulation::from_text(text, quiet.options());
  start(simulation);
  drive(simulation, 150);
  Simulation twin = simulation.clone();
  const double sample = simulation.robot(0).position_sensor("s").value();
  for (const auto& same : {WorldInspector(simulation).world_file(), tree(text)}) {
    WorldControl(simulation).rebuild(same);
    EXPECT_EQ(simulation.state_hash(), twin.state_hash());
    EXPECT_EQ(WorldInspector(simulation).world_file(), same);
    EXPECT_EQ(simulation.robot(0).position_sensor("s").value(), sample);
  }
  EXPECT_EQ(WorldInspector(simulation).tree_version(), WorldInspector(twin).tree_version() + 2);
  drive(simulation, 300);
  drive(twin, 300);
  EXPECT_EQ(simulation.state_hash(), twin.state_hash());
  EXPECT_EQ(simulation.robot(0).position_sensor("s").value(),
            twin.robot(0).position_sensor("s").value());
  EXPECT_EQ(simulation.robot(0).body_sensor("a").values()[2],
            twin.robot(0).body_sensor("a").values()[2]);
  EXPECT_EQ(simulation.robot(0).motor("m").sampler().value(),
            twin.robot(0).motor("m").sampler().value());
  EXPECT_EQ(simulation.robot(0).battery()->energy(), twin.robot(0).battery()->energy());
}

TEST(Rebuild, DevicesKeepTheirAddressesAndTakeNewLimits) {
  Quiet quiet;
  Simulation simulation = Simulation::from_text(kHead + arm("r", "0"), quiet.options());
  Robot& robot = simulation.robot(0);
  Motor& motor = robot.motor("m");
  PositionSensor& sensor = robot.position_sensor("s");
  sensor.enable(8, 0.0);
  motor.set_position(INFINITY);
  motor.set_velocity(4.0);
  simulation.step(20);
  const double before = sensor.value();
  WorldControl(simulation)
      .rebuild(tree(
          kHead + arm("r", "0", "maxVelocity 3 maxTorque 7 acceleration 5", "springConstant 0.5")));
  EXPECT_EQ(&simulation.robot(0), &robot);
  EXPECT_EQ(&robot.motor("m"), &motor);
  EXPECT_EQ(&robot.position_sensor("s"), &sensor);
  EXPECT_EQ(motor.limits().max_velocity, 3.0);
  EXPECT_EQ(motor.targets().velocity, 3.0);
  EXPECT_EQ(motor.targets().available_force, 7.0);
  EXPECT_EQ(motor.targets().acceleration, 5.0);
  EXPECT_EQ(motor.targets().position, INFINITY);
  EXPECT_EQ(WorldInspector(simulation).scene().joints[0].spring.constant, 0.5);
  EXPECT_EQ(sensor.value(), before);
  simulation.step(50);
  EXPECT_NEAR(simulation.joint(0).velocity(), 3.0, 0.05);
  EXPECT_GT(sensor.value(), before);
}

TEST(Rebuild, WhatIsGoneDoesNothingAndComesBackWithItsState) {
  Quiet quiet;
  const std::string without = kHead + arm("first", "0");
  Simulation simulation = Simulation::from_text(without + arm("second", "2"), quiet.options());
  start(simulation);
  drive(simulation, 30);
  const SimulationState both = simulation.save();
  const std::uint64_t hash = simulation.state_hash();
  Robot& gone = simulation.robot(1);
  Motor& motor = gone.motor("m");
  ASSERT_EQ(simulation.joints().size(), 2);
  const TraceRecorder recorder(simulation, watch(simulation, {}));
  std::vector<double> row(recorder.width());

  WorldControl(simulation).rebuild(tree(without));
  EXPECT_EQ(simulation.robots().size(), 1);
  EXPECT_EQ(gone.index(), -1);
  EXPECT_EQ(gone.name(), "second");
  EXPECT_TRUE(gone.devices()[0].detached);
  motor.set_position(1.0);
  motor.set_force(2.0);
  motor.enable(8, 0.0);
  for (const DeviceNode& device : gone.devices()) {
    if (device.get<PositionSensor>()) device.get<PositionSensor>()->enable(8, 0.0);
    if (device.get<Brake>()) device.get<Brake>()->set_damping_constant(1.0);
    if (device.get<BodySensor>()) device.get<BodySensor>()->enable(8, 0.0);
  }
  EXPECT_EQ(simulation.joints().size(), 2);
  EXPECT_EQ(simulation.joint(1).name(), "second/m");
  EXPECT_EQ(WorldInspector(simulation).joint_in_scene(1), -1);
  EXPECT_TRUE(std::isnan(simulation.joint(1).position()));
  EXPECT_EQ(simulation.joint(1).motor(), nullptr);
  EXPECT_THROW(simulation.joint(1).set_state(0.0), std::invalid_argument);
  EXPECT_THROW(simulation.joint("second/m").index(), std::out_of_range);
  drive(simulation, 20);
  recorder.read(row.data());
  EXPECT_FALSE(std::isnan(row[1]));
  EXPECT_TRUE(std::isnan(row.back()));

  simulation.restore(both);
  EXPECT_EQ(simulation.state_hash(), hash);
  EXPECT_EQ(&simulation.robot(1), &gone);
  EXPECT_EQ(gone.index(), 1);
  EXPECT_EQ(&gone.motor("m"), &motor);
  EXPECT_EQ(WorldInspector(simulation).joint_in_scene(1), 1);
  drive(simulation, 20);
  EXPECT_FALSE(std::isnan(simulation.joint(1).position()));
  recorder.read(row.data());
  EXPECT_FALSE(std::isnan(row.back()));
}

TEST(Rebuild, ANewRobotStandsBehindAndALostOneInFrontMovesNoNumber) {
  Quiet quiet;
  const std::string text = kHead + arm("a", "0") + arm("b", "2");
  Simulation simulation = Simulation::from_text(text, quiet.options());
  Motor& motor = simulation.robot("b").motor("m");
  simulation.step(10);
  const double position = simulation.joint(1).position();
  auto file = std::make_shared<wbt::WorldFile>(*tree(text + arm("c", "4")));
  file->nodes.erase(file->nodes.begin() + 2);  // a
  WorldControl(simulation).rebuild(file);
  EXPECT_EQ(simulation.robots().size(), 2);
  EXPECT_EQ(simulation.robot(0).name(), "b");
  EXPECT_EQ(simulation.robot("b").index(), 0);
  EXPECT_EQ(&simulation.robot("b").motor("m"), &motor);
  EXPECT_EQ(simulation.joints().size(), 3);
  EXPECT_EQ(simulation.joint(1).name(), "b/m");
  EXPECT_EQ(simulation.joint(1).position(), position);
  EXPECT_EQ(simulation.joint(1).motor(), &motor);
  EXPECT_EQ(simulation.joint(2).name(), "c/m");
  EXPECT_EQ(simulation.robot("c").devices()[0].joint, 2);
  simulation.robot("c").motor("m").set_position(0.4);
  simulation.step(200);
  EXPECT_NEAR(simulation.joint(2).position(), 0.4, 0.02);
  simulation.reset();
  EXPECT_EQ(simulation.robots().size(), 2);
  EXPECT_EQ(simulation.robot(0).name(), "a");
  EXPECT_EQ(WorldInspector(simulation).joint_in_scene(2), -1);
  EXPECT_EQ(simulation.step_count(), 0);
}

TEST(Rebuild, MovesWhatTheTreePutsElsewhereAndNothingElse) {
  Quiet quiet;
  Simulation simulation = Simulation::from_text(
      kHead + box("falling", "0 0 2") + box("other", "3 0 2"), quiet.options());
  simulation.step(25);
  const double z = simulation.solid("falling").pose().translation.z;
  const SolidVelocity velocity = simulation.solid("falling").velocity();
  ASSERT_LT(z, 1.9);
  WorldControl(simulation).rebuild(tree(kHead + box("falling", "0 0 2") + box("other", "3 1 5")));
  EXPECT_EQ(simulation.solid("falling").pose().translation.z, z);
  EXPECT_EQ(simulation.solid("other").pose().translation, (Vec3{3, 1, 5}));
  EXPECT_EQ(simulation.solid("falling").velocity().linear, velocity.linear);
  EXPECT_EQ(simulation.solid("other").velocity().linear, velocity.linear);
  // A command of before does not act once more.
  simulation.solid("falling").set_pose({{}, {0, 0, 7}});
  simulation.step(25);
  const Vec3 lower = simulation.solid("falling").pose().translation;
  ASSERT_LT(lower.z, 6.9);
  WorldControl(simulation).rebuild(tree(kHead + box("falling", "0 0 7") + box("other", "3 1 5")));
  EXPECT_EQ(simulation.solid("falling").pose().translation, lower);
}

std::string arm_on_base() {
  return std::string(kHead) + R"(Robot { name "r" translation 1 0 1 children [
    HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 }
      device RotationalMotor { name "m" maxTorque 50 }
      endPoint Solid { name "link" translation 0.2 0 0 boundingObject Box { size 0.4 0.05 0.05 }
        physics Physics { } } } ] }
)";
}

// What is the same in all clones belongs to each of them; to move the base builds the world again.
TEST(Rebuild, OfACloneNeedsNoOriginal) {
  Quiet quiet;
  auto original =
      std::make_unique<Simulation>(Simulation::from_text(arm_on_base(), quiet.options()));
  original->robot(0).motor("m").set_position(0.3);
  original->step(20);
  auto clone = std::make_unique<Simulation>(original->clone());
  const auto move_base = [](Simulation& simulation, double y) {
    simulation.step(30);
    simulation.solid("r").set_pose({{}, {1.0, y, 1.0}});
    simulation.step(30);
    return simulation.state_hash();
  };
  const std::uint64_t once = move_base(*original, 0.5);
  const std::uint64_t twice = move_base(*original, 0.75);
  original.reset();
  EXPECT_EQ(move_base(*clone, 0.5), once);
  Simulation last = clone->clone();
  clone.reset();
  EXPECT_EQ(last.state_hash(), once);
  EXPECT_EQ(move_base(last, 0.75), twice);
}

TEST(Rebuild, OfAnArmOnAMovedBaseKeepsItInPlace) {
  Quiet quiet;
  Simulation simulation = Simulation::from_text(arm_on_base(), quiet.options());
  simulation.robot(0).motor("m").set_position(0.3);
  simulation.step(100);
  const int base = simulation.solid("r").index();
  const Pose link = simulation.solid("link").pose();
  simulation.solid(base).set_pose({{}, {1.0, 0.5, 1.0}});
  EXPECT_NEAR(simulation.solid("link").pose().translation.y, link.translation.y + 0.5, 1e-12);
  simulation.step(100);
  EXPECT_NEAR(
      norm(simulation.solid("link").pose().translation - link.translation - Vec3{0, 0.5, 0}), 0.0,
      1e-4);
  EXPECT_NEAR(simulation.joint(0).position(), 0.3, 1e-3);
  const Pose there = simulation.solid("link").pose();
  WorldControl(simulation).rebuild(tree(arm_on_base() + box("new", "5 5 5")));
  EXPECT_EQ(simulation.solid("link").pose().translation, there.translation);
  EXPECT_EQ(simulation.solid("r").pose().translation, (Vec3{1.0, 0.5, 1.0}));
  const SimulationState state = simulation.save();
  const std::uint64_t hash = simulation.state_hash();
  simulation.step(50);
  const std::uint64_t later = simulation.state_hash();
  EXPECT_NEAR(norm(simulation.solid("link").pose().translation - there.translation), 0.0, 1e-4);
  simulation.reset();
  EXPECT_EQ(simulation.solid("r").pose().translation, (Vec3{1.0, 0.0, 1.0}));
  simulation.restore(state);
  EXPECT_EQ(simulation.state_hash(), hash);
  simulation.step(50);
  EXPECT_EQ(simulation.state_hash(), later);
}

TEST(Rebuild, GeometryAndMassChange) {
  Quiet quiet;
  Simulation simulation = Simulation::from_text(kHead + box("b", "0 0 0.05"), quiet.options());
  simulation.step(100);  // it sleeps
  std::string tall = kHead + box("b", "0 0 0.05");
  tall.replace(tall.find("size 0.1 0.1 0.1"), 16, "size 0.1 0.1 0.3");
  tall.replace(tall.find("mass 0.8"), 8, "mass 2.5");
  WorldControl(simulation).rebuild(tree(tall));
  EXPECT_EQ(WorldInspector(simulation).bodies()[0].mass.mass, 2.5);
  simulation.step(500);
  EXPECT_NEAR(simulation.solid("b").pose().translation.z, 0.15, 2e-3);
}

TEST(Rebuild, SaysBadValuesOnceAndPutsTheUsualOnesInTheirPlace) {
  Quiet quiet;
  Simulation simulation = Simulation::from_text(kHead + arm("r", "0"), quiet.options());
  const auto bad = tree(kHead + arm("r", "0", "maxVelocity -4"));
  WorldControl(simulation).rebuild(bad);
  ASSERT_EQ(quiet.said.size(), 1u);
  EXPECT_NE(quiet.said[0].find("maxVelocity"), std::string::npos) << quiet.said[0];
  EXPECT_EQ(simulation.robot(0).motor("m").limits().max_velocity, 4.0);
  WorldControl(simulation).rebuild(bad);
  EXPECT_EQ(quiet.said.size(), 1u);
}

double max_velocity(const wbt::Node& node) {
  if (node.type->name == "RotationalMotor") {
    return node.number("maxVelocity");
  }
  double found = 0.0;
  for (const wbt::Field& field : node.fields) {
    if (const auto* one = std::get_if<wbt::NodePtr>(&field.value); one != nullptr && *one) {
      found += max_velocity(**one);
    } else if (const auto* list = std::get_if<std::vector<wbt::NodePtr>>(&field.value)) {
      for (const wbt::NodePtr& item : *list) {
        found += max_velocity(*item);
      }
    }
  }
  return found;
}

TEST(Rebuild, TheTreeHasTheUsualValuesInThePlaceOfBadOnes) {
  Quiet quiet;
  const std::string bad = kHead + arm("r", "0", "maxVelocity -4");
  Simulation simulation = Simulation::from_text(bad, quiet.options());
  EXPECT_EQ(max_velocity(*WorldInspector(simulation).world_file()->nodes.back()), 4.0);
  const auto worse = tree(kHead + arm("r", "0", "maxVelocity -6"));
  WorldControl(simulation).rebuild(worse);
  EXPECT_EQ(max_velocity(*WorldInspector(simulation).world_file()->nodes.back()), 6.0);
  EXPECT_EQ(max_velocity(*worse->nodes.back()), -6.0);
  const auto good = tree(kHead + arm("r", "0", "maxVelocity 6"));
  WorldControl(simulation).rebuild(good);
  EXPECT_EQ(WorldInspector(simulation).world_file(), good);
  simulation.reset();
  EXPECT_EQ(max_velocity(*WorldInspector(simulation).world_file()->nodes.back()), 4.0);
}

TEST(Rebuild, RefusesNoTreeAndWhatOtherSimulationsSaved) {
  Quiet quiet;
  Simulation simulation = Simulation::from_text(kHead + arm("r", "0"), quiet.options());
  EXPECT_THROW(WorldControl(simulation).rebuild(nullptr), std::invalid_argument);
  Simulation other = Simulation::from_text(kHead + arm("r", "0"), quiet.options());
  EXPECT_THROW(simulation.restore(other.save()), std::invalid_argument);
  EXPECT_THROW(simulation.restore(SimulationState()), std::invalid_argument);
  Simulation twin = simulation.clone();
  WorldControl(twin).rebuild(tree(kHead + arm("r", "0") + arm("s", "2")));
  simulation.restore(twin.save());
  EXPECT_EQ(simulation.robots().size(), 2);
  EXPECT_EQ(simulation.joint(1).name(), "s/m");
  EXPECT_EQ(simulation.state_hash(), twin.state_hash());
}

std::string docked(const std::string& name, const std::string& x, const std::string& rotation,
                   const std::string& locked) {
  return "Robot { name \"" + name + "\" translation " + x + " 5 0.05 rotation " + rotation +
         " children Connector { name \"c\" isLocked " + locked +
         " translation 0.05 0 0 } boundingObject Box { size 0.1 0.1 0.1 } physics Physics { } }\n";
}

TEST(Rebuild, ALockedConnectorThatComesHoldsWhoIsInFrontOfIt) {
  Quiet quiet;
  const std::string one = kHead + docked("one", "0", "0 0 1 0", "FALSE");
  const auto both = [&](const char* locked) {
    return one + docked("two", "0.1", "0 0 1 3.141592653589793", locked);
  };
  Simulation simulation = Simulation::from_text(one, quiet.options());
  const Connector& first = simulation.robot(0).connector("c");
  simulation.step(5);
  WorldControl(simulation).rebuild(tree(both("FALSE")));
  simulation.step();
  EXPECT_FALSE(first.attached());
  WorldControl(simulation).rebuild(tree(both("TRUE")));  // the field is set
  const Connector& second = simulation.robot(1).connector("c");
  EXPECT_TRUE(second.locked());
  EXPECT_TRUE(second.attached());
  EXPECT_TRUE(first.attached());
  WorldControl(simulation).rebuild(tree(both("FALSE")));
  EXPECT_FALSE(second.locked());
  EXPECT_FALSE(second.attached());

  Simulation next = Simulation::from_text(one, quiet.options());
  next.step(5);
  WorldControl(next).rebuild(tree(both("TRUE")));  // the node comes in
  EXPECT_TRUE(next.robot(1).connector("c").attached());
  WorldControl(next).rebuild(WorldInspector(next).world_file());
  EXPECT_TRUE(next.robot(1).connector("c").attached());
  next.solid("two").set_velocity({{0.0, 0.0, 2.0}, {}});
  next.step(5);
  EXPECT_NEAR(norm(next.solid("two").pose().translation - next.solid("one").pose().translation),
              0.1, 1e-3);
}

TEST(Rebuild, RefusesWhatIsTooFarAwayOrTooFast) {
  Quiet quiet;
  Simulation simulation = Simulation::from_text(kHead + box("near", "0 0 1"), quiet.options());
  Simulation twin = simulation.clone();
  const std::string moving = "physics Physics { } linearVelocity 1e12 0 0";
  for (const std::string& far : {box("far", "1e12 0 0"), box("fast", "3 0 1", moving)}) {
    EXPECT_THROW(WorldControl(simulation).rebuild(tree(kHead + box("near", "0 0 1") + far)),
                 LoadError)
        << far;
  }
  simulation.step(3);
  twin.step(3);
  EXPECT_EQ(simulation.state_hash(), twin.state_hash());
  EXPECT_EQ(WorldInspector(simulation).tree_version(), WorldInspector(twin).tree_version());
}

// ODE's solver has no couplings, so an edit that adds one is refused, as when the world is loaded.
TEST(Rebuild, RefusesCouplingsThatTheSolverDoesNotHave) {
  const std::string before = kHead + arm("one", "0") + arm("two", "2");
  const std::string coupled = kHead + arm("one", "0") + arm("two", "2", "", "coupling \"one/m\"");
  Quiet quiet;
  LoadOptions options = quiet.options();
  options.solver = Solver::Ode;
  Simulation simulation = Simulation::from_text(before, options);
  simulation.step(5);
  Simulation twin = simulation.clone();
  try {
    WorldControl(simulation).rebuild(tree(coupled));
    ADD_FAILURE() << "the edit was accepted";
  } catch (const LoadError& error) {
    EXPECT_NE(std::string(error.what()).find("coupled joints need the tree solver"),
              std::string::npos)
        << error.what();
  }
  EXPECT_EQ(simulation.state_hash(), twin.state_hash());
  simulation.step(5);
  twin.step(5);
  EXPECT_EQ(simulation.state_hash(), twin.state_hash());
  Simulation by_tree = Simulation::from_text(before, quiet.options());
  WorldControl(by_tree).rebuild(tree(coupled));
  EXPECT_EQ(WorldInspector(by_tree).scene().couplings.size(), 1u);
}

}  // namespace sim_rebuild_test
}  // namespace servosim::test
