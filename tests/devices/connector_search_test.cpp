// SPDX-License-Identifier: Apache-2.0
// Connectors find the same partners when many look at once, by a tree of places, as one by one.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "servosim/simulation.h"
#include "support/worlds.h"

namespace servosim::test {
namespace connector_search_test {

constexpr int kCount = 60;

// Robots with a Connector each, at places that come from `seed`; nearly any two fit within
// 0.05 to 0.3 m.
std::string world(unsigned seed, bool locked) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> place(-0.5, 0.5);
  std::uniform_real_distribution<double> tolerance(0.05, 0.3);
  std::string text = "#VRML_SIM R2023b utf8\nWorldInfo { basicTimeStep 8 gravity 0 }\n";
  for (int i = 0; i < kCount; ++i) {
    const double x = place(random);
    const double y = place(random);
    const double z = place(random);
    text += fmt::format(
        "Robot {{ name \"r{}\" translation {} {} {} rotation 0 0 1 {} children [ Connector {{ name "
        "\"c\" model \"{}\" isLocked {} distanceTolerance {} axisTolerance 3 rotationTolerance 3 "
        "numberOfRotations 0 }} ] physics Physics {{ density -1 mass 1 }} boundingObject Sphere {{ "
        "radius 0.001 }} }}\n",
        i, x, y, z, 3.0 * place(random), i % 3 == 0 ? "a" : "b", locked ? "TRUE" : "FALSE",
        tolerance(random));
  }
  return text;
}

TEST(ConnectorSearch, HoldsTheSamePartnersAsOneByOne) {
  int attached = 0;
  for (unsigned seed = 1; seed <= 5; ++seed) {
    Simulation together = load(world(seed, true));
    Simulation one_by_one = load(world(seed, false));
    for (Robot& robot : one_by_one.robots()) {
      robot.connector("c").lock();
    }
    for (int i = 0; i < kCount; ++i) {
      EXPECT_EQ(together.robot(i).connector("c").attached(),
                one_by_one.robot(i).connector("c").attached())
          << seed << ' ' << i;
      attached += together.robot(i).connector("c").attached() ? 1 : 0;
      const std::string name = fmt::format("r{}", i);
      EXPECT_EQ(together.solid(name).pose(), one_by_one.solid(name).pose()) << seed << ' ' << i;
    }
  }
  EXPECT_GT(attached, kCount) << "the worlds test nothing";
  EXPECT_LT(attached, 5 * kCount) << "the worlds test nothing";
}

TEST(ConnectorSearch, SeesThoseThatArePresentAsOneByOne) {
  Simulation all = load(world(6, false));
  for (Robot& robot : all.robots()) {
    robot.connector("c").enable_presence(8, 0.0);
  }
  Simulation start = load(world(6, false));
  all.step();
  int present = 0;
  for (int i = 0; i < kCount; ++i) {
    Simulation one = start.clone();
    one.robot(i).connector("c").enable_presence(8, 0.0);
    one.step();
    EXPECT_EQ(all.robot(i).connector("c").presence(), one.robot(i).connector("c").presence()) << i;
    present += all.robot(i).connector("c").presence() > 0.0 ? 1 : 0;
  }
  EXPECT_GT(present, 0);
  EXPECT_LT(present, kCount);
}

}  // namespace connector_search_test
}  // namespace servosim::test
