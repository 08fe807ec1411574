// SPDX-License-Identifier: Apache-2.0
// Bounding objects as shapes of the scene.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/scenes.h"
#include "wbt/schema/node_types.h"

namespace servosim::test {
namespace scene_shapes_test {

constexpr double kRounding = 1e-14;  // for a few products of numbers below 10

void expect_near(const Vec3& a, const Vec3& b) {
  EXPECT_NEAR(a.x, b.x, kRounding);
  EXPECT_NEAR(a.y, b.y, kRounding);
  EXPECT_NEAR(a.z, b.z, kRounding);
}

LoadedScene solid(const std::string& bounding_object, const std::string& version = "R2023b") {
  return load_scene("Solid { boundingObject " + bounding_object + " }", version);
}

std::vector<Shape> shapes(const std::string& bounding_object,
                          const std::string& version = "R2023b") {
  const LoadedScene loaded = solid(bounding_object, version);
  EXPECT_EQ(loaded.messages, Messages{}) << bounding_object;
  return loaded.scene.solids.at(0).shapes;
}

TEST(Shapes, HaveTheirSizes) {
  const std::vector<Shape> all = shapes(R"(Group { children [
    Box { size 2 3 4 } Sphere { radius 0.5 } Cylinder { radius 0.25 height 6 }
    Capsule { radius 0.125 height 7 } Shape { geometry Box { size 5 6 7 } } Plane { } ] })");
  ASSERT_EQ(all.size(), 6u);
  EXPECT_EQ(all[0].size, (Vec3{2, 3, 4}));
  EXPECT_EQ(all[1].radius, 0.5);
  EXPECT_EQ(all[2].type, ShapeType::Cylinder);
  EXPECT_EQ(all[2].height, 6.0);
  EXPECT_EQ(all[3].type, ShapeType::Capsule);
  EXPECT_EQ(all[3].radius, 0.125);
  EXPECT_EQ(all[4].size, (Vec3{5, 6, 7}));
  EXPECT_EQ(all[5].type, ShapeType::Plane);
}

TEST(Shapes, HaveThePosesAboveThem) {
  const std::vector<Shape> all = shapes(R"(Pose {
    translation 2 0 0 rotation 0 0 1 1.5707963267948966
    children [ Group { children [ Pose { translation 3 0 0 children [ Box { } ] } Sphere { } ] } ] })");
  ASSERT_EQ(all.size(), 2u);
  expect_near(all[0].pose * Vec3{1, 0, 0}, {2, 4, 0});
  expect_near(all[1].pose.translation, {2, 0, 0});
}

TEST(Shapes, UsedTwiceAreTwo) {
  const std::vector<Shape> all = shapes(R"(Group { children [
    Pose { translation 2 0 0 children [ DEF B Box { size 2 3 4 } ] }
    Pose { translation 5 0 0 children [ USE B ] } ] })");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[1].size, (Vec3{2, 3, 4}));
  EXPECT_EQ(all[1].pose.translation.x, 5.0);
}

TEST(Shapes, OfOldFilesAreScaled) {
  const LoadedScene loaded = load_scene(
      "Solid { scale 2 2 2 boundingObject Transform { translation 1.5 0 0 scale 3 3 3 children [ "
      "Group { children [ Box { size 0.5 0.25 1 } Cylinder { radius 0.5 height 0.25 } Sphere { "
      "radius 0.125 } ] } ] } }",
      "R2021b");
  EXPECT_EQ(loaded.messages, Messages{});
  const std::vector<Shape>& all = loaded.scene.solids.at(0).shapes;
  ASSERT_EQ(all.size(), 3u);
  expect_near(all[0].size, {3, 1.5, 6});
  expect_near(all[0].pose.translation, {3, 0, 0});
  EXPECT_EQ(all[1].radius, 3.0);
  EXPECT_EQ(all[1].height, 1.5);
  EXPECT_EQ(all[2].radius, 0.75);
}

// The release R2023b has no such field, but its nightly versions had it.
TEST(Shapes, AreScaledBySolidsUntilR2023b) {
  const std::string text = "Solid { scale 0.5 0.5 0.5 boundingObject Box { size 2 4 6 } }";
  for (const char* version : {"R2022b", "R2023a", "R2023b"}) {
    const LoadedScene loaded = load_scene(text, version);
    EXPECT_EQ(loaded.messages, Messages{}) << version;
    EXPECT_EQ(loaded.scene.solids.at(0).shapes.at(0).size, (Vec3{1, 2, 3})) << version;
  }
  EXPECT_EQ(load_scene(text, "R2025a").messages.size(), 1u);
}

TEST(Shapes, OfOldFilesHaveYAsTheirAxis) {
  for (const char* version : {"V6.0", "R2021b"}) {
    for (const char* type : {"Cylinder { }", "Capsule { }", "Plane { }"}) {
      expect_near(shapes(type, version).at(0).pose.rotation * Vec3{0, 0, 1}, {0, 1, 0});
    }
    EXPECT_EQ(shapes("Box { }", version).at(0).pose.rotation, Mat3{});
  }
  EXPECT_EQ(shapes("Cylinder { }", "R2022a").at(0).pose.rotation, Mat3{});
}

// A square pyramid with one polygon of four corners and four polygons of three corners.
constexpr const char* kPyramid =
    "coord Coordinate { point [ 1 1 0, -1 1 0, -1 -1 0, 1 -1 0, 0 0 2 ] } "
    "coordIndex [ 3 2 1 0 -1 0 1 4 -1 1 2 4 -1 2 3 4 -1 3 0 4 ]";

TEST(Meshes, ArePolygonsCutIntoTriangles) {
  const std::vector<Shape> all = shapes("IndexedFaceSet { " + std::string(kPyramid) + " }");
  ASSERT_EQ(all.size(), 1u);
  const Mesh& mesh = *all[0].mesh;
  EXPECT_EQ(mesh.vertices.size(), 5u);
  ASSERT_EQ(mesh.triangles.size(), 6u);
  EXPECT_EQ(mesh.triangles[0], (std::array<std::uint32_t, 3>{3, 2, 1}));
  EXPECT_EQ(mesh.triangles[1], (std::array<std::uint32_t, 3>{3, 1, 0}));
  EXPECT_EQ(mesh.triangles[5], (std::array<std::uint32_t, 3>{3, 0, 4}));
}

TEST(Meshes, WithClockwisePolygonsAreReversed) {
  const std::vector<Shape> all =
      shapes("IndexedFaceSet { ccw FALSE " + std::string(kPyramid) + " }");
  EXPECT_EQ(all.at(0).mesh->triangles.at(0), (std::array<std::uint32_t, 3>{3, 1, 2}));
}

TEST(Meshes, AreScaledToo) {
  const LoadedScene loaded = load_scene(
      "Solid { scale 2 2 2 boundingObject IndexedFaceSet { " + std::string(kPyramid) + " } }",
      "R2021b");
  EXPECT_EQ(loaded.scene.solids.at(0).shapes.at(0).mesh->vertices.at(4), (Vec3{0, 0, 4}));
}

// Returns the messages about a mesh with these points and indices, which must be left out.
Messages messages_about(const std::string& points, const std::string& indices) {
  const LoadedScene loaded =
      load_scene("Solid { boundingObject\nIndexedFaceSet { coord Coordinate { point [ " + points +
                 " ] } coordIndex [ " + indices + " ] } }");
  EXPECT_TRUE(loaded.scene.solids.at(0).shapes.empty());
  return loaded.messages;
}

TEST(Meshes, ThatAreInvalidAreLeftOut) {
  const Messages out_of_range{
      "3:1: warning: IndexedFaceSet has an index or a point that is out of range; it is left out"};
  EXPECT_EQ(messages_about("1 1 0, 2 3 0, 0 0 2", "0 1 3 -1"), out_of_range);
  EXPECT_EQ(messages_about("1 1 0, 2 3 0, 0 0 2", "0 -2 2 -1"), out_of_range);
  EXPECT_EQ(messages_about("1 1 0, 1e9 3 0, 0 0 2", "0 1 2"), out_of_range);
  const Messages empty{"3:1: warning: IndexedFaceSet has no triangle; it is left out"};
  EXPECT_EQ(messages_about("", ""), empty);
  EXPECT_EQ(messages_about("1 1 0, 2 2 0, 3 3 0", "0 1 2 -1"), empty) << "all on one line";
  EXPECT_EQ(messages_about("1 1 0, 2 3 0", "0 1 -1"), empty);
}

TEST(Shapes, WithoutASizeAreReported) {
  const char* bad[] = {"Box { size 2 0 3 }", "Box { size 2 -4 3 }", "Sphere { radius -0.5 }",
                       "Cylinder { height 0 }", "Capsule { radius -2 }"};
  for (const char* shape : bad) {
    const LoadedScene loaded = load_scene("Solid { boundingObject\n" + std::string(shape) + " }");
    ASSERT_EQ(loaded.messages.size(), 1u) << shape;
    EXPECT_EQ(loaded.messages[0],
              "3:1: warning: " + std::string(shape, std::string_view(shape).find(' ')) +
                  " has a size that is not a positive number; it touches nothing and weighs 1 kg");
    EXPECT_TRUE(loaded.scene.solids.at(0).shapes.at(0).degenerate);
  }
}

// Nodes that a boundingObject may contain, and what is used instead of others.
struct Rule {
  const char* type;
  const char* instead;  // null if the node is accepted
};

constexpr const char* kPrimitives =
    "use Box, Sphere, Cylinder, Capsule, Plane, ElevationGrid, IndexedFaceSet or Mesh";
constexpr const char* kGroups = "use a Group or a Pose of shapes";
constexpr Rule kRules[] = {
    {"Box", nullptr},
    {"Capsule", nullptr},
    {"Cone", "use a Cylinder, a Capsule or an IndexedFaceSet"},
    {"Cylinder", nullptr},
    {"ElevationGrid", nullptr},
    {"IndexedFaceSet", nullptr},
    {"IndexedLineSet", kPrimitives},
    {"Mesh", nullptr},
    {"Plane", nullptr},
    {"PointSet", kPrimitives},
    {"Sphere", nullptr},
    {"Shape", nullptr},
    {"Group", nullptr},
    {"Pose", nullptr},
    {"Transform", nullptr},
    {"CadShape", "use a Mesh with this url"},
    {"Skin", kPrimitives},
    {"Appearance", kPrimitives},
    {"Billboard", kGroups},
    {"Slot", kGroups},
    {"Solid", kGroups},
    {"TouchSensor", kGroups},
};

const Rule* rule_of(std::string_view type) {
  const auto* rule = std::find_if(std::begin(kRules), std::end(kRules),
                                  [&](const Rule& r) { return r.type == type; });
  return rule == std::end(kRules) ? nullptr : rule;
}

TEST(Shapes, OfEveryKindOfGeometryHaveARule) {
  int geometries = 0;
  for (const wbt::NodeType& type : wbt::all_node_types()) {
    if (type.base == "Geometry") {
      ++geometries;
      EXPECT_NE(rule_of(type.name), nullptr) << type.name;
    }
  }
  EXPECT_EQ(geometries, 11);
}

TEST(Shapes, ThatWebotsAllowsNowhereAreLeftOut) {
  for (const auto& [type, substitute] : kRules) {
    const char* const instead = substitute;  // a lambda cannot capture a structured binding
    for (const char* around : {"{} {{ }}", "Group {{ children [ {} {{ }} ] }}"}) {
      const LoadedScene loaded = solid(fmt::format(fmt::runtime(around), type), "R2025a");
      const std::string refusal =
          fmt::format("Webots allows no {} in a boundingObject, so it is left out; {}", type,
                      instead == nullptr ? "" : instead);
      const bool refused = std::any_of(
          loaded.messages.begin(), loaded.messages.end(), [&](const std::string& message) {
            return message.find(instead == nullptr ? "Webots allows no" : refusal) !=
                   std::string::npos;
          });
      EXPECT_EQ(refused, instead != nullptr) << type;
      if (refused) {
        EXPECT_EQ(loaded.messages.size(), 1u);
        EXPECT_TRUE(loaded.scene.solids.at(0).shapes.empty());
      }
    }
  }
}

TEST(Shapes, MayBeNestedInEveryWay) {
  for (const char* nest : {"Shape { geometry Box { } }", "Group { children [ Box { } ] }",
                           "Pose { children [ Shape { geometry Box { } } ] }",
                           "Group { children [ Pose { children [ Group { children [ Pose { "
                           "children [ Box { } ] } ] } ] } ] }",
                           "Transform { children [ Box { } ] }"}) {
    EXPECT_EQ(shapes(nest, "R2025a").size(), 1u) << nest;
  }
}

TEST(Shapes, InAShapeFollowTheSameRule) {
  EXPECT_EQ(solid("Shape { geometry\nCone { } }").messages,
            Messages{"3:1: warning: Webots allows no Cone in a boundingObject, so it is left out; "
                     "use a Cylinder, a Capsule or an IndexedFaceSet"});
  EXPECT_EQ(solid("Group { children\nShape { } }").messages,
            Messages{"3:1: warning: Shape without a geometry touches nothing"});
}

TEST(Shapes, AreNotScaledFromR2023bOn) {
  const std::string transform =
      "Group { children\nTransform { scale 2 3 4 children [ Box { size 1 1 1 } ] } }";
  EXPECT_EQ(shapes(transform, "R2023a").at(0).size, (Vec3{2, 3, 4}));
  EXPECT_EQ(
      solid(transform).messages,
      Messages{"3:1: warning: Webots allows no stretched Transform in a boundingObject, so it "
               "is left out; use a Pose, and shapes of the size they shall have"});
}

}  // namespace scene_shapes_test
}  // namespace servosim::test
