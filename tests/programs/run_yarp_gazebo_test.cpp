// SPDX-License-Identifier: Apache-2.0
// Files for the control board of gazebo-yarp-plugins, read as they are.
#include <gtest/gtest.h>

#include <string>

#include "programs/yarp_run.h"

namespace servosim::test {
namespace run_yarp_gazebo_test {

const std::string kWorld = SERVOSIM_WORLDS_DIR "/icub_arm.wbt";

// The groups of the robots' files, for two joints.
constexpr const char* kGroups = R"(
[TRAJECTORY_GENERATION]
trajectory_type trapezoidal_speed
refSpeed (12.0 13.0)
refAcceleration 20.0 21.0      // without parentheses, too
[LIMITS]
jntPosMax (90.0 50.0)
jntPosMin (5.0 -50.0)
jntVelMax (100.0 100.0)
[POSITION_CONTROL]
controlUnits si_units
controlLaw joint_pid_gazebo_v1
kp (1000.0 500.0)
kd (10.0 5.0)
ki (10.0 5.0)
maxInt (9999 9998)
maxOutput (99 98)
shift (1 0)
ko (0 0)
stictionUp (0 0)
stictionDwn (0 0)
[VELOCITY_CONTROL]
velocityControlImplementationType integrator_and_position_pid
controlUnits metric_units
[IMPEDANCE_CONTROL]
controlUnits metric_units
controlLaw joint_pid_gazebo_v1
stiffness (0.5 0.25)
damping (0.05 0.02)
[SIMULATION]
kPWM (2.0 3.0)
)";
constexpr const char* kNewStyle =
    "disableImplicitNetworkWrapper\nyarpDeviceName left_arm_hardware_device # as in XML\n"
    "jointNames elbow wrist_yaw\nmin_stiffness (0.0 0.0)\nmax_torques (11.0 12.0)\n";

class RunYarpGazebo : public testing::Test {
 protected:
  std::string file(const std::string& text) {
    return folder_.write("gazebo_controlboard.ini", text).string();
  }
  void fails(const std::string& text, const std::string& with) {
    Program run({"run", kWorld, "--yarp-config", file(text)});
    EXPECT_EQ(run.finish(), 2) << text;
    EXPECT_TRUE(contains(run.err(), with)) << run.err();
  }

  TempFolder folder_;
};

TEST_F(RunYarpGazebo, TheBoardHasWhatTheFileSays) {
  YarpRun run({}, {"--yarp-config", file(std::string(kNewStyle) + kGroups) + "=/icubSim/arm"});
  EXPECT_TRUE(contains(run.program().err(), "the control board /icubSim/arm: elbow, wrist_yaw"));
  EXPECT_TRUE(contains(run.program().err(),
                       "gazebo_controlboard.ini: these have no effect: min_stiffness"));
  const auto ask = [&](const std::string& request) {
    return run.client("rpc", {"/icubSim/arm", request});
  };
  EXPECT_TRUE(contains(ask("get name 1"), " wrist_yaw "));
  EXPECT_TRUE(contains(ask("get llim 0"), "[is] llim 5.0 90.0 ")) << ask("get llim 0");
  EXPECT_TRUE(contains(ask("get vels"), "(12.0 13.0)"));
  EXPECT_TRUE(contains(ask("get accs"), "(20.0 21.0)"));
  // 1000 N·m/rad are 17.45 N·m/deg; the shift doubles the bound of the integral before it.
  EXPECT_TRUE(contains(ask("get pid pid pos 0"), "(17.45329")) << ask("get pid pid pos 0");
  EXPECT_TRUE(contains(ask("get pid pid pos 0"), " 19998.0 99.0 0.0 1.0 "))
      << ask("get pid pid pos 0");
  EXPECT_TRUE(contains(ask("get pid pid pos 1"), "(8.7266")) << ask("get pid pid pos 1");
  EXPECT_TRUE(contains(ask("get iimp ipr 0"), "(0.5 0.05)")) << ask("get iimp ipr 0");
  ask("set icmd cmod 0 vel");
  EXPECT_TRUE(contains(ask("get pid ena vel 0"), "pid 0 ")) << ask("get pid ena vel 0");
}

TEST_F(RunYarpGazebo, AWrapperNamesPortsAndPeriod) {
  folder_.write("groups.ini", kGroups);
  const YarpRun run({}, {"--yarp-config", file("[WRAPPER]\ndevice controlboardwrapper2\nname "
                                               "/${gazeboYarpPluginsRobotName}/part\nperiod 10\n"
                                               "joints 2\nnetworks (net)\nnet (0 1 0 1)\n[net]\n"
                                               "device gazebo_controlboard\njointNames (elbow "
                                               "wrist_yaw)\n[include \"groups.ini\"]\n")});
  EXPECT_TRUE(contains(run.client("rpc", {"/icub/part", "get axes"}), "[is] axes 2 "));
  EXPECT_TRUE(contains(run.client("rpc", {"/icub/part", "get vels"}), "(12.0 13.0)"));
}

TEST_F(RunYarpGazebo, ADeviceNamesThePortsWithoutAWrapper) {
  const YarpRun run({}, {"--yarp-config", file(kNewStyle)});
  EXPECT_TRUE(contains(run.client("rpc", {"/icub/left_arm", "get axes"}), "[is] axes 2 "));
  // Without a group for it, the velocity is controlled itself.
  run.client("rpc", {"/icub/left_arm", "set icmd cmod 0 vel"});
  const std::string enabled = run.client("rpc", {"/icub/left_arm", "get pid ena vel 0"});
  EXPECT_TRUE(contains(enabled, "pid 1 ")) << enabled;
}

TEST_F(RunYarpGazebo, MistakesHaveTheirPlace) {
  const std::string begin = kNewStyle;
  fails("yarpDeviceName x\n", "jointNames is missing");
  fails("jointNames elbow knee\n",
        "controlboard.ini:1: jointNames: robot 'icub' has no motor "
        "'knee'; its motors are shoulder_pitch");
  fails(begin + "[LIMITS]\njntPosMax (1 2)\n", "the group [LIMITS] lacks jntPosMin");
  fails(begin + "[LIMITS]\njntPosMin (1 2 3)\n", "jntPosMin: 3 values for 2 joints");
  fails(begin + "[LIMITS]\njntPosMin (1 x)\njntPosMax (2 2)\n", "'x' is no number");
  fails(begin + "[LIMITS]\njntPosMin (1 3)\njntPosMax (2 2)\n", "above its jntPosMax 2");
  fails(begin + "[POSITION_CONTROL]\ncontrolLaw joint_pid_gazebo_v1\ncontrolUnits degrees\n",
        "it is metric_units, per degree, or si_units, per radian");
  fails(begin + "[TRAJECTORY_GENERATION]\ntrajectory_type fast\n", "it is minimum_jerk,");
  fails(begin + "[COUPLING]\neyes_vergence_control (0 1) (version vergence)\n",
        "eyes_vergence_control: this coupling is not served");
  fails(begin + "[include \"absent.ini\"]\n", "absent.ini: ");
  fails("[WRAPPER]\nnetworks (a b)\n", "2 networks; servosim reads files of one network");
  fails("[WRAPPER]\nnetworks (a)\n", "there is no group [a]");
  // The board is of the second robot, and the mistake is another one than that of the first.
  const std::string worlds =
      folder_
          .write(
              "two.wbt",
              "#VRML_SIM R2023b utf8\nWorldInfo { }\nRobot { name \"a\" controller \"<none>\" }\n"
              "Robot { name \"b\" controller \"<none>\" children [ HingeJoint { jointParameters "
              "HingeJointParameters { } device RotationalMotor { name "
              "\"elbow\" } endPoint Solid { physics Physics { density -1 "
              "mass 1 } boundingObject Sphere { } } } ] }\n")
          .string();
  Program two(
      {"run", worlds, "--yarp-config", file("jointNames elbow\n[LIMITS]\njntPosMax (1)\n")});
  EXPECT_EQ(two.finish(), 2);
  EXPECT_TRUE(contains(two.err(), "the group [LIMITS] lacks jntPosMin")) << two.err();
  Program own({"run", kWorld, "--yarp-config",
               folder_.write("own.ini", "[arm]\nname = /arm\n").string() + "=/x"});
  EXPECT_EQ(own.finish(), 2);
  EXPECT_TRUE(contains(own.err(), "names the ports of its boards itself")) << own.err();
}

}  // namespace run_yarp_gazebo_test
}  // namespace servosim::test
