// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "support/near.h"
#include "wbt/convert/support.h"

namespace servosim {
namespace {

using test::build;
using test::Built;
using test::convert_body;
using test::convert_nodes_and_fields;
using test::Converted;
using test::expect_near;
using test::Messages;

// A Servo of type "none" becomes a Solid without Physics at the origin of its parent, and a joint
// that Webots does not make.
bool is_base(const SolidSpec& solid) { return solid.name.ends_with(" base"); }

std::vector<JointSpec> joints_that_hold(const Scene& scene) {
  std::vector<JointSpec> joints = scene.joints;
  std::erase_if(joints, [](const JointSpec& joint) { return joint.child < 0; });
  return joints;
}

std::string solid_name(const Scene& scene, int solid) {
  while (solid >= 0 && is_base(scene.solids[solid])) {
    solid = scene.solids[solid].parent;
  }
  return solid < 0 ? "the world" : scene.solids[solid].name;
}

struct Pair {
  const Scene& before;
  const Scene& after;
};

// The poses come from the same numbers in another order of operations.
void expect_same_joint(const Pair& scenes, const JointSpec& a, const JointSpec& b) {
  EXPECT_EQ(a.kind, b.kind);
  EXPECT_EQ(a.type, b.type);
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(solid_name(scenes.before, a.parent), solid_name(scenes.after, b.parent));
  EXPECT_EQ(solid_name(scenes.before, a.child), solid_name(scenes.after, b.child));
  EXPECT_EQ(a.robot, b.robot);
  expect_near(a.axis, b.axis);
  EXPECT_EQ(a.anchor, b.anchor);
  expect_near(a.zero_pose, b.zero_pose);
  EXPECT_EQ(a.position, b.position);
  EXPECT_EQ(a.stops.min, b.stops.min);
  EXPECT_EQ(a.stops.max, b.stops.max);
  EXPECT_EQ(a.spring.constant, b.spring.constant);
  EXPECT_EQ(a.damping_constant, b.damping_constant);
  EXPECT_EQ(a.static_friction, b.static_friction);
}

void expect_same_solid(const Pair& scenes, const SolidSpec& a, const SolidSpec& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(solid_name(scenes.before, a.parent), solid_name(scenes.after, b.parent));
  EXPECT_EQ(a.robot, b.robot);
  EXPECT_EQ(a.joint < 0, b.joint < 0);
  EXPECT_EQ(a.physics && a.free_body, b.physics && b.free_body);
  expect_near(a.pose, b.pose);
  EXPECT_EQ(a.physics.has_value(), b.physics.has_value());
  EXPECT_EQ(a.shapes.size(), b.shapes.size());
  EXPECT_EQ(a.contact_material, b.contact_material);
  EXPECT_EQ(a.linear_velocity, b.linear_velocity);
  EXPECT_EQ(a.angular_velocity, b.angular_velocity);
}

const DeviceSpec* find_device(const RobotSpec& robot, const std::string& name) {
  const auto found = std::find_if(robot.devices.begin(), robot.devices.end(),
                                  [&](const DeviceSpec& d) { return d.name == name; });
  return found == robot.devices.end() ? nullptr : &*found;
}

// A controller finds the same motor by the name of the Servo, and a sensor on its joint.
void expect_same_motor(const DeviceSpec& servo, const RobotSpec& robot) {
  const DeviceSpec* device = find_device(robot, servo.name);
  ASSERT_NE(device, nullptr) << servo.name;
  ASSERT_TRUE(device->motor) << servo.name;
  const MotorSpec& a = *servo.motor;
  const MotorSpec& b = *device->motor;
  EXPECT_EQ(a.type, b.type);
  EXPECT_EQ(a.max_velocity, b.max_velocity);
  EXPECT_EQ(a.max_force, b.max_force);
  EXPECT_EQ(a.available_force, b.available_force);
  EXPECT_EQ(a.acceleration, b.acceleration);
  EXPECT_EQ(a.gains.p, b.gains.p);
  EXPECT_EQ(a.gains.i, b.gains.i);
  EXPECT_EQ(a.gains.d, b.gains.d);
  EXPECT_EQ(a.min_position, b.min_position);
  EXPECT_EQ(a.max_position, b.max_position);
  EXPECT_EQ(a.consumption_factor, b.consumption_factor);
  const DeviceSpec* sensor = find_device(robot, servo.name + " sensor");
  ASSERT_NE(sensor, nullptr) << servo.name;
  EXPECT_TRUE(sensor->sensor);
  EXPECT_EQ(sensor->joint, device->joint);
}

void expect_same_scene(const Scene& a, const Scene& b) {
  const Pair scenes{a, b};
  const std::vector<JointSpec> old_joints = joints_that_hold(a);
  const std::vector<JointSpec> joints = joints_that_hold(b);
  ASSERT_EQ(old_joints.size(), joints.size());
  for (std::size_t i = 0; i < joints.size(); ++i) {
    SCOPED_TRACE(joints[i].name);
    expect_same_joint(scenes, old_joints[i], joints[i]);
  }
  std::vector<SolidSpec> solids = b.solids;
  std::erase_if(solids, is_base);
  ASSERT_EQ(a.solids.size(), solids.size());
  for (std::size_t i = 0; i < solids.size(); ++i) {
    SCOPED_TRACE(solids[i].name);
    expect_same_solid(scenes, a.solids[i], solids[i]);
  }
  ASSERT_EQ(a.robots.size(), b.robots.size());
  for (std::size_t r = 0; r < a.robots.size(); ++r) {
    for (const DeviceSpec& device : a.robots[r].devices) {
      if (device.node_type == "Servo") {
        expect_same_motor(device, b.robots[r]);
      }
    }
  }
}

std::string in_words_of_servos(std::string message) {
  for (const auto& [now, then] : {std::pair<std::string, std::string>{"maxTorque", "maxForce"},
                                  {"a HingeJoint", "a Servo"},
                                  {"a SliderJoint", "a Servo"}}) {
    if (const auto at = message.find(now); at != std::string::npos) {
      message.replace(at, now.size(), then);
    }
  }
  return message;
}

// The message that nothing holds a Servo of type "none" has other words after the conversion.
void expect_no_new_messages(const Messages& before, Messages after) {
  std::erase_if(after, [](const std::string& message) {
    return message.find("nothing holds Solid") != std::string::npos;
  });
  for (const std::string& message : after) {
    EXPECT_TRUE(std::any_of(before.begin(), before.end(), [&](const std::string& said) {
      return said == message || said == in_words_of_servos(message);
    })) << message;
  }
}

// Everything that is simulated stays the same: bodies and joints in the same order, from the same
// numbers.
TEST(ConvertServos, EveryWorldKeepsItsScene) {
  std::size_t worlds = 0;
  for (const char* folder :
       {SERVOSIM_WORLDS_DIR, SERVOSIM_TEST_DIR "/worlds", SERVOSIM_TEST_DIR "/conformance"}) {
    for (const std::string& path : test::worlds_in(folder)) {
      SCOPED_TRACE(path);
      Diagnostics diagnostics;
      const Converted world = convert_nodes_and_fields(wbt::read_world(path, {}, diagnostics));
      const Built before = build(world.before, diagnostics);
      const Built after = build(world.after, diagnostics);
      const auto& robots = before.scene.robots;
      if (std::any_of(robots.begin(), robots.end(),
                      [](const auto& r) { return r.drive.has_value(); })) {
        continue;  // a DifferentialWheels gets joints, which ConvertMotion tests
      }
      expect_same_scene(before.scene, after.scene);
      EXPECT_LE(after.said.size(), before.said.size());
      expect_no_new_messages(before.said, after.said);
      ++worlds;
    }
  }
  EXPECT_GE(worlds, 100u);
}

struct Case {
  const char* name;
  const char* body;
  const char* version = "V6.0";

  friend void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }
};

class ConvertServo : public testing::TestWithParam<Case> {};

TEST_P(ConvertServo, KeepsItsScene) {
  const Converted world = convert_body(GetParam().body, GetParam().version);
  const Built before = build(world.before);
  const Built after = build(world.after);
  expect_same_scene(before.scene, after.scene);
  expect_no_new_messages(before.said, after.said);
}

constexpr Case kCases[] = {
    {"RotationalTurnsAboutItsRotationAxis", R"(Robot { children [ Servo {
      translation 0.1 0.2 0.3 rotation 1 2 -0.5 0.7 name "a" physics Physics {} } ] })"},
    {"LinearSlidesAlongItsZ", R"(Robot { children [ Servo { type "linear"
      translation 0.1 0.2 0.3 rotation 1 2 -0.5 0.7 name "a" physics Physics {} } ] })"},
    {"RotationalStartsTurned", R"(Robot { children [ Servo { position 0.6
      translation 0.1 0.2 0.3 rotation 1 2 -0.5 0.7 name "a" physics Physics {} } ] })"},
    {"LinearStartsShifted", R"(Robot { children [ Servo { type "linear" position -0.6
      translation 0.1 0.2 0.3 rotation 1 2 -0.5 0.7 name "a" } ] })"},
    {"NullAxis", R"(Robot { children [ Servo { rotation 0 0 0 1 position 0.3 name "a" } ] })"},
    {"EveryField", R"(Robot { children [ Servo { name "a" maxVelocity 3 maxForce 4 controlP 5
      acceleration 6 minPosition -0.7 maxPosition 0.8 minStop -0.9 maxStop 1.1 springConstant 2
      dampingConstant 3 staticFriction 4 contactMaterial "m" boundingObject Box { size 1 2 3 }
      physics Physics { mass 2 density -1 centerOfMass 1 2 3 } } ] })",
     "V7.4.0"},
    {"LimitsOfASlider", R"(Robot { children [ Servo { type "linear" name "a" maxForce 4
      minPosition -0.7 maxPosition 0.8 minStop -0.9 maxStop 1.1 } ] })"},
    {"BadValues", R"(Robot { children [ Servo { name "a" maxVelocity -3 maxForce -4 controlP -5
      acceleration -6 minPosition 0.7 maxPosition -0.8 minStop 1 maxStop -1 springConstant -2 } ] })"},
    {"UnknownType", R"(Robot { children [ Servo { type "skew" name "a" } ] })"},
    {"InTransform",
     R"(Robot { children [ Transform { translation 1 2 3 rotation 0 0 1 0.3 children [
      Servo { translation 0.1 0 0 rotation 1 0 0 0.2 name "a" physics Physics {} } ] } ] })"},
    {"Overlaid",
     R"(Robot { children [ Servo { rotation 0 1 0 0 name "a" physics Physics {} children [
      Servo { rotation 1 0 0 0 name "b" physics Physics {} children [
        Servo { type "linear" rotation 0 0 1 0.4 name "c" physics Physics {} } ] } ] } ] })"},
    {"MixedPhysics", R"(Robot { children [ Servo { name "a" children [ Servo { name "b"
      physics Physics {} children [ Servo { name "c" } ] } ] } ] })"},
    {"PositionBeforeV6", R"(Robot { name "r" children [ Servo { name "a" position 0.4 } ] })",
     "V5.0"},
    {"NoneWithPhysics", R"(Robot { physics Physics {} children [ Servo { type "none" name "a"
      translation 1 2 3 position 0.2 physics Physics {} children [ Servo { name "b" } ] } ] })"},
    {"NoneBelowStatic", R"(Robot { children [ Servo { type "none" name "a"
      physics Physics {} } ] })"},
    {"NoneWithoutPhysics", R"(Robot { children [ Servo { type "none" name "a"
      translation 1 2 3 children [ Servo { name "b" } ] } ] })"},
};

INSTANTIATE_TEST_SUITE_P(All, ConvertServo, testing::ValuesIn(kCases),
                         testing::PrintToStringParamName());

const wbt::Node& joint_of(const Converted& world) {
  return *world.after.nodes.at(0)->nodes("children").at(0);
}

TEST(ConvertServos, SupervisorsFindTheSolidByItsDef) {
  const Converted world =
      convert_body("Robot { children [ DEF ARM Servo { name \"a\" model \"x\" } ] }");
  const wbt::Node& joint = joint_of(world);
  EXPECT_EQ(joint.type->name, "HingeJoint");
  EXPECT_EQ(joint.def, "");
  EXPECT_EQ(joint.node("endPoint")->def, "ARM");
  EXPECT_EQ(joint.node("endPoint")->type->name, "Solid");
  EXPECT_EQ(joint.node("endPoint")->string("model"), "x");
}

TEST(ConvertServos, SharedNodesStayShared) {
  const Converted world = convert_body(R"(Robot { children [
    Servo { name "a" boundingObject DEF B Box {} physics DEF P Physics {} }
    Servo { name "b" boundingObject USE B physics USE P } ] })");
  const auto& joints = world.after.nodes.at(0)->nodes("children");
  const wbt::NodePtr& a = joints.at(0)->node("endPoint");
  const wbt::NodePtr& b = joints.at(1)->node("endPoint");
  EXPECT_EQ(a->node("physics"), b->node("physics"));
  EXPECT_EQ(a->node("boundingObject"), b->node("boundingObject"));
  EXPECT_EQ(a->node("physics")->def, "P");
}

std::vector<std::string> device_names(const Converted& world) {
  const Built built = build(world.after);
  std::vector<std::string> names;
  for (const RobotSpec& robot : built.scene.robots) {
    for (const DeviceSpec& device : robot.devices) {
      names.push_back(device.name);
    }
  }
  return names;
}

// Robots of one kind get the same names, so that one controller works for all of them.
TEST(ConvertServos, SensorsHaveNamesOfTheirOwn) {
  EXPECT_EQ(device_names(convert_body(R"(
    Robot { children [ Servo { name "a" children [ Servo { name "a" } GPS { name "a sensor 2" } ] } ] }
    Robot { name "other" children [ Servo { name "a" } ] })")),
            (std::vector<std::string>{"a", "a sensor", "a", "a sensor 3", "a sensor 2", "a",
                                      "a sensor"}));
}

TEST(ConvertServos, WithoutANameTheSensorHasOne) {
  const Converted world = convert_body("Robot { children [ Servo { } ] }", "V5.0");
  EXPECT_EQ(device_names(world), (std::vector<std::string>{"", "position sensor"}));
}

// Webots makes joints below Solids only.
TEST(ConvertServos, OutsideAnySolidAServoGetsOne) {
  const Converted world =
      convert_body("Group { children [ Servo { name \"a\" physics Physics {} } Shape {} ] }");
  const auto& children = world.after.nodes.at(0)->nodes("children");
  EXPECT_EQ(children.at(0)->type->name, "Solid");
  EXPECT_EQ(children.at(0)->nodes("children").at(0)->type->name, "HingeJoint");
  EXPECT_EQ(children.at(1)->type->name, "Shape");
  const Built before = build(world.before);
  const Built after = build(world.after);
  ASSERT_EQ(after.scene.joints.size(), 1u);
  EXPECT_EQ(after.scene.joints[0].name, before.scene.joints[0].name);
  EXPECT_EQ(after.scene.ownerless_motors.size(), 1u);
  EXPECT_EQ(after.said, Messages());
}

TEST(ConvertServos, AnEndPointIsOnlyASolid) {
  const Converted world = convert_body(
      "Robot { children [ HingeJoint { endPoint Servo { name \"a\" position 0.5 } } ] }", "V7.4.0");
  const wbt::Node& solid = *joint_of(world).node("endPoint");
  EXPECT_EQ(solid.type->name, "Solid");
  EXPECT_EQ(solid.rotation("rotation").angle, 0.0);
  ASSERT_EQ(world.said.size(), 2u);
  EXPECT_EQ(world.said[1], "a Servo as endPoint of a HingeJoint moves nothing; it becomes a Solid");
}

// Both Slots have the same direction, as every Slot has.
TEST(ConvertServos, ASlotMayHoldAJoint) {
  const Converted world =
      convert_body("Robot { children [ Slot { endPoint Servo { name \"a\" } } ] }", "V8.0.0");
  EXPECT_EQ(joint_of(world).node("endPoint")->type->name, "HingeJoint");
  expect_same_scene(build(world.before).scene, build(world.after).scene);
}

TEST(ConvertServos, OneMessageSpeaksForAll) {
  const Converted world =
      convert_body("Robot { children [ Servo { name \"a\" } Servo { name \"b\" } ] }");
  EXPECT_EQ(world.said,
            (Messages{"Servo nodes become joints: present controllers use wb_motor_ functions on "
                      "the motor of the Servo's name and wb_position_sensor_ functions on the "
                      "sensor \"NAME sensor\""}));
}

}  // namespace
}  // namespace servosim
