// SPDX-License-Identifier: Apache-2.0
// LightSensors measure what the formulas of the light nodes give.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>

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
  BodySensor& found = simulation.robot(0).body_sensor("l");
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

// As in Webots, it shines in a direction of the world.
TEST(LightSensor, ADirectionalLightIsNotTurned) {
  EXPECT_NEAR(read("Solid { rotation 0 0 1 1.2 children [ Pose { rotation 1 0 0 0.7 children [ "
                   "DirectionalLight { direction -1 0 0 intensity 0.8 } ] } ] }"),
              0.8, kRounding);
}

TEST(LightSensor, LightsWeakenWithDistance) {
  EXPECT_NEAR(read("PointLight { location 2 0 0 attenuation 0.5 0.25 1 }"),
              1.0 / (0.5 + 0.25 * 2.0 + 4.0), kRounding);
  EXPECT_NEAR(read("PointLight { location 2 0 0 radius 1.9 }"), 1.0, kRounding)
      << "as in Webots, from beyond the radius";
  // The light is in a lamp that is turned and moved.
  EXPECT_NEAR(read("Pose { translation 4 0 0 rotation 0 0 1 1.5707963267948966 children [ "
                   "PointLight { location 0 1 0 attenuation 0 0 1 } ] }"),
              1.0 / 9.0, kRounding);
}

TEST(LightSensor, AmbientLightComesFromEverywhere) {
  EXPECT_NEAR(read("PointLight { location -2 0 0 ambientIntensity 0.3 }"), 0.3, kRounding)
      << "from behind";
  EXPECT_EQ(read_bad("PointLight { location -2 0 0 ambientIntensity 0.3 attenuation 0.5 1 0 }"),
            0.0)
      << "a light that fades has none";
  EXPECT_NEAR(read_bad("PointLight { location -2 0 0 ambientIntensity 3 }"), 1.0, kRounding);
  EXPECT_NEAR(read("PointLight { location 2 0 0 ambientIntensity 0.3 intensity 0.5 } Solid { "
                   "translation 1 0 0 boundingObject Sphere { radius 0.3 } }",
                   "occlusion TRUE"),
              0.3, kRounding)
      << "in the shade";
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

// Outside of its cone a SpotLight gives its ambient light alone, and half-way to the edge all of it
// and half of the direct light.
TEST(LightSensor, SpotsGiveAmbientLightToAllSides) {
  const auto behind_angle = [](double angle) {
    return read(
        fmt::format("SpotLight {{ location 2 0 0 direction {} {} 0 intensity 0.8 "
                    "ambientIntensity 0.5 beamWidth 0.2 cutOffAngle 0.6 }}",
                    -std::cos(angle), std::sin(angle)));
  };
  EXPECT_NEAR(behind_angle(0.0), 0.8 + 0.5, kRounding);
  EXPECT_NEAR(behind_angle(0.4), 0.4 + 0.5, kRounding);
  EXPECT_NEAR(behind_angle(2.0), 0.5, kRounding);
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

// Webots casts the ray of a DirectionalLight 1000 m far.
TEST(LightSensor, IsShadedFromADirectionalLightByWhatIsNear) {
  const auto behind = [](double x) {
    return read(fmt::format("DirectionalLight {{ direction -1 0 0 }} Solid {{ translation {} 0 0 "
                            "boundingObject Box {{ size 1 9 9 }} }}",
                            x),
                "occlusion TRUE");
  };
  EXPECT_EQ(behind(999.0), 0.0);
  EXPECT_NEAR(behind(1002.0), 1.0, kRounding);
}

// The numbers of Webots' test light_sensor_point_spot_light_no_occlusion: a table from 0…10 to
// 0…1024, and lights that together give 1 from everywhere. The place of the lamps is chosen to give
// the first number, so that only the second one and the table are a proof.
TEST(LightSensor, GivesTheNumbersOfWebots) {
  const double share = 0.5 * (10.0 * 279.21 / 1024.0 - 1.0);  // of the cosine to each lamp
  const std::string lamp = fmt::format("location {} {} 0 ambientIntensity 0.5", 2.0 * share,
                                       2.0 * std::sqrt(1.0 - share * share));
  const std::string lights =
      fmt::format("PointLight {{ {} }} SpotLight {{ {} direction {} {} 0 }}\n", lamp, lamp, -share,
                  -std::sqrt(1.0 - share * share));
  const auto robot = [&lights](const std::string& rotation) {
    return load(fmt::format(
        "#VRML_SIM R2023b utf8\nWorldInfo {{ basicTimeStep 32 }}\n{}Solid {{ translation 1 0.5 0 "
        "boundingObject Sphere {{ radius 0.4 }} }}\nRobot {{ name \"r\" children [ LightSensor {{ "
        "name \"l\" rotation 0 0 1 {} lookupTable [ 0 0 0, 10 1024 0 ] }} ] }}\n",
        lights, rotation));
  };
  Simulation towards = robot("0");
  EXPECT_TRUE(std::isnan(towards.robot(0).body_sensor("l").values()[0]));
  EXPECT_NEAR(reading(std::move(towards)), 279.21, 0.01);
  EXPECT_NEAR(reading(robot("3.14159265358979")), 102.4, 0.01);
}

TEST(LightSensor, FiltersColours) {
  EXPECT_NEAR(read("DirectionalLight { direction -1 0 0 color 1 0.5 0 }"), 0.5, kRounding);
  EXPECT_NEAR(read("DirectionalLight { direction -1 0 0 color 1 0.5 0 }", "colorFilter 0 0.6 1"),
              0.1, kRounding);
}

// The first child of an LED has a PointLight 2 m ahead, and `second` is its second child.
std::string world_with_led(const std::string& fields, const std::string& second = "") {
  return fmt::format(
      "#VRML_SIM R2023b utf8\nWorldInfo {{ basicTimeStep 8 }}\nRobot {{ name \"r\" children [ "
      "LightSensor {{ name \"l\" lookupTable [] }} LED {{ name \"led\" translation 1 0 0 {} "
      "children [ Pose {{ translation 1 0 0 children [ Shape {{ }} PointLight {{ color 0 0 1 "
      "attenuation 0 0 1 }} ] }} {} ] }} ] }}\n",
      fields, second);
}

double with_led(Simulation& simulation, int value) {
  simulation.robot(0).led("led").set(value);
  BodySensor& sensor = simulation.robot(0).body_sensor("l");
  sensor.enable(8, 1000.0 * simulation.time());
  simulation.step();
  return sensor.values()[0];
}

TEST(LightSensor, SeesTheLightsOfLeds) {
  Simulation red = load(world_with_led(""));
  EXPECT_EQ(with_led(red, 0), 0.0) << "off, whatever the light says";
  EXPECT_NEAR(with_led(red, 1), 0.25 / 3.0, kRounding);
  EXPECT_EQ(with_led(red, 2), 0.0) << "it has one colour";
  Simulation two = load(world_with_led("color [ 0.5 1 0, 1 1 0.75 ]"));
  EXPECT_NEAR(with_led(two, 1), 0.25 * 1.5 / 3.0, kRounding);
  EXPECT_NEAR(with_led(two, 2), 0.25 * 2.75 / 3.0, kRounding);
  EXPECT_EQ(with_led(two, -1), 0.0);
  Simulation dimmed = load(world_with_led("gradual TRUE color [ 0 1 0.5 ]"));
  EXPECT_NEAR(with_led(dimmed, 51), 0.2 * 0.25 * 1.5 / 3.0, kRounding);
  EXPECT_NEAR(with_led(dimmed, 300), 0.25 * 1.5 / 3.0, kRounding);
  Simulation any = load(world_with_led("gradual TRUE color [ ]"));
  EXPECT_NEAR(with_led(any, 0xff3300), 0.25 * 1.2 / 3.0, kRounding);
}

TEST(LightSensor, SeesAnLedsFirstChildOnly) {
  Simulation simulation = load(world_with_led(
      "",
      "PointLight { location 3 0 0 attenuation 0 0 1 } PointLight { location 3 0 0 on FALSE }"));
  EXPECT_NEAR(with_led(simulation, 0), 1.0 / 16.0, kRounding);
  EXPECT_NEAR(with_led(simulation, 1), 1.0 / 16.0 + 0.25 / 3.0, kRounding);
  // No controller can switch a light that is outside of every robot.
  EXPECT_NEAR(read("LED { children [ PointLight { location 2 0 0 attenuation 0 0 1 } ] }"), 0.25,
              kRounding);
}

// An LED that is a part of another node is no device: its lights are as the file defines them.
TEST(LightSensor, SeesLedsThatArePartsOfOtherNodes) {
  const std::string led = "LED { children [ PointLight { location 2 0 0 attenuation 0 0 1 } ] } ";
  for (const std::string& parts : {"Propeller { device RotationalMotor { } fastHelix " + led + "}",
                                   "TouchSensor { } Propeller { slowHelix " + led + "}"}) {
    EXPECT_NEAR(reading(load_bad(world_with("") + "Robot { children [ " + parts + " ] }")), 0.25,
                kRounding)
        << parts;
  }
}

TEST(LightSensor, ReadsANumberOfLightsThatHardlyWeaken) {
  EXPECT_EQ(read("PointLight { location 2 0 0 attenuation 1e-310 0 0 color 0 0 0 }"), 0.0);
  EXPECT_FALSE(std::isnan(read("PointLight { location 2 0 0 attenuation 1e-310 0 0 }")));
}

TEST(LightSensor, SeesLedsAsStatesHaveThem) {
  Simulation simulation = load(world_with_led(""));
  BodySensor& sensor = simulation.robot(0).body_sensor("l");
  const double lit = with_led(simulation, 1);
  const SimulationState state = simulation.save();
  Simulation twin = simulation.clone();
  EXPECT_EQ(with_led(simulation, 0), 0.0);
  simulation.restore(state);
  simulation.step();
  EXPECT_EQ(sensor.values()[0], lit);
  twin.step();
  EXPECT_EQ(twin.robot(0).body_sensor("l").values()[0], lit);
  simulation.reset();
  EXPECT_EQ(simulation.robot(0).led("led").value(), 0);
  sensor.enable(8, 0.0);
  simulation.step();
  EXPECT_EQ(sensor.values()[0], 0.0);
}

TEST(LightSensor, TakesBadInput) {
  EXPECT_EQ(read("PointLight { location 0 0 0 attenuation 0 0 1 }"), 0.0) << "inside of the lamp";
  EXPECT_NEAR(read_bad("PointLight { location 2 0 0 attenuation -1 3 0 intensity -0.5 }"), 1.0,
              kRounding)
      << "as in Webots, a negative intensity becomes 1";
  EXPECT_EQ(read_bad("DirectionalLight { direction 0 0 0 }"), 0.0) << "it shines downwards then";
  EXPECT_EQ(read_bad("SpotLight { location 1 0 0 direction -1 0 0 cutOffAngle -0.8 }"), 1.0);
}

}  // namespace light_sensor_test
}  // namespace servosim::test
