// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/near.h"
#include "support/scenes.h"

namespace servosim::test {
namespace {

std::vector<Shape> shapes(const std::string& bounding_object, const std::string& version) {
  const LoadedScene loaded =
      load_scene("Solid { boundingObject " + bounding_object + " }", version);
  EXPECT_EQ(loaded.messages, Messages{}) << bounding_object;
  return loaded.scene.solids.at(0).shapes;
}

// Returns point (i, j) of the grid in the Solid's frame.
Vec3 point(const Shape& shape, int i, int j) {
  const Grid& g = *shape.grid;
  return shape.pose * Vec3{i * g.dx, j * g.dy, g.heights[i + std::size_t(j) * g.columns]};
}

TEST(ElevationGrids, HaveHeightsAlongZ) {
  const Shape s = shapes(
                      "Pose { translation 5 6 7 children [ ElevationGrid { xDimension 3 xSpacing "
                      "0.5 yDimension 2 "
                      "ySpacing 0.25 thickness 2.5 height [ 0.1 0.2 0.3, 0.4 0.5 0.6 ] } ] }",
                      "R2023b")
                      .at(0);
  EXPECT_EQ(s.type, ShapeType::Grid);
  EXPECT_EQ(s.grid->columns, 3);
  EXPECT_EQ(s.grid->rows, 2);
  EXPECT_EQ(s.grid->thickness, 2.5);
  expect_near(point(s, 2, 0), {6, 6, 7.3});
  expect_near(point(s, 0, 1), {5, 6.25, 7.4});
}

TEST(ElevationGrids, OfOldFilesHaveHeightsAlongY) {
  const Shape s = shapes(
                      "ElevationGrid { xDimension 3 xSpacing 0.5 zDimension 2 zSpacing 0.25 "
                      "height [ 0.1 0.2 0.3, 0.4 0.5 0.6 ] }",
                      "R2021b")
                      .at(0);
  // The rows of the file are those of the Grid in reverse order.
  expect_near(point(s, 2, 1), {1, 0.3, 0});
  expect_near(point(s, 0, 0), {0, 0.4, 0.25});
  expect_near(point(s, 1, 0), {0.5, 0.5, 0.25});
}

TEST(ElevationGrids, OfOldFilesAreScaled) {
  const LoadedScene loaded = load_scene(
      "Solid { scale 2 3 4 boundingObject ElevationGrid { xDimension 2 xSpacing 0.5 zDimension 2 "
      "zSpacing 0.25 height [ 0.1 0.2, 0.3 0.4 ] } }",
      "R2021b");
  const Shape& s = loaded.scene.solids.at(0).shapes.at(0);
  expect_near(point(s, 1, 0), {1, 1.2, 1});
}

struct Bad {
  const char* fields;
  const char* message;
  bool left_out;
};

TEST(ElevationGrids, ThatAreInvalidAreReported) {
  const Bad cases[] = {
      {"", "ElevationGrid is left out: its 0 x 0 points are less than 2 in a direction", true},
      {"xDimension 2 yDimension -5",
       "ElevationGrid is left out: its 2 x -5 points are less than 2 in a direction", true},
      {"xDimension 2 yDimension 2 xSpacing 0",
       "ElevationGrid is left out: its spacing 0 x 1 or its extent 0 x 1 is not between 0 and 1e6 "
       "m",
       true},
      {"xDimension 2 yDimension 2 ySpacing -2 height [ 2 3 4 5 ]",
       "ElevationGrid is left out: its spacing 1 x -2 or its extent 1 x -2 is not between 0 and "
       "1e6 m",
       true},
      {"xDimension 5000 yDimension 2 xSpacing 1000",
       "ElevationGrid is left out: its spacing 1000 x 1 or its extent 4999000 x 1 is not between 0 "
       "and 1e6 m",
       true},
      {"xDimension 1000000000 yDimension 1000000000 xSpacing 1e-6 ySpacing 1e-6",
       "ElevationGrid is left out: 1000000000000000000 points are too many for 0 heights", true},
      {"xDimension 2000 yDimension 2000 height [ 2 3 ]",
       "ElevationGrid is left out: 4000000 points are too many for 2 heights", true},
      {"xDimension 2 yDimension 2 height [ 2 3 4 1e9 ]",
       "ElevationGrid is left out: a height is not between -1e6 and 1e6 m", true},
      {"xDimension 2 yDimension 2 height [ 2 3 4 ]",
       "height has 3 values for 2 x 2 points; 0 is used for those left out", false},
      {"xDimension 2 yDimension 2 height [ 2 3 4 5 6 ]",
       "height has 5 values for 2 x 2 points; the last ones are not used", false},
      {"xDimension 2 yDimension 2 height [ 2 3 4 5 ] thickness -3",
       "thickness is -3, but it must be >= 0; 3 is used", false},
  };
  for (const Bad& bad : cases) {
    const LoadedScene loaded =
        load_scene(fmt::format("Solid {{ boundingObject\nElevationGrid {{ {} }} }}", bad.fields));
    ASSERT_EQ(loaded.messages.size(), 1u) << bad.fields;
    // The column is that of the field or of the node.
    EXPECT_EQ(loaded.messages[0].substr(loaded.messages[0].find("warning: ")),
              fmt::format("warning: {}", bad.message));
    EXPECT_EQ(loaded.scene.solids.at(0).shapes.empty(), bad.left_out) << bad.fields;
  }
}

TEST(ElevationGrids, AreFlatWhereHeightsAreMissing) {
  const LoadedScene loaded = load_scene(
      "Solid { boundingObject ElevationGrid { xDimension 2 yDimension 2 height [ 2 3 4 ] } }");
  EXPECT_EQ(loaded.scene.solids.at(0).shapes.at(0).grid->heights,
            (std::vector<double>{2, 3, 4, 0}));
}

}  // namespace
}  // namespace servosim::test
