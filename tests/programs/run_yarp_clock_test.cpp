// SPDX-License-Identifier: Apache-2.0
// The time of a run for programs of YARP. Programs of YARP 3.12.3 and 4.0 said the recorded bytes.
#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "programs/yarp_run.h"
#include "support/recorded_flows.h"
#include "yarp/ports/client.h"

namespace servosim::test {
namespace run_yarp_clock_test {

using yarp::Bottle;
using yarp::bottle;
using yarp::Carrier;
using yarp::EchoPort;
using yarp::Generation;
using yarp::RawClient;

constexpr double kStep = 0.001;  // of the world [s]

// Returns the flow to a port whose first piece from the other side contains a text.
RecordedFlow flow_with(const std::string& file, const std::string& to, const std::string& text) {
  for (const RecordedFlow& flow : recorded_flows(file)) {
    std::string all;
    for (const RecordedFlow::Piece& piece : flow.pieces) {
      all += piece.bytes;
    }
    if (flow.to == to && contains(all, text)) {
      return flow;
    }
  }
  ADD_FAILURE() << file << " has no such flow to " << to;
  return {};
}

std::string plain(std::string text) {
  std::erase(text, '\r');
  return text;
}

class RunYarpClock : public testing::Test {
 protected:
  explicit RunYarpClock(const Arguments& more = {}) : run_(more, {"--yarp-clock"}) {}

  std::string ask(const std::string& request) {
    if (!rpc_) {
      rpc_.emplace(yarp::YarpClient::Options{.name_server = "", .timeout = yarp::kTestTimeout});
      rpc_->connect(run_.address("/clock/rpc"), Carrier::Tcp, "/asker");
    }
    const auto reply = rpc_->send(yarp::asking(), bottle(request));
    return reply ? to_text(*reply) : "no reply";
  }
  double time() { return std::stod(ask("getSimulationTime")); }
  int port(const std::string& name) const { return run_.port(name); }
  // Registers a port at the name server of the run.
  std::string register_port(const std::string& name, const EchoPort& port) const {
    RawClient client(run_.name_port());
    client.send("NAME_SERVER register " + name + " tcp 127.0.0.1 " + std::to_string(port.number()) +
                "\n");
    return client.receive_all();
  }
  // Replays a conversation by text with the name server. Every line must be answered as recorded.
  void replay_text(const RecordedFlow& flow) const {
    RawClient client(run_.name_port());
    for (const RecordedFlow::Piece& piece : flow.pieces) {
      if (piece.asked) {
        EXPECT_TRUE(client.send(piece.bytes));
      } else {
        EXPECT_EQ(client.receive(piece.bytes.size()), piece.bytes);
      }
    }
  }

  YarpRun run_;
  std::optional<yarp::YarpClient> rpc_;
};

// `number` is the time of a message, in seconds and nanoseconds.
double seconds_of(const std::string& heard) {
  const Bottle numbers = bottle(heard.substr(heard.find(' ') + 1));
  EXPECT_EQ(numbers.size(), 2u) << heard;
  return *yarp::as_number(numbers.items.at(0)) + 1e-9 * *yarp::as_number(numbers.items.at(1));
}

// The recorded program asks the name server for its time, and gets it, until it asks for the end.
TEST_F(RunYarpClock, APortSubscribesAtTheNameServer) {
  const std::string name = "/vm/b/clock_user/30558/clock:i";
  EchoPort user({name});
  EXPECT_TRUE(contains(register_port(name, user), name));
  replay_text(flow_with("yarp3_clock.flows", "/root", "\nsubscribe"));
  ASSERT_TRUE(yarp::becomes([&] { return user.heard().size() > 20; }));
  const auto heard = user.heard();
  EXPECT_TRUE(heard[0].starts_with("/clock ")) << heard[0];
  for (std::size_t i = 1; i < heard.size(); ++i) {
    const double step = (seconds_of(heard[i]) - seconds_of(heard[i - 1])) / kStep;
    EXPECT_GT(step, 0.9) << heard[i];
    EXPECT_NEAR(step, std::round(step), 1e-5) << heard[i];
  }
  replay_text(flow_with("yarp3_clock.flows", "/root", "\nunsubscribe"));
}

// A program that starts before the run is connected when the run has registered its clock, and one
// that starts anew when it has announced its port.
TEST_F(RunYarpClock, APortThatIsAnnouncedLaterIsConnected) {
  replay_text(flow_with("yarp3_clock.flows", "/root", "\nsubscribe"));
  const std::string name = "/vm/b/clock_user/30558/clock:i";
  EchoPort user({name});
  register_port(name, user);
  RawClient client(run_.name_port());
  client.send("NAME_SERVER announce " + name + "\n");
  EXPECT_EQ(client.receive_all(), "[ok]\r\n");
  EXPECT_TRUE(yarp::becomes([&] { return user.heard().size() > 3; }));
}

TEST_F(RunYarpClock, AProgramThatStartsDuringAPauseGetsTheTime) {
  EXPECT_EQ(ask("pauseSimulation"), "[done]");
  const double now = time();
  EchoPort user({"/user"});
  register_port("/user", user);
  RawClient client(run_.name_port());
  client.send("CONNACK admin\r\nd\r\nsubscribe \"tcp://clock\" \"fast_tcp://user\"\r\n");
  EXPECT_EQ(client.receive(std::string("Welcome admin\r\n[ok]\r\n<ACK>\r\n").size()),
            "Welcome admin\r\n[ok]\r\n<ACK>\r\n");
  ASSERT_TRUE(yarp::becomes([&] { return !user.heard().empty(); }));
  EXPECT_NEAR(seconds_of(user.heard()[0]), now, 1e-9);
  EXPECT_EQ(time(), now);
}

TEST_F(RunYarpClock, WrongSubscriptionsAreRefused) {
  RawClient client(run_.name_port());
  client.send(
      "CONNACK admin\r\nd\r\nsubscribe \"tcp://clock\"\r\nd\r\nsubscribe mpi://a "
      "/b\r\nd\r\nlist\r\n"
      "do\r\nsubscribe\r\n~x\r\nq\r\n");
  const std::string all = client.receive_all();
  EXPECT_TRUE(contains(all, "[fail] \"use: subscribe")) << all;
  EXPECT_TRUE(contains(all, "[fail] \"a name server only knows")) << all;
  EXPECT_TRUE(all.ends_with("<ACK>\r\n<ACK>\r\n<ACK>\r\n")) << all;
}

// The bytes before the time are those of the recorded message.
TEST_F(RunYarpClock, MessagesHaveTheRecordedBytes) {
  for (const char* const file : {"yarp3_clock.flows", "yarp4_clock.flows"}) {
    constexpr std::size_t kWithoutTime = 46;
    constexpr std::size_t kSize = 54;
    std::string recorded;
    for (const RecordedFlow& flow : recorded_flows(file)) {
      if (flow.to.ends_with("/clock:i")) {
        recorded = flow.pieces.at(2).bytes;
      }
    }
    ASSERT_EQ(recorded.size(), kSize);
    RawClient reader(port("/clock"));
    reader.send(yarp::handshake(Carrier::FastTcp, "/reader"));
    EXPECT_EQ(reader.receive(8), yarp::answer(Carrier::FastTcp, port("/clock"), ""));
    reader.send(yarp::message(Carrier::FastTcp, {yarp::PortCommand::Reverse, false, {}}));
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(reader.receive(kSize).substr(0, kWithoutTime), recorded.substr(0, kWithoutTime));
    }
  }
}

// Replays all that a recorded client said to /clock/rpc. The replies are the recorded ones, but for
// numbers, for words in `help`, and where the original steps backwards or does not reply.
void replay_requests(int port, const RecordedFlow& flow, Generation generation) {
  RawClient client(port);
  client.send(flow.pieces.at(0).bytes);
  EXPECT_EQ(client.receive(8), yarp::answer(Carrier::Tcp, port, ""));
  for (std::size_t i = 2; i + 1 < flow.pieces.size(); i += 2) {
    const std::string& request = flow.pieces[i].bytes;
    const std::string& recorded = flow.pieces[i + 1].bytes;
    const auto found = yarp::find_message(as_bytes(request));
    const std::string text =
        found.message.head.command == yarp::PortCommand::Data
            ? to_text(std::get<Bottle>(decode_bottle(found.message.body, generation)))
            : "quit";
    ASSERT_TRUE(client.send(request));
    std::string reply = client.receive(8);
    while (!reply.ends_with(yarp::ack())) {
      const std::string more = client.receive(1);
      ASSERT_FALSE(more.empty()) << text;
      reply += more;
    }
    if (text == "stepSimulation -1" || text == "step simulation") {
      EXPECT_EQ(reply, yarp::hex("09 01 00 00 01 00 00 00 \"fail\"") + yarp::ack()) << text;
    } else if (text == "getSimulationTime") {
      EXPECT_EQ(reply.size(), recorded.size());
      EXPECT_EQ(reply.substr(0, 12), recorded.substr(0, 12));
    } else if (text == "help stepSimulation") {
      EXPECT_EQ(reply.substr(0, 28), recorded.substr(0, 28));  // [many] and a list of two strings
    } else {
      EXPECT_EQ(reply, recorded) << text;
    }
  }
}

TEST_F(RunYarpClock, RequestsAreAnsweredAsRecorded) {
  for (const char* const sender : {"/cc/rpc", "anon_rpc"}) {
    replay_requests(port("/clock/rpc"), flow_with("yarp3_clock.flows", "/clock/rpc", sender),
                    Generation::V3);
  }
}

class RunYarp4Clock : public RunYarpClock {
 protected:
  RunYarp4Clock() : RunYarpClock({"--yarp-generation", "4"}) {}
};

TEST_F(RunYarp4Clock, RequestsAreAnsweredAsRecorded) {
  for (const char* const sender : {"/cc/rpc", "anon_rpc"}) {
    replay_requests(port("/clock/rpc"), flow_with("yarp4_clock.flows", "/clock/rpc", sender),
                    Generation::V4);
  }
}

TEST_F(RunYarpClock, StepsAreTakenAndCounted) {
  EXPECT_EQ(ask("getStepSize"), "0.001");
  EXPECT_EQ(ask("stepSimulationAndWait 0"), "");  // pauses
  double now = time();
  for (const int steps : {1, 7, 100}) {
    EXPECT_EQ(ask("stepSimulationAndWait " + std::to_string(steps)), "");
    EXPECT_NEAR(time() - now, steps * kStep, 1e-9);
    now = time();
  }
  EXPECT_EQ(ask("stepSimulation 5"), "[done]");
  EXPECT_EQ(ask("stepSimulationAndWait"), "");  // after the five
  EXPECT_NEAR(time() - now, 6 * kStep, 1e-9);
  EXPECT_EQ(ask("continueSimulation"), "[done]");
  now = time();
  EXPECT_TRUE(yarp::becomes([&] { return time() > now; }));
}

// A client that waits for many steps is told when another one pauses the run.
TEST_F(RunYarpClock, APauseEndsTheWaitForSteps) {
  RawClient waiting(port("/clock/rpc"));
  waiting.send(
      yarp::handshake(Carrier::FastTcp, "/waiting") +
      yarp::message(Carrier::FastTcp, yarp::asking(), bottle("stepSimulationAndWait 2000000000")));
  const double begin = time();
  EXPECT_TRUE(yarp::becomes([&] { return time() > begin + 1.0; }));
  EXPECT_EQ(ask("pauseSimulation"), "[done]");
  EXPECT_EQ(waiting.receive(20).substr(8), yarp::encoded(bottle("[fail]")));
}

class RunYarpClockAndArm : public RunYarpClock {
 protected:
  RunYarpClockAndArm() : RunYarpClock({"--yarp", "icub=/icub/left_arm"}) {}
  // [is] enc VALUE [tsta] NUMBER TIME [ok]
  double in_encoder(std::size_t item) const {
    return *yarp::as_number(bottle(run_.rpc({"get enc 3"})).items.at(item));
  }
  double elbow() const { return in_encoder(2); }
  double time_of_board() const { return in_encoder(5); }
};

TEST_F(RunYarpClockAndArm, ResetsTimeAndState) {
  run_.rpc({"set pos 3 40.0"});
  EXPECT_TRUE(yarp::becomes([&] { return std::abs(elbow() - 40.0) < 1.0; }));
  EXPECT_EQ(ask("pauseSimulation"), "[done]");
  const double before = time();
  EXPECT_GT(before, 0.5);
  EXPECT_EQ(ask("resetSimulationTime"), "[done]");
  EXPECT_EQ(time(), 0.0);
  EXPECT_NEAR(elbow(), 40.0, 1.0);
  EXPECT_EQ(ask("stepSimulationAndWait 3"), "");
  EXPECT_NEAR(time(), 3 * kStep, 1e-9);

  EXPECT_EQ(ask("resetSimulationState"), "[done]");
  EXPECT_NEAR(elbow(), 0.0, 1.0);
  EXPECT_NEAR(time(), 3 * kStep, 1e-9);
  EXPECT_EQ(ask("stepSimulationAndWait 2"), "");
  EXPECT_NEAR(time(), 5 * kStep, 1e-9);
  // The states of boards have the same time.
  EXPECT_NEAR(time_of_board(), 5 * kStep, 1e-9);

  EXPECT_EQ(ask("resetSimulation"), "[done]");
  EXPECT_EQ(time(), 0.0);
  EXPECT_EQ(ask("stepSimulationAndWait 4"), "");
  EXPECT_NEAR(time(), 4 * kStep, 1e-9);
}

TEST(RunYarpClockArguments, AreChecked) {
  const auto fails = [](const Arguments& arguments, const std::string& with) {
    Program run(joined({"run", SERVOSIM_WORLDS_DIR "/icub_arm.wbt"}, arguments));
    EXPECT_EQ(run.finish(), 2) << run.err();
    EXPECT_TRUE(contains(run.err(), with)) << run.err();
  };
  fails({"--yarp-clock=clock"}, "'clock' is no name for ports");
  fails({"--yarp-clock", "/time"}, "--yarp-clock=/time");
  fails({"--yarp-mas", "icub"}, "--yarp-mas needs ROBOT=/PORT, as icub=/icub/inertials");
  fails({"--yarp-mas", "icub=/x:led"}, "robot 'icub' has no device 'led'");
  fails({"--yarp-clock", "--yarp-mas-period", "0.1"}, "--yarp-mas-period needs sensors");
  fails({"--yarp-clock=/arm", "--yarp", "icub=/arm"},
        "two boards or other servers are called /arm");
  YarpRun run({}, {"--yarp-clock=/sim/time"});
  EXPECT_TRUE(contains(run.client("rpc", {"/sim/time/rpc", "getStepSize"}), "0.001"));
  EXPECT_TRUE(contains(run.client("read", {"/sim/time", "--count", "1"}), "0"));
}

}  // namespace run_yarp_clock_test
}  // namespace servosim::test
