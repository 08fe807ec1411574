// SPDX-License-Identifier: Apache-2.0
// Controllers that restart, robots that are added and removed, and other worlds, with real
// processes.
#include <chrono>
#include <string>

#include "programs/run_fixture.h"
#include "sim/world_control.h"
#include "sim/world_inspector.h"

namespace servosim {
namespace {

using test::actor;
using test::kHead;
using test::Lines;
using test::robot;
using test::tree;

using RunRequestsTest = test::RunFixture;

TEST_F(RunRequestsTest, AControllerStartsAnewAndTheOthersGoOn) {
  const Outcome outcome = run(robot("a") + robot("b"), 20, 10, restart("a"));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(lines(outcome.out), (Lines{"a begins at 0.000", "b begins at 0.000", "a ends at 0.080",
                                       "a begins at 0.080", "a ends at 0.160", "b ends at 0.160"}))
      << outcome.err;
}

// The controller asks for its restart instead of its first step, again and again.
TEST_F(RunRequestsTest, AControllerThatRestartsItselfBeforeItsFirstStepIsEndedByTheSteps) {
  const Outcome outcome = run(actor("a", "restarts", "supervisor TRUE"), 3);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(steps_taken_, 3);
  EXPECT_GT(lines(outcome.out).size(), 3u) << outcome.out;
}

TEST_F(RunRequestsTest, AControllerThatRestartsItselfBeforeItsFirstStepIsEndedByTheTimeout) {
  options_.controllers.timeout = 0.5;
  const Outcome outcome = run(actor("a", "restarts", "supervisor TRUE"), std::nullopt);
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.err.find("times before its first step, for 0.5 s, and is started no more"),
            std::string::npos)
      << outcome.err;
}

TEST_F(RunRequestsTest, AnotherControllerTakesThePlaceOfTheFirst) {
  const Outcome outcome =
      run(robot("a") + robot("b"), 20, 10, change_to(robot("a", "other") + robot("b")));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(lines(outcome.out),
            (Lines{"a begins at 0.000", "b begins at 0.000", "a ends at 0.080",
                   "a begins at 0.080 as other", "a ends at 0.160", "b ends at 0.160"}))
      << outcome.err;
}

TEST_F(RunRequestsTest, OtherArgumentsWaitForTheNextStart) {
  const Outcome outcome =
      run(robot("a"), 20, 10, change_to(robot("a", "follower", "controllerArgs \"x\"")));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(lines(outcome.out), (Lines{"a begins at 0.000", "a ends at 0.160"}));
  const Outcome both =
      run(robot("a"), 20, 10, change_to(robot("a", "other", "controllerArgs \"x\"")));
  EXPECT_EQ(lines(both.out), (Lines{"a begins at 0.000", "a ends at 0.080",
                                    "a begins at 0.080 as other with x", "a ends at 0.160"}));
}

TEST_F(RunRequestsTest, NoControllerEndsTheFirstAndOneStartsWhereNoneWas) {
  const Outcome outcome = run(robot("a") + robot("b", "<none>"), 20, 10,
                              change_to(robot("a", "") + robot("b", "other")));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(lines(outcome.out), (Lines{"a begins at 0.000", "a ends at 0.080",
                                       "b begins at 0.080 as other", "b ends at 0.160"}));
}

TEST_F(RunRequestsTest, AnExternControllerIsWaitedFor) {
  const test::ScopedVariable tmpdir("TMPDIR", folder_.path());
  options_.controllers.timeout = 2.0;  // also applies to the controller before it
  const Outcome outcome = run(robot("a"), 20, 10, change_to(robot("a", "<extern>")));
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(lines(outcome.out), (Lines{"a begins at 0.000", "a ends at 0.080"}));
  EXPECT_NE(outcome.err.find("robot 'a' waits for its controller"), std::string::npos);
  EXPECT_NE(outcome.err.find("did not connect within 2 s"), std::string::npos) << outcome.err;
  EXPECT_EQ(steps_taken_, 20);
}

TEST_F(RunRequestsTest, ARobotIsRemovedThoughItsExternControllerIsAbsent) {
  const test::ScopedVariable tmpdir("TMPDIR", folder_.path());
  options_.controllers.timeout = 20.0;
  const Outcome outcome =
      run("DEF W " + robot("a", "<extern>") + actor("s", "removes", "supervisor TRUE"), 3);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(steps_taken_, 3);
}

TEST_F(RunRequestsTest, AnOptionKeepsItsSay) {
  options_.controllers.overrides = {{"a", folder_ / "controllers/follower/follower"}};
  const Outcome outcome = run(robot("a", "void"), 20, 10, change_to(robot("a", "other")));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(lines(outcome.out), (Lines{"a begins at 0.000", "a ends at 0.160"}));
}

// The option is for the robot that has the name at the start, even if robots are renamed.
TEST_F(RunRequestsTest, AnOptionFollowsARobotThatIsRenamed) {
  options_.controllers.overrides = {{"a", folder_ / "controllers/follower/follower"}};
  const auto rename = change_to(robot("c", "other") + robot("a", "other"));
  const Outcome renamed = run(robot("a", "other") + robot("b", "other"), 20, 10, rename);
  EXPECT_EQ(renamed.status, 0) << renamed.err;
  EXPECT_EQ(lines(renamed.out), (Lines{"a begins at 0.000", "b begins at 0.000 as other",
                                       "a ends at 0.160", "b ends at 0.160"}));
  const Outcome restarted =
      run(robot("a", "other") + robot("b", "other"), 20, 10,
          [&](Simulation& simulation, servosim::Run& run) {
            rename(simulation, run);
            RunRequests requests;
            requests.restart_controllers = {&simulation.robot("a"), &simulation.robot("c")};
            run.request(requests);
          });
  EXPECT_EQ(restarted.status, 0) << restarted.err;
  EXPECT_EQ(lines(restarted.out),
            (Lines{"a begins at 0.000", "b begins at 0.000 as other", "a ends at 0.080",
                   "b ends at 0.080", "c begins at 0.080", "a begins at 0.080 as other",
                   "c ends at 0.160", "a ends at 0.160"}));
}

TEST_F(RunRequestsTest, AControllerThatCannotStartKeepsNobodyElseFromIt) {
  folder_.write("controllers/broken/broken.c", "int main(void) { return }\n");
  folder_.write_program("controllers/bare/bare",
                        "\x7f"
                        "ELF and nothing more\n");
  const Outcome outcome =
      run(robot("a"), 20, 10,
          change_to(robot("a", "broken") + robot("b", "bare") + robot("c") + robot("d", "other")));
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(lines(outcome.out),
            (Lines{"a begins at 0.000", "a ends at 0.080", "c begins at 0.080",
                   "d begins at 0.080 as other", "c ends at 0.160", "d ends at 0.160"}))
      << outcome.err;
  EXPECT_NE(outcome.err.find("'broken' in "), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("robot 'b': "), std::string::npos) << outcome.err;
  EXPECT_EQ(steps_taken_, 20);
}

TEST_F(RunRequestsTest, ASupervisorChangesTheControllerOfAnotherRobot) {
  const Outcome outcome =
      run(actor("boss", "changes", "supervisor TRUE") + "DEF W " + robot("a"), 20);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(lines(outcome.out), (Lines{"a begins at 0.000", "a ends at 0.040",
                                       "a begins at 0.040 as other with x", "a ends at 0.160"}))
      << outcome.err;
}

const char* const kLooseJoint =
    "Robot { name \"arm\" controller \"<none>\" children HingeJoint { jointParameters DEF P "
    "HingeJointParameters { } device PositionSensor { } endPoint Solid { name \"a\" physics "
    "Physics { } } } }\n";

class LastChange : public RunRequestsTest, public testing::WithParamInterface<const char*> {};

TEST_P(LastChange, OfASupervisorActsBeforeTheNextStep) {
  const std::string role = GetParam();
  double damping = 0.0;
  options_.others_idle_limit = std::chrono::milliseconds(100);
  const bool is_waited_for = !role.ends_with("computes");
  const std::string others =
      is_waited_for
          ? actor("boss", role, "supervisor TRUE")
          : actor("boss", role, "supervisor TRUE synchronization FALSE") + actor("w", "gated");
  const Outcome outcome =
      run(kLooseJoint + others, 20, 19, [&](Simulation& simulation, servosim::Run&) {
        damping = WorldInspector(simulation).scene().joints.front().damping_constant;
      });
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(damping, 0.75) << outcome.err;
  EXPECT_EQ(outcome.out.find("in vain"), std::string::npos) << outcome.out;
}
INSTANTIATE_TEST_SUITE_P(RunRequestsTest, LastChange,
                         testing::Values("brakes", "brakes_and_dies", "brakes_and_computes"),
                         [](const auto& role) { return std::string(role.param); });

TEST_F(RunRequestsTest, ARobotThatComesWithTheLastRequestOfTheOnlyControllerGetsItsOwn) {
  const Outcome outcome = run(actor("boss", "imports", "supervisor TRUE"), std::nullopt);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(lines(outcome.out), Lines{"late is here"}) << outcome.err;
}

TEST_F(RunRequestsTest, RobotsThatLeaveLoseTheirControllersAndNewOnesGetThem) {
  const Outcome outcome =
      run(robot("a") + robot("b"), 20, 10, [](Simulation& simulation, servosim::Run&) {
        auto changed =
            std::make_shared<wbt::WorldFile>(*tree(kHead + robot("a") + robot("b") + robot("c")));
        changed->nodes.erase(changed->nodes.begin() + 1);
        changed->path = WorldInspector(simulation).world_file()->path;
        changed->project = WorldInspector(simulation).world_file()->project;
        WorldControl(simulation).rebuild(changed);
      });
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(lines(outcome.out), (Lines{"a begins at 0.000", "b begins at 0.000", "a ends at 0.080",
                                       "c begins at 0.080", "b ends at 0.160", "c ends at 0.160"}))
      << outcome.err;
}

TEST_F(RunRequestsTest, AResetTakesTimeBackAfterAStepAndControllersGoOn) {
  options_.trace_path = folder_ / "trace.csv";
  options_.trace.comments = true;
  const Outcome outcome = run(robot("a"), 20, 12, [](Simulation&, servosim::Run& run) {
    RunRequests requests;
    requests.reset = true;
    run.request(requests);
  });
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(lines(outcome.out), (Lines{"a begins at 0.000", "a ends at 0.064"}));
  EXPECT_EQ(steps_taken_, 20);
  EXPECT_NEAR(seconds_simulated_, 0.160, 1e-12);
  const std::string csv = test::read_text(options_.trace_path);
  EXPECT_EQ(lines(csv).size(), 23u) << csv;  // the 13th step has two rows: its own, and the start
  EXPECT_NE(csv.find("\n0.096,"), csv.npos) << csv;
  const std::size_t line = csv.find("# episode 2\n");
  ASSERT_NE(line, csv.npos) << csv;
  EXPECT_LT(csv.find("\n0.104,"), line) << csv;
  EXPECT_EQ(csv.find("\n0.008,", line), line + 11) << csv;
}

TEST_F(RunRequestsTest, AWorldIsReadAnewWithItsControllers) {
  options_.trace_path = folder_ / "trace.csv";
  options_.trace.comments = true;
  const Outcome outcome = run(robot("a"), 20, 12, [](Simulation&, servosim::Run& run) {
    RunRequests requests;
    requests.reload_world = true;
    run.request(requests);
  });
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(lines(outcome.out), (Lines{"a begins at 0.000", "a ends at 0.096", "a begins at 0.000",
                                       "a ends at 0.064"}));
  EXPECT_EQ(steps_taken_, 20);
  EXPECT_NEAR(time_, 0.064, 1e-12);
  EXPECT_NEAR(seconds_simulated_, 0.160, 1e-12);
  const std::string csv = test::read_text(options_.trace_path);
  EXPECT_EQ(lines(csv).size(), 22u) << csv;
  EXPECT_NE(csv.find("# episode 2\n"), csv.npos) << csv;
}

TEST_F(RunRequestsTest, AnotherWorldTakesThePlaceUnlessItCannot) {
  const auto load = [](const std::string& path) {
    return [path](Simulation&, servosim::Run& run) {
      RunRequests requests;
      requests.load_world = path;
      run.request(requests);
    };
  };
  const std::string next = folder_.write("worlds/next.wbt", kHead + robot("d", "void"));
  const Outcome outcome = run(robot("a"), 20, 12, load(next));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(lines(outcome.out), (Lines{"a begins at 0.000", "a ends at 0.096"}));
  EXPECT_EQ(steps_taken_, 20);
  const Outcome missing = run(robot("a"), 20, 12, load(folder_ / "worlds/none.wbt"));
  EXPECT_EQ(missing.status, 1);
  EXPECT_EQ(lines(missing.out), (Lines{"a begins at 0.000", "a ends at 0.160"}));
  EXPECT_NE(missing.err.find("the present one goes on"), std::string::npos) << missing.err;
  const Outcome all =
      run(robot("a") + robot("b"), 20, 12, [&](Simulation& simulation, servosim::Run& run) {
        RunRequests requests;
        requests.load_world = folder_ / "worlds/none.wbt";
        requests.reset = true;
        requests.restart_controllers = {&simulation.robot("b")};
        run.request(requests);
      });
  EXPECT_EQ(all.status, 1);
  EXPECT_EQ(lines(all.out), (Lines{"a begins at 0.000", "b begins at 0.000", "b ends at 0.096",
                                   "b begins at 0.096", "a ends at 0.064", "b ends at 0.064"}))
      << "what else was asked for is done: " << all.err;
  options_.trace_path = folder_ / "trace.csv";
  options_.trace.comments = true;
  const Outcome traced = run(robot("a"), 20, 12, load(next));
  EXPECT_EQ(traced.status, 1);
  EXPECT_NE(traced.err.find("other joints than those in the trace"), std::string::npos)
      << traced.err;
}

}  // namespace
}  // namespace servosim
