// SPDX-License-Identifier: Apache-2.0
// VacuumGrippers: what they grip, how long they hold it, and that a restored state continues bit
// for bit.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "servosim/simulation.h"
#include "sim/world_control.h"
#include "sim/world_inspector.h"
#include "support/worlds.h"

namespace servosim::test {
namespace vacuum_gripper_test {

constexpr double kRest = -0.1095;  // the box reaches half a millimetre into the cup

// Robot "r" is fixed to the world and has a gripper at the origin that looks down. A box of 2 kg
// hangs below it, `gap` lower than where it touches.
std::string hanging(const std::string& gripper, double gap = 0.0, const std::string& box = "") {
  return fmt::format(
      "#VRML_SIM R2023b utf8\nWorldInfo {{ basicTimeStep 8 }}\n"
      "Robot {{ name \"r\" children [ VacuumGripper {{ name \"g\" rotation 0 1 0 "
      "1.5707963267948966 boundingObject Box {{ size 0.02 0.1 0.1 }} {} }} ] }}\n"
      "Solid {{ name \"box\" translation 0 0 {} boundingObject Box {{ size 0.2 0.2 0.2 }} "
      "physics Physics {{ density -1 mass 2 }} {} }}\n",
      gripper, kRest - gap, box);
}

void run(Simulation& simulation, double seconds) {
  const double end = simulation.time() + seconds;
  while (simulation.time() < end - 1e-9) {
    simulation.step();
  }
}

double height(const Simulation& simulation) { return simulation.solid("box").pose().translation.z; }

Connector& gripper(Simulation& simulation) { return simulation.robot(0).connector("g"); }

TEST(VacuumGripper, HoldsWhatTouchesItWhileItIsOn) {
  Simulation simulation = load(hanging("isOn TRUE"));
  gripper(simulation).enable_presence(8, 0.0);
  EXPECT_TRUE(std::isnan(gripper(simulation).presence()));
  run(simulation, 1.0);
  EXPECT_NEAR(height(simulation), kRest, 1e-5);
  EXPECT_TRUE(gripper(simulation).locked() && gripper(simulation).attached());
  EXPECT_EQ(gripper(simulation).presence(), 1.0);
  gripper(simulation).unlock();
  EXPECT_FALSE(gripper(simulation).attached());
  run(simulation, 0.4);
  EXPECT_LT(height(simulation), -0.8);
  EXPECT_EQ(gripper(simulation).presence(), 0.0);
  gripper(simulation).lock();
  run(simulation, 0.008);
  EXPECT_TRUE(gripper(simulation).locked());
  EXPECT_FALSE(gripper(simulation).attached()) << "nothing touches it";
}

TEST(VacuumGripper, GripsNothingThatDoesNotTouchOrAtTooFewPoints) {
  const auto holds = [](const std::string& fields, double gap, const std::string& box = "") {
    Simulation simulation = load(hanging("isOn TRUE " + fields, gap, box));
    run(simulation, 0.1);
    return gripper(simulation).attached();
  };
  EXPECT_TRUE(holds("", 0.0)) << "four corners";
  EXPECT_FALSE(holds("", 0.002));
  EXPECT_TRUE(holds("contactPoints 4", 0.0));
  EXPECT_FALSE(holds("contactPoints 9", 0.0));
}

TEST(VacuumGripper, IsTornOffByTooGreatAForceAndStaysOn) {
  const auto holds = [](const std::string& strength) {
    Simulation simulation = load(hanging("isOn TRUE " + strength));
    EXPECT_TRUE(gripper(simulation).attached());
    run(simulation, 0.5);
    EXPECT_TRUE(gripper(simulation).locked());
    return gripper(simulation).attached();
  };
  EXPECT_TRUE(holds("tensileStrength 19.7")) << "2 kg pull by 19.62 N";
  EXPECT_FALSE(holds("tensileStrength 19.5"));
  EXPECT_TRUE(holds("shearStrength 0.5"));
}

TEST(VacuumGripper, GoesOnBitForBitAndWhenTheTreeChanges) {
  Simulation simulation = load(hanging("isOn TRUE"));
  run(simulation, 0.2);
  const SimulationState held = simulation.save();
  run(simulation, 0.3);
  const std::uint64_t hash = simulation.state_hash();
  gripper(simulation).unlock();
  run(simulation, 0.1);
  simulation.restore(held);
  EXPECT_TRUE(gripper(simulation).attached() && gripper(simulation).locked());
  run(simulation, 0.3);
  EXPECT_EQ(simulation.state_hash(), hash);
  WorldControl(simulation).rebuild(WorldInspector(simulation).world_file());
  EXPECT_TRUE(gripper(simulation).attached());
  run(simulation, 0.3);
  EXPECT_NEAR(height(simulation), kRest, 1e-5);
  gripper(simulation).unlock();
  run(simulation, 0.3);
  EXPECT_LT(height(simulation), kRest - 0.3);
}

// Robot "q" of 2 kg hangs by its gripper "h" from the gripper "g" of robot "r".
struct FacingGrippers {
  explicit FacingGrippers(const std::string& above = "isOn TRUE",
                          const std::string& below = "isOn TRUE", const std::string& more = "")
      : simulation(load(fmt::format(
            "#VRML_SIM R2023b utf8\nWorldInfo {{ basicTimeStep 8 }}\n"
            "Robot {{ name \"r\" children [ VacuumGripper {{ name \"g\" rotation 0 1 0 "
            "1.5707963267948966 boundingObject Box {{ size 0.02 0.1 0.1 }} {} }} ] }}\n"
            "Robot {{ name \"q\" translation 0 0 -0.1195 children [ VacuumGripper {{ name \"h\" "
            "translation 0 0 0.1 rotation 0 1 0 -1.5707963267948966 "
            "boundingObject Box {{ size 0.02 0.1 0.1 }} "
            "physics Physics {{ density -1 mass 0.5 }} {} }} ] "
            "boundingObject Box {{ size 0.1 0.1 0.18 }} "
            "physics Physics {{ density -1 mass 1.5 }} }}\n{}\n",
            above, below, more))),
        g(simulation.robot("r").connector("g")),
        h(simulation.robot("q").connector("h")) {}

  double height() const { return simulation.solid("q").pose().translation.z; }

  Simulation simulation;
  Connector& g;
  Connector& h;
};

// A body that is held no longer touches its holder.
TEST(VacuumGripper, OfTwoThatGripEachOtherOneHoldsAndThenTheOther) {
  FacingGrippers two;
  run(two.simulation, 0.4);
  const SimulationState first = two.simulation.save();
  EXPECT_TRUE(two.g.attached());
  EXPECT_FALSE(two.h.attached());
  two.g.unlock();
  EXPECT_FALSE(two.g.attached() || two.h.attached());
  run(two.simulation, 0.4);
  EXPECT_FALSE(two.g.attached());
  EXPECT_TRUE(two.h.attached());
  EXPECT_NEAR(two.height(), -0.1195, 5e-5);
  WorldControl(two.simulation).rebuild(WorldInspector(two.simulation).world_file());
  EXPECT_FALSE(two.g.attached());
  EXPECT_TRUE(two.h.attached());
  two.h.unlock();
  run(two.simulation, 0.2);
  EXPECT_LT(two.height(), -0.2);
  two.simulation.restore(first);
  EXPECT_TRUE(two.g.attached());
  EXPECT_FALSE(two.h.attached());
  run(two.simulation, 0.4);
  EXPECT_NEAR(two.height(), -0.1195, 1e-5);
}

TEST(VacuumGripper, OneThatIsHeldMayGrip) {
  FacingGrippers two("isOn TRUE", "isOn TRUE",
                     "Solid { name \"side\" translation 0.0995 0 -0.062 boundingObject Box { size "
                     "0.1 0.1 0.1 } physics Physics { density -1 mass 0.1 } }");
  run(two.simulation, 0.4);
  EXPECT_TRUE(two.g.attached() && two.h.attached());
  EXPECT_NEAR(two.simulation.solid("side").pose().translation.z, -0.062, 1e-3);
  two.h.unlock();
  run(two.simulation, 0.4);
  EXPECT_NEAR(two.height(), -0.1195, 1e-4);
  EXPECT_LT(two.simulation.solid("side").pose().translation.z, -0.2);
}

TEST(VacuumGripper, OneThatIsOffHoldsNothingThoughItIsHeld) {
  FacingGrippers two("isOn TRUE", "isOn FALSE");
  two.h.enable_presence(8, 0.0);
  run(two.simulation, 0.4);
  EXPECT_TRUE(two.g.attached());
  EXPECT_FALSE(two.h.attached());
  EXPECT_EQ(two.h.presence(), 0.0);
  two.h.unlock();
  run(two.simulation, 0.4);
  EXPECT_NEAR(two.height(), -0.1195, 1e-5);
}

// The gripper takes the body with the most contact points, and the first of several such bodies.
TEST(VacuumGripper, GripsWhatTouchesItMost) {
  const auto wall = [](const char* name, double y, double size) {
    return fmt::format(
        "Solid {{ name \"{}\" translation 0 {} -0.1095 boundingObject Box {{ size 0.2 {} 0.2 }} "
        "physics Physics {{ density -1 mass 1 }} }}\n",
        name, y, size);
  };
  const auto falls = [](Simulation& simulation, const char* name) {
    return simulation.solid(name).pose().translation.z < -0.2;
  };
  const std::string gripper =
      "#VRML_SIM R2023b utf8\nWorldInfo { basicTimeStep 8 }\n"
      "Robot { name \"r\" children [ VacuumGripper { name \"g\" isOn TRUE rotation 0 1 0 "
      "1.5707963267948966 boundingObject Box { size 0.02 0.1 0.1 } } ] }\n";
  Simulation even = load(gripper + wall("left", 0.03, 0.04) + wall("right", -0.03, 0.04));
  run(even, 0.4);
  EXPECT_FALSE(falls(even, "left"));
  EXPECT_TRUE(falls(even, "right"));
}

TEST(VacuumGripper, IsNoConnector) {
  Simulation simulation = load(
      "#VRML_SIM R2023b utf8\nWorldInfo { basicTimeStep 8 gravity 0 }\n"
      "Robot { name \"r\" children [ VacuumGripper { name \"g\" isOn TRUE } "
      "Connector { name \"c\" type \"active\" rotation 0 0 1 3.141592653589793 } ] }\n");
  Connector& connector = simulation.robot(0).connector("c");
  connector.enable_presence(8, 0.0);
  connector.lock();
  run(simulation, 0.016);
  EXPECT_FALSE(connector.attached());
  EXPECT_EQ(connector.presence(), 0.0);
}

TEST(VacuumGripper, TakesBadInput) {
  Simulation simulation =
      load_bad(hanging("isOn TRUE contactPoints 0 tensileStrength -3 shearStrength -2"));
  run(simulation, 0.1);
  EXPECT_TRUE(gripper(simulation).attached());
}

}  // namespace vacuum_gripper_test
}  // namespace servosim::test
