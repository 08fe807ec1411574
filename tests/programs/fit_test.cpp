// SPDX-License-Identifier: Apache-2.0
// Tests servosim fit from outside.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
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
  const Done by_name = fit({"--check", "XL330-M288-T/m6", sines, "--json"});
  ASSERT_EQ(by_name.status, 0) << by_name.err;
  EXPECT_EQ(json::parse(by_name.out)["servo"], "XL330-M288-T/m6");
  const double published = json::parse(by_name.out)["mean_error_deg"];
  EXPECT_GT(published, 0.1);
  EXPECT_LT(published, 10.0);
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
  std::vector<std::string> arguments{sines, "--keep", sts, "--report", file("page.html")};
  arguments.insert(arguments.end(), quick.begin(), quick.end());
  const Done fitted = fit(arguments);
  ASSERT_EQ(fitted.status, 0) << fitted.err;
  const std::string page = test::read_text(file("page.html"));
  EXPECT_TRUE(page.starts_with("<!DOCTYPE html>"));
  for (const char* part : {"<svg", "kept back", "the way of the searches", "torque and speed",
                           "drive.torque_constant", "</html>"}) {
    EXPECT_TRUE(contains(page, part)) << part;
  }
  EXPECT_TRUE(contains(fitted.out, "written: " + file("page.html") + "\n")) << fitted.out;
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
      {{sines, "--check", "XL331"}, "XL331"},
      {{sines, "--check", file("none.toml"), "--free", "x"}, "--free is for a fit"},
      {{sines, "--check", servo, "--starts", "2"}, "--starts is for a fit"},
      {{sines, "--proto-path", "."}, "--proto-path is for a world"},
      {{sines, "--assets", folder.path().string()}, "--assets is for a world"},
      {{sines, "--allow-missing=protos"}, "--allow-missing is for a world"},
      {{sines, "--accuracy=1e-4"}, "--evaluations and --accuracy are for a world as --rig"},
      {{sines, "--keep", sines}, "is fitted, so that it cannot be kept back; name another log"},
      {{sines, logs + "../servo_logs/xl330_kp100_sin_sin.json"}, "is named twice"},
      {{sts, "--keep", sines, sines}, "is named twice"},
      {{sines, "--report", file("page.pdf")}, "page.pdf' is written as .html"},
      {{sines, "-o", file("mine.txt")}, "mine.txt' is written as .toml"},
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

TEST_F(FitProgram, WarnsOfAMassInGrams) {
  std::vector<std::string> arguments{sines, "--rig", "pendulum:mass=490,length=0.1"};
  std::vector<std::string> check = arguments;
  check.insert(check.end(), {"--check", servo});
  arguments.insert(arguments.end(), quick.begin(), quick.end());
  for (const std::vector<std::string>& each : {arguments, check}) {
    const Done result = fit(each);
    EXPECT_EQ(result.status, 0);
    EXPECT_TRUE(contains(result.err, "is its mass of 490 in g")) << result.err;
  }
}

TEST_F(FitProgram, ACheckWarnsOfASupplyThatTheServoEndsItsTorqueAt) {
  const Done result = fit({"--check", servo, sines, "--supply", "7.4"});
  EXPECT_EQ(result.status, 0);
  EXPECT_TRUE(contains(result.err, "its supply has 7.4 V, where " + servo + " ends its torque"))
      << result.err;
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
  const std::string world = folder.write("arm.wbt", "Robot { }\n");
  for (const auto& arguments : std::vector<std::vector<std::string>>{
           {copy, "-o", copy},
           {sines, "--keep", copy, "--report", copy},
           {sines, "--servo", start, "-o", file("./start.toml")},
           {sines, "-o", file("same"), "--report", file("same")},
           {sines, "--apply", world + ":arm/a", "--report", world},
           {sines, "--apply", world + ":arm/a", "-o", file("./arm.wbt")}}) {
    const Done result = fit(arguments);
    EXPECT_EQ(result.status, 2);
    EXPECT_TRUE(contains(result.err, "would be overwritten")) << result.err;
  }
  EXPECT_EQ(test::read_text(copy), test::read_text(sines));
  EXPECT_EQ(test::read_text(world), "Robot { }\n");
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

// An old world with a comment and two motors; the second one is a servo with a gain.
class FitIntoWorld : public FitProgram {
 protected:
  static std::string text(const std::string& first, const std::string& second) {
    return "#VRML_SIM V8.5.0 utf8\nWorldInfo { }\n# The arm.\nRobot {\n  name \"arm\"\n  children "
           "[\n" +
           joint("shoulder", first) + joint("elbow", second) +
           "    HingeJoint {\n      device [ PositionSensor { name \"free\" } ]\n"
           "      endPoint Solid { name \"c\" physics Physics { } }\n    }\n  ]\n}\n";
  }
  static std::string joint(const std::string& name, const std::string& line) {
    return "    HingeJoint {\n      device [\n        RotationalMotor {\n" + line +
           "          name \"" + name +
           "\"  # by hand\n        }\n      ]\n      endPoint Solid {\n        name \"" + name +
           "\"\n        boundingObject Sphere { radius 0.05 }\n        physics Physics { }\n      "
           "}\n"
           "    }\n";
  }
  Done apply(const std::string& target, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{sines, "--apply", target};
    arguments.insert(arguments.end(), more.begin(), more.end());
    arguments.insert(arguments.end(), quick.begin(), quick.end());
    return fit(arguments);
  }

  const std::string before = text("", "          #servosim servo \"STS3215 firmware.p=16\"\n");
  const std::string world = folder.write("worlds/arm.wbt", before);
};

TEST_F(FitIntoWorld, WritesOneLineWithTheNameOfTheFile) {
  const Done done = apply(world + ":arm/shoulder", {"-o", file("worlds/mine.toml"), "--json"});
  ASSERT_EQ(done.status, 0) << done.err;
  EXPECT_EQ(test::read_text(world), text("          #servosim servo \"mine\"\n",
                                         "          #servosim servo \"STS3215 firmware.p=16\"\n"));
  const json applied = json::parse(done.out)["applied"];
  EXPECT_EQ(applied["joint"], "arm/shoulder");
  EXPECT_EQ(applied["line"], 10);
  EXPECT_EQ(applied["servo"], "mine");
  EXPECT_TRUE(applied["before"].is_null());
}

TEST_F(FitIntoWorld, WarnsIfTheWorldThenNeedsServoPath) {
  folder.write("servos/other.txt", "");
  const Done done = apply(world + ":arm/shoulder",
                          {"-o", file("servos/mine.toml"), "--servo-path", file("servos")});
  ASSERT_EQ(done.status, 0) << done.err;
  EXPECT_TRUE(contains(done.err, "arm.wbt: finds this servo only by --servo-path")) << done.err;
  const Done beside = apply(world + ":arm/shoulder",
                            {"-o", file("worlds/here.toml"), "--servo-path", file("servos")});
  ASSERT_EQ(beside.status, 0) << beside.err;
  EXPECT_FALSE(contains(beside.err, "--servo-path")) << beside.err;
}

TEST_F(FitIntoWorld, WritesTheNumbersWithoutAFileAndKeepsTheGain) {
  const Done done = apply(world + ":elbow");
  ASSERT_EQ(done.status, 0) << done.err;
  const std::string now = test::read_text(world);
  const std::string begin = "          #servosim servo \"XL330-M288-T drive.torque_constant=";
  const std::size_t at = now.find(begin);
  ASSERT_NE(at, now.npos) << now;
  const std::string line = now.substr(at, now.find('\n', at) + 1 - at);
  EXPECT_EQ(now, text("", line));
  EXPECT_TRUE(contains(line, " firmware.p=16")) << line;
  EXPECT_TRUE(contains(done.out, "of arm/elbow is the servo \"XL330-M288-T ")) << done.out;
  EXPECT_TRUE(contains(done.out, ", and was \"STS3215 firmware.p=16\"\n")) << done.out;
  Program info({"info", world});
  EXPECT_EQ(info.finish(), 0) << info.err();
  EXPECT_TRUE(contains(info.out(), "servo XL330-M288-T drive.torque_constant=")) << info.out();
}

// The rig and the target of a fit are loaded as any other world.
TEST_F(FitIntoWorld, LoadsAWorldAsItsProjectSays) {
  const auto world_with = [](const std::string& more) {
    return "#VRML_SIM R2021a utf8\nRobot {\n  name \"r\"\n  children [\n    HingeJoint {\n"
           "      device RotationalMotor { name \"a\" maxVelocity 100 maxTorque 100 }\n"
           "      endPoint Link { name \"a\" }\n    }\n  ]\n}\n" +
           more;
  };
  const std::string arm = folder.write("project/worlds/arm.wbt", world_with(""));
  const std::string lacking =
      folder.write("project/worlds/lacking.wbt", world_with("Nowhere { }\n"));
  folder.write("project/controllers/none/none.c", "");
  folder.write("project/lib/Link.proto",
               "#VRML_SIM R2021a utf8\nPROTO Link [ field SFString name \"l\" ] {\n  Solid { name "
               "IS name boundingObject Box { size 0.2 0.02 0.02 } physics Physics { } }\n}\n");
  const std::vector<std::string> check{"--check", servo, sines, "--json", "--joint", "r/a"};
  const auto checked = [&](const std::string& rig, const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = check;
    arguments.insert(arguments.end(), {"--rig", rig});
    arguments.insert(arguments.end(), more.begin(), more.end());
    return fit(arguments);
  };
  const Done lost = apply(arm + ":r/a");
  EXPECT_EQ(lost.status, 2);
  EXPECT_TRUE(contains(lost.err, "PROTO 'Link'")) << lost.err;

  folder.write("project/servosim.toml", "proto_path = [\"lib\"]\n");
  const Done whole = checked(arm);
  ASSERT_EQ(whole.status, 0) << whole.err;
  EXPECT_TRUE(json::parse(whole.out)["complete"]);
  const Done incomplete = checked(lacking);
  ASSERT_EQ(incomplete.status, 3) << incomplete.err;
  EXPECT_EQ(json::parse(incomplete.out)["missing"].size(), 1u) << incomplete.out;
  EXPECT_EQ(checked(lacking, {"--allow-missing=protos"}).status, 0);
  const Done applied = apply(arm + ":r/a");
  EXPECT_EQ(applied.status, 0) << applied.err;
  EXPECT_TRUE(contains(test::read_text(arm), "#servosim servo")) << test::read_text(arm);
}

TEST_F(FitIntoWorld, LeavesAWorldThatItCannotChange) {
  const std::string used = folder.write("worlds/used.wbt",
                                        "#VRML_SIM R2025a utf8\nRobot {\n  name \"r\"\n  children "
                                        "[\n    HingeJoint {\n      device DEF M "
                                        "RotationalMotor { name \"a\" }\n      endPoint Solid { "
                                        "name \"a\" physics Physics { } }\n    }\n"
                                        "    HingeJoint {\n      device USE M\n      endPoint "
                                        "Solid { name \"b\" physics Physics { } }\n"
                                        "    }\n  ]\n}\n");
  const std::string bare = folder.write(
      "worlds/bare.wbt",
      "#VRML_SIM R2025a utf8\nRobot {\n  name \"r\"\n  children [\n    HingeJoint {\n      device "
      "RotationalMotor { name \"a\" }\n      endPoint Solid { name \"a\" }\n    }\n  ]\n}\n");
  const std::string fixed = folder.write("worlds/fixed.wbt", before);
  std::filesystem::permissions(fixed, std::filesystem::perms::owner_read);
  folder.write("other/worlds/arm.wbt", before);
  folder.write("other/controllers/none/none.c", "");
  folder.write("other/servosim.toml", "[servo.\"arm/*\"]\nmodel = \"STS3250\"\n");
  const struct {
    std::string target;
    std::vector<std::string> more;
    const char* message;
  } kWrong[]{
      {world, {}, "is not of the form WORLD.wbt:robot/joint"},
      {file("worlds/arn.wbt") + ":elbow", {}, "did you mean"},
      {world + ":arm/sholder", {}, "arm/shoulder"},
      {world + ":arm/free", {}, "has no motor"},
      {world + ":elbow", {"-o", file("mine.toml")}, "does not find"},
      {world + ":elbow", {"-o", file("worlds/my servo.toml")}, "without blanks and quotes"},
      {used + ":r/a", {}, "by USE"},
      {bare + ":r/a", {}, "the endPoint of its joint has no Physics"},
      {fixed + ":elbow", {}, "is read-only"},
      {file("other/worlds/arm.wbt") + ":elbow", {}, "has precedence over a line of the world"},
  };
  for (const auto& wrong : kWrong) {
    const std::string path = wrong.target.substr(0, wrong.target.find(".wbt") + 4);
    const std::string text = std::filesystem::exists(path) ? test::read_text(path) : "";
    const Done done = apply(wrong.target, wrong.more);
    EXPECT_EQ(done.status, 2) << wrong.message << done.out;
    EXPECT_TRUE(contains(done.err, wrong.message)) << done.err;
    EXPECT_EQ(std::count(done.err.begin(), done.err.end(), '\n'), 1) << done.err;
    EXPECT_EQ(done.out, "");
    EXPECT_EQ(std::filesystem::exists(path) ? test::read_text(path) : "", text);
  }
}

}  // namespace fit_program_test
}  // namespace servosim
