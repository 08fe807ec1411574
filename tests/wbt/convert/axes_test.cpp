// SPDX-License-Identifier: Apache-2.0
// The trees of converted worlds. worlds_test.cpp tests how these worlds move.
#include <gtest/gtest.h>

#include "scene/scene.h"
#include "scene/scene_builder.h"
#include "wbt/convert/convert.h"
#include "wbt/test_support.h"
#include "wbt/writer.h"

namespace servosim {
namespace {

using wbt::test::Messages;
using wbt::test::read_body;

std::string converted(const std::string& body, const std::string& version,
                      Messages* said = nullptr) {
  const auto world = read_body(body, version);
  EXPECT_EQ(world.messages, Messages());
  Diagnostics diagnostics;
  const std::string text = wbt::write_world(convert(world.file, diagnostics));
  for (const Diagnostic& d : diagnostics.list()) {
    EXPECT_NE(said, nullptr) << d.message;
    if (said != nullptr) {
      said->push_back(d.message);
    }
  }
  return text.substr(text.find('\n') + 1);
}

const std::string kInfo = "WorldInfo {\n  gravity 9.81\n  coordinateSystem \"NUE\"\n}\n";
const std::string kTurn = "rotation 1 0 0 -1.5707963267948966\n";

TEST(ConvertGravity, IsStatedWithItsFrame) {
  EXPECT_EQ(converted("", "V6.0"), kInfo);
  EXPECT_EQ(converted("WorldInfo { }", "R2020a"), kInfo);
  EXPECT_EQ(converted("WorldInfo { gravity 0 0 -1.6 }", "V6.0"),
            "WorldInfo {\n  gravity 1.6\n  coordinateSystem \"ENU\"\n}\n");
  EXPECT_EQ(converted("WorldInfo { gravity 0 0 0 northDirection 0 0 1 }", "V6.0"),
            "WorldInfo {\n  gravity 0\n  coordinateSystem \"EUN\"\n}\n");
  EXPECT_EQ(converted("WorldInfo { }", "R2021b"), "WorldInfo {\n  coordinateSystem \"ENU\"\n}\n");
  EXPECT_EQ(converted("WorldInfo { coordinateSystem \"NUE\" gravity 3 }", "R2020b"),
            "WorldInfo {\n  coordinateSystem \"NUE\"\n  gravity 3\n}\n");
}

TEST(ConvertGravity, SaysWhatOfNorthIsLost) {
  Messages said;
  converted("WorldInfo { northDirection 1 2 3 }\nCompass { }", "V6.0", &said);
  EXPECT_EQ(said, Messages{"north was 1 2 3; present worlds have no northDirection: Compass and "
                           "InertialUnit will measure by coordinateSystem \"NUE\""});
}

// If gravity was along another axis than -y, the default north is lost, too.
TEST(ConvertGravity, SaysThatNorthIsAnotherOne) {
  const std::string lost =
      "; present worlds have no northDirection: Compass and InertialUnit will measure by "
      "coordinateSystem \"ENU\"";
  const std::string sensor = "Solid { children [ Robot { children [ InertialUnit { } ] } ] }";
  Messages said;
  converted("WorldInfo { gravity 0 0 -9.81 }\n" + sensor, "V6.0", &said);
  EXPECT_EQ(said, Messages{"north was 1 0 0" + lost});
  said.clear();
  converted("WorldInfo { gravity 0 0 -9.81 northDirection 0 0 1 }\n" + sensor, "V6.0", &said);
  EXPECT_EQ(said, Messages{"north was 0 0 1" + lost});
  said.clear();
  // The world is turned about x.
  converted("WorldInfo { gravity 0 9.81 0 }\n" + sensor, "R2020a", &said);
  ASSERT_EQ(said.size(), 2u);
  EXPECT_EQ(said[1], "north was 1 0 0" + lost);
  said.clear();
  converted("WorldInfo { gravity -9.81 0 0 }\n" + sensor, "R2020a", &said);  // x becomes up
  ASSERT_EQ(said.size(), 2u);
  EXPECT_EQ(said[1], "north was 0 0 1" + lost);
}

// No message tells about north if it stays the same or if nothing reads it.
TEST(ConvertGravity, SaysNothingOfNorthWithoutNeed) {
  const std::string sensor = "\nCompass { }";
  converted("WorldInfo { gravity 0 0 -9.81 northDirection 0 1 0 }" + sensor, "V6.0");
  converted("WorldInfo { }" + sensor, "V6.0");
  converted("WorldInfo { }" + sensor, "R2020b");
  converted("WorldInfo { gravity 0 0 -9.81 }\nGPS { }", "V6.0");
}

TEST(ConvertGravity, TurnsTheWorldUnderIt) {
  Messages said;
  const std::string text = converted(
      "WorldInfo { gravity -2 0 0 }\nViewpoint { position 1 2 3 }\nFog { }\n"
      "Solid { translation 5 0 1 linearVelocity 0 1 2 }\nGroup { }\n",
      "V6.0", &said);
  ASSERT_EQ(said.size(), 1u);
  EXPECT_NE(said[0].find("gravity -2 0 0 points along no axis"), std::string::npos) << said[0];
  const wbt::test::ReadWorld again = wbt::test::read_text("#VRML_SIM R2025a utf8\n" + text, "/");
  EXPECT_EQ(again.node(0).string("coordinateSystem"), "ENU");
  EXPECT_EQ(again.node(0).number("gravity"), 2.0);
  // -x becomes -z, and z becomes -x. There are four roundings of numbers up to 5.
  const auto near = [](const Vec3& a, const Vec3& b) { return norm(a - b) < 1e-14; };
  EXPECT_TRUE(near(again.node(1).vec3("position"), {-3, 2, 1}));
  EXPECT_TRUE(near(again.node(3).vec3("translation"), {-1, 0, 5}));
  EXPECT_TRUE(near(again.node(3).vec3("linearVelocity"), {-2, 1, 0}));
  EXPECT_EQ(again.node(2).type->name, "Fog");
  EXPECT_EQ(again.node(4).type->name, "Pose");
}

TEST(ConvertAxes, StandUpInAPose) {
  EXPECT_EQ(converted("WorldInfo { }\nSolid { children [ DEF S Shape { geometry Cylinder { } } ] "
                      "boundingObject USE S }",
                      "R2021a"),
            "WorldInfo {\n  coordinateSystem \"ENU\"\n}\n"
            "Solid {\n  children [\n    Pose {\n      " +
                kTurn +
                "      children [\n        DEF S Shape {\n          geometry Cylinder {\n"
                "          }\n        }\n      ]\n    }\n  ]\n  boundingObject Pose {\n    " +
                kTurn + "    children [\n      USE S\n    ]\n  }\n}\n");
}

TEST(ConvertAxes, TurnThePoseThatHoldsNothingElse) {
  const std::string text = converted(
      "Solid { boundingObject Transform { rotation 1 0 0 1.5707963267948966 translation "
      "1 2 3 children [ Plane { } ] } }",
      "V6.0");
  EXPECT_EQ(text, kInfo +
                      "Solid {\n  boundingObject Pose {\n    translation 1 2 "
                      "3\n    children [\n      Plane {\n      }\n    ]\n  }\n}\n");
}

// Webots refuses a Pose in a Pose and a Group in a Group, so the result has none.
TEST(ConvertAxes, FlattenBoundingObjects) {
  const std::string text = converted(
      "Solid { boundingObject DEF G Group { children [ Transform { translation 1 0 0 children [ "
      "Cylinder { } Transform { translation 0 1 0 children [ Sphere { } ] } ] } Box { } ] } }",
      "V6.0");
  const auto world = wbt::test::read_text("#VRML_SIM R2025a utf8\n" + text, "/");
  const wbt::Node& group = *world.node(1).node("boundingObject");
  EXPECT_EQ(group.def, "G");
  const auto& shapes = group.nodes("children");
  ASSERT_EQ(shapes.size(), 3u);
  EXPECT_EQ(shapes[0]->vec3("translation"), (Vec3{1, 0, 0}));
  EXPECT_EQ(shapes[0]->rotation("rotation").angle, -1.5707963267948966);
  EXPECT_EQ(shapes[0]->nodes("children")[0]->type->name, "Cylinder");
  EXPECT_EQ(shapes[1]->vec3("translation"), (Vec3{1, 1, 0}));
  EXPECT_EQ(shapes[1]->nodes("children")[0]->type->name, "Sphere");
  EXPECT_EQ(shapes[2]->type->name, "Box");
}

// Maps a point of an old device into the frame that has the device, before and after the
// conversion.
TEST(ConvertAxes, TurnDevicesButNotWhatTheyHold) {
  for (const char* type : {"Camera", "Lidar", "Radar", "RangeFinder", "Emitter", "Receiver",
                           "Connector", "TouchSensor", "Pen", "Track"}) {
    const std::string text =
        converted(std::string("DEF D ") + type +
                      " { rotation 0 1 0 0.5 children [ Solid { translation 1 2 3 rotation 1 0 0 "
                      "0.25 } ] physics Physics { centerOfMass [ 3 4 5 ] density -1 mass 2 "
                      "inertiaMatrix [ 1 2 4, 0.1 0.2 0.3 ] } boundingObject Box { } }",
                  "R2020a");
    const auto world = wbt::test::read_text("#VRML_SIM R2025a utf8\n" + text, "/");
    const wbt::Node& device = world.node(1);
    const Mat3 r = rotation_matrix(device.rotation("rotation"));
    const Mat3 old = rotation_matrix({{0, 1, 0}, 0.5});
    const Mat3 turn = transposed(old) * r;  // the new axes in the old frame
    const Vec3 forward = turn * Vec3{1, 0, 0};
    const Vec3 up = turn * Vec3{0, 0, 1};
    const std::string name = type;
    const bool looks =
        name == "Camera" || name == "Lidar" || name == "Radar" || name == "RangeFinder";
    const Vec3 was_forward = looks                              ? Vec3{0, 0, -1}
                             : name == "Pen" || name == "Track" ? Vec3{1, 0, 0}
                                                                : Vec3{0, 0, 1};
    // The results are products of a few sines and cosines, each rounded to 1e-16. Numbers are up to
    // 7.
    EXPECT_LT(norm(forward - was_forward), 1e-14) << type;
    EXPECT_LT(norm(up - Vec3{0, 1, 0}), 1e-14) << type;
    const wbt::Node& child = *device.nodes("children")[0];
    EXPECT_LT(norm(r * child.vec3("translation") - old * Vec3{1, 2, 3}), 1e-14) << type;
    const Mat3 child_turn = r * rotation_matrix(child.rotation("rotation"));
    const Mat3 expected = old * rotation_matrix({{1, 0, 0}, 0.25});
    for (int i = 0; i < 9; ++i) {
      EXPECT_NEAR(child_turn.m[i], expected.m[i], 1e-14) << type;
    }
    const wbt::Node& physics = *device.node("physics");
    EXPECT_LT(norm(r * physics.vec3s("centerOfMass")[0] - old * Vec3{3, 4, 5}), 1e-14) << type;
    const std::vector<Vec3>& i = physics.vec3s("inertiaMatrix");
    EXPECT_NEAR(i[0].x + i[0].y + i[0].z, 7.0, 1e-14) << type;
    const Mat3 inertia{{i[0].x, i[1].x, i[1].y, i[1].x, i[0].y, i[1].z, i[1].y, i[1].z, i[0].z}};
    const Mat3 back = turn * inertia * transposed(turn);
    EXPECT_NEAR(back(0, 0), 1.0, 1e-14) << type;
    EXPECT_NEAR(back(0, 1), 0.1, 1e-14) << type;
    EXPECT_NEAR(back(1, 2), 0.3, 1e-14) << type;
    EXPECT_EQ(device.node("boundingObject")->type->name, "Pose");
  }
}

// A sensor turns with its axes, and so do the nine values of its inertia.
TEST(ConvertAxes, TurnOldInertia) {
  const auto world = wbt::test::read_text(
      "#VRML_SIM V6.0 utf8\nTouchSensor { rotation 0 1 0 0.5 boundingObject Box { } "
      "physics Physics { mass 2 density -1 orientation 0.6 0 0.8 0.75 "
      "inertiaMatrix [ 0.5 0.25 0.125, 3 5 7, 0.1 0.2 0.3 ] } }",
      "/");
  Diagnostics ignored;
  const SolidSpec before = build_scene(world.file, ignored).solids.at(0);
  const SolidSpec after = build_scene(convert(world.file, ignored), ignored).solids.at(0);
  ASSERT_TRUE(after.physics->inertia && after.physics->center_of_mass);
  // A dozen products of numbers below 8 are each rounded to 1e-16.
  EXPECT_LT(norm(before.pose * *before.physics->center_of_mass -
                 after.pose * *after.physics->center_of_mass),
            1e-14);
  const auto in_world = [](const SolidSpec& solid) {
    return solid.pose.rotation * *solid.physics->inertia * transposed(solid.pose.rotation);
  };
  for (int i = 0; i < 9; ++i) {
    EXPECT_NEAR(in_world(before).m[i], in_world(after).m[i], 1e-14) << i;
  }
}

// Products of quarter turns leave neither tiny remainders nor -0.
TEST(ConvertAxes, WriteTidyNumbers) {
  const std::string text = converted(
      "Receiver { rotation 0 1 0 1.5707963267948966 children [ Solid { translation 1 0 2 "
      "linearVelocity -0 1e-20 1 } ] physics Physics { centerOfMass [ 0 1 0 ] mass 1 density -1 "
      "inertiaMatrix [ 1 2 3, 0 0 0 ] } }",
      "R2021a");
  EXPECT_EQ(text.find("e-1"), std::string::npos) << text;
  EXPECT_NE(text.find(" 0\n      linearVelocity"), std::string::npos) << text;
  EXPECT_NE(text.find("0 0 1\n"), std::string::npos) << text;
  // A value that is not computed stays as it was.
  EXPECT_NE(text.find("linearVelocity -0 1e-20 1\n"), std::string::npos) << text;
}

TEST(ConvertAxes, LeaveOutWhatTurnsNothing) {
  const std::string text = converted(
      "Group { children [ Camera { rotation -0.5773502691896258 0.5773502691896258 "
      "0.5773502691896258 -2.0943951023931953 } Transform { rotation 0 1 0 0 children [ Box { } ] "
      "} ] }",
      "R2021a");
  EXPECT_NE(text.find("Camera {\n    }"), std::string::npos) << text;
  EXPECT_NE(text.find("rotation 0 1 0 0\n"), std::string::npos) << text;
}

// servosim check says the same about the original.
TEST(ConvertShapes, LeaveOutWhatWebotsForbids) {
  const std::string cone =
      "Webots allows no Cone in a boundingObject, so it is left out; use a "
      "Cylinder, a Capsule or an IndexedFaceSet";
  const std::string cad =
      "Webots allows no CadShape in a boundingObject, so it is left out; use a Mesh with this url";
  Messages said;
  const std::string text = converted(
      "Solid { children [ DEF S Shape { geometry Cone { } } ] boundingObject Group { children [ "
      "USE S Pose { translation 1 0 0 children [ CadShape { } Box { } ] } ] } }\n"
      "Solid { name \"b\" boundingObject Cone { } }\n",
      "R2025a", &said);
  EXPECT_EQ(said, (Messages{cone, cad, cone}));
  EXPECT_EQ(text,
            "Solid {\n  children [\n    DEF S Shape {\n      geometry Cone {\n      }\n    }\n  ]\n"
            "  boundingObject Group {\n    children [\n      Pose {\n        translation 1 0 0\n"
            "        children [\n          Box {\n          }\n        ]\n      }\n    ]\n  }\n}\n"
            "Solid {\n  name \"b\"\n}\n");
}

TEST(ConvertAxes, TurnTheView) {
  const std::string text = converted("Viewpoint { position 0 0 10 }", "R2021b");
  EXPECT_EQ(text.find("Viewpoint {\n  position 0 0 10\n  orientation -0.577350269189"), 0u) << text;
}

TEST(ConvertAxes, LeavePresentFilesAlone) {
  const std::string text =
      "Solid {\n  children [\n    Camera {\n    }\n    Transform {\n      scale 2 2 2\n    }\n"
      "  ]\n  boundingObject Cylinder {\n  }\n}\n";
  EXPECT_EQ(converted(text, "R2025a"), text);
  EXPECT_EQ(converted(text, "R2023b"), text);
}

TEST(ConvertScale, IsWorkedIntoBodiesAndKeptForWhatIsSeen) {
  const std::string text = converted(
      "WorldInfo { coordinateSystem \"ENU\" }\nSolid { scale 2 2 2 translation 1 0 0 children [ "
      "DEF S Shape { geometry Sphere { } } Solid { translation 0 1 0 name \"b\" boundingObject "
      "Sphere { } } ] boundingObject USE S }",
      "R2022b");
  EXPECT_EQ(text,
            "WorldInfo {\n  coordinateSystem \"ENU\"\n}\nSolid {\n  translation 1 0 0\n"
            "  children [\n    Transform {\n      children [\n"
            "        DEF S Shape {\n          geometry Sphere {\n          }\n        }\n"
            "      ]\n      scale 2 2 2\n    }\n    Solid {\n      translation 0 2 0\n"
            "      name \"b\"\n      boundingObject Sphere {\n        radius 2\n      }\n    }\n"
            "  ]\n  boundingObject DEF S Shape {\n    geometry Sphere {\n      radius 2\n    }\n"
            "  }\n}\n");
}

// Nightly versions of R2023b still wrote the field.
TEST(ConvertScale, OfSolidsIsWorkedInUntilR2023b) {
  const std::string text = converted(
      "Solid { scale 0.5 0.5 0.5 children [ Solid { translation 4 0 0 } ] boundingObject Box { "
      "size 6 8 10 } }",
      "R2023b");
  EXPECT_NE(text.find("translation 2 0 0"), std::string::npos) << text;
  EXPECT_NE(text.find("size 3 4 5"), std::string::npos) << text;
  EXPECT_EQ(text.find("scale"), std::string::npos) << text;
}

TEST(ConvertScale, SaysWhatCannotBeScaled) {
  Messages said;
  converted("Solid { scale 2 2 2 boundingObject Mesh { url \"a.stl\" } }", "R2022b", &said);
  EXPECT_EQ(said, Messages{"the scale 2 2 2 above this Mesh cannot be worked into it; scale what "
                           "its file holds"});
}

}  // namespace
}  // namespace servosim
