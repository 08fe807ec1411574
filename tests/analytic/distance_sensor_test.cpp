// SPDX-License-Identifier: Apache-2.0
// DistanceSensors measure the distances that geometry gives.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <string>

#include "servosim/simulation.h"
#include "support/worlds.h"

namespace servosim::test {
namespace distance_sensor_test {

constexpr double kPi = std::numbers::pi;
// ODE's rays and our poses are rounded. Rays meet meshes and grids in double precision, too.
constexpr double kRounding = 1e-9;

std::string sensor_before(const std::string& sensor, const std::string& things,
                          const std::string& robot = "") {
  return fmt::format(
      "#VRML_SIM R2023b utf8\nWorldInfo {{ basicTimeStep 8 }}\n{}\n"
      "Robot {{ name \"r\" {} children [ DistanceSensor {{ name \"d\" {} }} ] }}\n",
      things, robot, sensor);
}

double reading(Simulation simulation) {
  BodySensor& sensor = simulation.robot(0).body_sensor("d");
  sensor.enable(8, 1000.0 * simulation.time());
  simulation.step();
  return sensor.values()[0];
}

double read(const std::string& sensor, const std::string& things, const std::string& robot = "") {
  return reading(load(sensor_before(sensor, things, robot)));
}

double read_bad(const std::string& sensor, const std::string& things) {
  return reading(load_bad(sensor_before(sensor, things)));
}

constexpr const char* kPlain = "lookupTable [ 0 0 0, 10 10 0 ]";

TEST(DistanceSensor, MeasuresEveryShape) {
  struct Case {
    const char* thing;
    double distance;
  };
  const char* grid =
      "ElevationGrid { xDimension 5 yDimension 4 xSpacing 1 ySpacing 1 height [ 0 1 2 3 4 0 1 2 3 "
      "4 "
      "0 1 2 3 4 0 1 2 3 4 ] }";
  const std::string slope = fmt::format("Solid {{ translation 1 -1.3 -1.6 boundingObject {} }}",
                                        grid);  // z = x − 1 − 1.6
  for (const Case& c :
       {Case{"Solid { translation 3 0 0 boundingObject Box { size 2 1 1 } }", 2.0},
        Case{"Solid { translation 3 0.6 0 boundingObject Sphere { radius 1 } }", 3.0 - 0.8},
        Case{"Solid { translation 3 0.3 0 boundingObject Cylinder { radius 0.5 height 1 } }",
             3.0 - 0.4},
        Case{"Solid { translation 3 0.3 0 boundingObject Capsule { radius 0.5 height 1 } }",
             3.0 - 0.4},
        Case{"Solid { translation 4 0 0 rotation 0 1 0 -1.5707963267948966 "
             "boundingObject Plane { } }",
             4.0},
        Case{"Solid { translation 2.5 0 0 boundingObject IndexedFaceSet { coord Coordinate { point "
             "[ "
             "0 -1 -1, 0 1 -1, 0 0 2 ] } coordIndex [ 0 1 2 -1 ] } }",
             2.5},
        Case{slope.c_str(), 2.6}, Case{"", 10.0},
        Case{"Solid { translation 12 0 0 boundingObject Box { size 2 1 1 } }", 10.0}}) {
    EXPECT_NEAR(read(kPlain, c.thing), c.distance, kRounding) << c.thing;
  }
}

TEST(DistanceSensor, SeesWhatMovesAndNotItself) {
  // The sensor falls for 8 ms before the sample: by g·h² with ODE's steps.
  const double fall = 9.81 * 0.008 * 0.008;
  EXPECT_NEAR(read("lookupTable [] rotation 0 1 0 1.5707963267948966",
                   "Solid { name \"floor\" translation 0 0 -2 boundingObject Plane { } }",
                   "boundingObject Sphere { radius 0.3 } physics Physics { }"),
              2.0 - fall, kRounding);
  const char* box =
      "Solid { translation 2 0 0 boundingObject Box { size 1 1 1 } physics Physics { } }";
  EXPECT_NEAR(read(kPlain, box, "boundingObject Sphere { radius 0.3 }"), 1.5, kRounding);
  // A sensor sees another robot. It sees another Solid of its own robot only with selfCollision.
  const std::string own = fmt::format(
      "#VRML_SIM R2023b utf8\nWorldInfo {{ basicTimeStep 8 }}\n"
      "Robot {{ name \"r\" selfCollision {{}} children [ DistanceSensor {{ name \"d\" {} }} "
      "HingeJoint {{ jointParameters HingeJointParameters {{ }} endPoint Solid {{ translation 3 0 "
      "0 "
      "boundingObject Box {{ size 1 1 1 }} }} }} ] }}\n",
      kPlain);
  const auto with = [&own](const char* flag) {
    std::string text = own;
    text.replace(text.find("{}"), 2, flag);
    return reading(load(text));
  };
  EXPECT_NEAR(with("FALSE"), 10.0, kRounding);
  EXPECT_NEAR(with("TRUE"), 2.5, kRounding);
}

// The wall is 2 m ahead, so a ray at angle a meets it at 2/cos a.
const char* kWall = "Solid { translation 2.5 0 0 boundingObject Box { size 1 50 50 } }";

TEST(DistanceSensor, WeighsItsRays) {
  const double edge = 2.0 / std::cos(0.4);
  // Four rays: the middle one, and three at half the aperture, each with weight exp(-(0.4/0.8)²).
  const double third = std::exp(-0.25);
  EXPECT_NEAR(read("type \"generic\" lookupTable [] numberOfRays 4 aperture 0.8", kWall),
              (2.0 + 3.0 * third * edge) / (1.0 + 3.0 * third), kRounding);
  // Seven rays: the middle one, and six at half the aperture, each with weight
  // exp(-(0.4/(0.8·2))²).
  const double weight = std::exp(-0.0625);
  EXPECT_NEAR(read("lookupTable [] numberOfRays 7 aperture 0.8 gaussianWidth 2", kWall),
              (2.0 + 6.0 * weight * edge) / (1.0 + 6.0 * weight), kRounding);
  // A very narrow bell leaves only the middle ray.
  EXPECT_NEAR(read("lookupTable [] numberOfRays 7 aperture 0.8 gaussianWidth 0.001", kWall), 2.0,
              kRounding);
}

double read_infra_red(const std::string& things, const std::string& robot = "") {
  return read("type \"infra-red\" lookupTable [ 0 0 0, 10 10 0 ]", things, robot);
}

std::string box_that_looks(const std::string& appearance) {
  return "Solid { translation 2.5 0 0 children [ Shape { appearance " + appearance +
         " geometry Box { size 1 1 1 } } ] }";
}

TEST(DistanceSensor, InfraRedMeetsShapesAndSeesTheirColour) {
  EXPECT_NEAR(read_infra_red(kWall), 10.0, kRounding) << "a boundingObject is not seen";
  EXPECT_NEAR(read_infra_red(box_that_looks("NULL")), 2.0, kRounding);
  EXPECT_NEAR(read_infra_red(box_that_looks("PBRAppearance { baseColor 0.5 1 1 }")), 2.0 / 0.6,
              kRounding);
  EXPECT_NEAR(read_infra_red(box_that_looks("PBRAppearance { baseColor 1 0 0 roughness 0.5 }")),
              2.0 / (0.2 + 0.8 * 0.75), kRounding);
  EXPECT_NEAR(
      read_infra_red(box_that_looks("Appearance { material Material { diffuseColor 0.25 0 0 } }")),
      2.0 / 0.4, kRounding);
  EXPECT_NEAR(read_infra_red(box_that_looks("PBRAppearance { baseColor 0 1 1 }")), 10.0, kRounding)
      << "at most the range";
}

TEST(DistanceSensor, InfraRedMeetsEveryShapeFromOutside) {
  struct Case {
    const char* geometry;
    double distance;
  };
  for (const Case& c : {Case{"Sphere { radius 0.5 }", 2.0},
                        {"Cylinder { radius 0.4 }", 2.1},
                        {"Capsule { radius 0.4 }", 2.1}}) {
    const std::string text = fmt::format(
        "Pose {{ translation 2.5 0 0 children [ Shape {{ geometry {} }} ] }}", c.geometry);
    EXPECT_NEAR(read_infra_red(text), c.distance, 1e-6) << text;
  }
  // A cone's side is at half its radius in the middle of its height. A plane has edges and only one
  // side.
  EXPECT_NEAR(read_infra_red("Pose { translation 2.5 0 0 rotation 0 0 1 3.141592653589793 children "
                             "[ Shape { geometry Cone { bottomRadius 1 height 2 } } ] }"),
              2.0, 1e-6);
  EXPECT_NEAR(read_infra_red("Pose { translation 2.5 0 0 rotation 0 0 1 0.5 children [ Shape { "
                             "geometry Cone { bottomRadius 1 height 2 subdivision 4 } } ] }"),
              2.0, 1e-4)
      << "it is round";
  const auto plane = [](double y, double turn) {
    return read_infra_red(fmt::format(
        "Pose {{ translation 2 {} 0 rotation 0 1 0 {} children [ Shape {{ geometry Plane {{ size 1 "
        "1 }} }} ] }}",
        y, turn));
  };
  EXPECT_NEAR(plane(0.1, -kPi / 2.0), 2.0, 1e-6);
  EXPECT_NEAR(plane(0.1, kPi / 2.0), 10.0, 1e-6) << "from behind";
  EXPECT_NEAR(plane(0.6, -kPi / 2.0), 10.0, 1e-6) << "past the edge";
}

// The numbers of Webots' test distance_sensor_infra-red_vs_mesh: 20 sensors in a row look at faces
// of a mesh, 1000 for each metre. One sensor is above no face or above the back of one. The faces
// are put where they give these numbers: what is proved is that each ray meets its face alone.
TEST(DistanceSensor, InfraRedGivesTheNumbersOfWebotsForAMesh) {
  constexpr double kNone = 1000.0;
  constexpr std::array kNumbers{kNone, 717.74, 384.29, 87.68,  kNone,  kNone,  kNone,
                                kNone, kNone,  kNone,  653.52, 413.15, 476.33, 770.60,
                                kNone, 714.71, 420.45, 458.82, 699.19, kNone};
  std::string points;
  std::string faces;
  std::string sensors;
  for (std::size_t i = 0; i < kNumbers.size(); ++i) {
    const double y = 0.1 * static_cast<double>(i);
    sensors += fmt::format(
        "DistanceSensor {{ name \"d{}\" translation 0 {} 1 rotation 0 1 0 1.5707963267948966 type "
        "\"infra-red\" lookupTable [ 0 0 0, 1 1000 0 ] }}\n",
        i, y);
    // Every third face that no sensor sees is missing; the others show their backs.
    const bool is_seen = kNumbers[i] != kNone;
    const double z = is_seen ? 1.0 - 0.001 * kNumbers[i] : 0.5;
    points += fmt::format("-0.1 {} {} 0.1 {} {} 0 {} {} ", y - 0.04, z, y - 0.04, z, y + 0.04, z);
    if (is_seen || i % 3 != 0) {
      faces +=
          fmt::format("{} {} {} -1 ", 3 * i, 3 * i + (is_seen ? 1 : 2), 3 * i + (is_seen ? 2 : 1));
    }
  }
  Simulation simulation = load(fmt::format(
      "#VRML_SIM R2023b utf8\nWorldInfo {{ basicTimeStep 32 }}\nSolid {{ children [ Shape {{ "
      "geometry IndexedFaceSet {{ coord Coordinate {{ point [ {} ] }} coordIndex [ {} ] }} }} ] "
      "}}\nRobot {{ name \"r\" children [ {} ] }}\n",
      points, faces, sensors));
  for (std::size_t i = 0; i < kNumbers.size(); ++i) {
    simulation.robot(0).body_sensor(fmt::format("d{}", i)).enable(32, 0.0);
  }
  simulation.step();
  for (std::size_t i = 0; i < kNumbers.size(); ++i) {
    EXPECT_NEAR(simulation.robot(0).body_sensor(fmt::format("d{}", i)).values()[0], kNumbers[i],
                0.01)
        << i;
  }
}

TEST(DistanceSensor, InfraRedSeesItsRobotAndWhatMoves) {
  const std::string part =
      "#VRML_SIM R2023b utf8\nWorldInfo { basicTimeStep 8 }\n"
      "Robot { name \"r\" children [ Shape { geometry Sphere { radius 0.2 } } DistanceSensor { "
      "name "
      "\"d\" type \"infra-red\" lookupTable [ 0 0 0, 10 10 0 ] children [ Shape { geometry Box { } "
      "} "
      "] } Solid { translation 3 0 0 linearVelocity 12.5 0 0 children [ Shape { geometry Box { "
      "size "
      "1 1 1 } } ] } ] }\n";
  EXPECT_NEAR(reading(load(part)), 2.6, kRounding) << "the sensor is in the sphere and its box";
}

TEST(DistanceSensor, InfraRedSaysWhatItDoesNotSee) {
  const std::string sensor = "type \"infra-red\" lookupTable [ 0 0 0, 10 10 0 ]";
  for (const char* geometry :
       {"Box { size 1 0 1 }", "Capsule { height -1 }", "Cone { height -3 }"}) {
    const std::string text =
        fmt::format("Pose {{ translation 2 0 0 children [ Shape {{ geometry {} }} ] }}", geometry);
    EXPECT_NEAR(read_bad(sensor, text), 10.0, kRounding) << geometry;
  }
  EXPECT_NEAR(read_bad(sensor, box_that_looks("PBRAppearance { baseColorMap ImageTexture { url "
                                              "\"absent.png\" } }")),
              2.0, kRounding)
      << "a picture that is not there";
}

// The reading is D + (D/F - D)·redColorSensitivity, with the mean distance D and the mean factor F.
TEST(DistanceSensor, InfraRedWeighsByItsSensitivityToRed) {
  const std::string sensor = "type \"infra-red\" lookupTable [ 0 0 0, 10 10 0 ]";
  // F is 0.5.
  const std::string half = box_that_looks("PBRAppearance { baseColor 0.375 1 1 }");
  EXPECT_NEAR(read(sensor + " redColorSensitivity 0.5", half), 2.0 + 0.5 * 2.0, kRounding);
  EXPECT_NEAR(read(sensor + " redColorSensitivity 0", half), 2.0, kRounding);
  // Two rays leave at 0.3 rad to the sides. One meets the box; the other one passes it and counts
  // as 10 m, white.
  const std::string two = sensor + " numberOfRays 2 aperture 0.6";
  const std::string left =
      "Solid { translation 2.5 1 0 children [ Shape { appearance PBRAppearance { baseColor 0.375 0 "
      "0 } geometry Box { size 1 1.9 1 } } ] }";
  const double mean = 0.5 * (2.0 / std::cos(0.3) + 10.0);
  EXPECT_NEAR(read(two, left), mean / 0.75, kRounding);
}

TEST(DistanceSensor, RaysAreSymmetricAndWithinTheAperture) {
  for (const int count : {1, 2, 3, 5, 6, 7, 10, 19, 23, 40}) {
    // A bundle is symmetric, so its mean before a wall does not depend on a turn about x.
    const double straight =
        read(fmt::format("lookupTable [] numberOfRays {} aperture 1", count), kWall);
    EXPECT_GE(straight, 2.0 - kRounding) << count;
    EXPECT_LE(straight, 2.0 / std::cos(0.5) + kRounding) << count;
    // A wall that leans left gives the same reading as one that leans right.
    const auto leaning = [count](double angle) {
      return read(
          fmt::format("lookupTable [] numberOfRays {} aperture 1 rotation 0 0 1 {}", count, angle),
          kWall);
    };
    EXPECT_NEAR(leaning(0.3), leaning(-0.3), kRounding) << count;
  }
}

TEST(DistanceSensor, SonarHearsTheNearestEcho) {
  const char* rays = "type \"sonar\" lookupTable [ 0 0 0, 10 10 0 ] numberOfRays 7 aperture 0.6";
  EXPECT_NEAR(read(rays, kWall), 2.0, kRounding);
  const auto turned = [](double angle) {
    return read(fmt::format("type \"sonar\" {} rotation 0 0 1 {}", kPlain, angle), kWall);
  };
  EXPECT_NEAR(turned(0.99 * kPi / 8.0), 2.0 / std::cos(0.99 * kPi / 8.0), kRounding);
  EXPECT_NEAR(turned(1.01 * kPi / 8.0), 10.0, kRounding);
}

TEST(DistanceSensor, PassesTheTableNoiseAndResolution) {
  const char* things = "Solid { translation 2 0 0 boundingObject Box { size 1 1 1 } }";
  EXPECT_NEAR(read("lookupTable [ 0 1000 0, 1 800 0, 2 100 0 ]", things), 450.0, 1e-6);
  EXPECT_NEAR(read("lookupTable [ 0 1000 0, 1 800 0, 2 100 0 ] resolution 100", things), 500.0,
              1e-9);
  EXPECT_EQ(read("lookupTable [ 0 1000 0, 1 800 0 ]", things), 800.0);
  // Noise is relative to the reading and comes from the simulation's own random numbers.
  double squares = 0.0;
  Simulation simulation = load(sensor_before("lookupTable [ 0 1000 0.1, 3 1000 0.1 ]", things));
  for (int n = 0; n < 400; ++n) {
    BodySensor& sensor = simulation.robot(0).body_sensor("d");
    sensor.enable(8, 1000.0 * simulation.time());
    simulation.step();
    const double off = sensor.values()[0] / 1000.0 - 1.0;
    squares += off * off;
  }
  EXPECT_NEAR(std::sqrt(squares / 400.0), 0.1, 0.015);  // four standard errors
}

TEST(DistanceSensor, TakesBadInput) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(read("lookupTable []", ""), infinity) << "nothing is wrong with that";
  EXPECT_EQ(read("lookupTable [] numberOfRays 9 gaussianWidth 0", ""), infinity);
  EXPECT_NEAR(read("lookupTable [] numberOfRays 3 gaussianWidth 0 aperture 0", kWall), 2.0,
              kRounding);
  EXPECT_NEAR(read_bad("lookupTable [ 10 10 0, 0 0 0 ] numberOfRays 0 aperture -3", kWall), 2.0,
              kRounding);
  EXPECT_EQ(read_bad("lookupTable [ -2 5 0, -1 7 0 ]", kWall), 7.0);
  EXPECT_NEAR(read_bad("lookupTable [] numberOfRays -7 gaussianWidth -1 type \"radar\"", kWall),
              2.0, kRounding);
  EXPECT_NEAR(read_bad("type \"laser\" numberOfRays 5 lookupTable []", kWall), 2.0, kRounding);
}

}  // namespace distance_sensor_test
}  // namespace servosim::test
