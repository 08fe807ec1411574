// SPDX-License-Identifier: Apache-2.0
// Tests servosim sweep from outside.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "programs/program.h"
#include "support/repetitions.h"

namespace servosim {
namespace sweep_program_test {

using nlohmann::json;
using test::contains;
using test::Program;
using test::Project;
using test::TempFolder;

// A beam falls, and a motor holds it a little.
constexpr const char* kBeam = R"(#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 4 physicsDisableTime 0 }
Robot { name "lift" controller "<none>" children [
  HingeJoint {
    jointParameters HingeJointParameters { axis 0 -1 0 anchor 0 0 1 dampingConstant 0.5 position 0.3 }
    device RotationalMotor { name "motor" maxVelocity 20 maxTorque 5 }
    endPoint DEF BEAM Solid { translation 0.1477600103 0 0.5223317446 rotation 0 -1 0 0.3 name "beam"
      boundingObject Box { size 0.04 0.04 1 } physics Physics { density -1 mass 2 } } } ] }
)";

struct Done {
  int status;
  std::string out;
  std::string err;
};

Done done(std::vector<std::string> arguments) {
  Program program(std::move(arguments));
  const int status = program.finish();
  return {status, program.out(), program.err()};
}

std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream in(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) {
    lines.push_back(line);
  }
  return lines;
}

// Returns the rows of a .jsonl file by run, without the values that differ between any two sweeps.
std::map<int, json> rows_of(const std::string& path) {
  std::map<int, json> rows;
  for (const std::string& line : lines_of(path)) {
    json row = json::parse(line, nullptr, false);
    EXPECT_FALSE(row.is_discarded()) << line;
    const int run = row.value("run", -1);
    EXPECT_FALSE(rows.contains(run)) << run << " is there twice";
    row.erase("wall_time");
    rows[run] = std::move(row);
  }
  return rows;
}

class SweepProgram : public testing::Test {
 protected:
  std::vector<std::string> command(const std::string& output,
                                   std::vector<std::string> more = {}) const {
    std::vector<std::string> arguments{"sweep", world, "-o", file(output)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  Done sweep(const std::string& output, const std::vector<std::string>& more) const {
    return done(command(output, more));
  }
  std::string file(const std::string& name) const { return folder / name; }

  TempFolder folder;
  std::string world = folder.write("lift.wbt", kBeam);
};

// Expects each value of a row to equal that of the document of `run --json`.
void expect_same(const json& row, const json& run) {
  for (const char* key : {"steps", "simulated_time", "state_hash", "exit_code"}) {
    EXPECT_EQ(row.at(key), run.at(key)) << key;
  }
  std::size_t compared = 0;
  for (const json& joint : run.at("joints")) {
    const std::string name = joint.at("name");
    EXPECT_EQ(row.at(name + ".start"), joint.at("start"));
    for (const char* group : {"position", "velocity", "effort"}) {
      for (const auto& [key, value] : joint.at(group).items()) {
        EXPECT_EQ(row.at(fmt::format("{}.{}.{}", name, group, key)), value) << group << key;
        ++compared;
      }
    }
    for (const char* key : {"time", "from", "to", "rise_time", "overshoot", "settling_time"}) {
      const json& marks = joint.at("step_response");
      EXPECT_EQ(row.at(fmt::format("{}.step_response.{}", name, key)),
                marks.is_null() ? json() : marks.at(key));
    }
  }
  for (const json& robot : run.at("robots")) {
    const std::string name = robot.at("name");
    for (int axis = 0; axis < 3; ++axis) {
      EXPECT_EQ(row.at(fmt::format("{}.position.{}", name, "xyz"[axis])),
                robot.at("motion").at("position").at(axis));
    }
    EXPECT_EQ(row.at(name + ".tilt"), robot.at("motion").at("tilt"));
    EXPECT_EQ(row.at(name + ".speed"), robot.at("motion").at("speed"));
  }
  EXPECT_GE(compared, 15u);
}

TEST_F(SweepProgram, RowsAreWhatSingleRunsSay) {
  const Done result =
      sweep("x.jsonl", {"--param", "BEAM.physics.mass=1:3:3", "--param", "lift/motor.maxTorque=2,5",
                        "--seeds", "4..5", "--duration", "0.6"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out, file("x.jsonl") + ": 12 of 12 runs: 12 done\n");
  const auto rows = rows_of(file("x.jsonl"));
  ASSERT_EQ(rows.size(), 12u);
  for (const auto& [number, row] : rows) {
    const Done single =
        done({"run", world, "--json", "--duration", "0.6", "--seed", row.at("seed").dump(), "--set",
              "BEAM.physics.mass=" + row.at("BEAM.physics.mass").dump(), "--set",
              "lift/motor.maxTorque=" + row.at("lift/motor.maxTorque").dump()});
    ASSERT_EQ(single.status, 0) << single.err;
    const json run = json::parse(single.out).at("runs").at(0);
    expect_same(row, run);
    EXPECT_EQ(row.at("seed"), run.at("seed"));
  }
}

TEST_F(SweepProgram, BothKindsOfFilesHaveTheSame) {
  const std::vector<std::string> more{
      "--param", "BEAM.physics.mass=1,wrong,-4", "--duration", "0.1", "--jobs", "1"};
  EXPECT_EQ(sweep("x.csv", more).status, 2);
  EXPECT_EQ(sweep("x.jsonl", more).status, 2);
  const std::vector<std::string> csv = lines_of(file("x.csv"));
  const std::vector<std::string> jsonl = lines_of(file("x.jsonl"));
  ASSERT_EQ(csv.size(), jsonl.size() + 1);
  std::string header;
  const auto first = nlohmann::ordered_json::parse(jsonl[0]);
  for (const auto& [key, value] : first.items()) {
    header += (header.empty() ? "" : ",") + key;
  }
  EXPECT_EQ(csv[0], header);
  EXPECT_TRUE(
      csv[1].substr(csv[1].find(',', csv[1].find(',') + 1)).starts_with(",0,3,1,0,0,,25,0.1,"))
      << csv[1];
  EXPECT_TRUE(contains(csv[2],
                       ",1,3,wrong,,2,\"BEAM.physics.mass=wrong:1:19: error: expected a "
                       "number, found 'wrong'\",,,"))
      << csv[2];
  EXPECT_TRUE(contains(csv[3], ",2,3,-4,0,2,\"BEAM.physics.mass=-4:1:19: warning: mass is -4, "))
      << csv[3];
}

// The physics refuses these masses, not the field. This also holds if each run is a process.
TEST_F(SweepProgram, MassesThatAreReplacedAreBadInput) {
  folder.write_program("sleeper.sh", "#!/bin/sh\nexit 0\n");
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{}, {"--controller", "lift=" + file("sleeper.sh")}}) {
    std::vector<std::string> arguments{"--param", "BEAM.physics.mass=1e-30,2,1e-320,1e308",
                                       "--steps", "3"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const std::string name = more.empty() ? "x.jsonl" : "hosted.jsonl";
    EXPECT_EQ(sweep(name, arguments).status, 2);
    const auto rows = rows_of(file(name));
    for (const int row : {0, 2, 3}) {
      EXPECT_EQ(rows.at(row).at("exit_code"), 2) << name << ' ' << row;
      EXPECT_TRUE(contains(rows.at(row).at("message"), "cannot be simulated"))
          << name << ' ' << row;
    }
    EXPECT_EQ(rows.at(1).at("exit_code"), 0) << name;
  }
  const Done fixed =
      sweep("y.csv", {"--set", "BEAM.physics.mass=1e-30", "--seeds", "1", "--steps", "3"});
  EXPECT_EQ(fixed.status, 2);
  EXPECT_TRUE(contains(fixed.err, "a value that is set must be simulated")) << fixed.err;
}

TEST_F(SweepProgram, JobsAndShardsMakeTheSameRows) {
  const std::vector<std::string> more{"--param",    "BEAM.physics.mass=1:3:5",
                                      "--param",    "lift/motor.maxTorque=uniform(1,5)",
                                      "--samples",  "4",
                                      "--seeds",    "1..3",
                                      "--duration", "0.2"};
  const auto with = [&more](std::vector<std::string> others) {
    others.insert(others.begin(), more.begin(), more.end());
    return others;
  };
  EXPECT_EQ(sweep("one.jsonl", with({"--jobs", "1"})).status, 0);
  const auto one = rows_of(file("one.jsonl"));
  ASSERT_EQ(one.size(), 60u);
  EXPECT_EQ(sweep("four.jsonl", with({"--jobs", "4"})).status, 0);
  EXPECT_EQ(rows_of(file("four.jsonl")), one);
  std::vector<std::string> merge{"sweep", "-o", file("all.jsonl"), "--merge"};
  std::size_t parts = 0;
  for (const char* shard : {"1/7", "2/7", "3/7", "4/7", "5/7", "6/7", "7/7"}) {
    const std::string name = fmt::format("part{}.jsonl", shard[0]);
    EXPECT_EQ(sweep(name, with({"--shard", shard})).status, 0);
    merge.push_back(file(name));
    parts += rows_of(file(name)).size();
  }
  EXPECT_EQ(parts, 60u);
  const Done half = done({merge[0], merge[1], file("half.jsonl"), merge[3], merge[4], merge[7]});
  EXPECT_EQ(half.status, 0) << half.err;
  EXPECT_TRUE(contains(half.out, "half.jsonl: 18 of 60 runs: 18 done\n")) << half.out;
  EXPECT_TRUE(contains(half.err, "half.jsonl' lacks 42 of 60 runs; ")) << half.err;
  const Done merged = done(merge);
  EXPECT_EQ(merged.status, 0) << merged.err;
  EXPECT_EQ(merged.out, file("all.jsonl") + ": 60 of 60 runs: 60 done\n");
  EXPECT_EQ(merged.err, "");
  const Done there = done(merge);
  EXPECT_EQ(there.status, 2);
  EXPECT_TRUE(contains(there.err, "all.jsonl' is there already, and a merge makes a new file"))
      << there.err;
  EXPECT_EQ(rows_of(file("all.jsonl")), one);
  const Done again = sweep("all.jsonl", with({"--resume"}));
  EXPECT_EQ(again.status, 0);
  EXPECT_EQ(rows_of(file("all.jsonl")), one);
}

// A sweep that is killed at any moment and resumed has the rows of a sweep that was not killed.
TEST_F(SweepProgram, KilledAtAnyTimeItGoesOn) {
  const std::vector<std::string> more{
      "--param", "BEAM.physics.mass=1:3:40", "--seeds", "1..5", "--duration", "20", "--jobs", "3"};
  const Done whole = sweep("whole.jsonl", more);
  ASSERT_EQ(whole.status, 0) << whole.err;
  const auto rows = rows_of(file("whole.jsonl"));
  ASSERT_EQ(rows.size(), 200u);
  std::mt19937 random(20261127);
  for (int round = 0; round < test::repetitions(4, 40); ++round) {
    const std::string name = fmt::format("killed{}.jsonl", round);
    std::size_t kills = 0;
    for (;;) {
      std::vector<std::string> arguments = command(name, more);
      arguments.push_back("--quiet");
      if (std::filesystem::exists(file(name))) {
        arguments.push_back("--resume");
      }
      Program program(arguments);
      const auto moment = std::chrono::milliseconds(20 + random() % 100);
      for (auto begin = std::chrono::steady_clock::now();
           kills < 12 && !program.over() && std::chrono::steady_clock::now() - begin < moment;) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      if (kills < 12 && !program.over()) {
        program.send_signal(SIGKILL);
        ++kills;
      }
      const int status = program.finish();
      if (status != -SIGKILL) {
        ASSERT_EQ(status, 0) << program.err();
        break;
      }
    }
    EXPECT_GE(kills, 1u);
    EXPECT_EQ(rows_of(file(name)), rows) << "round " << round << ", " << kills << " kills";
  }
}

TEST_F(SweepProgram, InterruptedItSaysHowToGoOn) {
  const std::vector<std::string> more{"--param", "BEAM.physics.mass=1:3:1000000000000", "--jobs",
                                      "2"};
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    const std::string name = fmt::format("x{}.csv", number);
    Program program(command(name, more));
    while (lines_of(file(name)).size() < 10 && !program.over()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    program.send_signal(number);
    EXPECT_EQ(program.finish(), 128 + number) << program.err();
    const std::size_t rows = lines_of(file(name)).size() - 1;
    EXPECT_TRUE(
        contains(program.err(), fmt::format("interrupted; '{}' has {} of 1000000000000 runs, and "
                                            "--resume goes on",
                                            file(name), rows)))
        << program.err();
  }
}

TEST_F(SweepProgram, FailuresAreRowsAndTheExitCodeSaysSo) {
  // At this speed the second robot leaves the range that can be simulated.
  folder.write("lift.wbt", std::string(kBeam) +
                               "Robot { name \"far\" translation 9.999e8 0 0 physics Physics { } "
                               "boundingObject Sphere { } }");
  const std::vector<std::string> more{"--param", "far.linearVelocity=0 0 0,9e8 0 0", "--steps",
                                      "50"};
  const Done result = sweep("x.jsonl", more);
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.out, file("x.jsonl") + ": 2 of 2 runs: 1 done, 1 failed\n");
  EXPECT_TRUE(contains(result.err, "run 1: the simulation diverged at ")) << result.err;
  const auto rows = rows_of(file("x.jsonl"));
  EXPECT_EQ(rows.at(0).at("exit_code"), 0);
  EXPECT_EQ(rows.at(1).at("exit_code"), 1);
  std::vector<std::string> again = more;
  again.push_back("--resume");
  const Done resumed = sweep("x.jsonl", again);
  EXPECT_EQ(resumed.status, 1);
  EXPECT_EQ(rows_of(file("x.jsonl")), rows);
}

TEST_F(SweepProgram, SaysHowFarItIs) {
  const std::vector<std::string> more{"--param", "BEAM.physics.mass=1:3:40", "--steps", "5"};
  const Done lines = sweep("a.csv", more);
  EXPECT_TRUE(contains(lines.err, "20 of 40 runs, ")) << lines.err;
  EXPECT_TRUE(contains(lines.err, " per second, ")) << lines.err;
  Program::Setup setup;
  setup.errors = Program::Sink::Terminal;
  Program bar(command("b.csv", more), setup);
  EXPECT_EQ(bar.finish(), 0);
  EXPECT_TRUE(contains(bar.err(), "[") && contains(bar.err(), " of 40 runs, ")) << bar.err();
  std::vector<std::string> quiet = more;
  quiet.push_back("--quiet");
  const Done nothing = sweep("c.csv", quiet);
  EXPECT_EQ(nothing.err, "");
  EXPECT_EQ(nothing.out, "");
}

TEST_F(SweepProgram, BadInputHasAReason) {
  const auto expect_refusal = [&](const std::vector<std::string>& more, const std::string& reason) {
    const Done result = sweep("new.csv", more);
    EXPECT_EQ(result.status, 2) << reason;
    EXPECT_TRUE(contains(result.err, reason)) << result.err;
    EXPECT_FALSE(std::filesystem::exists(file("new.csv"))) << reason;
  };
  expect_refusal({"--param", "BEAM.physics.mas=1,2"}, "parameter 'BEAM.physics.mas': ");
  expect_refusal({"--param", "BEAM.physics.mas=1,2"}, "'mass'");
  expect_refusal({"--param", "lift/moter.maxTorque=1,2"}, "lift/motor");
  for (const char* dots : {"1..20", "0.5..2.5", "1,3..7"}) {
    const std::string parameter = std::string("BEAM.physics.mass=") + dots;
    expect_refusal({"--param", parameter}, "parameter '" + parameter + "': numbers from a to b");
    const std::string told = sweep("new.csv", {"--param", parameter}).err;
    EXPECT_EQ(std::count(told.begin(), told.end(), '\n'), 1) << told;
  }
  expect_refusal({}, "nothing varies: give parameters, a file of variants, or seeds");
  expect_refusal({"--param", "BEAM.physics.mass=1,2", "--samples", "3"}, "none is");
  expect_refusal({"--seeds", "1..3", "--shard", "4/3"},
                 "--shard: '4/3' is no part of a sweep; write 1/3, 2/3 and 3/3 for its thirds");
  expect_refusal({"--seeds", "1..3", "--shard", "0/3"}, "--shard: '0/3' is no part");
  expect_refusal({"--variants", file("none.csv")}, "--variants: ");
  expect_refusal({"--seeds", "1", "--controller", "lift=<extern>"},
                 "robot 'lift' has an extern controller, and a sweep starts none");
  expect_refusal({"--seeds", "1", "--controller", "left=x"}, "left");
  expect_refusal({"--seeds", "1", "--merge", "x.csv"}, "--merge takes files of results");
  for (const char* option : {"--duration", "--samples", "--set"}) {
    const Done refused = done({"sweep", "-o", file("new.csv"), option,
                               option[2] == 's' && option[3] == 'e' ? "BEAM.physics.mass=1" : "3",
                               "--merge", "x.csv"});
    EXPECT_EQ(refused.status, 2);
    EXPECT_TRUE(contains(refused.err, std::string("remove ") + option)) << refused.err;
  }
  expect_refusal({"--param", "BEAM.physics.mass=1,2", "--param", "lift/beam.physics.mass=7,9"},
                 "'BEAM.physics.mass' and 'lift/beam.physics.mass' are one field, given twice as a "
                 "parameter: remove one");
  expect_refusal({"--param", "BEAM.physics.mass=1,2", "--set", "lift/beam.physics.mass=7"},
                 "'lift/beam.physics.mass' and 'BEAM.physics.mass' are one field, both set for all "
                 "runs and a parameter: remove one");
  EXPECT_TRUE(contains(done({"sweep", world, "--seeds", "1"}).err, "-o FILE.csv"));
  EXPECT_TRUE(
      contains(done({"sweep", "-o", file("x.csv"), "--seeds", "1"}).err, "a world is needed"));
  EXPECT_TRUE(
      contains(done({"sweep", "-", "-o", file("x.csv"), "--seeds", "1"}).err, "standard input"));
  const Done no_world = done({"sweep", file("no.wbt"), "-o", file("x.csv"), "--seeds", "1"});
  EXPECT_EQ(no_world.status, 2);
  EXPECT_TRUE(contains(no_world.err, "no.wbt")) << no_world.err;
}

TEST_F(SweepProgram, UsesTheOptionsOfTheProject) {
  folder.write("servosim.toml", "duration = 0.2\nseed = 7\n");
  EXPECT_EQ(sweep("a.jsonl", {"--param", "BEAM.physics.mass=1,2"}).status, 0);
  const json row = rows_of(file("a.jsonl")).at(1);
  EXPECT_EQ(row.at("steps"), 50);
  EXPECT_EQ(row.at("seed"), 7);
  EXPECT_EQ(sweep("b.jsonl", {"--seeds", "1..2", "--steps", "3"}).status, 0);
  EXPECT_EQ(rows_of(file("b.jsonl")).at(1).at("steps"), 3);
  EXPECT_EQ(rows_of(file("b.jsonl")).at(1).at("seed"), 2);
  folder.write("servosim.toml", "duration = \"long\"\n");
  const Done wrong = sweep("c.jsonl", {"--seeds", "1..2"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_TRUE(contains(wrong.err, "servosim.toml:1: duration: ")) << wrong.err;
}

TEST_F(SweepProgram, ResultsOfAnotherSweepAreRefused) {
  EXPECT_EQ(sweep("x.csv", {"--seeds", "1..3", "--steps", "5"}).status, 0);
  const auto before = lines_of(file("x.csv"));
  EXPECT_TRUE(contains(sweep("x.csv", {"--seeds", "1..3", "--steps", "5"}).err, "add --resume"));
  for (const std::vector<std::string>& other :
       {std::vector<std::string>{"--seeds", "1..4", "--steps", "5", "--resume"},
        {"--seeds", "1..3", "--steps", "6", "--resume"},
        {"--param", "BEAM.physics.mass=1", "--seeds", "1..3", "--steps", "5", "--resume"}}) {
    const Done result = sweep("x.csv", other);
    EXPECT_EQ(result.status, 2);
    EXPECT_TRUE(contains(result.err, "has the results of another sweep")) << result.err;
  }
  EXPECT_EQ(lines_of(file("x.csv")), before);
}

// The identity of a sweep includes files that only a parameter names, and files that may be
// missing.
TEST_F(SweepProgram, ChangedFilesMakeAnotherSweep) {
  const auto box = [](double size) {
    std::string text;
    for (const char* corner : {"0 0 0", "1 0 0", "0 1 0", "0 0 1"}) {
      text += std::string("v ") + corner + '\n';
    }
    return text + fmt::format("v {} 1 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\nf 2 3 5\n", size);
  };
  folder.write("a.obj", box(1.0));
  folder.write("b.obj", box(1.0));
  folder.write("lift.wbt",
               std::string(kBeam) + R"(Solid { boundingObject DEF M Mesh { url "a.obj" } })");
  const std::vector<std::string> more{"--param", "M.url=\"a.obj\",\"b.obj\"", "--steps", "3"};
  const auto id = [&](const std::string& name, const std::vector<std::string>& options) {
    const Done result = sweep(name, options);
    EXPECT_EQ(result.status, 0) << result.err;
    return rows_of(file(name)).at(0).at("sweep");
  };
  const json first = id("x.jsonl", more);
  EXPECT_EQ(id("y.jsonl", more), first);
  folder.write("b.obj", box(1.5));
  EXPECT_NE(id("z.jsonl", more), first);
  std::vector<std::string> allowing = more;
  allowing.insert(allowing.end(), {"--allow-missing=protos"});
  EXPECT_NE(id("w.jsonl", allowing), id("v.jsonl", more));
}

TEST_F(SweepProgram, WhatCannotBeWrittenEndsIt) {
  std::filesystem::create_symlink("/dev/full", file("full.csv"));
  const Done full = sweep("full.csv", {"--seeds", "1..3", "--steps", "5"});
  EXPECT_EQ(full.status, 1);
  EXPECT_TRUE(contains(full.err, "full.csv' cannot be written: No space left on device"))
      << full.err;
  const Done nowhere = sweep("none/x.csv", {"--seeds", "1..3", "--steps", "5"});
  EXPECT_EQ(nowhere.status, 1);
  EXPECT_TRUE(contains(nowhere.err, "cannot be written: No such file or directory")) << nowhere.err;
}

TEST(SweepProgramWithControllers, EachRunIsAProcess) {
  const Project project("one");
  const TempFolder folder;
  const std::string results = folder / "x.jsonl";
  const std::vector<std::string> command{"sweep",        project.world(),
                                         "--controller", "arm=" + project.controller("wave"),
                                         "-o",           results,
                                         "--param",      "WorldInfo.gravity=1,9.81",
                                         "--seeds",      "1..2",
                                         "--duration",   "0.5",
                                         "--jobs",       "2"};
  const Done swept = done(command);
  ASSERT_EQ(swept.status, 0) << swept.err;
  const auto rows = rows_of(results);
  ASSERT_EQ(rows.size(), 4u);
  for (const auto& [number, row] : rows) {
    const Done single =
        done({"run", project.world(), "--json", "--controller", "arm=" + project.controller("wave"),
              "--duration", "0.5", "--seed", row.at("seed").dump(), "--set",
              "WorldInfo.gravity=" + row.at("WorldInfo.gravity").dump()});
    ASSERT_EQ(single.status, 0) << single.err;
    expect_same(row, json::parse(single.out).at("runs").at(0));
  }
}

// Returns the ids of processes whose command line contains this text.
std::vector<pid_t> processes_with(const std::string& text) {
  std::vector<pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") == std::string::npos &&
        contains(test::read_text(entry.path() / "cmdline"), text)) {
      found.push_back(static_cast<pid_t>(std::stol(name)));
    }
  }
  return found;
}

// Runs that are killed while they wait for make leave the folders that they made for that.
TEST(SweepProgramWithControllers, NoneOutlivesAKilledSweep) {
  const Project project("one");
  const TempFolder folder;
  const TempFolder temporary;
  const test::ScopedVariable variable("TMPDIR", temporary.path());
  const std::string mark = fmt::format("of_test_{}", ::getpid());
  Program program({"sweep", project.world(), "--controller", "arm=" + project.controller("wave"),
                   "-o", folder / "x.csv", "--param", "WorldInfo.title=" + mark, "--seeds", "1..9",
                   "--duration", "1e6", "--jobs", "2"});
  const auto wait_for = [&](const auto& condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    bool met = condition();
    while (!met && std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      met = condition();
    }
    return met;
  };
  const std::string of_run = "--set=WorldInfo.title=" + mark;
  // A run that has forked and has not yet executed another program counts twice.
  EXPECT_TRUE(wait_for([&] { return processes_with(of_run).size() >= 2; }));
  program.send_signal(SIGKILL);
  EXPECT_EQ(program.finish(), -SIGKILL);
  EXPECT_TRUE(wait_for([&] { return processes_with(of_run).empty(); }));
  for (const pid_t left : processes_with(of_run)) {
    ::kill(left, SIGKILL);
  }
}

TEST(SweepProgramWithControllers, AChangedControllerMakesAnotherSweep) {
  SKIP_WITHOUT_PYTHON_API();
  const Project project("one");
  const TempFolder folder;
  const std::string controller = folder / "stand.py";
  const auto sweep = [&](const char* name) {
    return done({"sweep", project.world(), "--controller", "arm=" + controller, "-o", folder / name,
                 "--seeds", "1", "--duration", "0.1", "--resume"});
  };
  const std::string program = "from controller import Robot\nrobot = Robot()\nrobot.step(32)\n";
  folder.write("stand.py", program);
  EXPECT_EQ(sweep("x.csv").status, 0);
  EXPECT_EQ(sweep("x.csv").status, 0);
  folder.write("stand.py", program + "robot.step(32)\n");
  const Done other = sweep("x.csv");
  EXPECT_EQ(other.status, 2);
  EXPECT_TRUE(contains(other.err, "has the results of another sweep")) << other.err;
}

TEST(SweepProgramWithControllers, TheirFailuresAreRows) {
  const Project project("one");
  const TempFolder folder;
  const std::string results = folder / "x.jsonl";
  const Done swept =
      done({"sweep", project.world(), "--controller", "arm=" + project.controller("crash"), "-o",
            results, "--seeds", "1..2", "--duration", "0.5"});
  EXPECT_EQ(swept.status, 1) << swept.err;
  for (const auto& [number, row] : rows_of(results)) {
    EXPECT_EQ(row.at("exit_code"), 1);
    EXPECT_TRUE(contains(row.value("message", ""), "controller")) << row;
  }
}

TEST(SweepProgramWithControllers, AStatusOfASupervisorIsTheirExitCode) {
  const Project project("one");
  const TempFolder folder;
  const std::string results = folder / "x.jsonl";
  const Done swept =
      done({"sweep", project.world(), "--controller", "arm=" + project.controller("quit"), "-o",
            results, "--param", "arm.controllerArgs=[ \"0\" ],[ \"7\" ]", "--duration", "0.5"});
  EXPECT_EQ(swept.status, 1) << swept.err;
  const auto rows = rows_of(results);
  EXPECT_EQ(rows.at(0).at("exit_code"), 0) << rows.at(0);
  EXPECT_EQ(rows.at(1).at("exit_code"), 7) << rows.at(1);
}

}  // namespace sweep_program_test
}  // namespace servosim
