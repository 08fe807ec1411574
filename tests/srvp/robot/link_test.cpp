// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/sockets.h"
#include "srvp/robot/server_link.h"

namespace servosim::srvp::robot {
namespace {

/// A server that only listens and sends the answers of a test, together with an MCU in one loop.
struct Bench final : srvp::LocalMcu {
  explicit Bench(srvp::McuKind kind = srvp::McuKind::Smart)
      : self{"robo", kind, 2, {}}, listener(listen(0)) {
    address = listener->address();
    connect();
  }

  std::unique_ptr<net::Listener> listen(std::uint16_t port) {
    return std::make_unique<net::Listener>(
        loop, net::Address{INADDR_LOOPBACK, port}, [this](Descriptor socket, const auto&) {
          ++connections;
          heard.clear();
          closed = false;
          stream = std::make_shared<net::TcpStream>(
              loop, std::move(socket),
              net::TcpStream::Calls{{},
                                    [this](Bytes bytes) { heard += as_text(bytes); },
                                    [this](const std::string&) { closed = true; }});
        });
  }
  void connect() {
    link = std::make_unique<ServerLink>(
        loop, address, self,
        ServerLink::Calls{[this](auto respond) { respond(positions); }, *this,
                          [this](const std::string& message) { said.push_back(message); }});
  }
  void perform(srvp::McuOrder order, Respond respond) override {
    orders.push_back(std::move(order));
    responds.push_back(std::move(respond));
  }
  void send(const std::string& bytes) { stream->send(as_bytes(bytes)); }
  bool becomes(const std::function<bool()>& done) {
    return loop.run_until(net::Clock::now() + std::chrono::seconds(20), done);
  }
  bool hears(const std::string& bytes) {
    return becomes([&] { return heard == bytes; });
  }
  void let_pass(int milliseconds) {
    loop.run_until(net::Clock::now() + std::chrono::milliseconds(milliseconds),
                   [] { return false; });
  }

  net::EventLoop loop;
  srvp::McuDescription self;
  std::vector<std::uint8_t> positions{0, 90};
  std::unique_ptr<net::Listener> listener;
  net::Address address;
  std::shared_ptr<net::TcpStream> stream;
  std::string heard;
  bool closed = false;
  int connections = 0;
  std::unique_ptr<ServerLink> link;
  std::vector<srvp::McuOrder> orders;
  std::vector<Respond> responds;
  std::vector<std::string> said;
};

constexpr const char* kLogin = "!s-NodeMCU_here-robo-\x02-\x01-\x5b-e!";
constexpr const char* kAck = "!s-_ACK-\xff-e!";

TEST(ServerLink, ASmartOneLogsInWithItsPositions) {
  Bench bench;
  EXPECT_TRUE(bench.hears(kLogin)) << bench.heard;
}

TEST(ServerLink, ADumbOneLogsInWithout) {
  Bench bench(srvp::McuKind::Dumb);
  EXPECT_TRUE(bench.hears("!s-NodeMCU_here-robo-\x02-\xbb-e!")) << bench.heard;
}

TEST(ServerLink, HandsOrdersOnAndSendsTheirAnswers) {
  Bench bench;
  ASSERT_TRUE(bench.hears(kLogin));
  bench.send("-m-\x01-\x02:\x5b-!");
  ASSERT_TRUE(bench.becomes([&] { return bench.orders.size() == 1; }));
  EXPECT_EQ(bench.orders[0],
            (srvp::McuOrder{srvp::McuOrder::Kind::Move, {srvp::MoveForm::Position, {{1, 90}}}}));
  bench.responds[0](srvp::ack());
  EXPECT_TRUE(bench.hears(std::string(kLogin) + kAck));
}

TEST(ServerLink, TakesOneOrderAfterTheOther) {
  Bench bench;
  ASSERT_TRUE(bench.hears(kLogin));
  bench.send("-u-\x01-\x02:\x5b-!-e-!-e-!");
  ASSERT_TRUE(bench.becomes([&] { return bench.orders.size() == 1; }));
  bench.let_pass(20);
  EXPECT_EQ(bench.orders.size(), 1u);
  bench.responds[0](srvp::ack());
  ASSERT_TRUE(bench.becomes([&] { return bench.orders.size() == 2; }));
  EXPECT_EQ(bench.orders[1].kind, srvp::McuOrder::Kind::Execute);
}

TEST(ServerLink, GarbageIsAnsweredAndTheNextOrderCounts) {
  Bench bench;
  ASSERT_TRUE(bench.hears(kLogin));
  bench.send("-x-!");
  EXPECT_TRUE(bench.hears(std::string(kLogin) + "!s-NACK-\xff-e!")) << bench.heard;
  bench.send("-e-!");
  EXPECT_TRUE(bench.becomes([&] { return bench.orders.size() == 1; }));
}

TEST(ServerLink, LeavesAServerThatFloodsIt) {
  Bench bench;
  ASSERT_TRUE(bench.hears(kLogin));
  std::string flood;
  for (int i = 0; i < 40'000; ++i) {
    flood += "-e-!";
  }
  bench.send(flood);
  EXPECT_TRUE(bench.becomes([&] { return bench.connections == 2; }));
  EXPECT_TRUE(bench.hears(kLogin)) << "and logs in again";
}

TEST(ServerLink, AnAnswerOfAnOldConnectionIsDropped) {
  Bench bench;
  ASSERT_TRUE(bench.hears(kLogin));
  bench.send("-e-!");
  ASSERT_TRUE(bench.becomes([&] { return bench.orders.size() == 1; }));
  bench.stream->close();
  ASSERT_TRUE(bench.becomes([&] { return bench.connections == 2; }));
  ASSERT_TRUE(bench.hears(kLogin));
  bench.responds[0](srvp::ack());
  bench.let_pass(20);
  EXPECT_EQ(bench.heard, kLogin);
}

TEST(ServerLink, ComesBackWhenTheServerDoes) {
  Bench bench;
  ASSERT_TRUE(bench.hears(kLogin));
  const net::Address address = bench.listener->address();
  bench.listener.reset();
  bench.stream->close();
  ASSERT_TRUE(bench.becomes([&] { return bench.said.size() >= 3; }));
  EXPECT_NE(bench.said.back().find("Connection refused"), std::string::npos) << bench.said.back();
  bench.positions = {179, 1};
  bench.listener = bench.listen(address.port);
  EXPECT_TRUE(bench.hears("!s-NodeMCU_here-robo-\x02-\xb4-\x02-e!")) << bench.heard;
}

TEST(ServerLink, SaysThatItMayHaveBeenRefused) {
  Bench bench;
  ASSERT_TRUE(bench.hears(kLogin));
  bench.stream->close();
  ASSERT_TRUE(bench.becomes([&] { return bench.connections == 2; }));
  ASSERT_TRUE(bench.hears(kLogin));
  bench.send("-e-!");  // an order shows that this login was not refused
  ASSERT_TRUE(bench.becomes([&] { return bench.orders.size() == 1; }));
  bench.stream->close();
  ASSERT_TRUE(bench.becomes([&] { return bench.connections == 3; }));
  std::string said;
  for (const std::string& line : bench.said) {
    said += line + '\n';
  }
  const std::size_t refused = said.find("Perhaps another MCU of that name is logged in");
  EXPECT_NE(refused, std::string::npos) << said;
  EXPECT_EQ(said.find("Perhaps", refused + 1), std::string::npos) << said;
}

TEST(ServerLink, SaysOnceThatNobodyIsThere) {
  Bench bench;
  ASSERT_TRUE(bench.hears(kLogin));
  bench.listener.reset();
  bench.stream->close();
  bench.let_pass(800);  // pauses of 0.1, 0.2 and 0.4 s
  const auto refusals = std::count_if(
      bench.said.begin(), bench.said.end(),
      [](const std::string& line) { return line.find("refused") != std::string::npos; });
  EXPECT_EQ(refusals, 1);
}

}  // namespace
}  // namespace servosim::srvp::robot
