// SPDX-License-Identifier: Apache-2.0
// The numbers that Webots' own tests of pictures assert, in small worlds of the same kind.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numbers>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/device_command.h"
#include "servosim/camera.h"
#include "servosim/led.h"
#include "servosim/ranging_sensor.h"
#include "servosim/simulation.h"
#include "sim/world_control.h"
#include "support/pictures.h"
#include "support/worlds.h"
#include "wbt/test_support.h"
#include "wbt/world_file.h"

namespace servosim {
namespace webots_pictures_test {

constexpr double kPi = std::numbers::pi;
using Pixel = std::array<int, 3>;  // red, green, blue

// The light that Webots' tone map shows as a byte.
double light_of(int byte) { return -std::log1p(-std::pow(byte / 255.0, 2.2)); }

double coded(double linear) {
  const double c = std::clamp(linear, 0.0, 1.0);
  return c <= 0.0031308 ? 12.92 * c : 1.055 * std::pow(c, 1.0 / 2.4) - 0.055;
}

std::uint8_t byte_of(double part) {
  return static_cast<std::uint8_t>(std::lround(255.0 * std::clamp(part, 0.0, 1.0)));
}

std::string heading(const std::string& things) {
  return "#VRML_SIM R2023b utf8\nWorldInfo { basicTimeStep 32 }\n" + things;
}

std::string robot(const std::string& devices) {
  return "Robot { name \"r\" children [ " + devices + " ] }\n";
}

void take_pictures(Simulation& simulation) {
  for (const DeviceNode& node : simulation.robot(0).devices()) {
    node.devices.front()->enable(32, 1000.0 * simulation.time());
  }
  simulation.step();
}

Pixel pixel(Simulation& simulation, const std::string& name, int x, int y) {
  const Camera& camera = *simulation.robot(0).find(name)->get<Camera>();
  const std::uint8_t* const at =
      &camera.picture()[4 * (static_cast<std::size_t>(y) * camera.width() + x)];
  return {at[2], at[1], at[0]};
}

void expect_near(const Pixel& seen, const Pixel& expected, int tolerance,
                 const std::string& what = "") {
  for (std::size_t part = 0; part < 3; ++part) {
    EXPECT_NEAR(seen[part], expected[part], tolerance) << what << " part " << part;
  }
}

void set(Simulation& simulation, CommandKind kind, double number) {
  simulation.robot(0).find("c")->get<Camera>()->command({1, kind, {number}, 0, {}}, 0.0);
}

// A field of view that the Zoom does not reach stays as the file has it, and its controller doubles
// it before it enables the Camera.
TEST(WebotsPictures, CameraColor) {
  const std::vector<std::pair<Pixel, Pixel>> chart{// where its light is 1, and in this test
                                                   {{123, 71, 58}, {122, 75, 65}},
                                                   {{156, 205, 195}, {153, 200, 191}},
                                                   {{207, 207, 207}, {202, 202, 202}},
                                                   {{44, 44, 44}, {54, 54, 54}}};
  std::vector<std::uint8_t> pixels;
  for (const auto& [color, seen] : chart) {
    for (const int byte : color) {
      pixels.push_back(byte_of(coded(light_of(byte))));
    }
    pixels.push_back(255);
  }
  const wbt::test::TemporaryProject project;
  project.write("worlds/chart.png", test::png(2, 2, pixels));
  project.write(
      "worlds/w.wbt",
      heading(
          "Background { skyColor [ 1 1 1 ] }\nPointLight { attenuation 0 0 1 }\n"
          "Pose { translation 1 0 0 rotation 0 1 0 -1.5707963 children [ Pose { rotation 0 0 1 "
          "-1.5707963 children [ Shape { appearance PBRAppearance { roughness 1 metalness 0.2 "
          "baseColorMap ImageTexture { url \"chart.png\" filtering 0 } } geometry Plane { size 2 "
          "2 } } ] } ] }\n" +
          robot("Camera { name \"c\" fieldOfView 0.785398 zoom Zoom { minFieldOfView 1.56 "
                "maxFieldOfView 1.58 } }")));
  Simulation simulation(project.path("worlds/w.wbt"));
  EXPECT_TRUE(simulation.diagnostics().empty());
  const Camera& camera = *simulation.robot(0).find("c")->get<Camera>();
  EXPECT_EQ(camera.field_of_view(), 0.785398);
  EXPECT_THROW(set(simulation, CommandKind::FieldOfView, 0.785398), std::invalid_argument);
  set(simulation, CommandKind::FieldOfView, 2.0 * 0.785398);
  EXPECT_NEAR(camera.field_of_view(), 1.570796, 1e-9);
  take_pictures(simulation);
  const std::array<std::array<int, 2>, 4> places{{{5, 8}, {59, 8}, {5, 56}, {59, 56}}};
  for (std::size_t i = 0; i < places.size(); ++i) {
    expect_near(pixel(simulation, "c", places[i][0], places[i][1]), chart[i].second, 2,
                fmt::format("{}", i));
  }
}

// A red Box below a blue sky, sharp without a focal distance, and blurred with one that is too
// near.
TEST(WebotsPictures, CameraColorFocus) {
  std::string lights;
  for (int i = 0; i < 2; ++i) {
    lights += "DirectionalLight { direction 1 0 -1 ambientIntensity 1 }\n";
  }
  Simulation simulation = test::load(
      heading("Background { skyColor [ 0 0 1 ] }\n" + lights +
              "Pose { translation 0.5 0 -0.5 children [ Shape { appearance Appearance { material "
              "Material { "
              "diffuseColor 1 0 0 } } geometry Box { size 0.1 1 1 } } ] }\n" +
              robot("Camera { name \"c\" focus Focus { focalLength 0.1 maxFocalDistance 0.2 } }")));
  take_pictures(simulation);
  const Pixel above = pixel(simulation, "c", 31, 30);
  EXPECT_EQ(above[0], 0);
  EXPECT_EQ(above[2], 255);
  const Pixel below = pixel(simulation, "c", 31, 32);
  EXPECT_EQ(below[0], 227);
  EXPECT_EQ(below[2], 0);
  set(simulation, CommandKind::FocalDistance, 0.1);
  simulation.step();
  const Pixel blurred_above = pixel(simulation, "c", 31, 30);
  EXPECT_NE(blurred_above[0], 0);
  EXPECT_EQ(blurred_above[2], 255);
  const Pixel blurred_below = pixel(simulation, "c", 31, 32);
  EXPECT_NE(blurred_below[0], 227);
  EXPECT_NE(blurred_below[2], 0);
}

// Two spheres shine in the colour of an LED, and its light shines on a wall. The light of an LED
// with a colour of its own is that of the first step.
TEST(WebotsPictures, Led) {
  const auto ball = [](double y, const std::string& appearance) {
    return fmt::format(
        "Pose {{ translation 2 {} 0 children [ Shape {{ appearance {} geometry Sphere {{ radius "
        "0.2 "
        "subdivision 3 }} }} ] }}\n",
        y, appearance);
  };
  Simulation simulation = test::load(heading(
      "Pose { translation 3 -0.767 0 children [ Shape { appearance Appearance { material Material "
      "{ "
      "} } geometry Box { size 0.1 0.6 0.6 } } ] }\n" +
      robot("Camera { name \"c\" width 128 height 128 fieldOfView 0.785398 }\n"
            "LED { name \"led\" gradual TRUE color [ ] children [ Group { children [\n" +
            ball(0.576, "Appearance { material Material { diffuseColor 0 0 0 } }") +
            ball(0.0, "PBRAppearance { baseColor 0 0 0 roughness 1 metalness 0 }") +
            "SpotLight { location 1 -0.767 0 direction 1 0 0 beamWidth 0.2 cutOffAngle 0.3 } ] } ] "
            "}")));
  simulation.robot(0).find("c")->get<Camera>()->enable(32, 0.0);
  simulation.step();
  for (const int x : {19, 64, 103}) {
    EXPECT_EQ(pixel(simulation, "c", x, x == 103 ? 61 : 64), (Pixel{0, 0, 0})) << "it is off";
  }
  simulation.robot(0).find("led")->get<servosim::Led>()->set(0xff0000);
  simulation.step();
  simulation.step();
  for (const int x : {19, 64}) {
    const Pixel seen = pixel(simulation, "c", x, 64);
    EXPECT_GT(seen[0], 0xaa) << x;
    EXPECT_EQ(seen[1], 0) << x;
    EXPECT_EQ(seen[2], 0) << x;
  }
  EXPECT_GT(pixel(simulation, "c", 103, 61)[0], 0x80);
}

// The pictures of three coloured things are the same bytes before and after a reset of the world,
// and in a world that is loaded again.
TEST(WebotsPictures, CameraRevert) {
  const auto thing = [](double y, const std::string& color) {
    return fmt::format(
        "Pose {{ translation 2 {} 0 children [ Shape {{ appearance PBRAppearance {{ baseColor {} "
        "roughness 0.5 metalness 0 }} geometry Sphere {{ radius 0.2 subdivision 3 }} }} ] }}\n",
        y, color);
  };
  const std::string world = heading(
      "DirectionalLight { direction 1 0.5 -0.5 intensity 2 }\n" + thing(0.5, "1 0 0") +
      thing(0.0, "0 1 0") + thing(-0.5, "0 0 1") + robot("Camera { name \"c\" noise 0.01 }"));
  const auto picture = [](Simulation& simulation) {
    take_pictures(simulation);
    const std::span<const std::uint8_t> seen =
        simulation.robot(0).find("c")->get<Camera>()->picture();
    return std::vector<std::uint8_t>(seen.begin(), seen.end());
  };
  Simulation simulation = test::load(world);
  const std::vector<std::uint8_t> first = picture(simulation);
  EXPECT_NE(picture(simulation), first) << "noise";
  simulation.reset();
  EXPECT_EQ(picture(simulation), first);
  Simulation again = test::load(world);
  EXPECT_EQ(picture(again), first);
}

// A sphere of 10 m with a chart on its inside, which only light from everywhere shines on.
TEST(WebotsPictures, CameraColorSphericalOfACylindricalCamera) {
  constexpr int kColumns = 16;
  constexpr int kRows = 8;
  const std::vector<std::pair<std::array<int, 2>, Pixel>> expected{
      {{22, 6}, {207, 207, 0}},  {{230, 9}, {207, 0, 0}},     {{19, 115}, {207, 207, 0}},
      {{234, 115}, {207, 0, 0}}, {{146, 11}, {203, 83, 124}}, {{81, 104}, {173, 198, 63}}};
  std::vector<std::uint8_t> chart(std::size_t{4} * kColumns * kRows, 255);
  for (const auto& [at, color] : expected) {
    const auto place = static_cast<std::size_t>((2 * at[1] + 1) * kRows / 256 * kColumns +
                                                (2 * at[0] + 1) * kColumns / 512);
    for (std::size_t part = 0; part < 3; ++part) {
      chart[4 * place + part] = byte_of(coded(light_of(color[part])));
    }
  }
  const wbt::test::TemporaryProject project;
  project.write("worlds/chart.png", test::png(kColumns, kRows, chart));
  std::string points;
  std::string places;
  std::string faces;
  constexpr int kAround = 64;
  constexpr int kDown = 32;
  for (int j = 0; j <= kDown; ++j) {
    for (int i = 0; i <= kAround; ++i) {
      const double azimuth = (0.5 - static_cast<double>(i) / kAround) * 2.0 * kPi;
      const double elevation = (0.5 - static_cast<double>(j) / kDown) * kPi;
      points +=
          fmt::format("{:.6f} {:.6f} {:.6f} ", 10.0 * std::cos(elevation) * std::cos(azimuth),
                      10.0 * std::cos(elevation) * std::sin(azimuth), 10.0 * std::sin(elevation));
      places += fmt::format("{:.6f} {:.6f} ", static_cast<double>(i) / kAround,
                            1.0 - static_cast<double>(j) / kDown);
      if (i < kAround && j > 0) {
        const int here = j * (kAround + 1) + i;
        const int above = here - kAround - 1;
        if (j < kDown) {
          faces += fmt::format("{} {} {} -1 ", here, here + 1, above + 1);
        }
        if (j > 1) {
          faces += fmt::format("{} {} {} -1 ", here, above + 1, above);
        }
      }
    }
  }
  project.write(
      "worlds/w.wbt",
      heading(
          "DirectionalLight { ambientIntensity 1 intensity 0 }\nShape { appearance Appearance "
          "{ material Material { ambientIntensity 1 } texture ImageTexture { url "
          "\"chart.png\" filtering 0 } } geometry IndexedFaceSet { coord Coordinate { point [ " +
          points + "] } texCoord TextureCoordinate { point [ " + places + "] } coordIndex [ " +
          faces + "] } }\n" +
          robot("Camera { name \"c\" projection \"cylindrical\" width 256 height 128 "
                "fieldOfView 6.2832 }")));
  Simulation simulation(project.path("worlds/w.wbt"));
  take_pictures(simulation);
  for (const auto& [at, color] : expected) {
    expect_near(pixel(simulation, "c", at[0], at[1]), color, 2, fmt::format("{} {}", at[0], at[1]));
  }
}

TEST(WebotsPictures, RangeFinderSphericalOfACylindricalOne) {
  const auto plane = [](double x, double turn) {
    return fmt::format(
        "Pose {{ translation {} 0 0 rotation 0 1 0 {} children [ Shape {{ geometry Plane {{ size 1 "
        "1 }} }} ] }}\n",
        x, turn);
  };
  Simulation simulation = test::load(heading(
      plane(2, -kPi / 2) + plane(-2, kPi / 2) +
      robot("RangeFinder { name \"f\" projection \"cylindrical\" width 256 height 128 fieldOfView "
            "6.28 maxRange 3 }")));
  take_pictures(simulation);
  const RangingSensor& finder = *simulation.robot(0).find("f")->get<RangingSensor>();
  for (const auto& [column, distance] :
       {std::pair{0, 2.0}, {64, INFINITY}, {128, 2.0}, {192, INFINITY}, {255, 2.0}}) {
    const double seen = finder.picture()[static_cast<std::size_t>(256 * 64 + column)];
    EXPECT_TRUE(seen == distance || std::abs(seen - distance) < 0.015) << column << ' ' << seen;
  }
}

// What a light of intensity 1.8 on a dull surface, seen from where it shines, adds for a base
// colour of 1 and for any colour.
constexpr double kIntensity = 1.8;
constexpr double kDull = 0.96 * 0.96 / kPi * kIntensity * kIntensity;
constexpr double kMirrored = 0.04 / (4.0 * kPi) * kIntensity;

std::array<double, 3> base_of(const Pixel& seen) {
  std::array<double, 3> base{};
  for (std::size_t part = 0; part < 3; ++part) {
    base[part] = coded((light_of(seen[part]) - kMirrored) / kDull);
  }
  return base;
}

// Cubes whose files have colours or pictures look like a Mesh with these in a PBRAppearance.
TEST(WebotsPictures, CadShapeNode) {
  const wbt::test::TemporaryProject project;
  const std::vector<Pixel> colors{{203, 35, 35}, {35, 38, 201}, {201, 195, 35},
                                  {175, 57, 56}, {57, 58, 175}, {175, 169, 56}};
  const std::string cube =
      "v 0 -1 -1\nv 0 1 -1\nv 0 1 1\nv 0 -1 1\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nvn -1 0 0\n"
      "usemtl m\nf 1/1/1 4/4/1 3/3/1 2/2/1\n";
  std::string things = "DirectionalLight { direction 1 0 0 intensity 1.8 }\n";
  std::string cameras;
  for (std::size_t i = 0; i < colors.size(); ++i) {
    const auto [r, g, b] = base_of(colors[i]);
    const bool is_textured = i % 2 == 0;
    project.write(fmt::format("worlds/cube{}.obj", i),
                  fmt::format("mtllib cube{}.mtl\n", i) + cube);
    project.write(fmt::format("worlds/cube{}.mtl", i),
                  is_textured ? fmt::format("newmtl m\nKd 1 1 1\nNs 0\nmap_Kd color{}.png\n", i)
                              : fmt::format("newmtl m\nKd {} {} {}\nNs 0\n", r, g, b));
    project.write(fmt::format("worlds/color{}.png", i),
                  test::png(1, 1, {byte_of(r), byte_of(g), byte_of(b), 255}));
    const double y = 4.0 * static_cast<double>(i);
    for (const auto& [z, shape] :
         {std::pair{0.0, fmt::format("CadShape {{ url \"cube{}.obj\" }}", i)},
          {4.0, fmt::format("Shape {{ appearance PBRAppearance {{ baseColor {} {} {} roughness 1 "
                            "metalness 0 }} geometry Mesh {{ url \"cube{}.obj\" }} }}",
                            r, g, b, i)}}) {
      things += fmt::format("Pose {{ translation 1 {} {} children [ {} ] }}\n", y, z, shape);
      cameras += fmt::format(
          "Camera {{ name \"{} {}\" translation 0 {} {} width 3 height 3 fieldOfView 0.05 }} ", i,
          z > 0.0 ? "mesh" : "cad", y, z);
    }
  }
  project.write("worlds/w.wbt", heading(things + robot(cameras)));
  Simulation simulation(project.path("worlds/w.wbt"));
  take_pictures(simulation);
  EXPECT_TRUE(WorldControl(simulation).take_missing().empty());
  for (std::size_t i = 0; i < colors.size(); ++i) {
    const Pixel cad = pixel(simulation, fmt::format("{} cad", i), 1, 1);
    expect_near(cad, colors[i], 5, fmt::format("cube {}", i));
    expect_near(pixel(simulation, fmt::format("{} mesh", i), 1, 1), cad, 2,
                fmt::format("mesh {}", i));
  }
}

// A material of a file that shines is less rough, and one may glow. A number that is none has no
// effect.
TEST(WebotsPictures, CadShapesHaveTheRoughnessAndEmissionOfTheirMaterials) {
  for (const auto& [shininess, roughness] : {std::pair{"153", 0.4}, {"nan", 1.0}}) {
    const wbt::test::TemporaryProject project;
    project.write("worlds/m.obj",
                  "mtllib m.mtl\nv 0 -1 -1\nv 0 1 -1\nv 0 1 1\nv 0 -1 1\nvn -1 0 0\nusemtl m\n"
                  "f 1//1 4//1 3//1 2//1\n");
    project.write("worlds/m.mtl",
                  fmt::format("newmtl m\nKd 0.5 0.5 0.5\nKe 0.1 0.2 0\nNs {}\n", shininess));
    project.write(
        "worlds/w.wbt",
        heading(
            "DirectionalLight { direction 1 0.3 0 intensity 3 }\nBackground { skyColor 1 1 1 }\n"
            "Pose { translation 1 0 0 children [ CadShape { url \"m.obj\" } ] }\n" +
            fmt::format("Pose {{ translation 1 4 0 children [ Shape {{ appearance PBRAppearance "
                        "{{ baseColor 0.5 0.5 0.5 roughness {} metalness 0 emissiveColor 0.1 0.2 "
                        "0 }} geometry Mesh {{ url \"m.obj\" }} }} ] }}\n",
                        roughness) +
            robot("Camera { name \"cad\" width 3 height 3 fieldOfView 0.05 } Camera { name "
                  "\"mesh\" translation 0 4 0 width 3 height 3 fieldOfView 0.05 }")));
    Simulation simulation(project.path("worlds/w.wbt"));
    take_pictures(simulation);
    expect_near(pixel(simulation, "cad", 1, 1), pixel(simulation, "mesh", 1, 1), 1, shininess);
  }
}

// Pictures are found next to the file in which their names are: that of the world, also where these
// are the values of a PROTO's fields; and that of a PROTO, also where it gives them to another
// PROTO of its folder. Webots' test has eleven Cameras with these colours; which name each of them
// has is chosen here.
TEST(WebotsPictures, RelativeAssetResolution) {
  const wbt::test::TemporaryProject project;
  const auto texture = [](const Pixel& seen) {
    return test::png(1, 1,
                     {byte_of(coded(light_of(seen[0]))), byte_of(coded(light_of(seen[1]))),
                      byte_of(coded(light_of(seen[2]))), 255});
  };
  const std::string plane = " geometry Box { size 0.1 2 2 } }";
  const auto shape = [&plane](const std::string& url) {
    return "Shape { appearance Appearance { material Material { ambientIntensity 1 } texture "
           "ImageTexture { url " +
           url + " } }" + plane;
  };
  const auto proto = [&project](const std::string& file, const std::string& needs,
                                const std::string& name, const std::string& fields,
                                const std::string& children) {
    project.write("protos/" + file, "#VRML_SIM R2023b utf8\n" + needs + "PROTO " + name +
                                        " [ field SFVec3f translation 0 0 0 " + fields +
                                        " ] { Pose { translation IS translation children [ " +
                                        children + " ] } }\n");
  };
  project.write("worlds/beside.png", texture({203, 0, 175}));
  project.write("worlds/textures/below.png", texture({203, 0, 0}));
  project.write("textures/above.png", texture({35, 203, 0}));
  project.write("protos/own.png", texture({0, 18, 203}));
  project.write("protos/textures/own.png", texture({203, 196, 0}));
  project.write("protos/textures/passed.png", texture({203, 85, 0}));
  project.write("protos/textures/default.png", texture({35, 203, 0}));
  project.write("protos/above.png", texture({6, 176, 203}));
  project.write("worlds/black.png", texture({0, 0, 0}));
  proto("Own.proto", "", "Own", "", shape("\"own.png\""));
  proto("Deep.proto", "", "Deep", "", shape("\"textures/own.png\""));
  proto("deep/Up.proto", "", "Up", "", shape("\"../above.png\""));
  proto("Given.proto", "", "Given", "field MFString url [ ]", shape("IS url"));
  proto("Default.proto", "EXTERNPROTO \"Given.proto\"\n", "Default",
        "field MFString url [ \"textures/default.png\" ]", "Given { url IS url }");
  proto("Nested.proto", "EXTERNPROTO \"Own.proto\"\n", "Nested", "", "Own { }");
  proto("Passing.proto", "EXTERNPROTO \"Given.proto\"\n", "Passing", "",
        "Given { url \"textures/passed.png\" }");
  proto("Holder.proto", "", "Holder", "field MFNode children [ ]",
        "Group { children IS children }");
  const auto in_world = [&shape](const std::string& url) {
    return "Pose { translation @ children [ " + shape("\"" + url + "\"") + " ] }";
  };
  const std::vector<std::pair<std::string, Pixel>> things{
      {in_world("beside.png"), {203, 0, 175}},
      {in_world("textures/below.png"), {203, 0, 0}},
      {in_world("../textures/above.png"), {35, 203, 0}},
      {"Own { translation @ }", {0, 18, 203}},
      {"Given { translation @ url \"textures/below.png\" }", {203, 0, 0}},
      {"Default { translation @ }", {35, 203, 0}},
      {"Nested { translation @ }", {0, 18, 203}},
      {"Deep { translation @ }", {203, 196, 0}},
      {"Up { translation @ }", {6, 176, 203}},
      {"Passing { translation @ }", {203, 85, 0}},
      {"Holder { translation @ children [ " + shape("\"beside.png\"") + " ] }", {203, 0, 175}}};
  const auto world = [&things](const std::string& first) {
    std::string text;
    for (const char* const file :
         {"Own", "Deep", "Given", "Default", "Nested", "Passing", "Holder", "deep/Up"}) {
      text += fmt::format("EXTERNPROTO \"../protos/{}.proto\"\n", file);
    }
    std::string cameras;
    for (std::size_t i = 0; i < things.size(); ++i) {
      std::string thing = things[i].first;
      thing.replace(thing.find('@'), 1, fmt::format("1 {} 0", 3 * i));
      if (const std::size_t at = thing.find("beside.png"); i == 0) {
        thing.replace(at, 10, first);
      }
      text += thing + "\n";
      cameras += fmt::format(
          "Camera {{ name \"{}\" translation 0 {} 0 width 2 height 2 fieldOfView 0.1 }} ", i,
          3 * i);
    }
    return "#VRML_SIM R2023b utf8\n" + text +
           "WorldInfo { basicTimeStep 32 }\nDirectionalLight { ambientIntensity 1 intensity 0 }\n" +
           robot(cameras);
  };
  project.write("worlds/w.wbt", world("beside.png"));
  Simulation simulation(project.path("worlds/w.wbt"));
  take_pictures(simulation);
  for (std::size_t i = 0; i < things.size(); ++i) {
    expect_near(pixel(simulation, fmt::format("{}", i), 0, 0), things[i].second, 5,
                things[i].first);
  }
  // A supervisor replaces the first one by a black one.
  Diagnostics diagnostics;
  WorldControl(simulation)
      .rebuild(std::make_shared<const wbt::WorldFile>(
          wbt::read_world_text(world("black.png"), "w", project.path("worlds"), {}, diagnostics)));
  simulation.step();
  expect_near(pixel(simulation, "0", 0, 0), {0, 0, 0}, 0);
}

// A crease angle of 0 leaves faces flat; one of 1.6 rounds a cube.
TEST(WebotsPictures, VertexMerging) {
  const auto levels = [](double crease) {
    Simulation simulation = test::load(heading(
        fmt::format(
            "DirectionalLight {{ direction 1 0 -0.4 }}\nPose {{ translation 2 0 0 children [ "
            "Shape {{ appearance Appearance {{ material Material {{ diffuseColor 1 1 1 }} "
            "}} geometry IndexedFaceSet {{ creaseAngle {} coord Coordinate {{ point [ -1 "
            "-1 -1, 1 -1 -1, 1 1 -1, -1 1 -1, -1 -1 1, 1 -1 1, 1 1 1, -1 1 1 ] }} "
            "coordIndex [ 0 3 2 1 -1 4 5 6 7 -1 0 1 5 4 -1 1 2 6 5 -1 2 3 7 6 -1 3 0 4 7 "
            "-1 ] }} }} ] }}\n",
            crease) +
        robot("Camera { name \"c\" width 32 height 32 fieldOfView 1.2 }")));
    take_pictures(simulation);
    int least = 255;
    int most = 0;
    for (int y = 0; y < 32; ++y) {
      const int red = pixel(simulation, "c", 16, y)[0];
      least = std::min(least, red);
      most = std::max(most, red);
    }
    return most - least;
  };
  EXPECT_LE(levels(0.0), 1);
  EXPECT_GT(levels(1.6), 20);
}

// The exposure 1/k balances the intensity k, but for the dull part of a PBRAppearance, where the
// intensity counts twice in worlds up to R2025a. Without intensity all is black.
TEST(WebotsPictures, PbrLightIntensity) {
  const auto seen = [](const std::string& appearance, double intensity, double exposure) {
    Simulation simulation = test::load(heading(
        fmt::format(
            "DirectionalLight {{ direction 1 0 0 intensity {} }}\nPose {{ translation 2 0 0 "
            "children [ Shape {{ appearance {} geometry Box {{ size 0.2 9 9 }} }} ] }}\n",
            intensity, appearance) +
        robot(fmt::format("Camera {{ name \"c\" width 2 height 2 fieldOfView 0.1 exposure {} }}",
                          exposure))));
    take_pictures(simulation);
    return pixel(simulation, "c", 0, 0);
  };
  for (const std::string& appearance :
       std::vector<std::string>{"PBRAppearance { baseColor 0.9 0.5 0.2 roughness 0.8 metalness 1 }",
                                "Appearance { material Material { diffuseColor 0.9 0.5 0.2 } }"}) {
    const Pixel one = seen(appearance, 1.0, 1.0);
    EXPECT_GT(one[0], 50);
    for (const double k : {0.25, 4.0, 30.0}) {
      expect_near(seen(appearance, k, 1.0 / k), one, 2, appearance);
    }
    expect_near(seen(appearance, 0.0, 1.0), {0, 0, 0}, 1, appearance);
  }
  const std::string dull = "PBRAppearance { baseColor 0.5 0.5 0.5 roughness 1 metalness 0 }";
  EXPECT_GT(seen(dull, 4.0, 0.25)[0], seen(dull, 1.0, 1.0)[0] + 20);
  expect_near(seen(dull, 0.0, 1.0), {0, 0, 0}, 1);
}

}  // namespace webots_pictures_test
}  // namespace servosim
