// SPDX-License-Identifier: Apache-2.0
#include "robots/urdf_reader.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "base/xml.h"

namespace servosim::robots::urdf_reader_test {
namespace {

struct Read {
  std::optional<RobotModel> model;
  std::vector<std::string> messages;  ///< such as `3: error: …`, by line
  std::vector<std::string> losses;    ///< such as `3: …`
};

Read read(const std::string& text) {
  Diagnostics diagnostics;
  const std::uint32_t file = diagnostics.sources().add("robot.urdf", text);
  RobotFiles files("/nowhere/at/all");
  std::vector<Loss> losses;
  Read result;
  result.model = read_urdf(file, files, diagnostics, losses);
  for (const Diagnostic& d : diagnostics.list()) {
    result.messages.push_back(fmt::format("{}: {}: {}", d.line, name_of(d.severity), d.message));
  }
  for (const Loss& loss : losses) {
    result.losses.push_back(
        fmt::format("{}: {}", diagnostics.sources().resolve(loss.where).line, loss.what));
  }
  return result;
}

std::string robot(const std::string& parts) { return "<robot name='r'>\n" + parts + "\n</robot>"; }

std::string links(const std::string& names) {
  std::string text;
  for (const char name : names) {
    text += fmt::format("<link name='{}'/>", name);
  }
  return text + '\n';
}

std::string joint(char name, char parent, char child, const std::string& more = "") {
  return fmt::format(
      "<joint name='{0}' type='continuous'><parent link='{1}'/><child link='{2}'/>{3}</joint>\n",
      name, parent, child, more);
}

// Returns the only error, and checks that nothing was read.
std::string error_of(const std::string& text) {
  const Read result = read(text);
  EXPECT_FALSE(result.model.has_value());
  EXPECT_EQ(result.messages.size(), 1u);
  return result.messages.empty() ? "" : result.messages.front();
}

TEST(UrdfReader, RefusesWhatIsNoRobot) {
  EXPECT_EQ(error_of("<robot name='r'><link name='a'>\n</robot>"),
            "2: error: is no XML: Start-end tags mismatch");
  EXPECT_EQ(error_of(""), "1: error: is no XML: No document element found");
  EXPECT_EQ(error_of("<sdf version='1.6'/>"),
            "1: error: is no URDF: its first element is <sdf>, not <robot>");
  EXPECT_EQ(error_of(robot("")), "1: error: the robot has no link");
}

TEST(UrdfReader, ExpandsNoEntities) {
  const std::string bomb =
      "<!DOCTYPE robot [\n<!ENTITY a 'ha'>\n<!ENTITY b '&a;&a;&a;&a;'>\n]>\n<robot name='&b;'/>";
  EXPECT_EQ(error_of(bomb),
            "2: error: declares an entity, which is not read: write its text in its place");
}

TEST(UrdfReader, RefusesElementsThatNestWithoutEnd) {
  std::string deep;
  for (int i = 0; i < 100000; ++i) {
    deep += "<a>";
  }
  for (int i = 0; i < 100000; ++i) {
    deep += "</a>";
  }
  EXPECT_EQ(error_of(robot(deep)),
            fmt::format("2: error: has elements that nest deeper than {} levels", kMaxXmlDepth));
}

TEST(UrdfReader, RefusesChainsThatNoWorldHolds) {
  std::string chain = "<link name='0'/>";
  for (int i = 1; i <= 400; ++i) {
    chain += fmt::format(
        "<link name='{0}'/><joint name='j{0}' type='fixed'><parent link='{1}'/><child link='{0}'/>"
        "</joint>",
        i, i - 1);
  }
  EXPECT_EQ(error_of(robot(chain)), "2: error: links nest deeper than 350 levels");
}

TEST(UrdfReader, NamesTheCommandThatExpandsXacro) {
  const std::string message =
      "error: is a xacro file, which is not expanded here: write `xacro robot.urdf > robot.urdf`, "
      "and name that file";
  EXPECT_EQ(error_of("<robot xmlns:xacro='http://x'><xacro:arm/></robot>"), "1: " + message);
  EXPECT_EQ(error_of("<robot><link name='${name}'/></robot>"), "1: " + message);
  // xacro leaves the name space in what it writes.
  EXPECT_TRUE(read("<robot xmlns:xacro='http://x'><link name='a'/></robot>").model.has_value());
}

TEST(UrdfReader, RefusesJointsThatMakeNoTree) {
  EXPECT_EQ(error_of(robot(links("ab") + joint('j', 'a', 'c'))),
            "3: error: the child link 'c' of joint 'j' does not exist");
  EXPECT_EQ(error_of(robot(links("abc") + joint('j', 'a', 'c') + joint('k', 'b', 'c'))),
            "4: error: link 'c' is the child of two joints, 'j' and 'k'; URDF has no loops");
  EXPECT_EQ(error_of(robot(links("ab") + joint('j', 'a', 'b') + joint('k', 'b', 'a'))),
            "1: error: the joints form a loop: no link is the root");
  EXPECT_EQ(error_of(robot(links("abc") + joint('j', 'a', 'b') + joint('k', 'b', 'a'))),
            "1: error: some joints form a loop, which hangs on no root");
  EXPECT_EQ(error_of(robot(links("aa"))), "2: error: a second link is called 'a'");
  EXPECT_EQ(error_of(robot(links("abc") + joint('j', 'a', 'b') + joint('j', 'b', 'c'))),
            "4: error: a second joint is called 'j'");
}

TEST(UrdfReader, LeavesOutASecondRoot) {
  const Read result = read(robot(links("zab") + joint('j', 'a', 'b')));
  ASSERT_TRUE(result.model.has_value());
  EXPECT_EQ(result.model->links.size(), 2u);
  EXPECT_EQ(result.model->links[0].name, "a");
  EXPECT_EQ(result.losses,
            (std::vector<std::string>{
                "2: link 'z' is a second root next to 'a'; it is left out with the 0 "
                "links below it"}));
}

TEST(UrdfReader, RefusesMimicJointsThatFollowEachOther) {
  EXPECT_EQ(error_of(robot(links("abc") + joint('j', 'a', 'b', "<mimic joint='k'/>") +
                           joint('k', 'b', 'c', "<mimic joint='j'/>"))),
            "3: error: joint 'j' follows itself by way of others: one of them must not mimic");
  EXPECT_EQ(error_of(robot(links("ab") + joint('j', 'a', 'b', "<mimic joint='j'/>"))),
            "3: error: joint 'j' follows itself by way of others: one of them must not mimic");
}

TEST(UrdfReader, MultipliesTheFactorsOfMimicJointsInAChain) {
  const Read result =
      read(robot(links("abcd") + joint('j', 'a', 'b') +
                 joint('k', 'b', 'c', "<mimic joint='j' multiplier='2' offset='0.5'/>") +
                 joint('l', 'c', 'd', "<mimic joint='k' multiplier='-3' offset='0.25'/>")));
  ASSERT_TRUE(result.model.has_value());
  const Mimic mimic = result.model->links.at(3).joints.at(0).mimic.value();
  EXPECT_EQ(mimic.leader, "j");
  EXPECT_EQ(mimic.multiplier, -6.0);
  EXPECT_EQ(mimic.offset, 0.25 - 3.0 * 0.5);
}

TEST(UrdfReader, RefusesValuesWithoutMeaning) {
  const auto in_joint = [](const std::string& element) {
    return robot(links("ab") + joint('j', 'a', 'b', element));
  };
  EXPECT_EQ(error_of(in_joint("<axis xyz='1 2'/>")),
            "3: error: xyz '1 2' of <axis> should be 3 finite numbers");
  EXPECT_EQ(error_of(in_joint("<axis xyz='0 0 0'/>")),
            "3: error: the axis of joint 'j' is a null vector");
  EXPECT_EQ(error_of(in_joint("<origin rpy='0 nan 0'/>")),
            "3: error: rpy '0 nan 0' of <origin> should be 3 finite numbers");
  EXPECT_EQ(error_of(in_joint("<dynamics damping='1e999'/>")),
            "3: error: damping '1e999' of <dynamics> should be a finite number");
  EXPECT_EQ(error_of(robot("<link name='a'><inertial><mass value='-2'/></inertial></link>")),
            "2: error: the mass -2 of link 'a' must be from 0 to 1e15 kg");
  EXPECT_EQ(error_of(robot(links("ab") + "<joint name='j' type='ball'><parent link='a'/>"
                                         "<child link='b'/></joint>")),
            "3: error: joint 'j' has the type 'ball', which does not exist");
}

TEST(UrdfReader, LosesElementsWithoutMeaning) {
  const Read result = read(robot("<link name='a'><colision/></link>\n<lnk/>"));
  ASSERT_TRUE(result.model.has_value());
  EXPECT_EQ(result.losses, (std::vector<std::string>{
                               "2: <colision> has no meaning in <link>; did you mean 'collision'?",
                               "3: <lnk> has no meaning in <robot>; did you mean 'link'?"}));
}

TEST(UrdfReader, ReadsNoFileOutsideOfItsSearchPath) {
  for (const std::string uri :
       {"package://../../etc/passwd.stl", "package://p/../../a.stl", "../../../etc/a.stl",
        "/etc/a.stl", "file:///etc/a.stl", "model://./a.stl", "http://example.org/a.stl", ""}) {
    const Read result = read(robot("<link name='a'><collision><geometry><mesh filename='" + uri +
                                   "'/></geometry></collision></link>"));
    ASSERT_TRUE(result.model.has_value()) << uri;
    EXPECT_TRUE(result.model->links[0].collisions.empty()) << uri;
    ASSERT_EQ(result.messages.size(), 1u) << uri;
    EXPECT_NE(result.messages[0].find("read"), std::string::npos) << result.messages[0];
  }
}

TEST(UrdfReader, TurnsInertiasIntoTheAxesOfTheLink) {
  // A quarter turn about z: x of the inertial is y of the link.
  const Read result = read(robot(
      "<link name='a'><inertial><origin xyz='0.1 0.2 0.3' rpy='0 0 1.5707963267948966'/>"
      "<mass value='4'/><inertia ixx='0.3' ixy='0.01' ixz='0.02' iyy='0.4' iyz='0.03' izz='0.5'/>"
      "</inertial></link>"));
  ASSERT_TRUE(result.model.has_value());
  const MassProperties mass = result.model->links[0].inertial.value();
  EXPECT_EQ(mass.mass, 4.0);
  EXPECT_EQ(mass.center, (Vec3{0.1, 0.2, 0.3}));
  const Mat3 expected{{0.4, -0.01, -0.03, -0.01, 0.3, 0.02, -0.03, 0.02, 0.5}};
  for (int i = 0; i < 9; ++i) {
    EXPECT_NEAR(mass.inertia.m[i], expected.m[i], 1e-16) << i;  // rounding of a rotation
  }
}

TEST(UrdfReader, KeepsInertiasAndDoubtsThoseOfNoBody) {
  const auto inertia_of = [](double xx, double yy, double zz) {
    return robot(
        fmt::format("<link name='a'><inertial><mass value='2'/><inertia ixx='{}' ixy='0' "
                    "ixz='0' iyy='{}' iyz='0' izz='{}'/></inertial></link>",
                    xx, yy, zz));
  };
  const Read stretched = read(inertia_of(0.1, 0.1, 0.3));
  EXPECT_EQ(stretched.losses, std::vector<std::string>{});
  EXPECT_EQ(stretched.model->links[0].inertial->inertia(2, 2), 0.3);
  EXPECT_EQ(stretched.messages,
            (std::vector<std::string>{"1: info: 1 link with a moment of inertia above the sum of "
                                      "the other two, which no body has: 'a'"}));
  // A link without a mass is a frame.
  const Read massless = read(robot(
      "<link name='a'><inertial><mass value='0'/><inertia ixx='1' iyy='1' izz='1'/></inertial>"
      "</link>"));
  EXPECT_FALSE(massless.model->links[0].inertial.has_value());
}

TEST(UrdfReader, ReadsLimits) {
  const auto limited = [](const std::string& type, const std::string& attributes) {
    return read(robot(links("ab") + "<joint name='j' type='" + type +
                      "'><parent link='a'/><child link='b'/><limit " + attributes + "/></joint>"));
  };
  const Read full = limited("revolute", "lower='-0.5' upper='1.5' effort='7' velocity='3'");
  const RobotJoint& joint = full.model->links.at(1).joints.at(0);
  EXPECT_EQ(joint.range->lower, -0.5);
  EXPECT_EQ(joint.range->upper, 1.5);
  EXPECT_EQ(joint.effort, 7.0);
  EXPECT_EQ(joint.velocity, 3.0);
  EXPECT_EQ(joint.start, 0.0);
  EXPECT_EQ(full.messages, std::vector<std::string>{});

  const Read excluding_zero =
      limited("prismatic", "lower='0.2' upper='0.4' effort='7' velocity='1'");
  EXPECT_EQ(excluding_zero.model->links[1].joints[0].start, 0.2);

  const Read none = limited("revolute", "effort='0' velocity='-1'");
  EXPECT_EQ(none.messages,
            (std::vector<std::string>{
                "1: info: 1 joint without an effort above 0, whose motors have no limit: 'j'",
                "1: info: 1 joint without a velocity above 0, whose motors move at up to 100 "
                "rad/s or m/s: 'j'",
                "1: info: 1 joint without lower and upper limits, which move without end: 'j'"}));
  EXPECT_EQ(none.model->links[1].joints[0].effort, kNoLimit);
  EXPECT_FALSE(none.model->links[1].joints[0].range.has_value());

  const Read exchanged = limited("revolute", "lower='1' upper='-2' effort='7' velocity='3'");
  EXPECT_EQ(exchanged.losses.at(0),
            "3: the lower limit 1 of joint 'j' is above the upper one, -2; they are exchanged");
  EXPECT_EQ(exchanged.model->links[1].joints[0].range->lower, -2.0);

  const Read equal = limited("revolute", "lower='0.5' upper='0.5' effort='7' velocity='3'");
  EXPECT_TRUE(equal.model->links[1].joints.empty());
  EXPECT_EQ(equal.losses, (std::vector<std::string>{
                              "3: the limits of joint 'j' are equal, so it is fixed at position "
                              "0.5 and has no motor"}));
  // A quarter of a radian about x, twice.
  EXPECT_NEAR(equal.model->links[1].pose.rotation(2, 1), std::sin(0.5), 1e-15);
  const Read slid = limited("prismatic", "lower='0.3' upper='0.3' effort='7' velocity='3'");
  EXPECT_EQ(slid.model->links[1].pose.translation, (Vec3{0.3, 0.0, 0.0}));

  const Read endless = limited("continuous", "lower='-1' upper='1' effort='7' velocity='3'");
  EXPECT_FALSE(endless.model->links[1].joints[0].range.has_value());
}

TEST(UrdfReader, ReportsSoftLimitsThatAreNoRange) {
  const Read result = read(robot(links("ab") + joint('j', 'a', 'b',
                                                     "<safety_controller soft_lower_limit='1' "
                                                     "soft_upper_limit='-1' k_velocity='1'/>")));
  EXPECT_FALSE(result.model->links[1].joints[0].target_range.has_value());
  EXPECT_EQ(result.losses, (std::vector<std::string>{
                               "3: the soft limits 1 to -1 of joint 'j' are no range; those of "
                               "<limit> are used"}));
}

TEST(UrdfReader, ReportsMassesAndInertiasThatAreMissing) {
  const auto losses = [](const std::string& inertial) {
    return read(robot("<link name='a'><inertial>" + inertial + "</inertial></link>")).losses;
  };
  EXPECT_EQ(losses("<mass/><inertia ixx='1' iyy='1' izz='1'/>"),
            (std::vector<std::string>{"2: <inertial> of link 'a' has no mass; it is left out"}));
  EXPECT_EQ(losses("<mass value='0'/><inertia ixx='1' iyy='1' izz='1'/>"),
            (std::vector<std::string>{"2: the inertia of link 'a' is left out, as its mass is 0"}));
  EXPECT_EQ(losses("<mass value='1'/><inertia iyy='1'/>"),
            (std::vector<std::string>{"2: the inertia of link 'a' has no ixx, izz; 0 is used"}));
  EXPECT_EQ(
      losses("<mass value='1'/>"),
      (std::vector<std::string>{"2: the inertia of link 'a' has no ixx, iyy, izz; 0 is used"}));
  EXPECT_EQ(losses("<mass value='0'/><inertia ixx='0' iyy='0' izz='0'/>"),
            std::vector<std::string>{});
}

TEST(UrdfReader, LeavesOutElementsThatAreThereAlready) {
  const Read result = read(
      robot("<link name='a'/><link name='b'>\n"
            "<inertial><mass value='2'/><inertia ixx='1' iyy='1' izz='1'/></inertial>\n"
            "<inertial><mass value='5'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link>\n" +
            joint('j', 'a', 'b', "<limit effort='1' velocity='2'/><limit effort='3'/>")));
  EXPECT_EQ(result.losses,
            (std::vector<std::string>{"4: a second <inertial> in <link> is left out",
                                      "5: a second <limit> in <joint> is left out"}));
  EXPECT_EQ(result.model->links[1].inertial->mass, 2.0);
  EXPECT_EQ(result.model->links[1].joints[0].effort, 1.0);
}

TEST(UrdfReader, ReportsWhatGazeboWouldDo) {
  const Read result =
      read(robot(links("a") +
                 "<gazebo reference='a'><mu1>1</mu1><mu2>0.5</mu2>\n<kp>1e5</kp>\n<kd>1</kd>\n"
                 "<selfCollide>true</selfCollide>\n<gravity>false</gravity></gazebo>\n"
                 "<gazebo reference='a'><mu1>1</mu1><mu2>1</mu2><selfCollide>0</selfCollide>"
                 "<gravity>true</gravity></gazebo>\n<gazebo reference='aa'><mu1>1</mu1></gazebo>"));
  EXPECT_EQ(result.losses,
            (std::vector<std::string>{
                "3: mu2 0.5 of link 'a' has no effect", "4: kp of link 'a' has no effect",
                "5: kd of link 'a' has no effect", "6: link 'a' does not touch others of the robot",
                "7: gravity also acts on link 'a'",
                "9: <gazebo> is left out, as there is no link or joint 'aa'"}));
  EXPECT_EQ(read(robot("<link name='forearm'/><gazebo reference='foream'/>")).losses,
            (std::vector<std::string>{"2: <gazebo> is left out, as there is no link or joint "
                                      "'foream'; did you mean 'forearm'?"}));
}

TEST(UrdfReader, ReportsMaterialsThatAreNotDefined) {
  const Read result = read(
      robot("<material name='yellow'><color rgba='1 1 0 1'/></material><link name='a'><visual>"
            "<geometry><sphere radius='1'/></geometry><material name='yelow'/></visual></link>"));
  EXPECT_EQ(result.losses, (std::vector<std::string>{
                               "2: no material 'yelow' is defined up to here; the visual is gray; "
                               "did you mean 'yellow'?"}));
}

TEST(UrdfReader, ChecksThePosesOfSensors) {
  const auto posed = [](const std::string& pose) {
    return robot(links("a") + "<gazebo reference='a'><sensor name='s' type='imu'><pose>" + pose +
                 "</pose></sensor></gazebo>");
  };
  EXPECT_EQ(error_of(posed("1e999 0 0 0 0 0")), "3: error: <pose> should contain 6 finite numbers");
  EXPECT_EQ(error_of(posed("1 0 0")), "3: error: <pose> should contain 6 finite numbers");
  EXPECT_EQ(read(posed("1 0 0 0 0 0")).model->sensors[0].pose.translation.x, 1.0);
}

TEST(UrdfReader, ReadsManyRootsAndLongChainsOfMimicsInTimeThatGrowsWithThem) {
  std::string text = "<link name='hub'/>";
  for (int i = 0; i < 20000; ++i) {
    text += fmt::format(
        "<link name='l{0}'/><joint name='j{0}' type='continuous'><parent link='hub'/>"
        "<child link='l{0}'/><mimic joint='j{1}' multiplier='1' offset='1'/></joint>"
        "<link name='root{0}'/>",
        i, i + 1);
  }
  text +=
      "<link name='end'/><joint name='j20000' type='continuous'><parent link='hub'/>"
      "<child link='end'/></joint>";
  const Read result = read(robot(text));
  ASSERT_TRUE(result.model.has_value());
  const Mimic& first = result.model->links[1].joints[0].mimic.value();
  EXPECT_EQ(first.leader, "j20000");
  EXPECT_EQ(first.offset, 20000.0);
  EXPECT_EQ(result.losses.size(), 20000u);  // the roots
}

TEST(UrdfReader, KnowsWhichRootsAreFree) {
  EXPECT_FALSE(read(robot(links("a"))).model->fixed_base);
  const std::string world = "<link name='world'/>" + links("a");
  const auto below = [&](const std::string& type) {
    return read(robot(world + "<joint name='j' type='" + type +
                      "'><parent link='world'/><child link='a'/></joint>"));
  };
  const Read fixed = below("fixed");
  EXPECT_TRUE(fixed.model->fixed_base);
  EXPECT_EQ(fixed.model->links.size(), 2u);
  const Read free = below("floating");
  EXPECT_FALSE(free.model->fixed_base);
  ASSERT_EQ(free.model->links.size(), 1u);
  EXPECT_EQ(free.model->links[0].name, "a");
  EXPECT_EQ(free.losses, std::vector<std::string>{});
  // A world that is more than a frame stays.
  const Read ground = read(
      robot("<link name='world'><collision><geometry><box size='1 1 "
            "0.1'/></geometry></collision></link>" +
            links("a") +
            "<joint name='j' type='floating'><parent link='world'/><child link='a'/></joint>"));
  EXPECT_TRUE(ground.model->fixed_base);
  ASSERT_EQ(ground.model->links.size(), 2u);
  EXPECT_EQ(ground.model->links[0].collisions.size(), 1u);
  EXPECT_TRUE(read(robot(links("a") + "<gazebo><static>true</static></gazebo>")).model->fixed_base);
}

TEST(UrdfReader, ReadsElementsOfGazeboAndRos) {
  const Read result = read(
      robot(links("ab") + joint('j', 'a', 'b', "<limit effort='5' velocity='2'/>") +
            "<gazebo reference='a'><mu1>0.6</mu1><sensor name='i' type='imu'>"
            "<pose>0.1 0 0 0 0 0</pose></sensor><sensor name='c' type='camera'/></gazebo>\n"
            "<gazebo reference='j'><springStiffness>3</springStiffness>"
            "<springReference>0.4</springReference></gazebo>\n"
            "<sensor name='s' type='gyroscope'><parent link='b'/><origin xyz='0 0.2 0'/></sensor>\n"
            "<transmission name='t'/>"
            "<ros2_control name='c'><joint name='j'><state_interface name='position'>"
            "<param name='initial_value'>0.7</param></state_interface></joint></ros2_control>"));
  ASSERT_TRUE(result.model.has_value());
  EXPECT_EQ(result.model->links[0].contact_friction, 0.6);
  const RobotJoint& joint = result.model->links[1].joints.at(0);
  EXPECT_EQ(joint.stiffness, 3.0);
  EXPECT_EQ(joint.rest, 0.4);
  EXPECT_EQ(joint.start, 0.7);
  ASSERT_EQ(result.model->sensors.size(), 4u);
  EXPECT_EQ(result.model->sensors[0].name, "i_accelerometer");
  EXPECT_EQ(result.model->sensors[1].name, "i_gyro");
  EXPECT_EQ(result.model->sensors[2].name, "i_inertial_unit");
  EXPECT_EQ(result.model->sensors[2].pose.translation, (Vec3{0.1, 0.0, 0.0}));
  EXPECT_EQ(result.model->sensors[3].name, "s");
  EXPECT_EQ(result.model->sensors[3].link, 1);
  EXPECT_EQ(result.losses,
            (std::vector<std::string>{"4: sensor 'c' of type 'camera' is left out"}));
}

}  // namespace
}  // namespace servosim::robots::urdf_reader_test
