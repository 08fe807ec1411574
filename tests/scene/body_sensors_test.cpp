// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <tuple>
#include <vector>

#include "support/scenes.h"

namespace servosim {
namespace {

using test::load_scene;
using test::Messages;

test::LoadedScene scene_with(const std::string& device) {
  return load_scene("WorldInfo { }\nRobot { children [\n" + device + "\n] }\n");
}

const BodySensorSpec& sensor_of(const test::LoadedScene& loaded) {
  return *loaded.scene.robots.at(0).devices.at(0).body_sensor;
}

TEST(BodySensors, AreReadWithTheirSolid) {
  const auto loaded = scene_with(
      "Gyro { name \"g\" xAxis FALSE resolution 0.5 lookupTable [ -1 -10 0, 1 10 0.5 ] }");
  EXPECT_EQ(loaded.messages, Messages{});
  const BodySensorSpec& spec = sensor_of(loaded);
  EXPECT_EQ(loaded.scene.solids.at(spec.solid).name, "g");
  EXPECT_FALSE(spec.axes[0]);
  EXPECT_TRUE(spec.axes[1]);
  EXPECT_EQ(spec.resolution, 0.5);
  ASSERT_EQ(spec.lookup_table.size(), 2u);
  EXPECT_EQ(spec.lookup_table[1].noise, 0.5);
}

TEST(BodySensors, BadValuesAreReplaced) {
  const auto gps = scene_with("GPS { accuracy -1 noiseCorrelation 2 resolution 0 speedNoise -2 }");
  EXPECT_EQ(gps.messages,
            (Messages{"4:7: warning: accuracy is -1, but it must be >= 0; 0 is used",
                      "4:38: warning: resolution is 0, but it must be -1 or > 0; -1 is used",
                      "4:19: warning: noiseCorrelation is 2, but it must be in [0, 1]; 0 is used",
                      "4:51: warning: speedNoise is -2, but it must be >= 0; 0 is used"}));
  EXPECT_EQ(sensor_of(gps).noise, 0.0);
  const auto table = scene_with("Compass { lookupTable [ 1 5 0, -1 3 0 ] }");
  EXPECT_EQ(table.messages, (Messages{"4:11: warning: the first column of lookupTable should rise; "
                                      "its rows are sorted"}));
  EXPECT_EQ(sensor_of(table).lookup_table[0].reading, 3.0);
}

// Webots' directions of the rays of a DistanceSensor: turns about the axis, from upwards to the
// left, and angles off the axis as shares of half the aperture. More than ten rays are on rings of
// 1, 4, 7, ... rays, of which the last has the rest.
TEST(BodySensors, RaysHaveTheDirectionsOfWebots) {
  using Place = std::array<double, 2>;  // turn [degrees], share
  const auto with_ring = [](std::vector<Place> places, int count, double share) {
    for (int k = 0; k < count; ++k) {
      places.push_back({360.0 * k / count, share});
    }
    return places;
  };
  const Place middle{0.0, 0.0};
  const std::vector<std::vector<Place>> bundles{
      {middle},
      {{90.0, 1.0}, {-90.0, 1.0}},
      {{0.0, 1.0}, {120.0, 1.0}, {-120.0, 1.0}},
      {middle, {0.0, 1.0}, {120.0, 1.0}, {-120.0, 1.0}},
      with_ring({middle}, 4, 1.0),
      with_ring({middle}, 5, 1.0),
      with_ring({middle}, 6, 1.0),
      with_ring({middle}, 7, 1.0),
      with_ring({{0.0, 0.3}, {120.0, 0.3}, {-120.0, 0.3}}, 6, 1.0),
      with_ring({middle, {0.0, 0.5}, {120.0, 0.5}, {-120.0, 0.5}}, 6, 1.0),
      with_ring(with_ring({middle}, 4, 0.5), 6, 1.0),
      with_ring(with_ring({middle}, 4, 0.5), 7, 1.0),
      with_ring(with_ring(with_ring({middle}, 4, 1.0 / 3.0), 7, 2.0 / 3.0), 8, 1.0)};
  constexpr double kAperture = 1.2;
  for (const std::vector<Place>& bundle : bundles) {
    const auto loaded = scene_with(
        fmt::format("DistanceSensor {{ numberOfRays {} aperture {} }}", bundle.size(), kAperture));
    const std::vector<SensorRay>& rays = sensor_of(loaded).rays;
    ASSERT_EQ(rays.size(), bundle.size());
    for (const auto& [turn, share] : bundle) {
      const double off = 0.5 * kAperture * share;
      const double angle = turn * std::numbers::pi / 180.0;
      const Vec3 direction{std::cos(off), std::sin(off) * std::sin(angle),
                           std::sin(off) * std::cos(angle)};
      EXPECT_EQ(std::count_if(
                    rays.begin(), rays.end(),
                    [&](const SensorRay& ray) { return norm(ray.direction - direction) < 1e-12; }),
                1)
          << bundle.size() << ": " << turn << ' ' << share;
    }
  }
}

TEST(BodySensors, RadarsHaveOtherFieldsOfViewForBadOnes) {
  for (const auto& [fields, horizontal, vertical] :
       {std::tuple{"horizontalFieldOfView 3.15 verticalFieldOfView 1.58", 0.78, 0.1},
        {"horizontalFieldOfView 0 verticalFieldOfView 0", 0.78, 0.1},
        {"horizontalFieldOfView 3.14 verticalFieldOfView 1.57", 3.14, 1.57}}) {
    const auto loaded = scene_with(std::string("Radar { ") + fields + " }");
    const RadarSpec& radar = *loaded.scene.robots.at(0).devices.at(0).radar;
    EXPECT_EQ(radar.horizontal_field_of_view, horizontal) << fields;
    EXPECT_EQ(radar.vertical_field_of_view, vertical) << fields;
  }
}

TEST(BodySensors, AllDevicesSayWhatTheyAre) {
  const auto loaded =
      scene_with("Camera { width 20 zoom Zoom { maxFieldOfView 1.25 } projection \"planar\" }");
  const auto& fields = loaded.scene.robots.at(0).devices.at(0).fields;
  const auto find = [&](const std::string& name) {
    const auto found = std::find_if(fields.begin(), fields.end(),
                                    [&](const DeviceField& field) { return field.name == name; });
    return found == fields.end() ? DeviceField{} : *found;
  };
  EXPECT_EQ(find("width").numbers, std::vector{20.0});
  EXPECT_EQ(find("height").numbers, std::vector{64.0}) << "a default";
  EXPECT_EQ(find("zoom.maxFieldOfView").numbers, std::vector{1.25});
  EXPECT_EQ(find("projection").text, "planar");
  EXPECT_EQ(find("antiAliasing").numbers, std::vector{0.0});
  EXPECT_EQ(find("translation").name, "") << "that is no field of the device";
}

TEST(BodySensors, DirectionsFollowTheCoordinateSystem) {
  const WorldSettings old = load_scene("WorldInfo { northDirection 0 0 2 }", "V8.6").scene.world;
  EXPECT_EQ(old.north, (Vec3{0.0, 0.0, 1.0}));
  EXPECT_EQ(old.up, (Vec3{0.0, 1.0, 0.0}));
  EXPECT_EQ(old.east, (Vec3{-1.0, 0.0, 0.0}));
  const WorldSettings tilted =
      load_scene("WorldInfo { northDirection 0 1 0 gravity 0 -9.81 0 }", "V8.6").scene.world;
  EXPECT_EQ(norm(tilted.north), 1.0) << "north cannot be up";
  EXPECT_EQ(dot(tilted.north, tilted.up), 0.0);
}

}  // namespace
}  // namespace servosim
