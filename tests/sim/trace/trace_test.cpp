// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "sim/trace/trace_support.h"
#include "sim/trace/trace_writer.h"
#include "support/worlds.h"

namespace servosim::test {
namespace {

std::vector<double> numbers_of(const std::string& line) {
  std::vector<double> numbers;
  std::istringstream cells(line);
  for (std::string cell; std::getline(cells, cell, ',');) {
    double number = 0.0;
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), number);
    EXPECT_EQ(error, std::errc()) << cell;
    EXPECT_EQ(end, cell.data() + cell.size()) << cell;
    numbers.push_back(number);
  }
  return numbers;
}

TEST_F(TraceTest, HasAHeaderWithUnits) {
  Simulation simulation = load(R"(#VRML_SIM R2023b utf8
Robot { name "r" children [ HingeJoint { device RotationalMotor { name "hip" } endPoint Solid { } }
  SliderJoint { device LinearMotor { name "lift" minPosition -0.5 maxPosition 0.25 } endPoint Solid { name "x" } } ] })");
  Trace(simulation, path_).close();
  EXPECT_EQ(lines_of(path_),
            std::vector<std::string>{
                "time [s],r/hip position [rad],r/hip target [rad],r/hip velocity [rad/s],r/hip "
                "commanded velocity [rad/s],r/hip effort [N m],r/hip velocity limit [rad/s],r/hip "
                "effort limit [N m],r/lift position [m],r/lift target [m],r/lift velocity "
                "[m/s],r/lift commanded velocity [m/s],r/lift effort [N],r/lift lower limit "
                "[m],r/lift upper limit [m],r/lift velocity limit [m/s],r/lift effort limit [N]"});
}

TEST_F(TraceTest, HasPosesOfRobotsAndSolidsOnDemand) {
  Simulation simulation = load(R"(#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 8 gravity 0 }
Robot { name "r" translation 1 2 3 children [ HingeJoint { device RotationalMotor { name "hip" }
  endPoint Solid { name "leg" translation 0.5 0 0 rotation 0 0 1 0.5 physics Physics { }
    boundingObject Box { size 1 1 1 } } } Solid { name "part" } ]
  boundingObject Box { size 1 1 1 } physics Physics { } }
Solid { name "floor" })");
  TraceOptions options;
  options.watch = {"*.pose"};
  Trace trace(simulation, path_, options);
  simulation.step();
  trace.row();
  trace.close();
  EXPECT_EQ(lines_of(path_).at(0),
            "time [s],r.pose x [m],r.pose y [m],r.pose z [m],r.pose tilt [rad],r.pose linear speed "
            "[m/s],r.pose qx,r.pose qy,r.pose qz,r.pose qw,r/leg.pose x [m],r/leg.pose y "
            "[m],r/leg.pose z [m],r/leg.pose qx,r/leg.pose qy,r/leg.pose qz,r/leg.pose qw");
  const std::vector<double> row = numbers_of(lines_of(path_).at(1));
  ASSERT_EQ(row.size(), 17u);
  EXPECT_EQ(row[9], 1.0) << "it has not turned";
  EXPECT_NEAR(row[10], 1.5, 1e-9);
  EXPECT_NEAR(row[15], std::sin(0.25), 1e-9);
  EXPECT_NEAR(row[16], std::cos(0.25), 1e-9);
}

TEST_F(TraceTest, IsStrictCsvUnlessCommentsAreWanted) {
  Simulation simulation = load(OneJoint{});
  for (const bool comments : {false, true}) {
    TraceOptions options;
    options.comments = comments;
    Trace trace(simulation, path_, options);
    EXPECT_EQ(trace.label({1, 0.0, "text", 0, 0, 0, 0, 0, ""}), comments);
    trace.episode();
    simulation.step();
    trace.row();
    trace.close();
    EXPECT_EQ(lines_of(path_).size(), comments ? 4u : 2u);
  }
}

TEST_F(TraceTest, HasColumnsForMuscles) {
  OneJoint w;
  w.motor = "muscles [ Muscle { startOffset 0 0.5 0 } ]";
  Simulation one = load(w);
  Trace trace(one, path_);
  one.step();
  trace.row();
  trace.close();
  EXPECT_TRUE(lines_of(path_).at(0).ends_with(
      ",r/m effort limit [N m],r/m muscle status,r/m muscle length [m],r/m muscle radius [m]"));
  const std::vector<double> row = numbers_of(lines_of(path_).at(1));
  ASSERT_EQ(row.size(), 11u);
  const MuscleReading muscle = one.joint(0).muscle(0);
  EXPECT_EQ((std::vector<double>{row.begin() + 8, row.end()}),
            (std::vector<double>{muscle.status, muscle.length, muscle.radius}));

  w.motor = "muscles [ Muscle { } Muscle { volume 0.5 } ]";
  Simulation two = load(w);
  Trace(two, path_).close();
  EXPECT_TRUE(
      lines_of(path_).at(0).ends_with(",r/m muscle 1 status,r/m muscle 1 length [m],r/m muscle 1 "
                                      "radius [m],r/m muscle 2 status,r/m "
                                      "muscle 2 length [m],r/m muscle 2 radius [m]"));
}

TEST_F(TraceTest, HasColumnsForPropellers) {
  const std::string propeller =
      "Propeller { shaftAxis 0 0 1 thrustConstants 0.002 0 torqueConstants -0.00005 0 ";
  Simulation simulation = Simulation::from_text(  // one of the two has no motor, which is said
      "#VRML_SIM R2023b utf8\nWorldInfo { basicTimeStep 8 }\nRobot { name \"drone\" boundingObject "
      "Box { } physics Physics { } children [ " +
      propeller + "} " + propeller +
      "device RotationalMotor { name \"m,\" maxVelocity 200 maxTorque 1e9 } } HingeJoint { device "
      "RotationalMotor { name \"j\" } endPoint Solid { } } ] }");
  ASSERT_EQ(simulation.propellers().size(), 1) << "with a motor";
  EXPECT_EQ(simulation.propellers()[0].name(), "drone/m,");
  EXPECT_THROW(simulation.propellers()[1].reading(), std::out_of_range);
  simulation.robot(0).motor("m,").set_velocity(60.0);
  simulation.robot(0).motor("m,").set_position(INFINITY);
  Trace trace(simulation, path_);
  simulation.step();
  trace.row();
  trace.close();
  EXPECT_TRUE(
      lines_of(path_).at(0).ends_with(",drone/j effort limit [N m],\"drone/m, speed "
                                      "[rad/s]\",\"drone/m, thrust [N]\",\"drone/m, torque "
                                      "[N m]\""));
  const std::vector<double> row = numbers_of(lines_of(path_).at(1));
  ASSERT_EQ(row.size(), 11u);
  EXPECT_NEAR(row[8], 60.0, 1e-12) << "(60·h) / h";
  EXPECT_NEAR(row[9], 0.002 * 3600.0, 1e-12);
  EXPECT_NEAR(row[10], -0.00005 * 3600.0, 1e-12);
}

TEST_F(TraceTest, HasNoTargetWhereALawFromOutsideHasTheJoint) {
  Simulation simulation = load(OneJoint());
  simulation.robot("r").motor("m").set_position(0.7);
  simulation.robot("r").motor("m").drive({0.3, 5.0, 0.0, 0.0});
  Trace trace(simulation, path_);
  simulation.step();
  trace.row();
  trace.close();
  EXPECT_TRUE(lines_of(path_).at(0).starts_with(
      "time [s],r/m position [rad],r/m target [rad],r/m velocity [rad/s],r/m commanded velocity "));
  std::vector<std::string> cells;
  std::istringstream line(lines_of(path_).at(1));
  for (std::string cell; std::getline(line, cell, ',');) {
    cells.push_back(cell);
  }
  ASSERT_GE(cells.size(), 5u);
  EXPECT_EQ(cells[2], "");
  EXPECT_NEAR(std::stod(cells[3]), 0.3, 1e-3);  // the row is as soft as the world's CFM
  EXPECT_EQ(cells[4], "0.3");
}

TEST_F(TraceTest, QuotesNamesThatNeedIt) {
  Simulation simulation = load(
      "#VRML_SIM R2023b utf8\nRobot { name \"a,b\" children [ SliderJoint { device LinearMotor { "
      "name "
      "\"say \\\"x\\\"\" } endPoint Solid { } } ] }");
  Trace(simulation, path_).close();
  EXPECT_EQ(lines_of(path_).at(0).substr(0, 39), "time [s],\"a,b/say \"\"x\"\" position [m]\",\"");
}

TEST_F(TraceTest, HasOneRowPerStepThatReadsBackExactly) {
  OneJoint w;
  w.time_step_ms = 16.666;
  Simulation simulation = load(w);
  simulation.robot("r").motor("m").set_position(0.7);
  Trace trace(simulation, path_);
  std::vector<std::vector<double>> expected;
  for (int n = 0; n < 1500; ++n) {  // beyond one buffer
    simulation.step();
    trace.row();
    const JointReading r = simulation.joint(0).reading();
    expected.push_back({simulation.time(), r.position, 0.7, r.velocity, r.commanded_velocity,
                        r.effort, 10.0, 10.0});
  }
  trace.close();
  const std::vector<std::string> lines = lines_of(path_);
  ASSERT_EQ(lines.size(), expected.size() + 1);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_EQ(numbers_of(lines[i + 1]), expected[i]) << i;
  }
  EXPECT_EQ(trace.path(), path_);
}

// The cells of the last row after one more step, by column; absent where there is none.
std::map<std::string, std::string> last_cells(Simulation& simulation, const std::string& path) {
  Trace trace(simulation, path);
  simulation.step();
  trace.row();
  trace.close();
  const auto cells_of = [](const std::string& line) {
    std::vector<std::string> cells;
    std::istringstream in(line + ',');
    for (std::string cell; std::getline(in, cell, ',');) {
      cells.push_back(cell);
    }
    return cells;
  };
  const std::vector<std::string> names = cells_of(lines_of(path).at(0));
  const std::vector<std::string> values = cells_of(lines_of(path).at(1));
  EXPECT_EQ(names.size(), values.size());
  std::map<std::string, std::string> cells;
  for (std::size_t i = 0; i < std::min(names.size(), values.size()); ++i) {
    cells[names[i]] = values[i];
  }
  return cells;
}

TEST_F(TraceTest, HasTheTargetAndTheLimitsOfTheMoment) {
  OneJoint w;
  w.motor = "minPosition -1.5 maxPosition 1.25 maxVelocity 8 maxTorque 20";
  w.parameters = "minStop -2 maxStop 2";
  Simulation simulation = load(w);
  Motor& motor = simulation.robot("r").motor("m");
  motor.set_position(0.75);
  motor.set_velocity(-3.0);
  motor.set_available_force(12.5);
  auto cells = last_cells(simulation, path_);
  EXPECT_EQ(cells["r/m target [rad]"], "0.75");
  EXPECT_EQ(cells["r/m lower limit [rad]"], "-1.5") << "the motor's, not the stop";
  EXPECT_EQ(cells["r/m upper limit [rad]"], "1.25");
  EXPECT_EQ(cells["r/m velocity limit [rad/s]"], "3") << "set_velocity() limits position control";
  EXPECT_EQ(cells["r/m effort limit [N m]"], "12.5");

  motor.set_position(INFINITY);
  cells = last_cells(simulation, path_);
  EXPECT_EQ(cells["r/m target [rad]"], "") << "velocity control";
  EXPECT_EQ(cells["r/m velocity limit [rad/s]"], "8");

  motor.set_force(2.0);
  cells = last_cells(simulation, path_);
  EXPECT_EQ(cells["r/m target [rad]"], "") << "force control";
  EXPECT_EQ(cells["r/m commanded velocity [rad/s]"], "");
}

TEST_F(TraceTest, HasTheStopsOfAJointWithoutSoftLimitsAndNoMotorColumnsWithoutAMotor) {
  Simulation simulation = load(R"(#VRML_SIM R2023b utf8
Robot { name "r" children [ SliderJoint { jointParameters JointParameters { minStop -0.5 maxStop 2 }
  device PositionSensor { name "s" } endPoint Solid { } } ] })");
  const auto cells = last_cells(simulation, path_);
  std::string names;
  for (const auto& [name, value] : cells) {
    names += name + ';';
  }
  EXPECT_EQ(names,
            "r/s effort [N];r/s lower limit [m];r/s position [m];r/s upper limit [m];r/s velocity "
            "[m/s];time [s];");
  EXPECT_EQ(cells.at("r/s lower limit [m]"), "-0.5");
  EXPECT_EQ(cells.at("r/s upper limit [m]"), "2");
}

constexpr const char* kHot =
    "\n#servosim servo \"STS3215 supply.resistance=0.5 thermal.winding_capacity=4 "
    "thermal.winding_resistance=20\"\n";

TEST_F(TraceTest, HasTheElectricityAndTheHeatOfServos) {
  OneJoint w;
  w.motor = kHot;
  Simulation simulation = load(w);
  Motor& motor = simulation.robot("r").motor("m");
  motor.set_position(1.5);
  simulation.step(5);
  const auto cells = last_cells(simulation, path_);
  const ServoReading reading = motor.servo().reading().value();
  EXPECT_GT(reading.current, 0.1);
  EXPECT_LT(reading.voltage, 7.4 - 0.01);
  EXPECT_GT(reading.duty, 0.1);
  EXPECT_GT(reading.temperature, 25.0);
  EXPECT_EQ(cells.at("r/m current [A]"), fmt::format("{}", reading.current));
  EXPECT_EQ(cells.at("r/m voltage [V]"), fmt::format("{}", reading.voltage));
  EXPECT_EQ(cells.at("r/m duty"), fmt::format("{}", reading.duty));
  EXPECT_EQ(cells.at("r/m temperature [°C]"), fmt::format("{}", reading.temperature));
}

constexpr const char* kThree = R"(#VRML_SIM R2023b utf8
Robot { name "left" children [
  HingeJoint { device RotationalMotor { name "hip" } endPoint Solid { } }
  HingeJoint { device RotationalMotor { name "knee" } endPoint Solid { name "x" } } ] }
Robot { name "right" children [
  HingeJoint { device RotationalMotor { name "hip" } endPoint Solid { } }
  Propeller { shaftAxis 0 0 1 device RotationalMotor { name "rotor" } } ] })";

TEST_F(TraceTest, FollowsTheChosenOnesOnly) {
  Simulation simulation = Simulation::from_text(kThree);
  const auto chosen = [&](const std::vector<std::string>& globs) {
    Trace(simulation, path_, {globs, ""}).close();
    std::string names;
    std::istringstream cells(lines_of(path_).at(0));
    for (std::string cell; std::getline(cells, cell, ',');) {
      for (const char* first : {" position [rad]", " speed [rad/s]"}) {
        if (cell.ends_with(first)) {
          names += cell.substr(0, cell.find(' ')) + ' ';
        }
      }
    }
    return names;
  };
  EXPECT_EQ(chosen({}), "left/hip left/knee right/hip right/rotor ");
  EXPECT_EQ(chosen({"hip"}), "left/hip right/hip ");
  EXPECT_EQ(chosen({"left/*"}), "left/hip left/knee ");
  EXPECT_EQ(chosen({"r?tor", "kne[e]"}), "left/knee right/rotor ") << "in the world's order";
  EXPECT_EQ(chosen({"*t/*"}), "left/hip left/knee right/hip right/rotor ");
}

TEST_F(TraceTest, RefusesAGlobThatMatchesNothing) {
  Simulation simulation = Simulation::from_text(kThree);
  try {
    Trace(simulation, path_, {{"hip", "nee"}, ""});
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(),
                 "no joint or propeller matches 'nee'; there are 'left/knee', 'left/hip', "
                 "'right/hip', 'right/rotor'; `servosim info WORLD` lists them");
  }
  EXPECT_FALSE(std::filesystem::exists(path_));
}

class JsonTraceTest : public TraceTest {
 protected:
  ~JsonTraceTest() override { std::filesystem::remove(json_path_); }
  std::string json_path_ = path_ + ".jsonl";
};

TEST_F(JsonTraceTest, HasAHeaderAndAnObjectForEachStep) {
  Simulation simulation = load(R"(#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 16 }
Robot { name "r" children [ SliderJoint { jointParameters JointParameters { minStop -1 maxStop 2 }
  device LinearMotor { name "m" muscles Muscle { } } endPoint Solid { } } ] })");
  simulation.robot("r").motor("m").set_position(INFINITY);
  simulation.robot("r").motor("m").set_velocity(0.0);
  Trace trace(simulation, json_path_, {{}, "a \"world\".wbt"});
  simulation.step();
  trace.row();
  trace.close();
  const std::vector<std::string> lines = lines_of(json_path_);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0],
            R"({"format":"servosim trace","version":1,"world":"a \"world\".wbt","time_step":0.016,)"
            R"("units":{"time":"s"},"joints":{"r/m":{"type":"linear","kind":"slider","units":{)"
            R"("position":"m","target":"m","velocity":"m/s","commanded_velocity":"m/s",)"
            R"("effort":"N","lower_limit":"m","upper_limit":"m","velocity_limit":"m/s",)"
            R"("effort_limit":"N"}}},"muscles":{"r/m muscle":{"units":{"status":"",)"
            R"("length":"m","radius":"m"}}}})");
  const nlohmann::json row = nlohmann::json::parse(lines[1]);
  EXPECT_EQ(row["time"], 0.016);
  const nlohmann::json& joint = row["joints"]["r/m"];
  EXPECT_EQ(joint["position"], simulation.joint(0).position());
  EXPECT_TRUE(joint["target"].is_null()) << "velocity control";
  EXPECT_EQ(joint["lower_limit"], -1.0);
  EXPECT_EQ(joint["upper_limit"], 2.0);
  EXPECT_TRUE(row["muscles"]["r/m muscle"]["radius"].is_null()) << "infinite at length 0";
  EXPECT_FALSE(row.contains("propellers"));
}

TEST_F(JsonTraceTest, NamesTheQuantitiesOfServos) {
  OneJoint w;
  w.motor = kHot;
  Simulation simulation = load(w);
  Trace trace(simulation, json_path_);
  simulation.step();
  trace.row();
  trace.close();
  const std::vector<std::string> lines = lines_of(json_path_);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_NE(lines[0].find(R"("effort_limit":"N m","current":"A","voltage":"V","duty":"",)"
                          R"("temperature":"°C"}}})"),
            std::string::npos)
      << lines[0];
  EXPECT_EQ(nlohmann::json::parse(lines[1])["joints"]["r/m"]["voltage"],
            simulation.joint(0).motor()->servo().reading().value().voltage);
}

TEST_F(JsonTraceTest, ReplacesBytesThatAreNoUtf8AndKeepsNamesApart) {
  Simulation simulation = load(
      "#VRML_SIM R2023b utf8\nRobot { name \"r\" children [ HingeJoint { device RotationalMotor { "
      "name \"\xff\" } endPoint Solid { } } HingeJoint { device RotationalMotor { name \"\xfe\" } "
      "endPoint Solid { name \"x\" } } ] }");
  Trace(simulation, json_path_).close();
  const nlohmann::json header = nlohmann::json::parse(lines_of(json_path_).at(0));
  EXPECT_TRUE(header["joints"].contains("r/\ufffd"));
  EXPECT_TRUE(header["joints"].contains("r/\ufffd #2"));
}

}  // namespace
}  // namespace servosim::test
