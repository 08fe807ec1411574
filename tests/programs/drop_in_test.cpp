// SPDX-License-Identifier: Apache-2.0
// Projects as users have them, with controllers like those of tutorials and test suites.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <tuple>

#include "programs/program.h"
#include "recording/recording_reader.h"

namespace servosim {
namespace {

using test::contains;
using test::Program;
using test::TempFolder;

class DropIn : public testing::Test {
 protected:
  std::string world(const std::string& name, const std::string& nodes) {
    return folder.write("worlds/" + name + ".wbt", "#VRML_SIM R2023b utf8\nWorldInfo { }\n" + nodes)
        .string();
  }
  void controller(const std::string& file, const std::string& text) {
    const std::string name = file.substr(0, file.find('.'));
    folder.write("controllers/" + name + "/" + file, text);
  }
  TempFolder folder;
};

constexpr const char* kWheel = R"(  children [ HingeJoint {
    jointParameters HingeJointParameters { axis 0 1 0 }
    device RotationalMotor { name "wheel" }
    endPoint Solid { boundingObject Sphere { radius 0.1 } physics Physics { } }
  } ] })";

// The controller includes only the headers that the tutorials name.
TEST_F(DropIn, ATutorialsWheelTurnsWithoutEnd) {
  const std::string one = world("one", R"(
Robot { name "c" controller "turns" physics Physics { } )" +
                                           std::string(kWheel) +
                                           R"(
Robot { name "c++" controller "turns_too" physics Physics { } )" +
                                           kWheel);
  controller("turns.c", R"(#include <webots/motor.h>
#include <webots/robot.h>
int main() {
  wb_robot_init();
  WbDeviceTag wheel = wb_robot_get_device("wheel");
  wb_motor_set_position(wheel, INFINITY);
  wb_motor_set_velocity(wheel, 0.1 * M_PI);
  wb_robot_step(32);
  wb_robot_cleanup();
  return 0;
}
)");
  controller("turns_too.cpp", R"(#include <webots/Motor.hpp>
#include <webots/Robot.hpp>
using namespace webots;
int main() {
  Robot *robot = new Robot();
  Motor *wheel = robot->getMotor("wheel");
  wheel->setPosition(INFINITY);
  robot->step(32);
  delete robot;
  return 0;
}
)");
  Program program({"run", one, "--quiet"});
  EXPECT_EQ(program.finish(), 0) << program.err();
}

// The supervisor of a test suite goes from world to world in this way.
TEST_F(DropIn, TheLastRequestOfASupervisorMayBeAnotherWorld) {
  world("second", "Robot { controller \"says\" }");
  const std::string first = world("first", "Robot { supervisor TRUE controller \"goes_on\" }");
  controller("goes_on.c", R"(#include <webots/robot.h>
#include <webots/supervisor.h>
int main() {
  wb_robot_init();
  wb_robot_step(32);
  wb_supervisor_world_load("../../worlds/second.wbt");
  wb_robot_cleanup();
  return 0;
}
)");
  controller("says.c", R"(#include <stdio.h>
#include <webots/robot.h>
int main() {
  wb_robot_init();
  printf("here at %g\n", wb_robot_get_time());
  wb_robot_cleanup();
  return 0;
}
)");
  Program program({"run", first, "--quiet"});
  EXPECT_EQ(program.finish(), 0) << program.err();
  EXPECT_TRUE(contains(program.out(), "here at 0\n")) << program.out() << program.err();
}

// A recording has both worlds, one after the other, with one clock.
TEST_F(DropIn, ARecordingGoesOnInTheWorldThatASupervisorLoads) {
  world("second", R"(Robot { name "late" controller "stays" } Solid { name "box" physics Physics { }
    boundingObject Box { } })");
  const std::string first = world("first", "Robot { supervisor TRUE controller \"loads\" }");
  controller("loads.c", R"(#include <webots/robot.h>
#include <webots/supervisor.h>
int main() {
  wb_robot_init();
  wb_robot_step(320);
  wb_supervisor_world_load("../../worlds/second.wbt");
  wb_robot_cleanup();
  return 0;
}
)");
  controller("stays.c", R"(#include <webots/robot.h>
int main() {
  wb_robot_init();
  wb_robot_step(640);
  wb_robot_cleanup();
  return 0;
}
)");
  const std::string file = (folder / "both.svt").string();
  Program program({"run", first, "--quiet", "--record", file});
  ASSERT_EQ(program.finish(), 0) << program.err();
  const Recording recording = read_recording(test::read_text(file));
  EXPECT_FALSE(recording.truncated);
  ASSERT_EQ(recording.scenes.size(), 2u);
  for (const auto& [scene, name, bodies] :
       {std::tuple(0, "first.wbt", 1u), std::tuple(1, "second.wbt", 2u)}) {
    EXPECT_TRUE(contains(recording.scenes[scene].json, "\"world\":\"" + std::string(name) + "\""));
    EXPECT_EQ(recording.scenes[scene].bodies.size(), bodies);
  }
  std::array<double, 2> last{};  // [s]
  for (std::size_t i = 0; i < recording.frames.size(); ++i) {
    const RecordedFrame& frame = recording.frames[i];
    last[frame.scene] = frame.time;
    EXPECT_TRUE(i == 0 || frame.time > recording.frames[i - 1].time) << frame.time;
    EXPECT_EQ(frame.poses.size(), recording.scenes[frame.scene].moving);
  }
  EXPECT_GE(last[0], 0.25);
  EXPECT_LE(last[0], 0.4);
  EXPECT_GE(last[1], last[0] + 0.6) << "the clock goes on";
}

// Later the run does not wait for such a controller, but devices that it enables before its first
// step work from the start.
TEST_F(DropIn, WhoIsNotSynchronousHearsTheFirstMessages) {
  const std::string two = world("two", R"(
Robot { name "hears" synchronization FALSE controller "hears" supervisor TRUE
  children [ Receiver { } ] }
Robot { name "speaks" controller "speaks" children [ Emitter { } ] })");
  controller("hears.c", R"(#include <stdio.h>
#include <unistd.h>
#include <webots/receiver.h>
#include <webots/robot.h>
#include <webots/supervisor.h>
int main() {
  wb_robot_init();
  usleep(300000);
  WbDeviceTag receiver = wb_robot_get_device("receiver");
  wb_receiver_enable(receiver, 32);
  while (wb_robot_step(32) != -1)
    if (wb_receiver_get_queue_length(receiver) > 0) {
      printf("heard '%s'\n", (const char *)wb_receiver_get_data(receiver));
      wb_supervisor_simulation_quit(0);
      wb_receiver_next_packet(receiver);
    }
  wb_robot_cleanup();
  return 0;
}
)");
  controller("speaks.c", R"(#include <webots/emitter.h>
#include <webots/robot.h>
int main() {
  wb_robot_init();
  wb_emitter_send(wb_robot_get_device("emitter"), "done", 5);
  wb_robot_step(64);
  wb_robot_cleanup();
  return 0;
}
)");
  Program program({"run", two, "--quiet", "--duration", "20"});
  EXPECT_EQ(program.finish(), 0) << program.err();
  EXPECT_TRUE(contains(program.out(), "heard 'done'\n")) << program.out() << program.err();
}

}  // namespace
}  // namespace servosim
