// SPDX-License-Identifier: Apache-2.0
// Projects as people bring them, with controllers in the manner of tutorials and of test suites.
#include <gtest/gtest.h>

#include <string>

#include "programs/program.h"

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

// With the headers that the tutorials name, and no other.
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

// As the supervisor of a test suite does that goes from world to world.
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

// The run does not wait for it later, but devices that it enables before its first step work from
// the start.
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
