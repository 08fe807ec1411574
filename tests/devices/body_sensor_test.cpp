// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "scene/body_sensors.h"
#include "servosim/simulation.h"
#include "sim/world_control.h"
#include "sim/world_inspector.h"
#include "support/worlds.h"
#include "wbt/tree.h"
#include "wbt/world_file.h"

namespace servosim {
namespace {

Simulation with_sensor(const std::string& sensor, const std::string& robot = "",
                       const std::string& version = "R2023b", const std::string& info = "") {
  return test::load(
      fmt::format("#VRML_SIM {} utf8\nWorldInfo {{ basicTimeStep 8 {} }}\n"
                  "Robot {{ name \"r\" {} children [ {} ] }}\n",
                  version, info, robot, sensor));
}

BodySensor& sampled(Simulation& simulation, const std::string& name) {
  BodySensor& sensor = simulation.robot(0).body_sensor(name);
  sensor.enable(8, 1000.0 * simulation.time());
  simulation.step();
  return sensor;
}

TEST(BodySensor, IsMadeForEachNodeOfItsList) {
#define SERVOSIM_NAME(NODE) #NODE,
  for (const char* node : {SERVOSIM_BODY_SENSORS(SERVOSIM_NAME)}) {
#undef SERVOSIM_NAME
    Simulation simulation = with_sensor(fmt::format("{} {{ name \"s\" }}", node));
    const DeviceNode* found = simulation.robot(0).find("s");
    ASSERT_NE(found, nullptr) << node;
    ASSERT_NE(found->sensor(), nullptr) << node;
    EXPECT_EQ(found->sensor(), found->get<BodySensor>()) << node;
    const std::span<const double> values = sampled(simulation, "s").values();
    EXPECT_FALSE(values.empty() || std::isnan(values[0])) << node;
  }
}

// The three coordinate systems: a turn about each axis alone, as its name in that system says.
TEST(InertialUnit, NamesTheAnglesByTheCoordinateSystem) {
  struct Case {
    const char* system;
    const char* roll;
    const char* pitch;
    const char* yaw;
  };
  for (const Case& c :
       {Case{"ENU", "1 0 0", "0 1 0", "0 0 1"}, Case{"NUE", "1 0 0", "0 0 1", "0 1 0"},
        Case{"EUN", "0 0 1", "1 0 0", "0 1 0"}}) {
    for (int k = 0; k < 3; ++k) {
      const char* axis = k == 0 ? c.roll : k == 1 ? c.pitch : c.yaw;
      Simulation simulation =
          with_sensor(fmt::format("InertialUnit {{ name \"i\" rotation {} 0.3 }}", axis), "",
                      "R2023b", fmt::format("coordinateSystem \"{}\"", c.system));
      const auto values = sampled(simulation, "i").values();
      for (int i = 0; i < 3; ++i) {
        EXPECT_NEAR(values[i], i == k ? 0.3 : 0.0, 1e-12) << c.system << ' ' << k << ' ' << i;
      }
      EXPECT_NEAR(values[6], std::cos(0.15), 1e-12);
    }
  }
}

TEST(InertialUnit, CountsFromNorthOfOldFiles) {
  Simulation simulation = with_sensor("InertialUnit { name \"i\" rotation 0 1 0 0.3 }", "", "V8.6",
                                      "northDirection 0 0 1");
  // North is z and up is y: a robot that looks along x has turned left or right by a quarter.
  const auto values = sampled(simulation, "i").values();
  EXPECT_NEAR(std::abs(values[2] - 0.3), 1.5707963267948966, 1e-12);
}

TEST(InertialUnit, IsNoisyByTheSeed) {
  const auto yaw = [](std::uint64_t) {
    Simulation simulation = with_sensor("InertialUnit { name \"i\" noise 0.1 }");
    return sampled(simulation, "i").values()[2];
  };
  EXPECT_NE(yaw(0), 0.0);
  EXPECT_LT(std::abs(yaw(0)), 1.0);
  EXPECT_EQ(yaw(0), yaw(0));
}

TEST(Compass, PointsNorthInEverySystem) {
  for (const auto& [system, x, y, z] :
       {std::tuple{"ENU", 0.0, 1.0, 0.0}, {"NUE", 1.0, 0.0, 0.0}, {"EUN", 0.0, 0.0, 1.0}}) {
    Simulation simulation = with_sensor("Compass { name \"c\" zAxis TRUE }", "", "R2023b",
                                        fmt::format("coordinateSystem \"{}\"", system));
    const auto values = sampled(simulation, "c").values();
    EXPECT_EQ(values[0], x) << system;
    EXPECT_EQ(values[1], y) << system;
    EXPECT_EQ(values[2], z) << system;
  }
}

TEST(Compass, TurnsWhenTheSystemChangesWhileTheWorldRuns) {
  const auto text = [](const char* system) {
    return fmt::format(
        "#VRML_SIM R2023b utf8\nDEF W WorldInfo {{ basicTimeStep 8 coordinateSystem \"{}\" }}\n"
        "DEF R Robot {{ name \"r\" children [ DEF C Compass {{ name \"c\" }} ] }}\n",
        system);
  };
  Simulation simulation = test::load(text("ENU"));
  const BodySensor& compass = sampled(simulation, "c");
  EXPECT_EQ(compass.values()[1], 1.0);
  for (const auto& [system, axis] : {std::pair{"EUN", 2u}, {"NUE", 0u}}) {
    wbt::Edits edits;
    const wbt::WorldFile& now = *WorldInspector(simulation).world_file();
    edits.change(now.nodes.front()->id, [name = std::string(system)](wbt::Node& info) {
      wbt::set_value(info, *info.type->field("coordinateSystem", info.version), name);
    });
    WorldControl(simulation)
        .rebuild(std::make_shared<const wbt::WorldFile>(wbt::rewritten(now, edits)));
    simulation.step();
    EXPECT_EQ(compass.values()[axis], 1.0) << system;
  }
}

TEST(Gps, SaysPlacesOnEarthByTheLettersOfTheSystem) {
  // 1000 m along each axis: about 9e-3 degrees of latitude for north, more of longitude for east.
  for (const auto& [system, east, north] : {std::tuple{"ENU", "1000 0 0", "0 1000 0"},
                                            {"NUE", "0 0 1000", "1000 0 0"},
                                            {"EUN", "1000 0 0", "0 0 1000"}}) {
    const auto place = [name = system](const char* at) {
      Simulation simulation = with_sensor(
          fmt::format("GPS {{ name \"g\" translation {} }}", at), "", "R2023b",
          fmt::format("coordinateSystem \"{}\" gpsCoordinateSystem \"WGS84\" gpsReference 46.5 6.6 "
                      "400",
                      name));
      const auto values = sampled(simulation, "g").values();
      return std::pair(values[0], values[1]);
    };
    EXPECT_NEAR(place(north).first, 46.509, 1e-3) << system;
    EXPECT_NEAR(place(north).second, 6.6, 1e-3) << system;
    EXPECT_NEAR(place(east).first, 46.5, 1e-3) << system;
    EXPECT_NEAR(place(east).second, 6.613, 1e-3) << system;
  }
}

TEST(Gps, KnowsNoSpeedAtTheFirstSampleWithoutABody) {
  Simulation still = with_sensor("GPS { name \"g\" }");
  const BodySensor& gps = sampled(still, "g");
  EXPECT_TRUE(std::isnan(gps.values()[3]));
  EXPECT_TRUE(std::isnan(gps.values()[5]));
  still.solid(0).set_pose({{}, {0.0, 0.02, 0.0}});
  still.step();
  EXPECT_NEAR(gps.values()[5], 0.02 / 0.008, 1e-12);
  EXPECT_NEAR(gps.values()[3], 0.02 / 0.008, 1e-12);
  Simulation moving = with_sensor("GPS { name \"g\" }",
                                  "linearVelocity 0 3 0 boundingObject Sphere { radius 0.1 } "
                                  "physics Physics { }",
                                  "R2023b", "gravity 0");
  EXPECT_NEAR(sampled(moving, "g").values()[3], 3.0, 1e-9);
}

TEST(Accelerometer, WithoutABodyFeelsGravityAlone) {
  Simulation simulation =
      with_sensor("Accelerometer { name \"a\" rotation 1 0 0 1.5707963267948966 }");
  const auto values = sampled(simulation, "a").values();
  EXPECT_NEAR(values[1], 9.81, 1e-12) << "its y axis points up";
  EXPECT_NEAR(values[2], 0.0, 1e-12);
}

TEST(Gps, HasAlikeNoiseInARow) {
  Simulation simulation = with_sensor("GPS { name \"g\" accuracy 2 noiseCorrelation 1 }");
  BodySensor& gps = sampled(simulation, "g");
  EXPECT_EQ(gps.values()[0], 0.0) << "wholly alike: none comes in";
  Simulation loose = with_sensor("GPS { name \"g\" accuracy 2 noiseCorrelation 0.5 }");
  BodySensor& sensor = sampled(loose, "g");
  double largest_jump = 0.0;
  double sum = 0.0;
  const int count = 20000;
  for (int i = 0; i < count; ++i) {
    const double before = sensor.values()[0];
    loose.step();
    largest_jump = std::max(largest_jump, std::abs(sensor.values()[0] - before));
    sum += sensor.values()[0] * sensor.values()[0];
  }
  // Between two samples that are 8 ms apart, 1 − 0.5^0.016 of the variance is new, which is 0.21 m.
  // In 20000 draws of a normal distribution, one run in a hundred exceeds five times that.
  EXPECT_LT(largest_jump, 1.1);
  EXPECT_GT(largest_jump, 0.5);
  // 160 s of noise that forgets within seconds: about 55 independent values.
  EXPECT_NEAR(std::sqrt(sum / count), 2.0, 0.8);
}

TEST(BodySensor, GoesBackAndIsCopiedWithItsSimulation) {
  Simulation simulation = with_sensor("GPS { name \"g\" accuracy 1 }");
  BodySensor& gps = sampled(simulation, "g");
  const SimulationState state = simulation.save();
  const double before = gps.values()[0];
  Simulation twin = simulation.clone();
  simulation.step();
  const double after = gps.values()[0];
  EXPECT_NE(after, before);
  simulation.restore(state);
  EXPECT_EQ(gps.values()[0], before);
  simulation.step();
  EXPECT_EQ(gps.values()[0], after);
  twin.step();
  EXPECT_EQ(twin.robot(0).body_sensor("g").values()[0], after);
}

TEST(BodySensor, RestsWithoutPower) {
  Simulation simulation = with_sensor("GPS { name \"g\" }");
  simulation.robot(0).set_power(false);
  EXPECT_TRUE(std::isnan(sampled(simulation, "g").values()[0]));
  simulation.robot(0).set_power(true);
  simulation.step();
  EXPECT_EQ(simulation.robot(0).body_sensor("g").values()[0], 0.0);
  EXPECT_THROW(simulation.robot(0).body_sensor("g").enable(-1, 0.0), std::invalid_argument);
  EXPECT_THROW(simulation.robot(0).body_sensor("h"), std::out_of_range);
}

}  // namespace
}  // namespace servosim
