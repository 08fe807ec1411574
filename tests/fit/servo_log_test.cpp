// SPDX-License-Identifier: Apache-2.0
#include "fit/servo_log.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "fit/bench_options.h"
#include "run/test_support.h"

namespace servosim::test {
namespace servo_log_test {

constexpr double kDegree = std::numbers::pi / 180.0;

class Logs : public testing::Test {
 protected:
  // A CSV of 30 rows, 20 ms apart.
  static std::string csv(const std::string& header, const std::string& row_format,
                         const std::string& before = "") {
    std::string text = before + header + "\n";
    for (int i = 0; i < 30; ++i) {
      text +=
          fmt::format(fmt::runtime(row_format), 0.02 * i, 0.5 + 0.01 * i, 0.4 + 0.01 * i) + "\n";
    }
    return text;
  }
  ServoLog read(const std::string& name, const std::string& text, const std::string& columns = "") {
    LogFormat format;
    if (!columns.empty()) {
      format.columns = parse_log_columns(columns);
    }
    return read_servo_log(folder.write(name, text), format);
  }
  // The message of a log that is refused, without its folder.
  std::string refused(const std::string& text, const std::string& columns = "",
                      const std::string& name = "log.csv") {
    try {
      read(name, text, columns);
    } catch (const std::invalid_argument& error) {
      const std::string what = error.what();
      EXPECT_EQ(what.find('\n'), what.npos) << what;
      return what.substr(what.find(name));
    }
    ADD_FAILURE() << "the log is accepted";
    return {};
  }

  TempFolder folder;
};

TEST_F(Logs, CsvWithUsualNames) {
  const ServoLog log = read("log.csv", csv("time,goal,position", "{},{},{}"));
  ASSERT_EQ(log.samples.size(), 30u);
  EXPECT_DOUBLE_EQ(log.samples[3].time, 0.06);
  EXPECT_DOUBLE_EQ(log.samples[3].goal, 0.53);
  EXPECT_DOUBLE_EQ(log.samples[3].position, 0.43);
  EXPECT_TRUE(log.samples[3].on);
  EXPECT_TRUE(std::isnan(log.samples[3].current));
  EXPECT_TRUE(log.warnings.empty());
}

TEST_F(Logs, CsvWithNamedColumnsAndUnits) {
  const ServoLog log = read(
      "log.csv",
      csv("ms;other;\"cmd\";pos;mA;en", "{0};x;{1};{2};120;{0}", "# motor = XL330\n# kp = 400\n\n"),
      "time=ms[ms], goal=\"cmd\"[deg], position=pos[deg], current=mA[mA]");
  EXPECT_DOUBLE_EQ(log.samples[3].time, 0.06e-3);
  EXPECT_DOUBLE_EQ(log.samples[3].position, 0.43 * kDegree);
  EXPECT_DOUBLE_EQ(log.samples[3].current, 0.12);
  EXPECT_DOUBLE_EQ(log.numbers.at("kp"), 400.0);
  EXPECT_EQ(log.words.at("motor"), "XL330");
}

TEST_F(Logs, UnitsInNamesOfColumns) {
  const ServoLog log = read("log.csv", csv("t [s],cmd_deg,Position [deg]", "{},{},{}"));
  EXPECT_DOUBLE_EQ(log.samples[3].goal, 0.53 * kDegree);
  EXPECT_DOUBLE_EQ(log.samples[3].position, 0.43 * kDegree);
}

TEST_F(Logs, JsonOfBamsForm) {
  std::string text = R"({"kp": 32, "motor": "sts", "entries": [)";
  for (int i = 0; i < 25; ++i) {
    text += fmt::format(
        R"({}{{"timestamp": {}, "goal_position": 0.3, "position": {}, "input_volts": 7.3, "torque_enable": {}}})",
        i > 0 ? "," : "", 0.02 * i, 0.01 * i, i < 10);
  }
  const ServoLog log = read("log.json", text + "]}");
  EXPECT_EQ(log.samples.size(), 25u);
  EXPECT_TRUE(log.samples[9].on);
  EXPECT_FALSE(log.samples[10].on);
  EXPECT_DOUBLE_EQ(log.samples[10].voltage, 7.3);
  EXPECT_DOUBLE_EQ(log.numbers.at("kp"), 32.0);
}

TEST_F(Logs, JsonLines) {
  std::string text = "{\"header\": {\"kp\": 7}}\n";
  for (int i = 0; i < 25; ++i) {
    text += fmt::format("{{\"time\": {}, \"goal\": 0.3, \"position\": {}}}\n", 0.02 * i, 0.01 * i);
  }
  const ServoLog log = read("log.jsonl", text);
  EXPECT_EQ(log.samples.size(), 25u);
  EXPECT_DOUBLE_EQ(log.numbers.at("kp"), 7.0);
}

TEST_F(Logs, TraceHasItsGoalsOneRowLater) {
  const std::string text =
      csv("time [s],arm/elbow position [rad],arm/elbow target [rad],arm/elbow velocity [rad/s],"
          "arm/elbow current [A],arm/elbow voltage [V]",
          "{0},{2},{1},0.5,0.2,7.1");
  const ServoLog log = read("log.csv", text);
  EXPECT_DOUBLE_EQ(log.samples[3].position, 0.43);
  EXPECT_DOUBLE_EQ(log.samples[3].goal, 0.54);  // of the step that leads to the next row
  EXPECT_EQ(log.words.at("joint"), "arm/elbow");
  EXPECT_EQ(log.samples[3].current, 0.2);
  EXPECT_EQ(log.samples[3].voltage, 7.1);
  EXPECT_EQ(log.type, JointType::Rotational);
  EXPECT_EQ(
      read("log.csv", csv("time [s],arm/lift position [m],arm/lift target [m]", "{0},{2},{1}"))
          .type,
      JointType::Linear);
}

TEST_F(Logs, OfASliderAreInMetres) {
  const ServoLog log =
      read("log.csv", csv("t,x,y", "{},{},{}"), "time=t, goal=x[mm], position=y[m]");
  EXPECT_EQ(log.type, JointType::Linear);
  EXPECT_DOUBLE_EQ(log.samples[3].goal, 0.53e-3);
  EXPECT_DOUBLE_EQ(log.samples[3].position, 0.43);
  EXPECT_EQ(read("log.csv", csv("t,x,y", "{},{},{}"), "time=t, goal=x, position=y").type,
            std::nullopt);
  EXPECT_NO_THROW(check_type(log, "lift", JointType::Linear));
  EXPECT_THROW(check_type(log, "elbow", JointType::Rotational), std::invalid_argument);
}

TEST_F(Logs, FindTheStepOfTheEncoder) {
  std::string text = "time,goal,position\n";
  for (int i = 0; i < 200; ++i) {
    text += fmt::format("{},0,{}\n", 0.01 * i, 0.0015 * std::round(20.0 * std::sin(0.05 * i)));
  }
  EXPECT_NEAR(read("log.csv", text).quantum, 0.0015, 1e-12);
  EXPECT_EQ(read("fine.csv", csv("time,goal,position", "{},{},{}")).quantum, 0.0);
}

TEST_F(Logs, RefuseWhatIsNoLog) {
  EXPECT_EQ(refused(""),
            "log.csv: is empty; a log is CSV with a header, JSON with `entries`, or a trace");
  EXPECT_EQ(refused("{}", "", "log.json"),
            "log.json: has no list `entries`, which a log in JSON needs");
  EXPECT_NE(refused("{\"entries\": [", "", "log.json").find("log.json: is no JSON: "),
            std::string::npos);
  EXPECT_EQ(refused("time,goal,position\n0,1,2\n"),
            "log.csv: has 1 row, and at least 20 are needed");
  EXPECT_THROW(read_servo_log((folder / "none.csv"), {}), std::invalid_argument);
}

TEST_F(Logs, RefuseColumnsThatAreNotThere) {
  EXPECT_EQ(
      refused(csv("time,goal,position", "{},{},{}"), "time=time, goal=gaol, position=position"),
      "log.csv: has no column 'gaol'; there are 'goal', 'time', 'position'");
  EXPECT_EQ(
      refused(csv("time,a,position", "{},{},{}")),
      "log.csv: has no column for goal; there are 'a', 'time', 'position'; --columns 'goal=…' "
      "names it");
}

TEST_F(Logs, RefuseBadNumbersWithTheirLine) {
  const std::string good = csv("time,goal,position", "{},{},{}", "# kp = 1\n");
  const auto with = [&](const std::string& row) {
    std::string text = good;
    const std::size_t at = text.find("0.06,");
    return text.replace(at, text.find('\n', at) - at, row);
  };
  EXPECT_EQ(refused(with("0.06,0.5,abc")), "log.csv:6: position is 'abc', which is no number");
  EXPECT_EQ(refused(with("0.06,0.5,nan")),
            "log.csv:6: position is missing or not finite; leave out such rows, or repeat the last "
            "value if it still holds");
  EXPECT_EQ(
      refused(with("0.06,,0.5")),
      "log.csv:6: goal is missing or not finite; leave out such rows, or repeat the last value "
      "if it still holds");
  EXPECT_EQ(refused(with("0.06")).substr(0, 9), "log.csv:6");
  EXPECT_EQ(
      refused(with("0.01,0.5,0.5")),
      "log.csv:6: time goes back from 0.04 s to 0.01 s; a log is one recording in the order of "
      "time");
}

TEST_F(Logs, RefuseAGap) {
  std::string text = csv("time,goal,position", "{},{},{}");
  text += "1.58,0.5,0.5\n1.6,0.5,0.5\n";
  EXPECT_EQ(
      refused(text),
      "log.csv: has a gap of 1 s after 0.58 s, where rows are usually 0.02 s apart; cut the log "
      "there into two files");
}

TEST_F(Logs, RefuseATorqueThatIsNoSwitch) {
  EXPECT_EQ(
      refused(csv("time,goal,position,torque", "{},{},{},0.3")),
      "log.csv: torque is a switch, 1 while the torque is on and 0 while it is off; a measured "
      "torque is effort");
}

TEST_F(Logs, SuspectDegreesThatAreReadAsRadians) {
  std::string text = "time,goal,position\n";
  for (int i = 0; i < 30; ++i) {
    text += fmt::format("{},{},{}\n", 0.02 * i, 0.03 * i, 1.5 * i);
  }
  const ServoLog log = read("log.csv", text);
  ASSERT_EQ(log.warnings.size(), 2u);
  EXPECT_EQ(log.warnings[0],
            "position reaches 43.5 rad, more than a turn: is it in degrees? --columns "
            "'position=position[deg]' says so");
  EXPECT_EQ(log.warnings[1],
            "goal covers 0.87 rad and position 43.5 rad: is position in degrees? --columns "
            "'position=position[deg]' says so");
  EXPECT_TRUE(
      read("log.csv", text, "time=time, goal=goal, position=position[deg]").warnings.empty());
}

TEST_F(Logs, SuspectTheGoalIfItAloneIsInDegrees) {
  std::string text = "t,cmd,q\n";
  for (int i = 0; i < 30; ++i) {
    text += fmt::format("{},{},{}\n", 0.02 * i, 0.2 * i, 0.0035 * i);
  }
  const ServoLog log = read("log.csv", text, "time=t, goal=cmd, position=q");
  ASSERT_EQ(log.warnings.size(), 1u);
  EXPECT_EQ(log.warnings[0],
            "goal covers 5.8 rad and position 0.102 rad: is goal in degrees? --columns "
            "'goal=cmd[deg]' says so");
}

TEST_F(Logs, SayThatTheTorqueIsAlwaysOff) {
  std::string text = "time,goal,position,torque\n";
  for (int i = 0; i < 30; ++i) {
    text += fmt::format("{},0.3,{},{}\n", 0.02 * i, 0.01 * i, 0);
  }
  const ServoLog log = read("log.csv", text);
  ASSERT_EQ(log.warnings.size(), 1u);
  EXPECT_EQ(log.warnings[0],
            "its torque is always off, so that it says nothing of the motor and the gains");
}

TEST_F(Logs, SayWhereJsonHasANumberThatItLacks) {
  const std::string first = "{\"timestamp\": 0, \"goal_position\": 1, \"position\": 0}";
  for (const char* word : {"NaN", "Infinity", "-Infinity"}) {
    const std::string second =
        fmt::format("{{\"timestamp\": 1, \"position\": {}, \"goal_position\": 1}}", word);
    EXPECT_EQ(
        refused(fmt::format("{{\"kp\": 3, \"entries\": [\n{},\n{}]}}", first, second), "",
                "log.json"),
        fmt::format("log.json: entry 2: position is {}, which JSON does not have; write null, "
                    "or leave it out",
                    word));
    EXPECT_EQ(refused(first + '\n' + second, "", "log.json"),
              fmt::format("log.json:2: position is {}, which JSON does not have; write null, or "
                          "leave it out",
                          word));
  }
}

TEST_F(Logs, SuspectMillivoltsThatAreReadAsVolts) {
  std::string text = "# vin = 7400\ntime,goal,position,u\n";
  for (int i = 0; i < 30; ++i) {
    text += fmt::format("{},{},{},7390\n", 0.02 * i, 0.03 * i, 0.03 * i);
  }
  const std::string columns = "time=time, goal=goal, position=position, voltage=u";
  const ServoLog log = read("log.csv", text, columns);
  ASSERT_EQ(log.warnings.size(), 2u);
  EXPECT_EQ(log.warnings[0],
            "voltage reaches 7390 V: is it in mV? --columns 'voltage=u[mV]' says so");
  EXPECT_EQ(log.warnings[1], "its vin is 7400 V: is it in mV? It is in V; --supply V says it");
  EXPECT_EQ(read("log.csv", text, columns + "[mV]").warnings.size(), 1u);
}

TEST_F(Logs, RefuseRowsThatAreSecondsApart) {
  for (const int ms : {1'000'000, 20'000'000}) {  // in µs and in ns
    std::string text = "t,goal,position\n";
    for (int i = 0; i < 30; ++i) {
      text += fmt::format("{},0.3,{}\n", 1LL * ms * i, 0.01 * i);
    }
    EXPECT_NE(refused(text).find("s apart, and a log of a servo has several each second; if its "
                                 "time is in ms, us or ns, --columns 'time=t[ms]' says so"),
              std::string::npos);
    EXPECT_DOUBLE_EQ(
        read("log.csv", text, "time=t[ns], goal=goal, position=position").samples[1].time,
        1e-9 * ms);
  }
}

TEST_F(Logs, SuspectVelocities) {
  std::string text = "time,goal,position,velocity\n";
  for (int i = 0; i < 30; ++i) {
    text += fmt::format("{},0.3,{},{}\n", 0.02 * i, 0.01 * i, 28.6);
  }
  const std::vector<std::string> warnings = read("log.csv", text).warnings;
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("velocity is "), std::string::npos);
}

TEST_F(Logs, SuspectAPositionThatMovesAgainstItsGoal) {
  EXPECT_TRUE(read("log.csv", csv("time,goal,position", "{0},{1},{2}")).warnings.empty());
  const std::vector<std::string> warnings =
      read("log.csv", csv("time,goal,position", "{0},{1},-{2}")).warnings;
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].find("position moves against the goal (their correlation is -1.00)"), 0u)
      << warnings[0];
}

TEST_F(Logs, RefuseUnitsThatAQuantityDoesNotHave) {
  EXPECT_EQ(
      refused(csv("time [s],goal [counts],position", "{},{},{}")),
      "log.csv: column 'goal [counts]': goal has no unit 'counts'; its units are rad, "
      "radians, deg, degrees, °, turn, m, mm; --columns 'goal=…' names another column or unit");
  const ServoLog log =
      read("log.csv", csv("t [sec],goal [radians],position [degrees]", "{},{},{}"));
  EXPECT_DOUBLE_EQ(log.samples[3].goal, 0.53);
  EXPECT_DOUBLE_EQ(log.samples[3].position, 0.43 * kDegree);
}

TEST_F(Logs, KnowTheirSpeedAndWhetherAnythingMoves) {
  const ServoLog log = read("log.csv", csv("time,goal,position", "{},{},{}"));
  EXPECT_NEAR(top_speed(log), 0.5, 1e-9);
  EXPECT_TRUE(moves(log));
  EXPECT_FALSE(moves(read("still.csv", csv("time,goal,position", "{},0.3,0.3"))));
  // A goal tells nothing without a position that follows it.
  const ServoLog stuck = read("stuck.csv", csv("time,goal,position", "{},{},0.3"));
  EXPECT_FALSE(moves(stuck));
  EXPECT_TRUE(goal_moves(stuck));
}

TEST_F(Logs, CsvMayBeginAsATrace) {
  const ServoLog log = read("log.csv", csv("time [s],goal [deg],pos [deg]", "{},{},{}"));
  EXPECT_DOUBLE_EQ(log.samples[3].goal, 0.53 * kDegree);
}

TEST_F(Logs, HeadersHaveUnitsAndRemarks) {
  const std::string rows = csv("time,goal,position", "{},{},{}");
  const ServoLog log = read(
      "log.csv", "# vin = 7.4 V\n# kp = 400 (P)\n# mass = 490g\n# length = 10 cm (rod)\n" + rows);
  EXPECT_DOUBLE_EQ(log.numbers.at("vin"), 7.4);
  EXPECT_DOUBLE_EQ(log.numbers.at("kp"), 400.0);
  EXPECT_DOUBLE_EQ(log.numbers.at("mass"), 0.49);
  EXPECT_DOUBLE_EQ(log.numbers.at("length"), 0.1);
  EXPECT_EQ(refused("# kp = 400\n# vin = 7.4 A\n" + rows),
            "log.csv:2: vin is '7.4 A'; it is a number, perhaps with a unit: V, mV");
  EXPECT_EQ(refused("# kp = high\n" + rows), "log.csv:1: kp is 'high'; it is a number");
  EXPECT_EQ(refused(R"({"vin": "12 bar", "entries": []})", "", "log.json"),
            "log.json: vin is '12 bar'; it is a number, perhaps with a unit: V, mV");
  EXPECT_EQ(refused(R"({"kp": [1], "entries": []})", "", "log.json"), "log.json: kp is no number");
}

TEST_F(Logs, NameTheFileOfANumberThatIsTooLarge) {
  EXPECT_NE(refused(R"({"entries": [{"time": 1e999}]})", "", "log.json").find("1e999"),
            std::string::npos);
  EXPECT_EQ(refused("{\"header\": {}}\n{\"time\": 1e999}\n", "", "log.jsonl").substr(0, 12),
            "log.jsonl:2:");
}

TEST_F(Logs, LeaveOutRowsWithTheSameTime) {
  const ServoLog log = read("log.csv", csv("time,goal,position", "{},{},{}") + "0.58,0.9,0.9\n");
  EXPECT_EQ(log.samples.size(), 30u);
  EXPECT_EQ(log.warnings.front(), "1 row has the time of the row before and is left out");
}

TEST(LogColumns, SayWhatIsWrong) {
  const auto wrong = [](const char* text) {
    try {
      parse_log_columns(text);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(wrong("time"),
            "--columns: 'time' is not of the form quantity=column[unit], such as goal=cmd[deg]");
  EXPECT_EQ(wrong("time=t,time=u"), "--columns: time has two columns");
  EXPECT_EQ(wrong("goal=g[km]"),
            "--columns: goal has no unit 'km'; its units are rad, radians, deg, degrees, °, turn, "
            "m, mm");
  EXPECT_EQ(wrong("gaol=g").substr(0, 38), "--columns: a log has no quantity 'gaol");
  EXPECT_EQ(wrong(" , "), "--columns: it names no column; such as 'time=t, goal=cmd[deg]'");
  EXPECT_EQ(wrong("goal=[deg]"), "--columns: 'goal=[deg]' names no column of the file");
  const auto columns = parse_log_columns("goal=\"a, b [x]\"[deg]");
  EXPECT_EQ(columns.front().name, "a, b [x]");
  EXPECT_DOUBLE_EQ(columns.front().scale, kDegree);
}

TEST(BenchOptions, ReadRigsAndGains) {
  BenchOptions options;
  read_pendulum("pendulum:mass=0.49, length=0.1,rod=0.02", options);
  read_gains("kp=400", options);
  EXPECT_DOUBLE_EQ(*options.mass, 0.49);
  EXPECT_DOUBLE_EQ(*options.rod, 0.02);
  EXPECT_DOUBLE_EQ(*options.p, 400.0);
  EXPECT_FALSE(options.i);
  EXPECT_THROW(read_pendulum("pendulum:mas=0.49", options), std::invalid_argument);
  EXPECT_THROW(read_pendulum("pendulum:mass=x", options), std::invalid_argument);
  EXPECT_THROW(read_gains("kp=-1", options), std::invalid_argument);
  EXPECT_TRUE(is_pendulum("pendulum"));
  EXPECT_FALSE(is_pendulum("pendulum.wbt"));
}

TEST(BenchOptions, ComeBeforeTheHeaderOfALog) {
  ServoLog log;
  log.path = "log.csv";
  log.numbers = {{"kp", 100.0}, {"vin", 7.4}, {"mass", 0.5}, {"arm_mass", 0.03}};
  BenchOptions options;
  EXPECT_THROW(bench_log(log, options), std::invalid_argument);  // no length
  options.length = 0.2;
  options.p = 300.0;
  const BenchLog bench = bench_log(log, options);
  EXPECT_DOUBLE_EQ(bench.settings.p, 300.0);
  EXPECT_DOUBLE_EQ(bench.settings.supply, 7.4);
  EXPECT_TRUE(std::isnan(bench.settings.d));
  log.numbers.erase("vin");
  EXPECT_TRUE(std::isnan(settings_of(log, options).supply));
  log.samples.resize(2);
  log.samples[0].voltage = 7.0;
  log.samples[1].voltage = 7.2;
  EXPECT_DOUBLE_EQ(settings_of(log, options).supply, 7.1);
  EXPECT_DOUBLE_EQ(bench.rig.inertia(), (0.5 + 0.01) * 0.04);
  EXPECT_DOUBLE_EQ(bench.rig.weight(), 0.515 * 9.80665 * 0.2);
}

}  // namespace servo_log_test
}  // namespace servosim::test
