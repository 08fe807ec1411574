// SPDX-License-Identifier: Apache-2.0
// Every invalid value of joints, motors, sensors and Servos: its message, its position in the file,
// and the value that is used. For the other rows of Webots' rules see world_values_test.cpp
// (WorldInfo, contacts, Physics), physics/mass_test.cpp (inertia, light and oblong bodies),
// checks_test.cpp, references_test.cpp, and for a running simulation devices/motor_test.cpp.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>

#include "support/scenes.h"

namespace servosim::test {
namespace {

struct Case {
  const char* bad;      // fields, on a line of their own
  const char* message;  // a warning or "info: ..." at column 1 of that line; empty for none
  std::function<double(const Scene&)> used;
  double value;
};

void check(const Case& c, int line, const std::string& text,
           const std::string& version = "R2023b") {
  const LoadedScene loaded = load_scene(text, version);
  Messages expected;
  if (*c.message != '\0') {
    const bool is_info = std::string_view(c.message).starts_with("info: ");
    expected.push_back(fmt::format("{}:1: {}{}", line, is_info ? "" : "warning: ", c.message));
  }
  EXPECT_EQ(loaded.messages, expected) << c.bad;
  EXPECT_EQ(c.used(loaded.scene), c.value) << c.bad;
}

std::string hinge(const std::string& parameters, const std::string& motor,
                  const std::string& sensor) {
  return fmt::format(R"(Robot {{ name "r" children [ HingeJoint {{
jointParameters HingeJointParameters {{
{}
}}
device [ RotationalMotor {{ name "m"
{}
}} PositionSensor {{ name "s"
{}
}} ]
endPoint Solid {{ }} }} ] }})",
                     parameters, motor, sensor);
}

const MotorSpec& motor(const Scene& s) { return *s.robots.at(0).devices.at(0).motor; }
const SensorSpec& sensor(const Scene& s) { return *s.robots.at(0).devices.at(1).sensor; }
const JointSpec& joint(const Scene& s) { return s.joints.at(0); }

TEST(SceneValues, OfMotors) {
  const Case cases[] = {
      {"maxVelocity -3.5", "maxVelocity is -3.5, but it must be >= 0; 3.5 is used",
       [](const Scene& s) { return motor(s).max_velocity; }, 3.5},
      {"maxTorque -2", "maxTorque is -2, but it must be >= 0; 10 is used",
       [](const Scene& s) { return motor(s).max_force; }, 10.0},
      {"maxTorque -2", "maxTorque is -2, but it must be >= 0; 10 is used",
       [](const Scene& s) { return motor(s).available_force; }, -2.0},
      {"controlPID 0 2 3", "the gains 0 2 3 should be P > 0, I >= 0, D >= 0",
       [](const Scene& s) { return motor(s).gains.p; }, 0.0},
      {"acceleration -7", "acceleration is -7, but it must be -1 or >= 0; -1 is used",
       [](const Scene& s) { return motor(s).acceleration; }, -1.0},
      {"acceleration -1", "", [](const Scene& s) { return motor(s).acceleration; }, -1.0},
      {"controlPID -4 2 3", "the gains -4 2 3 should be P > 0, I >= 0, D >= 0",
       [](const Scene& s) { return motor(s).gains.p; }, -4.0},
      {"controlPID 4 -2 3", "the gains 4 -2 3 should be P > 0, I >= 0, D >= 0",
       [](const Scene& s) { return motor(s).gains.i; }, -2.0},
      {"controlPID 4 2 -3", "the gains 4 2 -3 should be P > 0, I >= 0, D >= 0",
       [](const Scene& s) { return motor(s).gains.d; }, -3.0},
      {"consumptionFactor -3", "info: consumptionFactor is -3; its magnitude is used",
       [](const Scene& s) { return motor(s).consumption_factor; }, 3.0},
      {"consumptionFactor 0.5", "", [](const Scene& s) { return motor(s).consumption_factor; },
       0.5},
      {"", "", [](const Scene& s) { return motor(s).consumption_factor; }, 10.0},
      {"multiplier 0", "multiplier is 0, but it must not be 0; 1 is used",
       [](const Scene& s) { return motor(s).multiplier; }, 1.0},
      {"multiplier -1e-10",
       "multiplier is -1e-10, but without its sign it must be between 1e-9 and 1e9; 1 is used",
       [](const Scene& s) { return motor(s).multiplier; }, 1.0},
      {"multiplier 2e9",
       "multiplier is 2000000000, but without its sign it must be between 1e-9 and 1e9; 1 is used",
       [](const Scene& s) { return motor(s).multiplier; }, 1.0},
      {"multiplier -2.5", "", [](const Scene& s) { return motor(s).multiplier; }, -2.5},
  };
  for (const Case& c : cases) {
    check(c, 7, hinge("", c.bad, ""));
  }
}

TEST(SceneValues, OfMuscles) {
  const LoadedScene loaded = load_scene(
      hinge("", "muscles Muscle {\nstartOffset 2e6 0.5 0.25\nendOffset 0.5 0.75 -3e6 }", ""));
  EXPECT_EQ(loaded.messages,
            (Messages{"8:1: warning: startOffset is 2000000 0.5 0.25, but each must be within 1e6 "
                      "m; 0 0 0 is used",
                      "9:1: warning: endOffset is 0.5 0.75 -3000000, but each must be within 1e6 "
                      "m; 0 0 0 is used"}));
  EXPECT_EQ(motor(loaded.scene).muscles.at(0).start_offset, Vec3{});
}

TEST(SceneValues, OfSavedPositions) {
  const LoadedScene loaded = load_scene(
      "Robot { name \"r\" children [ SliderJoint {\nposition -1e9 endPoint Solid { } } ] }");
  EXPECT_EQ(
      loaded.messages,
      Messages{"3:1: warning: position is -1000000000, but it must be within 1e8; 0 is used"});
  EXPECT_EQ(joint(loaded.scene).position, 0.0);
}

TEST(SceneValues, OfSoftLimits) {
  const std::string at = "position 0.4";
  check({"maxPosition 0.25",
         "maxPosition is 0.25, but it must not be below the joint's position; "
         "0.4 is used",
         [](const Scene& s) { return motor(s).max_position; }, 0.4},
        7, hinge(at, "maxPosition 0.25", ""));
  check({"minPosition 0.5",
         "minPosition is 0.5, but it must not be above the joint's position; "
         "0.4 is used",
         [](const Scene& s) { return motor(s).min_position; }, 0.4},
        7, hinge(at, "minPosition 0.5 maxPosition 0.75", ""));
  check({"both 0: unlimited", "", [](const Scene& s) { return motor(s).max_position; }, 0.0}, 7,
        hinge(at, "", ""));
  check({"beyond the stops",
         "the soft limits -0.5 to 0.75 reach beyond the hard stops -0.25 to 0.875",
         [](const Scene& s) { return motor(s).min_position; }, -0.5},
        7, hinge("minStop -0.25 maxStop 0.875", "minPosition -0.5 maxPosition 0.75", ""));
  // In this case neither Webots nor Motor clamps: MotorTest.EqualLimitsAreNone.
  check({"equal, but not 0", "", [](const Scene& s) { return motor(s).max_position; }, 0.4}, 7,
        hinge(at, "minPosition 0.4 maxPosition 0.4", ""));
  check({"within the stops", "", [](const Scene& s) { return motor(s).min_position; }, -0.25}, 7,
        hinge("minStop -0.5 maxStop 0.875", "minPosition -0.25 maxPosition 0.75", ""));
}

TEST(SceneValues, OfPositionSensors) {
  const Case cases[] = {
      {"noise -0.3", "noise is -0.3, but it must be >= 0; 0 is used",
       [](const Scene& s) { return sensor(s).noise; }, 0.0},
      {"resolution 0", "resolution is 0, but it must be -1 or > 0; -1 is used",
       [](const Scene& s) { return sensor(s).resolution; }, -1.0},
      {"resolution -0.5", "resolution is -0.5, but it must be -1 or > 0; -1 is used",
       [](const Scene& s) { return sensor(s).resolution; }, -1.0},
      {"resolution -1", "", [](const Scene& s) { return sensor(s).resolution; }, -1.0},
      {"noise 0.25", "", [](const Scene& s) { return sensor(s).noise; }, 0.25},
  };
  for (const Case& c : cases) {
    check(c, 9, hinge("", "", c.bad));
  }
}

TEST(SceneValues, OfJointParameters) {
  const Case cases[] = {
      {"springConstant -3", "springConstant is -3, but it must be >= 0; 3 is used",
       [](const Scene& s) { return joint(s).spring.constant; }, 3.0},
      {"dampingConstant -0.5", "dampingConstant is -0.5, but it must be >= 0; 0.5 is used",
       [](const Scene& s) { return joint(s).damping_constant; }, 0.5},
      {"springConstant 1e300",
       "springConstant is 1e+300, but it must be at most 1e18; 1e+18 is used",
       [](const Scene& s) { return joint(s).spring.constant; }, 1e18},
      {"dampingConstant 1e19",
       "dampingConstant is 1e+19, but it must be at most 1e18; 1e+18 is used",
       [](const Scene& s) { return joint(s).damping_constant; }, 1e18},
      {"staticFriction 1e19", "staticFriction is 1e+19, but it must be at most 1e18; 1e+18 is used",
       [](const Scene& s) { return joint(s).static_friction; }, 1e18},
      // Webots keeps the value, but a bound below 0 on friction has no effect.
      {"staticFriction -2", "staticFriction is -2, but it must be >= 0; 0 is used",
       [](const Scene& s) { return joint(s).static_friction; }, 0.0},
      {"position 1.5e8", "position is 150000000, but it must be within 1e8; 0 is used",
       [](const Scene& s) { return joint(s).position; }, 0.0},
      {"position -9e5", "", [](const Scene& s) { return joint(s).position; }, -9e5},
      {"axis 0 0 0", "axis is a null vector; 1 0 0 is used",
       [](const Scene& s) { return joint(s).axis.x; }, 1.0},
      {"stopERP -0.5", "stopERP is -0.5, but it must be -1 or in [0, 1]; -1 is used",
       [](const Scene& s) { return joint(s).stops.erp; }, -1.0},
      {"stopERP 0.75", "", [](const Scene& s) { return joint(s).stops.erp; }, 0.75},
      {"stopCFM 0", "stopCFM is 0, but it must be -1 or > 0; -1 is used",
       [](const Scene& s) { return joint(s).stops.cfm; }, -1.0},
      {"stopCFM -1", "", [](const Scene& s) { return joint(s).stops.cfm; }, -1.0},
      {"minStop 0.25 maxStop 0.5",
       "minStop 0.25 is above the position 0; the stop pushes the "
       "joint in",
       [](const Scene& s) { return joint(s).stops.min; }, 0.25},
  };
  for (const Case& c : cases) {
    check(c, 4, hinge(c.bad, "", ""));
  }
  EXPECT_EQ(load_scene(hinge("minStop -0.5 maxStop -0.25", "", "")).messages,
            Messages{"4:14: warning: maxStop -0.25 is below the position 0; the stop pushes the "
                     "joint in"});
  EXPECT_EQ(load_scene(hinge("minStop -0.5 maxStop 3.2", "", "")).messages,
            Messages{"4:14: info: a stop of a HingeJoint beyond pi counts turns; it is not "
                     "effective in every version of Webots"});
  EXPECT_EQ(load_scene(hinge("minStop -3.2 maxStop 0.5", "", "")).messages,
            Messages{"4:1: info: a stop of a HingeJoint beyond pi counts turns; it is not "
                     "effective in every version of Webots"});
  EXPECT_EQ(
      load_scene(hinge("suspensionSpringConstant 90", "", "")).messages,
      Messages{"4:1: warning: the suspension of a HingeJoint needs Physics on both sides; this "
               "axle is rigid"});
}

TEST(SceneValues, OfLinearMotors) {
  const std::string text =
      "Robot { name \"r\" children [ SliderJoint { device LinearMotor { name \"m\"\nmaxForce -2\n} "
      "endPoint Solid { } } ] }";
  check({"maxForce -2", "maxForce is -2, but it must be >= 0; 10 is used",
         [](const Scene& s) { return motor(s).max_force; }, 10.0},
        3, text);
  // As in Webots, the value is copied before the check: the motor has no force until one is set.
  EXPECT_EQ(motor(load_scene(text).scene).available_force, -2.0);
}

TEST(SceneValues, OfSliderParameters) {
  const auto slider = [](const std::string& parameters) {
    return "Robot { name \"r\" children [ SliderJoint { jointParameters JointParameters {\n" +
           parameters + "\n} endPoint Solid { } } ] }";
  };
  const LoadedScene null_axis = load_scene(slider("axis 0 0 0"));
  EXPECT_EQ(null_axis.messages, Messages{"3:1: warning: axis is a null vector; 0 0 1 is used"});
  EXPECT_EQ(joint(null_axis.scene).axis, (Vec3{0, 0, 1}));
  const LoadedScene far_stop = load_scene(slider("minStop -4 maxStop 5"));
  EXPECT_EQ(far_stop.messages, Messages{}) << "pi means nothing to a slider";
  EXPECT_EQ(joint(far_stop.scene).stops.max, 5.0);
}

TEST(SceneValues, OfServos) {
  const Case cases[] = {
      {"maxVelocity -3.5", "maxVelocity is -3.5, but it must be >= 0; 3.5 is used",
       [](const Scene& s) { return motor(s).max_velocity; }, 3.5},
      {"maxForce -2", "maxForce is -2, but it must be >= 0; 10 is used",
       [](const Scene& s) { return motor(s).available_force; }, -2.0},
      {"controlP -4", "the gains -4 0 0 should be P > 0, I >= 0, D >= 0",
       [](const Scene& s) { return motor(s).gains.p; }, -4.0},
      {"position 3e8", "position is 300000000, but it must be within 1e8; 0 is used",
       [](const Scene& s) { return joint(s).position; }, 0.0},
      {"controlP 25", "", [](const Scene& s) { return motor(s).gains.p; }, 25.0},
      {"acceleration -7", "acceleration is -7, but it must be -1 or >= 0; -1 is used",
       [](const Scene& s) { return motor(s).acceleration; }, -1.0},
      {"springConstant -3", "springConstant is -3, but it must be >= 0; 3 is used",
       [](const Scene& s) { return joint(s).spring.constant; }, 3.0},
      {"dampingConstant -0.5", "dampingConstant is -0.5, but it must be >= 0; 0.5 is used",
       [](const Scene& s) { return joint(s).damping_constant; }, 0.5},
      {"maxPosition -0.25",
       "maxPosition is -0.25, but it must not be below the joint's position; "
       "0 is used",
       [](const Scene& s) { return motor(s).max_position; }, 0.0},
      {"maxStop 3.5",
       "info: a stop of a Servo beyond pi counts turns; it is not effective in every version of "
       "Webots",
       [](const Scene& s) { return joint(s).stops.max; }, 3.5},
      {"rotation 0 0 0 0.5", "the rotation axis is null; 0 1 0 is used",
       [](const Scene& s) { return joint(s).axis.y; }, 1.0},
      {"type \"bent\"",
       "type is \"bent\", but it must be \"rotational\", \"linear\" or \"none\"; \"rotational\" is "
       "used",
       [](const Scene& s) { return joint(s).type == JointType::Rotational ? 2.0 : 3.0; }, 2.0},
  };
  for (const Case& c : cases) {
    check(c, 3,
          fmt::format("Robot {{ name \"r\" children [ Servo {{ name \"sv\"\n{}\n}} ] }}", c.bad),
          "V6.0");
  }
}

TEST(SceneValues, TypeNoneIsReportedAndHasNoJoint) {
  const LoadedScene loaded = load_scene(
      "Robot { children [\nServo { name \"sv\" type \"none\" position 0.2 physics Physics { } } ] "
      "}",
      "V6.0");
  EXPECT_EQ(loaded.messages,
            Messages{"3:1: warning: Servo \"sv\" of type \"none\" has no joint, as "
                     "in Webots; nothing holds it"});
  EXPECT_TRUE(loaded.scene.joints.empty());
  EXPECT_TRUE(loaded.scene.solids.at(1).free_body);
  // The controller still has a motor and a sensor.
  const DeviceSpec& device = loaded.scene.robots.at(0).devices.at(0);
  EXPECT_EQ(device.name, "sv");
  EXPECT_EQ(device.joint, -1);
  EXPECT_TRUE(device.motor);
  ASSERT_TRUE(device.sensor);
  EXPECT_EQ(device.sensor->fixed_position, 0.2);
}

}  // namespace
}  // namespace servosim::test
