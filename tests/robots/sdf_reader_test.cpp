// SPDX-License-Identifier: Apache-2.0
#include "robots/sdf_reader.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "base/quaternion.h"
#include "robots/robot_bodies.h"
#include "wbt/test_support.h"

namespace servosim::robots::sdf_reader_test {
namespace {

using wbt::test::TemporaryProject;

struct Read {
  std::optional<RobotModel> model;
  std::vector<std::string> messages;  ///< such as `3: error: …`, by line
  std::vector<std::string> losses;    ///< such as `3: …`
};

Read read(const std::string& text, const std::string& folder = "/nowhere/at/all") {
  Diagnostics diagnostics;
  const std::uint32_t file = diagnostics.sources().add("robot.sdf", text);
  RobotFiles files(folder);
  std::vector<Loss> losses;
  Read result;
  result.model = read_sdf(file, files, diagnostics, losses);
  for (const Diagnostic& d : diagnostics.list()) {
    result.messages.push_back(fmt::format("{}: {}: {}", d.line, name_of(d.severity), d.message));
  }
  for (const Loss& loss : losses) {
    result.losses.push_back(
        fmt::format("{}: {}", diagnostics.sources().resolve(loss.where).line, loss.what));
  }
  return result;
}

std::string model(const std::string& parts, const std::string& version = "1.9") {
  return fmt::format("<sdf version='{}'><model name='m'>\n{}\n</model></sdf>", version, parts);
}

// Returns the model of a text that loses nothing.
RobotModel robot_of(const std::string& text, const std::string& folder = "/nowhere/at/all") {
  Read result = read(text, folder);
  EXPECT_TRUE(result.model.has_value());
  for (const std::string& message : result.messages) {
    ADD_FAILURE() << message;
  }
  for (const std::string& loss : result.losses) {
    ADD_FAILURE() << loss;
  }
  return result.model.value_or(RobotModel{});
}

// Returns the only error, and checks that nothing was read.
std::string error_of(const std::string& text) {
  const Read result = read(text);
  EXPECT_FALSE(result.model.has_value());
  EXPECT_EQ(result.messages.size(), 1u);
  return result.messages.empty() ? "" : result.messages.front();
}

void expect_near(const Vec3& found, const Vec3& expected) {
  EXPECT_NEAR(found.x, expected.x, 1e-12);
  EXPECT_NEAR(found.y, expected.y, 1e-12);
  EXPECT_NEAR(found.z, expected.z, 1e-12);
}

TEST(SdfReader, RefusesWhatIsNoRobot) {
  EXPECT_EQ(error_of("<robot name='r'/>"),
            "1: error: is no SDF: its first element is <robot>, not <sdf>");
  EXPECT_EQ(error_of("<sdf version='1.9'/>"), "1: error: has no model");
  EXPECT_EQ(error_of(model("<joint name='j' type='hinge'><parent>a</parent><child>b</child></joint>"
                           "<link name='a'/><link name='b'/>")),
            "2: error: joint 'j' has the type 'hinge', which does not exist");
}

// By the format a link without <inertial> has 1 kg and the unit inertia.
TEST(SdfReader, HasTheDefaultsOfTheFormat) {
  const RobotModel m = robot_of(model("<link name='a'/>"));
  ASSERT_EQ(m.links.size(), 1u);
  EXPECT_EQ(m.name, "m");
  ASSERT_TRUE(m.links[0].inertial.has_value());
  EXPECT_EQ(m.links[0].inertial->mass, 1.0);
  EXPECT_EQ(m.links[0].inertial->inertia, (Mat3{{1, 0, 0, 0, 1, 0, 0, 0, 1}}));
  EXPECT_FALSE(m.fixed_base);
  EXPECT_FALSE(m.is_placed);
}

TEST(SdfReader, ResolvesPosesInOtherFrames) {
  const RobotModel m = robot_of(model(
      "<pose>1 2 3 0 0 1.5707963267948966</pose>"
      "<link name='a'><pose>0 0 1 0 0 0</pose></link>"
      "<frame name='f' attached_to='a'><pose>0 1 0 0 0 0</pose></frame>"
      "<link name='b'><pose relative_to='f' degrees='true'>1 0 0 0 0 90</pose></link>"
      "<joint name='j' type='revolute'><parent>a</parent><child>b</child>"
      "<pose relative_to='a'>0 0 0.5 0 0 0</pose><axis><xyz expressed_in='__model__'>0 1 0</xyz>"
      "<limit><lower>-1</lower><upper>2</upper><effort>5</effort><velocity>-1</velocity></limit>"
      "<dynamics><damping>0.1</damping><friction>0.2</friction><spring_stiffness>3</"
      "spring_stiffness>"
      "<spring_reference>0.4</spring_reference></dynamics></axis></joint>"));
  ASSERT_EQ(m.links.size(), 2u);
  EXPECT_TRUE(m.is_placed);
  expect_near(m.links[0].pose.translation, {1.0, 2.0, 4.0});
  expect_near(m.links[1].pose.translation, {1.0, 1.0, 0.0});
  ASSERT_EQ(m.links[1].joints.size(), 1u);
  const RobotJoint& joint = m.links[1].joints[0];
  // In the frame of b, which is turned by 90 degrees about z.
  expect_near(joint.axis, {1.0, 0.0, 0.0});
  expect_near(m.links[1].pose * joint.anchor, {0.0, 0.0, 0.5});
  EXPECT_EQ(joint.range.value_or(Range{}).lower, -1.0);
  EXPECT_EQ(joint.range.value_or(Range{}).upper, 2.0);
  EXPECT_EQ(joint.effort, 5.0);
  EXPECT_EQ(joint.velocity, kNoLimit);
  EXPECT_EQ(joint.damping, 0.1);
  EXPECT_EQ(joint.friction, 0.2);
  EXPECT_EQ(joint.stiffness, 3.0);
  EXPECT_EQ(joint.rest, 0.4);
}

// libsdformat 12.3 has these axes in the frame of the model: a child that is turned by 90 degrees
// about y has the axis x in its own frame, unless the file is older than 1.5 or says otherwise.
TEST(SdfReader, HasTheFrameOfAnAxisByTheVersion) {
  const auto axis_of = [](const std::string& version, const std::string& more) {
    const RobotModel m = robot_of(model(
        "<link name='a'/><link name='b'><pose>0 0 0 0 1.5707963267948966 0</pose></link>"
        "<joint name='j' type='revolute'><parent>a</parent><child>b</child><axis><xyz>1 0 0</xyz>" +
            more + "</axis></joint>",
        version));
    return m.links.at(1).pose.rotation * m.links.at(1).joints.at(0).axis;
  };
  expect_near(axis_of("1.6", ""), {0.0, 0.0, -1.0});
  expect_near(axis_of("1.6", "<use_parent_model_frame>1</use_parent_model_frame>"),
              {1.0, 0.0, 0.0});
  expect_near(axis_of("1.4", ""), {1.0, 0.0, 0.0});
}

// The numbers are those that libsdformat 12.3 finds for this text, in the world.
TEST(SdfReader, HasThePosesAndAxesOfLibsdformat) {
  const RobotModel m = robot_of(model(
      "<pose>1 2 3 0.1 0.2 0.3</pose>"
      "<link name='a'><pose>0.1 0.2 0.3 0.4 0.5 0.6</pose></link>"
      "<frame name='f' attached_to='a'><pose>0 1 0 0 0.7 0</pose></frame>"
      "<link name='b'><pose relative_to='f'>1 0 0 0 0 0.8</pose></link>"
      "<model name='n'><pose relative_to='b'>0 0 1 0.9 0 0</pose>"
      "<link name='c'><pose>0.5 0 0 0 0.3 0</pose></link></model>"
      "<joint name='j' type='universal'><parent>a</parent><child>b</child>"
      "<pose relative_to='a'>0.1 0 0 0 0.2 0</pose><axis><xyz expressed_in='f'>1 2 3</xyz></axis>"
      "<axis2><xyz>3 0 -1</xyz></axis2></joint>"
      "<joint name='k' type='revolute'><parent>b</parent><child>n::c</child>"
      "<pose>0 0.1 0 0.2 0 0</pose><axis><xyz expressed_in='__model__'>0 1 "
      "1</xyz></axis></joint>"));
  ASSERT_EQ(m.links.size(), 3u);
  const std::vector<Pose> poses = start_poses(m);
  expect_near(poses[0].translation, {1.10411536583867, 2.20916086087501, 3.29225284408249});
  expect_near(poses[1].translation, {0.453374205808023, 3.40951402108499, 2.92389400624108});
  expect_near(poses[2].translation, {1.0716904774763, 4.34073132518527, 2.94668261599347});
  const Mat3 turn = quaternion_matrix(
      {0.374773998200163, 0.843260402982237, 0.342599412829617, 0.176300837672715});
  for (std::size_t i = 0; i < 9; ++i) {
    EXPECT_NEAR(poses[2].rotation.m[i], turn.m[i], 1e-12);
  }
  ASSERT_EQ(m.links[1].joints.size(), 2u);
  const RobotJoint& first = m.links[1].joints[0];
  const RobotJoint& second = m.links[1].joints[1];
  expect_near(poses[1] * first.anchor, {1.14783125904688, 2.27930335469991, 3.23595940537927});
  expect_near(poses[1].rotation * first.axis,
              {0.372503303919793, 0.915863987646247, 0.149781322939653});
  expect_near(poses[1].rotation * second.axis,
              {0.00847092770311903, 0.572990740802251, -0.819518062240691});
  ASSERT_EQ(m.links[2].joints.size(), 1u);
  const RobotJoint& last = m.links[2].joints[0];
  expect_near(poses[2] * last.anchor, {1.12281677933259, 4.38916534370565, 3.01767731374243});
  expect_near(poses[2].rotation * last.axis,
              {-0.0401249045276366, 0.650162109025253, 0.758735279280253});
}

TEST(SdfReader, HasTwoAxesInOneJoint) {
  const RobotModel m = robot_of(model(
      "<link name='a'/><link name='b'/><joint name='j' type='universal'><parent>a</parent>"
      "<child>b</child><axis><xyz>0 0 1</xyz></axis><axis2><xyz>0 2 0</xyz></axis2></joint>"));
  ASSERT_EQ(m.links.at(1).joints.size(), 2u);
  EXPECT_EQ(m.links[1].joints[0].axis, (Vec3{0.0, 0.0, 1.0}));
  EXPECT_EQ(m.links[1].joints[1].axis, (Vec3{0.0, 1.0, 0.0}));
  EXPECT_EQ(m.links[1].joints[1].name, "j 2");
}

TEST(SdfReader, ReadsShapesAndSensors) {
  const RobotModel m = robot_of(model(
      "<link name='a'><inertial><mass>2</mass><pose>0.1 0 0 0 0 0</pose><inertia><ixx>1</ixx>"
      "<iyy>2</iyy><izz>2.5</izz><ixy>0.1</ixy></inertia></inertial>"
      "<collision name='c'><pose>0 0 1 0 0 0</pose><geometry><cylinder><radius>0.1</radius>"
      "<length>0.5</length></cylinder></geometry><surface><friction><ode><mu>0.3</mu><mu2>0.3</mu2>"
      "</ode></friction></surface></collision>"
      "<visual name='v'><geometry><box><size>1 2 3</size></box></geometry><material>"
      "<diffuse>1 0 0 1</diffuse></material><transparency>0.5</transparency></visual>"
      "<sensor name='s' type='altimeter'><pose>0 0 2 0 0 0</pose></sensor></link>"));
  const RobotLink& link = m.links.at(0);
  EXPECT_EQ(link.inertial.value_or(MassProperties{}).mass, 2.0);
  EXPECT_EQ(link.inertial.value_or(MassProperties{}).inertia(0, 1), 0.1);
  expect_near(link.inertial.value_or(MassProperties{}).center, {0.1, 0.0, 0.0});
  ASSERT_EQ(link.collisions.size(), 1u);
  EXPECT_EQ(link.collisions[0].geometry.length, 0.5);
  EXPECT_EQ(link.contact_friction, 0.3);
  ASSERT_EQ(link.visuals.size(), 1u);
  EXPECT_EQ(link.visuals[0].material.value_or(Material{}).opacity, 0.5);
  ASSERT_EQ(m.sensors.size(), 1u);
  EXPECT_EQ(m.sensors[0].type, SensorType::Altimeter);
  expect_near(m.sensors[0].pose.translation, {0.0, 0.0, 2.0});
}

TEST(SdfReader, MeasuresForceAndTorqueAtTheChildOfAJoint) {
  const RobotModel m = robot_of(
      model("<link name='a'/><link name='b'/><joint name='j' type='fixed'>"
            "<sensor name='ft' type='force_torque'/><parent>a</parent><child>b</child></joint>"));
  ASSERT_EQ(m.sensors.size(), 1u);
  EXPECT_EQ(m.sensors[0].type, SensorType::ForceTorque);
  EXPECT_EQ(m.sensors[0].name, "ft");
  EXPECT_EQ(m.links.at(static_cast<std::size_t>(m.sensors[0].link)).name, "b");
}

TEST(SdfReader, HasSeveralModelsOfAWorld) {
  const RobotModel m = robot_of(
      "<sdf version='1.9'><world name='w'><gravity>0 0 -3</gravity><physics type='ode'>"
      "<max_step_size>0.004</max_step_size></physics>"
      "<model name='a'><link name='l'><pose>0 0 1 0 0 0</pose></link></model>"
      "<model name='b'><static>true</static><pose>5 0 0 0 0 0</pose><link name='l'/></model>"
      "</world></sdf>");
  EXPECT_EQ(m.name, "w");
  EXPECT_EQ(m.gravity.value_or(Vec3{}), (Vec3{0.0, 0.0, -3.0}));
  EXPECT_EQ(m.time_step, 0.004);
  ASSERT_EQ(m.links.size(), 3u);
  EXPECT_TRUE(m.fixed_base);
  EXPECT_EQ(m.links[1].name, "a/l");
  ASSERT_EQ(m.links[1].joints.size(), 1u);
  EXPECT_EQ(m.links[1].joints[0].motion, JointMotion::Free);
  EXPECT_EQ(m.links[2].name, "b/l");
  EXPECT_TRUE(m.links[2].joints.empty());
  expect_near(m.links[2].pose.translation, {5.0, 0.0, 0.0});
}

TEST(SdfReader, ReadsModelsInModelsAndIncludedOnes) {
  const TemporaryProject project;
  project.write("hand/model.config",
                "<model><sdf version='1.4'>old.sdf</sdf>"
                "<sdf version='1.7'>new.sdf</sdf></model>");
  project.write("hand/new.sdf",
                "<sdf version='1.7'><model name='hand'><link name='palm'>"
                "<pose>0 0 0.1 0 0 0</pose></link></model></sdf>");
  const RobotModel m = robot_of(
      model("<link name='arm'/><include><uri>model://hand</uri><name>left</name>"
            "<pose relative_to='arm'>1 0 0 0 0 0</pose></include>"
            "<model name='tool'><link name='tip'><pose>0 0 2 0 0 0</pose></link></model>"
            "<joint name='j' type='fixed'><parent>arm</parent><child>left::palm</child></joint>"
            "<joint name='k' type='prismatic'><parent>left</parent><child>tool::tip</child>"
            "<axis><xyz>0 0 1</xyz></axis></joint>"),
      project.path("."));
  ASSERT_EQ(m.links.size(), 3u);
  EXPECT_EQ(m.links[1].name, "left/palm");
  EXPECT_TRUE(m.links[1].joints.empty());
  expect_near(m.links[1].pose.translation, {1.0, 0.0, 0.1});
  EXPECT_EQ(m.links[2].name, "tool/tip");
  EXPECT_EQ(m.links[2].parent, 1);
  ASSERT_EQ(m.links[2].joints.size(), 1u);
  EXPECT_EQ(m.links[2].joints[0].motion, JointMotion::Slide);
}

TEST(SdfReader, ListsWhatIsLost) {
  const Read result =
      read(model("<link name='a'/><link name='b'/><link name='c'>\n<gravity>false</gravity></link>"
                 "<joint name='j' type='screw'><parent>a</parent><child>b</child></joint>\n"
                 "<joint name='k' type='fixed'><parent>a</parent><child>c</child></joint>\n"
                 "<joint name='l' type='ball'><parent>b</parent><child>c</child></joint>\n"
                 "<joint name='n' type='gearbox'><parent>b</parent><child>c</child></joint>"));
  EXPECT_EQ(result.losses,
            (std::vector<std::string>{
                "3: gravity also acts on link 'c'", "3: the screw 'j' does not move",
                "5: joint 'l' closes a loop and is left out", "6: the gearbox 'n' is left out"}));
}

// The axis of the joint is in the frame of the joint, although a link has its name.
TEST(SdfReader, HasJointsWithTheNamesOfLinks) {
  const RobotModel m =
      robot_of(model("<link name='a'/><link name='b'><pose>0 0 1 0 0 0</pose></link>"
                     "<joint name='a' type='revolute'><pose>0 2 0 0 0 1.5707963267948966</pose>"
                     "<parent>a</parent><child>b</child><axis><xyz>1 0 0</xyz></axis></joint>",
                     "1.6"));
  ASSERT_EQ(m.links.size(), 2u);
  ASSERT_EQ(m.links[1].joints.size(), 1u);
  expect_near(m.links[1].joints[0].anchor, {0.0, 2.0, 0.0});
  expect_near(m.links[1].joints[0].axis, {0.0, 1.0, 0.0});
}

TEST(SdfReader, RefusesNamesOfTheFormat) {
  EXPECT_EQ(error_of(model("<link name='world'/>")),
            "2: error: <link> must not be called 'world': the format reserves this name");
  EXPECT_EQ(error_of(model("<link name='a'/><frame name='__root__'/>")),
            "2: error: <frame> must not be called '__root__': the format reserves this name");
  EXPECT_EQ(error_of(model("<link name='a::b'/>")),
            "2: error: <link> must not be called 'a::b': '::' separates the names of models");
  EXPECT_EQ(robot_of(model("<link name='a::b'/>", "1.6")).links.size(), 1u);
}

TEST(SdfReader, TellsOfAllThatHasNoEffect) {
  const TemporaryProject project;
  project.write("two/model.config", "<model><sdf version='1.7'>two.sdf</sdf></model>");
  project.write(
      "two/two.sdf",
      "<sdf version='1.7'><model name='x'><link name='l'/></model><model name='y'/></sdf>");
  const Read result = read(
      "<sdf version='1.9'><world name='w'>\n"
      "<state/>\n<actor/>\n<population/>\n"
      "<physics><max_step_size>0.5</max_step_size></physics>\n"
      "<physics default='1'><max_step_size>0.002</max_step_size></physics>\n"
      "<include><uri>model://two</uri>\n<plugin/></include>\n"
      "<include><uri>model://two</uri><name>z</name></include>\n"
      "<model name='m'><link name='a'>\n<kinematic>1</kinematic>\n<self_collide>1</self_collide>\n"
      "<collision><geometry><empty/></geometry><surface><friction><ode><mu>1</mu>\n"
      "<slip1>2</slip1>\n<fdir1>0 0 1</fdir1></ode></friction></surface></collision>\n"
      "<visual><geometry><box/></geometry><material>\n<diffuse>nan 0 0 1</diffuse></material>\n"
      "</visual></link><link name='b'/><joint name='j' type='revolute'><parent>a</parent>"
      "<child>b</child><axis>\n<limit><stiffness>5</stiffness></limit></axis></joint></model>"
      "</world></sdf>",
      project.path("."));
  ASSERT_TRUE(result.model.has_value());
  EXPECT_EQ(result.model->time_step, 0.002);
  EXPECT_EQ(
      result.losses,
      (std::vector<std::string>{
          "5: <physics> beside the default one has no effect",
          "2: <state> of <world> has no effect", "3: <actor> of <world> has no effect",
          "4: <population> of <world> has no effect", "8: <plugin> of <include> has no effect",
          "1: a second model of an included file is left out",
          "1: a second model of an included file is left out",
          "11: forces move link 'm/a', although it is kinematic",
          "12: self_collide of link 'm/a' has no effect: that of the model decides",
          "14: slip1 of link 'm/a' has no effect", "15: fdir1 of link 'm/a' has no effect",
          "17: <diffuse> should contain three or four finite numbers",
          "19: stiffness and dissipation of <limit> of joint 'm/j' have no effect"}));
}

TEST(SdfReader, ReadsNoLargeModelConfig) {
  const TemporaryProject project;
  project.write("big/model.config", std::string(1'000'001, ' '));
  project.write("big/model.sdf",
                "<sdf version='1.7'><model name='big'><link name='l'/></model></sdf>");
  const Read result = read(
      "<sdf version='1.9'><world name='w'>"
      "<include><uri>model://big</uri><name>a</name></include>"
      "<include><uri>model://big</uri><name>b</name></include></world></sdf>",
      project.path("."));
  ASSERT_TRUE(result.model.has_value());
  EXPECT_EQ(result.model->links.size(), 3u);
  ASSERT_EQ(result.losses.size(), 1u);  // it is looked at once
  EXPECT_NE(result.losses[0].find("has more than 1 MB and is not read"), std::string::npos);
}

TEST(SdfReader, RefusesFramesWithoutAPlace) {
  EXPECT_EQ(error_of(model("<link name='a'><pose relative_to='x'>0 0 0 0 0 0</pose></link>")),
            "2: error: there is no frame 'm::x'");
  EXPECT_EQ(error_of(model("<link name='a'><pose relative_to='b'/></link>"
                           "<frame name='b'><pose relative_to='a'/></frame>")),
            "2: error: the pose of 'm::a' is relative to itself by way of others");
  EXPECT_EQ(error_of(model("<link name='a'/><link name='a'/>")),
            "2: error: a second frame, link, joint or model is called 'm::a'");
}

}  // namespace
}  // namespace servosim::robots::sdf_reader_test
