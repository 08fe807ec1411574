// SPDX-License-Identifier: Apache-2.0
// Tests servosim fit from outside.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "programs/program.h"

namespace servosim {
namespace fit_program_test {

using nlohmann::json;
using test::contains;
using test::Program;
using test::TempFolder;

struct Done {
  int status;
  std::string out;
  std::string err;
};

class FitProgram : public testing::Test {
 protected:
  static Done fit(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "fit");
    Program program(std::move(arguments));
    const int status = program.finish();
    return {status, program.out(), program.err()};
  }
  std::string file(const std::string& name) const { return folder.path().string() + "/" + name; }

  const std::string logs = std::string(SERVOSIM_SOURCE_DIR) + "/tests/data/servo_logs/";
  const std::string sines = logs + "xl330_kp100_sin_sin.json";
  const std::string lifted = logs + "xl330_kp400_lift_and_drop.csv";
  const std::string sts = logs + "sts3250_kp32_lift_and_drop.json";
  const std::string servo = std::string(SERVOSIM_SOURCE_DIR) + "/servos/XL330-M288-T.toml";
  const std::vector<std::string> quick{"--models", "M1", "--starts", "1", "--generations", "20"};
  TempFolder folder;
};

TEST_F(FitProgram, WritesAServoThatCheckReadsWithTheSameErrors) {
  std::vector<std::string> arguments{sines, "--keep", sts, "-o", file("mine.toml"), "--json"};
  arguments.insert(arguments.end(), quick.begin(), quick.end());
  const Done fitted = fit(arguments);
  ASSERT_EQ(fitted.status, 0) << fitted.err;
  const json result = json::parse(fitted.out);
  EXPECT_EQ(result["servo"], "XL330-M288-T");
  EXPECT_EQ(result["logs"].size(), 2u);
  EXPECT_FALSE(result["logs"][0]["kept"]);
  EXPECT_TRUE(result["logs"][1]["kept"]);
  EXPECT_LT(result["mean_error_deg"], result["logs"][0]["mean_error_deg_before"]);
  EXPECT_GT(result["kept_mean_error_deg"], 1.0);  // it is another servo
  const Done checked = fit({"--check", file("mine.toml"), sines, sts, "--json"});
  ASSERT_EQ(checked.status, 0) << checked.err;
  const json scores = json::parse(checked.out);
  EXPECT_EQ(scores["schema"], "servosim-fit-check-1");
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(scores["logs"][i]["log"], i == 0 ? sines : sts);
    EXPECT_NEAR(scores["logs"][i]["mean_error_deg"].get<double>(),
                result["logs"][i]["mean_error_deg"].get<double>(), 1e-9);
  }
  // The encoder's offset belongs to the bench.
  const std::string mine = test::read_text(file("mine.toml"));
  EXPECT_FALSE(contains(mine, "\noffset = ")) << mine;
  EXPECT_TRUE(contains(mine, "[facts]\n\"encoder.offset of the bench [rad]\" = ")) << mine;
  const Done text = fit({"--check", file("mine.toml"), sines});
  EXPECT_TRUE(contains(text.out, "xl330_kp100_sin_sin.json")) << text.out;
}

TEST_F(FitProgram, ReadsNamedColumnsAndTakesRigGainAndSupply) {
  std::vector<std::string> arguments{
      lifted,
      "--servo",
      "XL330-M288-T/m1",
      "--columns",
      "time=t_ms[ms], goal=cmd_deg[deg], position=pos_deg[deg], torque=torque_on",
      "--rig",
      "pendulum:mass=0.49,length=0.1",
      "--gain",
      "kp=400",
      "--supply",
      "7.4"};
  arguments.insert(arguments.end(), quick.begin(), quick.end());
  const Done fitted = fit(arguments);
  ASSERT_EQ(fitted.status, 0) << fitted.err;
  EXPECT_TRUE(contains(fitted.err, "its supply has 7.4 V, where XL330-M288-T/m1 ends its torque"))
      << fitted.err;
  EXPECT_TRUE(contains(fitted.out, ", fitted from XL330-M288-T/m1\n")) << fitted.out;
  EXPECT_TRUE(contains(fitted.out, "drive.resistance")) << fitted.out;
}

TEST_F(FitProgram, DrawsAReport) {
  std::vector<std::string> arguments{sines, "--keep", sines, "--report", file("page.html")};
  arguments.insert(arguments.end(), quick.begin(), quick.end());
  const Done fitted = fit(arguments);
  ASSERT_EQ(fitted.status, 0) << fitted.err;
  const std::string page = test::read_text(file("page.html"));
  EXPECT_TRUE(page.starts_with("<!DOCTYPE html>"));
  for (const char* part : {"<svg", "kept back", "the way of the searches", "torque and speed",
                           "drive.torque_constant", "</html>"}) {
    EXPECT_TRUE(contains(page, part)) << part;
  }
  EXPECT_FALSE(contains(page, " src=")) << "the page needs nothing else";
}

TEST_F(FitProgram, RefusesWhatIsWrong) {
  std::string efforts = "time,goal,position,torque\n";
  for (int i = 0; i < 30; ++i) {
    efforts += fmt::format("{},0.5,{},0.3\n", 0.02 * i, 0.01 * i);
  }
  const std::string effort = folder.write("effort.csv", efforts);
  const struct {
    std::vector<std::string> arguments;
    const char* message;
  } kWrong[]{
      {{file("none.json")}, "none.json: "},
      {{sines, "--rig", "arm"}, "--rig 'arm' is no rig"},
      {{sines, "--rig", "pendulum:mas=1"}, "--rig pendulum: there is no 'mas'"},
      {{sines, "--gain", "kp"}, "--gain: 'kp' is not of the form kp=NUMBER"},
      {{sines, "--columns", "goal=goal_position"}, "has no column for time"},
      {{effort, "--servo", "XL330-M288-T"}, "torque is a switch"},
      {{sines, "--servo", "XL331"}, "XL331"},
      {{sines, "--free", "drive.resistence"}, "drive.resistence"},
      {{sines, "--free", "supply.name"}, "a fit cannot find supply.name"},
      {{sines, "--models", "M7"}, "there is no friction model 'M7'"},
      {{sines, "--models", ","}, "--models names no friction model"},
      {{sines, "--check", file("none.toml")}, "none.toml: "},
      {{sines, "--check", file("none.toml"), "--free", "x"}, "--free is for a fit"},
      {{sines, "--check", servo, "--starts", "2"}, "--starts is for a fit"},
      {{sines, "--proto-path", "."}, "--proto-path is for a world"},
      {{sines, "--joint", "elbow"}, "--joint is for a world"},
  };
  for (const auto& wrong : kWrong) {
    const Done result = fit(wrong.arguments);
    EXPECT_EQ(result.status, 2) << wrong.message;
    EXPECT_TRUE(contains(result.err, wrong.message)) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_EQ(result.out, "");
  }
}

TEST_F(FitProgram, WarnsOfDegreesReadAsRadians) {
  const Done result = fit({"--check", servo, lifted, "--columns",
                           "time=t_ms[ms], goal=cmd_deg, position=pos_deg, torque=torque_on"});
  EXPECT_EQ(result.status, 0);
  EXPECT_TRUE(contains(result.err, "is it in degrees?")) << result.err;
}

// It ends before it reads a log, which takes no time, and before a search, which takes minutes.
TEST_F(FitProgram, EndsWithOneIfItCannotWrite) {
  for (const char* option : {"-o", "--report"}) {
    const Done result = fit({file("none.json"), option, file("none/mine.toml")});
    EXPECT_EQ(result.status, 1);
    EXPECT_TRUE(contains(result.err, "cannot be written: No such file")) << result.err;
  }
}

TEST_F(FitProgram, DoesNotOverwriteWhatItReads) {
  const std::string copy = folder.write("copy.json", test::read_text(sines));
  const std::string start = folder.write("start.toml", test::read_text(servo));
  for (const auto& arguments : std::vector<std::vector<std::string>>{
           {copy, "-o", copy},
           {sines, "--keep", copy, "--report", copy},
           {sines, "--servo", start, "-o", file("./start.toml")},
           {sines, "-o", file("same"), "--report", file("same")}}) {
    const Done result = fit(arguments);
    EXPECT_EQ(result.status, 2);
    EXPECT_TRUE(contains(result.err, "would be overwritten")) << result.err;
  }
  EXPECT_EQ(test::read_text(copy), test::read_text(sines));
}

TEST_F(FitProgram, WritesANameThatCanBeRead) {
  std::vector<std::string> arguments{sines, "-o", file("a*b 'c'.toml")};
  arguments.insert(arguments.end(), quick.begin(), quick.end());
  const Done fitted = fit(arguments);
  ASSERT_EQ(fitted.status, 0) << fitted.err;
  EXPECT_EQ(fit({"--check", file("a*b 'c'.toml"), sines}).status, 0);
}

TEST_F(FitProgram, SaysWhatCountsWhereALogSaysNothing) {
  std::string rows = "time [s],goal [deg],position [deg],current [mA]\n";
  for (int i = 0; i < 60; ++i) {
    rows += fmt::format("{},{},{},5\n", 0.02 * i, 2 * i, i % 10 < 5 ? 0 : 6);
  }
  const std::string log = folder.write("bare.csv", rows);
  std::vector<std::string> arguments{log,
                                     "--servo",
                                     "XL330-M288-T",
                                     "--rig",
                                     "pendulum:mass=0.1,length=0.1",
                                     "--columns",
                                     "time=\"time [s]\", goal=\"goal [deg]\"[deg], "
                                     "position=\"position [deg]\"[rad], "
                                     "current=\"current [mA]\"[mA]"};
  arguments.insert(arguments.end(), quick.begin(), quick.end());
  const Done fitted = fit(arguments);
  ASSERT_EQ(fitted.status, 0) << fitted.err;
  for (const char* part : {"does not say its P gain; that of XL330-M288-T", "of its supply",
                           "turns at", "a fit does not use current"}) {
    EXPECT_TRUE(contains(fitted.err, part)) << part << "\n" << fitted.err;
  }
}

TEST_F(FitProgram, RefusesLogsOfDifferentServos) {
  const Done result = fit({sines, sts});
  EXPECT_EQ(result.status, 2);
  EXPECT_TRUE(contains(result.err, "a fit is of one servo")) << result.err;
}

}  // namespace fit_program_test
}  // namespace servosim
