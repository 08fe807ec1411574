// SPDX-License-Identifier: Apache-2.0
// Buses of a world: which motors are which servos, and that registers move joints.
#include "bus/run/bus_map.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "base/toml_error.h"
#include "bus/protocol/request.h"
#include "bus/servo/servo_bus.h"
#include "servosim/simulation.h"

namespace servosim::bus {
namespace {

namespace bus_map_test {

constexpr const char* kWorld = R"(#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 2 gravity 0 }
Robot { name "arm" controller "<none>" children [
  HingeJoint { jointParameters HingeJointParameters { axis 0 0 1 } device [
    RotationalMotor { name "pan"
      #servosim servo "XL330-M288-T"
    } ]
    endPoint Solid { name "a" physics Physics { } boundingObject Box { size 0.1 0.1 0.1 } } }
  HingeJoint { jointParameters HingeJointParameters { axis 0 0 1 } device [
    RotationalMotor { name "tilt"
      #servosim servo "XM430-W350"
    } ]
    endPoint Solid { name "b" physics Physics { } boundingObject Box { size 0.1 0.1 0.1 } } }
  HingeJoint { jointParameters HingeJointParameters { axis 0 0 1 } device [
    RotationalMotor { name "claw"
      #servosim servo "STS3215"
    } ]
    endPoint Solid { name "c" physics Physics { } boundingObject Box { size 0.1 0.1 0.1 } } }
  HingeJoint { jointParameters HingeJointParameters { axis 0 0 1 } device [
    RotationalMotor { name "hobby"
      #servosim servo "SG90"
    } ]
    endPoint Solid { name "d" physics Physics { } boundingObject Box { size 0.1 0.1 0.1 } } }
  HingeJoint { jointParameters HingeJointParameters { axis 0 0 1 } device [
    RotationalMotor { name "plain" } ]
    endPoint Solid { name "e" physics Physics { } boundingObject Box { size 0.1 0.1 0.1 } } }
] }
)";

BusSetup named(const std::string& name) {
  BusSetup setup;
  setup.name = name;
  return setup;
}

std::string refusal(const BusSetup& setup) {
  Simulation simulation = Simulation::from_text(kWorld, {});
  try {
    map_buses(simulation, {setup});
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(BusMap, GivesEachMotorWithAServoModelTheNextId) {
  Simulation simulation = Simulation::from_text(kWorld, {});
  const BusMap map = map_buses(simulation, {named("arm")})[0];
  EXPECT_EQ(map.protocol, &kDynamixel2);
  ASSERT_EQ(map.servos.size(), 2U);
  EXPECT_EQ(map.servos[0].name, "arm/pan");
  EXPECT_EQ(map.servos[0].table.model, "XL330-M288");
  EXPECT_EQ(map.servos[1].name, "arm/tilt");
  EXPECT_EQ(map.servos[1].id, 2);
  ASSERT_EQ(map.left_out.size(), 2U);
  EXPECT_EQ(map.left_out[0], "arm/claw has the protocol Feetech STS/SMS");
  BusSetup sts = named("claw");
  sts.protocol = &kFeetechSts;
  EXPECT_EQ(map_buses(simulation, {sts})[0].servos.at(0).name, "arm/claw");
}

TEST(BusMap, SaysWhatDoesNotFit) {
  BusSetup setup = named("arm");
  setup.servos = {{.motor = "plain"}};
  EXPECT_TRUE(refusal(setup).starts_with("no motor 'plain' has a servo model"));
  setup.servos = {{.motor = "pan", .id = 4}, {.motor = "tilt", .id = 4}};
  EXPECT_EQ(refusal(setup), "arm/tilt: another servo has the ID 4");
  setup.servos = {{.motor = "pan"}, {.motor = "arm/pan"}};
  EXPECT_EQ(refusal(setup), "arm/pan is on bus 'arm' twice");
  setup.servos = {{.motor = "pan"}, {.motor = "claw"}};
  EXPECT_TRUE(refusal(setup).starts_with("arm/claw has the protocol"));
  setup.servos = {{.motor = "pan", .baud = 12345}};
  EXPECT_EQ(refusal(setup), "XL330-M288 has no speed of 12345 bit/s");
  setup.servos = {{.motor = "claw", .firmware = "53"}};
  EXPECT_EQ(refusal(setup),
            "'53' is no version of the firmware of STS3215; write a text such as \"3.10\", with "
            "numbers from 0 to 255");
  setup.servos = {{.motor = "hobby"}};
  EXPECT_TRUE(refusal(setup).starts_with("no table has the registers of 'SG90'"));
  setup.servos = {{.motor = "pan", .id = 253}};
  EXPECT_EQ(refusal(setup), "arm/pan: an ID is from 0 to 252, not 253");
}

TEST(BusMap, GivesAMotorToOneBus) {
  Simulation simulation = Simulation::from_text(kWorld, {});
  BusSetup chosen = named("chosen");
  chosen.servos = {{.motor = "pan", .id = 4}};
  // A bus that names its servos comes first, wherever it is in the list.
  const auto maps = map_buses(simulation, {named("rest"), chosen, named("sts")});
  ASSERT_EQ(maps[0].servos.size(), 1U);
  EXPECT_EQ(maps[0].servos[0].name, "arm/tilt");
  EXPECT_EQ(maps[0].left_out.at(0), "arm/pan is on bus 'chosen'");
  EXPECT_EQ(maps[1].servos.at(0).name, "arm/pan");
  EXPECT_EQ(maps[2].servos.at(0).name, "arm/claw");
  const auto refused = [&](const BusSetup& other) {
    try {
      map_buses(simulation, {chosen, other});
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  BusSetup second = named("second");
  second.servos = {{.motor = "arm/pan"}};
  EXPECT_EQ(refused(second), "arm/pan is on bus 'chosen' already, and a motor is on one bus");
  chosen.servos = {{.motor = "pan"}, {.motor = "tilt"}};
  BusSetup wide = named("wide");
  wide.protocol = &kDynamixel2;
  EXPECT_EQ(refused(wide), "no motor can be a servo of bus 'wide': arm/pan is on bus 'chosen'");
}

// A reason with the place of its table, as a user sees it.
std::string refused_text(const char* text) {
  try {
    read_bus_setups(text, "/project/servosim.toml");
  } catch (const TomlError& error) {
    return error.what();
  }
  return "";
}

TEST(BusMap, RefusesWhatTwoBusesWouldHave) {
  EXPECT_EQ(refused_text("[[bus]]\nname = \"a\"\nlink = \"x\"\n"
                         "[[bus]]\nname = \"b\"\nlink = \"./y/../x\"\n"),
            "/project/servosim.toml:4:1: bus 'a' and bus 'b' have the same link /project/x");
  EXPECT_EQ(refused_text("[[bus]]\nname = \"a\"\ntcp = 5000\n[[bus]]\nname = \"b\"\n"
                         "tcp = 5000\n"),
            "/project/servosim.toml:4:1: bus 'a' and bus 'b' have the same port tcp:5000");
  EXPECT_EQ(refused_text("[[bus]]\nname = \"a\"\ncontrol = \"c\"\nkeeps = \"k\"\n"
                         "[[bus]]\nname = \"b\"\nkeeps = \"k\"\n"),
            "/project/servosim.toml:5:1: bus 'a' and bus 'b' have the same file of kept registers "
            "/project/k");
  EXPECT_EQ(refused_text("[[bus]]\nname = \"a\"\n[[bus.servo]]\nmotor = \"pan\"\n"
                         "[[bus]]\nname = \"b\"\n[[bus.servo]]\nmotor = \"pan\"\n"),
            "/project/servosim.toml:7:1: motor 'pan' is on bus 'a' already, and a motor is on one "
            "bus");
  // Any free port is another one each time.
  EXPECT_EQ(refused_text("[[bus]]\nname = \"a\"\ntcp = 0\n[[bus]]\nname = \"b\"\ntcp = 0\n"), "");
}

TEST(BusMap, ReadsTheTablesOfAProject) {
  const auto setups = read_bus_setups(R"(
mode = "fast"
[[bus]]
name = "arm"
link = "x/arm"
protocol = "dynamixel2"
clock = "bus"
cycle = 0.004
choices = { keeps_goal = "yes", overload_time = 0.5 }
[[bus.servo]]
motor = "pan"
id = 7
direction = -1
zero = 0.25
[[bus.fault]]
kind = "gone"
id = 7
at = 1.5
[[bus]]
name = "claw"
tcp = 5000
)",
                                      "/project/servosim.toml");
  ASSERT_EQ(setups.size(), 2U);
  EXPECT_EQ(setups[0].place.link, "/project/x/arm");
  EXPECT_EQ(setups[0].protocol, &kDynamixel2);
  EXPECT_TRUE(setups[0].clock.is_lockstep);
  EXPECT_EQ(setups[0].clock.cycle, 0.004);
  EXPECT_TRUE(setups[0].choices.firmware.keeps_goal);
  EXPECT_EQ(setups[0].choices.firmware.overload_time, 0.5);
  EXPECT_EQ(setups[0].servos.at(0).id, 7);
  EXPECT_EQ(setups[0].servos.at(0).direction, -1.0);
  EXPECT_EQ(setups[0].faults.at(0).at, 1.5);
  EXPECT_EQ(setups[1].place.port, 5000);
}

TEST(BusMap, RefusesWrongTables) {
  for (const char* const text :
       {"[[bus]]\n", "[[bus]]\nname = \"a/b\"\n", "[[bus]]\nname = \"a\"\nspeed = 3\n",
        "[[bus]]\nname = \"a\"\nprotocol = \"can\"\n", "[[bus]]\nname = \"a\"\ntcp = 70000\n",
        "[[bus]]\nname = \"a\"\n[[bus]]\nname = \"a\"\n", "[[bus]]\nname = \"a\"\nclock = 1\n",
        "[[bus]]\nname = \"a\"\n[[bus.servo]]\nid = 3\n", "bus = 3\n",
        "[[bus]]\nname = \"a\"\n[[bus.servo]]\nmotor = \"m\"\ndirection = 0.5\n",
        "[[bus]]\nname = \"a\"\nchoices = { keeps_goal = \"perhaps\" }\n",
        "[[bus]]\nname = \"a\"\n[[bus.fault]]\nkind = \"fire\"\n"}) {
    EXPECT_THROW(read_bus_setups(text, "servosim.toml"), TomlError) << text;
  }
}

// Writes go through the registers to the joint, and readings come back, with direction and zero.
TEST(BusMap, RegistersMoveJoints) {
  Simulation simulation = Simulation::from_text(kWorld, {});
  BusSetup setup = named("arm");
  setup.servos = {{.motor = "tilt", .direction = -1.0, .zero = 0.3}};
  BusMap map = map_buses(simulation, {setup})[0];
  {
    MotorPlant plant(*map.servos[0].motor, map.servos[0].mounting);
    ServoBus bus(*map.protocol, setup.choices);
    BusServo& servo =
        bus.add(std::make_unique<BusServo>(map.servos[0].table, plant, setup.choices));
    const auto row = [&](RegisterRole role) { return *servo.table().find(role); };
    const auto write = [&](RegisterRole role, std::int64_t value) { servo.set(row(role), value); };
    const auto run = [&](int steps) {
      for (int i = 0; i < steps; ++i) {
        simulation.step();
        bus.step(simulation.basic_time_step_ms() / 1000.0);
      }
    };
    constexpr double kCount = 2.0 * std::numbers::pi / 4096.0;
    const auto present = [&] {
      return static_cast<double>(servo.value(row(RegisterRole::PresentPosition)));
    };
    const auto joint = [&] { return *map.servos[0].motor->position(); };
    EXPECT_NEAR(present(), 2048 + 0.3 / kCount, 1.0);  // the joint is at 0
    write(RegisterRole::TorqueEnable, 1);
    write(RegisterRole::GoalPosition, 1648);
    run(1500);
    EXPECT_NEAR(present(), 1648.0, 8.0);
    EXPECT_NEAR(joint(), 0.3 + 400 * kCount, 0.02);
    // PWM and current have the servo's direction.
    write(RegisterRole::TorqueEnable, 0);
    write(RegisterRole::OperatingMode, 16);
    write(RegisterRole::TorqueEnable, 1);
    write(RegisterRole::GoalPwm, 300);
    run(250);
    EXPECT_NEAR(static_cast<double>(servo.value(row(RegisterRole::PresentPwm))), 300.0, 1.0);
    EXPECT_GT(servo.value(row(RegisterRole::PresentVelocity)), 10);
    EXPECT_LT(simulation.joint("arm/tilt").reading().velocity, -0.2);
    write(RegisterRole::TorqueEnable, 0);
    write(RegisterRole::OperatingMode, 0);
    write(RegisterRole::TorqueEnable, 1);
    write(RegisterRole::GoalCurrent, 50);
    run(5);
    EXPECT_NEAR(static_cast<double>(servo.value(row(RegisterRole::PresentCurrent))), 50.0, 1.0);
  }
  // The motor obeys its controller again.
  simulation.robot("arm").motor("tilt").set_position(0.1);
  for (int i = 0; i < 2000; ++i) {
    simulation.step();
  }
  EXPECT_NEAR(*map.servos[0].motor->position(), 0.1, 0.02);
}

}  // namespace bus_map_test

}  // namespace
}  // namespace servosim::bus
