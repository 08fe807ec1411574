// SPDX-License-Identifier: Apache-2.0
// LightSensors against the formulas of the light nodes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "servosim/simulation.h"
#include "support/worlds.h"

namespace servosim::test {
namespace light_sensor_test {

constexpr double kRounding = 1e-12;

std::string world_with(const std::string& things, const std::string& sensor = "") {
  return fmt::format(
      "#VRML_SIM R2023b utf8\nWorldInfo {{ basicTimeStep 8 }}\n{}\nRobot {{ name \"r\" "
      "children [ LightSensor {{ name \"l\" lookupTable [] {} }} ] }}\n",
      things, sensor);
}

double reading(Simulation simulation) {
  SolidSensor& found = simulation.robot(0).solid_sensor("l");
  found.enable(8, 0.0);
  simulation.step();
  return found.values()[0];
}

double read(const std::string& things, const std::string& sensor = "") {
  return reading(load(world_with(things, sensor)));
}

double read_bad(const std::string& things) { return reading(load_bad(world_with(things))); }

TEST(LightSensor, AddsUpWhatFacesIt) {
  EXPECT_EQ(read(""), 0.0);
  EXPECT_NEAR(read("DirectionalLight { direction -1 0 0 intensity 0.8 }"), 0.8, kRounding);
  EXPECT_NEAR(read("DirectionalLight { direction -3 0 4 intensity 0.8 }"), 0.8 * 0.6, kRounding);
  EXPECT_EQ(read("DirectionalLight { direction 1 0 0 }"), 0.0) << "from behind";
  EXPECT_EQ(read("DirectionalLight { direction -1 0 0 on FALSE }"), 0.0);
  EXPECT_NEAR(read("DirectionalLight { direction -1 0 0 } PointLight { location 3 4 0 }"),
              1.0 + 0.6, kRounding);
}

TEST(LightSensor, LightsWeakenWithDistance) {
  EXPECT_NEAR(read("PointLight { location 2 0 0 attenuation 0.5 0.25 1 }"),
              1.0 / (0.5 + 0.25 * 2.0 + 4.0), kRounding);
  EXPECT_EQ(read("PointLight { location 2 0 0 radius 1.9 }"), 0.0);
  // It hangs in a lamp that is turned and moved.
  EXPECT_NEAR(read("Pose { translation 4 0 0 rotation 0 0 1 1.5707963267948966 children [ "
                   "PointLight { location 0 1 0 attenuation 0 0 1 } ] }"),
              1.0 / 9.0, kRounding);
}

TEST(LightSensor, AmbientLightComesFromEverywhere) {
  const double weakened = 1.0 / (0.5 + 2.0);
  EXPECT_NEAR(read("PointLight { location -2 0 0 ambientIntensity 0.3 attenuation 0.5 1 0 }"),
              0.3 * weakened, kRounding)
      << "from behind";
  EXPECT_NEAR(read("PointLight { location 2 0 0 ambientIntensity 0.3 intensity 0.5 } Solid { "
                   "translation 1 0 0 boundingObject Sphere { radius 0.3 } }",
                   "occlusion TRUE"),
              0.3, kRounding)
      << "in the shade";
  EXPECT_EQ(read("PointLight { location 2 0 0 ambientIntensity 0.3 radius 1 }"), 0.0);
  EXPECT_NEAR(read("DirectionalLight { direction -1 0 0 ambientIntensity 0.25 color 1 0.5 0 }"),
              0.5 * 1.25, kRounding);
}

TEST(LightSensor, SpotsFadeToTheEdge) {
  const auto spot = [](double angle) {
    return read(
        fmt::format("SpotLight {{ location 2 0 0 direction {} {} 0 beamWidth 0.2 "
                    "cutOffAngle 0.6 }}",
                    -std::cos(angle), std::sin(angle)));
  };
  EXPECT_NEAR(spot(0.1), 1.0, kRounding);
  EXPECT_NEAR(spot(0.5), 0.25, 1e-9);
  EXPECT_EQ(spot(0.61), 0.0);
}

TEST(LightSensor, IsShadedOnlyIfAsked) {
  const char* scene =
      "PointLight { location 3 0 0 } "
      "Solid { translation 1.5 0 0 boundingObject Sphere { radius 0.3 } }";
  const char* behind =
      "PointLight { location 3 0 0 } "
      "Solid { translation 4 0 0 boundingObject Sphere { radius 0.3 } }";
  EXPECT_NEAR(read(scene), 1.0, kRounding);
  EXPECT_EQ(read(scene, "occlusion TRUE"), 0.0);
  EXPECT_NEAR(read(behind, "occlusion TRUE"), 1.0, kRounding);
  EXPECT_EQ(read("DirectionalLight { direction -1 0 0 } Solid { translation 500 0 0 boundingObject "
                 "Box { size 1 9 9 } }",
                 "occlusion TRUE"),
            0.0);
}

TEST(LightSensor, FiltersColours) {
  EXPECT_NEAR(read("DirectionalLight { direction -1 0 0 color 1 0.5 0 }"), 0.5, kRounding);
  EXPECT_NEAR(read("DirectionalLight { direction -1 0 0 color 1 0.5 0 }", "colorFilter 0 0.6 1"),
              0.1, kRounding);
}

TEST(LightSensor, TakesBadInput) {
  EXPECT_EQ(read("PointLight { location 0 0 0 attenuation 0 0 1 }"), 0.0) << "inside of the lamp";
  EXPECT_NEAR(read_bad("PointLight { location 2 0 0 attenuation -1 3 0 intensity -0.5 }"), 0.5,
              kRounding);
  EXPECT_EQ(read_bad("DirectionalLight { direction 0 0 0 }"), 0.0) << "it shines downwards then";
  EXPECT_EQ(read_bad("SpotLight { location 1 0 0 direction -1 0 0 cutOffAngle -0.8 }"), 1.0);
}

}  // namespace light_sensor_test
}  // namespace servosim::test
