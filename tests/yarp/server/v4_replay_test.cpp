// SPDX-License-Identifier: Apache-2.0
// tests/data/peers/yarp4_client.flows is a recorded dialogue of a client and a board of YARP 4.0.
// The board of servosim answers that client, and the codecs of servosim read that board.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/raw_client.h"
#include "base/scoped.h"
#include "support/bottle_shape.h"
#include "support/recorded_flows.h"
#include "yarp/ports/output_connection.h"
#include "yarp/protocol/streaming.h"
#include "yarp/server/support.h"

namespace servosim::yarp::server {
namespace wire_v4_replay_test {

using net::RawClient;
using test::BottleShape;
using test::RecordedFlow;

constexpr std::size_t kHandshake = 8;  // its answer, and an acknowledgement
const std::string kProtocol = "getRemoteProtocolVersion";

// Returns the flows to a port, in the order in which they were opened.
std::vector<RecordedFlow> flows_to(const std::string& port) {
  std::vector<RecordedFlow> found;
  for (const RecordedFlow& flow : test::recorded_flows("yarp4_client.flows")) {
    if (flow.to == port) {
      found.push_back(flow);
    }
  }
  return found;
}

// Returns the messages that one side sent on a binary connection after the handshake.
std::vector<std::string> bodies(const std::string& bytes) {
  yarp::Incoming incoming(Carrier::FastTcp);
  incoming.feed(as_bytes(bytes));
  std::vector<std::string> all;
  for (auto event = incoming.next(); event.index() != 0; event = incoming.next()) {
    const auto* const message = std::get_if<yarp::Message>(&event);
    EXPECT_NE(message, nullptr);
    if (message == nullptr) {
      break;
    }
    all.emplace_back(as_text(message->body));
  }
  return all;
}

// A request of the recorded client, and the Bottle that the recorded board answers.
struct Exchange {
  std::string message;  ///< all its bytes
  std::string body;     ///< the Bottle in it
  std::string reply;    ///< without the acknowledgement
};

std::vector<Exchange> requests() {
  const RecordedFlow flow = flows_to("/fake/nws/rpc:i").at(0);
  std::vector<Exchange> all;
  for (std::size_t n = 2; n + 1 < flow.pieces.size(); n += 2) {
    const std::string& said = flow.pieces[n + 1].bytes;
    const auto body = bodies(flow.pieces[n].bytes);
    if (body.size() == 1 && said.size() > kHandshake) {  // the last is the quit command
      all.push_back({flow.pieces[n].bytes, body[0], said.substr(0, said.size() - kHandshake)});
    }
  }
  return all;
}

std::string method_of(const std::string& body) {
  return *yarp::as_string(std::get<Bottle>(decode_bottle(as_bytes(body), Generation::V4)).items[0]);
}

// Returns the shape of the bytes on a connection up to the end of a Bottle.
std::string receive_bottle(RawClient& client) {
  std::string bytes;
  for (;;) {
    const std::string more = client.receive(1);
    bytes += more;
    if (more.empty() || yarp::find_bottle_end(as_bytes(bytes), Generation::V4).size > 0) {
      return bytes;
    }
  }
}

// fakeMotionControl lacks what servosim has, or has more: the lengths of these lists differ.
const std::set<std::string> kOtherLength{"getDeviceInterfacesRPC", "getAvailableControlModesRPC",
                                         "getRemoteVariablesListRPC", "getRemoteVariableRPC"};

TEST(WireV4Replay, TheRecordedClientIsAnsweredAsByTheRecordedBoard) {
  const ServedBoard board(Generation::V4, true, "/fake", 3);
  RawClient client(board.port("rpc:i"));
  const RecordedFlow flow = flows_to("/fake/nws/rpc:i").at(0);
  client.send(flow.pieces.at(0).bytes);
  const std::string welcome = client.receive(kHandshake);
  ASSERT_EQ(welcome.size(), kHandshake);
  EXPECT_EQ(welcome.substr(0, 2) + welcome.substr(6), "YARP");
  const std::vector<Exchange> recorded = requests();
  ASSERT_EQ(recorded.size(), 58u);
  for (const Exchange& exchange : recorded) {
    const std::string method = method_of(exchange.body);
    client.send(exchange.message);
    if (method == kProtocol) {
      EXPECT_EQ(client.receive(16), exchange.reply);
    } else {
      const std::string reply = receive_bottle(client);
      const std::string shape = BottleShape::of(reply);
      if (!kOtherLength.contains(method)) {
        EXPECT_EQ(shape, BottleShape::of(exchange.reply)) << method;
      }
      // If the recorded board did what it was asked, so does servosim's.
      const bool done = exchange.reply.find("ok") != std::string::npos;
      EXPECT_TRUE(!done || reply.find("err") == std::string::npos) << method;
    }
    EXPECT_EQ(client.receive(kHandshake), yarp::ack()) << method;
  }
  client.send(flow.pieces.at(flow.pieces.size() - 2).bytes);  // the quit command
  EXPECT_EQ(client.receive_all(), yarp::ack());
}

// Sends the lines of a recorded flow and expects the recorded answers of the port.
void replay(const ServedBoard& board, const std::string& port, const RecordedFlow& flow) {
  RawClient client(board.port(port));
  for (const RecordedFlow::Piece& piece : flow.pieces) {
    if (piece.asked) {
      client.send(piece.bytes);
    } else {
      std::string lines;
      for (auto n = std::count(piece.bytes.begin(), piece.bytes.end(), '\n'); n > 0; --n) {
        lines += client.receive_line();
      }
      EXPECT_EQ(lines, piece.bytes);
    }
  }
}

std::string receive_body(RawClient& client) {
  yarp::Incoming incoming(Carrier::FastTcp);
  for (;;) {
    const std::string more = client.receive(1);
    incoming.feed(as_bytes(more));
    const auto event = incoming.next();
    if (const auto* const message = std::get_if<yarp::Message>(&event)) {
      return std::string(as_text(message->body));
    }
    if (more.empty()) {
      return "";
    }
  }
}

// The client asks whether stateExt:o is connected to it, makes it connect, asks again, and makes it
// leave.
TEST(WireV4Replay, TheRecordedClientGetsTheStatesThatItAsksFor) {
  const ServedBoard board(Generation::V4, true, "/fake", 3);
  net::RawListener listener;
  RawClient names(board.names());
  names.send(
      fmt::format("NAME_SERVER register /acc4/stateExt:i tcp 127.0.0.1 {}\n", listener.port()));
  ASSERT_NE(names.receive_line().find(fmt::format("port {}", listener.port())), std::string::npos);

  const std::vector<RecordedFlow> asked = flows_to("/fake/stateExt:o");
  const RecordedFlow states = flows_to("/acc4/stateExt:i").at(0);
  ASSERT_EQ(asked.size(), 4u);
  replay(board, "stateExt:o", asked[0]);
  std::thread dialled([&] { replay(board, "stateExt:o", asked[1]); });
  RawClient reader = listener.accept();
  EXPECT_TRUE(reader.connected());
  EXPECT_EQ(reader.receive(states.pieces.at(0).bytes.size()), states.pieces.at(0).bytes);
  reader.send(states.pieces.at(1).bytes);
  dialled.join();
  EXPECT_EQ(BottleShape::of(receive_body(reader)),
            BottleShape::of(bodies(states.pieces.at(2).bytes).at(0)));
  replay(board, "stateExt:o", asked[2]);
  replay(board, "stateExt:o", asked[3]);
  reader.receive_all();  // ends
}

// A recorded command, by its number, and the resulting reference of joint 0.
struct Streamed {
  const char* mode;
  const char* question;
  std::vector<std::pair<std::size_t, const char*>> commands;
};
void PrintTo(const Streamed& streamed, std::ostream* out) { *out << streamed.mode; }

class WireV4ReplayOf : public testing::TestWithParam<Streamed> {};

TEST_P(WireV4ReplayOf, CommandsIsObeyed) {
  ServedBoard board(Generation::V4, false, "/fake", 3);
  Asker ask(board, Carrier::Tcp, Generation::V4);
  const std::string question = GetParam().question;
  ASSERT_EQ(ask(fmt::format("setControlModeAllRPC ([{0}] [{0}] [{0}])", GetParam().mode)), "[ok]");
  const RecordedFlow flow = flows_to("/fake/command:i").at(0);
  ASSERT_EQ(flow.pieces.size(), 2u + 6u);
  RawClient client(board.port("command:i"));
  client.send(flow.pieces[0].bytes);
  ASSERT_EQ(client.receive(kHandshake).size(), kHandshake);
  for (const auto& [number, told] : GetParam().commands) {
    const std::string answer = fmt::format("([ok]) {}", told);
    EXPECT_FALSE(ask(question).starts_with(answer));
    client.send(flow.pieces[2 + number].bytes);
    EXPECT_TRUE(net::becomes([&] { return ask(question).starts_with(answer); })) << ask(question);
  }
  EXPECT_TRUE(board.said().empty()) << board.said()[0];
}

INSTANTIATE_TEST_SUITE_P(
    , WireV4ReplayOf,
    testing::Values(Streamed{"vel", "getTargetVelocityOneRPC 0", {{0, "5.0"}}},
                    Streamed{"posd", "getRefPositionOneRPC 0", {{1, "10.398"}, {2, "9.898"}}},
                    Streamed{"veld", "getRefVelocityOneRPC 0", {{3, "3.0"}, {4, "0.0"}}},
                    Streamed{"torq", "getRefTorqueOneRPC 0", {{5, "0.1"}}}),
    testing::PrintToStringParamName());

// The codec writes what it has read, from both sides, without a difference.
TEST(WireV4Replay, TheRecordedBottlesComeBackAsTheyWere) {
  std::vector<std::string> bottles;
  for (const Exchange& exchange : requests()) {
    bottles.push_back(exchange.body);
    if (method_of(exchange.body) != kProtocol) {
      bottles.push_back(exchange.reply);
    }
  }
  for (const char* const port : {"/fake/command:i", "/acc4/stateExt:i"}) {
    const RecordedFlow flow = flows_to(port).at(0);
    for (std::size_t n = 2; n < flow.pieces.size(); ++n) {
      const auto messages = bodies(flow.pieces[n].bytes);
      bottles.insert(bottles.end(), messages.begin(), messages.end());
    }
  }
  EXPECT_EQ(bottles.size(), 58u + 57u + 6u + 2u);
  for (const std::string& bytes : bottles) {
    const auto decoded = yarp::decoded(bytes, Generation::V4);
    ASSERT_FALSE(yarp::is_error(decoded)) << yarp::error_text(decoded);
    EXPECT_EQ(yarp::encoded(std::get<Bottle>(decoded), Generation::V4), bytes)
        << to_text(std::get<Bottle>(decoded));
  }
}

TEST(WireV4Replay, TheRecordedBoardIsUnderstood) {
  const std::map<std::string, std::string> some{
      {"getAxesRPC", "([ok]) 3"},
      {"getAxisNameRPC", "([ok]) \"joint1\""},
      {"setEncoderAllRPC", "[ok]"},
      {"getPosLimitsRPC", "([ok]) 0.0 100.0"},
      {"getTrajAccelerationAllRPC", "([ok]) (30.0 0.0 0.0)"},
      {"checkMotionDoneAllRPC", "([ok]) [fail]"},
      {"getTorqueRangeAllRPC", "([ok]) (-100.0 -100.0 -100.0) (100.0 100.0 100.0)"},
      {"getLastJointFaultRPC", "([ok]) 0 \"\""},
      {"getRemoteVariablesListRPC", "([err6]) ()"},
      {"isCalibratorDevicePresentRPC", "([err6]) [fail]"},
      {"homingSingleJointRPC", "[err6]"}};
  const RecordedFlow flow = flows_to("/fake/nws/rpc:i").at(0);
  yarp::Outgoing outgoing(Carrier::Tcp, Generation::V4);
  outgoing.feed(as_bytes(flow.pieces.at(1).bytes));
  const auto welcomed = outgoing.next();
  ASSERT_TRUE(std::holds_alternative<yarp::Welcomed>(welcomed));
  EXPECT_EQ(std::get<yarp::Welcomed>(welcomed).number, 10002);
  std::size_t understood = 0;
  for (const Exchange& exchange : requests()) {
    const std::string method = method_of(exchange.body);
    if (method == kProtocol) {
      continue;  // no Bottle: a program that asks for it reads it directly
    }
    ASSERT_TRUE(outgoing.ready());
    outgoing.sent(yarp::asking());
    outgoing.feed(as_bytes(exchange.reply + yarp::ack()));
    const auto event = outgoing.next();
    ASSERT_TRUE(std::holds_alternative<yarp::RepliedMessage>(event)) << method;
    const auto reply = decode_bottle(std::get<yarp::RepliedMessage>(event).body, Generation::V4);
    if (const auto expected = some.find(method); expected != some.end()) {
      EXPECT_EQ(to_text(std::get<Bottle>(reply)), expected->second) << method;
      ++understood;
    }
    EXPECT_TRUE(std::holds_alternative<yarp::Finished>(outgoing.next())) << method;
  }
  EXPECT_EQ(understood, some.size() + 1);  // the client asks for the axes twice
}

// The values of the recorded state give the recorded bytes.
TEST(WireV4Replay, TheRecordedStateIsOurs) {
  const std::vector<double> zeros(3);
  const std::vector<double> duty{33, 34, 35};
  const std::vector<double> currents{3300, 3400, 3500};
  const std::vector<std::int32_t> modes(3, yarp::vocab("pos"));
  const std::vector<std::int32_t> none(3);
  const std::vector<double> temperatures{37.5, 38.5, 39.5};
  yarp::JointStates states;
  for (auto* const quantity :
       {&states.positions, &states.velocities, &states.accelerations, &states.motor_positions,
        &states.motor_velocities, &states.motor_accelerations, &states.torques}) {
    *quantity = {zeros, true};
  }
  states.duty_cycles = {duty, true};
  states.currents = {currents, true};
  states.control_modes = {modes, true};
  states.interaction_modes = {none, true};
  states.temperatures = {temperatures, true};
  Writer writer;
  encode_joint_states(writer, states, Generation::V4);
  const RecordedFlow flow = flows_to("/acc4/stateExt:i").at(0);
  EXPECT_EQ(as_text(writer.bytes()), bodies(flow.pieces.at(2).bytes).at(0));
}

}  // namespace wire_v4_replay_test
}  // namespace servosim::yarp::server
