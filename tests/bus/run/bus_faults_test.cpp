// SPDX-License-Identifier: Apache-2.0
// Faults of a bus: what a file or a socket may say, and what servos then do and tell.
#include "bus/run/bus_faults.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/toml_error.h"
#include "bus/run/bus_map.h"
#include "bus/run/near_line.h"
#include "bus/servo/bus_rig.h"
#include "servosim/simulation.h"

namespace servosim::bus {
namespace {

namespace bus_fault_test {

using test::BusRig;
using test::NearLine;

std::string refusal(const std::string& line) {
  try {
    read_bus_fault(line);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

// Servos on benches whose faults come by lines.
struct FaultRig {
  explicit FaultRig(const std::string& model, int count = 1, const std::string& servo = "")
      : rig(model, count, servo), line(rig.bus) {
    std::vector<BusFaults::Sufferer> servos;
    for (int i = 0; i < count; ++i) {
      servos.push_back({&rig.at(i), &rig.bench(i), "arm/joint" + std::to_string(i + 1)});
    }
    faults.emplace(std::move(servos), std::vector<BusFault>());
  }

  std::string obey(const std::string& text) {
    std::string answer = faults->obey(text, time);
    faults->apply(time, line.line);
    return answer;
  }
  void step(double seconds) {
    for (int i = 0; i < std::lround(1000.0 * seconds); ++i) {
      rig.step(0.001);
      time += 0.001;
      faults->apply(time, line.line);
    }
  }

  BusRig rig;
  NearLine line;
  std::optional<BusFaults> faults;
  double time = 0.0;
};

TEST(BusFault, IsReadWithItsTimes) {
  const BusFault fault = read_bus_fault(
      R"({ kind = "brown-out", motor = "pan", at = 1.5, until = 4, voltage = 3.2 })");
  EXPECT_EQ(fault.kind, BusFault::Kind::BrownOut);
  EXPECT_EQ(fault.motor, "pan");
  EXPECT_EQ(fault.at, 1.5);
  EXPECT_EQ(fault.length, 2.5);
  EXPECT_EQ(fault.voltage, 3.2);
  EXPECT_EQ(read_bus_fault(R"({ kind = "gone", id = 3, for = 0.5 })").length, 0.5);
  EXPECT_FALSE(read_bus_fault(R"({ kind = "gone" })").at.has_value());
}

TEST(BusFault, IsRefusedInOneLine) {
  EXPECT_EQ(refusal("{ for = 2 }"),
            "a fault has a `kind`: lost, turned, gone, restart, brown-out, stuck, hot");
  EXPECT_TRUE(refusal(R"({ kind = "fire" })").starts_with("there is no kind of fault 'fire'"));
  EXPECT_EQ(refusal(R"({ kind = "gone", for = 0 })"), "a fault lasts for more than 0 s");
  EXPECT_EQ(refusal(R"({ kind = "gone", at = 2, until = 2 })"), "`until` must be later than `at`");
  EXPECT_EQ(refusal(R"({ kind = "gone", until = 2 })"),
            "`until` needs `at`, the time at which the fault begins");
  EXPECT_EQ(refusal(R"({ kind = "gone", at = 1, for = 1, until = 2 })"),
            "a fault has `for` or `until`, not both");
  EXPECT_EQ(refusal(R"({ kind = "gone", id = 1, motor = "pan" })"),
            "a fault has `id` or `motor`, not both");
  EXPECT_EQ(refusal(R"({ kind = "gone", voltage = 3 })"),
            "a fault of the kind 'gone' has no `voltage`");
  EXPECT_EQ(refusal(R"({ kind = "hot" })"), "a fault of the kind 'hot' has a `temperature`");
  EXPECT_EQ(refusal(R"({ kind = "lost", probability = 1.5 })"), "a probability is at most 1");
  EXPECT_EQ(refusal(R"({ kind = "restart", for = 1 })"),
            "a restart has only `at`; a brown-out keeps the power off");
  for (const char* const text :
       {"", "3", "{", "{ kind = \"gone\" } { }", "end now", "{ kind = \"gone\" }\nother = 3",
        "{ kind = 1 }", "{ kind = \"gone\", id = 300 }", "{ kind = \"gone\", at = -1 }",
        "{ kind = \"gone\", at = nan }", "{ kind = \"gone\", form = 1 }"}) {
    EXPECT_NE(refusal(text), "") << text;
    EXPECT_EQ(refusal(text).find('\n'), std::string::npos) << refusal(text);
  }
}

TEST(BusFault, OfAFileHasItsPlace) {
  const std::string text = R"([[bus]]
name = "arm"
[[bus.servo]]
motor = "pan"
id = 4
[[bus.fault]]
kind = "stuck"
)";
  const auto place = [&](const std::string& more, bool is_mapped) {
    try {
      const auto setups = read_bus_setups(text + more, "/p/servosim.toml");
      if (is_mapped) {
        check_fault(setups.at(0).faults.at(0), {{4, "arm/pan"}, {7, "arm/tilt"}});
      }
    } catch (const TomlError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(place("motor = \"tilt\"\n", true), "");
  EXPECT_EQ(place("id = 7\n", true), "");
  EXPECT_EQ(place("motor = \"tlt\"\n", true),
            "/p/servosim.toml:6:1: no servo of the bus is the motor 'tlt'; there are 'arm/tilt', "
            "'arm/pan'");
  EXPECT_EQ(place("id = 5\n", true),
            "/p/servosim.toml:6:1: no servo of the bus has the ID 5; there are 4, 7");
  EXPECT_EQ(place("id = -5\n", false), "/p/servosim.toml:8:6: expected a number >= 0");
}

TEST(BusFault, ABrownOutIsAnErrorOfTheVoltageThenARestart) {
  FaultRig rig("XL330-M288", 2, "XL330-M288-T");
  for (const std::uint8_t id : {1, 2}) {
    EXPECT_EQ(rig.rig.set("Torque Enable", 1, id), 0);
    EXPECT_EQ(rig.rig.set("Goal Position", 2500, id), 0);
  }
  EXPECT_EQ(rig.obey(R"({ kind = "brown-out", id = 1, voltage = 3.3, for = 0.5 })"), "ok");
  rig.step(0.2);
  EXPECT_EQ(rig.rig.get("Present Input Voltage"), 33);
  EXPECT_EQ(rig.rig.get("Hardware Error Status"), 0x01);
  EXPECT_EQ(rig.rig.get("Torque Enable"), 0);
  EXPECT_EQ(rig.rig.get("Present Input Voltage", 2), 50);
  EXPECT_EQ(rig.rig.get("Torque Enable", 2), 1);
  rig.step(0.4);
  EXPECT_EQ(rig.rig.get("Present Input Voltage"), 50);
  EXPECT_EQ(rig.rig.get("Hardware Error Status"), 0x01);  // until the power is off
  // Below the voltage of the firmware both are off, and fall; they come back as after a restart.
  const std::int64_t before = rig.rig.get("Present Position", 2);
  EXPECT_GT(before, 2300);
  EXPECT_EQ(rig.obey(R"({ kind = "brown-out", voltage = 0, for = 1.5 })"), "ok");
  rig.step(1.0);
  EXPECT_FALSE(rig.rig.ping(1).has_value());
  EXPECT_FALSE(rig.rig.ping(2).has_value());
  rig.step(0.6);
  EXPECT_EQ(rig.rig.get("Hardware Error Status"), 0);
  EXPECT_EQ(rig.rig.get("Torque Enable", 2), 0);
  EXPECT_LT(rig.rig.get("Present Position", 2), before - 100);
}

TEST(BusFault, AStuckGearHoldsUntilItIsAnOverload) {
  FaultRig rig("XM430-W350");
  EXPECT_EQ(rig.rig.set("Torque Enable", 1), 0);
  EXPECT_EQ(rig.rig.set("Goal Position", 2200), 0);
  rig.step(1.0);
  const std::int64_t before = rig.rig.get("Present Position");
  EXPECT_NEAR(before, 2200, 12);
  EXPECT_EQ(rig.obey(R"({ kind = "stuck", motor = "joint1" })"), "ok");
  EXPECT_EQ(rig.rig.set("Goal Position", 3900), 0);
  rig.step(1.0);
  EXPECT_EQ(rig.rig.get("Present Position"), before);
  EXPECT_EQ(rig.rig.get("Hardware Error Status"), 0);
  rig.step(1.5);  // it is overloaded after 2 s
  EXPECT_EQ(rig.rig.get("Hardware Error Status"), 0x20);
  EXPECT_EQ(rig.obey("end"), "ok");
  EXPECT_EQ(rig.rig.ask({Instruction::Reboot, 1, {}, {}}).size(), 1U);
  EXPECT_EQ(rig.rig.set("Torque Enable", 1), 0);
  EXPECT_EQ(rig.rig.set("Goal Position", 2600), 0);
  rig.step(1.0);
  EXPECT_NEAR(rig.rig.get("Present Position"), 2600, 20);
}

// Less friction than the torque of the motor makes it slower.
TEST(BusFault, AStiffGearSlowsTheServo) {
  const auto speed = [](const std::string& fault) {
    FaultRig rig("STS3215");
    EXPECT_EQ(rig.rig.set("Operating Mode", 2), 0);
    EXPECT_EQ(rig.rig.set("Torque Enable", 1), 0);
    EXPECT_EQ(rig.rig.set("Goal Time", 800), 0);
    EXPECT_EQ(fault.empty() ? "ok" : rig.obey(fault), "ok");
    rig.step(0.5);
    return rig.rig.get("Present Velocity");
  };
  const std::int64_t free = speed("");
  const std::int64_t stiff = speed(R"({ kind = "stuck", torque = 0.4 })");
  EXPECT_LT(stiff, 0.9 * static_cast<double>(free));
  EXPECT_GT(stiff, 0.3 * static_cast<double>(free));
}

TEST(BusFault, AHotMotorOverheats) {
  FaultRig rig("XM430-W350");
  EXPECT_EQ(rig.rig.set("Torque Enable", 1), 0);
  EXPECT_EQ(rig.obey(R"({ kind = "hot", temperature = 79, at = 0.2, for = 0.2 })"), "ok");
  rig.step(0.1);
  EXPECT_EQ(rig.rig.get("Present Temperature"), 25);
  rig.step(0.2);
  EXPECT_EQ(rig.rig.get("Present Temperature"), 79);
  EXPECT_EQ(rig.rig.get("Torque Enable"), 1);  // the limit is 80
  rig.step(0.2);
  EXPECT_EQ(rig.rig.get("Present Temperature"), 25);
  EXPECT_EQ(rig.obey(R"({ kind = "hot", temperature = 92, for = 0.2 })"), "ok");
  rig.step(0.1);
  EXPECT_EQ(rig.rig.get("Hardware Error Status"), 0x04);
  EXPECT_EQ(rig.rig.get("Torque Enable"), 0);
}

TEST(BusFault, GoneAndRestartedServosAreThoseThatAreNamed) {
  FaultRig rig("STS3215", 3);
  EXPECT_EQ(rig.rig.set("Torque Enable", 1, 2), 0);
  EXPECT_EQ(rig.rig.set("Torque Enable", 1, 3), 0);
  EXPECT_EQ(rig.obey(R"({ kind = "gone", id = 2, for = 0.3 })"), "ok");
  EXPECT_EQ(rig.obey(R"({ kind = "restart", motor = "arm/joint3", at = 0.1 })"), "ok");
  EXPECT_FALSE(rig.rig.ping(2).has_value());
  EXPECT_TRUE(rig.rig.ping(3).has_value());
  EXPECT_EQ(rig.rig.get("Torque Enable", 3), 1);
  rig.step(0.2);
  EXPECT_EQ(rig.rig.get("Torque Enable", 3), 0);
  EXPECT_EQ(rig.rig.set("Torque Enable", 1, 3), 0);
  rig.step(0.2);
  EXPECT_EQ(rig.rig.get("Torque Enable", 3), 1);  // once
  EXPECT_EQ(rig.rig.get("Torque Enable", 2), 1);  // it has moved on
  EXPECT_EQ(rig.obey(R"({ kind = "gone", id = 9 })"),
            "error: no servo of the bus has the ID 9; there are 1, 2, 3");
  EXPECT_EQ(rig.obey("{ kind = 3 }"), "error: expected a text in quotes");
  EXPECT_EQ(rig.obey("end\r"), "ok");
}

// The bytes of a fault depend on the seed alone, and those of a servo concern no other one.
TEST(BusFault, NoiseHasASeedAndMayBeThatOfOneServo) {
  const auto answers = [](std::uint64_t seed, const std::string& fault) {
    FaultRig rig("XM430-W350", 2);
    rig.line.line.set_seed(seed);
    EXPECT_EQ(rig.obey(fault), "ok");
    std::vector<Octets> all;
    for (const std::uint8_t id : {1, 2}) {
      Octets bytes;
      for (int i = 0; i < 50; ++i) {
        const Octets answer = rig.line.ask({Instruction::Ping, id, {}, {}});
        bytes.insert(bytes.end(), answer.begin(), answer.end());
        rig.line.run();
      }
      all.push_back(bytes);
    }
    return all;
  };
  const auto clean = answers(3, R"({ kind = "gone", at = 1e9 })");
  const auto noisy = answers(3, R"({ kind = "turned", probability = 0.02 })");
  EXPECT_EQ(answers(3, R"({ kind = "turned", probability = 0.02 })"), noisy);
  EXPECT_NE(answers(4, R"({ kind = "turned", probability = 0.02 })"), noisy);
  EXPECT_NE(noisy[0], clean[0]);
  const auto of_one = answers(3, R"({ kind = "lost", id = 2, probability = 0.1 })");
  EXPECT_EQ(of_one[0], clean[0]);
  // It loses 70 of 700 bytes; 8 is the standard deviation.
  EXPECT_NEAR(static_cast<double>(clean[1].size() - of_one[1].size()), 70.0, 40.0);
}

// In lock-step a packet whose rest is lost does not swallow the next one.
TEST(BusFault, AFlushEndsALostPacketInLockStep) {
  FaultRig rig("XM430-W350");
  Octets cut = rig.line.bytes({Instruction::Ping, 1, {}, {}});
  cut[5] = 0xC8;  // its length was turned
  rig.line.port->calls.received(cut);
  EXPECT_EQ(rig.line.ask({Instruction::Ping, 1, {}, {}}).size(), 14U);
}

constexpr const char* kWorld = R"(#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 2 gravity 0 }
Robot { name "arm" controller "<none>" children [
  HingeJoint { jointParameters HingeJointParameters { axis 0 0 1 } device [
    RotationalMotor { name "pan"
      #servosim servo "XM430-W350"
    } ]
    endPoint Solid { name "a" physics Physics { } boundingObject Box { size 0.1 0.1 0.1 } } }
] }
)";

// In a world the fault is one of the physics of the joint, and ends with its plant.
TEST(BusFault, ActsOnTheJointOfAWorld) {
  Simulation simulation = Simulation::from_text(kWorld, {});
  BusSetup setup;
  setup.name = "arm";
  const BusMap map = map_buses(simulation, {setup})[0];
  Motor& motor = *map.servos[0].motor;
  {
    MotorPlant plant(motor, map.servos[0].mounting);
    const auto run = [&](const ServoTrouble& trouble) {
      plant.suffer(trouble);
      ServoOrder order;
      order.mode = ServoOrder::Mode::Duty;
      order.value = 0.5;
      order.share = 1.0;
      order.is_protected = true;  // as all orders of a bus
      order.speed = order.acceleration = ServoTrouble::kNone;
      plant.obey(order);
      const double before = *motor.position();
      for (int i = 0; i < 250; ++i) {
        simulation.step();
      }
      return *motor.position() - before;
    };
    const double free = run({});
    EXPECT_GT(free, 0.5);
    run({.friction = ServoTrouble::kNone});  // it stops
    EXPECT_NEAR(run({.friction = ServoTrouble::kNone}), 0.0, 1e-9);
    EXPECT_GT(plant.sense().reading.current, 0.1);
    EXPECT_GT(run({}), 0.9 * free);
    const double slow = run({.max_volts = 6.0});
    EXPECT_NEAR(plant.sense().reading.voltage, 6.0, 1e-9);
    EXPECT_LT(slow, 0.7 * free);
    run({.temperature = 85.0});
    EXPECT_EQ(plant.sense().reading.case_temperature, 85.0);
    run({.friction = ServoTrouble::kNone});
    EXPECT_EQ(plant.sense().reading.case_temperature, 25.0);
    EXPECT_NEAR(plant.sense().reading.voltage, 12.0, 1e-9);
  }
  motor.set_position(*motor.position() + 0.2);
  const double before = *motor.position();
  for (int i = 0; i < 500; ++i) {
    simulation.step();
  }
  EXPECT_NEAR(*motor.position() - before, 0.2, 0.02);
}

}  // namespace bus_fault_test

}  // namespace
}  // namespace servosim::bus
