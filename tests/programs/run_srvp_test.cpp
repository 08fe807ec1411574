// SPDX-License-Identifier: Apache-2.0
// Robots of a run as MCUs, with real clients and servers. Time passes only while a robot moves,
// unless a test says otherwise.
#include <gtest/gtest.h>
#include <signal.h>

#include <nlohmann/json.hpp>
#include <numbers>
#include <optional>
#include <sstream>
#include <thread>

#include "base/event_loop.h"
#include "programs/program.h"
#include "servosim/srvp/client.h"
#include "srvp/server/server.h"

namespace servosim::test {
namespace run_srvp_test {

using srvp::ack;
using srvp::Client;
using srvp::Move;
using srvp::nack;
using srvp::Nack;
using Arguments = std::vector<std::string>;
using Answers = std::vector<srvp::Answer>;

const std::string kHumanoid = SERVOSIM_WORLDS_DIR "/humanoid.wbt";
const Answers kDone{ack()};
const Answers kMoved{ack(), ack()};
// The robot is weak: its elbow meets a stop 0.2 rad from its position, and its wrist is limited.
constexpr const char* kTwoJoints = R"(#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 8 gravity 0 }
Robot { name "r" controller "<none>" children [
  HingeJoint {
    jointParameters HingeJointParameters { axis 0 1 0 minStop -0.2 maxStop 0.2 }
    device RotationalMotor { name "elbow" }
    endPoint Solid { name "a" boundingObject Box { size 0.1 0.1 0.1 } physics Physics { } }
  }
  HingeJoint {
    jointParameters HingeJointParameters { axis 0 1 0 anchor 3 0 0 }
    device RotationalMotor { name "wrist" minPosition -1 maxPosition 1 }
    endPoint Solid { translation 3 0 0 name "b" boundingObject Box { size 0.1 0.1 0.1 } physics Physics { } }
  }
] }
)";
constexpr const char* kWideMap =
    "# further than the robot reaches\n[0]\nmotor = elbow\nat_0 = -90\nat_179 = 90\n"
    "[1]\nmotor = wrist\nat_0 = -90\nat_179 = 90\ndirection = -1\n";

Arguments together(Arguments arguments, const Arguments& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

std::unique_ptr<Client> client_at(std::uint16_t port) {
  Client::Options options;
  options.port = port;
  options.timeout = std::chrono::seconds(40);  // the machine may be busy
  return std::make_unique<Client>(options);
}

/// A run with a server of its own.
class McuRun {
 public:
  explicit McuRun(const std::string& world, const Arguments& more)
      : program_(together({"run", world, "--srvp-port", "0"}, more)) {
    const std::string before = "SRVP server at 127.0.0.1:";
    EXPECT_TRUE(program_.wait_for_output(before)) << program_.err();
    EXPECT_TRUE(program_.wait_for_output("\n"));
    port_ = std::stoi(program_.out().substr(program_.out().find(before) + before.size()));
  }
  Program& program() { return program_; }
  std::unique_ptr<Client> client() const { return client_at(static_cast<std::uint16_t>(port_)); }
  int interrupt() {
    program_.send_signal(SIGINT);
    return program_.finish();
  }

 private:
  Program program_;
  int port_ = 0;
};

// Joints of the humanoid by device order; the head of its world lists them.
constexpr std::uint8_t kHeadYaw = 0;
constexpr std::uint8_t kRightRoll = 3;
constexpr std::uint8_t kRightElbow = 4;

const std::vector<std::vector<Move>> kGreeting{
    {{kRightRoll, 110}, {kHeadYaw, 70}},
    {{kRightElbow, 70}},
    {{kRightElbow, 30}},
    {{kRightElbow, 70}},
    {{kRightRoll, 10}, {kRightElbow, 10}, {kHeadYaw, 90}}};

// Returns the position [degrees of the servo] of a joint of the humanoid in a line of a trace.
double servo_position(const nlohmann::json& line, const std::string& joint, double at_0) {
  const double radians = line.at("joints").at("humanoid/" + joint).at("position");
  return radians * 180.0 / std::numbers::pi - at_0;
}

TEST(RunSrvp, AClientHasTheHumanoidGreetAndTheJointsGetThere) {
  const TempFolder folder;
  const std::string trace = (folder / "t.jsonl").string();
  McuRun run(kHumanoid, {"--srvp", "humanoid", "--srvp-lockstep", "--trace", trace});
  EXPECT_TRUE(contains(run.program().out(), "MCU 'humanoid': robot 'humanoid', smart, 20 servos"));
  EXPECT_TRUE(contains(run.program().out(), "  4  right_elbow"));
  const auto client = run.client();
  EXPECT_EQ(client->select("humanoid").answers, kDone);
  for (const auto& moves : kGreeting) {
    EXPECT_EQ(client->move(moves).answers, kMoved);
  }
  EXPECT_EQ(run.interrupt(), 128 + SIGINT);

  std::istringstream lines(read_text(trace));
  std::string line;
  std::getline(lines, line);
  std::size_t reached = 0;  // how many moves of the greeting, in order
  while (reached < kGreeting.size() && std::getline(lines, line)) {
    const nlohmann::json row = nlohmann::json::parse(line);
    const double is[]{servo_position(row, "head_yaw", -90.0), 0.0, 0.0,
                      servo_position(row, "right_shoulder_roll", -10.0),
                      servo_position(row, "right_elbow", -10.0)};
    const auto& moves = kGreeting[reached];
    reached += std::all_of(moves.begin(), moves.end(), [&](const Move& move) {
      return std::abs(is[move.servo] - move.value) <= 0.5;
    });
  }
  EXPECT_EQ(reached, kGreeting.size());
}

TEST(RunSrvp, AMovementIsDoneInRealTimeToo) {
  McuRun run(kHumanoid, {"--srvp", "humanoid=robo"});
  const auto client = run.client();
  EXPECT_EQ(client->select("humanoid").answers, Answers{nack(Nack::NoActiveMcu)});
  EXPECT_EQ(client->select("robo").answers, kDone);
  EXPECT_EQ(client->move({{kRightElbow, 100}}).answers, kMoved);
  const auto info = client->info();
  ASSERT_EQ(info.answers.size(), 1u);
  EXPECT_EQ(std::get<srvp::McuInfo>(info.answers[0]).positions.at(kRightElbow), 100);
  EXPECT_EQ(run.interrupt(), 128 + SIGINT);
}

// The same orders come at other times: in lock-step the robot's motion has the same bits.
TEST(RunSrvp, InLockStepTheTimingOfClientsChangesNothing) {
  std::string hashes[2];
  for (int n = 0; n < 2; ++n) {
    McuRun run(kHumanoid, {"--srvp", "humanoid", "--srvp-lockstep"});
    const auto client = run.client();
    EXPECT_EQ(client->select("humanoid").answers, kDone);
    for (const auto& moves : kGreeting) {
      EXPECT_EQ(client->move(moves).answers, kMoved);
      std::this_thread::sleep_for(std::chrono::milliseconds(n * 40));
    }
    EXPECT_EQ(run.interrupt(), 128 + SIGINT);
    hashes[n] = run.program().last_line();
    EXPECT_TRUE(contains(hashes[n], "state_hash: ")) << hashes[n];
  }
  EXPECT_EQ(hashes[0], hashes[1]);
}

TEST(RunSrvp, WhatCannotBeDoneIsNotAcknowledged) {
  const TempFolder folder;
  const std::string world = folder.write("two.wbt", kTwoJoints).string();
  const std::string map = folder.write("two.ini", kWideMap).string();
  McuRun run(world, {"--srvp", "r", "--srvp-map", map, "--srvp-lockstep"});
  const auto client = run.client();
  EXPECT_EQ(client->select("r").answers, kDone);
  // The elbow's stop blocks it.
  EXPECT_EQ(client->move({{0, 150}}).answers, (Answers{ack(), nack(Nack::ErrorContactingMcu)}));
  EXPECT_EQ(client->move({{0, 95}}).answers, kMoved);
  // The motor of the wrist refuses this angle, and the elbow does not turn either.
  EXPECT_EQ(client->move({{0, 85}, {1, 5}}).answers,
            (Answers{ack(), nack(Nack::InvalidParameter)}));
  EXPECT_EQ(client->move({{1, 120}}).answers, kMoved);
  EXPECT_EQ(client->move({{2, 90}}).answers, Answers{nack(Nack::InvalidParameter)});
  EXPECT_EQ(run.interrupt(), 128 + SIGINT);
}

TEST(RunSrvp, ASmartRobotStoresAndExecutes) {
  McuRun run(kHumanoid, {"--srvp", "humanoid", "--srvp-lockstep"});
  const auto client = run.client();
  EXPECT_EQ(client->select("humanoid").answers, kDone);
  EXPECT_EQ(client->set_delayed(true).answers, Answers{ack(100)});
  EXPECT_TRUE(client->move({{kRightElbow, 90}}).ok());
  EXPECT_TRUE(client->move({{kHeadYaw, 60}}).ok());
  EXPECT_EQ(client->execute().answers, kDone);
  EXPECT_EQ(client->execute().answers, Answers{nack(Nack::InvalidParameter)});
  const auto info = client->info();
  const auto& positions = std::get<srvp::McuInfo>(info.answers.at(0)).positions;
  EXPECT_EQ(positions.at(kRightElbow), 90);
  EXPECT_EQ(positions.at(kHeadYaw), 60);
  EXPECT_EQ(run.interrupt(), 128 + SIGINT);
}

TEST(RunSrvp, ADumbRobotNeedsACalibration) {
  McuRun run(kHumanoid, {"--srvp", "humanoid", "--srvp-kind", "dumb", "--srvp-lockstep"});
  EXPECT_TRUE(contains(run.program().out(), "dumb, 20 servos"));
  const auto client = run.client();
  EXPECT_EQ(client->select("humanoid").answers, kDone);
  EXPECT_EQ(client->move({{kRightElbow, 90}}).answers, Answers{nack(Nack::NoMcuInfo)});
  const std::vector<srvp::PwmRange> ranges(20, {819, 4096});
  EXPECT_EQ(client->upload(ranges).answers.size(), 1u);
  EXPECT_EQ(client->move_pwm({{kRightElbow, 2000}}).answers, kMoved);
  // The pulse is outside the range of the servo.
  EXPECT_FALSE(client->move_pwm({{kRightElbow, 5000}}).ok());
  EXPECT_EQ(client->set_delayed(true).answers, Answers{ack(100)});
  EXPECT_TRUE(client->move_pwm({{kRightElbow, 2500}}).ok());
  EXPECT_EQ(client->execute().answers, kDone);
  EXPECT_EQ(run.interrupt(), 128 + SIGINT);
}

/// A server that is not the run's: it is in this process and can vanish.
class ElsewhereServer {
 public:
  explicit ElsewhereServer(std::uint16_t port = 0) {
    srvp::ServerOptions options;
    options.listen.port = port;
    thread_.call([&] {
      server_.emplace(thread_.loop(), options, nullptr);
      port_ = server_->address().port;
    });
  }
  ~ElsewhereServer() { thread_.stop(); }
  std::uint16_t port() const { return port_; }

 private:
  net::EventLoopThread thread_;
  std::optional<srvp::Server> server_;
  std::uint16_t port_ = 0;
};

// Sends queries for some time, until the MCU is there.
bool comes(Client& client, const std::string& mcu, std::uint8_t servo, int position) {
  for (int n = 0; n < 400; ++n) {
    if (client.select(mcu).ok() && client.move({{servo, position}}).ok()) {
      return true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return false;
}

TEST(RunSrvp, ARobotLogsInElsewhereAndAgainAfterARestart) {
  std::optional<ElsewhereServer> server(std::in_place);
  const std::uint16_t port = server->port();
  Program run({"run", kHumanoid, "--srvp", "humanoid=robo", "--srvp-server",
               "127.0.0.1:" + std::to_string(port), "--srvp-lockstep"});
  EXPECT_TRUE(comes(*client_at(port), "robo", kRightElbow, 60));
  server.reset();
  EXPECT_TRUE(run.wait_for_errors("has lost the SRVP server")) << run.err();
  server.emplace(port);
  const auto client = client_at(port);
  EXPECT_TRUE(comes(*client, "robo", kHeadYaw, 100));
  const auto info = client->info();
  EXPECT_EQ(std::get<srvp::McuInfo>(info.answers.at(0)).positions.at(kRightElbow), 60)
      << "it logs in with the positions that it has by then";
  run.send_signal(SIGINT);
  EXPECT_EQ(run.finish(), 128 + SIGINT);
}

TEST(RunSrvp, ARobotWaitsForItsServerAndEndsWithoutOne) {
  Program run({"run", kHumanoid, "--srvp", "humanoid", "--srvp-server", "127.0.0.1:1", "--trace",
               "/dev/stdout"});
  EXPECT_TRUE(run.wait_for_errors("Connection refused")) << run.err();
  EXPECT_TRUE(run.wait_for_output("\n0.024,")) << "meanwhile the world goes on";
  run.send_signal(SIGINT);
  EXPECT_EQ(run.finish(), 128 + SIGINT);
}

TEST(RunSrvp, EndsInTheMiddleOfAMovement) {
  McuRun run(kHumanoid, {"--srvp", "humanoid", "--realtime-factor", "0.1", "--log-level", "debug"});
  const auto client = run.client();
  EXPECT_EQ(client->select("humanoid").answers, kDone);
  EXPECT_EQ(client->move({{kHeadYaw, 90}}).answers, kMoved);
  std::thread moves([&] {
    EXPECT_THROW(client->move({{kRightElbow, 150}}), srvp::ClientError) << "the server has gone";
  });
  EXPECT_TRUE(run.program().wait_for_errors("-m-1-<5>:")) << run.program().err();
  EXPECT_EQ(run.interrupt(), 128 + SIGINT);
  moves.join();
}

TEST(RunSrvp, SaysWhatIsWrong) {
  const TempFolder folder;
  const std::string world = folder.write("two.wbt", kTwoJoints).string();
  const auto fails = [&](const Arguments& more, const std::string& with) {
    Program program(together({"run", world}, more));
    EXPECT_EQ(program.finish(), 2) << program.out();
    EXPECT_TRUE(contains(program.err(), with)) << program.err();
  };
  fails({"--srvp", "rr"}, "--srvp: there is no robot 'rr'");
  fails({"--srvp", "r=a-b"}, "cannot be the name of an MCU: it has a '-'");
  fails({"--srvp", "r="}, "it is empty");
  fails({"--srvp", "r", "--srvp", "r=x"}, "are the same robot");
  fails({"--srvp", "r", "--srvp-server", "somewhere:1"}, "'somewhere:1' is not an IPv4 address");
  fails({"--srvp", "r", "--srvp-bind", "here"}, "'here' is not an IPv4 address");
  fails({"--srvp", "r", "--srvp-server", "127.0.0.1:1", "--srvp-port", "1"}, "exclude each other");
  fails({"--srvp-lockstep"}, "--srvp");
  fails({"--srvp", "r", "--srvp-map", "no.ini"}, "no.ini");
  fails({"--srvp", "r", "--srvp-kind", "clever"}, "'clever' is not smart or dumb");
}

TEST(RunSrvp, SaysWhatIsWrongInAMap) {
  const TempFolder folder;
  const std::string world = folder.write("two.wbt", kTwoJoints).string();
  const auto fails = [&](const std::string& map, const std::string& with) {
    const std::string file = folder.write("m.ini", map).string();
    Program program({"run", world, "--srvp", "r", "--srvp-map", file});
    EXPECT_EQ(program.finish(), 2) << map;
    EXPECT_TRUE(contains(program.err(), with)) << map << program.err();
  };
  fails("", "has no servos");
  fails("motor = elbow\n", "the section of a servo is its id");
  fails("[elbow]\nmotor = elbow\n", "the section of a servo is its id");
  fails("[0]\nat_0 = 1\n", "[0] names no motor");
  fails("[0]\nmotor = elbw\n", "has no motor 'elbw' that moves a joint; did you mean 'elbow'?");
  fails("[0]\nmotor = elbow\nmoter = 1\n",
        "[0] moter: there is no such key; did you mean 'motor'?");
  fails("[0]\nmotor = elbow\nat_0 = x\n", "[0] at_0: 'x' is not a number");
  fails("[0]\nmotor = elbow\npwm_min = 1.5\n", "[0] pwm_min: '1.5' is not a whole number");
  fails("[0]\nmotor = elbow\npwm_max = 1e9\n", "[0] pwm_max: '1e9' is not a whole number");
  fails("[0]\nmotor = elbow\ndirection = 2\n", "[0] direction: '2' is not 1 or -1");
  fails("[0]\nmotor = elbow\n[0]\nmotor = wrist\n", "is given twice");
  fails("[0]\nmotor = elbow\n[2]\nmotor = wrist\n", "servo 2: the ids of 2 servos are 0 ... 1");
  fails(std::string("\0[[[==\"", 8), "m.ini");
}

}  // namespace run_srvp_test
}  // namespace servosim::test
