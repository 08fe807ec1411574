// SPDX-License-Identifier: Apache-2.0
// Looks of worlds that change while they run, as a Camera sees them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "servosim/camera.h"
#include "servosim/led.h"
#include "servosim/ranging_sensor.h"
#include "servosim/simulation.h"
#include "sim/world_control.h"
#include "support/worlds.h"
#include "wbt/test_support.h"
#include "wbt/world_file.h"

namespace servosim {
namespace looks_test {

using Pixel = std::array<int, 3>;  // red, green, blue

std::string world(const std::string& things, const std::string& devices = "") {
  return fmt::format(
      "#VRML_SIM R2023b utf8\nWorldInfo {{ basicTimeStep 32 }}\n{}\nRobot {{ name \"r\" children [ "
      "Camera {{ name \"c\" width 4 height 4 fieldOfView 0.1 }} {} ] }}\n",
      things, devices);
}

// A wall 2 m in front of the Camera.
std::string wall(const std::string& appearance) {
  return "Pose { translation 2.1 0 0 children [ Shape { appearance " + appearance +
         " geometry Box { size 0.2 9 9 } } ] }\n";
}

std::string glow(const std::string& color) {
  return "PBRAppearance { baseColor 0 0 0 roughness 1 emissiveColor " + color + " }";
}

Camera& camera_of(Simulation& simulation) { return *simulation.robot(0).find("c")->get<Camera>(); }

Pixel seen(Simulation& simulation) {
  Camera& camera = camera_of(simulation);
  camera.enable(32, 1000.0 * simulation.time());
  simulation.step();
  const std::uint8_t* const p = &camera.picture()[4 * 5];
  return {p[2], p[1], p[0]};
}

int byte_of(double light) {
  return static_cast<int>(std::lround(255.0 * std::pow(1.0 - std::exp(-light), 1.0 / 2.2)));
}

void put(Simulation& simulation, const std::string& text, const std::string& folder = ".") {
  Diagnostics diagnostics;
  WorldControl(simulation)
      .rebuild(std::make_shared<const wbt::WorldFile>(
          wbt::read_world_text(text, "w", folder, {}, diagnostics)));
}

TEST(Looks, ShineInTheColourOfAnLed) {
  const std::string things =
      "LED { name \"led\" translation 2.1 0 0 color [ 1 0 0, 0.2 0.4 0.6 ] children [ Group { "
      "children [ Shape { appearance " +
      glow("0.9 0.9 0.9") + " geometry Box { size 0.2 9 9 } } ] } ] }";
  Simulation simulation = test::load(world("", things));
  Led& led = *simulation.robot(0).find("led")->get<Led>();
  EXPECT_EQ(seen(simulation), (Pixel{0, 0, 0})) << "off at the start";
  led.set(2);
  EXPECT_EQ(seen(simulation), (Pixel{byte_of(0.2), byte_of(0.4), byte_of(0.6)}));
  // A clone has an LED of its own.
  Simulation clone = simulation.clone();
  clone.robot(0).find("led")->get<Led>()->set(1);
  EXPECT_EQ(seen(clone), (Pixel{byte_of(1.0), 0, 0}));
  EXPECT_EQ(seen(simulation), (Pixel{byte_of(0.2), byte_of(0.4), byte_of(0.6)}));
  led.set(0);
  EXPECT_EQ(seen(simulation), (Pixel{0, 0, 0}));
}

TEST(Looks, FollowAnLedsLight) {
  const std::string things =
      "LED { name \"led\" color [ 1 0 0 ] children [ PointLight { on FALSE } ] }";
  Simulation simulation =
      test::load(world(wall("Appearance { material Material { diffuseColor 1 1 1 } }"), things));
  EXPECT_EQ(seen(simulation), (Pixel{0, 0, 0}));
  simulation.robot(0).find("led")->get<Led>()->set(1);
  EXPECT_NEAR(seen(simulation)[0], byte_of(1.0), 1);
  EXPECT_EQ(seen(simulation)[1], 0);
}

TEST(Looks, FollowTheEditedTree) {
  Simulation simulation = test::load(world(wall(glow("0.1 0.2 0.3"))));
  EXPECT_EQ(seen(simulation), (Pixel{byte_of(0.1), byte_of(0.2), byte_of(0.3)}));
  put(simulation, world(wall(glow("0.3 0.2 0.5"))));
  EXPECT_EQ(seen(simulation), (Pixel{byte_of(0.3), byte_of(0.2), byte_of(0.5)}));
  put(simulation, world("Background { skyColor [ 0.2 0.4 0.6 ] }"));
  EXPECT_EQ(seen(simulation), (Pixel{51, 102, 153}));
  put(simulation, world(wall("Appearance { material Material { diffuseColor 1 1 1 } }") +
                        "DirectionalLight { direction 1 0 0 intensity 0.5 }"));
  EXPECT_NEAR(seen(simulation)[1], byte_of(0.5), 1);
}

// A texture of another file, or another one with the same Shape.
TEST(Looks, ReadThePicturesOfAnEditedTree) {
  const auto png = [](const std::string& middle) {
    std::string bytes;
    const std::string hex =
        "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c49444154" +
        middle + "0000000049454e44ae426082";
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
      bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
    }
    return bytes;
  };
  const wbt::test::TemporaryProject project;
  project.write("worlds/red.png", png("789c63f8cfc0000003010100c9fe92ef"));
  project.write("worlds/black.png", png("789c63606060000000040001f6173855"));
  const auto picture = [](const std::string& name) {
    return wall("Appearance { texture ImageTexture { url \"" + name + "\" } }");
  };
  project.write("worlds/w.wbt", world(picture("red.png")));
  Simulation simulation(project.path("worlds/w.wbt"));
  EXPECT_EQ(seen(simulation), (Pixel{207, 0, 0}));
  put(simulation, world(picture("black.png")), project.path("worlds"));
  EXPECT_EQ(seen(simulation), (Pixel{0, 0, 0}));
  put(simulation, world(picture("red.png")), project.path("worlds"));
  EXPECT_EQ(seen(simulation), (Pixel{207, 0, 0}));
}

TEST(Looks, AreReadWhenACameraIsEnabled) {
  const std::string things = wall("Appearance { texture ImageTexture { url \"absent.png\" } }");
  Simulation simulation = test::load(
      world(things, "RangeFinder { name \"f\" width 4 height 4 maxRange 9 fieldOfView 0.1 }"));
  simulation.robot(0).find("f")->get<RangingSensor>()->enable(32, 0.0);
  simulation.step();
  EXPECT_TRUE(WorldControl(simulation).take_missing().empty());
  EXPECT_EQ(seen(simulation), (Pixel{207, 207, 207}));
  const std::vector<MissingPart> missing = WorldControl(simulation).take_missing();
  ASSERT_EQ(missing.size(), 1u);
  EXPECT_NE(missing[0].subject.find("absent.png"), std::string::npos);
}

// Without its PROTO a background is black, which acts on no motion.
TEST(Looks, AreMissingWithoutTheirProtos) {
  Simulation simulation = Simulation::from_text(world("NightSky { }"));
  simulation.step();
  EXPECT_TRUE(WorldControl(simulation).take_missing().empty());
  EXPECT_EQ(seen(simulation), (Pixel{0, 0, 0}));
  const std::vector<MissingPart> missing = WorldControl(simulation).take_missing();
  ASSERT_EQ(missing.size(), 1u);
  EXPECT_EQ(missing[0].kind, Missing::Pictures);
  EXPECT_EQ(missing[0].subject, "PROTO 'NightSky' not found");
}

// The stand-ins of Webots' backgrounds have a plain sky and a light.
TEST(Looks, OfBackgroundsOfWebotsHaveASkyAndALight) {
  const std::string sky = "TexturedBackground { }\n";
  Simulation simulation = Simulation::from_text(world(sky));
  const Pixel blue = seen(simulation);
  EXPECT_GT(blue[2], blue[0]);
  EXPECT_GT(blue[0], 50);
  EXPECT_TRUE(WorldControl(simulation).take_missing().empty());
  for (const char* version : {"R2023b", "R2021b"}) {  // z or y is up
    const std::string floor =
        "Background { } TexturedBackgroundLight { texture \"mountains\" } Robot { name \"r\" "
        "children [ LightSensor { name \"l\" rotation ";
    Simulation lit = Simulation::from_text(
        fmt::format("#VRML_SIM {} utf8\n{} {} lookupTable [ ] }} ] }}\n", version, floor,
                    version[1] == '2' && version[4] == '1' ? "0 0 1 1.5708" : "0 1 0 -1.5708"));
    BodySensor& sensor = lit.robot(0).body_sensor("l");
    sensor.enable(32, 0.0);
    lit.step();
    EXPECT_GT(sensor.values()[0], 0.6) << version << " from above";
  }
}

// A light moves with the Solid that carries it, and a DirectionalLight is not turned.
TEST(Looks, FollowLightsThatMove) {
  const std::string white = wall("Appearance { material Material { diffuseColor 1 1 1 } }");
  Simulation lamp = test::load(world(
      white +
      "Solid { translation 0.5 0 0 children [ PointLight { location 0.5 0 0 attenuation 0 0 1 "
      "} ] }"));
  EXPECT_NEAR(seen(lamp)[0], byte_of(1.0), 1);
  lamp.solid(0).set_pose({{}, {0.0, 0.0, 0.0}});
  EXPECT_NEAR(seen(lamp)[0], byte_of(1.0 / 2.25), 1);
  Simulation sun = test::load(world(
      white + "Solid { rotation 0 0 1 1 children [ DirectionalLight { direction 1 0 0 } ] }"));
  EXPECT_NEAR(seen(sun)[0], byte_of(1.0), 1);
}

}  // namespace looks_test
}  // namespace servosim
