// SPDX-License-Identifier: Apache-2.0
// RangeFinder and Lidar in worlds.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scene/scene_builder.h"
#include "servosim/ranging_sensor.h"
#include "servosim/simulation.h"
#include "sim/world_control.h"
#include "sim/world_inspector.h"
#include "support/mesh_files.h"
#include "support/worlds.h"
#include "wbt/test_support.h"
#include "wbt/world_file.h"

namespace servosim {
namespace {

constexpr float kInfinite = std::numeric_limits<float>::infinity();

Simulation with(const std::string& sensor, const std::string& shapes,
                const std::string& version = "R2023b", const std::string& info = "") {
  return test::load(
      fmt::format("#VRML_SIM {} utf8\nWorldInfo {{ basicTimeStep 32 {} }}\n{}\n"
                  "Robot {{ name \"r\" children [ {} ] }}\n",
                  version, info, shapes, sensor));
}

RangingSensor& sensor_of(Simulation& simulation, const std::string& name = "s") {
  return *simulation.robot(0).find(name)->get<RangingSensor>();
}

std::vector<float> picture_of(Simulation& simulation, int period_ms = 32, int steps = 1) {
  RangingSensor& sensor = sensor_of(simulation);
  sensor.enable(period_ms, 1000.0 * simulation.time());
  for (int i = 0; i < steps; ++i) {
    simulation.step();
  }
  return {sensor.picture().begin(), sensor.picture().end()};
}

float seen_by(const std::string& fields, const std::string& shapes,
              const std::string& max_range = "9") {
  Simulation simulation =
      with("RangeFinder { name \"s\" width 1 height 1 maxRange " + max_range + ' ' + fields + " }",
           shapes);
  return picture_of(simulation).at(0);
}

std::string box(double x, double y = 0.0, double side = 1.0, const std::string& more = "") {
  return fmt::format(
      "Pose {{ translation {} {} 0 children [ Shape {{ geometry Box {{ size 0.2 {} {} }} {} }} ] "
      "}}\n",
      x, y, side, side, more);
}

// The world of one of Webots' tests: planes around a sensor that looks along -z, with y up.
TEST(RangeFinder, SeesWhatWebotsSees) {
  const auto add = [](const std::string& at, const std::string& turn, const std::string& glass,
                      const std::string& size) {
    return fmt::format(
        "Pose {{ translation {} rotation {} children [ Shape {{ appearance Appearance {{ material "
        "Material {{ transparency {} }} }} geometry Plane {{ size {} }} }} ] }}\n",
        at, turn, glass, size);
  };
  // A Plane of R2023b faces z, and here the world's y is up.
  const std::string shapes =
      add("0 0 -2", "0 0 1 0", "0.5", "1 1") + add("1.9 0 -2", "0 0 1 0", "0", "0.4 4") +
      "Pose { translation -3 -1.96875 0 rotation 1 0 0 -1.5708 children [ Shape { geometry "
      "ElevationGrid { xDimension 2 yDimension 2 xSpacing 6 ySpacing 4 height [ 0 0 0 0 ] } } ] "
      "}\n";
  Simulation simulation = with(
      "Pose { rotation 0 1 0 1.5708 children [ RangeFinder { name \"s\" rotation 1 0 0 "
      "-1.5708 fieldOfView 1.5708 minRange 1 maxRange 3 motionBlur 32 } ] }",
      shapes, "R2023b", "coordinateSystem \"NUE\"");
  const std::vector<float> seen = picture_of(simulation);
  EXPECT_EQ(seen[64 * 32], kInfinite);
  EXPECT_NEAR(seen[64 * 32 + 32], 2.0, 0.015);  // half transparent
  EXPECT_NEAR(seen[64 * 32 + 63], 2.0, 0.015);
  // The last row looks down by 63 / 64 of its depth, and the ground is 2.0 * 63 / 64 m below.
  EXPECT_NEAR(seen[64 * 63 + 32], 2.0, 0.015);
}

TEST(RangeFinder, SpreadsCylindricalPictures) {
  Simulation simulation = with(
      "RangeFinder { name \"s\" projection \"cylindrical\" width 256 height 128 fieldOfView "
      "6.28 maxRange 5 }",
      box(2.1) + box(-2.1));
  const std::vector<float> seen = picture_of(simulation);
  for (const auto& [column, distance] :
       {std::pair{0, 2.0f}, {64, kInfinite}, {128, 2.0f}, {192, kInfinite}, {255, 2.0f}}) {
    if (std::isinf(distance)) {
      EXPECT_EQ(seen[256 * 64 + column], kInfinite) << column;
    } else {
      EXPECT_NEAR(seen[256 * 64 + column], distance, 0.015) << column;
    }
  }
}

// Cylindrical and spherical pictures have exact rays for any angle. Those of Webots come from
// planar ones, and below π/2 they show less: 0.786 of fieldOfView where it is small, 0.802 of 0.5,
// 0.858 of 1 and 0.919 of 1.3.
TEST(RangeFinder, SpansItsFieldOfViewInEveryProjection) {
  for (const double angle : {0.01, 0.5, 1.0, 1.3, 1.57, 3.0}) {
    for (const std::string projection : {"cylindrical", "spherical"}) {
      // The middle of the last column of 100 is half of one from the edge.
      const double azimuth = 0.5 * angle * 0.99;
      const auto seen_at = [&](double at) {
        Simulation simulation = with(
            fmt::format("RangeFinder {{ name \"s\" width 100 height 1 maxRange 9 fieldOfView {} "
                        "projection \"{}\" }}",
                        angle, projection),
            fmt::format("Pose {{ rotation 0 0 1 {} children [ Pose {{ translation 4 0 0 children [ "
                        "Shape {{ geometry Box {{ size 1e-3 {} {} }} }} ] }} ] }}\n",
                        at, 0.02 * angle, 4.0 * angle));
        return picture_of(simulation);
      };
      const std::vector<float> left = seen_at(azimuth);
      EXPECT_NEAR(left[0], 4.0, 0.01) << angle << projection;
      EXPECT_EQ(left[3], kInfinite) << angle << projection;
      EXPECT_NEAR(seen_at(-azimuth)[99], 4.0, 0.01) << angle << projection;
    }
  }
}

TEST(RangeFinder, KeepsTheRuleOfTheRange) {
  EXPECT_NEAR(seen_by("", box(2.1)), 2.0, 1e-6);
  EXPECT_EQ(seen_by("minRange 2.001", box(2.1)), kInfinite);
  EXPECT_EQ(seen_by("", box(2.1), "1.999"), kInfinite);
  EXPECT_NEAR(seen_by("", box(2.1), "2.001"), 2.0, 1e-6);
  EXPECT_EQ(seen_by("", ""), kInfinite);
  // What is nearer than `near` hides nothing, and what is nearer than minRange does.
  EXPECT_EQ(seen_by("near 0.3 minRange 0.6", box(0.5) + box(2.1)), kInfinite);
  EXPECT_NEAR(seen_by("near 0.5 minRange 0.6", box(0.5) + box(2.1)), 2.0, 1e-6);
}

TEST(RangeFinder, SeesNothingOnABillboard) {
  EXPECT_EQ(seen_by("", "Billboard { children [ " + box(2.1) + "] }"), kInfinite);
}

TEST(RangeFinder, SeesFormsAsTheyAreScaled) {
  const auto scaled = [](const std::string& scale, const std::string& geometry) {
    return "Transform { translation 4 0 0 scale " + scale + " children [ Shape { geometry " +
           geometry + " } ] }\n";
  };
  const std::string sphere = "Sphere { radius 0.5 subdivision 5 }";
  EXPECT_NEAR(seen_by("", scaled("1 3 1", sphere)), 3.5, 1e-3);
  EXPECT_NEAR(seen_by("", scaled("3 1 1", sphere)), 2.5, 3e-3);
  EXPECT_NEAR(seen_by("", scaled("1 3 1", "Cylinder { radius 0.5 height 1 }")), 3.5, 1e-2);
  EXPECT_NEAR(seen_by("", scaled("2 1 1", "Capsule { radius 0.5 height 1 }")), 3.0, 2e-2);
  EXPECT_NEAR(seen_by("", scaled("2 1 1", "Box { size 1 1 1 }")), 3.0, 1e-6);
}

TEST(RangeFinder, RoundsAndAddsNoise) {
  EXPECT_FLOAT_EQ(seen_by("resolution 0.3", box(2.15)), 2.1f);  // of 2.05
  EXPECT_EQ(seen_by("resolution 0.3", ""), kInfinite);
  EXPECT_EQ(seen_by("noise 0.5", ""), kInfinite);
  Simulation simulation =
      with("RangeFinder { name \"s\" width 100 height 100 fieldOfView 0.2 maxRange 9 noise 0.04 }",
           box(5.1, 0.0, 9.0));
  const std::vector<float> seen = picture_of(simulation);
  double sum = 0.0;
  double squares = 0.0;
  for (const float distance : seen) {
    sum += distance - 5.0;
    squares += (distance - 5.0) * (distance - 5.0);
  }
  // The bounds are five standard errors of the mean and of the deviation for 10,000 numbers.
  EXPECT_NEAR(sum / 1e4, 0.0, 5.0 * 0.04 / 100.0);
  EXPECT_NEAR(std::sqrt(squares / 1e4), 0.04, 5.0 * 0.04 / std::sqrt(2e4));
}

// After a period of motionBlur only 0.5 % of the former picture stays.
TEST(RangeFinder, BlursMotion) {
  Simulation simulation =
      with("RangeFinder { name \"s\" width 1 height 1 maxRange 9 motionBlur 64 }",
           "Solid { name \"wall\" translation 3.1 0 0 children [ Shape { geometry Box { size 0.2 1 "
           "1 } } "
           "] }");
  EXPECT_NEAR(picture_of(simulation).at(0), 3.0, 1e-6);
  simulation.solid("wall").set_pose({{}, {4.1, 0.0, 0.0}});
  simulation.step();
  const double fading = std::sqrt(0.005);
  EXPECT_NEAR(sensor_of(simulation).picture()[0], 4.0 - fading, 1e-6);
  simulation.step();
  EXPECT_NEAR(sensor_of(simulation).picture()[0], 4.0 - fading * fading, 1e-6);
}

// What stays of the former picture is not rounded.
TEST(RangeFinder, BlursBeforeItRounds) {
  Simulation simulation =
      with("RangeFinder { name \"s\" width 1 height 1 maxRange 9 motionBlur 64 resolution 0.5 }",
           "Solid { name \"wall\" translation 3.4 0 0 children [ Shape { geometry Box { size 0.2 1 "
           "1 } } ] }");
  EXPECT_FLOAT_EQ(picture_of(simulation).at(0), 3.5f);  // of 3.3
  simulation.solid("wall").set_pose({{}, {3.345, 0.0, 0.0}});
  simulation.step();
  // 3.245 with 7 % of 3.3 is 3.249; with 7 % of 3.5 it would be 3.263.
  EXPECT_FLOAT_EQ(sensor_of(simulation).picture()[0], 3.0f);
}

TEST(RangeFinder, ClearsItsPictureInAReset) {
  Simulation simulation = with("RangeFinder { name \"s\" width 1 height 1 maxRange 9 }", box(2.1));
  EXPECT_NEAR(picture_of(simulation).at(0), 2.0, 1e-6);
  simulation.reset();
  EXPECT_EQ(sensor_of(simulation).picture()[0], 0.0f);
}

TEST(RangeFinder, IsDueAPeriodAfterItWasEnabled) {
  Simulation simulation =
      with("RangeFinder { name \"s\" width 3 height 2 maxRange 9 }", box(2.1, 0.0, 5.0));
  EXPECT_TRUE(sensor_of(simulation).picture().empty());
  EXPECT_EQ(picture_of(simulation, 64), std::vector<float>(6, 0.0f));
  simulation.step();
  EXPECT_NEAR(sensor_of(simulation).picture()[5], 2.0, 1e-6);
}

// Before R2022a a sensor looked along -z, with y up.
TEST(RangeFinder, LooksAlongMinusZInOldWorlds) {
  Simulation simulation =
      with("RangeFinder { name \"s\" width 3 height 3 fieldOfView 1.2 maxRange 9 }",
           "Transform { translation -1.2 1.2 -2.1 children [ Shape { geometry Box { size 1 1 0.2 } "
           "} ] }",
           "R2021b");
  const std::vector<float> seen = picture_of(simulation);
  EXPECT_NEAR(seen[0], 2.0, 1e-6);
  for (int i = 1; i < 9; ++i) {
    EXPECT_EQ(seen[i], kInfinite) << i;
  }
}

TEST(RangeFinder, FollowsEditsOfTheTree) {
  Simulation simulation =
      with("RangeFinder { name \"s\" width 1 height 1 maxRange 9 }", box(2.1) + box(4.1));
  EXPECT_NEAR(picture_of(simulation).at(0), 2.0, 1e-6);
  Diagnostics diagnostics;
  WorldControl(simulation)
      .rebuild(std::make_shared<const wbt::WorldFile>(wbt::read_world_text(
          "#VRML_SIM R2023b utf8\nWorldInfo { basicTimeStep 32 }\n" + box(3.1) + box(4.1) +
              "Robot { name \"r\" children [ RangeFinder { name \"s\" width 1 height 1 maxRange 9 "
              "} "
              "] }\n",
          "w", ".", {}, diagnostics)));
  simulation.step();
  EXPECT_NEAR(sensor_of(simulation).picture()[0], 3.0, 1e-6);
}

// The file has other triangles at the second rebuild, and is not read again.
TEST(RangeFinder, ReadsAMeshOnceForAllEdits) {
  const wbt::test::TemporaryProject project;
  const std::string finder = "RangeFinder { name \"s\" width 1 height 1 maxRange 9 }";
  Simulation simulation = with(finder, "");
  test::Triangles triangles = test::tetrahedron(1.0, 1.0, 1.0);
  for (const double x : {3.0, 4.0}) {
    project.write("worlds/a.stl", test::stl_text(triangles));
    for (auto& triangle : triangles) {
      for (Vec3& corner : triangle) {
        corner.x += 0.5;
      }
    }
    Diagnostics diagnostics;
    WorldControl(simulation)
        .rebuild(std::make_shared<const wbt::WorldFile>(wbt::read_world_text(
            fmt::format("#VRML_SIM R2023b utf8\nWorldInfo {{ basicTimeStep 32 }}\n"
                        "Pose {{ translation {} -0.2 -0.2 children [ Shape {{ geometry Mesh {{ url "
                        "\"a.stl\" }} }} ] }}\nRobot {{ name \"r\" children [ {} ] }}\n",
                        x, finder),
            "w", project.path("worlds"), {}, diagnostics)));
    EXPECT_NEAR(picture_of(simulation).at(0), x, 1e-6);
  }
}

TEST(RangeFinder, TellsEachCloneWhatIsMissing) {
  Simulation simulation = with("RangeFinder { name \"s\" width 1 height 1 maxRange 9 }",
                               "Shape { geometry Mesh { url \"absent.stl\" } }");
  Simulation clone = simulation.clone();
  WorldControl(simulation).take_missing();
  for (Simulation* each : {&simulation, &clone}) {
    static_cast<void>(picture_of(*each, 32, 2));
    const std::vector<MissingPart> missing = WorldControl(*each).take_missing();
    ASSERT_EQ(missing.size(), 1u);
    EXPECT_EQ(missing[0].kind, Missing::Pictures);
    EXPECT_NE(missing[0].subject.find("absent.stl"), std::string::npos) << missing[0].subject;
  }
}

// Forms that are wrong in the world file have a message, once for all clones, with their place.
TEST(RangeFinder, SaysWhichFormsItCannotSee) {
  for (const std::string form :
       {"IndexedFaceSet { coord Coordinate { point [ 3 1 -1, 3 -1 -1, 3 0 1 ] } coordIndex [ 0 1 2 "
        "-1 0 1 7 -1 ] }",
        "IndexedFaceSet { coord Coordinate { point [ 3 1 0, 3 0 0, 3 -1 0 ] } coordIndex [ 0 1 2 "
        "-1 1 1 "
        "0 -1 ] }",
        "IndexedFaceSet { }", "ElevationGrid { xDimension 1 yDimension 1 height [ 0 ] }"}) {
    std::vector<std::string> notices;
    LoadOptions options;
    options.notice = [&notices](std::string_view text) { notices.emplace_back(text); };
    Simulation simulation = Simulation::from_text(
        "#VRML_SIM R2023b utf8\nWorldInfo { basicTimeStep 32 }\nShape { geometry " + form +
            " }\nRobot { children [ RangeFinder { name \"s\" width 1 height 1 maxRange 9 } ] }\n",
        options);
    Simulation clone = simulation.clone();
    EXPECT_EQ(picture_of(simulation).at(0), kInfinite);
    EXPECT_EQ(picture_of(clone).at(0), kInfinite);
    ASSERT_EQ(notices.size(), 1u) << form;
    EXPECT_NE(notices[0].find(":3:18: "), std::string::npos) << notices[0];
    EXPECT_NE(notices[0].find("no triangle that can be drawn"), std::string::npos) << notices[0];
    EXPECT_TRUE(WorldControl(simulation).take_missing().empty());
  }
}

// The same holds for a file whose triangles have no area. One that has an area is enough.
TEST(RangeFinder, SaysWhichMeshHasNoArea) {
  const wbt::test::TemporaryProject project;
  const std::string points = "v 3 1 0\nv 3 0 0\nv 3 -1 0\nv 3 0 1\n";
  project.write("worlds/flat.obj", points + "f 1 2 3\nf 2 2 4\n");
  project.write("worlds/good.obj", points + "f 1 2 3\nf 1 3 4\n");
  const auto said_of = [&project](const std::string& file) {
    project.write(
        "worlds/w.wbt",
        "#VRML_SIM R2023b utf8\nWorldInfo { basicTimeStep 32 }\nShape { geometry Mesh { url \"" +
            file +
            "\" } }\nRobot { children [ RangeFinder { name \"s\" width 1 height 1 maxRange 9 "
            "} ] }\n");
    std::vector<std::string> notices;
    LoadOptions options;
    options.notice = [&notices](std::string_view text) { notices.emplace_back(text); };
    Simulation simulation(project.path("worlds/w.wbt"), options);
    static_cast<void>(picture_of(simulation));
    return notices;
  };
  EXPECT_TRUE(said_of("good.obj").empty());
  const std::vector<std::string> notices = said_of("flat.obj");
  ASSERT_EQ(notices.size(), 1u);
  EXPECT_TRUE(notices[0].ends_with(
      "w.wbt:3:18: Mesh: it has no triangle that can be drawn; sensors do not see it"))
      << notices[0];
}

TEST(RangeFinder, OfClonesSeesTheirOwnWorld) {
  Simulation simulation = with("RangeFinder { name \"s\" width 1 height 1 maxRange 9 }",
                               "Solid { name \"wall\" translation 3.1 0 0 children [ Shape { "
                               "geometry Box { size 0.2 1 1 } } "
                               "] }");
  EXPECT_NEAR(picture_of(simulation).at(0), 3.0, 1e-6);
  Simulation clone = simulation.clone();
  clone.solid("wall").set_pose({{}, {4.1, 0.0, 0.0}});
  clone.step();
  simulation.step();
  EXPECT_NEAR(sensor_of(clone).picture()[0], 4.0, 1e-6);
  EXPECT_NEAR(sensor_of(simulation).picture()[0], 3.0, 1e-6);
}

std::string lidar(const std::string& fields) {
  return "Lidar { name \"s\" minRange 0.1 maxRange 20 " + fields + " }";
}

// Each layer looks at its own angle, from above.
TEST(Lidar, HasLayersAtTheirAngles) {
  Simulation simulation =
      with(lidar("horizontalResolution 5 numberOfLayers 3 fieldOfView 0.5 verticalFieldOfView 0.4 "
                 "tiltAngle -0.3"),
           "Pose { translation 0 0 -0.5 children [ Shape { geometry Plane { size 50 50 } } ] }");
  const std::vector<float> seen = picture_of(simulation);
  ASSERT_EQ(seen.size(), 15u);
  for (int layer = 0; layer < 3; ++layer) {
    EXPECT_NEAR(seen[5 * layer + 2], 0.5 / std::sin(0.1 + 0.2 * layer), 1e-5) << layer;
  }
  // The picture is turned as a whole, so that rays away from the middle are flatter.
  const double elevation = std::asin(std::cos(0.2) * std::cos(0.0) * std::sin(0.3));
  EXPECT_NEAR(seen[5 * 1 + 0], 0.5 / std::sin(elevation), 1e-5);
}

TEST(Lidar, HasOneLayerInTheMiddle) {
  Simulation simulation =
      with(lidar("horizontalResolution 1 numberOfLayers 1 tiltAngle -0.3"),
           "Pose { translation 0 0 -0.5 children [ Shape { geometry Plane { size 50 50 } } ] }");
  EXPECT_NEAR(picture_of(simulation).at(0), 0.5 / std::sin(0.3), 1e-5);
}

TEST(Lidar, MeasuresDepthsInPlanarPictures) {
  Simulation simulation = with(
      lidar("horizontalResolution 9 numberOfLayers 3 projection \"planar\""), box(3.1, 0.0, 20.0));
  for (const float depth : picture_of(simulation)) {
    EXPECT_NEAR(depth, 3.0, 1e-6);
  }
}

Simulation with_step(double step_ms, const std::string& sensor) {
  return test::load(
      fmt::format("#VRML_SIM R2023b utf8\nWorldInfo {{ basicTimeStep {} }}\n"
                  "Robot {{ name \"r\" children [ {} ] }}\n",
                  step_ms, sensor));
}

// After two turns no column is left out, however the ends of strips are rounded.
TEST(Lidar, LeavesNoColumnOut) {
  for (const int columns : {360, 720, 1800}) {
    for (const double step_ms : {10.0, 20.0, 32.0}) {
      Simulation simulation = with_step(
          step_ms, lidar(fmt::format("type \"rotating\" horizontalResolution {} numberOfLayers 1 "
                                     "fieldOfView 3 defaultFrequency 10",
                                     columns)));
      const std::vector<float> seen = picture_of(simulation, 10, 200 / static_cast<int>(step_ms));
      EXPECT_EQ(std::count(seen.begin(), seen.end(), 0.0f), 0) << columns << ' ' << step_ms;
    }
  }
}

// A period is at least 1 ms, which is two of these steps.
TEST(Lidar, TurnsByTheTimeSinceItsLastSample) {
  Simulation simulation = with_step(
      0.5,
      lidar("type \"rotating\" horizontalResolution 1000 numberOfLayers 1 defaultFrequency 10"));
  const std::vector<float> seen = picture_of(simulation, 1, 100);
  EXPECT_NEAR(static_cast<double>(std::count(seen.begin(), seen.end(), kInfinite)), 500.0, 1.0);
}

// Two Lidars are at the same place. The rotating one is turned so that its columns from the first
// on look where those of the fixed one do.
TEST(Lidar, SeesTheSameWhileItRotates) {
  const std::string sensors =
      "Lidar { name \"fixed\" horizontalResolution 256 numberOfLayers 1 fieldOfView 1.57075 "
      "maxRange 20 } "
      "Pose { rotation 0 0 1 -2.3562 children [ Lidar { name \"rotating\" type \"rotating\" "
      "horizontalResolution 1024 numberOfLayers 1 fieldOfView 1.57075 maxRange 20 "
      "defaultFrequency 1 } ] }";
  Simulation simulation =
      with(sensors, box(4.0, 1.0, 2.0) + box(6.0, -3.0, 3.0) + box(-3.0, 0.0, 2.0));
  RangingSensor& fixed = sensor_of(simulation, "fixed");
  RangingSensor& rotating = sensor_of(simulation, "rotating");
  fixed.enable(32, 0.0);
  rotating.enable(500, 0.0);  // it measures in each step all the same
  const auto filled = [&rotating] {
    return std::count_if(rotating.picture().begin(), rotating.picture().end(),
                         [](float d) { return d != 0.0f; });
  };
  simulation.step();
  // 1024 columns in a second are 32.768 in a step. The first strip is in the middle.
  EXPECT_NEAR(static_cast<double>(filled()), 32.768, 1.0);
  EXPECT_NE(rotating.picture()[512], 0.0f);
  for (int i = 0; i < 31; ++i) {
    simulation.step();
  }
  EXPECT_EQ(filled(), 1024);
  for (int i = 32; i < 50; ++i) {
    simulation.step();
  }
  double difference = 0.0;
  int alike = 0;
  for (int column = 0; column < 256; ++column) {
    const float a = fixed.picture()[column];
    const float b = rotating.picture()[column];
    if (std::isfinite(a) && std::isfinite(b)) {
      difference += std::abs(a - b);
      ++alike;
    }
  }
  EXPECT_GT(alike, 80);
  EXPECT_LT(difference, 15.0);
}

// The picture of a rotating Lidar is a part of a state.
TEST(Lidar, ContinuesToRotateInARestoredState) {
  const std::string sensor =
      lidar("type \"rotating\" horizontalResolution 100 numberOfLayers 2 noise 0.1");
  Simulation simulation = with(sensor, box(2.1) + box(-3.1) + box(0.0, 4.0));
  static_cast<void>(picture_of(simulation, 32, 2));
  const SimulationState state = simulation.save();
  const auto continued = [&] {
    simulation.step();
    const std::span<const float> picture = sensor_of(simulation).picture();
    return std::vector<float>(picture.begin(), picture.end());
  };
  const std::vector<float> first = continued();
  simulation.step();
  simulation.restore(state);
  EXPECT_EQ(continued(), first);
  simulation.reset();
  const std::span<const float> cleared = sensor_of(simulation).picture();
  EXPECT_TRUE(std::all_of(cleared.begin(), cleared.end(), [](float d) { return d == 0.0f; }));
}

double turn_about_z(const Mat3& r) { return std::atan2(r(1, 0), r(0, 0)); }

// The head turns clockwise, seen from above, by the frequency. It begins where the file has it.
TEST(Lidar, TurnsItsHead) {
  for (const std::string physics : {"NULL", "Physics { density -1 mass 2 }"}) {
    Simulation simulation = test::load(
        "#VRML_SIM R2023b utf8\nWorldInfo { basicTimeStep 32 gravity 0 }\nRobot { name \"r\" "
        "translation 1 2 3 rotation 0 0 1 0.5 children [\n"
        "Lidar { name \"s\" type \"rotating\" numberOfLayers 1 defaultFrequency 2 rotatingHead "
        "Solid { name \"head\" translation 0 0 0.1 rotation 0 0 1 0.3 children [\n"
        "Pose { translation 0.4 0 0 children [ Shape { geometry Box { size 0.1 0.6 0.1 } } ] } ] } "
        "}\n"
        "RangeFinder { name \"f\" translation -5 0 0.1 width 1 height 1 maxRange 9 } ] "
        "boundingObject Box { size 1 1 1 } physics " +
        physics + " }\n");
    const auto angle = [&] { return turn_about_z(simulation.solid("head").pose().rotation); };
    EXPECT_NEAR(angle(), 0.8, 1e-12);
    simulation.step();
    EXPECT_NEAR(angle(), 0.8, 1e-12) << "as long as the Lidar is disabled";
    const std::uint64_t hash = simulation.state_hash();
    sensor_of(simulation).enable(32, 1000.0 * simulation.time());
    const double step = 2.0 * std::numbers::pi * 2.0 * 0.032;
    for (int i = 1; i <= 4; ++i) {
      simulation.step();
      EXPECT_NEAR(std::remainder(angle() - (0.8 - i * step), 2.0 * std::numbers::pi), 0.0, 1e-9);
    }
    EXPECT_NE(simulation.state_hash(), hash);
    EXPECT_NEAR(norm(simulation.solid("head").pose().translation - Vec3{1.0, 2.0, 3.1}), 0.0, 1e-9);
    const SimulationState state = simulation.save();
    const double then = angle();
    simulation.step();
    const double next = angle();
    simulation.restore(state);
    EXPECT_EQ(angle(), then);
    simulation.step();
    EXPECT_EQ(angle(), next);
    // The box on the head is between the RangeFinder and its background twice in a turn.
    sensor_of(simulation, "f").enable(32, 1000.0 * simulation.time());
    int seen = 0;
    int unseen = 0;
    for (int i = 0; i < 16; ++i) {
      simulation.step();
      std::isfinite(sensor_of(simulation, "f").picture()[0]) ? ++seen : ++unseen;
    }
    EXPECT_GT(seen, 0);
    EXPECT_GT(unseen, 0);
    simulation.reset();
    EXPECT_NEAR(angle(), 0.8, 1e-12);
  }
}

TEST(Lidar, TurnsItsHeadAboutYInOldWorlds) {
  Simulation simulation = test::load_bad(
      "#VRML_SIM R2021b utf8\nWorldInfo { basicTimeStep 32 }\nRobot { name \"r\" children [ Lidar "
      "{ "
      "name \"s\" type \"rotating\" numberOfLayers 1 defaultFrequency 2 rotatingHead Solid { name "
      "\"head\" physics Physics { } } } ] }\n");
  static_cast<void>(picture_of(simulation));
  const Mat3 turned = simulation.solid("head").pose().rotation;
  const Mat3 expected = rotation_matrix({{0.0, 1.0, 0.0}, -4.0 * std::numbers::pi * 0.032});
  for (int i = 0; i < 9; ++i) {
    EXPECT_NEAR(turned.m[i], expected.m[i], 1e-12) << i;
  }
  const std::vector<Diagnostic>& said = simulation.diagnostics();
  EXPECT_TRUE(std::any_of(said.begin(), said.end(), [](const Diagnostic& diagnostic) {
    return diagnostic.message == "Physics of a Lidar's rotatingHead is not used";
  }));
}

// The head of a fixed Lidar stays, and so does one outside of a robot.
TEST(Lidar, TurnsNoHeadUnlessItRotates) {
  Simulation simulation = test::load(
      "#VRML_SIM R2023b utf8\nWorldInfo { basicTimeStep 32 }\nLidar { type \"rotating\" "
      "rotatingHead "
      "Solid { name \"outside\" } }\nRobot { name \"r\" children [ Lidar { name \"s\" "
      "numberOfLayers 1 rotatingHead Solid { name \"head\" } } ] }\n");
  static_cast<void>(picture_of(simulation, 32, 3));
  EXPECT_EQ(simulation.solid("head").pose(), Pose{});
  EXPECT_EQ(simulation.solid("outside").pose(), Pose{});
}

// A Supervisor's reset keeps the frequency that was set.
TEST(Lidar, KeepsItsFrequencyInASupervisorsReset) {
  Simulation simulation = with(lidar("type \"rotating\" numberOfLayers 1"), "");
  RangingSensor& sensor = sensor_of(simulation);
  sensor.set_field("defaultFrequency", std::array{5.0});
  simulation.step();
  WorldControl(simulation).restart();
  std::vector<DeviceSetting> settings;
  sensor.list_settings(settings);
  ASSERT_EQ(settings.size(), 1u);
  EXPECT_EQ(settings[0].numbers[0], 5.0);
}

// Layers that have no rows in Webots' picture get more columns, also those that the controller
// sees.
TEST(Lidar, HasColumnsForAllOfItsLayers) {
  const auto columns_of = [](const std::string& fields) {
    Simulation simulation = Simulation::from_text(
        "#VRML_SIM R2023b utf8\nWorldInfo { basicTimeStep 32 }\nRobot { children [ " +
        lidar("numberOfLayers 16 fieldOfView 1 " + fields) + " ] }\n");
    std::string said;
    for (const Diagnostic& diagnostic : simulation.diagnostics()) {
      said += diagnostic.message;
    }
    const int width = sensor_of(simulation).width();
    EXPECT_EQ(picture_of(simulation).size(), 16u * width);
    for (const DeviceField& field :
         WorldInspector(simulation).scene().robots[0].devices[0].fields) {
      if (field.name == "horizontalResolution") {
        EXPECT_EQ(field.numbers, std::vector{1.0 * width});  // what a controller gets
      }
    }
    return std::pair(width, said);
  };
  // 37 columns are 14.8 rows for the angle and one more.
  EXPECT_EQ(columns_of("horizontalResolution 38 verticalFieldOfView 0.4"),
            (std::pair(38, std::string())));
  EXPECT_EQ(columns_of("horizontalResolution 20 verticalFieldOfView 0.4"),
            (std::pair(40, std::string("horizontalResolution is 20, but 16 layers within "
                                       "verticalFieldOfView need more columns; 40 is used"))));
  EXPECT_EQ(columns_of("type \"rotating\" horizontalResolution 60 verticalFieldOfView 0.4").first,
            252);
  EXPECT_EQ(columns_of("verticalFieldOfView 1e-6 horizontalResolution 20").first, 65536);
  EXPECT_EQ(columns_of("type \"rotating\" horizontalResolution 300 verticalFieldOfView 0.4").second,
            "");
}

TEST(Ranging, ReplacesBadValues) {
  Diagnostics diagnostics;
  const Scene scene = build_scene(
      wbt::read_world_text("#VRML_SIM R2023b utf8\nRobot { children [ RangeFinder { width 0 height "
                           "3 fieldOfView 3.5 "
                           "near 0.5 minRange 0.2 maxRange 0.1 projection \"round\" } ] }\n",
                           "w", ".", {}, diagnostics),
      diagnostics);
  std::vector<std::string> said;
  for (const Diagnostic& diagnostic : diagnostics.list()) {
    said.push_back(diagnostic.message);
  }
  for (const char* message :
       {"width is 0, but it must be > 0; 64 is used",
        "fieldOfView is 3.5, but it must be in (0, pi); 0.7854 is used",
        "near is 0.5, but it must be at most minRange; 0.2 is used",
        "maxRange is 0.1, but it must be greater than minRange; 1.2 is used",
        "projection is \"round\", but it must be \"planar\", \"cylindrical\" or \"spherical\"; "
        "\"planar\" is used"}) {
    EXPECT_NE(std::find(said.begin(), said.end(), message), said.end())
        << message << "\nof\n"
        << fmt::format("{}", fmt::join(said, "\n"));
  }
  const DeviceSpec& device = scene.robots.at(0).devices.at(0);
  EXPECT_EQ(device.ranging->width, 64);
  const auto width = std::find_if(device.fields.begin(), device.fields.end(),
                                  [](const DeviceField& field) { return field.name == "width"; });
  EXPECT_EQ(width->numbers, std::vector<double>{64.0}) << "the controller is told";
}

}  // namespace
}  // namespace servosim
