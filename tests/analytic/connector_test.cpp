// SPDX-License-Identifier: Apache-2.0
// Connectors: which pairs fit, what they hold, when they break, and that a restored state continues
// bit for bit.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "servosim/simulation.h"
#include "sim/world_control.h"
#include "sim/world_inspector.h"
#include "support/worlds.h"

namespace servosim::test {
namespace connector_test {

constexpr double kG = 9.81;

// Robot "r" is fixed to the world and has a connector "c" at the origin that looks down. A box of 2
// kg with another connector is `gap` below it. Nothing connects them yet.
std::string hanging(const std::string& ours, const std::string& theirs, double gap = 0.002,
                    const std::string& box_rotation = "0 0 1 0", const std::string& world = "") {
  return fmt::format(
      "#VRML_SIM R2023b utf8\nWorldInfo {{ basicTimeStep 8 {} }}\n"
      "Robot {{ name \"r\" children [ Connector {{ name \"c\" rotation 0 1 0 1.5707963267948966 {} "
      "}} "
      "] }}\n"
      "Solid {{ name \"box\" translation 0 0 {} rotation {} children [ Connector {{ name \"k\" "
      "rotation 0 1 0 -1.5707963267948966 translation 0 0 0.1 {} }} ] "
      "boundingObject Box {{ size 0.2 0.2 0.2 }} physics Physics {{ density -1 mass 2 }} }}\n",
      world, ours, -0.1 - gap, box_rotation, theirs);
}

void run(Simulation& simulation, double seconds) {
  const double end = simulation.time() + seconds;
  while (simulation.time() < end - 1e-9) {
    simulation.step();
  }
}

double height(const Simulation& simulation) { return simulation.solid("box").pose().translation.z; }

double presence(const std::string& ours, const std::string& theirs, double gap = 0.002,
                const std::string& rotation = "0 0 1 0") {
  Simulation simulation = load(hanging(ours, theirs, gap, rotation, "gravity 0"));
  Connector& connector = simulation.robot(0).connector("c");
  connector.enable_presence(8, 0.0);
  EXPECT_TRUE(std::isnan(connector.presence()));
  simulation.step();
  return connector.presence();
}

TEST(Connector, KnowsWhoFits) {
  EXPECT_EQ(presence("", ""), 1.0);
  EXPECT_EQ(presence("model \"a\"", "model \"b\""), 0.0);
  EXPECT_EQ(presence("model \"a\"", "model \"a\""), 1.0);
  EXPECT_EQ(presence("type \"active\"", "type \"passive\""), 1.0);
  EXPECT_EQ(presence("type \"active\"", "type \"active\""), 0.0);
  EXPECT_EQ(presence("type \"active\"", ""), 0.0);
  EXPECT_EQ(presence("type \"passive\"", "type \"active\""), -1.0);
  EXPECT_EQ(presence("", "", 0.0098), 1.0);
  EXPECT_EQ(presence("", "", 0.0102), 0.0);
  EXPECT_EQ(presence("distanceTolerance 0.02", "", 0.0102), 1.0);
}

TEST(Connector, MeasuresAngles) {
  // The box turns about the connector's axis. Every quarter turn fits, with a tolerance of 0.2.
  EXPECT_EQ(presence("", "", 0.0, "0 0 1 0.19"), 1.0);
  EXPECT_EQ(presence("", "", 0.0, "0 0 1 0.21"), 0.0);
  EXPECT_EQ(presence("", "", 0.0, "0 0 1 1.7"), 1.0);
  EXPECT_EQ(presence("numberOfRotations 1", "", 0.0, "0 0 1 1.7"), 0.0);
  EXPECT_EQ(presence("numberOfRotations 0", "", 0.0, "0 0 1 0.7"), 1.0);
  EXPECT_EQ(presence("rotationTolerance 0.8", "", 0.0, "0 0 1 0.7"), 1.0);
  // The box leans: the connector, 0.1 m from the box's middle, moves by 0.1·sin.
  EXPECT_EQ(presence("distanceTolerance 1", "", 0.0, "1 0 0 0.19"), 1.0);
  EXPECT_EQ(presence("distanceTolerance 1", "", 0.0, "1 0 0 0.21"), 0.0);
  EXPECT_EQ(presence("distanceTolerance 1 axisTolerance 0.3", "", 0.0, "1 0 0 0.21"), 1.0);
}

TEST(Connector, HoldsUntilUnlocked) {
  Simulation simulation = load(hanging("type \"active\"", "type \"passive\""));
  Connector& connector = simulation.robot(0).connector("c");
  connector.lock();
  EXPECT_TRUE(connector.locked());
  EXPECT_TRUE(connector.attached());
  // Locking aligns the box, which was 2 mm off. A fixed joint yields by less than a micrometre.
  run(simulation, 1.0);
  EXPECT_NEAR(height(simulation), -0.1, 1e-5);
  connector.unlock();
  EXPECT_FALSE(connector.attached());
  const int steps = 50;
  for (int n = 0; n < steps; ++n) {
    simulation.step();
  }
  // In n steps of ODE a body falls by h²·g·n(n+1)/2.
  EXPECT_NEAR(height(simulation), -0.1 - kG * 0.008 * 0.008 * steps * (steps + 1) / 2.0, 1e-4);
}

TEST(Connector, WithoutSnapHoldsWhereItIs) {
  Simulation simulation = load(hanging("snap FALSE", "", 0.004, "0 0 1 0.1"));
  simulation.robot(0).connector("c").lock();
  run(simulation, 0.5);
  EXPECT_NEAR(height(simulation), -0.104, 1e-5);
  EXPECT_NEAR(std::asin(simulation.solid("box").pose().rotation(1, 0)), 0.1, 1e-5);
}

TEST(Connector, SnapTurnsToTheNearestPlace) {
  Simulation simulation =
      load(hanging("distanceTolerance 0.05", "", 0.001, "0 0 1 1.65", "gravity 0"));
  simulation.robot(0).connector("c").lock();
  ASSERT_TRUE(simulation.robot(0).connector("c").attached());
  const Mat3 r = simulation.solid("box").pose().rotation;
  EXPECT_NEAR(std::atan2(r(1, 0), r(0, 0)), 1.5707963267948966, 1e-12);
  EXPECT_NEAR(height(simulation), -0.1, 1e-12);
}

TEST(Connector, LocksBothSidesWhereAsked) {
  const std::string bilateral = "unilateralLock FALSE unilateralUnlock FALSE";
  const std::string text =
      "#VRML_SIM R2023b utf8\nWorldInfo { basicTimeStep 8 gravity 0 }\n"
      "Robot { name \"a\" children [ Connector { name \"c\" autoLock TRUE " +
      bilateral +
      " } ] boundingObject Box { size 0.1 0.1 0.1 } physics Physics { } translation -0.3 0 0 }\n"
      "Robot { name \"b\" children [ Connector { name \"c\" rotation 0 0 1 3.141592653589793 " +
      bilateral +
      " } ] boundingObject Box { size 0.1 0.1 0.1 } physics Physics { } "
      "translation -0.3 0 0.005 selfCollision FALSE }\n";
  Simulation simulation = load(text);
  Connector& a = simulation.robot("a").connector("c");
  Connector& b = simulation.robot("b").connector("c");
  a.lock();
  EXPECT_FALSE(a.attached());
  b.lock();
  EXPECT_TRUE(a.attached() && b.attached());
  a.unlock();
  EXPECT_TRUE(a.attached()) << "the other one holds on";
  b.unlock();
  EXPECT_FALSE(a.attached() || b.attached());
}

TEST(Connector, StrengthBreaks) {
  const auto holds = [](const std::string& strength) {
    Simulation simulation = load(hanging("isLocked TRUE autoLock TRUE " + strength, "", 0.0));
    Connector& connector = simulation.robot(0).connector("c");
    EXPECT_TRUE(connector.attached()) << "locked from the start";
    run(simulation, 0.5);
    EXPECT_EQ(connector.locked(), connector.attached());
    return connector.attached();
  };
  EXPECT_TRUE(holds("tensileStrength 19.7")) << "2 kg pull by 19.62 N";
  EXPECT_FALSE(holds("tensileStrength 19.5"));
  EXPECT_TRUE(holds("shearStrength 0.5"));
}

TEST(Connector, GoesOnBitForBit) {
  Simulation simulation = load(hanging("autoLock TRUE", "", 0.004, "0.3 0.5 1 0.1"));
  Connector& connector = simulation.robot(0).connector("c");
  const SimulationState before = simulation.save();
  connector.lock();
  run(simulation, 0.2);
  const SimulationState held = simulation.save();
  Simulation twin = simulation.clone();
  const auto later = [](Simulation& s) {
    run(s, 0.3);
    return s.state_hash();
  };
  const std::uint64_t hash = later(simulation);
  EXPECT_EQ(later(twin), hash);
  connector.unlock();
  run(simulation, 0.1);
  simulation.restore(held);
  EXPECT_TRUE(connector.attached());
  EXPECT_EQ(later(simulation), hash);
  simulation.restore(before);
  EXPECT_FALSE(connector.attached());
  run(simulation, 0.4);
  EXPECT_LT(height(simulation), -0.8) << "nothing holds it";
  simulation.reset();
  EXPECT_FALSE(connector.locked());
}

TEST(Connector, HoldsOnWhenTheTreeChanges) {
  Simulation simulation = load(hanging("", ""));
  Connector& connector = simulation.robot(0).connector("c");
  connector.lock();
  run(simulation, 0.2);
  const double before = height(simulation);
  WorldControl(simulation).rebuild(WorldInspector(simulation).world_file());
  EXPECT_TRUE(connector.attached() && connector.locked());
  run(simulation, 0.5);
  EXPECT_NEAR(height(simulation), before, 1e-6);
  connector.unlock();
  run(simulation, 0.3);
  EXPECT_LT(height(simulation), before - 0.3);
}

TEST(Connector, TakesBadInput) {
  Simulation wrong = load_bad(
      hanging("numberOfRotations -4 distanceTolerance -1 axisTolerance -0.1 rotationTolerance 99 "
              "tensileStrength -3 type \"both\"",
              ""));
  wrong.robot(0).connector("c").lock();
  EXPECT_TRUE(wrong.robot(0).connector("c").attached());
  Simulation simulation = load(hanging("type \"passive\" isLocked TRUE", "type \"passive\""));
  Connector& connector = simulation.robot(0).connector("c");
  connector.lock();
  connector.unlock();
  EXPECT_FALSE(connector.locked());
  EXPECT_THROW(connector.enable_presence(-1, 0.0), std::invalid_argument);
}

}  // namespace connector_test
}  // namespace servosim::test
