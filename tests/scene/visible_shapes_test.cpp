// SPDX-License-Identifier: Apache-2.0
// What infra-red sensors see of pictures and of the PROTOs that servosim makes itself.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "run/test_support.h"
#include "scene/scene.h"
#include "scene/surface_look.h"
#include "servosim/simulation.h"

namespace servosim::test {
namespace visible_shapes_test {

std::string bytes_of(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  }
  return bytes;
}

// 2 x 2 pixels: red 255 and 0 above, 51 and 102 below.
constexpr std::string_view kPng =
    "89504e470d0a1a0a0000000d4948445200000002000000020802000000fdd49a73000000144944415478da63"
    "f8cf0004ff198c3939d338390117c902bcf14461a10000000049454e44ae426082";
// 8 x 8 pixels, all of red 204.
constexpr std::string_view kJpeg =
    "ffd8ffe000104a46494600010100000100010000ffdb0043000d090a0b0a080d0b0a0b0e0e0d0f1320151312"
    "1213271c1e17202e2931302e292d2c333a4a3e333646372c2d405741464c4e525352323e5a615a50604a5152"
    "4fffdb0043010e0e0e131113261515264f352d354f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f"
    "4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4fffc000110800080008030122000211010311"
    "01ffc4001500010100000000000000000000000000000006ffc4001410010000000000000000000000000000"
    "0000ffc4001501010100000000000000000000000000000506ffc40014110100000000000000000000000000"
    "000000ffda000c03010002110311003f009b007addffd9";

// One pixel of red 102 and green 51: with a gAMA chunk of linear light, and with 16 bits.
constexpr std::string_view kLinearPng =
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000467414d41000186"
    "a031e8965f0000000c49444154789c634833660000019c009a5b261d100000000049454e44ae426082";
constexpr std::string_view kDeepPng =
    "89504e470d0a1a0a0000000d4948445200000001000000011002000000c0e78f9d0000000f49444154789c63"
    "484b33366660000005ce013301c9f6800000000049454e44ae426082";

class VisibleShapes : public testing::Test {
 protected:
  // Returns the reflected part that a sensor at `from` measures when it looks along -z, 0.5 m above
  // the thing.
  double seen(const std::string& things, double x, double y,
              const std::string& version = "R2023b") {
    folder.write(
        "w.wbt",
        fmt::format("#VRML_SIM {} utf8\nWorldInfo {{ basicTimeStep 8 }}\n{}\n"
                    "Robot {{ name \"r\" translation {} {} 0.5 children [ DistanceSensor {{ "
                    "name \"d\" rotation 0 1 0 1.5707963267948966 type \"infra-red\" "
                    "lookupTable [ 0 0 0, 100 100 0 ] }} ] }}\n",
                    version, things, x, y));
    Simulation simulation((folder / "w.wbt").string());
    subjects.clear();
    messages.clear();
    for (const Diagnostic& diagnostic : simulation.diagnostics()) {
      subjects += diagnostic.missing ? diagnostic.missing->subject : "";
      messages += diagnostic.message + "\n";
    }
    BodySensor& sensor = simulation.robot(0).body_sensor("d");
    sensor.enable(8, 0.0);
    simulation.step();
    return 0.5 / sensor.values()[0];
  }
  double red(const std::string& things, double x, double y) {
    return 255.0 * (seen(things, x, y) - 0.2) / 0.8;
  }

  TempFolder folder;
  std::string subjects;  // the missing parts
  std::string messages;
};

constexpr double kNear = 1e-6;

// The picture on a plane of 2 m x 4 m has its left column at -x and its first row at +y.
TEST_F(VisibleShapes, HaveTheirPictureAsItLies) {
  folder.write("four.png", bytes_of(kPng));
  const auto plane = [](const std::string& more) {
    return "Solid { children Shape { appearance PBRAppearance { roughness 0 baseColorMap "
           "ImageTexture { url \"four.png\" } " +
           more + " } geometry Plane { size 2 4 } } }";
  };
  EXPECT_NEAR(red(plane(""), -0.5, 1.0), 255.0, kNear);
  EXPECT_NEAR(red(plane(""), 0.5, 1.0), 0.0, kNear);
  EXPECT_NEAR(red(plane(""), -0.5, -1.0), 51.0, kNear);
  EXPECT_NEAR(red(plane(""), 0.5, -1.0), 102.0, kNear);
  EXPECT_EQ(subjects, "");
  // First the picture has half of its size, a quarter of the area. Then it is moved by half of its
  // size.
  EXPECT_NEAR(red(plane("textureTransform TextureTransform { scale 2 2 }"), -0.75, 1.5), 255.0,
              kNear);
  EXPECT_NEAR(red(plane("textureTransform TextureTransform { scale 2 2 }"), -0.25, 0.5), 102.0,
              kNear);
  EXPECT_NEAR(red(plane("textureTransform TextureTransform { translation 0.5 0 }"), -0.5, 1.0), 0.0,
              kNear);
  EXPECT_NEAR(red(plane("baseColor 0.5 1 1 transparency 0.5"), -0.5, 1.0), 255.0 * 0.25, kNear);
  EXPECT_NEAR(seen(plane("roughnessMap ImageTexture { url \"four.png\" } occlusionMap ImageTexture "
                         "{ url \"four.png\" }"),
                   0.5, -1.0),
              0.2 + 0.8 * 0.4 * 0.8 * 0.8, kNear);
}

TEST_F(VisibleShapes, OfOldAppearancesHaveThePictureAlone) {
  folder.write("four.png", bytes_of(kPng));
  const std::string box =
      "Solid { translation 0 0 -0.5 children Shape { appearance Appearance { material Material { "
      "diffuseColor 0.1 0 0 } texture ImageTexture { url \"four.png\" } } geometry Box { size 2 2 "
      "1 } } }";
  EXPECT_NEAR(red(box, -0.5, 0.5), 255.0, kNear);
  EXPECT_NEAR(red(box, 0.5, -0.5), 102.0, kNear);
}

TEST_F(VisibleShapes, HaveThePlacesOfTheirFaces) {
  folder.write("four.png", bytes_of(kPng));
  const auto faces = [](const std::string& more) {
    return "Solid { children Shape { appearance PBRAppearance { baseColorMap ImageTexture { url "
           "\"four.png\" } } geometry IndexedFaceSet { coord Coordinate { point [ -1 -1 0, 1 -1 0, "
           "1 1 "
           "0, -1 1 0 ] } coordIndex [ 0 1 2 3 -1 ] " +
           more + " } } }";
  };
  // The picture is turned clockwise by a quarter turn, so its left column is at the top.
  const std::string places = faces(
      "texCoord TextureCoordinate { point [ 1 0, 1 1, 0 1, 0 0 ] } texCoordIndex [ 0 1 2 3 -1 ]");
  EXPECT_NEAR(red(places, 0.5, 0.5), 255.0, kNear);
  EXPECT_NEAR(red(places, 0.5, -0.5), 0.0, kNear);
  EXPECT_NEAR(red(places, -0.5, 0.5), 51.0, kNear);
  EXPECT_NEAR(red(places, -0.5, -0.5), 102.0, kNear);
  EXPECT_NEAR(red(faces(""), -0.5, 0.5), 255.0, kNear) << "spread over its box";
}

TEST_F(VisibleShapes, HaveJpegPicturesAndSayWhichCannotBeRead) {
  folder.write("red.jpg", bytes_of(kJpeg));
  const auto plane = [](const std::string& url) {
    return "Solid { children Shape { appearance PBRAppearance { baseColorMap ImageTexture { url "
           "\"" +
           url + "\" } } geometry Plane { } } }";
  };
  EXPECT_NEAR(red(plane("red.jpg"), 0.0, 0.0), 204.0, 3.0);  // JPEG rounds
  EXPECT_EQ(subjects, "");
  folder.write("cut.jpg", bytes_of(kJpeg).substr(0, 60));
  folder.write("cut.png", bytes_of(kPng).substr(0, 40));
  folder.write("text.png", "no picture");
  for (const char* url : {"cut.jpg", "cut.png", "text.png", "absent.png"}) {
    EXPECT_NEAR(red(plane(url), 0.0, 0.0), 255.0, kNear) << url;
    EXPECT_EQ(subjects, fmt::format("picture '{}'", url));
  }
  EXPECT_NEAR(red(plane("https://example.org/a.png"), 0.0, 0.0), 255.0, kNear);
  EXPECT_EQ(subjects, "picture 'https://example.org/a.png'");
  EXPECT_NEAR(red(plane("webots://projects/none/a.png"), 0.0, 0.0), 255.0, kNear);
  EXPECT_EQ(subjects, "picture 'webots://projects/none/a.png'");
}

// What a PNG file says about its gamma changes nothing, and its upper 8 bits of 16 count.
TEST_F(VisibleShapes, HaveTheBytesOfTheirPictures) {
  for (const std::string_view png : {kLinearPng, kDeepPng}) {
    folder.write("one.png", bytes_of(png));
    EXPECT_NEAR(red("Solid { children Shape { appearance PBRAppearance { baseColorMap ImageTexture "
                    "{ url \"one.png\" } } geometry Plane { } } }",
                    0.0, 0.0),
                102.0, kNear);
    EXPECT_EQ(subjects, "");
  }
}

// The numbers of Webots' test distance_sensor_infra-red without pens: sensors 65 mm above planes,
// with a table from 0…0.2 m to 0…2000. The picture is of the green that the second one sees.
TEST_F(VisibleShapes, GiveTheNumbersOfWebots) {
  const auto number = [this](const std::string& appearance) {
    folder.write("w.wbt",
                 "#VRML_SIM R2023b utf8\nWorldInfo { basicTimeStep 32 }\nSolid { children [ Shape "
                 "{ appearance " +
                     appearance +
                     " geometry Plane { } } ] }\nRobot { name \"r\" translation 0 0 0.065 children "
                     "[ DistanceSensor { name \"d\" rotation 0 1 0 1.5707963267948966 type "
                     "\"infra-red\" lookupTable [ 0 0 0, 0.2 2000 0 ] } ] }\n");
    Simulation simulation((folder / "w.wbt").string());
    BodySensor& sensor = simulation.robot(0).body_sensor("d");
    sensor.enable(32, 0.0);
    simulation.step();
    return sensor.values()[0];
  };
  EXPECT_NEAR(number("PBRAppearance { baseColor 0.729412 0.1 0.2 roughness 0.5 }"), 1019.3725,
              0.001);
  // One pixel with the colour 113 142 0.
  folder.write(
      "green.png",
      bytes_of(
          "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c49444154789c63"
          "28ec63000002730100338aa4cb0000000049454e44ae426082"));
  EXPECT_NEAR(number("Appearance { material Material { diffuseColor 0 1 0 } texture ImageTexture { "
                     "url \"green.png\" } }"),
              1172.206506, 0.001);
}

TEST_F(VisibleShapes, OfMeshFilesHaveThePlacesOfTheFile) {
  folder.write("four.png", bytes_of(kPng));
  const std::string corners = "v -1 -1 0\nv 1 -1 0\nv 1 1 0\nv -1 1 0\n";
  const auto mesh = [](const std::string& file) {
    return "Solid { children Shape { appearance PBRAppearance { baseColorMap ImageTexture { url "
           "\"four.png\" } } geometry Mesh { url \"" +
           file + "\" } } boundingObject Mesh { url \"" + file + "\" } }";
  };
  // The picture is turned clockwise by a quarter turn, as in HaveThePlacesOfTheirFaces.
  folder.write("turned.obj", corners + "vt 1 0\nvt 1 1\nvt 0 1\nvt 0 0\nf 1/1 2/2 3/3 4/4\n");
  EXPECT_NEAR(red(mesh("turned.obj"), 0.5, 0.5), 255.0, kNear);
  EXPECT_NEAR(red(mesh("turned.obj"), 0.5, -0.5), 0.0, kNear);
  EXPECT_NEAR(red(mesh("turned.obj"), -0.5, 0.5), 51.0, kNear);
  EXPECT_NEAR(red(mesh("turned.obj"), -0.5, -0.5), 102.0, kNear);
  folder.write("plain.obj", corners + "f 1 2 3 4\n");
  EXPECT_NEAR(red(mesh("plain.obj"), -0.5, 0.5), 255.0, kNear) << "spread over its box";
  EXPECT_NEAR(red(mesh("plain.obj"), 0.5, -0.5), 102.0, kNear);
  EXPECT_EQ(subjects, "");
  seen(
      "Solid { children Shape { appearance PBRAppearance { baseColorMap ImageTexture { url "
      "\"four.png\" } } geometry Mesh { url \"absent.obj\" } } }",
      0.0, 0.0);
  EXPECT_EQ(subjects, "mesh 'absent.obj'");
}

// This holds for each way in which a Shape gets its appearance. Without a sensor that measures the
// appearance, it does not affect motion.
TEST_F(VisibleShapes, WhoseAppearanceIsMissingAreIncomplete) {
  folder.write("protos/Panel.proto",
               "#VRML_SIM R2023b utf8\nPROTO Panel [ field SFNode panelAppearance Rust { } ] {\n"
               "Solid { children Shape { appearance IS panelAppearance geometry Plane { } } } }\n");
  const std::string solid = "Solid { children Shape { appearance ";
  for (const std::string& things : std::vector<std::string>{
           solid + "Rust { } geometry Plane { } } }",
           "Solid { children [ Shape { appearance DEF R Rust { } geometry Sphere { radius 1e-3 } } "
           "Shape { appearance USE R geometry Plane { } } ] }",
           "Panel { }", "Panel { panelAppearance Moss { } }", "Floor { appearance Moss { } }",
           "SolidBox { translation 0 0 -0.5 size 1 1 1 appearance Moss { } }"}) {
    EXPECT_NEAR(seen(things, 0.1, 0.2), 1.0, kNear) << things;
    EXPECT_TRUE(subjects.starts_with("appearance of a Shape")) << things << messages;
    EXPECT_NE(messages.find("' not found; it is left out, which acts on no motion"),
              std::string::npos)
        << messages;
  }
  for (const std::string& things :
       std::vector<std::string>{solid + "NULL geometry Plane { } } }",
                                "Panel { panelAppearance PBRAppearance { } }", "Floor { }"}) {
    seen(things, 0.1, 0.2);
    EXPECT_EQ(subjects, "") << things << messages;
  }
  folder.write("blind.wbt", "#VRML_SIM R2023b utf8\nWorldInfo { }\nPanel { }\n");
  const Simulation blind((folder / "blind.wbt").string());
  for (const Diagnostic& diagnostic : blind.diagnostics()) {
    EXPECT_FALSE(diagnostic.missing) << diagnostic.message;
  }
}

// The messages are those of meshes without a picture.
TEST_F(VisibleShapes, ThatAreInvalidAreReported) {
  folder.write("four.png", bytes_of(kPng));
  for (const char* look : {"", "baseColorMap ImageTexture { url \"four.png\" }"}) {
    for (const auto& [faces, fault] : std::vector<std::pair<std::string, std::string>>{
             {"point [ -1 -1 0, 1 -1 0, 1 1 0 ] } coordIndex [ 0 1 7 -1 ]", "out of range"},
             {"point [ -1 -1 0, 1 -1 0, 1e30 1 0 ] } coordIndex [ 0 1 2 -1 ]", "out of range"},
             {"point [ -1 -1 0, 1 -1 0 ] } coordIndex [ 0 1 -1 ]", "has no triangle"}}) {
      seen(fmt::format("Solid {{ children Shape {{ appearance PBRAppearance {{ {} }} geometry "
                       "IndexedFaceSet {{ coord Coordinate {{ {} }} }} }}",
                       look, faces),
           0.0, 0.0);
      EXPECT_EQ(subjects, "IndexedFaceSet of a boundingObject") << look << faces;
      EXPECT_NE(messages.find(fault), std::string::npos) << look << faces;
    }
  }
}

// What servosim draws these PROTOs with tells nothing about their colour.
TEST_F(VisibleShapes, OfOwnProtosLookAsTheWorldSays) {
  folder.write("four.png", bytes_of(kPng));
  const auto box = [](const std::string& more) {
    return "SolidBox { translation 0 0 -0.5 size 1 1 1 " + more + " }";
  };
  EXPECT_NEAR(seen(box(""), 0.0, 0.0), 1.0, kNear);
  const std::string dark = "appearance PBRAppearance { baseColor 0.25 1 1 roughness 0 }";
  EXPECT_NEAR(seen(box(dark), 0.0, 0.0), 0.4, kNear);
  EXPECT_NEAR(seen(box(dark + " enableBoundingObject FALSE"), 0.0, 0.0), 0.4, kNear);
  EXPECT_NEAR(seen("WoodenBox { translation 0 0 -0.3 mass 0 }", 0.0, 0.0), 1.0, kNear)
      << "a stand-in";
  // A colour that is a field of the PROTO is known. The ball falls for one step.
  EXPECT_NEAR(seen("Ball { translation 0 0 -0.0325 color 0.25 1 1 }", 0.0, 0.0), 0.4, 1e-3);
  EXPECT_NEAR(seen("RectangleArena { floorAppearance PBRAppearance { baseColor 0.5 0 0 } "
                   "wallAppearance PBRAppearance { baseColor 0 0 0 } }",
                   0.0, 0.0),
              0.6, kNear);
  // The picture has the size of a tile and repeats from the lower left corner of the floor.
  const auto floor = [](double x, double y) {
    return fmt::format(
        "RectangleArena {{ floorSize 3 2 floorTileSize {} {} floorAppearance "
        "PBRAppearance {{ baseColorMap ImageTexture {{ url \"four.png\" }} }} }}",
        x, y);
  };
  EXPECT_NEAR(red(floor(3, 2), -0.7, 0.5), 255.0, kNear);
  EXPECT_NEAR(red(floor(3, 2), 0.7, -0.5), 102.0, kNear);
  EXPECT_NEAR(red(floor(1, 1), -1.25, -0.75), 51.0, kNear);
  EXPECT_NEAR(red(floor(1, 1), -0.75, -0.25), 0.0, kNear);
  EXPECT_NEAR(red(floor(1, 1), 0.75, 0.75), 255.0, kNear);
}

TEST_F(VisibleShapes, OfOldWorldsHaveTheirPictureInTheirAxes) {
  folder.write("four.png", bytes_of(kPng));
  // y is up, x is to the right and -z is forward. The sensor looks down from above.
  folder.write("old.wbt",
               "#VRML_SIM R2019a utf8\nWorldInfo { basicTimeStep 8 }\n"
               "RectangleArena { floorSize 3 2 floorTileSize 3 2 floorAppearance PBRAppearance { "
               "baseColorMap ImageTexture { url \"four.png\" } } }\n"
               "Robot { name \"r\" translation 0.7 0.5 -0.5 children [ DistanceSensor { name \"d\" "
               "rotation 0 0 1 -1.5707963267948966 type \"infra-red\" lookupTable [ 0 0 0, 100 100 "
               "0 ] } ] }\n");
  Simulation simulation((folder / "old.wbt").string());
  BodySensor& sensor = simulation.robot(0).body_sensor("d");
  sensor.enable(8, 0.0);
  simulation.step();
  EXPECT_NEAR(0.5 / sensor.values()[0], 0.2, kNear) << "right and away: the pixel of red 0";
}

// The places of the unit forms are those in Webots' table.
TEST(PlaceInPicture, OfEachForm) {
  const auto place = [](PictureForm form, const Shape& shape, const Vec3& point) {
    PictureMapping mapping;
    mapping.form = form;
    mapping.size = {2.0, 3.0, 4.0};
    return place_in_picture(mapping, shape, point, -1);
  };
  const auto expect = [](const std::array<double, 2>& found, double u, double v) {
    EXPECT_NEAR(found[0], u, 1e-12);
    EXPECT_NEAR(found[1], v, 1e-12);
  };
  Shape box;
  box.type = ShapeType::Box;
  box.size = {2.0, 4.0, 8.0};
  expect(place(PictureForm::Box, box, {1.0, 1.0, 2.0}), 0.75, 0.25);
  expect(place(PictureForm::Box, box, {-1.0, 1.0, 2.0}), 0.25, 0.25);
  expect(place(PictureForm::Box, box, {0.5, 2.0, 2.0}), 0.25, 0.25);
  expect(place(PictureForm::Box, box, {0.5, -2.0, 2.0}), 0.75, 0.25);
  expect(place(PictureForm::Box, box, {0.5, 1.0, 4.0}), 0.75, 0.25);
  expect(place(PictureForm::Box, box, {0.5, 1.0, -4.0}), 0.75, 0.75);
  Shape round;
  round.radius = 2.0;
  round.height = 4.0;
  expect(place(PictureForm::Cylinder, round, {2.0, 0.0, 1.0}), 0.75, 0.25);
  expect(place(PictureForm::Cylinder, round, {1.0, 0.5, 2.0}), 0.75, 0.375);
  expect(place(PictureForm::Cylinder, round, {1.0, 0.5, -2.0}), 0.75, 0.625);
  expect(place(PictureForm::Capsule, round, {2.0, 0.0, 0.0}), 0.75, 0.5);
  expect(place(PictureForm::Capsule, round, {0.0, 0.0, 4.0}), 0.0 + 1.0, 0.0);
  expect(place(PictureForm::Sphere, round, {-2.0, 0.0, 0.0}), 0.25, 0.5);
  expect(place(PictureForm::Sphere, round, {0.0, -2.0, 0.0}), 0.5, 0.5);
}

}  // namespace visible_shapes_test
}  // namespace servosim::test
