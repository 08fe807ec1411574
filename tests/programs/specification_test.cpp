// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "base/raw_client.h"
#include "programs/processes.h"
#include "programs/program.h"

namespace servosim {
namespace {

using test::contains;
using test::Program;
using test::Project;
using test::TempFolder;

// A mass between a spring and a damper is released at 0.1 m: x'' + 2 z w x' + w² x = 0.
constexpr double kStart = 0.1;  // [m]
constexpr double kMass = 2.0;   // [kg]
constexpr double kOmega = 5.0;  // w [rad/s]
constexpr double kZeta = 0.2;   // z

std::string oscillator() {
  return fmt::format(R"(#VRML_SIM R2023b utf8
WorldInfo {{
  gravity 0
  basicTimeStep 1
}}
Robot {{
  name "mass"
  controller "<none>"
  children [
    SliderJoint {{
      jointParameters JointParameters {{
        axis 1 0 0
        springConstant {}
        dampingConstant {}
      }}
      endPoint Solid {{
        name "cart"
        boundingObject Sphere {{
          radius 0.02
        }}
        physics Physics {{
          density -1
          mass {}
        }}
      }}
    }}
  ]
}}
)",
                     kMass * kOmega * kOmega, 2.0 * kZeta * kOmega * kMass, kMass);
}

double damped_omega() { return kOmega * std::sqrt(1.0 - kZeta * kZeta); }

// Returns the share of the distance from kStart to 0 that is covered at `t`.
double share_at(double t) {
  const double w = damped_omega();
  return 1.0 -
         std::exp(-kZeta * kOmega * t) * (std::cos(w * t) + kZeta * kOmega / w * std::sin(w * t));
}

// Returns the first time at which `share` of the distance is covered.
double time_of(double share) {
  double low = 0.0;
  double high = std::numbers::pi / damped_omega();  // time of the peak
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (share_at(middle) < share ? low : high) = middle;
  }
  return low;
}

double settling_time() {
  double last = 0.0;
  for (double t = 0.0; t < 8.0; t += 1e-4) {
    last = std::abs(share_at(t) - 1.0) > 0.02 ? t : last;
  }
  return last;
}

class SpecificationTest : public testing::Test {
 protected:
  struct Tried {
    int status;
    std::string out;
    std::string err;
  };

  SpecificationTest() { folder.write("mass.wbt", oscillator()); }

  Tried test(const std::string& text, std::vector<std::string> more = {}) {
    folder.write("s.toml", text);
    std::vector<std::string> arguments{"test", "s.toml"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    Program program(arguments, {folder.path()});
    const int status = program.finish();
    return {status, program.out(), program.err()};
  }

  // Returns a specification for the oscillator.
  static std::string with(const std::string& expectations, double duration = 3.0) {
    return fmt::format(
        "world = \"mass.wbt\"\nduration = {}\n[parameters]\n"
        "\"mass/cart.position\" = {}\n{}",
        duration, kStart, expectations);
  }

  TempFolder folder;
};

TEST_F(SpecificationTest, MetricsAreThoseOfASecondOrderSystem) {
  const struct {
    const char* key;
    double value;
  } cases[]{{"overshoot", std::exp(-std::numbers::pi * kZeta / std::sqrt(1.0 - kZeta * kZeta))},
            {"rise_time", time_of(0.9) - time_of(0.1)},
            {"settling_time", settling_time()}};
  // The integration by steps of 1 ms adds about w h / 2 = 0.25 % of damping.
  constexpr double kTolerance = 0.01;
  for (const auto& each : cases) {
    for (const double factor : {1.0 - kTolerance, 1.0 + kTolerance}) {
      const Tried tried =
          test(with(fmt::format("[[expect]]\njoint = \"mass/cart\"\ntarget = 0\n{} = {}\n",
                                each.key, factor * each.value),
                    8.0));
      EXPECT_EQ(tried.status, factor > 1.0 ? 0 : 1) << each.key << ' ' << each.value << '\n'
                                                    << tried.out << tried.err;
    }
  }
}

TEST_F(SpecificationTest, BoundsFinalValuesAndSteadyStates) {
  const double low = -kStart * std::exp(-std::numbers::pi * kZeta / std::sqrt(1.0 - kZeta * kZeta));
  const struct {
    std::string expectation;
    bool holds;
  } cases[]{
      {fmt::format("position = [{}, 0.1001]", 1.01 * low), true},
      {fmt::format("position = [{}, 0.1001]", 0.99 * low), false},
      {"position = [-inf, 0.05]", false},
      {"position = [-inf, 0.05]\nfrom = 1", true},
      {"velocity = [-0.4, 0.4]", true},  // w x0 exp(-z ...) is 0.37 m/s
      {"velocity = [-0.3, 0.4]", false},
      {"effort = [-6, 6]", true},  // k x0 is 5 N
      {"effort = [-3, 3]", false},
      {fmt::format("final = {}\ntolerance = 0.001", kStart * (1.0 - share_at(0.5))), false},
      {fmt::format("to = 0.5\nfinal = {}\ntolerance = 0.001", kStart * (1.0 - share_at(0.5))),
       true},
      {"target = 0\nsteady_state_error = 0.001\n", true},
      {"target = 0.05\nsteady_state_error = 0.04\n", false},
  };
  for (const auto& each : cases) {
    const Tried tried = test(with("[[expect]]\njoint = \"cart\"\n" + each.expectation + '\n', 8.0));
    EXPECT_EQ(tried.status, each.holds ? 0 : 1) << each.expectation << '\n'
                                                << tried.out << tried.err;
    EXPECT_EQ(contains(tried.out, "FAILED"), !each.holds) << tried.out;
  }
}

TEST_F(SpecificationTest, TellsWhatFailedWhereAndDrawsIt) {
  const Tried tried = test(with("[[expect]]\njoint = \"cart\"\nposition = [0, 1]\n"
                                "[[expect]]\njoint = \"cart\"\nvelocity = [-1, 1]\n"),
                           {"--junit", "r.xml", "--figures", "drawn"});
  EXPECT_EQ(tried.status, 1) << tried.err;
  EXPECT_TRUE(contains(tried.out, "FAILED  cart position: expected 0 to 1 m; came -0.05"))
      << tried.out;
  EXPECT_TRUE(contains(tried.out, "figure: drawn/s-1.svg\n")) << tried.out;
  EXPECT_TRUE(contains(tried.out, "1 specification: 2 of 3 expectations held\n")) << tried.out;
  const std::string svg = test::read_text(folder / "drawn/s-1.svg");
  EXPECT_TRUE(contains(svg, "mass/cart"));
  EXPECT_TRUE(contains(svg, "expected")) << "the bound, in the legend";
  const std::string xml = test::read_text(folder / "r.xml");
  for (const char* part :
       {"<testsuite name=\"s.toml\" tests=\"3\" failures=\"1\" errors=\"0\"",
        "<testcase classname=\"s.toml\" name=\"run\" file=\"s.toml\" line=\"1\" time=",
        "<failure message=\"expected 0 to 1 m;", "</testsuites>\n"}) {
    EXPECT_TRUE(contains(xml, part)) << part << '\n' << xml;
  }
}

// The second of three runs is at work when the signal comes.
TEST_F(SpecificationTest, WhatASignalHasInterruptedIsAnError) {
  const std::string expectation = "[[expect]]\njoint = \"cart\"\nposition = [-1, 1]\n";
  folder.write("a.toml", with(expectation, 0.1));
  folder.write("b.toml", with(expectation, 1e7));
  folder.write("c.toml", with(expectation, 0.1));
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    Program program({"test", "a.toml", "b.toml", "c.toml", "--junit", "r.xml"}, {folder.path()});
    ASSERT_TRUE(program.wait_for_output("a.toml: mass.wbt\n"));
    ASSERT_TRUE(net::becomes([&] { return !test::children_of(program.pid()).empty(); }));
    program.send_signal(number);
    EXPECT_EQ(program.finish(), 128 + number) << program.err();
    const std::string name = std::string("SIG") + ::sigabbrev_np(number);
    for (const std::string& line :
         {fmt::format("\nb.toml: did not end, interrupted by {}\n", name),
          fmt::format("\nc.toml: was not run, interrupted by {}\n", name),
          std::string("\n3 specifications: 2 of 2 expectations held, 2 could not be tried\n")}) {
      EXPECT_TRUE(contains(program.out(), line)) << line << program.out();
    }
    const std::string xml = test::read_text(folder / "r.xml");
    EXPECT_TRUE(contains(xml, "\"a.toml\" tests=\"2\" failures=\"0\" errors=\"0\"")) << xml;
    for (const char* suite : {"b.toml", "c.toml"}) {
      EXPECT_TRUE(
          contains(xml, fmt::format("\"{}\" tests=\"1\" failures=\"0\" errors=\"1\"", suite)))
          << xml;
    }
  }
}

TEST_F(SpecificationTest, OneThatExpectsNothingIsRefused) {
  const std::string world = "world = \"mass.wbt\"\nsteps = 5\n";
  for (const std::string& text :
       {std::string(), std::string("# nothing\n"), world, world + "expect = []\n",
        world + "[[expect]]\n", world + "[expect]\n", world + "[[expect]]\njoint = \"cart\"\n"}) {
    const Tried tried = test(text, {"--junit", "r.xml"});
    EXPECT_EQ(tried.status, 2) << text << tried.out;
    EXPECT_TRUE(contains(tried.out, "1 specification: 0 of 0 expectations held, 1 could not"))
        << tried.out;
    EXPECT_TRUE(contains(test::read_text(folder / "r.xml"), "errors=\"1\"")) << text;
  }
}

// Every kind of expectation is drawn in the figure when it fails.
TEST_F(SpecificationTest, DrawsWhatWasExpected) {
  for (const char* expectation :
       {"target = 0\nsettling_time = 0.2", "target = 0\novershoot = 0.01",
        "target = 0\nrise_time = 0.01", "target = 0.05\nsteady_state_error = 0.04",
        "velocity = [-0.3, 9]", "effort = [-3, 3]", "final = 0.09\ntolerance = 0.001"}) {
    const Tried tried = test(with(fmt::format("[[expect]]\njoint = \"cart\"\n{}\n", expectation)),
                             {"--figures", "drawn"});
    EXPECT_EQ(tried.status, 1) << expectation << '\n' << tried.out << tried.err;
    EXPECT_TRUE(contains(test::read_text(folder / "drawn/s-1.svg"), ">expected<") ||
                contains(test::read_text(folder / "drawn/s-1.svg"), "expected</tspan>"))
        << expectation;
  }
}

TEST_F(SpecificationTest, BodiesThatStayUprightAndDoNotTouch) {
  folder.write("fall.wbt", R"(#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 8 }
Solid { name "floor" boundingObject Plane { size 4 4 } }
Solid {
  translation 0 0 0.35 rotation 0 1 0 0.3 name "pole"
  boundingObject Box { size 0.05 0.05 0.6 } physics Physics { density -1 mass 0.5 }
}
Solid {
  translation 1 0 0.1 name "box"
  boundingObject Box { size 0.2 0.2 0.2 } physics Physics { density -1 mass 0.5 }
}
)");
  const struct {
    const char* expectation;
    bool holds;
  } cases[]{{"upright = \"pole\"", false},
            {"upright = \"pole\"\nto = 0.05", true},
            {"upright = \"pole\"\ntilt = 3.1", true},
            {"upright = \"box\"", true},
            {"no_contact = [\"pole\", \"box\"]", true},
            {"no_contact = [\"floor\", \"pole\"]", false},
            {"no_contact = [\"floor\", \"pole\"]\nto = 0.016", true}};
  for (const auto& each : cases) {
    const Tried tried =
        test(fmt::format("world = \"fall.wbt\"\nsteps = 200\n[[expect]]\n{}\n", each.expectation));
    EXPECT_EQ(tried.status, each.holds ? 0 : 1) << each.expectation << '\n'
                                                << tried.out << tried.err;
  }
}

TEST_F(SpecificationTest, GoldenTraces) {
  Program run({"run", "mass.wbt", "--duration", "1", "--quiet", "--trace", "golden.csv", "--set",
               "mass/cart.position=0.1"},
              {folder.path()});
  ASSERT_EQ(run.finish(), 0) << run.err();
  const std::string golden = "[[expect]]\ngolden = \"golden.csv\"\n";
  EXPECT_EQ(test(with(golden, 1.0)).status, 0);
  EXPECT_EQ(test(with(golden, 1.1)).status, 1);
  std::string heavier = with(golden, 1.0);
  heavier.replace(heavier.find("[[expect]]"), 0, "\"mass/cart.physics.mass\" = 2.001\n");
  const Tried tried = test(heavier);
  EXPECT_EQ(tried.status, 1) << tried.err;
  EXPECT_TRUE(contains(tried.out, "at 0.001 s")) << tried.out;
  EXPECT_EQ(test(heavier + "atol = 0.01\n").status, 0);
}

TEST_F(SpecificationTest, GoldenTracesWithPoses) {
  Program run({"run", "mass.wbt", "--duration", "0.1", "--quiet", "--trace", "golden.csv",
               "--watch=*", "--watch=*.pose", "--set", "mass/cart.position=0.1"},
              {folder.path()});
  ASSERT_EQ(run.finish(), 0) << run.err();
  ASSERT_TRUE(contains(test::read_text(folder / "golden.csv"), "mass/cart.pose qx"));
  const Tried tried = test(with("[[expect]]\ngolden = \"golden.csv\"\n", 0.1));
  EXPECT_EQ(tried.status, 0) << tried.out << tried.err;
}

TEST_F(SpecificationTest, WindowsWithoutAStepFail) {
  for (const char* expectation :
       {"joint = \"cart\"\nposition = [-1, 1]", "upright = \"mass/cart\"\ntilt = 4",
        "no_contact = [\"mass\", \"mass/cart\"]"}) {
    for (const auto& [steps, window] :
         {std::pair{10, "from = 1"}, {10, "from = 0.0041\nto = 0.0042"}, {0, ""}}) {
      const Tried tried = test(fmt::format("world = \"mass.wbt\"\nsteps = {}\n[[expect]]\n{}\n{}\n",
                                           steps, expectation, window));
      EXPECT_EQ(tried.status, 1) << expectation << tried.err;
      EXPECT_TRUE(contains(tried.out, "came no step is in this window\n"))
          << expectation << ' ' << steps << window << '\n'
          << tried.out;
    }
  }
}

// The names have characters of globs, and one name matches the other.
TEST_F(SpecificationTest, FiguresAndTracesOfSeveral) {
  std::string world = oscillator();
  world.replace(world.find("\"cart\""), 6, "\"[c]*\"");
  folder.write("a/w.wbt", world);
  const std::string text =
      "world = \"{}w.wbt\"\nsteps = 5\n[[expect]]\njoint = \"mass/[c]*\"\nposition = [1, 2]\n";
  folder.write("a/s.toml", fmt::format(fmt::runtime(text), ""));
  const Tried tried =
      test(fmt::format(fmt::runtime(text), "a/"), {"a/s.toml", "--figures", "drawn"});
  EXPECT_EQ(tried.status, 1) << tried.err;
  for (const char* part :
       {"figure: drawn/s-1.svg\n", "figure: drawn/s-2-1.svg\n", "trace: drawn/s.csv\n",
        "trace: drawn/s-2.csv\n", "replay: drawn/s-2.svt\n"}) {
    EXPECT_TRUE(contains(tried.out, part)) << part << tried.out;
  }
  EXPECT_TRUE(contains(test::read_text(folder / "drawn/s-2.csv"), "mass/[c]* position"));
}

TEST_F(SpecificationTest, ControllersThatFailAsExpected) {
  const Project project("one");
  project.edit("\"0.75\"", "\"3\"");
  const auto tried_with = [&](const std::string& expectations) {
    return test(fmt::format("world = '''{}'''\nsteps = 40\ncontroller = '''arm={}'''\n{}",
                            project.world(), project.controller("leave"), expectations),
                {"--figures", "drawn"});
  };
  const std::string expected = "[[expect]]\ncontroller = \"arm\"\nexit = 3\n";
  for (const std::string& more : {std::string(), expected}) {
    const Tried tried = tried_with(expected + more);
    EXPECT_EQ(tried.status, 0) << tried.out << tried.err;
  }
  const Tried other = tried_with("[[expect]]\ncontroller = \"arm\"\nexit = 4\n");
  EXPECT_EQ(other.status, 1);
  EXPECT_TRUE(contains(other.out, "FAILED  run: ")) << other.out;
  EXPECT_TRUE(contains(other.out, "came exited with status 3\n")) << other.out;
  EXPECT_TRUE(contains(other.out, "trace: drawn/s.csv\n")) << other.out;
  // The divergence at 0.1 s must not be reported as a failure of the controller.
  project.edit(
      "Robot {",
      "Solid { name \"far\" translation 9.999e8 0 0 linearVelocity 1e6 0 0 physics Physics "
      "{ } boundingObject Sphere { } }\nRobot {");
  const Tried diverged = tried_with(expected);
  EXPECT_EQ(diverged.status, 1) << diverged.out;
  EXPECT_TRUE(contains(diverged.out, "FAILED  run: ")) << diverged.out;
  EXPECT_TRUE(contains(diverged.out, "the simulation diverged at ")) << diverged.out;
  EXPECT_TRUE(contains(diverged.out, "held    exit of")) << diverged.out;
}

TEST_F(SpecificationTest, RunsThatAreIncompleteFail) {
  folder.write("lost.wbt", "#VRML_SIM R2023b utf8\nWorldInfo { }\nDEF X NoSuchThing { }\n" +
                               oscillator().substr(oscillator().find("Robot")));
  const std::string text =
      "world = \"lost.wbt\"\nsteps = 5\n[[expect]]\njoint = \"cart\"\n"
      "position = [-1, 1]\n";
  const Tried tried = test(text);
  EXPECT_EQ(tried.status, 1) << tried.err;
  EXPECT_TRUE(contains(tried.out, "FAILED  run: ")) << tried.out;
  EXPECT_TRUE(contains(tried.out, "NoSuchThing")) << tried.out;
  EXPECT_EQ(test("allow_missing = [\"protos\"]\n" + text).status, 0);
  EXPECT_EQ(test("allow_missing = [\"protos\"]\nwarnings = 0\n" + text).status, 1);
}

// The arm loses energy to the step. That is no warning, for nothing is wrong with the run.
TEST_F(SpecificationTest, EnergyThatTheStepTakesIsNoWarning) {
  folder.write(
      "lost.wbt",
      "#VRML_SIM R2023b utf8\nWorldInfo { gravity 0 basicTimeStep 32 }\nRobot { name \"r\" "
      "controller \"<none>\" children [ HingeJoint { jointParameters HingeJointParameters { axis 0 "
      "0 1 } device PositionSensor { name \"hinge\" } endPoint Solid { translation 0.5 0 0 "
      "angularVelocity 0 0 10 linearVelocity 0 5 0 boundingObject Box { size 0.1 0.1 0.1 } physics "
      "Physics { density -1 mass 1 } } } ] }\n");
  const char* const notice =
      " % of its energy per step to the step of 32 ms: --integrator joint, or a step of 4 ms";
  const std::string world = (folder.path() / "lost.wbt").string();
  Program run({"run", world, "--duration", "4"});
  EXPECT_EQ(run.finish(), 0) << run.err();
  EXPECT_EQ(test::count(run.err(), "servosim: info: joint \"r/hinge\" lost "), 1) << run.err();
  EXPECT_EQ(test::count(run.err(), notice), 1) << run.err();
  EXPECT_FALSE(contains(run.err(), "warning")) << run.err();
  Program as_joint({"run", world, "--duration", "4", "--integrator", "joint"});
  EXPECT_EQ(as_joint.finish(), 0) << as_joint.err();
  EXPECT_FALSE(contains(as_joint.err(), "lost")) << as_joint.err();
  Program json({"run", world, "--duration", "4", "--json"});
  EXPECT_EQ(json.finish(), 0) << json.err();
  EXPECT_TRUE(contains(json.out(), "\"severity\": \"info\"")) << json.out();
  EXPECT_TRUE(contains(json.out(), "\"notices\": []")) << json.out();
  EXPECT_TRUE(contains(json.out(), notice)) << json.out();
  const test::ScopedVariable strict("SERVOSIM_STRICT", "1");
  EXPECT_EQ(test("world = \"lost.wbt\"\nduration = 4\nwarnings = 0\n[[expect]]\njoint = "
                 "\"hinge\"\nposition = [0, 100]\n")
                .status,
            0);
}

TEST_F(SpecificationTest, WrongOnesSayWhere) {
  const std::string joint = "[[expect]]\njoint = \"cart\"\n";
  const struct {
    std::string text;
    const char* message;
  } cases[]{
      {"world = \n", "s.toml:1:"},
      {"wrld = \"mass.wbt\"\n", "s.toml:1:1: there is no key 'wrld' here; did you mean 'world'?"},
      {"duration = 3\n", "world is missing"},
      {"world = \"mass.wbt\"\nduration = 3\nsteps = 4\n", "one of duration [s] and steps"},
      {with(""), "there is no [[expect]]"},
      {with(joint), "s.toml:5:1: nothing is expected of cart"},
      {with(joint + "overshot = 0.1\n"),
       "s.toml:7:1: there is no key 'overshot' here; did you "
       "mean 'overshoot'?"},
      {with(joint + "overshoot = -1\n"), "s.toml:7:13: expected a number >= 0"},
      {with(joint + "position = [2, 1]\n"), "2 is greater than 1"},
      {with(joint + "position = [0, 1]\nfrom = 2\nto = 1\n"), "the window is empty"},
      {with(joint + "position = [0, 1]\nto = 30\n"), "after the end of the run"},
      {with(joint + "position = [0, 1]\nto = 0\n"), "s.toml:8:6: the window is empty"},
      {with(joint + "position = [0, 1]\n", 0.0), "s.toml:2:12: expected a duration > 0 s"},
      {"world = \"mass.wbt\"\nduration = \"300 %\"\n", "s.toml:2:12: expected a number >= 0"},
      {"world = \"mass.wbt\"\nduration = 9007199254740993\n" + joint + "position = [0, 1]\n",
       "has too many steps"},
      {"exit = 300\n" + with(joint), "s.toml:1:8: expected an exit status"},
      {with("[[expect]]\ncontroller = \"mass\"\nexit = 99999999999\n"),
       "s.toml:7:8: expected an exit status"},
      {with(joint + "overshoot = 5\n"), "s.toml:7:13: 5 is 500 %; write \"5 %\""},
      {with(joint + "overshoot = \"5\"\n"), "a percentage such as \"5 %\""},
      {with(joint + "final = 1\n"), "final and tolerance are needed together"},
      {with(joint + "position = [0, 1]\n" + joint + "position = [2, 3]\n"),
       "s.toml:8:1: cart position contradicts that at"},
      {with(joint + "position = [0, 1]\nfinal = 3\ntolerance = 0.5\n"), "contradicts that at"},
      {with("[[expect]]\njoint = \"car\"\nposition = [0, 1]\n"), "no joint is called \"car\""},
      {with(joint + "rise_time = 1\n"), "has no target"},
      {with("[[expect]]\nupright = \"nobody\"\n"), "no body is called \"nobody\""},
      {with("[[expect]]\nno_contact = [\"mass\"]\n"), "expected two names"},
      {with("[[expect]]\ngolden = \"none.csv\"\n"), "none.csv: cannot be read"},
      {"world = \"none.wbt\"\nsteps = 1\n" + joint + "position = [0, 1]\n", "none.wbt"},
      {"world = \"mass.wbt\"\nsteps = 1\n[parameters]\n\"mass/cart.positon\" = 1\n" + joint +
           "position = [0, 1]\n",
       "did you mean 'position'?"},
  };
  for (const auto& each : cases) {
    const Tried tried = test(each.text);
    EXPECT_EQ(tried.status, 2) << each.text << tried.out;
    EXPECT_TRUE(contains(tried.err, each.message)) << each.text << tried.err;
  }
}

}  // namespace
}  // namespace servosim
