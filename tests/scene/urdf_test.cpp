// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <numbers>
#include <string>

#include "scene/scene.h"
#include "scene/scene_builder.h"

namespace servosim {
namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// A scene with two robots. The first has a base, a hinged arm and a slider on the arm.
Scene sample() {
  Scene scene;
  RobotSpec robot;
  robot.name = "r<1>";
  robot.solid = 0;
  DeviceSpec motor;
  motor.name = "hip";
  motor.joint = 0;
  motor.motor = MotorSpec{};
  motor.motor->max_force = 12.5;
  motor.motor->max_velocity = 3.5;
  motor.motor->min_position = -1.25;
  motor.motor->max_position = 1.75;
  robot.devices.push_back(motor);
  scene.robots.push_back(robot);
  scene.robots.push_back({});
  scene.robots[1].name = "other";

  SolidSpec base;
  base.name = "base";
  base.robot = 0;
  SolidSpec arm = base;
  arm.name = "arm";
  arm.parent = 0;
  arm.joint = 0;
  SolidSpec rod = base;
  rod.name = "arm";
  rod.parent = 1;
  rod.joint = 1;
  SolidSpec lamp = base;
  lamp.name = "lamp";
  lamp.parent = 2;
  lamp.pose.translation = {0.5, 0.25, -0.75};
  SolidSpec stranger = base;
  stranger.name = "stranger";
  stranger.robot = 1;
  scene.solids = {base, arm, rod, lamp, stranger};

  JointSpec hinge;
  hinge.first_axis = 0;
  hinge.name = "r<1>/hip";
  hinge.parent = 0;
  hinge.child = 1;
  hinge.axis = {0.0, 1.0, 0.0};
  hinge.anchor = {0.0, 0.0, 2.0};
  // The arm is 1 m from its anchor and turned by a quarter turn about z.
  hinge.zero_pose = {rotation_matrix({{0.0, 0.0, 1.0}, std::numbers::pi / 2}), {1.0, 0.0, 2.0}};
  hinge.damping_constant = 0.375;
  JointSpec slider;
  slider.first_axis = 1;
  slider.kind = JointKind::Slider;
  slider.name = "r<1>/rod";
  slider.type = JointType::Linear;
  slider.parent = 1;
  slider.child = 2;
  slider.zero_pose.translation = {0.0, 3.0, 0.0};
  slider.stops.min = -0.25;
  slider.stops.max = 0.5;
  scene.joints = {hinge, slider};
  return scene;
}

TEST(Urdf, ALinkPerSolidAndAJointPerEdgeInFileOrder) {
  const std::string text = to_urdf(sample(), 0, "p_");
  std::size_t at = 0;
  for (const char* part :
       {"<robot name=\"p_r&lt;1>\">", "<link name=\"p_base\"", "<link name=\"p_arm\"",
        "<joint name=\"p_hip\" type=\"revolute\">", "<link name=\"p_arm_2\"",
        "<joint name=\"p_rod\" type=\"prismatic\">", "<link name=\"p_lamp\"",
        "<joint name=\"p_lamp fixed\" type=\"fixed\">", "</robot>"}) {
    at = text.find(part, at);
    ASSERT_NE(at, std::string::npos) << part << " missing or misplaced in\n" << text;
  }
  EXPECT_FALSE(has(text, "stranger"));
}

TEST(Urdf, JointsAreOnTheirAxes) {
  const std::string text = to_urdf(sample(), 0, "");
  // The hinge is at its anchor and turned like the arm, so its axis y is x in that frame.
  EXPECT_TRUE(has(text, "<origin xyz=\"0 0 2\" rpy=\"0 0 1.57079633\" />")) << text;
  EXPECT_TRUE(has(text, "<axis xyz=\"1 ")) << text;
  // The slider is given in the arm's frame, whose origin is 1 m along x from the hinge. In the
  // hinge's frame, which is turned by a quarter turn, this is −y.
  EXPECT_TRUE(has(text, " 2 0\" rpy=\"0 0 0\" />\n    <parent link=\"arm\" />")) << text;
  EXPECT_TRUE(has(text, "<origin xyz=\"0.5 0.25 -0.75\" rpy=\"0 0 0\" />")) << text;
}

TEST(Urdf, LimitsAreTheStopsElseTheMotorsLimits) {
  const std::string text = to_urdf(sample(), 0, "");
  EXPECT_TRUE(has(text, "lower=\"-1.25\" upper=\"1.75\" effort=\"12.5\" velocity=\"3.5\"")) << text;
  EXPECT_TRUE(has(text, "lower=\"-0.25\" upper=\"0.5\" effort=\"0\" velocity=\"0\"")) << text;
  EXPECT_TRUE(has(text, "<dynamics damping=\"0.375\" friction=\"0\" />")) << text;
}

TEST(Urdf, MassAndShapesWhereKnown) {
  Scene scene = sample();
  MassSpec mass;
  mass.mass = 4.5;
  EXPECT_FALSE(has(to_urdf(scene, 0, ""), "<inertial>"));
  scene.solids[0].physics = mass;
  EXPECT_FALSE(has(to_urdf(scene, 0, ""), "<inertial>"));  // the inertia is unknown
  scene.solids[0].physics->inertia = Mat3{{2.5, 0.25, 0, 0.25, 3.5, 0.5, 0, 0.5, 4.5}};
  scene.solids[0].physics->center_of_mass = Vec3{0.125, 0.25, 0.375};
  Shape capsule;
  capsule.type = ShapeType::Capsule;
  capsule.radius = 0.75;
  capsule.height = 3.0;
  capsule.pose.translation = {0.0, 0.0, 5.0};
  Shape box;
  box.size = {1.5, 2.5, 3.5};
  scene.solids[0].shapes = {capsule, box};
  const std::string text = to_urdf(scene, 0, "");
  EXPECT_TRUE(has(text, "<mass value=\"4.5\" />"));
  EXPECT_TRUE(has(text, "<origin xyz=\"0.125 0.25 0.375\" rpy=\"0 0 0\" />"));
  EXPECT_TRUE(has(text, "ixx=\"2.5\" ixy=\"0.25\" ixz=\"0\" iyy=\"3.5\" iyz=\"0.5\" izz=\"4.5\""));
  EXPECT_TRUE(has(text, "<cylinder radius=\"0.75\" length=\"3\" />"));
  EXPECT_TRUE(has(text, "<origin xyz=\"0 0 6.5\" rpy=\"0 0 0\" />"));
  EXPECT_TRUE(has(text, "<origin xyz=\"0 0 3.5\" rpy=\"0 0 0\" />"));
  EXPECT_TRUE(has(text, "<box size=\"1.5 2.5 3.5\" />"));
}

TEST(Urdf, AJointWithSeveralAxesIsAChain) {
  Scene scene = sample();
  scene.solids.resize(2);
  JointSpec steer = scene.joints[0];
  steer.zero_pose.rotation = {{0, -1, 0, 1, 0, 0, 0, 0, 1}};  // a quarter turn about z
  steer.kind = JointKind::Hinge2;
  JointSpec drive = steer;
  steer.name = "r<1>/steer";
  steer.axis = {0.0, 0.0, 1.0};
  drive.name = "r<1>/drive";
  drive.axis_number = 1;
  scene.joints = {steer, drive};
  scene.robots[0].devices[0].joint = 1;
  const std::string text = to_urdf(scene, 0, "");
  // Both axes are in the frame of the arm at positions 0, which is turned.
  const std::string wanted = R"(  <link name="arm axis 1" />
  <joint name="steer" type="revolute">
    <origin xyz="0 0 2" rpy="0 0 1.57079633" />
    <parent link="base" />
    <child link="arm axis 1" />
    <axis xyz="0 0 1" />
    <limit lower="-1e+09" upper="1e+09" effort="0" velocity="0" />
    <dynamics damping="0.375" friction="0" />
  </joint>
  <joint name="drive" type="revolute">
    <origin xyz="0 0 0" rpy="0 0 0" />
    <parent link="arm axis 1" />
    <child link="arm" />
    <axis xyz="1 0 0" />
    <limit lower="-1.25" upper="1.75" effort="12.5" velocity="3.5" />
    <dynamics damping="0.375" friction="0" />
  </joint>
)";
  EXPECT_TRUE(has(text, wanted)) << text;
}

}  // namespace
}  // namespace servosim
