// SPDX-License-Identifier: Apache-2.0
#include "robots/mjcf_reader.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <string>
#include <vector>

#include "base/files.h"
#include "scene/scene.h"

namespace servosim::robots::mjcf_reader_test {
namespace {

struct Read {
  std::optional<RobotModel> model;
  std::vector<std::string> messages;  ///< such as `3: error: …`, by line
  std::vector<std::string> losses;    ///< such as `3: …`
};

Read read(const std::string& text, const std::string& folder = "/nowhere/at/all") {
  Diagnostics diagnostics;
  const std::uint32_t file = diagnostics.sources().add("robot.xml", text);
  RobotFiles files(folder);
  std::vector<Loss> losses;
  Read result;
  result.model = read_mjcf(file, files, diagnostics, losses);
  for (const Diagnostic& d : diagnostics.list()) {
    result.messages.push_back(fmt::format("{}: {}: {}", d.line, name_of(d.severity), d.message));
  }
  for (const Loss& loss : losses) {
    result.losses.push_back(
        fmt::format("{}: {}", diagnostics.sources().resolve(loss.where).line, loss.what));
  }
  return result;
}

std::string bodies(const std::string& parts, const std::string& before = "",
                   const std::string& behind = "") {
  return "<mujoco>" + before + "<worldbody>\n" + parts + "\n</worldbody>" + behind + "</mujoco>";
}

// A file with one body, whose mass is 1 kg.
std::string body(const std::string& parts, const std::string& before = "",
                 const std::string& behind = "") {
  return bodies("<body name='b'><geom name='g' size='.1' mass='1'/>\n" + parts + "</body>", before,
                behind);
}

std::string hinge(const std::string& attributes) { return "<joint name='j' " + attributes + "/>"; }

// Returns the first error, and checks that nothing was read.
std::string error_of(const Read& result) {
  EXPECT_FALSE(result.model.has_value());
  for (const std::string& message : result.messages) {
    if (message.find(": error: ") != std::string::npos) {
      return message;
    }
  }
  return "";
}

std::string error_of(const std::string& text) { return error_of(read(text)); }

// Returns the only loss of a file that can be read.
std::string loss_of(const std::string& text) {
  const Read result = read(text);
  EXPECT_TRUE(result.model.has_value()) << fmt::format("{}", fmt::join(result.messages, "\n"));
  EXPECT_EQ(result.losses.size(), 1u);
  return result.losses.empty() ? "" : result.losses.front();
}

// Returns the robot of a file without losses and warnings.
RobotModel robot_of(const std::string& text) {
  const Read result = read(text);
  EXPECT_TRUE(result.model.has_value()) << fmt::format("{}", fmt::join(result.messages, "\n"));
  EXPECT_TRUE(result.losses.empty()) << result.losses.front();
  return result.model.value_or(RobotModel{});
}

RobotJoint joint_of(const std::string& text) {
  const RobotModel model = robot_of(text);
  return model.links.size() == 2 && model.links[1].joints.size() == 1 ? model.links[1].joints[0]
                                                                      : RobotJoint{};
}

void expect_near(const Vec3& a, const Vec3& b) {
  EXPECT_NEAR(norm(a - b), 0.0, 1e-12) << fmt::format("{} {} {}", a.x, a.y, a.z);
}

TEST(MjcfReader, RefusesWhatIsNoRobot) {
  EXPECT_EQ(error_of("<mujoco><worldbody>\n</mujoco>"),
            "2: error: is no XML: Start-end tags mismatch");
  EXPECT_EQ(error_of("<robot name='r'/>"),
            "1: error: is no MJCF: its first element is <robot>, not <mujoco>");
  EXPECT_EQ(error_of("<mujoco/>"),
            "1: error: has no body: it may be a part that another file includes");
  EXPECT_EQ(error_of("<!DOCTYPE a [<!ENTITY b 'bb'><!ENTITY c '&b;&b;'>]><mujoco>&c;</mujoco>"),
            "1: error: declares an entity, which is not read: write its text in its place");
}

TEST(MjcfReader, TakesOnlyBodyAsRoot) {
  const RobotModel held = robot_of(body(""));
  ASSERT_EQ(held.links.size(), 1u);
  EXPECT_TRUE(held.fixed_base);
  EXPECT_EQ(held.links[0].name, "b");
  const RobotModel free = robot_of(body("<freejoint/>"));
  ASSERT_EQ(free.links.size(), 1u);
  EXPECT_FALSE(free.fixed_base);
  EXPECT_TRUE(free.links[0].joints.empty());
  const RobotModel jointed = robot_of(body("<joint/>"));
  ASSERT_EQ(jointed.links.size(), 2u);
  EXPECT_TRUE(jointed.fixed_base);
  EXPECT_EQ(jointed.links[0].name, "world");
}

TEST(MjcfReader, ReadsAnglesInTheUnitOfTheFile) {
  const RobotJoint degrees = joint_of(body(hinge("range='-90 180' springref='90' ref='-45'")));
  ASSERT_TRUE(degrees.range.has_value());
  EXPECT_DOUBLE_EQ(degrees.range->lower, -std::numbers::pi / 2);
  EXPECT_DOUBLE_EQ(degrees.range->upper, std::numbers::pi);
  EXPECT_DOUBLE_EQ(degrees.rest, std::numbers::pi / 2);
  EXPECT_DOUBLE_EQ(degrees.start, -std::numbers::pi / 4);
  const RobotJoint radians = joint_of(body(hinge("range='-1 4.5'"), "<compiler angle='radian'/>"));
  ASSERT_TRUE(radians.range.has_value());
  EXPECT_EQ(radians.range->upper, 4.5);
  const RobotJoint slide = joint_of(body(hinge("type='slide' range='-1 2' ref='.5'")));
  ASSERT_TRUE(slide.range.has_value());
  EXPECT_EQ(slide.range->upper, 2.0);
  EXPECT_EQ(slide.start, 0.5);
}

TEST(MjcfReader, LimitsByRangesThatAreNotEmpty) {
  EXPECT_FALSE(joint_of(body(hinge("range='1 -1'"))).range.has_value());
  EXPECT_FALSE(joint_of(body(hinge("range='0 0'"))).range.has_value());
  EXPECT_FALSE(joint_of(body(hinge("range='0 1' limited='false'"))).range.has_value());
  EXPECT_EQ(error_of(body(hinge("range='1 -1' limited='true'"))),
            "3: error: range of <joint> should have the smaller number first");
  EXPECT_EQ(error_of(body(hinge("range='0 1'"), "<compiler autolimits='false'/>")),
            "3: error: range is given without limited, and autolimits is false");
}

// By MuJoCo 4: with ref 90° the file's pose has q = 90°, so that the body turns by −90° at 0.
TEST(MjcfReader, MovesPosesToThePositionsZero) {
  const RobotModel model = robot_of(bodies(
      "<body pos='1 2 3'><joint name='h' ref='90' pos='.1 0 0'/><joint name='s' type='slide' "
      "axis='1 0 0' ref='.5'/><geom size='.1'/></body>"));
  ASSERT_EQ(model.links.size(), 2u);
  const RobotLink& link = model.links[1];
  // The hinge turns (0.5 − 0.1)·−x about (0.1, 0, 0) by −90°.
  expect_near(link.pose.translation, {1.1, 2.6, 3.0});
  expect_near(link.pose.rotation * Vec3{1.0, 0.0, 0.0}, {0.0, -1.0, 0.0});
  ASSERT_EQ(link.joints.size(), 2u);
  expect_near(link.pose * link.joints[0].anchor, {1.1, 2.0, 3.0});
  expect_near(link.joints[1].axis, {1.0, 0.0, 0.0});
}

TEST(MjcfReader, InheritsFromClasses) {
  const std::string defaults =
      "<default><joint damping='1' armature='.5'/><default class='x'><joint damping='2'/>"
      "<default class='xx'><joint frictionloss='3'/></default></default>"
      "<default class='y'><joint stiffness='4'/></default></default>";
  const RobotModel model = robot_of(
      bodies("<body childclass='x'><geom size='.1'/><joint/><body><geom size='.1'/><joint "
             "class='y'/><body childclass='xx'><geom size='.1'/><joint armature='7'/></body>"
             "</body></body>",
             defaults));
  ASSERT_EQ(model.links.size(), 4u);
  const RobotJoint& first = model.links[1].joints[0];
  EXPECT_EQ(first.damping, 2.0);
  EXPECT_EQ(first.armature, 0.5);
  const RobotJoint& second = model.links[2].joints[0];  // class replaces childclass
  EXPECT_EQ(second.damping, 1.0);
  EXPECT_EQ(second.stiffness, 4.0);
  const RobotJoint& third = model.links[3].joints[0];
  EXPECT_EQ(third.damping, 2.0);
  EXPECT_EQ(third.friction, 3.0);
  EXPECT_EQ(third.armature, 7.0);
  EXPECT_EQ(error_of(body("", "<default><joint/>\n<default/></default>")),
            "2: error: <default> in another one has no class");
  EXPECT_EQ(error_of(body(hinge("class='xz'"), defaults)), "3: error: there is no class 'xz'");
  EXPECT_EQ(error_of(body(hinge("class='arn'"), "<default><default class='arm'/></default>")),
            "3: error: there is no class 'arn'; did you mean 'arm'?");
}

// Values of MuJoCo 3.12 at 1000 kg/m³.
TEST(MjcfReader, WeighsGeoms) {
  const auto mass = [](const std::string& geom) {
    const Read result = read(bodies("<body>" + geom + "</body>"));
    const RobotModel model = result.model.value();
    return model.links.at(0).inertial.value_or(MassProperties{});
  };
  const MassProperties capsule = mass("<geom type='capsule' size='.1 .5'/>");
  EXPECT_NEAR(capsule.mass, 35.6047167, 1e-7);
  EXPECT_NEAR(capsule.inertia(0, 0), 3.91756604, 1e-8);
  EXPECT_NEAR(capsule.inertia(2, 2), 0.173834793, 1e-9);
  const MassProperties cylinder = mass("<geom type='cylinder' size='.1 .5' mass='2'/>");
  EXPECT_NEAR(cylinder.inertia(0, 0), 0.171666667, 1e-9);
  EXPECT_NEAR(cylinder.inertia(2, 2), 0.01, 1e-12);
  const MassProperties ellipsoid = mass(
      "<geom type='ellipsoid' size='.1 .2 .3' contype='0' "
      "conaffinity='0' group='3'/>");
  EXPECT_NEAR(ellipsoid.mass, 25.1327412, 1e-7);
  EXPECT_NEAR(ellipsoid.inertia(1, 1), 0.502654825, 1e-9);
  const MassProperties shell =
      mass("<geom type='capsule' size='.1 .5' mass='1' shellinertia='true'/>");
  EXPECT_NEAR(shell.inertia(0, 0), 0.124722222, 1e-9);
  EXPECT_NEAR(shell.inertia(2, 2), 0.00944444444, 1e-11);
  EXPECT_EQ(mass("<geom size='.1' density='0'/><geom size='.1' mass='0'/>").mass, 0.0);
}

TEST(MjcfReader, RefusesMassesThatNoBodyHas) {
  EXPECT_EQ(
      error_of(bodies("<body name='a'><joint/></body>")),
      "2: error: body 'a' moves and has no mass, or a moment of 0: give it an <inertial> or a "
      "geom with a density");
  EXPECT_EQ(error_of(bodies("<body name='a'>\n<inertial pos='0 0 0' mass='1' diaginertia='1 2 5'/>"
                            "</body>")),
            "2: error: the moments 1 2 5 kg m^2 of body 'a' belong to no body: the largest is more "
            "than the sum of the others; correct them, or set balanceinertia of <compiler>");
  const RobotModel balanced =
      robot_of(bodies("<body><inertial pos='0 0 0' mass='1' diaginertia='1 2 6'/></body>",
                      "<compiler balanceinertia='true'/>"));
  EXPECT_NEAR(balanced.links[0].inertial.value_or(MassProperties{}).inertia(0, 0), 3.0, 1e-12);
  for (const char* const compiler :
       {"<compiler boundmass='1e308'/>", "<compiler boundinertia='1e308'/>"}) {
    EXPECT_EQ(error_of(body("", compiler)),
              "2: error: body 'b' is heavier than 1e15 kg, or its moments are 1e30 kg m^2 or more");
  }
  EXPECT_EQ(error_of(body("", "<compiler settotalmass='1e16'/>")),
            "1: error: settotalmass of <compiler> must be at most 1e15 kg");
  EXPECT_EQ(error_of(bodies("<body>\n<inertial pos='0 0 0' mass='nan'/></body>")),
            "3: error: mass 'nan' of <inertial> should be a finite number");
  EXPECT_EQ(error_of(bodies("<body>\n<inertial pos='0 0 0'/></body>")),
            "3: error: <inertial> should have a mass from 0 to 1e15 kg");
}

TEST(MjcfReader, RefusesNumbersWithCommasAndOrientationsInTwoForms) {
  EXPECT_EQ(error_of(bodies("<body pos='1,2,3'><geom size='.1'/></body>")),
            "2: error: pos '1,2,3' of <body> should be 3 finite numbers between blanks");
  EXPECT_EQ(
      error_of(bodies("<body quat='1 0 0 0' euler='0 0 1'><geom size='.1'/></body>")),
      "2: error: <body> has several orientations: leave one of quat, axisangle, euler, xyaxes "
      "and zaxis");
  EXPECT_EQ(error_of(bodies("<body zaxis='0 0 0'><geom size='.1'/></body>")),
            "2: error: zaxis of <body> is a null vector");
}

TEST(MjcfReader, SharesGeomsBetweenLooksAndCollisions) {
  const RobotModel model = robot_of(bodies(
      "<body><freejoint/><geom size='.1'/><geom size='.1' contype='0' conaffinity='0' group='2'/>"
      "<geom size='.1' group='3'/><geom type='capsule' size='.1' fromto='0 0 0 0 0 -1'/></body>"));
  EXPECT_EQ(model.links[0].visuals.size(), 3u);
  ASSERT_EQ(model.links[0].collisions.size(), 3u);
  const LinkShape& capsule = model.links[0].collisions[2];
  EXPECT_EQ(capsule.geometry.type, GeometryType::Capsule);
  EXPECT_DOUBLE_EQ(capsule.geometry.length, 1.0);
  expect_near(capsule.pose.translation, {0.0, 0.0, -0.5});
  EXPECT_TRUE(model.touches_itself);
  EXPECT_FALSE(robot_of(bodies("<body><geom size='.1' contype='0'/></body>")).touches_itself);
  EXPECT_EQ(loss_of(body("<geom size='.2' friction='.3'/>")),
            "3: the friction 0.3 of the geom is that of others of its body, 1");
}

TEST(MjcfReader, ReadsColoursOfGeomsBeforeThoseOfMaterials) {
  const RobotModel model =
      robot_of(bodies("<body><geom size='.1' material='m'/><geom size='.1' material='m' rgba='0 0 "
                      "1 .5'/></body>",
                      "<asset><material name='m' rgba='1 0 0 1'/></asset>"));
  ASSERT_EQ(model.links[0].visuals.size(), 2u);
  EXPECT_EQ(model.links[0].visuals[0].material.value_or(Material{}).color, (Vec3{1.0, 0.0, 0.0}));
  EXPECT_EQ(model.links[0].visuals[1].material.value_or(Material{}).color, (Vec3{0.0, 0.0, 1.0}));
  EXPECT_EQ(model.links[0].visuals[1].material.value_or(Material{}).opacity, 0.5);
}

// The numbers are those of MuJoCo for the tetrahedron.
TEST(MjcfReader, ReadsMeshesThatAreWrittenInTheFile) {
  const std::string body = "<body><freejoint/><geom type='mesh' mesh='m' density='1000'/></body>";
  const auto mesh = [](const std::string& faces) {
    return "<asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1' scale='1 2 3' inertia='exact' " +
           faces + "/></asset>";
  };
  const RobotModel model = robot_of(bodies(body, mesh("face='0 2 1 0 1 3 0 3 2 1 2 3'")));
  ASSERT_EQ(model.links.size(), 1u);
  ASSERT_TRUE(model.links[0].inertial.has_value());
  EXPECT_NEAR(model.links[0].inertial->mass, 1000.0, 1e-9);
  expect_near(model.links[0].inertial->center, {0.25, 0.5, 0.75});
  ASSERT_EQ(model.links[0].collisions.size(), 1u);
  const Geometry& geometry = model.links[0].collisions[0].geometry;
  ASSERT_NE(geometry.faces, nullptr);
  EXPECT_EQ(geometry.faces->triangles.size(), 4u);
  EXPECT_EQ(geometry.faces->vertices[3], (Vec3{0.0, 0.0, 3.0}));
}

// A hinge that carries 1 kg of the inertia 0.004 at its axis, and the armature 0.1.
TEST(MjcfReader, MakesActuators) {
  const std::string joint = hinge("armature='.1' range='-90 90' actuatorfrcrange='-8 8'");
  const auto of = [&](const std::string& actuator) {
    return joint_of(body(joint, "", "<actuator>" + actuator + "</actuator>"));
  };
  const RobotJoint motor = of("<motor name='m' joint='j' gear='3' ctrlrange='-2 2'/>");
  ASSERT_EQ(motor.actuators.size(), 1u);
  EXPECT_TRUE(motor.has_own_motor());
  EXPECT_EQ(motor.actuators[0].gain, 1.0);
  EXPECT_EQ(motor.actuators[0].gear, 3.0);
  EXPECT_EQ(motor.effort, 6.0);
  const RobotJoint servo = of("<position joint='j' kp='50' dampratio='1' forcerange='-3 3'/>");
  ASSERT_EQ(servo.actuators.size(), 1u);
  EXPECT_EQ(servo.actuators[0].name, "j");
  EXPECT_EQ(servo.actuators[0].by_position, -50.0);
  EXPECT_NEAR(servo.actuators[0].by_velocity, -2.0 * std::sqrt(50.0 * 0.104), 1e-12);
  EXPECT_EQ(servo.effort, 3.0);
  const RobotJoint scaled =
      of("<general joint='j' biastype='affine' gainprm='0.5' biasprm='0 -10' "
         "ctrlrange='0 20'/>");
  ASSERT_TRUE(scaled.target_range.has_value());
  EXPECT_DOUBLE_EQ(scaled.target_range->upper, 1.0);
  EXPECT_EQ(scaled.effort, 8.0);
  EXPECT_FALSE(of("").has_own_motor());
  const auto refused = [&](const std::string& actuator) {
    return error_of(body(joint, "", "<actuator>\n" + actuator + "</actuator>"));
  };
  EXPECT_EQ(refused("<muscle joint='j'/>"), "5: error: an actuator of the type muscle is not read");
  EXPECT_EQ(refused("<adhesion body='b'/>"),
            "5: error: an actuator of the type adhesion is not read");
  EXPECT_EQ(refused("<plugin joint='j'/>"), "5: error: an actuator of the type plugin is not read");
  EXPECT_EQ(refused("<orientation joint='j'/>"),
            "5: error: an actuator of the type orientation is not read");
  EXPECT_EQ(refused("<motor joint='k'/>"), "5: error: there is no joint 'k'");
  EXPECT_EQ(loss_of(body(joint, "", "<actuator>\n<motor site='s'/></actuator>")),
            "5: the actuator '' has no effect, as it drives no joint");
}

// Laws by MuJoCo 4: numbers that are not given are inherited, a motor has no bias, and each element
// inherits from the nearest one of its own kind or `general`.
TEST(MjcfReader, InheritsLawsOfActuatorsFromElementToElement) {
  const auto of = [](const std::string& defaults, const std::string& actuator) {
    const RobotJoint joint = joint_of(body(hinge(""), "<default>" + defaults + "</default>",
                                           "<actuator>" + actuator + "</actuator>"));
    EXPECT_EQ(joint.actuators.size(), 1u);
    return joint.actuators.empty() ? Actuator{} : joint.actuators[0];
  };
  const Actuator shorter = of("<general biastype='affine' gainprm='100' biasprm='1 -100 -10'/>",
                              "<general joint='j' gainprm='50' biasprm='2 -50'/>");
  EXPECT_EQ(shorter.gain, 50.0);
  EXPECT_EQ(shorter.offset, 2.0);
  EXPECT_EQ(shorter.by_position, -50.0);
  EXPECT_EQ(shorter.by_velocity, -10.0);
  const Actuator behind_motor =
      of("<position kp='20' kv='3'/><default class='c'><motor/></default>",
         "<general joint='j' class='c' biastype='affine'/>");
  EXPECT_EQ(behind_motor.gain, 1.0);
  EXPECT_EQ(behind_motor.by_position, 0.0);
  EXPECT_EQ(behind_motor.by_velocity, 0.0);
  // The general takes from the velocity, which takes nothing from the position.
  const Actuator nearest = of("<position kp='20'/><default class='c'><velocity kv='5'/></default>",
                              "<general joint='j' class='c'/>");
  EXPECT_EQ(nearest.gain, 5.0);
  EXPECT_EQ(nearest.by_position, 0.0);
  EXPECT_EQ(nearest.by_velocity, -5.0);
  // A ratio is one only with the gain of the actuator itself.
  const Actuator pushes =
      of("<position kp='20' dampratio='1'/>", "<general joint='j' gainprm='7'/>");
  EXPECT_EQ(pushes.by_position, -20.0);
  EXPECT_EQ(pushes.by_velocity, 1.0);
}

TEST(MjcfReader, LimitsAMotorAsItsOwnActuatorDoes) {
  const auto of = [](const std::string& actuators, const std::string& defaults = "") {
    return joint_of(body(hinge("range='-90 90'"), "<default>" + defaults + "</default>",
                         "<actuator>" + actuators + "</actuator>"));
  };
  const RobotJoint two =
      of("<motor name='m' joint='j' ctrlrange='-8 8'/>"
         "<position joint='j' kp='3' ctrlrange='-1 1' forcerange='-2 2'/>");
  EXPECT_EQ(two.actuators.size(), 2u);
  EXPECT_EQ(two.effort, 8.0);
  EXPECT_FALSE(two.target_range.has_value());
  // The nearer one of ctrlrange and inheritrange counts.
  const RobotJoint own =
      of("<position joint='j' inheritrange='1'/>", "<position ctrlrange='-5 5'/>");
  ASSERT_TRUE(own.actuators.at(0).command.has_value());
  EXPECT_DOUBLE_EQ(own.actuators[0].command->upper, std::numbers::pi / 2);
  const RobotJoint other =
      of("<position joint='j' ctrlrange='-5 5'/>", "<position inheritrange='1'/>");
  EXPECT_EQ(other.actuators.at(0).command->upper, 5.0);
  const auto section = [](const std::string& actuator) {
    return body(hinge("range='-90 90'"), "", "<actuator>\n" + actuator + "</actuator>");
  };
  EXPECT_EQ(error_of(section("<position joint='j' inheritrange='1' ctrlrange='-5 5'/>")),
            "5: error: ctrlrange and inheritrange are both given: leave one of them");
  EXPECT_EQ(loss_of(section("<motor name='m' joint='j' forcerange='0 7'/>")),
            "5: forcerange 0 7 of the actuator 'm' limits both directions to 7");
  EXPECT_EQ(loss_of(section("<motor name='m' joint='j' gear='0'/>")),
            "5: the actuator 'm' has no effect, as its gear is 0");
}

TEST(MjcfReader, ReadsFlagsAndClassesOutsideOfTheTree) {
  const auto option = [](const std::string& text) {
    return body("", "<option gravity='0 0 -3'>\n" + text + "</option>");
  };
  EXPECT_EQ(robot_of(option("<flag gravity='enable'/>")).gravity, (Vec3{0.0, 0.0, -3.0}));
  EXPECT_EQ(robot_of(option("<flag gravity='disable' warmstart='disable'/>")).gravity, Vec3{});
  EXPECT_EQ(loss_of(option("<flag contact='disable'/>")),
            "2: contact 'disable' of <flag> has no effect");
  EXPECT_EQ(loss_of(option("<flag override='enable'/>")),
            "2: override 'enable' of <flag> has no effect");
  EXPECT_EQ(error_of(option("<flag limit='off'/>")),
            "2: error: limit 'off' of <flag> should be enable or disable");
  EXPECT_EQ(loss_of(body("", "<option wind='1 0 0'/>")),
            "1: wind '1 0 0' of <option> has no effect");
  EXPECT_EQ(loss_of(body("", "<option gravityy='0 0 0'/>")),
            "1: <option> has no attribute 'gravityy'; did you mean 'gravity'?");
  EXPECT_EQ(error_of(body("", "<compiler angles='radian'/>")),
            "1: error: <compiler> has no attribute 'angles'; did you mean 'angle'?");
  EXPECT_EQ(loss_of(body(hinge(""), "", "<keyframe>\n<key qpo='1'/></keyframe>")),
            "5: <key> has no attribute 'qpo'; did you mean 'qpos'?");
  const std::string fingers =
      "<body><joint name='a' type='slide'/><geom size='.1'/></body>\n<body><joint name='b' "
      "type='slide'/><geom size='.1'/></body>";
  EXPECT_FALSE(robot_of(bodies(fingers, "<default><equality active='false'/></default>",
                               "<equality><joint joint1='b' joint2='a'/></equality>"))
                   .links.at(2)
                   .joints.at(0)
                   .mimic.has_value());
  EXPECT_EQ(
      loss_of(bodies(fingers, "<default><tendon stiffness='3'/></default>",
                     "<tendon>\n<fixed name='t'><joint joint='a' coef='1'/></fixed></tendon>")),
      "5: stiffness of the tendon 't' has no effect");
}

// Two fingers, of which one follows the other: the tendon pulls both with half of its force.
TEST(MjcfReader, TurnsTendonsOfCoupledJointsIntoMotors) {
  const std::string fingers =
      "<body><joint name='a' type='slide'/><geom size='.1'/></body>\n<body><joint name='b' "
      "type='slide'/><geom size='.1'/></body>";
  const std::string tendon =
      "<tendon><fixed name='t'><joint joint='a' coef='.5'/><joint joint='b' coef='.5'/></fixed>"
      "</tendon><actuator>\n<position name='p' tendon='t' kp='100' ctrlrange='0 .04'/></actuator>";
  const RobotModel model = robot_of(
      bodies(fingers, "",
             "<equality><joint joint1='b' joint2='a' polycoef='0.1 2'/></equality>" + tendon));
  const RobotJoint& leader = model.links.at(1).joints.at(0);
  const RobotJoint& follower = model.links.at(2).joints.at(0);
  ASSERT_TRUE(follower.mimic.has_value());
  EXPECT_EQ(follower.mimic->leader, "a");
  EXPECT_EQ(follower.mimic->multiplier, 2.0);
  EXPECT_EQ(follower.mimic->offset, 0.1);
  ASSERT_EQ(leader.actuators.size(), 1u);
  EXPECT_DOUBLE_EQ(leader.actuators[0].gear, 0.5 + 0.5 * 2.0);
  EXPECT_DOUBLE_EQ(leader.actuators[0].offset, -100.0 * 0.05);
  EXPECT_EQ(loss_of(bodies(fingers, "", tendon)),
            "5: the actuator 'p' has no effect, as its tendon pulls joints that move on their own");
  EXPECT_EQ(error_of(bodies(fingers, "",
                            "<equality><joint joint1='b' joint2='a'/><joint joint1='a' joint2='b'/>"
                            "</equality>")),
            "1: error: joint 'a' follows itself by <equality>");
  EXPECT_EQ(error_of(bodies(fingers, "", "<tendon><spatial name='s'/></tendon>")),
            "4: error: the tendon 's' of the type spatial is not read: only fixed tendons are");
}

TEST(MjcfReader, TellsOfFrictionThatAWorldLacks) {
  const auto floor = [](const std::string& attributes) {
    return bodies("<geom type='plane' size='1 1 1' friction='.3' " + attributes +
                  "/><body><freejoint/><geom size='.1' friction='.2'/></body>");
  };
  EXPECT_EQ(robot_of(floor("")).floor_friction, 0.3);
  EXPECT_EQ(
      loss_of(floor("condim='1'")),
      "1: geoms with condim 1 touch others with the friction of those, and not with their own "
      "of up to 0.3");
  EXPECT_EQ(robot_of(body("")).floor_friction, 0.0);
  // A plane that nothing touches is no floor.
  EXPECT_EQ(robot_of(floor("contype='0' conaffinity='0'")).links.at(0).visuals.size(), 1u);
  EXPECT_EQ(robot_of(bodies("<body><geom size='.1' condim='1'/></body>")).links[0].contact_friction,
            0.0);
  EXPECT_EQ(loss_of(body("<geom size='.1' condim='4'/>\n<geom size='.1' condim='6'/>")),
            "1: the friction of 2 geoms with condim 4 or 6 against spinning and rolling has no "
            "effect");
  EXPECT_EQ(
      loss_of(bodies("<body><geom size='.1' condim='1'/></body><body><geom size='.1' "
                     "friction='.5'/></body>")),
      "1: geoms with condim 1 touch others with the friction of those, and not with their own "
      "of up to 1");
  EXPECT_EQ(error_of(body("<geom size='.1' condim='2'/>")),
            "3: error: condim 2 of <geom> should be 1, 3, 4 or 6");
}

TEST(MjcfReader, TellsOfDynamicsOfJointsWithoutAnAxis) {
  const std::string defaults = "<default><joint damping='2' armature='.1'/></default>";
  EXPECT_EQ(
      loss_of(body("<joint name='j' type='free'/>", defaults)),
      "3: stiffness, damping, frictionloss and armature of the free joint 'j' have no effect");
  EXPECT_EQ(loss_of(body("<joint name='j' type='ball'/>", defaults)),
            "3: frictionloss and armature of the ball joint 'j' have no effect");
  EXPECT_TRUE(robot_of(body("<freejoint/>", defaults)).links[0].joints.empty());
}

TEST(MjcfReader, BoundsMassesOfGeomsAndLevels) {
  EXPECT_EQ(error_of(bodies("<body name='b'><joint/><geom size='.1' mass='1e16'/></body>")),
            "2: error: body 'b' is heavier than 1e15 kg, or its moments are 1e30 kg m^2 or more");
  std::string masks;
  for (int i = 0; i < 3001; ++i) {
    masks += fmt::format("<geom size='.1' contype='{}'/>", 2 * i + 1);
  }
  EXPECT_EQ(error_of(bodies("<body>" + masks + "</body>")),
            "1: error: geoms have more than 3000 different pairs of contype and conaffinity");
  std::string joints;
  for (int i = 0; i < 351; ++i) {
    joints += "<joint/>";
  }
  EXPECT_EQ(error_of(bodies("<body>" + joints + "<geom size='.1'/></body>")),
            "2: error: bodies and joints nest deeper than 350 levels");
}

TEST(MjcfReader, TellsOfASecondSensorOfAJoint) {
  EXPECT_EQ(loss_of(bodies("<body><joint name='j'/><geom size='.1'/></body>", "",
                           "<sensor><jointpos name='a' joint='j'/>\n"
                           "<jointpos name='b' joint='j'/></sensor>")),
            "4: the sensor 'b' is left out, as its joint has the sensor 'a'");
}

TEST(MjcfReader, MakesUpNamesThatTheFileDoesNotUse) {
  const RobotModel model =
      robot_of(bodies("<body><joint/><geom size='.1'/><body name='body1'><joint name='joint0'/>"
                      "<geom size='.1'/></body></body>"));
  ASSERT_EQ(model.links.size(), 3u);
  EXPECT_EQ(model.links[1].name, "body1#");
  EXPECT_EQ(model.links[1].joints.at(0).name, "joint0#");
  EXPECT_EQ(model.links[2].name, "body1");
  EXPECT_EQ(error_of(bodies("<body><joint/><geom size='.1'/></body>", "",
                            "<actuator>\n<motor joint='joint0'/></actuator>")),
            "4: error: there is no joint 'joint0'");
}

TEST(MjcfReader, FollowsLongChainsOfJoints) {
  constexpr int kJoints = 300;
  std::string tree;
  std::string equalities;
  for (int i = 0; i < kJoints; ++i) {
    tree += fmt::format("<body><joint name='j{}'/><geom size='.1' mass='1'/></body>", i);
    if (i > 0) {
      equalities += fmt::format("<joint joint1='j{}' joint2='j{}' polycoef='1 1'/>", i - 1, i);
    }
  }
  const Read result = read(bodies(tree, "", "<equality>" + equalities + "</equality>"));
  ASSERT_TRUE(result.model.has_value()) << fmt::format("{}", fmt::join(result.messages, "\n"));
  const Mimic mimic = result.model->links.at(1).joints.at(0).mimic.value();
  EXPECT_EQ(mimic.leader, "j299");
  EXPECT_EQ(mimic.offset, kJoints - 1.0);
}

TEST(MjcfReader, StartsInTheKeyHome) {
  const std::string keys =
      "<keyframe><key name='x' qpos='.1'/><key name='home' qpos='.2'/></keyframe>";
  EXPECT_EQ(joint_of(body(hinge(""), "", keys)).start, 0.2);
  EXPECT_EQ(joint_of(body(hinge(""), "", "<keyframe><key qpos='.1'/></keyframe>")).start, 0.1);
  const RobotModel free =
      robot_of(body("<freejoint/>", "", "<keyframe><key qpos='1 2 3 0 2 0 0'/></keyframe>"));
  expect_near(free.links[0].pose.translation, {1.0, 2.0, 3.0});
  EXPECT_NEAR(free.links[0].pose.rotation(2, 2), -1.0, 1e-15);
  EXPECT_EQ(error_of(body(hinge(""), "", "<keyframe>\n<key qpos='1 2'/></keyframe>")),
            "5: error: qpos '1 2' of <key> should be a finite number");
  const Read clamped = read(body(hinge("range='10 20'")));
  ASSERT_TRUE(clamped.model.has_value());
  EXPECT_DOUBLE_EQ(clamped.model->links[1].joints[0].start, std::numbers::pi / 18);
}

TEST(MjcfReader, MakesOneSensorOfForceAndTorque) {
  const auto of = [](const std::string& sensors, const std::string& place = "") {
    return body("<body name='c'><joint/><geom size='.1'/><site name='s'" + place + "/></body>", "",
                "<sensor>\n" + sensors + "</sensor>");
  };
  const Read both =
      read(of("<force name='ft force' site='s'/>"
              "<torque name='ft torque' site='s'/>"));
  ASSERT_TRUE(both.model.has_value());
  ASSERT_EQ(both.model->sensors.size(), 1u);
  EXPECT_EQ(both.model->sensors[0].type, SensorType::ForceTorque);
  EXPECT_EQ(both.model->sensors[0].name, "ft");
  EXPECT_EQ(both.model->sensors[0].link, 1);
  EXPECT_EQ(loss_of(of("<torque name='t' site='s'/>")),
            "5: the sensor 't' gets six values, of the opposite sign");
  EXPECT_EQ(loss_of(of("<force name='f' site='s'/>", " pos='0 0 1'")),
            "5: the sensor 'f' gets six values, of the opposite sign, in the frame of its body");
}

TEST(MjcfReader, ReadsSensorsAndPairsThatDoNotTouch) {
  const RobotModel model = robot_of(
      body("<site name='s' pos='1 2 3'/><body name='c'><geom size='.1'/></body>", "",
           "<contact><exclude body1='b' body2='c'/></contact><sensor><gyro name='g' site='s'/>"
           "<framequat name='q' objtype='xbody' objname='c'/><jointpos joint='x'/></sensor>"));
  ASSERT_EQ(model.untouched.size(), 1u);
  EXPECT_EQ(model.untouched[0].second, 1);
  ASSERT_EQ(model.sensors.size(), 2u);
  EXPECT_EQ(model.sensors[0].type, SensorType::Gyro);
  expect_near(model.sensors[0].pose.translation, {1.0, 2.0, 3.0});
  EXPECT_EQ(model.sensors[1].link, 1);
  EXPECT_EQ(loss_of(body("", "", "<sensor>\n<touch name='t' site='s'/></sensor>")),
            "5: the sensor 't' of the type touch is left out");
  EXPECT_EQ(error_of(body("", "", "<contact>\n<exclude body1='b' body2='d'/></contact>")),
            "5: error: there is no body 'd'");
}

// An element without an effect has one message, and one more for each attribute that is unknown.
TEST(MjcfReader, NamesUnknownAttributesOfWhatHasNoEffect) {
  const auto losses = [](const std::string& section) {
    return read(body(hinge(""), "", section)).losses;
  };
  using List = std::vector<std::string>;
  EXPECT_EQ(losses("<equality>\n<connect body1='b' anchor='0 0 1' solref='.01 1'/></equality>"),
            List{"5: <connect> in <equality> has no effect"});
  EXPECT_EQ(losses("<equality>\n<weld body1='b' torquscale='1'/></equality>"),
            (List{"5: <weld> has no attribute 'torquscale'; did you mean 'torquescale'?",
                  "5: <weld> in <equality> has no effect"}));
  EXPECT_EQ(losses("<contact>\n<pair geom1='a' geom2='c' frictions='1'/></contact>"),
            (List{"5: <pair> has no attribute 'frictions'; did you mean 'friction'?",
                  "5: <pair> in <contact> has no effect"}));
}

TEST(MjcfReader, NamesWhatItDoesNotRead) {
  EXPECT_EQ(loss_of(body(hinge("axes='1 0 0'"))),
            "3: <joint> has no attribute 'axes'; did you mean 'axis'?");
  EXPECT_EQ(loss_of(bodies("<body gravcomp='1'><geom size='.1'/></body>")),
            "2: gravcomp '1' of <body> has no effect");
  EXPECT_EQ(loss_of(body("<geom type='hfield' hfield='h'/>")),
            "3: a geom of the type hfield is left out");
  EXPECT_EQ(loss_of(body("<geom type='ellipsoid' size='.1 .2 .3'/>")),
            "3: an ellipsoid has the shape of the box around it");
  EXPECT_EQ(loss_of(body("", "", "<equality>\n<weld body1='b'/></equality>")),
            "5: <weld> in <equality> has no effect");
  for (const char* const element : {"composite", "flexcomp", "attach", "replicate", "plugin"}) {
    EXPECT_EQ(error_of(body(fmt::format("<{}/>", element))),
              fmt::format("3: error: <{}> is not read: save the model with MuJoCo, which writes "
                          "bodies in its place, or leave it out",
                          element));
  }
  EXPECT_EQ(error_of(body("", "<extension><plugin plugin='p'/></extension>")),
            "1: error: <extension> is not read: plugins and bodies that are not rigid have no "
            "counterpart here");
  const Read solver = read(body("<geom size='.1' solref='.01 1'/>"));
  ASSERT_EQ(solver.messages.size(), 1u);
  EXPECT_EQ(solver.messages[0],
            "1: info: numbers of MuJoCo's contact solver have no effect: solref (1). Contacts and "
            "stops are those of a world");
}

TEST(MjcfReader, IncludesFilesOfItsFolderOnce) {
  const TemporaryFolder folder("mjcf");
  const auto write = [&](const std::string& name, const std::string& text) {
    std::ofstream(folder.path() + '/' + name) << text;
  };
  write("arm.xml", "<anything><worldbody>\n<include file='hand.xml'/></worldbody></anything>");
  write("hand.xml",
        "<mujocoinclude>\n\n<body name='hand'><geom size='.1' pos='x'/></body>"
        "</mujocoinclude>");
  const Read bad = read("<mujoco><include file='arm.xml'/></mujoco>", folder.path());
  EXPECT_EQ(error_of(bad), "3: error: pos 'x' of <geom> should be 3 finite numbers between blanks");
  write("hand.xml", "<m><body name='hand'><geom size='.1'/></body></m>");
  const Read good = read("<mujoco><include file='arm.xml'/></mujoco>", folder.path());
  ASSERT_TRUE(good.model.has_value());
  EXPECT_EQ(good.model->links[0].name, "hand");
  write("hand.xml", "<m><include file='arm.xml'/></m>");
  EXPECT_EQ(error_of(read("<mujoco><include file='arm.xml'/></mujoco>", folder.path())),
            "1: error: 'arm.xml' is included a second time: a file may be included once");
  const std::string outside =
      error_of(read("<mujoco><include file='../../etc/passwd'/></mujoco>", folder.path()));
  EXPECT_NE(outside.find("1: error: the included file '../../etc/passwd' is outside of"),
            std::string::npos)
      << outside;
  // Its first line would be in a message.
  std::filesystem::create_symlink("/etc/passwd", folder.path() + "/link.xml");
  EXPECT_EQ(error_of(read("<mujoco><include file='link.xml'/></mujoco>", folder.path())),
            "1: error: the included file 'link.xml' is a link that leads out of the folders where "
            "files are looked for; it is not read");
}

std::string nested(int depth, const std::string& begin, const std::string& end) {
  std::string text;
  for (int i = 0; i < depth; ++i) {
    text += begin;
  }
  for (int i = 0; i < depth; ++i) {
    text += end;
  }
  return text;
}

TEST(MjcfReader, RefusesAMillionNestedElements) {
  for (const char* const element : {"default", "body", "frame", "include"}) {
    const std::string begin = fmt::format("<{}>", element);
    const std::string text =
        "<mujoco>" + nested(1'000'000, begin, fmt::format("</{}>", element)) + "</mujoco>";
    EXPECT_EQ(error_of(text), "1: error: has elements that nest deeper than 200 levels");
  }
  std::string classes;
  for (int i = 0; i < 60; ++i) {
    classes += fmt::format("<default class='c{}'>", i);
  }
  for (int i = 0; i < 60; ++i) {
    classes += "</default>";
  }
  EXPECT_EQ(error_of(body("", classes)),
            "1: error: there are more than 10000 classes, or they nest deeper than 50");
}

}  // namespace
}  // namespace servosim::robots::mjcf_reader_test
