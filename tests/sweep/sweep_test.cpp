// SPDX-License-Identifier: Apache-2.0
#include "sweep/sweep.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <stdexcept>

#include "batch/batch_worlds.h"
#include "run/test_support.h"
#include "sim/run_metrics.h"
#include "sim/world_control.h"

namespace servosim {
namespace sweep_test {

using test::TempFolder;

// At this speed the robot leaves the range that can be simulated.
constexpr const char* kFarRobot = R"(
Robot { name "far" translation 9.999e8 0 0 physics Physics { } boundingObject Sphere { } })";

class SweepTest : public testing::Test {
 protected:
  SweepOptions options(std::vector<std::string> parameters, std::string seeds = "") const {
    SweepOptions options;
    options.world = world;
    options.variation.parameters = std::move(parameters);
    options.variation.seeds = std::move(seeds);
    options.duration = 0.4;
    options.load.notice = [](std::string_view) {};
    return options;
  }
  static std::string refusal(const SweepOptions& options) {
    try {
      const Sweep sweep(options);
      return "none";
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
  }
  // Returns all rows by run, without the times that they took.
  static std::map<std::int64_t, SweepRow> rows_of(const Sweep& sweep, std::size_t threads,
                                                  std::vector<std::uint64_t> numbers = {}) {
    if (numbers.empty()) {
      numbers.resize(sweep.plan().size());
      std::iota(numbers.begin(), numbers.end(), 0);
    }
    std::map<std::int64_t, SweepRow> rows;
    const auto take = [&](const SweepRow& row) {
      SweepRow& kept = rows[std::get<std::int64_t>(row[sweep.column("run")])];
      EXPECT_TRUE(kept.empty());
      EXPECT_GT(std::get<double>(row[sweep.column("wall_time")]), 0.0);
      kept = row;
      kept[sweep.column("wall_time")] = std::monostate();
    };
    EXPECT_TRUE(
        sweep.run({numbers.size(), [&](std::uint64_t i) { return numbers[i]; }}, threads, take));
    return rows;
  }
  template <typename Value>
  static Value value(const Sweep& sweep, const SweepRow& row, const std::string& column) {
    return std::get<Value>(row[sweep.column(column)]);
  }

  TempFolder folder;
  std::string world = folder.write("cart.wbt", test::cart_pole());
};

// Each row equals the result of a simulation that was loaded with the settings.
TEST_F(SweepTest, RowsAreThoseOfWorldsThatAreLoadedWithTheSettings) {
  const Sweep sweep(options({"POLE.physics.mass=0.1:0.4:3", "r/cart.maxForce=20,30"}, "1..3"));
  const auto rows = rows_of(sweep, 1);
  ASSERT_EQ(rows.size(), 18u);
  for (const auto& [number, row] : rows) {
    const SweepRun run = sweep.plan().run(static_cast<std::uint64_t>(number));
    LoadOptions load;
    load.settings = sweep.plan().settings(run);
    load.random_seed = run.seed;
    Simulation simulation(world, load);
    RunMetrics metrics(simulation, watch(simulation, {}));
    for (int i = 0; i < 50; ++i) {
      simulation.step();
      metrics.update(simulation.time());
    }
    EXPECT_EQ(value<std::string>(sweep, row, "state_hash"),
              fmt::format("{:016x}", simulation.state_hash()));
    EXPECT_EQ(value<std::int64_t>(sweep, row, "steps"), 50);
    EXPECT_EQ(value<std::int64_t>(sweep, row, "exit_code"), 0);
    EXPECT_EQ(value<std::int64_t>(sweep, row, "seed"), *run.seed);
    EXPECT_EQ(value<double>(sweep, row, "simulated_time"), simulation.time());
    const RunMetrics::JointMetrics& pole = metrics.joints()[1];
    EXPECT_EQ(value<double>(sweep, row, "r/pole angle.start"), pole.start);
    EXPECT_EQ(value<double>(sweep, row, "r/pole angle.position.final"), pole.position.final);
    EXPECT_EQ(value<double>(sweep, row, "r/pole angle.velocity.max_time"), pole.velocity.max_time);
    EXPECT_EQ(value<double>(sweep, row, "r/cart.effort.min"), metrics.joints()[0].effort.min);
  }
  EXPECT_NE(rows.at(0)[sweep.column("state_hash")], rows.at(6)[sweep.column("state_hash")]);
}

// No controller carries the sensor's noise into the motion here, so the test reads the sensor.
TEST_F(SweepTest, ASeedIsThatOfAFreshWorldAlsoAfterOtherRuns) {
  const auto noise = [](Simulation& simulation) {
    PositionSensor& encoder = simulation.robot(0).position_sensor("encoder");
    encoder.enable(8, 0.0);
    std::array<double, 2> values{};
    for (double& value : values) {
      simulation.step();
      value = encoder.value();
    }
    return values;
  };
  Simulation simulation(world, {});
  noise(simulation);
  for (const std::int64_t seed : {3, 8}) {
    simulation.reset();
    WorldControl(simulation).set_seed(seed);
    LoadOptions load;
    load.random_seed = seed;
    Simulation fresh(world, load);
    EXPECT_EQ(noise(simulation), noise(fresh)) << seed;
  }
}

TEST_F(SweepTest, RowsDoNotDependOnThreadsShardsOrOrder) {
  const Sweep sweep(options({"POLE.physics.mass=0.1:0.4:7"}, "1..9"));
  const auto one = rows_of(sweep, 1);
  ASSERT_EQ(one.size(), 63u);
  EXPECT_EQ(rows_of(sweep, 4), one);
  EXPECT_EQ(rows_of(Sweep(options({"POLE.physics.mass=0.1:0.4:7"}, "1..9")), 2), one);
  auto some = rows_of(sweep, 2, {50, 3, 62});
  some.merge(rows_of(sweep, 1, {0, 4}));
  for (const auto& [number, row] : some) {
    EXPECT_EQ(row, one.at(number));
  }
  SweepRow alone = sweep.run(17);
  alone[sweep.column("wall_time")] = std::monostate();
  EXPECT_EQ(alone, one.at(17));
}

TEST_F(SweepTest, FailuresAreRows) {
  SweepOptions far =
      options({"POLE.physics.mass=0.2,wrong,-5", "far.linearVelocity=0 0 0,9e8 0 0"});
  far.world = folder.write("far.wbt", test::cart_pole() + kFarRobot);
  const Sweep sweep(far);
  const auto rows = rows_of(sweep, 2);
  ASSERT_EQ(rows.size(), 6u);
  const auto code = [&](std::int64_t run) {
    return value<std::int64_t>(sweep, rows.at(run), "exit_code");
  };
  EXPECT_EQ(code(0), Sweep::Ok);
  EXPECT_EQ(code(1), Sweep::Failed);
  EXPECT_NE(value<std::string>(sweep, rows.at(1), "message").find("diverged"), std::string::npos);
  EXPECT_LT(value<std::int64_t>(sweep, rows.at(1), "steps"), 50);
  EXPECT_EQ(code(2), Sweep::BadInput);
  EXPECT_EQ(value<std::string>(sweep, rows.at(2), "message"),
            "POLE.physics.mass=wrong:1:19: error: expected a number, found 'wrong'");
  EXPECT_EQ(code(4), Sweep::BadInput);  // the simulation replaces the mass
  EXPECT_TRUE(
      value<std::string>(sweep, rows.at(4), "message").starts_with("POLE.physics.mass=-5:1:19: "));
}

TEST_F(SweepTest, RefusesWhatTheWorldDoesNotHave) {
  const std::string unknown = refusal(options({"POLE.physics.maas=1,2"}));
  EXPECT_TRUE(unknown.starts_with("parameter 'POLE.physics.maas': ")) << unknown;
  EXPECT_NE(unknown.find("'mass'"), std::string::npos) << unknown;
  EXPECT_TRUE(refusal(options({"POLES.physics.mass=1,2"})).find("POLE'") != std::string::npos);
  SweepOptions contradiction = options({"POLE.physics.mass=1,2"});
  contradiction.load.settings = {{"POLE.physics.mass", "1"}};
  EXPECT_EQ(refusal(contradiction),
            "'POLE.physics.mass' is both set for all runs and a parameter: remove one");
  EXPECT_EQ(refusal(options({"WorldInfo.randomSeed=1,2"}, "1..2")),
            "seeds, a seed and the parameter WorldInfo.randomSeed exclude each other");
  contradiction = options({"POLE.physics.mass=1,2"});
  contradiction.steps = 5;
  EXPECT_EQ(refusal(contradiction), "a duration and a number of steps exclude each other");
  contradiction = options({"POLE.physics.mass=1,2"});
  contradiction.watch = {"nothing"};
  EXPECT_TRUE(refusal(contradiction).starts_with("no joint or propeller matches 'nothing'"));
  contradiction.world = folder / "none.wbt";
  EXPECT_THROW(Sweep{contradiction}, LoadError);
}

// A node that is the value of one parameter has a field for another parameter.
TEST_F(SweepTest, AParameterMayBeInANodeThatAnotherOneSets) {
  const Sweep sweep(options({"CART.physics=Physics { density -1 mass 2 centerOfMass [ 0 0 0 ] }",
                             "CART.physics.centerOfMass=0 0 0.01,0 0 0.02"}));
  const auto rows = rows_of(sweep, 1);
  EXPECT_EQ(value<std::int64_t>(sweep, rows.at(1), "exit_code"), Sweep::Ok);
}

TEST_F(SweepTest, ItsIdIsThatOfItsContents) {
  const auto id = [](const SweepOptions& options) { return Sweep(options).id(); };
  const SweepOptions first = options({"POLE.physics.mass=1,2"}, "1..2");
  const std::string known = id(first);
  EXPECT_EQ(known.size(), 16u);
  EXPECT_EQ(known[0], 's');
  EXPECT_EQ(id(first), known);
  const TempFolder elsewhere;
  SweepOptions other = first;
  other.world = elsewhere.write("moved.wbt", test::cart_pole());
  EXPECT_EQ(id(other), known);
  other.world = elsewhere.write("edited.wbt", test::cart_pole() + "\n");
  EXPECT_NE(id(other), known);
  EXPECT_NE(id(options({"POLE.physics.mass=1,3"}, "1..2")), known);
  EXPECT_NE(id(options({"POLE.physics.mass=1,2"}, "1..3")), known);
  other = first;
  other.duration = 0.5;
  EXPECT_NE(id(other), known);
  other = first;
  other.load.settings = {{"CART.physics.mass", "2"}};
  EXPECT_NE(id(other), known);
  other = first;
  other.controllers = {"r=x"};
  EXPECT_NE(id(other), known);
}

TEST_F(SweepTest, ARowIsOneLineWhateverItsValuesHave) {
  const Sweep sweep(options({"CART.name=a\nb,c"}));
  const auto rows = rows_of(sweep, 1);
  EXPECT_EQ(value<std::string>(sweep, rows.at(0), "CART.name"), "a\\nb");
  for (const SweepValue& cell : rows.at(0)) {
    const auto* text = std::get_if<std::string>(&cell);
    EXPECT_TRUE(text == nullptr || text->find('\n') == std::string::npos) << *text;
  }
}

TEST_F(SweepTest, AnInterruptEndsAllRuns) {
  SweepOptions endless = options({"POLE.physics.mass=0.1:0.4:1000000000000"});
  endless.duration = 1e9;
  const Sweep sweep(endless);
  int asked = 0;
  const auto no_row = [](const SweepRow&) { ADD_FAILURE(); };
  EXPECT_FALSE(sweep.run({sweep.plan().size(), [](std::uint64_t i) { return i; }}, 2, no_row,
                         [&asked] { return ++asked == 3; }));
  EXPECT_EQ(asked, 3);
}

// This also holds for a plan with more runs than a number can count.
TEST_F(SweepTest, WhatTakesTheRowsMayEndIt) {
  const Sweep sweep(
      options({"POLE.physics.mass=0.1:0.4:1000000000", "r/cart.maxForce=1:2:1000000"}));
  int taken = 0;
  const auto full = [&taken](const SweepRow&) {
    ++taken;
    throw std::runtime_error("full");
  };
  EXPECT_THROW(sweep.run({sweep.plan().size(), [](std::uint64_t i) { return i; }}, 3, full),
               std::runtime_error);
  EXPECT_EQ(taken, 1);
}

}  // namespace sweep_test
}  // namespace servosim
