// SPDX-License-Identifier: Apache-2.0
// Pens in worlds: where they write, and who sees it.
#include "servosim/pen.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/device_command.h"
#include "devices/tone_map.h"
#include "scene/ink_layer.h"
#include "scene/scene.h"
#include "servosim/camera.h"
#include "servosim/math.h"
#include "servosim/simulation.h"
#include "sim/world_control.h"
#include "support/pictures.h"
#include "support/worlds.h"
#include "wbt/test_support.h"
#include "wbt/world_file.h"

namespace servosim {
namespace pen_test {

using Pixel = std::array<int, 3>;  // red, green, blue

Device& device(Simulation& simulation, const char* name) {
  return *simulation.robot(0).find(name)->devices.front();
}

void set_ink(Simulation& simulation, int color, double density, const char* name = "pen") {
  device(simulation, name)
      .command({1, CommandKind::Ink, {static_cast<double>(color), density}, 0, {}}, 0.0);
}
void write(Simulation& simulation, bool on, const char* name = "pen") {
  device(simulation, name).command({1, CommandKind::Write, {}, on ? 1 : 0, {}}, 0.0);
}

double measured(Simulation& simulation, const char* name) {
  device(simulation, name).enable(32, 1000.0 * simulation.time());
  simulation.step();
  return device(simulation, name).values()[0];
}

// The numbers of Webots' test distance_sensor_infra-red: a sensor and a Pen look down on each of
// two planes from 0.065 m, one with a red part of 0.729412 and a roughness of 0.5, one with a
// picture whose red is 113.
TEST(Pen, DarkensWhatInfraRedSensorsSee) {
  const auto above = [](int number, const char* appearance, double y) {
    return fmt::format(
        "Solid {{ translation 0 {} 0 children [ Shape {{ appearance {} geometry Plane {{ size 0.2 "
        "0.2 "
        "}} }} ] }}\n"
        "DistanceSensor {{ name \"ds{}\" translation 0 {} 0.065 rotation 0 1 0 1.5707963267949 "
        "type "
        "\"infra-red\" lookupTable [ 0 0 0, 0.2 2000 0 ] }}\n"
        "Pen {{ name \"pen{}\" translation 0 {} 0.065 write FALSE leadSize 0.02 }}\n",
        y, appearance, number, y, number, y);
  };
  Simulation simulation = test::load(
      "#VRML_SIM R2023b utf8\nWorldInfo { basicTimeStep 32 }\nRobot { children [\n" +
      above(0, "PBRAppearance { baseColor 0.729412 0.2 0.1 roughness 0.5 }", 0.0) +
      above(1, "Appearance { material Material { diffuseColor 0.443137 1 0 } }", 1.0) + "] }\n");
  EXPECT_NEAR(measured(simulation, "ds0"), 1019.3725, 0.001);
  EXPECT_NEAR(measured(simulation, "ds1"), 1172.206506, 0.001);
  const auto print = [&](int color, double density) {
    for (const char* const pen : {"pen0", "pen1"}) {
      set_ink(simulation, color, density, pen);
      write(simulation, true, pen);
    }
    device(simulation, "ds0").enable(32, 1000.0 * simulation.time());
    device(simulation, "ds1").enable(32, 1000.0 * simulation.time());
    simulation.step();
    for (const char* const pen : {"pen0", "pen1"}) {
      write(simulation, false, pen);
    }
    return std::array{device(simulation, "ds0").values()[0], device(simulation, "ds1").values()[0]};
  };
  const auto expect = [&](int color, double density, double first, double second) {
    const auto [a, b] = print(color, density);
    EXPECT_NEAR(a, first, 0.001);
    EXPECT_NEAR(b, second, 0.001);
  };
  expect(0x00ff00, 0.3, 1283.6893, 1450.385);
  expect(0xcc33ff, 0.3, 1252.266, 1217.675);
  expect(0xff0000, 0.7, 1025.485, 834.98);
}

// A Pen 0.1 m above the top of a Shape writes downwards. A Camera looks down at the same
// place, and a light shines in which white paper reflects 1.
std::string table(const std::string& geometry, double top, const std::string& appearance,
                  const std::string& pen = "", const std::string& world = "",
                  const char* at = "0 0 0") {
  return fmt::format(
      "#VRML_SIM R2023b utf8\nWorldInfo {{ basicTimeStep 32 {} }}\n"
      "DirectionalLight {{ direction 0 0 -1 ambientIntensity 0 }}\n"
      "Solid {{ translation {} children [ Shape {{ appearance {} geometry {} }} ] }}\n"
      "Robot {{ children [ Camera {{ name \"c\" width 64 height 64 fieldOfView 0.5 translation 0 0 "
      "{} "
      "rotation 0 1 0 1.5707963267949 }}\n"
      "Pen {{ name \"pen\" inkColor 0.98 0.541 0.039 inkDensity 1 leadSize 0.006 translation 0.01 "
      "0.02 "
      "{} {} }} ] }}\n",
      world, at, appearance, geometry, top + 0.2, top + 0.1, pen);
}
const std::string kWhite =
    "Appearance { material Material { diffuseColor 1 1 1 specularColor 0 0 0 ambientIntensity 0 } "
    "}";

struct Marks {
  int count = 0;
  double x = 0.0;  // of their middle, in pixels
  double y = 0.0;
  Pixel color{};  // at the middle
};

// What a Camera sees that is not grey.
Marks marks(Simulation& simulation) {
  Camera& camera = *simulation.robot(0).find("c")->get<Camera>();
  camera.enable(32, 1000.0 * simulation.time());
  simulation.step();
  Marks marks;
  for (int y = 0; y < 64; ++y) {
    for (int x = 0; x < 64; ++x) {
      const std::uint8_t* const p = &camera.picture()[4 * (64 * y + x)];
      if (p[2] > p[0] + 20) {
        marks.x += x;
        marks.y += y;
        ++marks.count;
      }
    }
  }
  if (marks.count > 0) {
    marks.x /= marks.count;
    marks.y /= marks.count;
    const std::uint8_t* const p =
        &camera.picture()[4 * (64 * std::lround(marks.y) + std::lround(marks.x))];
    marks.color = {p[2], p[1], p[0]};
  }
  return marks;
}

struct Print {
  std::array<int, 2> pixel;  // column, row
  int tolerance;             // of the colour
  int most;                  // pixels with ink after it and those before
};

// A Pen in the middle of a Camera of 64 x 64 pixels writes in the direction of a pixel.
std::string pen_towards(const std::array<int, 2>& pixel, double field_of_view,
                        const std::string& name) {
  const double t = std::tan(0.5 * field_of_view);
  const Vec3 d = unit_or(
      Vec3{1.0, -t * ((pixel[0] + 0.5) / 32.0 - 1.0), -t * ((pixel[1] + 0.5) / 32.0 - 1.0)}, {});
  return fmt::format(
      "Pen {{ name \"{}\" inkColor 0.980392 0.541176 0.039216 inkDensity 1 leadSize 0.006 write "
      "FALSE rotation {} {} 0 {} }} ",
      name, d.y, -d.x, std::acos(-d.z));
}

// The places, colours and sizes of three prints on each form of Webots' tests pen_*. The poses are
// chosen here: all forms, 0.1 m large but for the Sphere, fill a picture of about 0.1 m. The discs
// of a Cylinder's side are longer around it than those of its ends.
TEST(Pen, WritesAsMuchAsInWebots) {
  const wbt::test::TemporaryProject project;
  constexpr int kSide = 256;
  project.write("worlds/white.png",
                test::png(kSide, kSide, std::vector<std::uint8_t>(4 * kSide * kSide, 255)));
  const std::string map = "ImageTexture { url \"white.png\" }";
  // White paper returns the light of this sun that comes from above: pi / (0.96 * 0.96) = 1.846^2.
  const std::string above = "DirectionalLight { direction 0 0 -1 intensity 1.846 }";
  const std::string dull =
      "PBRAppearance { baseColor 0.7 0.7 0.7 roughness 1 metalness 0 baseColorMap " + map + " }";
  // Round forms have the same light all around.
  const std::string around = "DirectionalLight { intensity 0 ambientIntensity 1 }";
  const std::string paper =
      "Appearance { material Material { ambientIntensity 1 } texture " + map + " }";
  struct Case {
    std::string form;
    std::string pose;
    double height;  // of the Camera, which looks down [m]
    std::array<Print, 3> prints;
    bool is_round;
  };
  const std::vector<Case> cases{
      {"Box { size 0.1 0.1 0.1 }",
       "",
       0.25,
       {{{{13, 56}, 15, 20}, {{28, 39}, 15, 40}, {{34, 25}, 15, 60}}},
       false},
      {"Cylinder { radius 0.05 height 0.1 }",  // an end below, and the side above it
       "translation -0.03 0.01 0 rotation -0.848 -0.53 0 0.785398",
       0.25,
       {{{{14, 55}, 32, 23}, {{32, 47}, 15, 104}, {{48, 34}, 15, 132}}},
       true},
      {"ElevationGrid { xDimension 3 yDimension 3 xSpacing 0.05 ySpacing 0.05 }",
       "translation -0.05 -0.05 0",
       0.2,
       {{{{14, 8}, 5, 30}, {{20, 20}, 5, 60}, {{33, 55}, 5, 125}}},
       false},
      {"Sphere { radius 0.13 subdivision 5 }",
       "rotation 0 1 0 1.570796",
       0.58,
       {{{{10, 48}, 22, 50}, {{28, 28}, 15, 100}, {{36, 14}, 15, 170}}},
       true}};
  for (const Case& c : cases) {
    std::string pens;
    for (std::size_t i = 0; i < c.prints.size(); ++i) {
      pens += pen_towards(c.prints[i].pixel, 0.5, fmt::format("pen{}", i));
    }
    project.write(
        "worlds/w.wbt",
        fmt::format("#VRML_SIM R2023b utf8\nWorldInfo {{ basicTimeStep 32 }}\n{}\n"
                    "Solid {{ {} children [ Shape {{ appearance {} geometry {} }} ] }}\n"
                    "Robot {{ translation 0 0 {} rotation 0 1 0 1.5707963267949 children [ "
                    "Camera {{ name \"c\" width 64 height 64 fieldOfView 0.5 }} {} ] }}\n",
                    c.is_round ? around : above, c.pose, c.is_round ? paper : dull, c.form,
                    c.height, pens));
    Simulation simulation(project.path("worlds/w.wbt"));
    EXPECT_EQ(marks(simulation).count, 0) << c.form;
    int before = 0;
    for (std::size_t i = 0; i < c.prints.size(); ++i) {
      const Print& print = c.prints[i];
      const std::string pen = fmt::format("pen{}", i);
      write(simulation, true, pen.c_str());
      const int count = marks(simulation).count;
      write(simulation, false, pen.c_str());
      EXPECT_GT(count, before + 2) << c.form << ' ' << i;
      EXPECT_LE(count, print.most) << c.form << ' ' << i;
      before = count;
      const Camera& camera = *simulation.robot(0).find("c")->get<Camera>();
      const std::uint8_t* const p =
          &camera.picture()[std::size_t{4} * (64 * print.pixel[1] + print.pixel[0])];
      EXPECT_NEAR(p[2], 206, print.tolerance) << c.form << ' ' << i;
      EXPECT_NEAR(p[1], 171, print.tolerance) << c.form << ' ' << i;
      EXPECT_NEAR(p[0], 58, print.tolerance) << c.form << ' ' << i;
    }
  }
}

// The ink shows as tone-mapped, without a gamma before. The place is where the Pen is: the picture
// spans 0.102 m at 0.2 m, its upper edge is +x and its left edge +y.
TEST(Pen, WritesBelowItself) {
  struct Case {
    const char* geometry;
    double top;
    int texels;     // of the ink layer that a disc covers
    double length;  // of such a texel [m]
  };
  for (const Case& c :
       // R = 0.0866 m, so that each side has 32 pixels: the diameter is 0.006 * 32 / 0.0866 = 2.2,
       // and the radius 1.
       {Case{"Box { size 0.1 0.1 0.1 }", 0.05, 5, 0.1 / 32},
        Case{"Plane { size 0.1 0.1 }", 0.0, 5, 0.1 / 32},
        Case{"Cylinder { radius 0.06 height 0.1 }", 0.05, 5, 0.12 / 32},
        Case{"ElevationGrid { xDimension 3 yDimension 3 xSpacing 0.05 ySpacing 0.05 }", 0.0, 5,
             0.1 / 32}}) {
    const bool is_grid = std::string(c.geometry).starts_with("Elev");  // it begins at its corner
    Simulation simulation =
        test::load(table(c.geometry, c.top, kWhite, "", "", is_grid ? "-0.05 -0.05 0" : "0 0 0"));
    const Marks seen = marks(simulation);
    const double pixels = c.texels * std::pow(c.length / 0.102 * 64.0, 2.0);
    EXPECT_NEAR(seen.count, pixels, 0.15 * pixels + 2.0) << c.geometry;
    EXPECT_NEAR(seen.x, 31.5 - 0.02 / 0.102 * 64.0, 1.6) << c.geometry;
    EXPECT_NEAR(seen.y, 31.5 - 0.01 / 0.102 * 64.0, 1.6) << c.geometry;
    EXPECT_NEAR(seen.color[0], 206, 3) << c.geometry;
    EXPECT_NEAR(seen.color[1], 171, 3) << c.geometry;
    EXPECT_NEAR(seen.color[2], 58, 3) << c.geometry;
  }
}

TEST(Pen, WritesOnRoundShapesAndMeshes) {
  for (const auto& [geometry, top] : std::vector<std::pair<std::string, double>>{
           {"Sphere { radius 0.1 subdivision 5 }", 0.1},
           {"Capsule { radius 0.08 height 0.1 subdivision 60 }", 0.13},
           {"Cone { bottomRadius 0.2 height 0.05 subdivision 60 }", 0.025},
           {"IndexedFaceSet { coord Coordinate { point [ -0.1 -0.1 0, 0.1 -0.1 0, 0.1 0.1 0, -0.1 "
            "0.1 0 "
            "] } coordIndex [ 0 1 2 3 ] }",
            0.0}}) {
    Simulation simulation = test::load(table(geometry, top, kWhite));
    const Marks seen = marks(simulation);
    EXPECT_GE(seen.count, 1) << geometry;
    EXPECT_LE(seen.count, 220) << geometry;
    EXPECT_NEAR(seen.x, 31.5 - 0.02 / 0.102 * 64.0, 4.0) << geometry;
    EXPECT_NEAR(seen.y, 31.5 - 0.01 / 0.102 * 64.0, 4.0) << geometry;
  }
}

TEST(Pen, ReachesItsLargestDistanceAlone) {
  Simulation far = test::load(table("Plane { }", 0.0, kWhite, "maxDistance 0.09"));
  EXPECT_EQ(marks(far).count, 0);
  Simulation near = test::load(table("Plane { }", 0.0, kWhite, "maxDistance 0.11"));
  EXPECT_GT(marks(near).count, 0);
  Simulation off = test::load(table("Plane { }", 0.0, kWhite, "write FALSE"));
  EXPECT_EQ(marks(off).count, 0);
  EXPECT_FALSE(static_cast<Pen&>(device(off, "pen")).writes());
}

TEST(Pen, MixesWithTextures) {
  for (const char* const appearance :
       {"PBRAppearance { baseColor 0.5 0.5 0.5 roughness 1 metalness 0 }", "Appearance { }"}) {
    Simulation simulation = test::load(table("Plane { size 0.1 0.1 }", 0.0, appearance));
    EXPECT_GT(marks(simulation).count, 0) << appearance;
  }
}

TEST(Pen, InkFadesAndIsClearedByAReset) {
  Simulation simulation =
      test::load(table("Plane { size 0.1 0.1 }", 0.0, kWhite, "", "inkEvaporation 2"));
  const Marks fresh = marks(simulation);
  write(simulation, false);
  Simulation clone = simulation.clone();
  const SimulationState state = simulation.save();
  for (int i = 0; i < 10; ++i) {
    simulation.step();
  }
  const Marks faded = marks(simulation);
  ASSERT_EQ(faded.count, fresh.count);
  // After 11 steps the density is exp(-2 * 11 * 0.032), over white.
  const double density = std::exp(-2.0 * 11 * 0.032);
  const auto shown = [density](double ink) {
    return 255.0 * ToneMap::part_of(1.0 + (ink - 1.0) * density);
  };
  EXPECT_NEAR(faded.color[1], shown(0.541), 2.0);
  EXPECT_NEAR(faded.color[2], shown(0.039), 2.0);
  const std::uint64_t hash = simulation.state_hash();
  for (int i = 0; i < 10; ++i) {
    clone.step();
  }
  EXPECT_EQ(marks(clone).color, faded.color);
  EXPECT_EQ(clone.state_hash(), hash);
  simulation.restore(state);
  EXPECT_GT(marks(simulation).color[0], 0);
  for (int i = 0; i < 9; ++i) {
    simulation.step();
  }
  EXPECT_EQ(marks(simulation).color, faded.color);
  WorldControl(simulation).restart();
  write(simulation, false);
  EXPECT_EQ(marks(simulation).count, 0);
}

// A Supervisor changes one field after the other. What the controller has set stays where the field
// stays.
TEST(Pen, TakesOverFieldsThatAreEdited) {
  Simulation simulation = test::load(table("Plane { size 0.1 0.1 }", 0.0, kWhite, "write FALSE"));
  const Pen& pen = static_cast<Pen&>(device(simulation, "pen"));
  const auto edit = [&](const std::string& from, const std::string& to, bool writes) {
    std::string text =
        table("Plane { size 0.1 0.1 }", 0.0, kWhite, writes ? "write TRUE" : "write FALSE");
    if (const std::size_t at = text.find(from); at != std::string::npos) {
      text.replace(at, from.size(), to);
    }
    Diagnostics diagnostics;
    WorldControl(simulation)
        .rebuild(std::make_shared<const wbt::WorldFile>(
            wbt::read_world_text(text, "world", ".", {}, diagnostics)));
  };
  EXPECT_EQ(marks(simulation).count, 0);
  set_ink(simulation, 0x0000ff, 0.25);
  edit("", "", true);
  EXPECT_TRUE(pen.writes());
  EXPECT_EQ(pen.color(), (Vec3{0.0, 0.0, 1.0}));
  EXPECT_EQ(pen.density(), 0.25);
  edit("inkColor 0.98 0.541 0.039", "inkColor 1 0.5 0", true);
  EXPECT_EQ(pen.color(), (Vec3{1.0, 0.5, 0.0}));
  EXPECT_EQ(pen.density(), 0.25);
  edit("inkDensity 1", "inkDensity 0.75", true);
  EXPECT_EQ(pen.density(), 0.75);
  EXPECT_GT(marks(simulation).count, 0);
  write(simulation, false);
  edit("leadSize 0.006", "leadSize 0.007", true);
  EXPECT_FALSE(pen.writes());
}

TEST(Pen, ClampsADensityWithANotice) {
  std::vector<std::string> notices;
  LoadOptions options;
  options.notice = [&](std::string_view text) { notices.emplace_back(text); };
  Simulation simulation = Simulation::from_text(table("Plane { }", 0.0, kWhite), options);
  set_ink(simulation, 0x123456, 1.25);
  const Pen& pen = static_cast<Pen&>(device(simulation, "pen"));
  EXPECT_EQ(pen.density(), 1.0);
  EXPECT_DOUBLE_EQ(pen.color().y, 0x34 / 255.0);
  EXPECT_EQ(notices.size(), 1u);
}

TEST(InkLayer, SaysWhetherItChanges) {
  const InkLayer::Ink ink{1.0f, 0.0f, 0.0f, 0.5f};
  InkLayer layer(64, 32);
  EXPECT_FALSE(layer.fades());
  EXPECT_TRUE(InkLayer::takes(0.5, 1.0, ink));
  EXPECT_FALSE(InkLayer::takes(0.5, 1.01, ink));
  EXPECT_FALSE(InkLayer::takes(0.5, 0.5, {}));
  layer.mark(0.5, 0.5, 0, ink);
  EXPECT_TRUE(layer.fades());
  layer.fade(0.001);
  EXPECT_FALSE(layer.fades());
}

// The Plane becomes a Box, whose sides are clean.
TEST(Pen, InkDoesNotStayOnAnotherGeometry) {
  Simulation simulation = test::load(table("Plane { size 0.1 0.1 }", 0.0, kWhite));
  EXPECT_GT(marks(simulation).count, 0);
  const auto rebuild = [&](const std::string& geometry) {
    Diagnostics diagnostics;
    WorldControl(simulation)
        .rebuild(std::make_shared<const wbt::WorldFile>(wbt::read_world_text(
            table(geometry, 0.0, kWhite, "write FALSE"), "world", ".", {}, diagnostics)));
  };
  rebuild("Plane { size 0.1 0.1 }");
  EXPECT_GT(marks(simulation).count, 0) << "the same Plane";
  rebuild("Box { size 0.1 0.1 0.01 }");
  EXPECT_EQ(marks(simulation).count, 0);
}

TEST(InkLayer, MixesByDensities) {
  InkLayer layer(64, 32);
  layer.mark(0.5, 0.5, 0, {1.0f, 0.0f, 0.0f, 0.25f});
  layer.mark(0.5, 0.5, 0, {0.0f, 0.0f, 1.0f, 0.5f});
  const InkLayer::Ink ink = layer.at(0.5, 0.5);
  EXPECT_FLOAT_EQ(ink.red, 1.0f / 3.0f);
  EXPECT_FLOAT_EQ(ink.blue, 2.0f / 3.0f);
  EXPECT_FLOAT_EQ(ink.density, 0.75f);
  layer.mark(0.5, 0.5, 0, {0.0f, 0.0f, 1.0f, 1.0f});
  EXPECT_FLOAT_EQ(layer.at(0.5, 0.5).density, 1.0f);
  EXPECT_EQ(layer.at(0.2, 0.2).density, 0.0f);
  EXPECT_EQ(layer.at(-0.1, 0.5).density, 0.0f);
  layer.mark(1.5, 0.5, 3, {});
}

TEST(InkLayer, MarksDiscs) {
  InkLayer layer(64, 64);
  layer.mark(32.5 / 64, 32.5 / 64, 2, {0.0f, 0.0f, 0.0f, 1.0f});
  std::string rows;
  for (int y = 30; y <= 34; ++y) {
    for (int x = 30; x <= 34; ++x) {
      rows += layer.at((x + 0.5) / 64, (y + 0.5) / 64).density > 0.0f ? '#' : '.';
    }
    rows += ' ';
  }
  EXPECT_EQ(rows, "..#.. .###. ##### .###. ..#.. ");
  EXPECT_EQ(layer.spots().size(), 13u);
  InkLayer copy = layer;
  copy.mark(0.1, 0.1, 0, {0.0f, 0.0f, 0.0f, 1.0f});
  EXPECT_EQ(layer.spots().size(), 13u);
  copy.fade(0.0005);
  EXPECT_EQ(layer.at(0.508, 0.508).density, 1.0f) << "copies do not share what changes";
  EXPECT_FLOAT_EQ(copy.at(0.508, 0.508).density, 0.0005f);
  copy.fade(0.5);
  EXPECT_FLOAT_EQ(copy.at(0.508, 0.508).density, 0.0005f) << "so little no longer fades";
}

// A layer has the pixels of a picture for each part of a Shape. Without a picture these are 32 +
// 992 R / 10 a side, at the nearest power of two, where R is the radius around the Shape. The
// diameter of a disc is the lead's times the width of one part over R.
TEST(InkLayer, HasThePixelsOfItsShape) {
  struct Case {
    InkForm form;
    double radius;
    std::array<int, 2> picture;
    std::array<int, 2> size;
    int disc;  // radius of that of a lead of 0.02 m
  };
  for (const Case& c : {Case{InkForm::Box, 0.1, {}, {128, 64}, 3},  // 32 + 9.9, 0.02 * 32 / 0.1 = 6
                        {InkForm::Spread, 0.4, {}, {256, 128}, 1},  // 32 + 39.7, 0.02 * 64 / 0.4
                        {InkForm::Cylinder, 1.0, {}, {256, 256}, 1},
                        {InkForm::Cone, 5.0, {}, {1024, 512}, 1},
                        {InkForm::Sphere, 10.0, {}, {1024, 1024}, 1},
                        {InkForm::Whole, 70.0, {}, {1024, 1024}, 0},
                        {InkForm::Box, 0.1, {100, 60}, {512, 128}, 12}}) {  // 128 x 64
    auto surface = std::make_shared<SurfaceLook>();
    if (c.picture[0] > 0) {
      auto image = std::make_shared<Image>();
      image->width = c.picture[0];
      image->height = c.picture[1];
      surface->red_map.image = std::move(image);
    }
    VisibleShape shape;
    shape.surface = std::move(surface);
    shape.mapping.ink = c.form;
    shape.radius = c.radius;
    const InkLayer layer = ink_layer_for(shape);
    EXPECT_EQ((std::array{layer.width(), layer.height()}), c.size) << c.radius;
    EXPECT_EQ(ink_radius(shape, layer, 0.02), c.disc) << c.radius;
  }
}

// Places of the parts of Shapes, by Webots' table.
TEST(InkLayer, HasAPlaceForEachPart) {
  const auto place = [](InkForm form, const Vec3& normal, double u, double v) {
    return ink_place(form, normal, {u, v}, {});
  };
  using Place = std::array<double, 2>;
  EXPECT_EQ(place(InkForm::Box, {1, 0, 0}, 0.5, 0.5), (Place{0.875, 0.75}));
  EXPECT_EQ(place(InkForm::Box, {-1, 0, 0}, 0.0, 0.0), (Place{0.25, 0.5}));
  EXPECT_EQ(place(InkForm::Box, {0, 1, 0}, 1.0, 0.0), (Place{0.25, 0.5}));
  EXPECT_EQ(place(InkForm::Box, {0, -1, 0}, 0.0, 1.0), (Place{0.5, 1.0}));
  EXPECT_EQ(place(InkForm::Box, {0, 0, 1}, 0.5, 0.5), (Place{0.625, 0.25}));
  EXPECT_EQ(place(InkForm::Box, {0, 0, -1}, 0.5, 0.5), (Place{0.125, 0.25}));
  // The middle of an end has X = Y = 0 there: 3/4 1/4 and 1/4 3/4.
  EXPECT_EQ(place(InkForm::Cylinder, {0, 0, 1}, 0.5, 0.5), (Place{0.75, 0.25}));
  EXPECT_EQ(place(InkForm::Cylinder, {0, 0, -1}, 0.5, 0.5), (Place{0.25, 0.75}));
  EXPECT_EQ(place(InkForm::Cylinder, {0.7, 0.7, 0}, 0.5, 1.0), (Place{0.25, 0.5}));
  EXPECT_EQ(place(InkForm::Cone, {0, 0, -1}, 0.5, 0.5), (Place{0.75, 0.5}));
  EXPECT_EQ(place(InkForm::Cone, {0.7, 0, 0.7}, 0.5, 0.5), (Place{0.25, 0.5}));
  EXPECT_EQ(place(InkForm::Sphere, {0, 0, 1}, 1.25, 0.5), (Place{0.25, 0.5}));
  EXPECT_EQ(ink_place(InkForm::Spread, {0, 0, 2}, {}, {0.25, -0.25, 0.5}), (Place{0.6875, 0.375}));
}

}  // namespace pen_test
}  // namespace servosim
