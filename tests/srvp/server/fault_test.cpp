// SPDX-License-Identifier: Apache-2.0
// MCUs that vanish, do not answer or send invalid data, clients that interfere with each other, and
// connections that are no clients.
#include <netinet/tcp.h>

#include <deque>
#include <random>

#include "srvp/server/support.h"

namespace servosim::srvp {
namespace srvp_fault_test {

const std::string kContactError = refusal(Nack::ErrorContactingMcu);

ServerOptions impatient() {
  ServerOptions options;
  options.mcu_timeout = std::chrono::milliseconds(100);
  return options;
}

Query move(std::uint8_t servo, int position) { return to_positions({{servo, position}}); }

TEST(SrvpFaults, AnotherClientsSelectionTakesTheMcuAway) {
  TestServer server;
  NullMcu mcu;
  server.add(smart("nao", 4), mcu);
  RawUser first(server, "nao");
  RawUser second(server, "nao");
  EXPECT_EQ(first.ask(move(0, 1)), refusal(Nack::NoActiveMcu));
  EXPECT_EQ(first.ask(AskInfo()), refusal(Nack::NoActiveMcu));
  EXPECT_EQ(second.ask(move(0, 1), 2), kAck + kAck);
  EXPECT_EQ(first.ask(SelectMcu{"nao"}), kAck);
  EXPECT_EQ(first.ask(move(0, 1), 2), kAck + kAck);
}

// The second answer refuses a move that was valid when it was checked, because another client
// selected the MCU before the order was sent.
TEST(SrvpFaults, ASelectionBetweenCheckAndUseIsTheSecondAnswer) {
  TestServer server;
  RawMcu mcu(server, smart("nao", 4));
  RawUser first(server, "nao");
  EXPECT_EQ(first.ask(move(0, 1)), kAck);
  EXPECT_TRUE(mcu.hears(McuOrder{McuOrder::Kind::Move, to_positions({{0, 1}})}));
  RawUser second(server, "nao");
  EXPECT_EQ(second.ask(move(0, 2)), kAck);  // waits for the first
  RawUser third(server, "nao");
  EXPECT_EQ(third.ask(move(0, 3)), kAck);
  mcu.send(kAck);
  EXPECT_EQ(first.receive(12), kAck);  // its order was under way
  EXPECT_EQ(second.receive(12), refusal(Nack::NoActiveMcu));
  EXPECT_TRUE(mcu.hears(McuOrder{McuOrder::Kind::Move, to_positions({{0, 3}})}));
  mcu.send(kAck);
  EXPECT_EQ(third.receive(12), kAck);
}

TEST(SrvpFaults, AnMcuThatGoesBetweenCheckAndUseIsOffline) {
  TestServer server;
  RawUser first(server);
  RawUser second(server);
  {
    RawMcu mcu(server, smart("nao", 4));
    EXPECT_EQ(first.ask(SelectMcu{"nao"}), kAck);
    EXPECT_EQ(first.ask(move(0, 1)), kAck);
    EXPECT_TRUE(mcu.hears(McuOrder{McuOrder::Kind::Move, to_positions({{0, 1}})}));
    EXPECT_EQ(second.ask(SelectMcu{"nao"}), kAck);
    EXPECT_EQ(second.ask(move(0, 2)), kAck);
  }
  EXPECT_EQ(first.receive(12), kContactError);  // the MCU had received the order
  EXPECT_EQ(second.receive(12), refusal(Nack::McuOffline));
  EXPECT_EQ(second.ask(move(0, 2)), refusal(Nack::McuOffline));
}

TEST(SrvpFaults, AnMcuMayComeBack) {
  TestServer server;
  RawUser user(server);
  for (std::uint8_t i = 0; i < 5; ++i) {
    RawMcu mcu(server, smart("nao", 4, i));
    EXPECT_EQ(user.ask(SelectMcu{"nao"}), kAck);
    EXPECT_EQ(user.ask(move(1, i)), kAck);
    EXPECT_TRUE(mcu.hears(McuOrder{McuOrder::Kind::Move, to_positions({{1, i}})}));
    mcu.send(kAck);
    EXPECT_EQ(user.receive(12), kAck);
    mcu.close();
    EXPECT_TRUE(becomes([&] { return user.ask(move(1, i)) == refusal(Nack::McuOffline); }));
  }
}

TEST(SrvpFaults, TheStoredMovesOfADumbMcuOutliveItsConnection) {
  TestServer server;
  RawUser user(server);
  {
    RawMcu mcu(server, dumb("arm", 1));
    EXPECT_EQ(user.ask(SelectMcu{"arm"}), kAck);
    EXPECT_EQ(user.ask(Upload{{{1000, 2000}}}), kAck);
    EXPECT_EQ(user.ask(SetMode{SetMode::kDelayed}), encode(ack(SetMode::kDelayed)));
    EXPECT_EQ(user.ask(move(0, 90), 2), kAck + kAck);
  }
  EXPECT_TRUE(server.logs("MCU arm has disconnected"));
  RawMcu again(server, dumb("arm", 1));
  user.send(encode(Query(ExecuteAll())));
  EXPECT_TRUE(again.hears(McuOrder{McuOrder::Kind::Move, to_pwm({{0, 1500}})}));
}

TEST(SrvpFaults, ASilentMcuIsGivenUpUntilItAnswers) {
  ServerOptions options;
  options.mcu_timeout = std::chrono::seconds(1);  // enough time for what follows the first order
  TestServer server(options);
  RawMcu mcu(server, smart("nao", 4));
  RawUser user(server, "nao");
  EXPECT_EQ(user.ask(move(0, 1), 2), kAck + kContactError);
  EXPECT_TRUE(mcu.hears(McuOrder{McuOrder::Kind::Move, to_positions({{0, 1}})}));
  EXPECT_EQ(user.ask(move(0, 2), 2), kAck + kContactError);
  mcu.send(kAck);  // answers the first order; if the second client got it, answers would be crossed
  EXPECT_TRUE(server.logs("gets orders again"));
  EXPECT_EQ(user.ask(move(0, 3)), kAck);
  EXPECT_TRUE(mcu.hears(McuOrder{McuOrder::Kind::Move, to_positions({{0, 3}})}));
  mcu.send(refusal(Nack::InvalidParameter));
  EXPECT_EQ(user.receive(12), refusal(Nack::InvalidParameter));
}

TEST(SrvpFaults, ASilentMcuDoesNotDelayOthers) {
  TestServer server;
  RawMcu silent(server, smart("silent", 1));
  NullMcu mcu;
  server.add(smart("nao", 1), mcu);
  RawUser waiting(server, "silent");
  EXPECT_EQ(waiting.ask(move(0, 1)), kAck);
  RawUser user(server, "nao");
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(user.ask(move(0, i), 2), kAck + kAck);
  }
}

TEST(SrvpFaults, AnMcuThatTalksNonsenseIsNotUnderstood) {
  TestServer server;
  RawMcu mcu(server, smart("nao", 4));
  RawUser user(server, "nao");
  for (const char* nonsense : {"!s-iMCU-e!", "xyz-e!", "!s-NACK-\xff-x!"}) {
    EXPECT_EQ(user.ask(move(0, 1)), kAck);
    EXPECT_TRUE(mcu.hears(McuOrder{McuOrder::Kind::Move, to_positions({{0, 1}})}));
    mcu.send(nonsense);
    EXPECT_EQ(user.receive(12), kContactError) << nonsense;
  }
  EXPECT_EQ(user.ask(move(0, 2)), kAck);
  EXPECT_TRUE(mcu.hears(McuOrder{McuOrder::Kind::Move, to_positions({{0, 2}})}));
  mcu.send(kAck);
  EXPECT_EQ(user.receive(12), kAck);
}

TEST(SrvpFaults, ASecondAnswerIsLeftOut) {
  TestServer server;
  RawMcu mcu(server, smart("nao", 4));
  RawUser user(server, "nao");
  user.send(encode(move(0, 1)) + encode(move(0, 2)));
  EXPECT_TRUE(mcu.hears(McuOrder{McuOrder::Kind::Move, to_positions({{0, 1}})}));
  mcu.send(kAck + refusal(Nack::InvalidQuery));  // the second answer belongs to no order that was
                                                 // sent
  EXPECT_TRUE(mcu.hears(McuOrder{McuOrder::Kind::Move, to_positions({{0, 2}})}));
  mcu.send(kAck);
  EXPECT_EQ(user.receive(48), kAck + kAck + kAck + kAck);
  EXPECT_TRUE(server.logs("MCU nao has no order; its answer is ignored"));
}

TEST(SrvpFaults, AnEndlessAnswerClosesTheMcusConnection) {
  TestServer server;
  RawMcu mcu(server, smart("nao", 4));
  mcu.send(std::string(3 * kMaxFrame, 'x'));
  EXPECT_EQ(mcu.receive_all(), "");
  EXPECT_TRUE(server.logs("MCU nao has disconnected: it sends a frame without end"));
}

TEST(SrvpFaults, ALocalMcuThatAnswersTwiceIsHeardOnce) {
  class Twice : public LocalMcu {
   public:
    void perform(McuOrder, Respond respond) override {
      respond(ack());
      respond(nack(Nack::InvalidQuery));
    }
  } mcu;
  TestServer server;
  server.add(smart("nao", 1), mcu);
  RawUser user(server, "nao");
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(user.ask(move(0, i), 2), kAck + kAck);
  }
}

int option(int fd, int level, int name) {
  int value = -1;
  socklen_t size = sizeof value;
  ::getsockopt(fd, level, name, &value, &size);
  return value;
}

// Returns the server's end of a connection of this process.
int other_end(int fd) {
  sockaddr_in local{};
  socklen_t size = sizeof local;
  ::getsockname(fd, reinterpret_cast<sockaddr*>(&local), &size);
  for (int other = 0; other < 1024; ++other) {
    sockaddr_in peer{};
    size = sizeof peer;
    if (::getpeername(other, reinterpret_cast<sockaddr*>(&peer), &size) == 0 &&
        peer.sin_port == local.sin_port) {
      return other;
    }
  }
  return -1;
}

TEST(SrvpFaults, ItIsNoticedSoonWhenAnMcuHasVanished) {
  TestServer server;
  const RawMcu mcu(server, smart("nao", 4));
  const int fd = other_end(mcu.fd());
  EXPECT_EQ(option(fd, IPPROTO_TCP, TCP_NODELAY), 1);
  EXPECT_EQ(option(fd, SOL_SOCKET, SO_KEEPALIVE), 1);
  EXPECT_EQ(option(fd, IPPROTO_TCP, TCP_KEEPIDLE), 1);   // [s]
  EXPECT_EQ(option(fd, IPPROTO_TCP, TCP_KEEPINTVL), 1);  // [s]
}

TEST(SrvpFaults, ANameInUseIsRefusedAndTheFirstStays) {
  TestServer server;
  RawMcu first(server, smart("nao", 4));
  RawPeer second(server.port());
  second.send(encode(Login(smart("nao", 4))));
  EXPECT_EQ(second.receive_all(), "");
  RawUser user(server, "nao");
  EXPECT_EQ(user.ask(move(0, 1)), kAck);
  EXPECT_TRUE(first.hears(McuOrder{McuOrder::Kind::Move, to_positions({{0, 1}})}));
}

TEST(SrvpFaults, AnMcuThatIsKnownToBeDifferentIsRefused) {
  TestServer server;
  { const RawMcu mcu(server, smart("nao", 4)); }
  EXPECT_TRUE(server.logs("MCU nao has disconnected"));
  for (const McuDescription& other : {dumb("nao", 4), smart("nao", 5)}) {
    RawPeer peer(server.port());
    peer.send(encode(Login(other)));
    EXPECT_EQ(peer.receive_all(), "");
  }
  EXPECT_TRUE(server.logs("MCU nao is refused: it is known as one of the other kind"));
  EXPECT_TRUE(server.logs("MCU nao is refused: it is known with 4 servos, not 5"));
  const RawMcu same(server, smart("nao", 4));
}

TEST(SrvpFaults, WhoIsNoClientIsToldAndClosed) {
  TestServer server;
  for (const std::string& greeting :
       {std::string("GET / HTTP/1.1\r\n"), std::string("!s-sOFF-e!"), std::string(1, '\0'),
        bytes("!s-NodeMCU_here-a-<99>-<187>-e!"), std::string(100'000, 'A')}) {
    RawPeer peer(server.port());
    peer.send(greeting);
    EXPECT_EQ(peer.receive_all(), refusal(Nack::InvalidQuery)) << shown(greeting.substr(0, 40));
  }
}

TEST(SrvpFaults, AnEndlessQueryIsRefusedAndTheConnectionClosed) {
  TestServer server;
  for (const char* begin : {"!s-sMCU-", "AAAA"}) {
    RawUser user(server);
    user.send(begin + std::string(10 * kMaxFrame, 'A'));
    EXPECT_EQ(user.receive_all(), refusal(Nack::InvalidQuery));
  }
}

TEST(SrvpFaults, TheBeginningOfAQueryDoesNotSwallowTheNext) {
  ServerOptions options;
  options.frame_timeout = std::chrono::milliseconds(50);
  TestServer server(options);
  RawUser user(server);
  EXPECT_EQ(user.ask(bytes("!s-SRVP-<9>-<1>:<1>")), refusal(Nack::InvalidQuery));
  EXPECT_EQ(user.ask(SetMode{SetMode::kRealTime}), encode(ack(SetMode::kRealTime)));
}

TEST(SrvpFaults, ThoseWhoNeverLogInMakeRoomForThoseWhoDo) {
  ServerOptions options;
  options.max_pending = 8;
  TestServer server(options);
  std::deque<RawPeer> idle;
  for (int i = 0; i < 1000; ++i) {
    idle.emplace_back(server.port());
    ASSERT_TRUE(idle.back().connected()) << i;
    if (idle.size() > 100) {
      EXPECT_EQ(idle.front().receive_all(), "");  // the server has closed it
      idle.pop_front();
    }
  }
  NullMcu mcu;
  server.add(smart("nao", 1), mcu);
  RawUser user(server, "nao");
  EXPECT_EQ(user.ask(move(0, 1), 2), kAck + kAck);
}

TEST(SrvpFaults, WhoDoesNotLogInInTimeIsClosed) {
  ServerOptions options;
  options.login_timeout = std::chrono::milliseconds(50);
  TestServer server(options);
  RawPeer silent(server.port());
  RawPeer slow(server.port());
  slow.send("!s-Client_h");
  EXPECT_EQ(silent.receive_all(), "");
  EXPECT_EQ(slow.receive_all(), "");
  EXPECT_TRUE(server.logs("has disconnected without login: no login within the timeout"));
}

TEST(SrvpFaults, TooManyAreTurnedAway) {
  ServerOptions options;
  options.max_connections = 2;
  TestServer server(options);
  RawUser first(server);
  EXPECT_EQ(first.ask(SetMode{SetMode::kRealTime}), encode(ack(SetMode::kRealTime)));
  RawUser second(server);
  EXPECT_EQ(second.ask(SetMode{SetMode::kRealTime}), encode(ack(SetMode::kRealTime)));
  RawPeer third(server.port());
  EXPECT_EQ(third.receive_all(), "");
  EXPECT_EQ(first.ask(SetMode{SetMode::kRealTime}), encode(ack(SetMode::kRealTime)));
}

TEST(SrvpFaults, AClientThatLeavesTakesItsWaitingQueriesWithIt) {
  TestServer server;
  RawMcu mcu(server, smart("nao", 4));
  {
    RawUser user(server, "nao");
    user.send(encode(move(0, 1)) + encode(move(0, 2)));
    EXPECT_TRUE(mcu.hears(McuOrder{McuOrder::Kind::Move, to_positions({{0, 1}})}));
  }
  EXPECT_TRUE(server.logs("has disconnected"));
  mcu.send(kAck);
  RawUser other(server, "nao");
  EXPECT_EQ(other.ask(move(0, 3)), kAck);
  EXPECT_TRUE(mcu.hears(McuOrder{McuOrder::Kind::Move, to_positions({{0, 3}})}));
}

// Invalid bytes, cut at any place, come in the middle of a session. The server must continue.
TEST(SrvpFaults, NoiseHurtsNobody) {
  TestServer server(impatient());
  NullMcu mcu;
  server.add(smart("nao", 4), mcu);
  std::mt19937 random(7);
  const std::string pieces[] = {"!s-",  "-e!",
                                "SRVP", "-",
                                ":",    "sMCU-nao",
                                "uINF", "iMCU",
                                "mALL", std::string(1, '\0'),
                                "\xff", "\x01",
                                "\x02", "!s-Client_here-e!"};
  for (int i = 0; i < 200; ++i) {
    RawUser user(server);
    std::string noise;
    for (int n = 0; n < 100; ++n) {
      noise += pieces[random() % std::size(pieces)];
    }
    user.send(noise);
  }
  RawUser user(server, "nao");
  EXPECT_EQ(user.ask(move(0, 1), 2), kAck + kAck);
}

}  // namespace srvp_fault_test
}  // namespace servosim::srvp
