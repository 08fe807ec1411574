// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "sim/trace.h"
#include "support/worlds.h"

namespace servosim::test {
namespace {

std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    lines.push_back(line);
  }
  return lines;
}

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

class TraceTest : public testing::Test {
 protected:
  ~TraceTest() override { std::filesystem::remove(path_); }
  std::string path_ = testing::TempDir() + "servosim_trace_" +
                      testing::UnitTest::GetInstance()->current_test_info()->name() + ".csv";
};

TEST_F(TraceTest, HasAHeaderWithUnits) {
  Simulation simulation = load(R"(#VRML_SIM R2023b utf8
Robot { name "r" children [ HingeJoint { device RotationalMotor { name "hip" } endPoint Solid { } }
  SliderJoint { device LinearMotor { name "lift" } endPoint Solid { name "x" } } ] })");
  Trace(simulation, path_).close();
  EXPECT_EQ(lines_of(path_),
            std::vector<std::string>{"time [s],r/hip position [rad],r/hip velocity [rad/s],r/hip "
                                     "commanded velocity [rad/s],r/hip effort "
                                     "[N m],r/lift position [m],r/lift velocity [m/s],r/lift "
                                     "commanded velocity [m/s],r/lift effort [N]"});
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
      ",r/m effort [N m],r/m muscle status,r/m muscle length [m],r/m muscle radius [m]"));
  const std::vector<double> row = numbers_of(lines_of(path_).at(1));
  ASSERT_EQ(row.size(), 8u);
  const MuscleReading muscle = one.muscle(0, 0);
  EXPECT_EQ((std::vector<double>{row.begin() + 5, row.end()}),
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
  ASSERT_EQ(simulation.propeller_count(), 1) << "with a motor";
  EXPECT_EQ(simulation.propeller_name(0), "drone/m,");
  EXPECT_THROW(simulation.propeller(1), std::out_of_range);
  simulation.robot(0).motor("m,").set_velocity(60.0);
  simulation.robot(0).motor("m,").set_position(INFINITY);
  Trace trace(simulation, path_);
  simulation.step();
  trace.row();
  trace.close();
  EXPECT_TRUE(lines_of(path_).at(0).ends_with(
      ",drone/j effort [N m],\"drone/m, speed [rad/s]\",\"drone/m, thrust [N]\",\"drone/m, torque "
      "[N m]\""));
  const std::vector<double> row = numbers_of(lines_of(path_).at(1));
  ASSERT_EQ(row.size(), 8u);
  EXPECT_NEAR(row[5], 60.0, 1e-12) << "(60·h) / h";
  EXPECT_NEAR(row[6], 0.002 * 3600.0, 1e-12);
  EXPECT_NEAR(row[7], -0.00005 * 3600.0, 1e-12);
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
    const JointReading r = simulation.joint(0);
    expected.push_back({simulation.time(), r.position, r.velocity, r.commanded_velocity, r.effort});
  }
  trace.close();
  const std::vector<std::string> lines = lines_of(path_);
  ASSERT_EQ(lines.size(), expected.size() + 1);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_EQ(numbers_of(lines[i + 1]), expected[i]) << i;
  }
  EXPECT_EQ(trace.path(), path_);
}

TEST_F(TraceTest, IsWholeWithoutCloseToo) {
  Simulation simulation = load(OneJoint{});
  {
    Trace trace(simulation, path_);
    simulation.step();
    trace.row();
  }
  EXPECT_EQ(lines_of(path_).size(), 2u);
}

TEST_F(TraceTest, NamesThePathItCannotWrite) {
  Simulation simulation = load(OneJoint{});
  const auto failure = [&](const std::string& path) {
    try {
      Trace trace(simulation, path);
      for (int n = 0; n < 5000; ++n) {
        trace.row();
      }
      trace.close();
    } catch (const std::runtime_error& error) {
      return std::string(error.what());
    }
    return std::string("nothing thrown");
  };
  EXPECT_EQ(failure("/no/such/folder/x.csv"),
            std::string("cannot write the trace /no/such/folder/x.csv: ") + std::strerror(ENOENT));
  EXPECT_EQ(failure("/dev/full"),
            std::string("cannot write the trace /dev/full: ") + std::strerror(ENOSPC));
}

TEST_F(TraceTest, TellsAFailureOnceAndTakesNoMoreRows) {
  Simulation simulation = load(OneJoint{});
  const auto failure = [](const auto& call) {
    try {
      call();
    } catch (const std::runtime_error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const std::string full =
      std::string("cannot write the trace /dev/full: ") + std::strerror(ENOSPC);
  Trace trace(simulation, "/dev/full");
  std::string why;
  for (int n = 0; n < 50000 && why.empty(); ++n) {  // until a buffer is full
    why = failure([&] { trace.row(); });
  }
  EXPECT_EQ(why, full);
  EXPECT_EQ(failure([&] { trace.row(); }), "cannot write the trace /dev/full: it is closed");
  EXPECT_EQ(failure([&] { trace.close(); }), "");

  Trace closing(simulation, "/dev/full");
  closing.row();
  EXPECT_EQ(failure([&] { closing.close(); }), full);
  EXPECT_EQ(failure([&] { closing.close(); }), "");
}

}  // namespace
}  // namespace servosim::test
