// SPDX-License-Identifier: Apache-2.0
// What a Radar finds in worlds, with the numbers of Webots' tests radar_frustum and
// radar_relative_speed.
#include "servosim/radar.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "servosim/batch.h"
#include "servosim/simulation.h"
#include "sim/world_control.h"
#include "support/worlds.h"
#include "wbt/test_support.h"
#include "wbt/world_file.h"

namespace servosim {
namespace radar_test {

constexpr double kPi = std::numbers::pi;
constexpr int kTarget = 2;  // the first Solid after the robot and its Radar

std::string world(const std::string& radar, const std::string& things,
                  const std::string& version = "R2023b") {
  return fmt::format(
      "#VRML_SIM {} utf8\nWorldInfo {{ basicTimeStep 32 gravity 0 }}\n"
      "Robot {{ name \"r\" children [ Radar {{ name \"radar\" {} }} ] }}\n{}",
      version, radar, things);
}

// A box whose sides are 0.2 m.
std::string target(double x, double y, double z = 0.0, const std::string& more = "") {
  return fmt::format(
      "Solid {{ translation {} {} {} name \"{} {} {}\" radarCrossSection 2 boundingObject Box {{ "
      "size 0.2 0.2 0.2 }} {} }}\n",
      x, y, z, x, y, z, more);
}

Radar& radar_of(Simulation& simulation) { return *simulation.robot(0).find("radar")->get<Radar>(); }

std::vector<RadarTarget> found(Simulation& simulation, int steps = 1) {
  Radar& radar = radar_of(simulation);
  if (radar.sampler().period_ms() == 0) {
    radar.enable(32, 1000.0 * simulation.time());
  }
  for (int i = 0; i < steps; ++i) {
    simulation.step();
  }
  return {radar.targets().begin(), radar.targets().end()};
}

std::vector<RadarTarget> find(const std::string& radar, const std::string& things) {
  Simulation simulation = test::load(world(radar, things));
  return found(simulation);
}

TEST(Radar, FindsWhatIsInItsFrustum) {
  const std::string inside = target(3, 0.5) + target(4, -1, 0.1);
  const std::string last = target(9, 0);
  const std::string outside = target(3, 3) + target(-3, 0) + target(3, 0, 2);
  Simulation simulation = test::load(world("", outside + inside + last));
  Radar& radar = radar_of(simulation);
  radar.enable(96, 0.0);
  for (const std::size_t count : {0u, 0u, 3u}) {
    simulation.step();
    EXPECT_EQ(radar.targets().size(), count) << simulation.time();
  }
  EXPECT_NEAR(radar.targets()[0].distance, std::hypot(3.0, 0.5), 1e-9);
  EXPECT_NEAR(radar.targets()[0].azimuth, -std::atan2(0.5, 3.0), 1e-9) << "positive to the right";
  EXPECT_NEAR(radar.targets()[1].azimuth, std::atan2(1.0, 4.0), 1e-9);
  EXPECT_EQ(radar.sampler().value(), 3.0);
  // What is removed vanishes with the next sample.
  Diagnostics diagnostics;
  WorldControl(simulation)
      .rebuild(std::make_shared<const wbt::WorldFile>(
          wbt::read_world_text(world("", outside + inside), "w", ".", {}, diagnostics)));
  simulation.step();
  simulation.step();
  EXPECT_EQ(radar.targets().size(), 3u);
  simulation.step();
  EXPECT_EQ(radar.targets().size(), 2u);
}

TEST(Radar, LeavesOutWhatIsNearOrFar) {
  // Half of the box's depth counts.
  EXPECT_EQ(find("minRange 2 maxRange 4", target(1.85, 0)).size(), 0u);
  EXPECT_EQ(find("minRange 2 maxRange 4", target(1.95, 0)).at(0).distance, 2.0);
  EXPECT_EQ(find("minRange 2 maxRange 4", target(4.05, 0)).at(0).distance, 4.0);
  EXPECT_EQ(find("minRange 2 maxRange 4", target(4.2, 0)).size(), 0u);
  EXPECT_EQ(find("", "Solid { translation 3 0 0 boundingObject Box { } }").size(), 0u)
      << "without a radarCrossSection";
}

// A Solid in the Radar is none of its targets while it is nearer than minRange.
TEST(Radar, MeasuresRelativeSpeeds) {
  const std::string own =
      "minRange 0.2 radarCrossSection 1 children [ Solid { translation 0.05 0 0 name \"in\" "
      "radarCrossSection 1 boundingObject Sphere { radius 0.02 } } ]";
  Simulation simulation =
      test::load(world(own, target(0.57, 0.0, 0.0, "linearVelocity 1.5 0 0 physics Physics { }")));
  const std::vector<RadarTarget> first = found(simulation);
  ASSERT_EQ(first.size(), 1u);
  EXPECT_EQ(first[0].speed, 0.0) << "there is no history";
  EXPECT_NEAR(found(simulation).at(0).speed, 1.5, 0.001);
  EXPECT_NEAR(found(simulation, 5).at(0).speed, 1.5, 0.001);
  const int robot = simulation.robot(0).solid();
  for (int i = 1; i <= 4; ++i) {
    simulation.solid(robot).set_pose({{}, {0.75 * 0.032 * i, 0.0, 0.0}});
    EXPECT_NEAR(found(simulation).at(0).speed, 0.75, 0.001);
  }
}

TEST(Radar, AveragesSpeedsSinceItsLastSample) {
  Simulation simulation = test::load(world("", target(3, 0)));
  radar_of(simulation).enable(96, 0.0);
  found(simulation, 3);
  simulation.solid(kTarget).set_pose({{}, {2.5, 0.0, 0.0}});
  EXPECT_NEAR(found(simulation, 3).at(0).speed, -0.5 / 0.096, 1e-9);
}

TEST(Radar, ReceivesEchoesByTheRadarEquation) {
  const RadarTarget near = find("", target(3, 0)).at(0);
  const double wave = 299792458.0 / 24e9;
  const double watts =
      0.1 * 100.0 * 100.0 * wave * wave * 2.0 / (std::pow(4.0 * kPi, 3.0) * std::pow(3.0, 4.0));
  EXPECT_NEAR(near.received_power, 10.0 * std::log10(watts / 0.001), 1e-9);
  const std::string weak = fmt::format("minDetectableSignal {}", near.received_power - 1.0);
  EXPECT_EQ(find(weak, target(3, 0) + target(4, 0)).size(), 1u);
  const RadarTarget strong =
      find("transmittedPower 30 antennaGain 25 frequency 2.4", target(3, 0)).at(0);
  EXPECT_NEAR(strong.received_power, near.received_power + 10.0 + 10.0 + 20.0, 1e-9);
}

TEST(Radar, ChoosesBySpeed) {
  const auto count = [](const std::string& limits, double speed) {
    Simulation simulation = test::load(
        world(limits,
              target(3, 0, 0, fmt::format("linearVelocity {} 0 0 physics Physics {{ }}", speed))));
    return found(simulation, 2).size();
  };
  EXPECT_EQ(count("minAbsoluteRadialSpeed 1", -1.2), 1u);
  EXPECT_EQ(count("minAbsoluteRadialSpeed 1", 0.8), 0u);
  EXPECT_EQ(count("minRadialSpeed -2 maxRadialSpeed 0.5", -1.2), 1u);
  EXPECT_EQ(count("minRadialSpeed -2 maxRadialSpeed 0.5", 0.8), 0u);
  EXPECT_EQ(count("minRadialSpeed 0 maxRadialSpeed 0", 0.8), 1u);
}

TEST(Radar, SeesThroughThingsUnlessAsked) {
  const std::string scene =
      target(3, 0) +
      "Solid { translation 2 0 0 name \"wall\" boundingObject Box { size 0.1 1 1 } }";
  EXPECT_EQ(find("", scene).size(), 1u);
  EXPECT_EQ(find("occlusion TRUE", scene).size(), 0u);
  EXPECT_EQ(find("occlusion TRUE", target(3, 0)).size(), 1u) << "it does not hide itself";
}

// The powers add up, and the other numbers are means with the powers as weights.
TEST(Radar, MergesTargetsInACell) {
  const std::string two = target(3, 0.2) + target(3.3, -0.2) + target(8, 0);
  const std::vector<RadarTarget> apart = find("", two);
  ASSERT_EQ(apart.size(), 3u);
  const std::vector<RadarTarget> merged = find("cellDistance 0.5", two);
  ASSERT_EQ(merged.size(), 2u);
  const auto watts = [](const RadarTarget& target) {
    return std::pow(10.0, target.received_power / 10.0);
  };
  const double a = watts(apart[0]);
  const double b = watts(apart[1]);
  EXPECT_NEAR(watts(merged[0]), a + b, 1e-6 * a);
  EXPECT_NEAR(merged[0].distance, (a * apart[0].distance + b * apart[1].distance) / (a + b), 1e-9);
  EXPECT_NEAR(merged[0].azimuth, (a * apart[0].azimuth + b * apart[1].azimuth) / (a + b), 1e-9);
  EXPECT_EQ(merged[1].distance, apart[2].distance);
  EXPECT_EQ(find("cellDistance 0.1", two).size(), 3u);
  // Speeds keep them apart, too.
  const std::string fast = target(3.3, -0.2, 0, "linearVelocity 1 0 0 physics Physics { }");
  Simulation simulation =
      test::load(world("cellDistance 0.5 cellSpeed 0.5", target(3, 0.2) + fast));
  EXPECT_EQ(found(simulation).size(), 1u) << "nothing has a speed in the first sample";
  EXPECT_EQ(found(simulation).size(), 2u);
}

TEST(Radar, AddsNoiseOfTheSimulation) {
  const std::string noise = "rangeNoise 0.1 speedNoise 0.2 angularNoise 0.05";
  Simulation simulation = test::load(world(noise, target(9, 0)));
  RadarTarget sum{};
  RadarTarget squares{};
  constexpr int kCount = 4000;
  for (int i = 0; i < kCount; ++i) {
    const RadarTarget now = found(simulation).at(0);
    sum.distance += now.distance - 9.0;
    sum.speed += now.speed;
    sum.azimuth += now.azimuth;
    squares.distance += std::pow(now.distance - 9.0, 2.0);
    squares.speed += std::pow(now.speed, 2.0);
    squares.azimuth += std::pow(now.azimuth, 2.0);
  }
  // Four standard deviations of a mean of 4000 numbers are 0.063 of theirs.
  EXPECT_NEAR(sum.distance / kCount, 0.0, 0.0063);
  EXPECT_NEAR(sum.speed / kCount, 0.0, 0.0126);
  EXPECT_NEAR(sum.azimuth / kCount, 0.0, 0.0032);
  EXPECT_NEAR(std::sqrt(squares.distance / kCount), 0.1, 0.005);
  EXPECT_NEAR(std::sqrt(squares.speed / kCount), 0.2, 0.01);
  EXPECT_NEAR(std::sqrt(squares.azimuth / kCount), 0.05, 0.0025);
}

TEST(Radar, LooksAlongMinusZInOldWorlds) {
  Simulation simulation = test::load(world(
      "", "Solid { translation 0.5 0 -3 radarCrossSection 1 boundingObject Sphere { radius 0.1 } }",
      "R2021b"));
  const std::vector<RadarTarget> targets = found(simulation);
  ASSERT_EQ(targets.size(), 1u);
  EXPECT_NEAR(targets[0].azimuth, std::atan2(0.5, 3.0), 1e-9);
}

TEST(Radar, KeepsItsPastInAState) {
  Simulation simulation = test::load(world("rangeNoise 0.05", target(3, 0)));
  found(simulation);
  const SimulationState state = simulation.save();
  const auto go_on = [](Simulation& of) {
    of.solid(kTarget).set_pose({{}, {3.2, 0.0, 0.0}});
    return found(of).at(0);
  };
  const RadarTarget first = go_on(simulation);
  EXPECT_NEAR(first.speed, 0.2 / 0.032, 1e-9);
  simulation.restore(state);
  EXPECT_EQ(radar_of(simulation).targets().size(), 1u);
  const RadarTarget again = go_on(simulation);
  EXPECT_EQ(again.speed, first.speed);
  EXPECT_EQ(again.distance, first.distance);
  simulation.restore(state);
  Simulation clone = simulation.clone();
  EXPECT_EQ(go_on(clone).distance, first.distance);
  simulation.reset();
  EXPECT_TRUE(radar_of(simulation).targets().empty());
}

TEST(Radar, TakesBadInput) {
  Simulation bad = test::load_bad(
      world("minRange -1 maxRange -3 horizontalFieldOfView 9 verticalFieldOfView 2 rangeNoise -1 "
            "cellDistance -1 frequency 0 antennaGain nan",
            target(1.5, 0) +
                "Solid { translation 1.5 0 0 radarCrossSection nan boundingObject Box { } }\n"
                "Solid { translation 1.5 0 0 radarCrossSection 1 }\n"));
  const std::vector<RadarTarget> targets = found(bad);
  ASSERT_EQ(targets.size(), 1u);
  EXPECT_NEAR(targets[0].distance, 1.5, 0.01);  // the box is higher than the view
  EXPECT_THROW(radar_of(bad).enable(-1, 0.0), std::invalid_argument);
}

}  // namespace radar_test
}  // namespace servosim
