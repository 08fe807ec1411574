// SPDX-License-Identifier: Apache-2.0
#include "sweep/sweep_plan.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <stdexcept>

namespace servosim {
namespace sweep_plan_test {

using Texts = std::vector<std::string>;

Texts values_of(const std::string& text) {
  const ParameterValues values(text);
  Texts all;
  for (std::uint64_t i = 0; i < values.size(); ++i) {
    all.push_back(values.value(i));
  }
  return all;
}

std::string refusal(const SweepVariation& variation) {
  try {
    const SweepPlan plan(variation);
    return fmt::format("{} runs", plan.size());
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

std::string refusal_of(const std::string& parameter) {
  return refusal(SweepVariation{.parameters = {parameter}});
}

std::vector<double> numbers_of(const SweepPlan& plan, std::size_t parameter) {
  std::vector<double> all;
  for (std::uint64_t k = 0; k < plan.size(); ++k) {
    all.push_back(std::stod(plan.run(k).values[parameter]));
  }
  return all;
}

TEST(ParameterValues, AreAGridOrAList) {
  EXPECT_EQ(values_of("a.b=1:2:5"), (Texts{"1", "1.25", "1.5", "1.75", "2"}));
  EXPECT_EQ(values_of("a.b=2:-2:3"), (Texts{"2", "0", "-2"}));
  EXPECT_EQ(values_of("a.b=0.1:0.7:4").back(), "0.7");
  EXPECT_EQ(values_of("a.b=5:5:1"), (Texts{"5"}));
  EXPECT_EQ(values_of(" a.b = 1 , 2.50,TRUE "), (Texts{"1", "2.50", "TRUE"}));
  EXPECT_EQ(values_of("a.b=0 0 1,[1, 2],Box { size 1, 1, 1 },\"x,y\""),
            (Texts{"0 0 1", "[1, 2]", "Box { size 1, 1, 1 }", "\"x,y\""}));
  EXPECT_EQ(values_of("a.b=http://x:1:2"), (Texts{"http://x:1:2"}));
  EXPECT_EQ(values_of("a.b=1:100:3:log"), (Texts{"1", "10", "100"}));
  for (const char* wide : {"a.b=1e-200:1e200:3:log", "a.b=-1e-200:-1e200:3:log"}) {
    EXPECT_NEAR(std::abs(std::stod(values_of(wide)[1])), 1.0, 1e-12) << wide;
  }
  EXPECT_NEAR(std::stod(values_of("a.b=1e-200:1e-190:3:log")[1]) * 1e195, 1.0, 1e-12);
  const Texts decades = values_of("a.b=0.01:10:4:log");
  ASSERT_EQ(decades.size(), 4u);
  EXPECT_EQ(decades[0], "0.01");
  EXPECT_NEAR(std::stod(decades[1]), 0.1, 1e-15);
  EXPECT_NEAR(std::stod(decades[2]), 1.0, 1e-14);
  EXPECT_EQ(decades[3], "10");
}

TEST(ParameterValues, ThatMeanNothingAreRefused) {
  EXPECT_EQ(refusal_of("a.b"),
            "parameter 'a.b': write OWNER.FIELD=VALUES, such as arm/shoulder.maxTorque=10:40:4, "
            "=10,20 or =normal(20,2)");
  EXPECT_EQ(refusal_of("=1"),
            "parameter '=1': write OWNER.FIELD=VALUES, such as arm/shoulder.maxTorque=10:40:4, "
            "=10,20 or =normal(20,2)");
  EXPECT_EQ(refusal_of("a.b="), "parameter 'a.b=': a value is missing");
  EXPECT_EQ(refusal_of("a.b=1,,2"), "parameter 'a.b=1,,2': a value is missing");
  for (const char* text : {"a.b=1:2", "a.b=1:2:x", "a.b=1:2:3:lin", "a.b=1:x:3", "a.b=1:inf:3",
                           "a.b=1:2:-3", "a.b=1:2:3:log:1"}) {
    EXPECT_EQ(refusal_of(text),
              fmt::format("parameter '{}': numbers from a to b are a:b:n with a whole number n, or "
                          "a:b:n:log",
                          text));
  }
  EXPECT_EQ(refusal_of("a.b=1:2:0"),
            "parameter 'a.b=1:2:0': 0 numbers: 1 to 1000000000000 are possible");
  EXPECT_EQ(refusal_of("a.b=1:2:1"),
            "parameter 'a.b=1:2:1': one number cannot go from a to b; write at least 2, or the "
            "number alone");
  EXPECT_EQ(refusal_of("a.b=-1:2:3:log"),
            "parameter 'a.b=-1:2:3:log': equal ratios go between two numbers above 0, or two below "
            "it");
  EXPECT_EQ(refusal_of("a.b=-1e308:1e308:3"),
            "parameter 'a.b=-1e308:1e308:3': the numbers are too far apart");
  EXPECT_EQ(refusal_of("a.b=norml(1,2)"),
            "parameter 'a.b=norml(1,2)': numbers are drawn by uniform(a,b), normal(m,s) or "
            "loguniform(a,b), not by 'norml'; did you mean 'normal'?");
  EXPECT_EQ(refusal_of("a.b=normal(1)"), "parameter 'a.b=normal(1)': normal needs two numbers");
  EXPECT_EQ(refusal_of("a.b=normal(1,x)"), "parameter 'a.b=normal(1,x)': normal needs two numbers");
  EXPECT_EQ(refusal_of("a.b=normal(1,-1)"),
            "parameter 'a.b=normal(1,-1)': a standard deviation is a number >= 0");
  EXPECT_EQ(refusal_of("a.b=uniform(2,1)"),
            "parameter 'a.b=uniform(2,1)': a range goes from the smaller number to the greater "
            "one");
  EXPECT_EQ(refusal_of("a.b=loguniform(0,1)"),
            "parameter 'a.b=loguniform(0,1)': the logarithm needs numbers above 0");
}

// These digits are those of Wichura's AS 241 and of tables.
TEST(NormalQuantile, IsThatOfTables) {
  EXPECT_NEAR(normal_quantile(0.5), 0.0, 1e-15);
  EXPECT_NEAR(normal_quantile(0.975), 1.9599639845400545, 1e-13);
  EXPECT_NEAR(normal_quantile(0.25), -0.6744897501960817, 1e-14);
  EXPECT_NEAR(normal_quantile(0.001), -3.090232306167813, 1e-13);
  EXPECT_NEAR(normal_quantile(1e-20), -9.262340089798408, 1e-11);
  EXPECT_TRUE(std::isfinite(normal_quantile(0x1p-60)));
  EXPECT_TRUE(std::isfinite(normal_quantile(1.0 - 0x1p-53)));
}

TEST(SweepPlan, MakesAllCombinationsSeedsFirst) {
  const SweepPlan plan({.parameters = {"a.x=1,2", "b.y=7:9:3"}, .seeds = "5,10..11"});
  ASSERT_EQ(plan.size(), 18u);
  EXPECT_EQ(plan.variants(), 6u);
  EXPECT_EQ(plan.parameters(), (Texts{"a.x", "b.y"}));
  std::set<std::string> different;
  for (std::uint64_t k = 0; k < plan.size(); ++k) {
    const SweepRun run = plan.run(k);
    EXPECT_EQ(run.number, k);
    EXPECT_EQ(run.variant, k / 3);
    EXPECT_EQ(run.seed, (std::array<std::int64_t, 3>{5, 10, 11}[k % 3]));
    EXPECT_EQ(run.values, (Texts{k < 9 ? "1" : "2", std::to_string(7 + k / 3 % 3)}));
    different.insert(fmt::format("{} {} {}", run.values[0], run.values[1], *run.seed));
  }
  EXPECT_EQ(different.size(), 18u);
  const auto settings = plan.settings(plan.run(17));
  ASSERT_EQ(settings.size(), 2u);
  EXPECT_EQ(settings[1].path, "b.y");
  EXPECT_EQ(settings[1].value, "9");
  EXPECT_EQ(settings[1].place, "b.y=9");
}

TEST(SweepPlan, TakesNoMemoryForItsRuns) {
  const SweepPlan plan({.parameters = {"a.x=0:1:1000000001", "b.y=0:1:1000000"}});
  EXPECT_EQ(plan.size(), 1000000001000000u);
  EXPECT_EQ(plan.run(plan.size() - 1).values, (Texts{"1", "1"}));
  EXPECT_EQ(plan.run(500000000 * std::uint64_t{1000000}).values, (Texts{"0.5", "0"}));
}

TEST(SweepPlan, ReadsVariantsFromCommaSeparatedValues) {
  const SweepPlan plan(
      {.parameters = {"c.z=1,2"},
       .variants = "\xef\xbb\xbf a.x , b.y\r\n1,\"0, 1\"\r\n\n 2 ,\"say \"\"x\"\"\"",
       .seeds = ""});
  ASSERT_EQ(plan.size(), 4u);
  EXPECT_EQ(plan.parameters(), (Texts{"a.x", "b.y", "c.z"}));
  EXPECT_EQ(plan.run(0).values, (Texts{"1", "0, 1", "1"}));
  EXPECT_EQ(plan.run(1).values, (Texts{"1", "0, 1", "2"}));
  EXPECT_EQ(plan.run(2).values, (Texts{"2", "say \"x\"", "1"}));
  EXPECT_FALSE(plan.run(2).seed);
}

TEST(SweepPlan, RefusesWhatIsNoSweep) {
  EXPECT_EQ(refusal(SweepVariation()),
            "nothing varies: give parameters, a file of variants, or seeds");
  EXPECT_EQ(refusal({.parameters = {"a.b=1", "a.b=2"}}),
            "parameter 'a.b' is given twice: give all of its values at once");
  EXPECT_EQ(refusal({.parameters = {"a.b=1"}, .variants = "a.b\n1\n"}),
            "parameter 'a.b' is given twice: give all of its values at once");
  EXPECT_EQ(refusal({.parameters = {"a.b=1,2"}, .samples = 5}),
            "samples are of parameters that are drawn, and none is: write PATH=uniform(a,b), "
            "=normal(m,s) or =loguniform(a,b)");
  EXPECT_EQ(refusal({.parameters = {"a.b=1,2"}, .latin_hypercube = true}),
            "samples are of parameters that are drawn, and none is: write PATH=uniform(a,b), "
            "=normal(m,s) or =loguniform(a,b)");
  EXPECT_EQ(refusal_of("a.b=uniform(0,1)"),
            "parameter 'a.b' is drawn, but not how often: give the number of samples");
  EXPECT_EQ(refusal({.parameters = {"a.b=uniform(0,1)"}, .samples = 0}),
            "0 samples: at least 1 is needed, 1000000000000000000 are the most");
  EXPECT_EQ(refusal({.seeds = "1..x"}),
            "seeds '1..x': 'x' is no whole number >= 0; write 1..100 or 1,5,9");
  EXPECT_EQ(refusal({.seeds = "-1"}),
            "seeds '-1': '-1' is no whole number >= 0; write 1..100 or 1,5,9");
  EXPECT_EQ(refusal({.seeds = "1,"}),
            "seeds '1,': '' is no whole number >= 0; write 1..100 or 1,5,9");
  EXPECT_EQ(refusal({.seeds = "9..7"}), "seeds '9..7': 9..7 is no range: 7 is less than 9");
  EXPECT_EQ(refusal({.seeds = "5..9,1,7"}), "seeds '5..9,1,7': 7 is there twice");
  EXPECT_EQ(refusal({.parameters = {"a.b=0:1:1000000000000", "c.d=0:1:1000000000000"}}),
            "the sweep has more than 1000000000000000000 runs");
  EXPECT_EQ(
      refusal({.variants = "a.b\n", .variants_name = "v.csv"}),
      "v.csv: there are no variants: the first line has paths of fields, each other one their "
      "values");
  EXPECT_EQ(refusal({.variants = "a.b,c.d\n1,2\n3\n", .variants_name = "v.csv"}),
            "v.csv:3: 1 values for 2 parameters");
  EXPECT_EQ(refusal({.variants = "a.b,c.d\n1, \n", .variants_name = "v.csv"}),
            "v.csv:2: 'c.d' has no value");
  EXPECT_EQ(refusal({.variants = "a.b,\n1,2\n", .variants_name = "v.csv"}),
            "v.csv:1: column 2 has no name: the first line has paths of fields, such as "
            "arm/shoulder.maxTorque");
}

// The mean of n draws has the standard error sd/sqrt(n), and their standard deviation has
// sd/sqrt(2n). The tolerances are four of these.
TEST(SweepPlan, DrawsFromTheDistributions) {
  constexpr std::uint64_t kSamples = 20000;
  const SweepPlan plan(
      {.parameters = {"a.n=normal(3,0.5)", "a.u=uniform(-1,3)", "a.l=loguniform(0.01,100)"},
       .samples = kSamples,
       .draw_seed = 7});
  ASSERT_EQ(plan.size(), kSamples);
  const auto check = [](const std::vector<double>& numbers, double mean, double deviation) {
    const double n = static_cast<double>(numbers.size());
    const double found = std::accumulate(numbers.begin(), numbers.end(), 0.0) / n;
    double squares = 0.0;
    for (const double x : numbers) {
      squares += (x - found) * (x - found);
    }
    EXPECT_NEAR(found, mean, 4.0 * deviation / std::sqrt(n));
    EXPECT_NEAR(std::sqrt(squares / n), deviation, 4.0 * deviation / std::sqrt(2.0 * n));
  };
  check(numbers_of(plan, 0), 3.0, 0.5);
  check(numbers_of(plan, 1), 1.0, 4.0 / std::sqrt(12.0));
  std::vector<double> logarithms = numbers_of(plan, 2);
  for (double& x : logarithms) {
    EXPECT_GE(x, 0.01);
    EXPECT_LE(x, 100.0);
    x = std::log10(x);
  }
  check(logarithms, 0.0, 4.0 / std::sqrt(12.0));
  double product = 0.0;  // two parameters are independent of each other
  const std::vector<double> normal = numbers_of(plan, 0);
  const std::vector<double> uniform = numbers_of(plan, 1);
  for (std::uint64_t i = 0; i < kSamples; ++i) {
    product += (normal[i] - 3.0) / 0.5 * (uniform[i] - 1.0) / (4.0 / std::sqrt(12.0));
  }
  EXPECT_NEAR(product / kSamples, 0.0, 4.0 / std::sqrt(kSamples));
}

TEST(SweepPlan, DrawsTheSameForASeedWhateverElseVaries) {
  const SweepPlan alone({.parameters = {"a.u=uniform(0,1)"}, .samples = 10, .draw_seed = 1});
  const SweepPlan beside({.parameters = {"b.x=1,2", "a.u=uniform(0,1)", "c.n=normal(0,1)"},
                          .seeds = "1..2",
                          .samples = 10,
                          .draw_seed = 1});
  const SweepPlan other({.parameters = {"a.u=uniform(0,1)"}, .samples = 10, .draw_seed = 2});
  for (std::uint64_t i = 0; i < 10; ++i) {
    EXPECT_EQ(alone.run(i).values[0], beside.run(2 * i).values[1]);
    EXPECT_EQ(alone.run(i).values[0], beside.run(20 + 2 * i + 1).values[1]);
    EXPECT_NE(alone.run(i).values[0], other.run(i).values[0]);
  }
}

class LatinHypercube : public testing::TestWithParam<std::uint64_t> {};

TEST_P(LatinHypercube, HasOneSampleInEachStratum) {
  const std::uint64_t count = GetParam();
  const SweepPlan plan({.parameters = {"a.u=uniform(0,1)", "a.v=uniform(0,1)", "a.n=normal(0,1)"},
                        .samples = count,
                        .draw_seed = 3,
                        .latin_hypercube = true});
  for (const std::size_t parameter : {0u, 1u, 2u}) {
    std::vector<int> strata(count);
    for (const double x : numbers_of(plan, parameter)) {
      const double share = parameter < 2 ? x : 0.5 * std::erfc(-x / std::sqrt(2.0));
      const auto stratum = static_cast<std::uint64_t>(share * static_cast<double>(count));
      ASSERT_LT(stratum, count);
      ++strata[stratum];
    }
    EXPECT_EQ(std::count(strata.begin(), strata.end(), 1), static_cast<std::ptrdiff_t>(count));
  }
  if (count > 10) {  // the strata of two parameters are not correlated
    EXPECT_NE(numbers_of(plan, 0), numbers_of(plan, 1));
    const std::vector<double> numbers = numbers_of(plan, 0);
    EXPECT_FALSE(std::is_sorted(numbers.begin(), numbers.end()));
  }
}

INSTANTIATE_TEST_SUITE_P(Counts, LatinHypercube, testing::Values(1, 2, 3, 16, 17, 100, 1000, 4097));

TEST(SweepPlan, RefusesALineBreakInACellOfAVariant) {
  EXPECT_EQ(refusal(SweepVariation{.variants = "a.b,c.d\n1,\"x\ny\"\n"}),
            "variants:2: a cell in quotes does not end in its line: a value may have no line "
            "break, and a quote in quotes is written twice");
}

TEST(SweepPlan, ListsTheValuesThatAreGivenOneByOne) {
  const SweepPlan plan(
      SweepVariation{.parameters = {"e.f=5,6", "g.h=1:3:3"}, .variants = "a.b,c.d\n1,x\n2,x\n"});
  EXPECT_EQ(plan.listed_values(0), (Texts{"1", "2"}));
  EXPECT_EQ(plan.listed_values(1), (Texts{"x"}));
  EXPECT_EQ(plan.listed_values(2), (Texts{"5", "6"}));
  EXPECT_EQ(plan.listed_values(3), Texts());
}

}  // namespace sweep_plan_test
}  // namespace servosim
