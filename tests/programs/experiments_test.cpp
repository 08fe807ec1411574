// SPDX-License-Identifier: Apache-2.0
// Tests servosim step, bode, identify and tune from outside.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numbers>
#include <utility>

#include "programs/program.h"

namespace servosim {
namespace experiments_test {

using nlohmann::json;
using test::Program;
using test::TempFolder;

constexpr const char* kBeam = R"(#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 4 }
Robot { name "lift" controller "<none>" children [
  HingeJoint {
    jointParameters HingeJointParameters { axis 0 -1 0 anchor 0 0 1 dampingConstant 0.5 }
    device RotationalMotor { name "motor" maxVelocity 20 maxTorque 60 }
    endPoint Solid { translation 0 0 0.5 name "beam" boundingObject Box { size 0.04 0.04 1 }
      physics Physics { density -1 mass 2 } } } ] }
)";
constexpr double kInertia = 2.0 * (1.0016 / 12.0 + 0.25);

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

class Experiments : public testing::Test {
 protected:
  Done run(const std::string& command, std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {command, world, "--joint", "motor"});
    return done(more);
  }
  json document(const std::string& command, std::vector<std::string> more = {}) const {
    more.push_back("--json");
    const Done result = run(command, more);
    EXPECT_EQ(result.status, 0) << result.err;
    return json::parse(result.out, nullptr, false);
  }

  TempFolder folder;
  std::string world = folder.write("lift.wbt", kBeam);
};

TEST_F(Experiments, StepHasTheMarksOfAProportionalGain) {
  const json answer = document("step", {"--by", "0.2"});
  EXPECT_EQ(answer["joint"], "lift/motor");
  EXPECT_EQ(answer["from"], 0.0);
  EXPECT_EQ(answer["to"], 0.2);
  // The gain is 10 per second, so the time is ln 50 / 10, except for the step of 4 ms.
  EXPECT_NEAR(answer["settling_time"].get<double>(), std::log(50.0) / 10.0, 0.015);
  EXPECT_NEAR(answer["rise_time"].get<double>(), std::log(9.0) / 10.0, 0.01);
  EXPECT_NEAR(answer["overshoot"].get<double>(), 0.0, 1e-3);
  EXPECT_TRUE(answer["complete"]);
  const Done text = run("step", {"--by", "0.2"});
  EXPECT_NE(text.out.find("lift/motor: position from 0 to 0.2 rad\n  rise time "), text.out.npos)
      << text.out;
}

TEST_F(Experiments, StepFollowsASetting) {
  const json answer = document("step", {"--by", "0.2", "--set", "lift/motor.controlPID=20 0 0"});
  EXPECT_NEAR(answer["settling_time"].get<double>(), std::log(50.0) / 20.0, 0.015);
}

TEST_F(Experiments, DrawPictures) {
  for (const char* command : {"step", "bode", "identify", "tune"}) {
    const std::string picture = folder.path().string() + "/" + fmt::format("{}.svg", command);
    std::vector<std::string> more{"-o", picture};
    if (std::string(command) == "bode") {
      more.insert(more.end(), {"--points", "4", "--from", "1"});
    } else if (std::string(command) == "tune") {
      more.insert(more.end(), {"--settle", "0.5", "--by", "0.2"});
    }
    const Done result = run(command, more);
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_NE(result.out.find(picture + "\n"), result.out.npos) << result.out;
    EXPECT_GT(std::filesystem::file_size(picture), 5000u);
  }
  const auto shows = [&](const char* command, std::vector<std::string> texts) {
    const std::string svg = test::read_text(folder / fmt::format("{}.svg", command));
    for (const std::string& text : texts) {
      EXPECT_NE(svg.find(text), svg.npos) << command << ": " << text;
    }
  };
  shows("step", {"rise 0.2", "settled in 0.3", "commanded"});
  shows("bode", {"closed loop", "open loop", "bandwidth 1.", "phase margin 8"});
  const Done refused = run("step", {"-o", folder.path().string() + "/step.txt"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.err.find("a figure is a .svg, .png or .pdf file"), refused.err.npos);
}

TEST_F(Experiments, BodeHasTheBandwidthAndMarginsOfAProportionalGain) {
  const json answer = document("bode", {"--from", "0.2", "--to", "40", "--amplitude", "0.05"});
  ASSERT_EQ(answer["points"].size(), 25u);
  EXPECT_NEAR(answer["bandwidth"].get<double>(), 10.0 / (2.0 * M_PI), 0.1);
  // The open loop is 10 / s with two delays of half a step, so the margin is about 90°.
  EXPECT_NEAR(answer["phase_margin"]["value"].get<double>(), 90.0, 3.0);
  for (const json& point : answer["points"]) {
    EXPECT_TRUE(point["linear"]) << point;
  }
}

TEST_F(Experiments, BodeRefusesFrequenciesAboveHalfOfTheSteps) {
  const Done result = run("bode", {"--to", "200"});
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.err.find("to less than 125 Hz"), result.err.npos) << result.err;
}

TEST_F(Experiments, IdentifyFindsTheBeam) {
  const json answer = document("identify", {"--around", "0", "--amplitude", "5"});
  const json& parameters = answer["parameters"];
  EXPECT_EQ(parameters[0]["name"], "inertia");
  EXPECT_NEAR(parameters[0]["value"].get<double>(), kInertia, 0.05 * kInertia);
  EXPECT_EQ(parameters[1]["name"], "damping");
  EXPECT_NEAR(parameters[1]["value"].get<double>(), 0.5, 0.1);
  EXPECT_GT(answer["explained"].get<double>(), 0.98);
}

// Without a given amplitude, a control loop keeps the beam between its near stops.
TEST_F(Experiments, IdentifyStaysOffTheStops) {
  const json answer = document(
      "identify", {"--set", "lift/motor.minPosition=-0.2", "--set", "lift/motor.maxPosition=0.6"});
  for (const auto& [index, wanted] :
       {std::pair{0, kInertia}, {1, 0.5}, {2, 0.0}, {3, 2.0 * 9.81 * 0.5}}) {
    const json& parameter = answer["parameters"][static_cast<std::size_t>(index)];
    EXPECT_NEAR(parameter["value"].get<double>(), wanted, parameter["confidence"].get<double>())
        << parameter;
  }
  EXPECT_TRUE(answer["filter"].is_null());
  EXPECT_GT(answer["explained"].get<double>(), 0.9999);
}

// Positions and velocities that are rounded are filtered, and an effort that is noise only is not
// explained.
TEST_F(Experiments, IdentifyIsHonestAboutMeasuredTraces) {
  const char* const header = "time [s],a/x position [m],a/x velocity [m/s],a/x effort [N]\n";
  std::string rounded = header;
  std::string noise = header;
  double x = 0.0;
  double v = 0.0;
  unsigned random = 12345;
  for (int i = 1; i <= 4000; ++i) {
    const double force = 3.0 * std::sin(0.01 * i) + 2.0 * std::sin(0.034 * i);
    v = (v + 0.002 * force / 1.5) / (1.0 + 0.002 * 0.7 / 1.5);
    x += 0.002 * v;
    random = random * 1664525u + 1013904223u;
    rounded += fmt::format("{},{:.3f},{:.2f},{:.2f}\n", 0.002 * i, x, v, force);
    noise += fmt::format("{},{},{},{}\n", 0.002 * i, x, v,
                         static_cast<double>(random >> 8) / 16777216.0 - 0.5);
  }
  const json found =
      json::parse(done({"identify", folder.write("r.csv", rounded), "--joint", "x", "--json"}).out);
  EXPECT_GT(found["filter"].get<double>(), 0.0);
  for (const auto& [index, wanted] : {std::pair{0, 1.5}, {1, 0.7}, {2, 0.0}, {3, 0.0}}) {
    const json& parameter = found["parameters"][static_cast<std::size_t>(index)];
    EXPECT_NEAR(parameter["value"].get<double>(), wanted, parameter["confidence"].get<double>())
        << parameter;
  }
  const Done nothing = done({"identify", folder.write("n.csv", noise), "--joint", "x"});
  EXPECT_EQ(nothing.status, 1) << nothing.err;
  EXPECT_NE(nothing.out.find("these parameters do not describe it"), nothing.out.npos);
}

TEST_F(Experiments, IdentifyReadsATrace) {
  const std::string trace = folder.path().string() + "/t.csv";
  std::string text = "time [s],arm/x position [m],arm/x velocity [m/s],arm/x effort [N]\n";
  double x = 0.0;
  double v = 0.0;
  for (int i = 1; i <= 400; ++i) {
    const double force = 3.0 * std::sin(0.05 * i) + 2.0 * std::sin(0.17 * i) + 1.0;
    v += 0.01 * (force - 0.7 * v) / 1.5;
    x += 0.01 * v;
    text += fmt::format("{},{},{},{}\n", 0.01 * i, x, v, force);
  }
  folder.write("t.csv", text);
  const Done result = done({"identify", trace, "--joint", "x", "--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  const json answer = json::parse(result.out);
  EXPECT_NEAR(answer["parameters"][0]["value"].get<double>(), 1.5, 0.02);
  EXPECT_EQ(answer["parameters"][0]["unit"], "kg");
  EXPECT_NEAR(answer["parameters"][1]["value"].get<double>(), 0.7, 0.02);

  // The same as a log of other columns, without velocities.
  std::string log = "ms,pos,torque\n";
  x = v = 0.0;
  for (int i = 1; i <= 400; ++i) {
    const double torque = 3.0 * std::sin(0.05 * i) + 2.0 * std::sin(0.17 * i) + 1.0;
    v += 0.01 * (torque - 0.7 * v) / 1.5;
    x += 0.01 * v;
    log += fmt::format("{},{},{}\n", 10 * i, x * 57.29577951308232, 1000.0 * torque);
  }
  const Done of_log = done({"identify", folder.write("log.csv", log), "--stiffness", "--columns",
                            "time=ms[ms], position=pos[deg], effort=torque[mN m]", "--json"});
  ASSERT_EQ(of_log.status, 0) << of_log.err;
  const json found = json::parse(of_log.out);
  EXPECT_NEAR(found["parameters"][0]["value"].get<double>(), 1.5, 0.05);
  EXPECT_EQ(found["parameters"][0]["unit"], "kg m^2");

  const Done wrong = done({"identify", trace, "--joint", "y"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_NE(wrong.err.find("there is no joint 'y'"), wrong.err.npos) << wrong.err;
}

TEST_F(Experiments, TuneFindsAGainAndShowsOtherLoads) {
  const json answer = document("tune", {"--settle", "0.3", "--overshoot", "5%", "--by", "0.2"});
  EXPECT_TRUE(answer["met"]);
  ASSERT_EQ(answer["loads"].size(), 3u);
  for (const json& load : answer["loads"]) {
    EXPECT_LE(load["settling_time"].get<double>(), 0.3);
    EXPECT_LE(load["overshoot"].get<double>(), 0.05);
  }
  // In the world the gains have the response that tune has predicted.
  const json& pid = answer["control_pid"];
  const json step =
      document("step", {"--by", "0.2", "--set",
                        fmt::format("lift/motor.controlPID={} {} {}", pid[0].get<double>(),
                                    pid[1].get<double>(), pid[2].get<double>())});
  EXPECT_EQ(step["settling_time"], answer["loads"][0]["settling_time"]);
}

TEST_F(Experiments, TuneKeepsGainsThatMeetTheSpecification) {
  const json answer = document(
      "tune", {"--settle", "0.3", "--by", "0.2", "--set", "lift/motor.controlPID=31 0 0.1"});
  EXPECT_EQ(answer["control_pid"], json({31.0, 0.0, 0.1}));
  EXPECT_TRUE(answer["kept"]);
  EXPECT_EQ(answer["simulations"], 3);
}

TEST_F(Experiments, TuneChangesTheMassBehindTheJoint) {
  // The motor is so weak that the load decides.
  const Done result = run("tune", {"--settle", "0.8", "--by", "0.4", "--load", "40%", "--set",
                                   "lift/motor.maxTorque=8", "--json"});
  const json answer = json::parse(result.out);
  ASSERT_EQ(answer["loads"].size(), 3u);
  EXPECT_EQ(answer["loads"][1]["mass_factor"], 0.6);
  EXPECT_NE(answer["loads"][1]["rise_time"], answer["loads"][2]["rise_time"]);
}

TEST_F(Experiments, TuneSaysWhatTheMotorCannot) {
  const Done result = run("tune", {"--settle", "0.1", "--by", "3"});
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.out.find("no gains meet it: at its maxVelocity the motor needs 0.15 s"),
            result.out.npos)
      << result.out;
}

constexpr double kDegree = std::numbers::pi / 180.0;
constexpr const char* kLogColumns = "time=t[ms], goal=cmd[deg], position=pos[deg]";

// A measured step: a first-order answer in steps of an encoder, in milliseconds and degrees.
std::string step_log(double time_constant) {
  std::string text = "t,cmd,pos\n";
  for (int i = 0; i <= 400; ++i) {
    const double t = 0.005 * i - 0.5;
    const double position = 10.0 + (t > 0.0 ? 40.0 * (1.0 - std::exp(-t / time_constant)) : 0.0);
    text += fmt::format("{},{},{:.3f}\n", 5 * i, t < 0.0 ? 10 : 50,
                        std::round(position / 0.088) * 0.088);
  }
  return text;
}

TEST_F(Experiments, StepMeasuresALog) {
  const std::string log = folder.write("log.csv", step_log(0.12));
  const Done measured = done({"step", log, "--columns", kLogColumns, "--json"});
  ASSERT_EQ(measured.status, 0) << measured.err;
  const json found = json::parse(measured.out);
  EXPECT_EQ(found["schema"], "servosim-step-log-1");
  EXPECT_NEAR(found["begin"].get<double>(), 0.5, 1e-9);
  EXPECT_NEAR(found["from"].get<double>(), 10.0 * kDegree, 1e-9);
  EXPECT_NEAR(found["to"].get<double>(), 50.0 * kDegree, 1e-9);
  EXPECT_TRUE(found["simulated"].is_null());
  // The marks of a first-order answer: ln 9 and ln 50 time constants; the encoder is 0.2 % of the
  // way.
  EXPECT_NEAR(found["measured"]["rise_time"].get<double>(), 0.12 * std::log(9.0), 0.01);
  EXPECT_NEAR(found["measured"]["settling_time"].get<double>(), 0.12 * std::log(50.0), 0.02);
  EXPECT_NEAR(found["measured"]["steady_error"].get<double>(), 0.0, 0.1 * kDegree);
  EXPECT_TRUE(found["measured"]["max_velocity"].is_null());
  EXPECT_TRUE(found["joint"].is_null()) << "nothing names it";
}

TEST_F(Experiments, StepMeasuresALogOfASlider) {
  const std::string log = folder.write("log.csv", step_log(0.12));
  const Done measured =
      done({"step", log, "--columns", "time=t[ms], goal=cmd[mm], position=pos[mm]"});
  ASSERT_EQ(measured.status, 0) << measured.err;
  EXPECT_NE(measured.out.find("from 0.01 to 0.05 m"), std::string::npos) << measured.out;
}

// The world follows the goals of the log: its motor is a P loop with a gain of 10/s.
TEST_F(Experiments, StepLaysAWorldOverALog) {
  const std::string log = folder.write("log.csv", step_log(0.12));
  const std::string picture = folder.path().string() + "/both.svg";
  const json found = document("step", {"--log", log, "--columns", kLogColumns, "-o", picture});
  EXPECT_EQ(found["world"], world);
  EXPECT_EQ(found["joint"], "lift/motor");
  EXPECT_NEAR(found["measured"]["rise_time"].get<double>(), 0.12 * std::log(9.0), 0.01);
  EXPECT_NEAR(found["simulated"]["rise_time"].get<double>(), 0.1 * std::log(9.0), 0.01);
  const std::string drawn = test::read_text(picture);
  EXPECT_NE(drawn.find("simulated"), drawn.npos);
}

TEST_F(Experiments, BodeLaysAWorldOverALog) {
  std::string rows = "time,goal,position\n";
  for (int i = 0; i < 4000; ++i) {
    const double t = 0.005 * i;
    double goal = 0.0;
    double position = 0.0;
    for (const double f : {0.5, 0.9, 1.6, 2.9}) {
      const double w = 2.0 * std::numbers::pi * f;
      const double late = std::atan(w / 8.0);
      goal += 0.1 * std::sin(w * t + f);
      position += 0.1 / std::hypot(1.0, w / 8.0) * std::sin(w * t + f - late);
    }
    rows += fmt::format("{},{},{}\n", t, goal, position);
  }
  const std::string log = folder.write("log.csv", rows);
  const json found =
      document("bode", {"--log", log, "--from", "0.5", "--to", "2.9", "--points", "4"});
  EXPECT_EQ(found["schema"], "servosim-bode-log-1");
  ASSERT_GE(found["points"].size(), 2u);
  for (const json& point : found["points"]) {
    const double w = 2.0 * std::numbers::pi * point["frequency"].get<double>();
    for (const auto& [key, gain] : {std::pair{"measured", 8.0}, {"simulated", 10.0}}) {
      EXPECT_NEAR(point[key]["gain"].get<double>(), 1.0 / std::hypot(1.0, w / gain), 0.03) << key;
      EXPECT_NEAR(point[key]["phase"].get<double>(), -std::atan(w / gain) / kDegree, 3.0) << key;
      EXPECT_GT(point[key]["coherence"].get<double>(), 0.97) << key;
    }
  }
}

// A phase is that of a sine up to whole turns.
TEST_F(Experiments, BodeHasMeasuredAndSimulatedPhasesInTheSameTurn) {
  std::string rows = "time,goal,position\n";
  for (int i = 0; i < 4000; ++i) {
    const double t = 0.005 * i;
    double goal = 0.0;
    double position = 0.0;
    for (const double f : {0.5, 1.0}) {
      const double w = 2.0 * std::numbers::pi * f;
      goal += 0.1 * std::sin(w * t);
      position += 0.1 * std::sin(w * t + 100.0 * kDegree);  // a lead, shown as a lag of 260°
    }
    rows += fmt::format("{},{},{}\n", t, goal, position);
  }
  const std::string log = folder.write("log.csv", rows);
  const json found =
      document("bode", {"--log", log, "--from", "0.5", "--to", "1", "--points", "2"});
  ASSERT_EQ(found["points"].size(), 2u);
  for (const json& point : found["points"]) {
    EXPECT_NEAR(point["measured"]["phase"].get<double>(), -260.0, 3.0);
    EXPECT_NEAR(
        point["simulated"]["phase"].get<double>(),
        -360.0 -
            std::atan(2.0 * std::numbers::pi * point["frequency"].get<double>() / 10.0) / kDegree,
        3.0);
  }
}

TEST_F(Experiments, SayWhatALogCannotTell) {
  const std::string log = folder.write("log.csv", step_log(0.12));
  std::string still = "time,goal,position\n";
  for (int i = 0; i < 100; ++i) {
    still += fmt::format("{},0.3,{}\n", 0.01 * i, 0.3 - 0.001 * (i % 3));
  }
  const std::string rest = folder.write("rest.csv", still);
  std::string speeds = "time,goal,position,velocity\n";
  for (int i = 0; i < 100; ++i) {
    speeds +=
        fmt::format("{},{},{},{}\n", 0.01 * i, 0.01 * (i % 7), 0.01 * (i % 5), i == 7 ? "" : "0.1");
  }
  const std::string gap = folder.write("gap.csv", speeds);
  const std::string columns = kLogColumns;
  const std::string lengths = "time=t[ms], goal=cmd[mm], position=pos[mm]";
  const struct {
    std::vector<std::string> arguments;
    const char* message;
  } kWrong[]{
      {{"step", rest}, "its goal has no step before which it holds"},
      {{"bode", rest}, "its goals, or its positions, have too little of"},
      {{"bode", log, "--columns", columns, "--from", "1", "--to", "3"},
       "less than 8 periods of, these frequencies"},
      {{"bode", log, "--columns", columns, "--answer", "velocity"}, "has no column for velocity"},
      {{"bode", gap, "--answer", "velocity"}, "gap.csv:9: velocity is missing"},
      {{"step", log, "--columns", columns, "--joint", "motor"},
       "--joint is for a world or a trace, and"},
      {{"step", world, "--joint", "motor", "--log", log, "--columns", lengths},
       "has the units of a joint that slides, and 'lift/motor' turns"},
      {{"step", log, "--columns", "time=t[ms], goal=cmd[mm], position=pos[deg]"},
       "position has the unit of a joint that turns, and goal of one that slides"},
      {{"bode", log, "--columns", columns, "--from", "5", "--to", "2"}, "they must grow"},
      {{"step", log, "--columns", columns, "--by", "0.2"},
       "--by is for an experiment with a world alone"},
      {{"step", log, "--columns", columns, "--set", "a.b=1"}, "--set is for a world"},
      {{"step", log, "--log", log}, "--log is for a world"},
      {{"step", world, "--joint", "motor", "--columns", columns}, "--columns is for a log"},
      {{"step", world}, "--joint is required for a world"},
      {{"bode", world, "--joint", "motor", "--log", "none.csv"}, "none.csv"},
  };
  for (const auto& wrong : kWrong) {
    const Done result = done(wrong.arguments);
    EXPECT_EQ(result.status, 2) << wrong.message;
    EXPECT_NE(result.err.find(wrong.message), std::string::npos) << result.err;
  }
}

TEST_F(Experiments, NameWhatIsWrong) {
  for (const auto& [arguments, message] :
       std::vector<std::pair<std::vector<std::string>, const char*>>{
           {{"step", world, "--joint", "moter"}, "moter"},
           {{"step", world}, "--joint"},
           {{"step", folder.path().string() + "/none.wbt", "--joint", "motor"}, "none.wbt"},
           {{"tune", world, "--joint", "motor", "--settle", "0.3", "--overshoot", "much"},
            "--overshoot is a share such as 5% or 0.05, up to 1, not 'much'"},
           {{"tune", world, "--joint", "motor", "--settle", "0.3", "--load", "100%"},
            "would leave no mass"},
           {{"bode", world, "--joint", "motor", "--from", "-1"}, "--from"},
           {{"identify", folder.path().string() + "/none.csv", "--joint", "motor"}, "none.csv: "},
           {{"identify", world}, "--joint is required for a world"},
           {{"identify", world, "--joint", "motor", "--columns", "time=t"},
            "--columns is for a log"}}) {
    const Done result = done(arguments);
    EXPECT_EQ(result.status, 2) << message;
    EXPECT_NE(result.err.find(message), result.err.npos) << result.err;
    EXPECT_EQ(result.out, "");
  }
}

TEST_F(Experiments, SayThatAWorldLacksParts) {
  const std::string text = std::string(kBeam) + "Unheard { }\n";
  folder.write("lift.wbt", text);
  const Done result = run("step");
  EXPECT_EQ(result.status, 3);
  EXPECT_NE(result.out.find("rise time"), result.out.npos);
}

}  // namespace experiments_test
}  // namespace servosim
