// SPDX-License-Identifier: Apache-2.0
// The ports of a board: byte by byte, the states that they send, and many clients at once.
#include <limits>

#include "base/queues.h"
#include "yarp/server/clock_server.h"
#include "yarp/server/support.h"

namespace servosim::yarp::server {
namespace {

using yarp::ack;
using yarp::becomes;
using yarp::encoded;
using yarp::handshake;
using yarp::hex;
using yarp::RawClient;

namespace golden = yarp::golden;

std::string message_of(const std::string& body, const char* command = "64 00") {
  Writer length;
  length.u32(static_cast<std::uint32_t>(body.size()));
  return hex("59 41 0a 00 00 00 52 50  02 01 ff ff ff ff ff ff ff ff  08 00 00 00") +
         yarp::text_of(length) + hex("00 00 00 00  00 00 00 00 7e") + hex(command) + hex("01") +
         body;
}

TEST(WireServer, AnswersByteByByte) {
  const ServedBoard board;
  RawClient client(board.port("rpc:i"));
  client.send(golden::kHandshake);
  EXPECT_EQ(client.receive(8), yarp::answer(Carrier::Tcp, board.port("rpc:i"), ""));
  client.send(golden::kSetModeMessage);
  EXPECT_EQ(client.receive(20), golden::kOk + golden::kAck);
  client.send(message_of(golden::kGetProtocol));
  const std::string protocol =
      hex("00 01 00 00 05 00 00 00 09 00 00 00 \"prot\" 01 00 00 00 01 00 00 00 01 00 00 00 09 00 "
          "00 00 "
          "01 00 00 00 00 00 00 00 09 00 00 00 \"ok\" 00 00");
  EXPECT_EQ(client.receive(protocol.size() + 8), protocol + golden::kAck);
}

TEST(WireServer, ObeysStreamedCommandsByteByByte) {
  const ServedBoard board;
  Asker ask(board, Carrier::Tcp);
  ask("set icmd cmds (vel vel vel vel)");
  RawClient client(board.port("command:i"));
  client.send(golden::kHandshake);
  client.receive(8);
  client.send(message_of(hex("00 01 00 00 02 00 00 00") + golden::kVmo0 +
                             hex("0a 01 00 00 01 00 00 00  00 00 00 00 00 00 25 40"),
                         "44 00"));
  EXPECT_EQ(client.receive(8), golden::kAck);
  EXPECT_TRUE(becomes([&] { return ask("get vmos") == "[is] vmos (10.5 0.0 0.0 0.0) * [ok]"; }));
}

// The line that a user types, as the description of the protocol shows it.
TEST(WireServer, AnswersPeopleLineByLine) {
  const ServedBoard board;
  RawClient client(board.port("rpc:i"));
  client.send("CONNACK /rawtext\r\n");
  EXPECT_EQ(client.receive_line(), "Welcome /rawtext\r\n");
  client.send("d\n[get] [axes]\n");
  EXPECT_EQ(client.receive_line(), "[is] [axes] 4 [tsta] 1 0.0 [ok]\r\n");
  EXPECT_EQ(client.receive_line(), "<ACK>\r\n");
}

// ---- states

// Reads a port over a connection that is turned round.
class Listener {
 public:
  Listener(const ServedBoard& board, const std::string& port, Generation generation)
      : client_({.name_server = "", .timeout = yarp::kTestTimeout, .generation = generation}) {
    client_.connect(board.address(port), Carrier::FastTcp, "/listener");
    client_.reverse();
  }
  Bottle hear() { return client_.next_message(yarp::kTestTimeout); }

 private:
  yarp::YarpClient client_;
};

TEST(WireServer, TellsStatesInTheirForm) {
  const ServedBoard board(Generation::V3, true);
  RawClient client(board.port("state:o"));
  client.send(handshake(Carrier::FastTcp, "/reader") +
              yarp::message(Carrier::FastTcp, {yarp::PortCommand::Reverse, false, {}}));
  client.receive(8);
  yarp::Incoming incoming(Carrier::FastTcp);
  yarp::Words words;
  for (int i = 0; i < 1000 && words.size() < 2; ++i) {  // a message has about 100 bytes
    hear(incoming, client.receive(1), words);
  }
  ASSERT_EQ(words.size(), 2u);
  EXPECT_TRUE(std::regex_match(words[1], std::regex("message 0 at [0-9]+ [0-9]+\\.[0-9]{3}000: "
                                                    "[^ ]+ [^ ]+ [^ ]+ [^ ]+")))
      << words[1];
}

// Three joints take 424 bytes, so four take 504.
TEST(WireServer, TellsWholeStates) {
  ServedBoard board(Generation::V3, true);
  Asker ask(board, Carrier::Tcp);
  ask("set icmd cmod 2 idl");
  ask("set encs (10 20 30 40)");
  ask("set intm mode 1 comp");  // the last request: earlier states may still be on their way
  Listener listener(board, "stateExt:o", Generation::V3);
  Bottle state;
  const auto list = [&state](std::size_t i) { return to_text(*yarp::as_list(state.items[i])); };
  EXPECT_TRUE(becomes([&] {
    state = listener.hear();
    return state.size() == 22 && list(20) == "1718187123 1886220131 1718187123 1718187123";
  }));
  EXPECT_EQ(encoded(state).size(), 504u);
  EXPECT_EQ(list(18), "7565168 7565168 7103593 7565168");
  for (std::size_t i = 1; i < 22; i += 2) {
    EXPECT_EQ(state.items[i], yarp::BottleValue(yarp::Vocab("ok"))) << i;
  }
  for (const std::size_t i : {0u, 6u}) {
    EXPECT_NEAR(*yarp::as_number(yarp::as_list(state.items[i])->items[2]), 30.0, 1e-3) << i;
  }
}

TEST(WireServer, StatesComeOncePerPeriodOfSimulatedTime) {
  test::Four four;
  const Timeline timeline(four.simulation);
  yarp::YarpNode node{{.name_server = "", .own_name_server = 0}, [](const std::string&) {}};
  BoardServer::Options options;
  options.name = "/arm";
  options.period = 0.010;
  BoardServer server(node, timeline, four.board, options);
  RawClient client(server.contact("state:o").port);
  client.send(handshake(Carrier::FastTcp, "/reader") +
              yarp::message(Carrier::FastTcp, {yarp::PortCommand::Reverse, false, {}}));
  client.receive(8);
  yarp::Incoming incoming(Carrier::FastTcp);
  yarp::Words words;
  const auto step = [&](int count) {
    for (int i = 0; i < count; ++i) {
      server.before_step();
      four.simulation.step();
      server.after_step();
    }
  };
  EXPECT_TRUE(becomes([&] {  // until the reader is there
    step(1);
    char byte = 0;
    return ::recv(client.fd(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 1;
  }));
  const double start = four.simulation.time();
  std::vector<double> times;
  while (times.size() < 20) {
    step(1);
    std::this_thread::sleep_for(
        2 * net::StatePublisher<int>::kPollInterval);  // otherwise the next state would overwrite
                                                       // it
    std::string bytes(4096, '\0');
    const ssize_t size = ::recv(client.fd(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    words.clear();
    hear(incoming, bytes.substr(0, static_cast<std::size_t>(std::max<ssize_t>(size, 0))), words);
    for (const std::string& word : words) {
      const double time = std::stod(word.substr(word.find(' ', word.find("at ") + 3)));
      if (times.empty() || time != times.back()) {  // if this takes long, a state is sent again
        times.push_back(time);
      }
    }
  }
  EXPECT_GE(four.simulation.time() - start, 0.010 * 17);
  for (std::size_t i = 1; i < times.size(); ++i) {
    const double periods = (times[i] - times[i - 1]) / 0.010;  // some may have been overwritten
    EXPECT_NEAR(periods, std::round(periods), 1e-3);
    EXPECT_GE(periods, 0.99);
  }
}

// Clients take half a second of silence for the end, however slow the simulation is.
TEST(WireServer, TellsAStateAgainWhileTimeStandsStill) {
  ServedBoard board(Generation::V3, true);
  Listener listener(board, "stateExt:o", Generation::V3);
  listener.hear();
  board.running = false;
  Asker ask(board, Carrier::Tcp);
  const std::string now = ask("get encs");
  int same = 0;
  std::string last;
  EXPECT_TRUE(becomes([&] {
    const std::string state = to_text(listener.hear());
    same = state == std::exchange(last, state) ? same + 1 : 0;
    return same == 3;
  })) << now;
}

TEST(WireServer, ItsPortsDoNotGoOnBeyondTheLast) {
  test::Four four;
  const Timeline timeline(four.simulation);
  yarp::YarpNode node{{.name_server = "", .own_name_server = 0}, [](const std::string&) {}};
  BoardServer::Options options;
  options.name = "/arm";
  options.listen.port = 65534;
  try {
    const BoardServer server(node, timeline, four.board, options);
    FAIL() << "it is at port " << server.contact("stateExt:o").port;
  } catch (const std::system_error& error) {
    EXPECT_NE(std::string(error.what()).find("port 65536 for /arm/state:o"), std::string::npos)
        << error.what();
  }
}

// ---- clients

TEST(WireServer, ServesManyClientsAtOnce) {
  const ServedBoard board(Generation::V3, true);
  std::vector<std::thread> clients;
  std::atomic<int> right{0};
  for (int n = 0; n < 8; ++n) {
    clients.emplace_back([&board, &right, n] {
      Asker ask(board, n % 2 == 0 ? Carrier::Tcp : Carrier::Text);
      const int j = n % 4;
      for (int i = 0; i < 50; ++i) {
        ask(fmt::format("set vel {} {}", j, 10 + n / 4));
        const std::string speed = ask(fmt::format("get vel {}", j));
        right += speed == "[is] vel 10.0 * [ok]" || speed == "[is] vel 11.0 * [ok]";
      }
    });
  }
  for (std::thread& client : clients) {
    client.join();
  }
  EXPECT_EQ(right, 8 * 50);
}

TEST(WireServer, ItsPortsRefuseEverythingWhenItIsGone) {
  test::Four four;
  const Timeline timeline(four.simulation);
  yarp::YarpNode node{{.name_server = "", .own_name_server = 0}, [](const std::string&) {}};
  BoardServer::Options options;
  options.name = "/arm";
  auto server = std::make_unique<BoardServer>(node, timeline, four.board, options);
  RawClient client(server->contact("rpc:i").port);
  server.reset();
  client.send(golden::kHandshake + golden::kSetModeMessage);
  EXPECT_TRUE(becomes([&] { return node.queue().serve() > 0; }));
  client.receive(8);
  EXPECT_EQ(client.receive(20), encoded(yarp::bottle("[fail]")) + ack());
}

// A reset would undo what is done between its request and the next step.
TEST(WireServer, RequestsAfterAResetWaitForIt) {
  for (const MessageHead& head : {yarp::asking(), yarp::telling()}) {
    test::Four four;
    Timeline timeline(four.simulation);
    yarp::YarpNode node{{.name_server = "", .own_name_server = 0}, [](const std::string&) {}};
    ClockServer clock(node, four.simulation, timeline, {});
    BoardServer::Options options;
    options.name = "/arm";
    BoardServer board(node, timeline, four.board, options);
    RawClient resets(clock.rpc().port);
    resets.send(handshake(Carrier::FastTcp, "/resets") +
                yarp::message(Carrier::FastTcp, head, yarp::bottle("resetSimulation")));
    EXPECT_TRUE(becomes([&] {
      node.serve();
      return clock.take_changes().reset;
    }));
    EXPECT_TRUE(clock.ready());
    RawClient moves(board.contact("rpc:i").port);
    moves.send(golden::kHandshake + yarp::message(Carrier::Tcp, yarp::asking(),
                                                  yarp::bottle("[set] [icmd] [cmod] 0 [vel]")));
    EXPECT_TRUE(becomes([&] { return node.queue().serve() > 0; }));
    node.serve();
    EXPECT_EQ(four.modes()[0], VOCAB_CM_POSITION);

    clock.before_step();
    four.step();
    four.board.reset();
    clock.after_reset();
    clock.after_step();
    node.serve();
    EXPECT_EQ(four.modes()[0], VOCAB_CM_VELOCITY);
    EXPECT_EQ(moves.receive(28).substr(8), golden::kOk + ack());
    if (head.reply) {
      const std::string done = encoded(Bottle{{Vocab("done")}, true});
      EXPECT_EQ(resets.receive(8 + done.size()).substr(8), done);
    }
  }
}

TEST(WireServer, ARunContinuesAtTheSpeedThatOthersSet) {
  test::Four four;
  Timeline timeline(four.simulation);
  yarp::YarpNode node{{.name_server = "", .own_name_server = 0}, [](const std::string&) {}};
  ClockServer clock(node, four.simulation, timeline, {});
  clock.begin(1.0);
  RawClient client(clock.rpc().port);
  client.send(handshake(Carrier::FastTcp, "/client"));
  const auto speed_after = [&](const char* request) {
    client.send(yarp::message(Carrier::FastTcp, yarp::telling(), yarp::bottle(request)));
    std::optional<double> speed;
    EXPECT_TRUE(becomes([&] {
      node.serve();
      speed = clock.take_changes().speed;
      return speed.has_value();
    }));
    return speed.value_or(0.0);
  };
  EXPECT_EQ(speed_after("continueSimulation"), 1.0);
  clock.speed_changed(0.5);
  EXPECT_EQ(speed_after("stepSimulation 3"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(speed_after("continueSimulation"), 0.5);
}

TEST(WireServer, TakesPortsInARowWhenOneIsGiven) {
  int first = 0;
  {
    const ServedBoard board;
    first = board.port("rpc:i");
  }
  test::Four four;
  const Timeline timeline(four.simulation);
  yarp::YarpNode node{{.name_server = "", .own_name_server = 0}, [](const std::string&) {}};
  BoardServer::Options options;
  options.name = "/arm";
  for (int tries = 0; tries < 50; ++tries) {  // another program may use one of them
    options.listen.port = static_cast<std::uint16_t>(20000 + (first + 97 * tries) % 20000);
    try {
      const BoardServer server(node, timeline, four.board, options);
      EXPECT_EQ(server.contact("rpc:i").port, options.listen.port);
      EXPECT_EQ(server.contact("stateExt:o").port, options.listen.port + 3);
      EXPECT_EQ(server.contact("command:i").name, "/arm/command:i");
      return;
    } catch (const std::system_error&) {
    }
  }
  FAIL();
}

}  // namespace
}  // namespace servosim::yarp::server
