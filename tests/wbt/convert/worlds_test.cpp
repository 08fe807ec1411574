// SPDX-License-Identifier: Apache-2.0
// Converted worlds move like the originals.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <numbers>
#include <set>

#include "golden/run_worlds.h"
#include "wbt/convert/convert.h"
#include "wbt/world_file.h"
#include "wbt/writer.h"

namespace servosim {
namespace {

using test::worlds_in;

// These bodies have each kind of shape, joint, device and saved state, in a frame whose y axis is
// up.
constexpr const char* kBodies = R"(
    Solid { name "floor" boundingObject Plane { } }
    Solid { name "can" translation 0 0.4 0 rotation 1 0 0 0.3
      boundingObject Cylinder { height 0.2 radius 0.1 } physics Physics { } }
    Solid { name "capsule" translation 1 0.4 0 rotation 0 0 1 0.8 physics Physics { }
      boundingObject Transform { translation 0 0.02 0 rotation 0 0 1 0.4
        children [ DEF C Shape { geometry Capsule { height 0.2 radius 0.1 } } ] } }
    Solid { name "club" translation 2 0.5 0 rotation 1 1 0 0.6 children [ USE C ]
      boundingObject Group { children [ Cylinder { height 0.3 radius 0.05 } Transform {
        translation 0 0.2 0 rotation 0 1 0 0.5 children [ Box { size 0.1 0.2 0.1 } ] } ] }
      physics Physics { } }
    Solid { name "stone" translation 3 0.6 0 rotation 1 1 1 1 physics Physics { }
      boundingObject IndexedFaceSet { coord Coordinate { point [ 0 0 0, 0.3 0 0, 0 0.3 0, 0 0 0.3 ] }
        coordIndex [ 0 2 1 -1 0 1 3 -1 0 3 2 -1 1 2 3 -1 ] } }
    Solid { name "hill" translation 0 0.3 3
      boundingObject ElevationGrid { xDimension 5 zDimension 4 xSpacing 0.5 zSpacing 0.6
        height [ 0.1 0.2 0.3 0.2 0.1, 0.2 0.1 0 0.1 0.3, 0.3 0 0.1 0 0.4, 0.2 0.3 0.4 0.5 0.6 ] } }
    Solid { name "roller" translation 1.3 1.2 3.7 boundingObject Sphere { radius 0.1 }
      physics Physics { } linearVelocity @LINEAR@ angularVelocity @ANGULAR@ }
    DEF ARM Robot { name "arm" translation -2 2 0 rotation 0 1 0 0.7 children [
      HingeJoint {
        jointParameters HingeJointParameters { axis 0.6 0 0.8 anchor 0 0.1 0 position 0.4 }
        device [ RotationalMotor { name "m" maxTorque 40 } ]
        endPoint TouchSensor { name "paw" translation 0.3 -0.4 0 rotation 1 0 0 0.4
          boundingObject Group { children [ Cylinder { height 0.3 radius 0.1 }
            Transform { translation 0 0 0.1 children [ Box { size 0.1 0.2 0.3 } ] } ] }
          physics Physics { density -1 mass 2 centerOfMass [ 0.01 0.02 0.03 ]
            inertiaMatrix [ 0.03 0.04 0.05, 0.001 0.002 0.003 ] }
          children [ HingeJoint {
            jointParameters HingeJointParameters { axis 1 0 0.2 anchor 0 -0.2 0 dampingConstant 0.1 }
            endPoint Solid { name "toe" translation 0 -0.4 0 physics Physics { }
              boundingObject Capsule { height 0.2 radius 0.05 } } } ] } }
      SliderJoint {
        jointParameters JointParameters { axis 0 1 0.3 springConstant 900 dampingConstant 3 }
        endPoint Camera { name "eye" translation 1 0 0.5 boundingObject Box { size 0.1 0.2 0.3 }
          physics Physics { centerOfMass [ 0.02 0 0.01 ] } } } ] }
    Solid { name "big" scale 1.5 1.5 1.5 translation 4 2 0 children [
      HingeJoint {
        jointParameters HingeJointParameters { axis 0 0 1 anchor 0.2 0 0 }
        endPoint Solid { name "bob" translation 0.5 0.1 0 physics Physics { }
          boundingObject Transform { rotation 0 0 1 0.3 children [ Cylinder { height 0.3 radius 0.1 }
            ] } } } ] }
)";

struct World {
  const char* name;
  std::string version;
  AxisAngle tilt;  // rotation of the frame above in the world
  std::string gravity;

  friend void PrintTo(const World& world, std::ostream* out) { *out << world.name; }
};

std::string shown(const Vec3& v) { return fmt::format("{} {} {}", v.x, v.y, v.z); }

std::string text_of(const World& world) {
  const Mat3 r = rotation_matrix(world.tilt);
  std::string bodies = kBodies;
  const auto put = [&](const std::string& mark, const Vec3& v) {
    bodies.replace(bodies.find(mark), mark.size(), shown(r * v));
  };
  put("@LINEAR@", {0.3, 0.1, -0.2});
  put("@ANGULAR@", {1, 2, 3});
  return fmt::format(
      "#VRML_SIM {} utf8\nWorldInfo {{ basicTimeStep 8 {} }}\nTransform {{ rotation {} {} "
      "children [ {} ] }}\n",
      world.version, world.gravity, shown(world.tilt.axis), world.tilt.angle, bodies);
}

// There is no friction: ODE takes its directions from the world's axes, so in a turned world a body
// slides slightly differently.
World pulled(const char* name, const AxisAngle& tilt, double strength) {
  const Vec3 gravity = rotation_matrix(tilt) * Vec3{0, -strength, 0};
  return {
      name, "V6.0", tilt,
      "contactProperties [ ContactProperties { coulombFriction 0 } ] gravity " + shown(gravity)};
}

std::vector<World> worlds() {
  const AxisAngle none;
  return {{"V6", "V6.0", none, ""},
          {"V8WithItsGravity", "V8.6", none, "gravity 0 -3 0"},
          {"R2020aWithItsNorth", "R2020a", none, "northDirection 0 0 1"},
          {"R2020aWithoutGravity", "R2020a", none, "gravity 0 0 0"},
          {"R2020bNue", "R2020b", none, "coordinateSystem \"NUE\" gravity 9"},
          {"R2021bEun", "R2021b", none, "coordinateSystem \"EUN\""},
          // The y axis of the bodies is the world's z axis, and gravity is exactly 0 0 -9.81.
          {"V6ZUp", "V6.0", {{1, 0, 0}, std::numbers::pi / 2}, "gravity 0 0 -9.81"},
          {"R2021aZUp", "R2021a", {{1, 0, 0}, std::numbers::pi / 2}, ""},
          pulled("V6ZDown", {{1, 0, 0}, -std::numbers::pi / 2}, 9.81),
          pulled("V6YDown", {{1, 0, 0}, std::numbers::pi}, 9.81),
          pulled("V6Askew", {{1, 2, 3}, 0.7}, 9.81),
          pulled("V6AskewAndWeak", {{-2, 1, 0.5}, 2.3}, 4)};
}

wbt::WorldFile read(const std::string& text) {
  Diagnostics diagnostics;
  wbt::WorldFile world = wbt::read_world_text(text, "w.wbt", "/nowhere", {}, diagnostics);
  EXPECT_EQ(diagnostics.list().size(), 0u);
  return world;
}

Simulation simulation_of(const std::string& text) {
  LoadOptions options;
  options.notice = [](std::string_view) {};
  return Simulation::from_text(text, std::move(options), "/nowhere");
}

std::set<std::string> messages_of(const Simulation& simulation) {
  std::set<std::string> messages;
  for (const Diagnostic& d : simulation.diagnostics()) {
    messages.insert(d.message);
  }
  return messages;
}

// Returns the largest difference of positions [m] and rotations [rad] between the two worlds, after
// the turn of the world.
double distance(const Simulation& before, const Simulation& after) {
  const Mat3 turn =
      after.solid("floor").pose().rotation * transposed(before.solid("floor").pose().rotation);
  double largest = 0.0;
  for (const char* name :
       {"can", "capsule", "club", "stone", "roller", "toe", "bob", "paw", "eye"}) {
    const Pose a = Pose{turn, {}} * before.solid(name).pose();
    const Pose b = after.solid(name).pose();
    largest = std::max(largest, norm(a.translation - b.translation));
    const bool is_device = std::string(name) == "paw" || std::string(name) == "eye";
    for (int i = 0; i < 9 && !is_device; ++i) {  // the frame of a device has turned
      largest = std::max(largest, std::abs(a.rotation.m[i] - b.rotation.m[i]));
    }
  }
  for (int j = 0; j < before.joints().size(); ++j) {
    largest = std::max(largest, std::abs(before.joint(j).position() - after.joint(j).position()));
  }
  return largest;
}

class ConvertedWorlds : public testing::TestWithParam<World> {};

TEST_P(ConvertedWorlds, MoveAsTheOriginals) {
  const std::string text = text_of(GetParam());
  Diagnostics diagnostics;
  const std::string converted = wbt::write_world(convert(read(text), diagnostics));
  SCOPED_TRACE(converted);
  Simulation before = simulation_of(text);
  Simulation after = simulation_of(converted);
  EXPECT_EQ(messages_of(after), messages_of(before));
  ASSERT_EQ(before.joints().size(), 4);
  ASSERT_EQ(after.joints().size(), 4);
  // The tolerance covers products of rotations, rounded to 1e-16, in worlds of some metres.
  EXPECT_LT(distance(before, after), 1e-14);
  double flight = 0.0;
  double landed = 0.0;
  for (int n = 0; n < 375; ++n) {  // 3 s
    for (Simulation* simulation : {&before, &after}) {
      simulation->robot(0).motor("m").set_position(0.6 * std::sin(0.03 * n));
      simulation->step();
    }
    (n < 20 ? flight : landed) = std::max(n < 20 ? flight : landed, distance(before, after));
  }
  EXPECT_LT(flight, 1e-12);
  // Impacts multiply the initial rounding. 5e-13 was the largest value found.
  EXPECT_LT(landed, 1e-10);
  // Gravity or the saved velocity has moved it.
  const Vec3 start = text.find("gravity 0 0 0") != std::string::npos ? Vec3{} : Vec3{0.1, 0, 0};
  EXPECT_GT(norm(before.solid("roller").pose().translation - start), 0.1);
}

TEST_P(ConvertedWorlds, AreConvertedOnce) {
  Diagnostics diagnostics;
  const std::string once = wbt::write_world(convert(read(text_of(GetParam())), diagnostics));
  Diagnostics none;
  EXPECT_EQ(wbt::write_world(convert(read(once), none)), once);
  EXPECT_EQ(none.list().size(), 0u);
}

INSTANTIATE_TEST_SUITE_P(All, ConvertedWorlds, testing::ValuesIn(worlds()),
                         testing::PrintToStringParamName());

// These worlds were made for other tests. They have PROTOs and Servos, too.
TEST(ConvertWorlds, SayNothingNewAndAreConvertedOnce) {
  int converted_worlds = 0;
  for (const std::string folder :
       {SERVOSIM_WORLDS_DIR, SERVOSIM_TEST_DIR "/worlds", SERVOSIM_TEST_DIR "/programs/projects"}) {
    for (const std::string& path : worlds_in(folder)) {
      SCOPED_TRACE(path);
      Diagnostics diagnostics;
      const wbt::WorldFile world = wbt::read_world(path, {}, diagnostics);
      if (diagnostics.errors() > 0) {
        continue;
      }
      const wbt::WorldFile converted = convert(world, diagnostics);
      const std::string text = wbt::write_world(converted);
      const std::string home = std::filesystem::path(path).parent_path().string();
      Diagnostics said;
      const wbt::WorldFile again = wbt::read_world_text(text, "w.wbt", home, {}, said);
      EXPECT_EQ(said.list().size(), 0u);
      EXPECT_TRUE(wbt::equal(converted, again));
      EXPECT_EQ(wbt::write_world(convert(again, said)), text);
      EXPECT_EQ(said.list().size(), 0u);
      ++converted_worlds;
    }
  }
  EXPECT_GE(converted_worlds, 110);
}

}  // namespace
}  // namespace servosim
