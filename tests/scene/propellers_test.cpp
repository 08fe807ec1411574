// SPDX-License-Identifier: Apache-2.0
// Propellers, Tracks and Fluids in the scene: values and messages.
#include <gtest/gtest.h>

#include "support/near.h"
#include "support/scenes.h"
#include "support/worlds.h"

namespace servosim::test {
namespace {

const std::string kTurning = "Propeller { device RotationalMotor { }";

TEST(ScenePropeller, IsInTheFrameOfItsSolid) {
  const LoadedScene loaded =
      load_scene(R"(Robot { name "r" physics Physics { } boundingObject Box { } children [
Pose { translation 2 3 4 rotation 0 0 1 1.5707963267948966 children [ Propeller {
shaftAxis 3 0 4 centerOfThrust 0.5 0 0.25 thrustConstants 0.02 0.003 torqueConstants 0.004 0.0005
device RotationalMotor { name "m" }
fastHelix Solid { name "fast" boundingObject Box { }
physics Physics { mass 7 } }
slowHelix Solid { name "slow" } } ] } ] })");
  EXPECT_EQ(loaded.messages, Messages{"7:9: warning: Physics of a Propeller's blades is not used"});
  const PropellerSpec& propeller = loaded.scene.propellers.at(0);
  EXPECT_EQ(propeller.solid, 0);
  expect_near(propeller.axis, {0, 0.6, 0.8});
  expect_near(propeller.center, {2, 3.5, 4.25});
  EXPECT_EQ(propeller.thrust, (std::array<double, 2>{0.02, 0.003}));
  EXPECT_EQ(propeller.torque, (std::array<double, 2>{0.004, 0.0005}));
  const DeviceSpec& device = loaded.scene.robots.at(0).devices.at(0);
  EXPECT_EQ(device.name, "m");
  EXPECT_EQ(device.propeller, 0);
  EXPECT_EQ(device.joint, -1);
  ASSERT_EQ(loaded.scene.solids.size(), 3u);
  EXPECT_EQ(loaded.scene.solids[1].name, "fast");
  EXPECT_FALSE(loaded.scene.solids[1].physics) << "blades are never bodies";
}

TEST(ScenePropeller, WithoutAnEffectIsReported) {
  EXPECT_EQ(load_scene("Robot { children [\nPropeller { } ] }").messages,
            (Messages{"3:1: warning: the Solid above this Propeller has no Physics: it pushes "
                      "nothing",
                      "3:1: warning: this Propeller has no motor as its device: it never turns"}));
  const std::string body = "Robot { physics Physics { } boundingObject Box { } children [ ";
  EXPECT_EQ(load_scene(body + "Propeller { device\nLinearMotor { } } ] }").messages,
            Messages{"3:1: warning: a LinearMotor cannot turn a Propeller; it is left out"});
  const LoadedScene null_axis = load_scene(body + kTurning + "\nshaftAxis 0 0 0 } ] }");
  EXPECT_EQ(null_axis.messages,
            Messages{"3:1: warning: shaftAxis is a null vector; 1 0 0 is used"});
  EXPECT_EQ(null_axis.scene.propellers.at(0).axis, (Vec3{1, 0, 0}));
  const LoadedScene huge = load_scene(body + kTurning + "\nthrustConstants 1e300 2 } ] }");
  EXPECT_EQ(huge.messages, Messages{"3:1: warning: thrustConstants is 1e+300 2, but both must be "
                                    "within 1e9; 0 0 is used"});
  const LoadedScene far = load_scene(body + kTurning + "\ncenterOfThrust 3 -2e6 4 } ] }");
  EXPECT_EQ(far.messages, Messages{"3:1: warning: centerOfThrust is 3 -2000000 4, but each must be "
                                   "within 1e6 m; 0 0 0 is used"});
  EXPECT_EQ(far.scene.propellers.at(0).center, Vec3{});
  EXPECT_EQ(huge.scene.propellers.at(0).thrust, (std::array<double, 2>{0.0, 0.0}));
}

TEST(SceneTrack, ItsDevicesHaveAJointWithoutAnEndpoint) {
  const LoadedScene loaded = load_scene(R"(Robot { name "r" children [
Track { name "belt" device [ LinearMotor { name "drive" maxForce 7 } PositionSensor { name "way" }
Brake { name "stop" } ]
children [ Solid { name "skirt" } ] } ] })");
  EXPECT_EQ(loaded.messages, Messages{});
  const std::vector<DeviceSpec>& devices = loaded.scene.robots.at(0).devices;
  ASSERT_EQ(devices.size(), 4u);
  EXPECT_EQ(devices[0].node_type, "Track");
  ASSERT_TRUE(devices[1].motor && devices[2].sensor && devices[3].brake);
  EXPECT_EQ(devices[1].motor->type, JointType::Linear);
  EXPECT_EQ(devices[1].motor->max_force, 7.0);
  EXPECT_EQ(devices[1].joint, 0);
  const JointSpec& joint = loaded.scene.joints.at(0);
  EXPECT_EQ(joint.child, -1);
  EXPECT_EQ(joint.parent, 1);
  EXPECT_EQ(joint.belt, (Vec3{0.0, 1.0, 0.0}));
  EXPECT_EQ(loaded.scene.solids.at(2).parent, 1);
}

// Later versions have the motor in the field `device`.
TEST(SceneTrack, OfTheFirstVersionHasAMotor) {
  const LoadedScene loaded = load_scene(
      R"(Robot { name "r" children [ Track { name "belt" motor LinearMotor { name "drive" maxForce 7 } } ] })",
      "V8.1");
  EXPECT_EQ(loaded.messages, Messages{});
  const std::vector<DeviceSpec>& devices = loaded.scene.robots.at(0).devices;
  ASSERT_EQ(devices.size(), 2u);
  ASSERT_TRUE(devices[1].motor);
  EXPECT_EQ(devices[1].name, "drive");
  EXPECT_EQ(devices[1].joint, 0);
  EXPECT_TRUE(loaded.scene.joints.at(0).belt);
}

// Nodes are in the plane of the belt, which is x and z; before R2022a it was x and y.
TEST(SceneTrack, NodesBelowItsWheelsAreAtTheWheels) {
  for (const char* version : {"R2023b", "R2021b"}) {
    const LoadedScene loaded = load_scene(R"(Robot { name "r" children [ DistanceSensor { type
"infra-red" } Track { name "belt" children [ TrackWheel { position 0.5 -0.25 radius 0.3 children [
Solid { translation 0 0 0.125 } Shape { geometry Sphere { radius 0.1 } } ] } ] } ] })",
                                          version);
    EXPECT_EQ(loaded.messages, Messages{});
    const bool z_up = std::string(version) == "R2023b";
    const Vec3 wheel = z_up ? Vec3{0.5, 0.0, -0.25} : Vec3{0.5, -0.25, 0.0};
    const Pose solid = loaded.scene.solids.at(3).pose;
    EXPECT_LT(norm(solid.translation - wheel - Vec3{0.0, -0.125, 0.0}), 1e-6) << version;
    EXPECT_LT(norm(solid.rotation * Vec3{0.0, 1.0, 0.0} - Vec3{0.0, 0.0, 1.0}), 1e-5) << version;
    ASSERT_EQ(loaded.scene.visible_shapes.size(), 1u);
    EXPECT_EQ(loaded.scene.visible_shapes[0].solid, 2);
    EXPECT_EQ(loaded.scene.visible_shapes[0].shape.pose.translation, wheel);
  }
}

TEST(SceneTrack, AcceptsNoRotationalMotor) {
  EXPECT_EQ(load_scene("Robot { children [ Track { name \"belt\" device [\nRotationalMotor { } ] } "
                       "] }")
                .messages,
            (Messages{"3:1: warning: a RotationalMotor cannot be a device of a Track; it is left "
                      "out"}));
}

TEST(SceneFluid, IsReportedOncePerNode) {
  EXPECT_EQ(load_scene(R"(Fluid { name "sea" }
Solid { immersionProperties [
ImmersionProperties { fluidName "sea" }
ImmersionProperties { fluidName "air" } ] })")
                .messages,
            (Messages{"2:1: warning: Fluid is not simulated; it has no effect",
                      "4:1: warning: ImmersionProperties is not simulated; it has no effect",
                      "5:1: warning: ImmersionProperties is not simulated; it has no effect"}));
}

}  // namespace
}  // namespace servosim::test
