// SPDX-License-Identifier: Apache-2.0
// Worlds that are made of robots' own files, as simulations load them.
#include "robots/robot_world.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "physics/mass.h"
#include "robots/robot_file.h"
#include "robots/world_text.h"
#include "scene/scene.h"
#include "servosim/body_sensor.h"
#include "servosim/motor.h"
#include "servosim/robot.h"
#include "servosim/simulation.h"
#include "sim/world_inspector.h"
#include "support/mesh_files.h"
#include "wbt/test_support.h"
#include "wbt/writer.h"

namespace servosim::robots::robot_world_test {
namespace {

using wbt::test::TemporaryProject;

// An arm on a base that stands on the floor. The shoulder's frame is turned against the base, its
// axis is in its own frame, and the frame of the wrist has no mass.
constexpr const char* kArm = R"(<robot name="arm">
  <link name="base">
    <inertial><mass value="20"/>
      <inertia ixx="0.3" ixy="0" ixz="0" iyy="0.3" iyz="0" izz="0.4"/></inertial>
    <collision><origin xyz="0 0 0.05"/><geometry><box size="0.4 0.6 0.1"/></geometry></collision>
  </link>
  <link name="upper">
    <inertial><origin xyz="0.1 0.02 0.03"/><mass value="1.5"/>
      <inertia ixx="0.002" ixy="0.0003" ixz="-0.0001" iyy="0.012" iyz="0.0002" izz="0.011"/>
    </inertial>
    <collision><origin xyz="0.15 0 0" rpy="0 1.2 0"/>
      <geometry><cylinder radius="0.03" length="0.25"/></geometry></collision>
  </link>
  <joint name="shoulder" type="revolute">
    <parent link="base"/><child link="upper"/>
    <origin xyz="0.02 0.03 0.2" rpy="0.3 -0.2 0.4"/><axis xyz="0 1 0.5"/>
    <limit lower="-1.5" upper="2" effort="40" velocity="3"/>
    <dynamics damping="0.2" friction="0.1"/>
    <safety_controller soft_lower_limit="-1.4" soft_upper_limit="2.5" k_velocity="10"/>
  </joint>
  <link name="wrist"/>
  <joint name="reach" type="prismatic">
    <parent link="upper"/><child link="wrist"/><origin xyz="0.3 0 0" rpy="0 0 0.5"/>
    <axis xyz="0 1 0"/><limit lower="0.02" upper="0.1" effort="60" velocity="0.5"/>
  </joint>
  <link name="hand">
    <inertial><origin xyz="0.01 0 0"/><mass value="0.3"/>
      <inertia ixx="0.0003" ixy="0" ixz="0" iyy="0.0004" iyz="0" izz="0.0005"/></inertial>
    <collision><geometry><sphere radius="0.04"/></geometry></collision>
  </link>
  <joint name="hand_mount" type="fixed">
    <parent link="wrist"/><child link="hand"/><origin xyz="0.05 0 0"/></joint>
  <link name="finger"><inertial><mass value="0.05"/>
    <inertia ixx="1e-5" ixy="0" ixz="0" iyy="1e-5" iyz="0" izz="1e-5"/></inertial></link>
  <joint name="grip" type="continuous">
    <parent link="hand"/><child link="finger"/><origin xyz="0.04 0.01 0"/></joint>
  <gazebo reference="hand"><sensor name="imu" type="imu"/></gazebo>
</robot>)";

Mat3 rpy(double roll, double pitch, double yaw) {
  return rotation_matrix({{0, 0, 1}, yaw}) * rotation_matrix({{0, 1, 0}, pitch}) *
         rotation_matrix({{1, 0, 0}, roll});
}

class RobotWorldTest : public testing::Test {
 protected:
  std::string write(const std::string& text) {
    project.write("arm.urdf", text);
    return project.path("arm.urdf");
  }
  Simulation load(const std::string& text) { return Simulation(write(text)); }
  static std::vector<std::string> messages(const Simulation& simulation) {
    std::vector<std::string> list;
    for (const Diagnostic& d : simulation.diagnostics()) {
      list.push_back(fmt::format("{}: {}", d.line, d.message));
    }
    return list;
  }

  TemporaryProject project;
};

TEST_F(RobotWorldTest, HasEachJointWithItsMotorAndSensor) {
  Simulation simulation = load(kArm);
  EXPECT_EQ(messages(simulation), std::vector<std::string>{});
  ASSERT_EQ(simulation.joints().size(), 3);
  EXPECT_EQ(simulation.joint(0).name(), "arm/shoulder");
  EXPECT_EQ(simulation.joint(1).name(), "arm/reach");
  Robot& robot = simulation.robot("arm");
  for (const char* name : {"shoulder", "shoulder_sensor", "reach", "reach_sensor",
                           "imu_accelerometer", "imu_gyro", "imu_inertial_unit"}) {
    EXPECT_NE(robot.find(name), nullptr) << name;
  }
  const Scene& scene = WorldInspector(simulation).scene();
  const JointSpec& shoulder = scene.joints[0];
  EXPECT_EQ(shoulder.stops.min, -1.5);
  EXPECT_EQ(shoulder.stops.max, 2.0);
  EXPECT_EQ(shoulder.damping_constant, 0.2);
  EXPECT_EQ(shoulder.static_friction, 0.1);
  const MotorSpec& motor = scene.robots[0].devices.at(0).motor.value();
  EXPECT_EQ(motor.max_force, 40.0);
  EXPECT_EQ(motor.max_velocity, 3.0);
  // Soft limits are those of the motor, as far as the stops allow.
  EXPECT_EQ(motor.min_position, -1.4);
  EXPECT_EQ(motor.max_position, 2.0);
  EXPECT_EQ(scene.joints[1].position, 0.02);
}

TEST_F(RobotWorldTest, KeepsTheRangeIfSoftLimitsLeaveNothingOfIt) {
  std::string text = kArm;
  const std::string soft = "soft_lower_limit=\"-1.4\" soft_upper_limit=\"2.5\"";
  text.replace(text.find(soft), soft.size(), "soft_lower_limit=\"-3\" soft_upper_limit=\"-2\"");
  Simulation simulation = load(text);
  EXPECT_EQ(messages(simulation),
            (std::vector<std::string>{"14: the limits -3 to -2 of targets of joint 'shoulder' "
                                      "leave nothing of its range -1.5 to 2; it has that range"}));
  const Scene& scene = WorldInspector(simulation).scene();
  const MotorSpec& motor = scene.robots[0].devices.at(0).motor.value();
  EXPECT_EQ(motor.min_position, -1.5);
  EXPECT_EQ(motor.max_position, 2.0);
}

TEST_F(RobotWorldTest, WritesRestsOfSpringsArmaturesAndStopsBeyondHalfATurn) {
  RobotModel model;
  model.name = "r";
  model.fixed_base = true;
  model.links.resize(2);
  model.links[1].parent = 0;
  RobotJoint joint;
  joint.name = "j";
  joint.stiffness = 3.0;
  joint.rest = 0.5;
  joint.armature = 0.25;
  joint.range = Range{-7.0, 8.0};
  model.links[1].joints = {joint};
  model.links[1].inertial = {1.0, {}, diagonal(1.0, 1.0, 1.0)};
  std::vector<Loss> losses;
  const RobotWorld world = world_of_robot(model, project.path("."), {}, losses);
  EXPECT_TRUE(losses.empty());
  for (const char* field : {"springConstant 3\n", "#servosim springReference 0.5\n",
                            "#servosim armature 0.25\n", "minStop -7\n", "maxStop 8\n"}) {
    EXPECT_NE(world.text.find(field), std::string::npos) << field;
  }
  // The world's reader knows all of these.
  Diagnostics diagnostics;
  wbt::read_world_text(world.text, "r.wbt", project.path("."), {}, diagnostics);
  for (const Diagnostic& d : diagnostics.list()) {
    ADD_FAILURE() << d.message;
  }
}

TEST_F(RobotWorldTest, ReadsURDFsByTheirFirstElementAndByEndingsInAnyCase) {
  for (const char* name : {"arm.URDF", "arm.Urdf", "arm.xml", "arm.XML"}) {
    project.write(name, kArm);
    const Simulation simulation(project.path(name));
    EXPECT_EQ(messages(simulation), std::vector<std::string>{}) << name;
    EXPECT_EQ(simulation.joints().size(), 3) << name;
  }
}

// The spans of a text are of one file, so that parts of other files have the place of the model.
TEST(WorldText, GivesPartsOfOtherFilesTheFirstPlace) {
  WorldText text({0, 5});
  text.line("a");
  text.note({0, 20});
  text.line("b");
  text.note({1, 3});
  text.line("c");
  std::vector<std::uint32_t> origins;
  for (const SourceSpan& span : text.spans()) {
    origins.push_back(span.origin);
  }
  EXPECT_EQ(origins, (std::vector<std::uint32_t>{5, 20, 5}));
}

TEST_F(RobotWorldTest, PlacesLinksByTheirJoints) {
  Simulation simulation = load(kArm);
  const double q = 0.7;
  const double d = 0.06;
  simulation.joint(0).set_state(q);
  simulation.joint(1).set_state(d);
  const Pose base = simulation.solid(0).pose();
  EXPECT_NEAR(base.translation.z, 0.0, 1e-12);  // the box of the base ends there
  const Pose shoulder{rpy(0.3, -0.2, 0.4), {0.02, 0.03, 0.2}};
  const Pose upper = base * shoulder * Pose{rotation_matrix({unit_or({0, 1, 0.5}, {}), q}), {}};
  const Pose wrist = upper * Pose{rpy(0, 0, 0.5), {0.3, 0, 0}} * Pose{{}, {0, d, 0}};
  const Pose hand = wrist * Pose{{}, {0.05, 0, 0}};
  const auto expect_pose = [&](const char* name, const Pose& expected) {
    const Pose pose = simulation.solid(name).pose();
    EXPECT_NEAR(norm(pose.translation - expected.translation), 0.0, 1e-14) << name;
    for (int i = 0; i < 9; ++i) {
      EXPECT_NEAR(pose.rotation.m[i], expected.rotation.m[i], 1e-14) << name;
    }
  };
  expect_pose("upper", upper);
  expect_pose("wrist", wrist);
  expect_pose("hand", hand);
  expect_pose("finger", hand * Pose{{}, {0.04, 0.01, 0}});
}

TEST_F(RobotWorldTest, KeepsMassesAndInertias) {
  Simulation simulation = load(kArm);
  const Scene& scene = WorldInspector(simulation).scene();
  const auto physics = [&](const char* name) {
    return *scene.solids[static_cast<std::size_t>(simulation.solid(name).index())].physics;
  };
  const MassSpec upper = physics("upper");
  EXPECT_EQ(upper.mass, 1.5);
  EXPECT_EQ(*upper.center_of_mass, (Vec3{0.1, 0.02, 0.03}));
  EXPECT_EQ(*upper.inertia,
            (Mat3{{0.002, 0.0003, -0.0001, 0.0003, 0.012, 0.0002, -0.0001, 0.0002, 0.011}}));
  // The frame of the wrist moves, so it carries the mass of the hand that is fixed to it.
  const MassSpec wrist = physics("wrist");
  EXPECT_EQ(wrist.mass, 0.3);
  EXPECT_NEAR(wrist.center_of_mass->x, 0.06, 1e-15);
  const SolidSpec& hand = scene.solids[static_cast<std::size_t>(simulation.solid("hand").index())];
  EXPECT_FALSE(hand.physics.has_value());
  EXPECT_TRUE(hand.shapes.empty());
  EXPECT_EQ(scene.solids[static_cast<std::size_t>(simulation.solid("wrist").index())].shapes.size(),
            1u);
  // A joint needs a body on both sides, so the finger hangs on the wrist.
  EXPECT_EQ(simulation.solid(scene.joints[2].parent).name(), "wrist");
}

TEST_F(RobotWorldTest, StandsOnTheFloor) {
  Simulation simulation = load(kArm);
  simulation.step(500);
  const Pose base = simulation.solid(0).pose();
  EXPECT_NEAR(base.translation.z, 0.0, 2e-3);  // contacts give way
  EXPECT_GT(base.rotation(2, 2), 0.999);
}

TEST_F(RobotWorldTest, FallsWithoutAFloorUnlessItIsHeld) {
  const std::string path = write(kArm);
  LoadOptions options;
  Diagnostics ignored;
  const auto z_after = [&](const RobotFileOptions& robot) {
    Diagnostics diagnostics;
    wbt::WorldFile world = read_world(path, {}, robot, diagnostics);
    Simulation simulation =
        Simulation::from_text(wbt::write_world(world), options, project.path("."));
    simulation.step(250);
    return simulation.solid(0).pose().translation.z;
  };
  // h²·g·n·(n + 1)/2 with n steps of h = 2 ms: the scheme of the step.
  EXPECT_NEAR(z_after({.floor = false}), -4e-6 * 9.81 * 250 * 251 / 2, 0.05);
  EXPECT_EQ(z_after({.floor = false, .fixed_base = true}), 0.0);
}

TEST_F(RobotWorldTest, NamesPlacesOfTheRobotsFile) {
  std::string text = kArm;
  text.replace(text.find("friction=\"0.1\""), 14, "friction=\"1e19\"");
  const std::size_t joint = text.find("<joint name=\"shoulder\"");
  const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<long>(joint), '\n');
  EXPECT_EQ(messages(load(text)),
            (std::vector<std::string>{fmt::format(
                "{}: staticFriction is 1e+19, but it must be at most 1e18; 1e+18 is used", line)}));
}

TEST_F(RobotWorldTest, ReadsBackWhatItWrites) {
  const std::string path = write(kArm);
  Diagnostics diagnostics;
  const wbt::WorldFile world = read_world(path, {}, {}, diagnostics);
  const wbt::WorldFile again = wbt::read_world_text(wbt::write_world(world), "again.wbt",
                                                    project.path("."), {}, diagnostics);
  EXPECT_EQ(diagnostics.list().size(), 0u);
  EXPECT_TRUE(wbt::equal(world, again));
  EXPECT_EQ(world.path, path);
}

TEST_F(RobotWorldTest, ScalesAndPlacesMeshes) {
  project.write("meshes/tetrahedron.stl", test::stl_text(test::tetrahedron(100.0, 200.0, 400.0)));
  Simulation simulation = load(
      "<robot name='r'><link name='a'><inertial><mass value='2'/>"
      "<inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>"
      "<collision><origin rpy='3.141592653589793 0 0'/><geometry>"
      "<mesh filename='meshes/tetrahedron.stl' scale='0.001 0.002 0.003'/></geometry></collision>"
      "</link></robot>");
  EXPECT_EQ(messages(simulation), std::vector<std::string>{});
  // The tip at 400 points down and is scaled by 0.003.
  EXPECT_NEAR(simulation.solid(1).pose().translation.z, 1.2, 1e-6);  // floats in the file
}

// A base with a thin plate and a point mass that are fixed to it.
std::string with_parts(const std::string& base_inertia) {
  return "<robot name='r'><link name='a'><inertial><mass value='2'/>" + base_inertia +
         R"(</inertial></link>
<link name="plate"><inertial><mass value="3"/>
<inertia ixx="0.4" ixy="0" ixz="0" iyy="0" iyz="0" izz="0.4"/></inertial></link>
<joint name="j" type="fixed"><parent link="a"/><child link="plate"/><origin xyz="1 0 0"/></joint>
<link name="point"><inertial><mass value="1"/>
<inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial></link>
<joint name="k" type="fixed"><parent link="a"/><child link="point"/><origin xyz="0 1 0"/></joint>
</robot>)";
}

TEST_F(RobotWorldTest, LeavesBodiesWithPartsThatAreNoneAsTheyAre) {
  LoadOptions options;
  const Simulation simulation(
      write(with_parts("<inertia ixx='0.1' ixy='0' ixz='0' iyy='0.2' iyz='0' izz='0.25'/>")),
      options);
  EXPECT_EQ(messages(simulation),
            (std::vector<std::string>{"1: no link has a collision that can be read: the robot "
                                      "falls through the floor"}));
  const std::vector<RigidBody>& bodies = WorldInspector(simulation).bodies();
  ASSERT_EQ(bodies.size(), 1u);
  const MassProperties& mass = bodies[0].mass;
  EXPECT_DOUBLE_EQ(mass.mass, 6.0);
  EXPECT_NEAR(norm(mass.center - Vec3{0.5, 1.0 / 6.0, 0.0}), 0.0, 1e-15);
  // About x: those of the parts, and 1 kg at 1 m, less 6 kg at the centre: 0.5 + 1 − 6/36.
  EXPECT_NEAR(mass.inertia(0, 0), 0.1 + 0.4 + 1.0 - 6.0 / 36.0, 1e-14);
  EXPECT_NEAR(mass.inertia(1, 1), 0.2 + 3.0 - 6.0 * 0.25, 1e-14);
  EXPECT_NEAR(mass.inertia(0, 1), 6.0 * 0.5 / 6.0, 1e-14);
}

TEST_F(RobotWorldTest, RepairsABodyThatIsNone) {
  const auto one = [](const std::string& inertia) {
    return "<robot name='r'><link name='a'><inertial><mass value='2'/>" + inertia +
           "</inertial><collision><geometry><sphere radius='0.1'/></geometry></collision></link>"
           "</robot>";
  };
  EXPECT_EQ(
      messages(load(one("<inertia ixx='-0.1' iyy='0.2' izz='0.3'/>"))),
      (std::vector<std::string>{
          "1: the inertia of link 'a' is not positive definite (moments -0.1 0.2 0.3 kg m^2); "
          "the moments 0.1 0.2 0.3 are used"}));
  const Simulation ball = load(one("<inertia ixx='0' iyy='0' izz='0'/>"));
  EXPECT_EQ(messages(ball),
            (std::vector<std::string>{"1: the inertia of link 'a' has no moment above 0 kg m^2; "
                                      "that of a ball of water with the same mass is used"}));
  const double radius = std::cbrt(0.75 * 2.0 / (M_PI * 1000.0));
  EXPECT_NEAR(WorldInspector(ball).bodies()[0].mass.inertia(1, 1), 0.4 * 2.0 * radius * radius,
              1e-15);
}

TEST_F(RobotWorldTest, ListsWhatTheWorldLacks) {
  const Simulation simulation = load(R"(<robot name="r">
<link name="a"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
<collision><geometry><sphere radius="0.1"/></geometry></collision></link>
<link name="b"/><link name="c"/><link name="d"/>
<joint name="ab" type="continuous"><parent link="a"/><child link="b"/></joint>
<joint name="ac" type="continuous"><parent link="a"/><child link="c"/><mimic joint="ab"/></joint>
<joint name="ad" type="planar"><parent link="a"/><child link="d"/></joint>
</robot>)");
  EXPECT_EQ(messages(simulation),
            (std::vector<std::string>{
                "7: joint 'ad' is planar and becomes fixed",
                "4: link 'b' moves and has no mass; it gets 0.001 kg and 1e-06 kg m^2",
                "4: link 'c' moves and has no mass; it gets 0.001 kg and 1e-06 kg m^2"}));
}

// A hand whose finger follows the thumb, and whose tip follows the finger.
std::string mimicking(const std::string& of_finger, const std::string& of_tip) {
  const auto link = [](const char* name) {
    return fmt::format(
        "<link name='{}'><inertial><mass value='0.1'/><inertia ixx='1e-3' iyy='1e-3' "
        "izz='1e-3'/></inertial></link>\n",
        name);
  };
  const auto joint = [](const char* name, const char* parent, const char* child,
                        const std::string& mimic) {
    return fmt::format(
        "<joint name=\"{}\" type='revolute'><parent link='{}'/><child link='{}'/><axis "
        "xyz='0 0 1'/><limit lower='-2' upper='2' effort='3' velocity='4'/>{}</joint>\n",
        name, parent, child, mimic);
  };
  return "<robot name='hand'><link name='world'/>" + link("a") + link("b") + link("c") +
         joint("it's thumb", "world", "a", "") + joint("finger", "world", "b", of_finger) +
         joint("tip", "b", "c", of_tip) + "</robot>";
}

TEST_F(RobotWorldTest, CouplesMimicJoints) {
  Simulation simulation =
      load(mimicking("<mimic joint=\"it's thumb\" multiplier='-0.5' offset='0.1'/>",
                     "<mimic joint='finger' multiplier='2'/>"));
  EXPECT_EQ(messages(simulation), std::vector<std::string>());
  EXPECT_EQ(simulation.joint("hand/finger_sensor").position(), 0.1);
  EXPECT_EQ(simulation.joint("hand/tip_sensor").position(), 0.2);
  simulation.robot("hand").motor("it's thumb").set_position(0.8);
  simulation.step(1000);
  EXPECT_NEAR(simulation.joint("hand/it's thumb").position(), 0.8, 1e-3);
  const double thumb = simulation.joint("hand/it's thumb").position();
  EXPECT_NEAR(simulation.joint("hand/finger_sensor").position(), 0.1 - 0.5 * thumb, 1e-12);
  EXPECT_NEAR(simulation.joint("hand/tip_sensor").position(), 0.2 - thumb, 1e-12);
}

// The legs of iCubs have such sensors at fixed joints.
TEST_F(RobotWorldTest, MeasuresForceAndTorqueAtJoints) {
  Simulation simulation = load(R"(<robot name="r">
<link name="world"/><joint name="base" type="fixed"><parent link="world"/><child link="a"/></joint>
<link name="a"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
<link name="b"><inertial><origin xyz="0.1 0 0"/><mass value="3"/>
  <inertia ixx="1" iyy="1" izz="1"/></inertial></link>
<link name="c"><inertial><mass value="4"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
<joint name="ab" type="fixed"><parent link="a"/><child link="b"/><origin xyz="1 0 0"/></joint>
<joint name="bc" type="revolute"><parent link="b"/><child link="c"/><origin xyz="0 1 0"/>
  <limit lower="-1" upper="1" effort="100" velocity="5"/><axis xyz="0 0 1"/></joint>
<gazebo reference="ab"><sensor name="ab_ft" type="force_torque"><force_torque>
  <frame>child</frame><measure_direction>child_to_parent</measure_direction></force_torque>
  </sensor></gazebo>
<gazebo reference="bc"><sensor name="bc_ft" type="force_torque"><force_torque>
  <frame>sensor</frame></force_torque></sensor><sensor name="bc_too" type="force_torque"/>
  <sensor name="seen" type="camera"/></gazebo></robot>)");
  std::vector<std::string> expected{"sensor 'bc_ft' measures in the frame of the child, not sensor",
                                    "sensor 'bc_too' is left out, as another one is there, too",
                                    "sensor 'seen' at joint 'bc' is left out"};
  for (const std::string& message : messages(simulation)) {
    std::erase_if(expected,
                  [&](const std::string& e) { return message.find(e) != std::string::npos; });
  }
  EXPECT_EQ(expected, std::vector<std::string>());
  BodySensor& fixed = simulation.robot(0).body_sensor("ab_ft");
  BodySensor& turning = simulation.robot(0).body_sensor("bc_ft");
  fixed.enable(1, 0.0);
  turning.enable(1, 0.0);
  simulation.step(500);
  constexpr double kG = 9.81;
  const auto expect = [](const BodySensor& sensor, const std::vector<double>& values) {
    ASSERT_EQ(sensor.values().size(), values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_NEAR(sensor.values()[i], values[i], 1e-3) << i;
    }
  };
  // Torques of weights: x × (−z) = y, y × (−z) = −x.
  expect(fixed, {0.0, 0.0, -7.0 * kG, -4.0 * kG, 0.1 * 3.0 * kG, 0.0});
  expect(turning, {0.0, 0.0, -4.0 * kG, 0.0, 0.0, 0.0});
}

// The leader becomes fixed after the mimic was read.
TEST_F(RobotWorldTest, TellsOfALeaderThatBecomesFixed) {
  const Simulation simulation = load(R"(<robot name="r">
<link name="a"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
<link name="b"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
<link name="c"/><joint name="ab" type="continuous"><parent link="a"/><child link="b"/>
<mimic joint="ac"/></joint>
<joint name="ac" type="planar"><parent link="a"/><child link="c"/></joint></robot>)");
  const std::vector<std::string> all = messages(simulation);
  EXPECT_TRUE(std::ranges::any_of(all, [](const std::string& each) {
    return each.find(
               "joint 'ab' does not follow joint 'ac', as that joint is fixed; it moves "
               "on its own") != std::string::npos;
  })) << all.back();
}

// A joint that cannot follow has its own motor, which holds it.
TEST_F(RobotWorldTest, LeavesMotorsToJointsThatNoWorldCouples) {
  Simulation simulation = load(mimicking("<mimic joint=\"it's thumb\" multiplier='1e-7'/>", ""));
  EXPECT_NE(messages(simulation)
                .back()
                .find("joint 'finger' does not follow joint 'it's thumb', as its multiplier or "
                      "offset is out of range; it moves on its own"),
            std::string::npos)
      << messages(simulation).back();
  ASSERT_NE(simulation.robot("hand").find("finger"), nullptr);
  simulation.robot("hand").motor("finger").set_position(0.7);
  simulation.step(1000);
  EXPECT_NEAR(simulation.joint("hand/finger").position(), 0.7, 1e-3);
}

// The tip is half of the finger ahead, so it is fixed as well.
TEST_F(RobotWorldTest, FixesMimicJointsWithoutAMultiplierAtTheirOffset) {
  const Simulation simulation =
      load(mimicking("<mimic joint=\"it's thumb\" multiplier='0' offset='0.3'/>",
                     "<mimic joint='finger' multiplier='0.5' offset='0.1'/>"));
  const std::vector<std::string> all = messages(simulation);
  for (const char* const what : {"joint 'finger' becomes fixed at 0.3, as it follows joint 'it's "
                                 "thumb' with the multiplier 0",
                                 "joint 'tip' becomes fixed at 0.25"}) {
    EXPECT_TRUE(std::ranges::any_of(all, [&](const std::string& each) {
      return each.find(what) != std::string::npos;
    })) << what;
  }
  EXPECT_EQ(simulation.joints().size(), 1);
  EXPECT_NEAR(simulation.solid("c").pose().rotation(1, 0), std::sin(0.55), 1e-12);
}

}  // namespace
}  // namespace servosim::robots::robot_world_test
