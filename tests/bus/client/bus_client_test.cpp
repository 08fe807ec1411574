// SPDX-License-Identifier: Apache-2.0
// The client of a bus, with servos behind a pseudo terminal. tests/bus/protocol/ has packets that
// were recorded elsewhere.
#include "bus/client/bus_client.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ostream>
#include <stdexcept>

#include "bus/client/real_time.h"
#include "bus/client/recorder.h"
#include "bus/client/remote_servo.h"
#include "bus/client/served_rig.h"

namespace servosim::bus {
namespace {

namespace bus_client_test {

using test::BusRig;
using test::ServedRig;

std::vector<const Protocol*> every_protocol() {
  const auto all = all_protocols();
  return {all.begin(), all.end()};
}

double baud_of(ServedRig& served) {
  double baud = 0.0;
  served.with_rig([&](BusRig& rig) { baud = rig.at(0).baud(); });
  return baud;
}

class BusClients : public testing::TestWithParam<std::string> {};

TEST_P(BusClients, FindAServoAndItsModel) {
  ServedRig served(GetParam(), 2);
  SerialPort port(served.path(), baud_of(served));
  const auto found = identify(port, 2, every_protocol());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->model, GetParam());
  EXPECT_EQ(found->found.id, 2);
  EXPECT_FALSE(identify(port, 3, every_protocol()));
}

TEST_P(BusClients, ReadAndWriteRegistersByName) {
  ServedRig served(GetParam());
  SerialPort port(served.path(), baud_of(served));
  const RegisterTable table = register_table(GetParam());
  BusClient client(port, *table.protocol);
  RemoteServo servo(client, 1, table);
  std::vector<const RegisterRow*> rows;
  for (const RegisterRow& row : servo.table().rows) {
    rows.push_back(&row);
  }
  const auto values = servo.read(rows);
  ASSERT_EQ(values.size(), rows.size());
  served.with_rig([&](BusRig& rig) {
    for (const RegisterValue& each : values) {
      if (each.row->area == RegisterArea::Eeprom) {
        EXPECT_EQ(each.value, rig.at(0).value(*each.row)) << each.row->name;
      }
    }
  });
  const RegisterRow& led = servo.row("goal_position");
  servo.write(led, 600);
  EXPECT_EQ(servo.read(led), 600);
  EXPECT_THROW(servo.row("Goal Posture"), std::invalid_argument);
  EXPECT_THROW(servo.write(*servo.table().find(RegisterRole::PresentPosition), 1),
               std::invalid_argument);
}

INSTANTIATE_TEST_SUITE_P(Models, BusClients,
                         testing::Values("XM430-W350", "XL-320", "MX-64", "STS3215", "SCS0009"),
                         [](const auto& model) {
                           std::string name = model.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(BusClient, ListsAllServosWithOnePing) {
  ServedRig served("XM430-W350", 3);
  SerialPort port(served.path(), baud_of(served));
  const auto found = BusClient(port, kDynamixel2).ping_all();
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[2].id, 3);
  EXPECT_EQ(found[2].model, 1020);
}

TEST(BusClient, ReadsSeveralServosAtOnce) {
  for (const std::string model : {"XM430-W350", "STS3215", "MX-64"}) {
    ServedRig served(model, 3);
    SerialPort port(served.path(), baud_of(served));
    const RegisterTable table = register_table(model);
    BusClient client(port, *table.protocol);
    const RegisterRow& row = *table.find(RegisterRole::Id);
    const auto all = client.read_all({1, 2, 3}, row.address, row.size);
    EXPECT_EQ(all, (std::vector<Octets>{{1}, {2}, {3}})) << model;
  }
}

TEST(BusClient, SaysWhoDoesNotAnswerOrRefuses) {
  ServedRig served("XM430-W350");
  SerialPort port(served.path(), baud_of(served));
  BusClient client(port, kDynamixel2);
  try {
    client.read(9, 132, 4);
    FAIL();
  } catch (const BusError& error) {
    EXPECT_STREQ(error.what(), "servo 9 does not answer: read 4 bytes at 132");
  }
  try {
    client.write(1, 7, {255});
    FAIL();
  } catch (const BusError& error) {
    EXPECT_STREQ(error.what(), "servo 1 refuses: write 1 bytes at 7: a value out of its range");
  }
}

// With this alarm the answer to a ping has the bytes of the ping.
TEST(BusClient, TellsAnAlarmFromAnEcho) {
  for (const bool has_echo : {false, true}) {
    ServedRig served("STS3215", 1, "", has_echo);
    served.with_rig([](BusRig& rig) {
      rig.bench().set_voltage(12.0);
      rig.step(0.01);
    });
    SerialPort port(served.path(), baud_of(served));
    BusClient client(port, kFeetechSts);
    for (int i = 0; i < 2; ++i) {  // it finds out once whether there is an echo
      const auto found = client.ping(1);
      ASSERT_TRUE(found) << has_echo;
      EXPECT_EQ(found->status, 0x01);
    }
    EXPECT_FALSE(client.ping(2)) << has_echo;
    EXPECT_EQ(client.read(1, 5, 1), Octets{1});
  }
}

TEST(BusClient, SaysWhatIsWrongWithAServoAndWhatEndsIt) {
  struct Case {
    const char* model;
    const char* alarm;
  };
  for (const Case& each :
       {Case{"XM430-W350", "servo 1 has a hardware error: overload; reboot it"},
        Case{"XL-320", "servo 1 has a hardware error: overload; reboot it"},
        Case{"AX-12A",
             "servo 1 has an alarm: overload; write its Torque Limit, or switch its power off and "
             "on"},
        Case{"STS3215", "servo 1 has an alarm: overload; switch its power off and on"}}) {
    ServedRig served(each.model);
    SerialPort port(served.path(), baud_of(served));
    const RegisterTable table = register_table(each.model);
    BusClient client(port, *table.protocol);
    RemoteServo servo(client, 1, table);
    EXPECT_EQ(servo.alarm(), "");
    servo.read(*table.find(RegisterRole::Id));
    EXPECT_EQ(servo.alarm(), "") << each.model;
    served.with_rig([&](BusRig& rig) {
      rig.bench().block(true);
      rig.at(0).set(*table.find(RegisterRole::TorqueEnable), 1);
      rig.at(0).set(*table.find(RegisterRole::GoalPosition), table.counts > 2000 ? 4000 : 1000);
      rig.step(3.0);
    });
    servo.read(*table.find(RegisterRole::Id));
    EXPECT_EQ(servo.alarm(), each.alarm);
  }
}

TEST(BusClient, GivesQuantitiesWithAllTheirDigits) {
  RegisterRow row;
  const auto text = [&row](const char* unit, std::int64_t value) {
    row.unit = unit;
    const auto quantity = makers_quantity(row, value);
    return quantity ? quantity->number + "|" + quantity->unit : "none";
  };
  EXPECT_EQ(text("1 pulse", 501433), "501433|pulse");
  EXPECT_EQ(text("0.229 rpm", 200), "45.8|rpm");
  EXPECT_EQ(text("0.229 rpm", -3), "-0.687|rpm");
  EXPECT_EQ(text("0.1 V", 120), "12|V");
  EXPECT_EQ(text("100 pulse/s2", 254), "25400|pulse/s2");
  EXPECT_EQ(text("0.097751711 %", 1023), "100.000000353|%");
  EXPECT_EQ(text("", 7), "none");
}

TEST(BusClient, ReadsRegisterByRegisterWhereAServoRefuses) {
  ServedRig served("XM430-W350");
  served.with_rig([](BusRig& rig) { rig.choices.registers.undefined_read_is_error = true; });
  SerialPort port(served.path(), baud_of(served));
  BusClient client(port, kDynamixel2);
  RemoteServo servo(client, 1, register_table("XM430-W350"));
  const auto values = servo.read({&servo.row("LED"), &servo.row("Status Return Level")});
  EXPECT_EQ(values[1].value, 2);
}

TEST(BusClient, GoesOnWithANewIdAndWithoutAnswers) {
  ServedRig served("XM430-W350");
  SerialPort port(served.path(), baud_of(served));
  BusClient client(port, kDynamixel2);
  RemoteServo servo(client, 1, register_table("XM430-W350"));
  servo.write(servo.row("ID"), 7);
  EXPECT_EQ(servo.id(), 7);
  EXPECT_EQ(servo.read(servo.row("ID")), 7);
  servo.write(servo.row("Status Return Level"), 1);
  servo.write(servo.row("LED"), 1);
  EXPECT_EQ(servo.read(servo.row("LED")), 1);
  servo.write(servo.row("Status Return Level"), 0);
  servo.write(servo.row("LED"), 0);
  EXPECT_TRUE(client.ping(7));  // it has obeyed before
  served.with_rig([](BusRig& rig) { EXPECT_EQ(rig.at(0).value(rig.row("LED")), 0); });
}

TEST(BusClient, IsNotHeardAtAnotherSpeed) {
  ServedRig served("XM430-W350");
  SerialPort port(served.path(), 115200.0);
  EXPECT_FALSE(BusClient(port, kDynamixel2).ping(1));
  port.set_baud(baud_of(served));
  EXPECT_TRUE(BusClient(port, kDynamixel2).ping(1));
}

TEST(SerialPort, SaysWhatIsNoPort) {
  const test::ScratchFolder folder;
  EXPECT_THROW(SerialPort(folder.file("none"), 1e6), std::runtime_error);
  EXPECT_THROW(SerialPort("/dev/null", 1e6), std::runtime_error);
  EXPECT_THROW(SerialPort("tcp:x", 1e6), std::runtime_error);
  EXPECT_THROW(SerialPort("tcp:0", 1e6), std::runtime_error);
}

// Goals of BAM's logs of an XL330 at P = 400: time [s], goal [rad].
TEST(TestTrajectory, IsThatOfPublishedLogs) {
  struct Point {
    const char* trajectory;
    double time;
    double goal;
  };
  const Point points[] = {
      {"sin_sin", 0.4179, 0.9556},          {"sin_sin", 2.1308, 1.7536},
      {"sin_sin", 5.9775, -0.1882},         {"sin_time_square", 1.2785, 0.9985},
      {"sin_time_square", 5.5313, -0.7580}, {"up_and_down", 1.7322, 0.9636},
      {"up_and_down", 3.0101, 1.5708},      {"up_and_down", 4.7188, 1.3801},
      {"up_and_down", 5.9921, 1.2567},      {"lift_and_drop", 0.5784, -0.3146},
      {"lift_and_drop", 1.7600, -1.5065},
  };
  for (const Point& point : points) {
    const TestTrajectory* const trajectory = find_trajectory(point.trajectory);
    ASSERT_NE(trajectory, nullptr);
    // The time of a row is when its measurement has arrived.
    constexpr double kAfterGoal = 0.0036;
    EXPECT_NEAR(trajectory->at(point.time - kAfterGoal).goal, point.goal, 0.007)
        << point.trajectory << " " << point.time;
  }
  EXPECT_FALSE(find_trajectory("lift_and_drop")->at(2.01).is_on);
  EXPECT_EQ(find_trajectory("none"), nullptr);
}

TEST(ServoRecorder, WritesALogAndSwitchesTheTorqueOff) {
  ServedRig served("XL330-M288", 1, "XL330-M288-T");
  SerialPort port(served.path(), baud_of(served));
  const RegisterTable table = register_table("XL330-M288");
  BusClient client(port, kDynamixel2);
  RemoteServo servo(client, 1, table);
  RecordOptions options;
  options.gain = 500;
  ServoRecorder recorder(servo, options);
  constexpr TestTrajectory kShort{"short", "", 0.2, [](double t) {
                                    return bus::TrajectoryPoint{0.5 * t, t < 0.1};
                                  }};
  EXPECT_EQ(recorder.refusal(kShort), "");
  const RecordedLog log = recorder.record(kShort, [] {});
  EXPECT_EQ(log.stopped_by, "");
  EXPECT_EQ(log.gain, 500);
  ASSERT_GE(log.rows.size(), 2U);
  EXPECT_TRUE(log.rows.front().is_on);
  EXPECT_FALSE(log.rows.back().is_on);
  EXPECT_TRUE(log.rows.front().current && log.rows.front().voltage);
  EXPECT_EQ(servo.read(servo.row("Torque Enable")), 0);
  const std::string text = csv_text(log, {"motor = XL330-M288"});
  EXPECT_EQ(text.substr(0, text.find("\n0.")),
            "# motor = XL330-M288\n"
            "time,goal,position,velocity,supply_current,duty,voltage,temperature,torque");
}

TEST(ServoRecorder, CallsTheCurrentByWhatTheServoMeasures) {
  RecordedLog log;
  log.rows.emplace_back().current = 0.25;
  EXPECT_EQ(csv_text(log, {}),
            "time,goal,position,current,torque\n0.000000,0.000000,0.000000,0.25,1\n");
  log.has_supply_current = true;
  EXPECT_EQ(csv_text(log, {}),
            "time,goal,position,supply_current,torque\n0.000000,0.000000,0.000000,0.25,1\n");
}

// A part of each family's way to the position control.
struct RecorderCase {
  const char* model;
  const char* servo;
  std::vector<std::pair<const char*, std::int64_t>> before;  // registers that it finds so
  bool has_duty;
  friend void PrintTo(const RecorderCase& c, std::ostream* out) { *out << c.model; }
};

class ServoRecorders : public testing::TestWithParam<RecorderCase> {};

TEST_P(ServoRecorders, MoveAServoWithoutTorqueNowhereAndPutItsRegistersBack) {
  const RecorderCase& each = GetParam();
  ServedRig served(each.model, 1, each.servo);
  SerialPort port(served.path(), baud_of(served));
  const RegisterTable table = register_table(each.model);
  BusClient client(port, *table.protocol);
  RemoteServo servo(client, 1, table);
  for (const auto& [name, value] : each.before) {
    servo.write(servo.row(name), value);
  }
  RecordOptions options;
  options.approach = 0.05;
  ServoRecorder recorder(servo, options);
  // The servo moves in real time, so that half a second is enough on a busy machine, too.
  constexpr TestTrajectory kShort{"short", "", 0.6, [](double t) {
                                    return bus::TrajectoryPoint{-0.8 * t, t < 0.5};
                                  }};
  EXPECT_EQ(recorder.refusal(kShort), "");
  const RecordedLog log = recorder.record(kShort, [] {});
  EXPECT_EQ(log.stopped_by, "");
  ASSERT_GE(log.rows.size(), 2U);
  EXPECT_EQ(log.rows.front().duty.has_value(), each.has_duty);
  double least = 0.0;
  for (const RecordedRow& row : log.rows) {
    least = std::min(least, row.position);
  }
  EXPECT_LT(least, -0.02);
  // Its goal is the last one with torque, and the torque is off.
  EXPECT_EQ(servo.read(*table.find(RegisterRole::TorqueEnable)), 0);
  EXPECT_GE(servo.read(*table.find(RegisterRole::GoalPosition)), recorder.count_of(-0.45));
  for (const auto& [name, value] : each.before) {
    if (servo.row(name).area == RegisterArea::Eeprom) {
      EXPECT_EQ(servo.read(servo.row(name)), value) << name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Families, ServoRecorders,
    testing::Values(RecorderCase{"XM430-W350", "", {{"Operating Mode", 4}}, true},
                    RecorderCase{"XL-320", "", {{"Control Mode", 1}}, true},
                    RecorderCase{"MX-64", "", {{"Moving Speed", 1}}, true},
                    RecorderCase{"AX-12A", "", {{"Moving Speed", 1}}, true},
                    RecorderCase{
                        "STS3215", "", {{"Operating Mode", 1}, {"Goal Velocity", 1}}, true},
                    RecorderCase{"SCS0009", "", {{"Running Time", 9000}}, true},
                    RecorderCase{"PH54-200-S500", "", {{"Operating Mode", 1}}, true}),
    [](const auto& each) {
      std::string name = each.param.model;
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

TEST(ServoRecorder, RefusesAWheelAndAGoalBeyondTheLimits) {
  ServedRig served("AX-12A");
  SerialPort port(served.path(), baud_of(served));
  BusClient client(port, kDynamixel1);
  RemoteServo servo(client, 1, register_table("AX-12A"));
  servo.write(servo.row("CW Angle Limit"), 400);
  servo.write(servo.row("CCW Angle Limit"), 600);
  EXPECT_NE(ServoRecorder(servo, {}).refusal(*find_trajectory("sin_sin")).find("from 400 to 600"),
            std::string::npos);
  servo.write(servo.row("CW Angle Limit"), 0);
  servo.write(servo.row("CCW Angle Limit"), 0);
  EXPECT_THROW(ServoRecorder(servo, {}), std::invalid_argument);
}

TEST(ServoRecorder, TakesALimitOf0ForNone) {
  ServedRig served("STS3215");
  SerialPort port(served.path(), baud_of(served));
  BusClient client(port, kFeetechSts);
  RemoteServo servo(client, 1, register_table("STS3215"));
  servo.write(servo.row("Max Voltage Limit"), 0);
  servo.write(servo.row("Min Position Limit"), 0);
  servo.write(servo.row("Max Position Limit"), 0);
  RecordOptions options;
  options.zero = 4000;
  ServoRecorder recorder(servo, options);
  EXPECT_EQ(recorder.refusal(*find_trajectory("sin_sin")), "");
  int cycles = 0;
  // It goes on until it is interrupted.
  EXPECT_THROW(recorder.record(*find_trajectory("sin_sin"),
                               [&] {
                                 if (++cycles > 3) {
                                   throw std::domain_error("enough");
                                 }
                               }),
               std::domain_error);
  EXPECT_EQ(servo.read(servo.row("Torque Enable")), 0);
}

TEST(BusClient, APauseEndsWithItsCheck) {
  int calls = 0;
  EXPECT_THROW(pause_until(std::chrono::steady_clock::now() + std::chrono::hours(1),
                           [&] {
                             if (++calls == 2) {
                               throw std::domain_error("enough");
                             }
                           }),
               std::domain_error);
}

// A served rig lets a millisecond pass for each exchange, as a bus in lock-step does. The slow
// lines give a busy computer the time to be too fast.
TEST(RealTime, IsRefusedToABusWhereOnlyExchangesLetTimePass) {
  struct Case {
    const char* model;
    std::int64_t code;  // of its speed
    const char* reason;
  };
  for (const Case& each :
       {Case{"XM430-W350", 1, "'Realtime Tick' has counted"}, Case{"STS3215", 7, "sooner than"},
        Case{"AX-12A", 207, "sooner than"}, Case{"XL-320", 0, "sooner than"}}) {
    ServedRig served(each.model);
    served.with_rig(
        [&](BusRig& rig) { rig.at(0).set(*rig.table.find(RegisterRole::BaudRate), each.code); });
    SerialPort port(served.path(), baud_of(served));
    const RegisterTable table = register_table(each.model);
    BusClient client(port, *table.protocol);
    RemoteServo servo(client, 1, table);
    EXPECT_NE(real_time_fault(servo, port.baud()).find(each.reason), std::string::npos)
        << each.model << real_time_fault(servo, port.baud());
  }
}

TEST(ServoRecorder, StopsAServoThatIsHot) {
  ServedRig served("XL330-M288", 1, "XL330-M288-T");
  SerialPort port(served.path(), baud_of(served));
  BusClient client(port, kDynamixel2);
  RemoteServo servo(client, 1, register_table("XL330-M288"));
  RecordOptions options;
  options.max_temperature = 10.0;
  const RecordedLog log = ServoRecorder(servo, options).record(*find_trajectory("sin_sin"), [] {});
  EXPECT_TRUE(log.rows.empty());
  EXPECT_NE(log.stopped_by.find("above 10 °C"), std::string::npos) << log.stopped_by;
}

TEST(ServoRecorder, RefusesAMovementWithoutRoom) {
  ServedRig served("XL330-M288", 1, "XL330-M288-T");
  SerialPort port(served.path(), baud_of(served));
  BusClient client(port, kDynamixel2);
  RemoteServo servo(client, 1, register_table("XL330-M288"));
  RecordOptions options;
  options.zero = 100;
  EXPECT_NE(ServoRecorder(servo, options).refusal(*find_trajectory("sin_sin")), "");
}

}  // namespace bus_client_test

}  // namespace
}  // namespace servosim::bus
