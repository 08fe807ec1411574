// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "wbt/proto/proto.h"
#include "wbt/test_support.h"

namespace servosim::wbt::test {
namespace {

const std::vector<NodePtr>& shapes(const Node& arena) {
  return arena.node("boundingObject")->nodes("children");
}

TEST(BuiltinProtos, FloorIsAPlane) {
  const ReadWorld w = read_body(
      "Floor { translation 2 3 4 name \"ground\" contactMaterial \"grass\" size 5 6 tileSize 2 2 "
      "}");
  EXPECT_EQ(w.faults(), Messages{});
  EXPECT_EQ(w.node().type->name, "Solid");
  EXPECT_EQ(w.node().proto.name, "Floor");
  EXPECT_EQ(w.node().vec3("translation"), (Vec3{2, 3, 4}));
  EXPECT_EQ(w.node().string("name"), "ground");
  EXPECT_EQ(w.node().string("contactMaterial"), "grass");
  EXPECT_EQ(w.node().node("physics"), nullptr);
  ASSERT_EQ(shapes(w.node()).size(), 1u);
  EXPECT_EQ(std::get<Vec2>(shapes(w.node())[0]->value("size")), (Vec2{5, 6}));
  EXPECT_EQ(w.node().version, (Version{2021, 1, 0}));
}

TEST(BuiltinProtos, WallsStandOutsideTheFloor) {
  const char* body = "RectangleArena { floorSize 4 6 wallThickness 0.5 wallHeight 0.25 }";
  const ReadWorld z_up = read_body(body, "R2025a");
  EXPECT_EQ(z_up.faults(), Messages{});
  ASSERT_EQ(shapes(z_up.node()).size(), 5u);
  const Node& east = *shapes(z_up.node())[1];
  EXPECT_EQ(east.type->name, "Pose");
  EXPECT_EQ(east.vec3("translation"), (Vec3{2.25, 0, 0.125}));
  EXPECT_EQ(east.nodes("children")[0]->vec3("size"), (Vec3{0.5, 6, 0.25}));
  const Node& north = *shapes(z_up.node())[3];
  EXPECT_EQ(north.vec3("translation"), (Vec3{0, 3.25, 0.125}));
  EXPECT_EQ(north.nodes("children")[0]->vec3("size"), (Vec3{5, 0.5, 0.25}));

  const ReadWorld y_up = read_body(body, "R2020a");
  const Node& south = *shapes(y_up.node())[3];
  EXPECT_EQ(south.type->name, "Transform");
  EXPECT_EQ(south.vec3("translation"), (Vec3{0, 0.125, 3.25}));
  EXPECT_EQ(south.nodes("children")[0]->vec3("size"), (Vec3{5, 0.25, 0.5}));
}

TEST(BuiltinProtos, WallsWithoutHeightAreNone) {
  EXPECT_EQ(shapes(read_body("SquareArena { wallHeight 0 }").node()).size(), 1u);
}

// The inner faces touch the circle: each centre is half a thickness outside of it. The boxes are
// long enough to meet at the outer corners.
TEST(BuiltinProtos, CircleArenaIsARing) {
  for (const char* version : {"R2020a", "R2025a"}) {
    const ReadWorld w = read_body(
        "CircleArena { radius 3 wallThickness 0.5 wallHeight 0.25 subdivision 8 }", version);
    EXPECT_EQ(w.faults(), Messages{});
    ASSERT_EQ(shapes(w.node()).size(), 9u);
    const bool z_up = geometry_axis_is_z(w.file.version);
    for (int i = 0; i < 8; ++i) {
      const Node& wall = *shapes(w.node())[static_cast<std::size_t>(i) + 1];
      const Vec3 centre = wall.vec3("translation");
      EXPECT_NEAR(z_up ? centre.z : centre.y, 0.125, 1e-15);
      EXPECT_NEAR(std::hypot(centre.x, z_up ? centre.y : centre.z), 3.25, 1e-14);
      const Vec3 outward = rotation_matrix(wall.rotation("rotation")) * Vec3{1, 0, 0};
      const Vec3 flat = z_up ? Vec3{centre.x, centre.y, 0} : Vec3{centre.x, 0, centre.z};
      EXPECT_NEAR(dot(outward, flat), 3.25, 1e-14) << i;
      const Vec3 size = wall.nodes("children")[0]->vec3("size");
      EXPECT_EQ(size.x, 0.5);
      EXPECT_NEAR(z_up ? size.y : size.z, 7.0 * std::tan(std::acos(-1.0) / 8.0), 1e-14);
    }
  }
}

TEST(BuiltinProtos, SolidBoxIsABoxThatMayMove) {
  const ReadWorld w = read_body(
      "SolidBox { translation 2 3 4 name \"crate\" contactMaterial \"wood\" size 5 6 7 "
      "appearance PBRAppearance { } physics Physics { mass 8 density -1 } }",
      "R2025a");
  EXPECT_EQ(w.faults(), Messages{});
  EXPECT_EQ(w.node().vec3("translation"), (Vec3{2, 3, 4}));
  EXPECT_EQ(w.node().string("name"), "crate");
  EXPECT_EQ(w.node().string("contactMaterial"), "wood");
  ASSERT_NE(w.node().node("physics"), nullptr);
  EXPECT_EQ(w.node().node("physics")->number("mass"), 8.0);
  const Node& pose = *shapes(w.node()).at(0);
  EXPECT_EQ(pose.vec3("translation"), Vec3{});
  EXPECT_EQ(pose.nodes("children")[0]->vec3("size"), (Vec3{5, 6, 7}));
}

TEST(BuiltinProtos, SolidBoxStandsOnTheGroundWhereNothingIsSaid) {
  const ReadWorld z_up = read_body("SolidBox { }", "R2025a");
  EXPECT_EQ(z_up.node().vec3("translation"), (Vec3{0, 0, 1}));
  EXPECT_EQ(z_up.node().string("name"), "box");
  EXPECT_EQ(z_up.node().node("physics"), nullptr);
  EXPECT_EQ(read_body("SolidBox { }", "R2020a").node().vec3("translation"), (Vec3{0, 1, 0}));
}

TEST(BuiltinProtos, WallStandsOnItsPlace) {
  const ReadWorld z_up = read_body("Wall { translation 5 6 7 }", "R2025a");
  EXPECT_EQ(z_up.faults(), Messages{});
  EXPECT_EQ(z_up.node().vec3("translation"), (Vec3{5, 6, 7}));
  EXPECT_EQ(z_up.node().string("name"), "wall");
  const Node& wall = *shapes(z_up.node()).at(0);
  EXPECT_EQ(wall.vec3("translation"), (Vec3{0, 0, 1.2}));
  EXPECT_EQ(wall.nodes("children")[0]->vec3("size"), (Vec3{0.2, 1, 2.4}));

  const ReadWorld y_up = read_body("Wall { size 3 4 5 }", "R2020a");
  const Node& old = *shapes(y_up.node()).at(0);
  EXPECT_EQ(old.vec3("translation"), (Vec3{0, 2, 0}));
  EXPECT_EQ(old.nodes("children")[0]->vec3("size"), (Vec3{3, 4, 5}));
}

TEST(BuiltinProtos, SolidBoxCollidesUnlessItIsToldNotTo) {
  const ReadWorld w =
      read_body("SolidBox { enableBoundingObject FALSE physics Physics { } }", "R2025a");
  EXPECT_EQ(w.faults(), Messages{});
  EXPECT_EQ(w.node().node("boundingObject"), nullptr);
  EXPECT_NE(w.node().node("physics"), nullptr);
}

// For each stand-in the world reports once what it is and how it differs.
TEST(BuiltinProtos, SayThatTheyAreStandIns) {
  for (const char* name : {"Floor", "RectangleArena", "SquareArena", "CircleArena", "SolidBox",
                           "Wall", "UnevenTerrain"}) {
    const std::string node = std::string(name) + " { name \"1\" }\n";
    const ReadWorld w = read_body(node + node, "R2025a");
    ASSERT_EQ(w.messages.size(), 1u) << name;
    EXPECT_TRUE(w.messages[0].starts_with("2:1: info: PROTO '" + std::string(name) +
                                          "' not found: the stand-in of servosim is used ("))
        << w.messages[0];
    EXPECT_NE(w.messages[0].find("); it lacks: "), std::string::npos) << w.messages[0];
    const bool has_other_hills =
        w.messages[0].find("whose noise is not known") != std::string::npos;
    EXPECT_EQ(has_other_hills, std::string(name) == "UnevenTerrain") << w.messages[0];
  }
}

TEST(BuiltinProtos, UnevenTerrainIsAGridOfItsSize) {
  for (const bool z_up : {true, false}) {
    const ReadWorld w =
        read_body(z_up ? "UnevenTerrain { size 20 30 4 xDimension 11 yDimension 16 randomSeed 3 }"
                       : "UnevenTerrain { size 20 4 30 xDimension 11 zDimension 16 randomSeed 3 }",
                  z_up ? "R2025a" : "R2020a");
    EXPECT_EQ(w.faults(), Messages{});
    const Node& pose = *shapes(w.node()).at(0);
    EXPECT_EQ(pose.vec3("translation"), (z_up ? Vec3{-10, -15, 0} : Vec3{-10, 0, -15}));
    const Node& grid = *pose.nodes("children")[0];
    EXPECT_EQ(grid.integer("xDimension"), 11);
    EXPECT_EQ(grid.number("xSpacing"), 2.0);
    EXPECT_EQ(grid.integer(z_up ? "yDimension" : "zDimension"), 16);
    EXPECT_EQ(grid.number(z_up ? "ySpacing" : "zSpacing"), 2.0);
    const std::vector<double>& heights = grid.numbers("height");
    EXPECT_EQ(heights.size(), 11u * 16u);
    EXPECT_EQ(*std::min_element(heights.begin(), heights.end()), 0.0);
    EXPECT_EQ(*std::max_element(heights.begin(), heights.end()), 4.0);
  }
}

TEST(BuiltinProtos, UnevenTerrainDependsOnItsSeed) {
  const auto heights = [](const std::string& fields) {
    const ReadWorld w = read_body("UnevenTerrain { " + fields + " }", "R2025a");
    EXPECT_EQ(w.faults(), Messages{}) << fields;
    return shapes(w.node()).at(0)->nodes("children")[0]->numbers("height");
  };
  EXPECT_EQ(heights("").size(), 2500u);
  EXPECT_EQ(heights("randomSeed 1 perlinNOctaves 3"), heights(""));
  EXPECT_NE(heights("randomSeed 2"), heights(""));
  EXPECT_NE(heights("perlinNOctaves 1"), heights(""));
}

// The reader of ElevationGrids reports these errors.
TEST(BuiltinProtos, UnevenTerrainThatCannotBeHasNoHeights) {
  for (const char* fields : {"xDimension 1", "yDimension -2147483648", "xDimension 0",
                             "xDimension 2000000000 yDimension 2000000000"}) {
    const ReadWorld w = read_body("UnevenTerrain { " + std::string(fields) + " }", "R2025a");
    EXPECT_EQ(w.faults(), Messages{}) << fields;
    EXPECT_EQ(shapes(w.node()).at(0)->nodes("children")[0]->numbers("height").size(), 0u);
  }
}

// The geometries and their places are the same. Floors differ from walls by their colour.
TEST(BuiltinProtos, ShowWhatTheyAre) {
  for (const char* version : {"V6.0", "R2021b", "R2025a"}) {
    for (const char* name :
         {"Floor", "RectangleArena", "CircleArena", "SolidBox", "Wall", "UnevenTerrain"}) {
      const ReadWorld w = read_body(std::string(name) + " { }", version);
      const std::vector<NodePtr>& seen = w.node().nodes("children");
      ASSERT_EQ(seen.size(), shapes(w.node()).size()) << name;
      std::uint32_t nodes = 2 + shapes(w.node()).size();  // the Solid, its Group and what they hold
      for (std::size_t i = 0; i < seen.size(); ++i) {
        const NodePtr& touched = shapes(w.node())[i];
        const bool posed = touched->has("children");
        const Node& shape = posed ? *seen[i]->nodes("children")[0] : *seen[i];
        if (posed) {
          EXPECT_EQ(seen[i]->vec3("translation"), touched->vec3("translation"));
          EXPECT_EQ(seen[i]->rotation("rotation"), touched->rotation("rotation"));
        }
        const NodePtr& geometry = posed ? touched->nodes("children")[0] : touched;
        EXPECT_EQ(shape.node("geometry"), geometry);
        const Node& looks = *shape.node("appearance");
        EXPECT_EQ(looks.number("metalness"), 0.0);
        EXPECT_GT(looks.number("roughness"), 0.0);
        const bool is_floor =
            geometry->type->name == "Plane" || geometry->type->name == "ElevationGrid";
        EXPECT_EQ(looks.vec3("baseColor") == (Vec3{0.55, 0.6, 0.55}), is_floor);
        nodes += posed ? 5 : 3;  // Shape, appearance and geometry; with a Pose also the Pose and a
                                 // second geometry
      }
      EXPECT_EQ(w.node().expanded, nodes) << name;
      EXPECT_LE(w.node().height, 4u);
    }
  }
}

TEST(BuiltinProtos, UnknownParametersAreReported) {
  EXPECT_EQ(read_body("RectangleArena { floorColor 2 3 4 }").faults(),
            (Messages{"2:18: warning: unknown field 'floorColor' in RectangleArena (skipped)"}));
  const ReadWorld w = read_body("UnevenTerrain { flatness 0.5 } Wall { door TRUE }", "R2025a");
  EXPECT_EQ(w.faults(),
            (Messages{"2:17: warning: unknown field 'flatness' in UnevenTerrain (skipped)",
                      "2:39: warning: unknown field 'door' in Wall (skipped)"}));
  EXPECT_EQ(w.file.nodes.size(), 2u);
}

TEST(BuiltinProtos, AProjectsOwnProtoWins) {
  const TemporaryProject project;
  project.write("protos/Floor.proto", "PROTO Floor [ ] { Solid { name \"mine\" } }");
  EXPECT_EQ(project.read("Floor { }").node().string("name"), "mine");
  project.write("protos/Wall.proto", "PROTO Wall [ ] { Solid { name \"%<= 'too' >%\" } }");
  EXPECT_EQ(project.read("Wall { }").node().string("name"), "too");
}

TEST(BuiltinProtos, TakeThePlaceOfABrokenProto) {
  const TemporaryProject project;
  project.write("protos/Floor.proto", "\nPROTO Floor [ field ]");
  const ReadWorld w = project.read("Floor { } Floor { }");
  EXPECT_EQ(w.faults(), (Messages{"Floor.proto:1:1: warning: PROTO 'Floor' cannot be used (" +
                                  project.path("protos/Floor.proto:2:21: ") +
                                  "expected the type of a field of PROTO Floor, found ']'); "
                                  "the built-in PROTO is used instead"}));
  EXPECT_EQ(w.file.nodes.size(), 2u);
  EXPECT_TRUE(w.file.lost.empty());
}

TEST(BuiltinProtos, DoNotTakeThePlaceOfAProtoThatUsesItself) {
  const TemporaryProject project;
  project.write("protos/Floor.proto", "PROTO Floor [ ] { Group { children Floor { } } }");
  const ReadWorld w = project.read("Floor { } Floor { }");
  EXPECT_TRUE(w.file.nodes.empty());
  EXPECT_EQ(w.errors, 0u);
}

}  // namespace
}  // namespace servosim::wbt::test
