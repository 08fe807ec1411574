// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "wbt/convert/support.h"

namespace servosim {
namespace convert_nodes_test {

using test::build;
using test::Built;
using test::convert_body;
using test::Converted;
using test::Messages;

const wbt::Node& first(const Converted& world) { return *world.after.nodes.at(0); }

// The name of a wheel, and how it is driven.
struct Wheel {
  const wbt::Node& parameters;
  const wbt::Node& motor;
  const wbt::Node& sensor;
  const wbt::Node& solid;
};

Wheel wheel(const Converted& world, std::size_t child) {
  const wbt::Node& joint = *first(world).nodes("children").at(child);
  EXPECT_EQ(joint.type->name, "HingeJoint");
  return {*joint.node("jointParameters"), *joint.nodes("device").at(0),
          *joint.nodes("device").at(1), *joint.node("endPoint")};
}

constexpr const char* kRover = R"(DifferentialWheels {
  children [
    DEF LEFT Solid { name "left wheel" translation -0.1 0.02 0 physics Physics {}
      boundingObject Sphere { radius 0.02 } }
    Shape {}
    Solid { name "right wheel" translation 0.1 0.02 0 physics Physics {}
      boundingObject Sphere { radius 0.02 } }
  ]
  controller "drive" boundingObject Box { size 0.1 0.1 0.1 } physics Physics {}
  maxSpeed 7 maxForce 0.6 speedUnit 0.5 encoderResolution 100 slipNoise 0 motorConsumption 2
})";

TEST(ConvertNodes, DifferentialWheelsDriveOnTwoJoints) {
  const Converted world = convert_body(kRover);
  const wbt::Node& robot = first(world);
  EXPECT_EQ(robot.type->name, "Robot");
  EXPECT_EQ(robot.string("name"), "differential wheels");
  EXPECT_EQ(robot.string("controller"), "drive");
  EXPECT_EQ(robot.number("cpuConsumption"), 0.0);
  ASSERT_EQ(robot.nodes("children").size(), 3u);
  const Wheel left = wheel(world, 0);
  EXPECT_EQ(left.solid.def, "LEFT");
  EXPECT_EQ(left.parameters.vec3("axis"), (Vec3{-1.0, 0.0, 0.0}));
  EXPECT_EQ(left.parameters.vec3("anchor"), (Vec3{-0.1, 0.02, 0.0}));
  EXPECT_EQ(left.motor.string("name"), "left wheel motor");
  EXPECT_EQ(left.motor.number("maxVelocity"), 7.0);
  EXPECT_EQ(left.motor.number("maxTorque"), 0.6);
  EXPECT_EQ(left.motor.number("acceleration"), -1.0);
  EXPECT_EQ(left.motor.number("multiplier"), 0.5);
  EXPECT_EQ(left.sensor.string("name"), "left wheel sensor");
  EXPECT_EQ(left.sensor.number("resolution"), 0.01);
  EXPECT_EQ(wheel(world, 2).motor.string("name"), "right wheel motor");
  EXPECT_EQ(build(world.after).said, Messages());
}

TEST(ConvertNodes, OneMessageSaysHowToDriveThem) {
  EXPECT_EQ(
      convert_body(kRover).said,
      (Messages{
          "DifferentialWheels becomes a Robot with the motors \"left wheel motor\" and \"right "
          "wheel motor\": instead of wb_differential_wheels_set_speed() a controller calls "
          "wb_motor_set_position(motor, INFINITY) once and wb_motor_set_velocity() with the same "
          "numbers; instead of encoders it reads the sensors \"left wheel sensor\" and \"right "
          "wheel sensor\" [rad], times 100; lost: motorConsumption 2"}));
}

TEST(ConvertNodes, WithoutPhysicsThereAreWheelsToo) {
  const Converted world = convert_body(
      "DifferentialWheels { axleLength 0.3 maxAcceleration 4 controller \"drive\" }", "R2018a");
  const Wheel left = wheel(world, 0);
  EXPECT_EQ(left.solid.string("name"), "left wheel");
  EXPECT_EQ(left.solid.vec3("translation"), (Vec3{-0.15, 0.0, 0.0}));
  EXPECT_EQ(left.motor.number("acceleration"), 4.0);
  EXPECT_EQ(wheel(world, 1).solid.vec3("translation"), (Vec3{0.15, 0.0, 0.0}));
  ASSERT_EQ(world.said.size(), 1u);
  EXPECT_TRUE(
      world.said[0].ends_with("; lost: slipNoise 0.1; without Physics it rolls only on wheels with "
                              "a Cylinder of one radius "
                              "as boundingObject"))
      << world.said[0];
}

// Forwards is -z, as every controller of such a robot expects.
TEST(ConvertNodes, PositiveSpeedRollsTheWheelsForwards) {
  const Built built = build(convert_body(kRover).after);
  ASSERT_EQ(built.scene.joints.size(), 2u);
  const JointSpec& joint = built.scene.joints[0];
  const Vec3 to_centre{0.0, 0.02, 0.0};  // from the point where it touches the ground
  EXPECT_LT(cross(joint.axis, to_centre).z, 0.0);
}

TEST(ConvertNodes, CamerasThatMeasuredDistancesAreRangeFinders) {
  const Converted world = convert_body(R"(Camera { type "range-finder" width 32 maxRange 5
    near 0.2 rangeNoise 0.1 spherical TRUE children [ Shape {} ] })");
  const wbt::Node& finder = first(world);
  EXPECT_EQ(finder.type->name, "RangeFinder");
  EXPECT_EQ(finder.string("name"), "camera");
  EXPECT_EQ(finder.integer("width"), 32);
  EXPECT_EQ(finder.number("maxRange"), 5.0);
  EXPECT_EQ(finder.number("near"), 0.2);
  EXPECT_EQ(finder.number("minRange"), 0.2);
  EXPECT_EQ(finder.number("noise"), 0.1);
  EXPECT_EQ(finder.string("projection"), "cylindrical");
  EXPECT_EQ(finder.nodes("children").size(), 1u);
  EXPECT_EQ(world.said, (Messages{"a Camera of type \"range-finder\" becomes a RangeFinder: "
                                  "controllers use wb_range_finder_ functions"}));
}

TEST(ConvertNodes, ACubemapIsLost) {
  const Converted world = convert_body("Background { cubemap Cubemap {} }", "R2019a");
  EXPECT_EQ(first(world).fields.size(), 0u);
  EXPECT_EQ(world.said, (Messages{"Webots has no Cubemap any more; these pictures of the sky are "
                                  "left out: see the fields of Background"}));
}

TEST(ConvertNodes, NoOldNodeIsLeft) {
  const Converted world = convert_body(R"(
    Supervisor { children [ Servo { children [ Servo { type "linear" } ] } ] }
    CustomRobot { children [ Servo { type "none" physics Physics {} } ] }
    DifferentialWheels { children [ Servo {} ] })");
  const auto visit = [](const auto& self, const wbt::Node& node) -> void {
    EXPECT_NE(node.type->name, "Servo");
    EXPECT_NE(node.type->name, "DifferentialWheels");
    for (const wbt::Field& field : node.fields) {
      if (const auto* one = std::get_if<wbt::NodePtr>(&field.value); one != nullptr && *one) {
        self(self, **one);
      } else if (const auto* several = std::get_if<std::vector<wbt::NodePtr>>(&field.value)) {
        for (const wbt::NodePtr& child : *several) {
          self(self, *child);
        }
      }
    }
  };
  for (const wbt::NodePtr& node : world.after.nodes) {
    EXPECT_EQ(node->type->name, "Robot");
    visit(visit, *node);
  }
  EXPECT_TRUE(first(world).boolean("supervisor"));
}

}  // namespace convert_nodes_test
}  // namespace servosim
