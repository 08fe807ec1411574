// SPDX-License-Identifier: Apache-2.0
// Worlds that are made of MJCF files, as simulations load them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "robots/robot_world.h"
#include "scene/scene.h"
#include "servosim/motor.h"
#include "servosim/robot.h"
#include "servosim/simulation.h"
#include "sim/world_inspector.h"
#include "wbt/test_support.h"

namespace servosim::robots::mjcf_world_test {
namespace {

using wbt::test::TemporaryProject;

class MjcfWorldTest : public testing::Test {
 protected:
  Simulation load(const std::string& text) {
    project.write("robot.xml", text);
    return Simulation(project.path("robot.xml"));
  }
  static std::vector<std::string> messages(const Simulation& simulation) {
    std::vector<std::string> list;
    for (const Diagnostic& d : simulation.diagnostics()) {
      list.push_back(fmt::format("{}: {}", d.line, d.message));
    }
    return list;
  }

  TemporaryProject project;
  std::vector<std::string> messages_;  // of the last simulation
};

// A slide, a hinge and another hinge with an anchor, in one body, with references: the tip is where
// the composition of the three motions has it.
TEST_F(MjcfWorldTest, MovesSeveralJointsOfABodyOneAfterTheOther) {
  Simulation simulation = load(R"(<mujoco model="m"><compiler angle="radian"/>
<option gravity="0 0 -3" timestep="0.004"/><worldbody><body name="b" pos="0 0 2">
<joint name="x" type="slide" axis="1 0 0" ref="0.25"/>
<joint name="y" axis="0 1 0" ref="0.5"/><joint name="z" axis="0 0 1" pos="0.1 0 0"/>
<geom size="0.05" pos="0.3 0 0"/><body name="tip" pos="0.5 0 0"/></body></worldbody>
<keyframe><key name="home" qpos="0.75 1.1 -0.7"/></keyframe></mujoco>)");
  EXPECT_EQ(
      messages(simulation),
      (std::vector<std::string>{"2: link 'b' has 3 joints: the bodies between them have 0.001 "
                                "of its mass each"}));
  ASSERT_EQ(simulation.joints().size(), 3);
  EXPECT_NEAR(simulation.joint(0).position(), 0.75, 1e-12);
  EXPECT_NEAR(simulation.joint(2).position(), -0.7, 1e-12);
  EXPECT_NEAR(simulation.basic_time_step_ms(), 4.0, 1e-12);
  double mass = 0.0;
  for (const SolidSpec& solid : WorldInspector(simulation).scene().solids) {
    mass += solid.physics ? solid.physics->mass : 0.0;
  }
  EXPECT_NEAR(mass, 1000.0 * 4.0 / 3.0 * std::numbers::pi * 1.25e-4, 1e-9);
  const Pose expected = Pose{{}, {0.5, 0.0, 2.0}} * turn_about({}, {0.0, 1.0, 0.0}, 0.6) *
                        turn_about({0.1, 0.0, 0.0}, {0.0, 0.0, 1.0}, -0.7) *
                        Pose{{}, {0.5, 0.0, 0.0}};
  const Vec3 tip = simulation.solid("tip").pose().translation;
  EXPECT_NEAR(norm(tip - expected.translation), 0.0, 1e-12);
}

// What is free in the world next to a robot that is held falls on its own.
TEST_F(MjcfWorldTest, HasFreeBodiesNextToTheRobot) {
  Simulation simulation = load(R"(<mujoco model="m"><worldbody>
<geom type="plane" size="1 1 1"/><geom type="box" size="1 1 .1" pos="0 0 .1"/>
<body name="arm" pos="0 0 1"><joint name="j" axis="0 1 0"/><geom size=".1" pos=".2 0 0"/></body>
<body name="ball" pos="3 0 2"><freejoint/><geom size=".1"/></body></worldbody>
<actuator><motor name="m" joint="j" ctrlrange="-2 2"/></actuator></mujoco>)");
  EXPECT_EQ(
      messages(simulation),
      std::vector<std::string>{"2: the plane z = 0 is left out, as it is the floor of the world"});
  EXPECT_NE(simulation.robot("m").find("m"), nullptr);
  const double start = simulation.solid("ball").pose().translation.z;
  EXPECT_EQ(start, 2.0);
  for (int i = 0; i < 100; ++i) {
    simulation.step();
  }
  EXPECT_NEAR(simulation.solid("ball").pose().translation.z, 2.0 - 0.5 * 9.81 * 0.04, 0.01);
}

// MuJoCo takes the larger friction of two geoms, the floor's among them.
TEST_F(MjcfWorldTest, TouchesWithTheLargerFriction) {
  Simulation simulation = load(R"(<mujoco><worldbody>
<geom type="plane" size="1 1 1" friction="0.5"/>
<body name="a" pos="0 0 1"><freejoint/><geom size=".1" friction="0.25"/></body>
<body name="b" pos="0 0 2"><freejoint/><geom size=".1" friction="0.75"/></body>
</worldbody></mujoco>)");
  const auto friction = [&](const std::string& first, const std::string& second) {
    for (const ContactProperties& p : WorldInspector(simulation).scene().world.contact_properties) {
      if (p.material1 == first && p.material2 == second) {
        return p.coulomb_friction.at(0);
      }
    }
    return -1.0;
  };
  EXPECT_EQ(friction("friction 0.25", "default"), 0.5);
  EXPECT_EQ(friction("friction 0.75", "default"), 0.75);
  EXPECT_EQ(friction("friction 0.25", "friction 0.25"), 0.25);
  EXPECT_EQ(friction("friction 0.25", "friction 0.75"), 0.75);
}

// A body does not touch its parent, also if several joints connect them, which a world cannot say.
TEST_F(MjcfWorldTest, TouchesItselfUnlessPairsMustNot) {
  const auto text = [](const std::string& joints, const std::string& behind) {
    return R"(<mujoco><worldbody><body name="a"><freejoint/><geom size=".1"/>
<body name="b" pos=".15 0 0">)" +
           joints + R"(<geom size=".1"/><body name="c" pos=".3 0 0"><joint/><geom size=".1"/></body>
</body></body></worldbody>)" +
           behind + "</mujoco>";
  };
  const auto touches = [&](const std::string& file) {
    return WorldInspector(load(file)).scene().robots.at(0).self_collision;
  };
  EXPECT_TRUE(touches(text("<joint/>", "")));
  EXPECT_TRUE(touches(text("<joint/><joint axis='1 0 0'/>", "")));
  EXPECT_FALSE(touches(text("<joint/><joint type='slide'/>", "")));
  EXPECT_TRUE(touches(text("<joint/>", "<contact><exclude body1='a' body2='b'/></contact>")));
  EXPECT_FALSE(touches(text("<joint/>", "<contact><exclude body1='a' body2='c'/></contact>")));
}

TEST_F(MjcfWorldTest, TellsOfPairsInDifferentRobots) {
  EXPECT_EQ(
      messages(load(R"(<mujoco><worldbody><geom type="box" size="1 1 .1"/>
<body name="a" pos="0 0 1"><freejoint/><geom size=".1"/></body></worldbody>
<contact><exclude body1="world" body2="a"/></contact></mujoco>)")),
      std::vector<std::string>{"2: links 'world' and 'a' touch, as they are in different robots"});
}

// A free robot next to what does not move touches itself too, and is not held.
TEST_F(MjcfWorldTest, TreatsAFreeRobotNextToOthersAsARobot) {
  project.write("robot.xml", R"(<mujoco><worldbody><geom type="box" size="1 1 .1" pos="0 0 -1"/>
<body name="a" pos="0 0 1"><freejoint/><geom size=".1"/><body name="b" pos=".3 0 0"><joint name="j"/>
<geom size=".1"/></body></body></worldbody><actuator><motor joint="j"/></actuator></mujoco>)");
  LoadOptions options;
  options.robot_file.fixed_base = true;
  Simulation simulation(project.path("robot.xml"), options);
  const Scene& scene = WorldInspector(simulation).scene();
  ASSERT_EQ(scene.robots.size(), 2u);
  EXPECT_TRUE(scene.robots[1].self_collision);
  EXPECT_EQ(
      messages(simulation),
      (std::vector<std::string>{"2: link 'a' stays free, as only the base of the robot is held"}));
}

TEST_F(MjcfWorldTest, HasNamesWithoutControlCharacters) {
  Simulation simulation = load(R"(<mujoco model="a&#10;b"><worldbody><body name="c&#9;d">
<freejoint/><geom size=".1"/></body></worldbody></mujoco>)");
  EXPECT_NO_THROW(simulation.robot("a b"));
}

// The file gives a second joint's motor, a sensor and a body names that others would get.
TEST_F(MjcfWorldTest, MakesUpNoNameThatTheFileGives) {
  Simulation simulation = load(R"(<mujoco><worldbody><body name="b"><joint name="x"/>
<joint name="y" axis="0 1 0"/><geom size=".1"/><site name="s"/></body><body name="b 1"><joint
name="z"/><geom size=".1"/></body><body name="robot" pos="0 0 3"><freejoint/><geom size=".1"/></body>
</worldbody><actuator><motor joint="x"/><motor name="x" joint="y"/><motor name="z_sensor" joint="z"/>
</actuator><sensor><gyro site="s"/><accelerometer name="y_sensor" site="s"/>
<framequat objtype="xbody" objname="b" name="gyro 0"/></sensor></mujoco>)");
  std::vector<std::string> names;
  for (const DeviceSpec& device : WorldInspector(simulation).scene().robots.at(0).devices) {
    names.push_back(device.name);
  }
  std::ranges::sort(names);
  EXPECT_EQ(names, (std::vector<std::string>{"gyro 0", "gyro 0#", "x", "x#", "x_sensor", "y_sensor",
                                             "y_sensor#", "z_sensor", "z_sensor#"}));
  EXPECT_NO_THROW(simulation.solid("b 1#"));
  EXPECT_EQ(simulation.robots().size(), 1);
  EXPECT_NO_THROW(simulation.robot("robot#"));
}

// Names of joints and of sensors are of two kinds in MJCF.
TEST_F(MjcfWorldTest, MakesUpNoNameOfAMotorThatASensorHas) {
  const Simulation simulation = load(R"(<mujoco><worldbody><body><joint name="imu"/>
<geom size=".1"/><site name="s"/></body></worldbody><actuator><motor joint="imu"/></actuator>
<sensor><gyro name="imu" site="s"/></sensor></mujoco>)");
  std::vector<std::string> names;
  for (const DeviceSpec& device : WorldInspector(simulation).scene().robots.at(0).devices) {
    names.push_back(device.name);
  }
  std::ranges::sort(names);
  EXPECT_EQ(names, (std::vector<std::string>{"imu", "imu#", "imu_sensor"}));
}

// A program finds devices by their names.
TEST_F(MjcfWorldTest, CallsASensorOtherwiseThanAMotor) {
  const Simulation simulation = load(R"(<mujoco><worldbody><body><joint name="j"/>
<geom size=".1"/></body></worldbody><actuator><motor name="m" joint="j"/></actuator>
<sensor><jointpos name="m" joint="j"/></sensor></mujoco>)");
  EXPECT_EQ(messages(simulation),
            (std::vector<std::string>{"1: sensor 'm' is called 'm#', as a motor has its name"}));
  std::vector<std::string> names;
  for (const DeviceSpec& device : WorldInspector(simulation).scene().robots.at(0).devices) {
    names.push_back(device.name);
  }
  std::ranges::sort(names);
  EXPECT_EQ(names, (std::vector<std::string>{"m", "m#"}));
}

TEST_F(MjcfWorldTest, RefusesGainsThatOverflow) {
  EXPECT_THROW(load("<mujoco><worldbody><body><joint name='j'/><geom size='.1'/></body></worldbody>"
                    "<actuator><position joint='j' kp='1e300' gear='1e5'/></actuator></mujoco>"),
               LoadError);
}

// A body that is free follows nothing and leads nothing.
TEST_F(MjcfWorldTest, TellsOfALeaderThatIsNoJointOfTheWorld) {
  const Simulation simulation = load(R"(<mujoco><worldbody><body><freejoint name="root"/>
<geom size=".1"/><body><joint name="j"/><geom size=".1"/></body></body></worldbody>
<equality><joint joint1="j" joint2="root"/></equality></mujoco>)");
  const std::vector<std::string> all = messages(simulation);
  ASSERT_FALSE(all.empty());
  EXPECT_NE(all.back().find("joint 'j' does not follow joint 'root'"), std::string::npos)
      << all.back();
}

// b − 0.2 = 0.05 + 2·(a − 0.3), from the start on, which is that of the key for the leader only.
TEST_F(MjcfWorldTest, LetsJointsFollowFromTheStartOn) {
  Simulation simulation = load(R"(<mujoco><compiler angle="radian"/><option gravity="0 0 0"/>
<worldbody><body><joint name="a" ref="0.3" axis="0 1 0"/><geom size=".1" pos=".2 0 0"/></body>
<body pos="0 3 0"><joint name="b" ref="0.2" axis="0 1 0"/><geom size=".1" pos=".2 0 0"/></body>
</worldbody><equality><joint joint1="b" joint2="a" polycoef="0.05 2"/></equality>
<actuator><position name="m" joint="a" kp="200" kv="200"/></actuator>
<keyframe><key qpos="0.4 0.1"/></keyframe></mujoco>)");
  const auto expect_follows = [&simulation] {
    EXPECT_NEAR(simulation.joint(1).position() - 0.2,
                0.05 + 2.0 * (simulation.joint(0).position() - 0.3), 1e-12);
  };
  EXPECT_EQ(simulation.joint(0).position(), 0.4);
  expect_follows();
  simulation.robot("robot").motor("m").set_position(0.9);
  for (int i = 0; i < 2000; ++i) {
    simulation.step();
    expect_follows();
  }
  EXPECT_NEAR(simulation.joint(0).position(), 0.9, 0.05);
}

// MuJoCo lets actuators pull at any joint. The law of a cylinder is one that no world has, so its
// motor is a world's own; b has none.
TEST_F(MjcfWorldTest, LeavesAMotorToAJointThatFollowsAnother) {
  const auto joints = [](const std::string& actuator) {
    return R"(<mujoco><worldbody><body><joint name="a"/><geom size=".1" pos=".2 0 0"/>
</body><body pos="0 3 0"><joint name="b"/><geom size=".1" pos=".2 0 0"/></body>
<body pos="0 6 0"><joint name="c"/><geom size=".1" pos=".2 0 0"/></body></worldbody>
<equality><joint joint1="b" joint2="a"/><joint joint1="c" joint2="a"/></equality><actuator>)" +
           actuator + "</actuator></mujoco>";
  };
  for (const char* const actuator :
       {"<motor name='m' joint='c'/>", "<cylinder name='m' joint='c' area='0.1'/>"}) {
    const Simulation simulation = load(joints(actuator));
    const Scene& scene = WorldInspector(simulation).scene();
    EXPECT_EQ(scene.couplings.size(), 2u);
    int motors = 0;
    for (const DeviceSpec& device : scene.robots.at(0).devices) {
      motors += device.motor ? 1 : 0;
      EXPECT_TRUE(!device.motor || device.joint == 2) << device.name;
    }
    EXPECT_EQ(motors, 1) << actuator;
  }
}

TEST_F(MjcfWorldTest, NamesPlacesInIncludedFiles) {
  project.write("part.xml", R"(<m>
<worldbody>

<body name="b"><joint name="j"/><geom size=".1"/></body></worldbody>
<actuator><position name="p" joint="j" kp="30" gear="2"/></actuator></m>)");
  Simulation simulation = load(R"(<mujoco><include file="part.xml"/></mujoco>)");
  EXPECT_EQ(
      messages(simulation),
      (std::vector<std::string>{"5: the motor 'p' takes positions of its joint: for a command u "
                                "of the actuator ask it for 0.5*u"}));
}

// The force of the joint is gear times that of the actuator, whose length is gear times the
// position.
TEST_F(MjcfWorldTest, GivesMotorsTheLawsOfTheirActuators) {
  const auto motor = [&](const std::string& actuator, const std::string& joint = "") {
    const Simulation simulation = load("<mujoco><worldbody><body><joint name='j' " + joint +
                                       "/><geom size='.1'/></body></worldbody><actuator>\n" +
                                       actuator + "</actuator></mujoco>");
    messages_ = messages(simulation);
    return *WorldInspector(simulation).scene().robots.at(0).devices.at(0).motor;
  };
  using List = std::vector<std::string>;
  EXPECT_EQ(motor("<motor joint='j'/>").servo_choice, "PD firmware.p=0 firmware.d=0");
  EXPECT_EQ(messages_, List{});
  EXPECT_EQ(motor("<position joint='j' kp='40' kv='2' forcerange='-3 3'/>").servo_choice,
            "PD firmware.p=40 firmware.d=2 firmware.max_current=3");
  EXPECT_EQ(messages_, List{});
  EXPECT_EQ(motor("<position joint='j' gear='-2' kp='40' forcerange='-3 3'/>",
                  "type='slide' actuatorfrcrange='-5 5'")
                .servo_choice,
            "PD firmware.p=160 firmware.d=0 firmware.max_current=5 drive.travel=1");
  EXPECT_EQ(messages_,
            List{"2: the motor 'j' takes positions of its joint: for a command u of the actuator "
                 "ask it for -0.5*u"});
  const MotorSpec speed = motor("<velocity joint='j' kv='4' gear='.5' ctrlrange='-3 2'/>");
  EXPECT_EQ(speed.servo_choice, "PD firmware.p=0 firmware.d=1");
  EXPECT_EQ(speed.max_velocity, 6.0);
  EXPECT_EQ(messages_,
            (List{"2: ctrlrange of the actuator 'j' limits both directions to 6 rad/s",
                  "2: the motor 'j' takes speeds of its joint: for a command u of the actuator ask "
                  "it for 2*u"}));
  EXPECT_EQ(motor("<velocity joint='j' kv='4'/>").max_velocity, 1e6);
  const MotorSpec torque = motor("<motor joint='j' ctrlrange='0 1' gear='3'/>");
  EXPECT_EQ(torque.servo_choice, "PD firmware.p=0 firmware.d=0 firmware.max_current=3");
  EXPECT_EQ(messages_,
            (List{"2: ctrlrange of the actuator 'j' limits both directions to 1 N m",
                  "2: the motor 'j' takes torques of its joint: for a command u of the actuator "
                  "ask it for 3*u"}));
  EXPECT_EQ(motor("<general name='g' joint='j' biastype='affine' gainprm='2' biasprm='.5'/>",
                  "type='slide'")
                .servo_choice,
            "PD firmware.p=0 firmware.d=0 drive.travel=1");
  EXPECT_EQ(messages_, List{"2: the motor 'g' takes forces of its joint: for a command u of the "
                            "actuator ask it for 2*u+0.5"});
  EXPECT_EQ(motor("<general name='g' joint='j' biastype='affine' biasprm='0 -3 .1'/>").servo_choice,
            "");
  EXPECT_EQ(messages_, List{"2: the motor 'g' follows its targets by the law of a world, as its "
                            "force grows with its position or its speed: their gains are -3 and "
                            "0.1"});
}

}  // namespace
}  // namespace servosim::robots::mjcf_world_test
