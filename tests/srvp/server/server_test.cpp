// SPDX-License-Identifier: Apache-2.0
// Answers to clients, with MCUs that execute all commands.
#include "srvp/server/support.h"

namespace servosim::srvp {
namespace {

const std::vector<PwmRange> kRanges{{1000, 2000}, {500, 2500}};

TEST(SrvpServer, TheSeedsExampleIsAnsweredTwice) {
  TestServer server;
  RawMcu mcu(server, smart("nao", 16));
  RawUser user(server, "nao");
  EXPECT_EQ(user.ask(kSeedQuery), kAck);  // comes before the MCU has done anything
  EXPECT_TRUE(mcu.hears(kSeedOrder));
  mcu.send(kAck);
  EXPECT_EQ(user.receive(kAck.size()), kAck);
}

TEST(SrvpServer, TheSeedsWrongExampleIsRefusedAndMovesNothing) {
  TestServer server;
  RawMcu mcu(server, smart("nao", 16));
  RawUser user(server, "nao");
  EXPECT_EQ(user.ask(kSeedWrongQuery), refusal(Nack::InvalidParameter));
  EXPECT_EQ(user.ask(kSeedQuery), kAck);
  EXPECT_TRUE(mcu.hears(kSeedOrder));  // the first message that it receives
}

TEST(SrvpServer, AnMcuMayRefuseWhatTheServerFoundValid) {
  TestServer server;
  RawMcu mcu(server, smart("nao", 16));
  RawUser user(server, "nao");
  for (const int code : {255, 252, 248, 1}) {  // includes a code that the server itself never sends
    const std::string refusal = encode(Control{false, static_cast<std::uint8_t>(code)});
    EXPECT_EQ(user.ask(kSeedQuery), kAck);
    EXPECT_TRUE(mcu.hears(kSeedOrder));
    mcu.send(refusal);
    EXPECT_EQ(user.receive(12), refusal) << code;
  }
}

// The firmware of the platform's ESP32 boards does this. The platform's server accepts an ACK
// anywhere in the data.
TEST(SrvpServer, AnMcuMayAnswerWithoutAFrame) {
  TestServer server;
  RawMcu mcu(server, smart("nao", 16));
  RawUser user(server, "nao");
  const std::string trouble = refusal(Nack::ErrorContactingMcu);
  const std::pair<const char*, std::string> answers[] = {
      {"_ACK", kAck},          {"_ACK\r\n", kAck},
      {"done: _ACK", kAck},    {"!s-_ACK-c-e!", encode(ack('c'))},
      {"!s-_ACK-e!", kAck},    {"!s-_ACK-x!", kAck},
      {"NACK-3", trouble},     {"NACK-9\n", trouble},
      {"NACK-0", trouble},     {"NACK", trouble},
      {"!s-NACK-5!", trouble},
  };
  for (const auto& [bare, relayed] : answers) {
    EXPECT_EQ(user.ask(kSeedQuery), kAck);
    EXPECT_TRUE(mcu.hears(kSeedOrder));
    mcu.send(bare == std::string("NACK") ? std::string("NACK-") + '\0' : bare);
    EXPECT_EQ(shown(user.receive(12)), shown(relayed)) << bare;
  }
  EXPECT_TRUE(server.logs("MCU nao refuses: NACK-3 nothing is stored\n"));
  EXPECT_TRUE(server.logs(
      "MCU nao refuses: NACK-0 for a reason that this number of the firmware does not tell\n"));
}

// Otherwise every later mALL would be refused, too.
TEST(SrvpServer, WhatABareNackRefusesIsNotStoredAnyMore) {
  TestServer server;
  RawMcu mcu(server, smart("nao", 16));
  RawUser user(server, "nao");
  EXPECT_EQ(user.ask(SetMode{SetMode::kDelayed}), encode(ack(SetMode::kDelayed)));
  EXPECT_EQ(user.ask(kSeedQuery), kAck);
  mcu.receive(kSeedOrder.size());
  mcu.send("_ACK");
  EXPECT_EQ(user.receive(12), kAck);
  user.send(encode(Query(ExecuteAll())));
  EXPECT_TRUE(mcu.hears("-e-!"));
  mcu.send("NACK-3");
  EXPECT_EQ(user.receive(12), refusal(Nack::ErrorContactingMcu));
  EXPECT_EQ(user.ask(ExecuteAll()), refusal(Nack::InvalidParameter));
}

TEST(SrvpServer, AnMcuMayLogInWithPositionsThatAreNone) {
  TestServer server;
  const McuDescription description{"nao", McuKind::Smart, 3, {kUnknownPosition, 20, 254}};
  RawMcu mcu(server, description);
  RawUser user(server, "nao");
  const std::string info = encode(Answer(McuInfo{description.positions}));
  user.send(encode(Query(AskInfo())));
  EXPECT_EQ(shown(user.receive(info.size())), shown(info));
  EXPECT_EQ(user.ask(to_positions({{0, 1}})), kAck);
  EXPECT_TRUE(mcu.hears(McuOrder{McuOrder::Kind::Move, to_positions({{0, 1}})}));
}

TEST(SrvpServer, WithSingleAckOnlyTheMcusAnswerIsGiven) {
  ServerOptions options;
  options.single_ack = true;
  TestServer server(options);
  RawMcu mcu(server, smart("nao", 16));
  RawUser user(server, "nao");
  EXPECT_EQ(user.ask(kSeedWrongQuery), refusal(Nack::InvalidParameter));
  user.send(kSeedQuery);
  EXPECT_TRUE(mcu.hears(kSeedOrder));
  mcu.send(encode(nack(Nack::ErrorContactingMcu)));
  EXPECT_EQ(user.receive(12), refusal(Nack::ErrorContactingMcu));
  EXPECT_EQ(user.ask(SetMode{SetMode::kRealTime}), encode(ack(SetMode::kRealTime)));
}

TEST(SrvpServer, ChecksInTheStatedOrder) {
  TestServer server;
  NullMcu mcu;
  server.add(smart("smart", 2), mcu);
  server.add(dumb("dumb", 2), mcu);
  const Query fine = to_positions({{0, 0}});
  RawUser user(server);
  EXPECT_EQ(user.ask(bytes("!s-SRVP-<1>-<99>:<0>-e!")), refusal(Nack::InvalidQuery));
  EXPECT_EQ(user.ask(to_positions({{99, 200}})), refusal(Nack::NoActiveMcu));
  EXPECT_EQ(user.ask(SelectMcu{"smart"}), kAck);
  EXPECT_EQ(user.ask(to_positions({{99, 0}, {99, 0}, {99, 0}})), refusal(Nack::ServoCountMismatch));
  EXPECT_EQ(user.ask(to_positions({{1, 0}, {2, 0}})), refusal(Nack::InvalidParameter));
  EXPECT_EQ(user.ask(to_positions({{0, 180}})), refusal(Nack::InvalidParameter));
  EXPECT_EQ(user.ask(to_pwm({{0, 1500}})), refusal(Nack::InvalidParameter));
  server.remove("smart");
  EXPECT_EQ(user.ask(to_positions({{99, 0}, {99, 0}, {99, 0}})), refusal(Nack::McuOffline));
  EXPECT_EQ(user.ask(SelectMcu{"dumb"}), kAck);
  EXPECT_EQ(user.ask(to_positions({{99, 0}, {99, 0}, {99, 0}})), refusal(Nack::ServoCountMismatch));
  EXPECT_EQ(user.ask(to_positions({{99, 200}})), refusal(Nack::NoMcuInfo));
  EXPECT_EQ(user.ask(to_pwm({{0, 1500}})), refusal(Nack::NoMcuInfo));
  EXPECT_EQ(user.ask(Upload{kRanges}), kAck);
  EXPECT_EQ(user.ask(to_positions({{0, 180}})), refusal(Nack::InvalidParameter));
  EXPECT_EQ(user.ask(bytes("!s-SRVP-<1>-<1>:<128><0>-e!")), refusal(Nack::InvalidParameter));
  EXPECT_TRUE(mcu.orders().empty());
  EXPECT_EQ(user.ask(fine, 2), kAck + kAck);
}

TEST(SrvpServer, ADumbMcuGetsPwmWhateverWasAsked) {
  TestServer server;
  RawMcu mcu(server, dumb("arm", 2));
  RawUser user(server, "arm");
  EXPECT_EQ(user.ask(Upload{kRanges}), kAck);
  EXPECT_EQ(user.ask(to_positions({{0, 90}, {1, 179}})), kAck);
  EXPECT_TRUE(mcu.hears(McuOrder{McuOrder::Kind::Move, to_pwm({{0, 1500}, {1, 2489}})}));
  mcu.send(kAck);
  EXPECT_EQ(user.receive(12), kAck);
  EXPECT_EQ(user.ask(to_pwm({{1, 1000}})), kAck);
  EXPECT_TRUE(mcu.hears(McuOrder{McuOrder::Kind::Move, to_pwm({{1, 1000}})}));
}

TEST(SrvpServer, InfoIsWhatTheServerKnows) {
  TestServer server;
  NullMcu mcu;
  server.add({"smart", McuKind::Smart, 3, {1, 2, 3}}, mcu);
  server.add(dumb("dumb", 2), mcu);
  RawUser user(server);
  EXPECT_EQ(user.ask(AskInfo()), refusal(Nack::NoActiveMcu));
  const auto expect_info = [&user](std::vector<std::uint8_t> positions) {
    const std::string expected = encode(Answer(McuInfo{std::move(positions)}));
    user.send(encode(Query(AskInfo())));
    EXPECT_EQ(shown(user.receive(expected.size())), shown(expected));
  };
  EXPECT_EQ(user.ask(SelectMcu{"smart"}), kAck);
  expect_info({1, 2, 3});
  EXPECT_EQ(user.ask(to_positions({{2, 100}, {0, 7}}), 2), kAck + kAck);
  expect_info({7, 2, 100});
  mcu.answer = nack(Nack::InvalidParameter);  // a refused move changes nothing
  EXPECT_EQ(user.ask(to_positions({{2, 50}}), 2), kAck + refusal(Nack::InvalidParameter));
  expect_info({7, 2, 100});
  mcu.answer = ack();
  EXPECT_EQ(user.ask(SelectMcu{"dumb"}), kAck);
  EXPECT_EQ(user.ask(Upload{kRanges}), kAck);
  expect_info({kUnknownPosition, kUnknownPosition});
  EXPECT_EQ(user.ask(to_positions({{0, 33}}), 2), kAck + kAck);
  EXPECT_EQ(user.ask(to_pwm({{1, 1500}}), 2), kAck + kAck);
  expect_info({33, 90});
  server.remove("dumb");
  expect_info({33, 90});  // still known
}

// The platform's own client takes the result of one recv() for a whole answer.
TEST(SrvpServer, AnAnswerIsWrittenInOnePiece) {
  TestServer server;
  NullMcu mcu;
  server.add(smart("nao", kMaxServos), mcu);
  const RawUser user(server, "nao");
  for (const Query& query : {Query(AskInfo()), Query(SetMode{101}), Query(SelectMcu{"nobody"})}) {
    const std::string asked = encode(query);
    ::send(user.fd(), asked.data(), asked.size(), 0);
    std::string answer(1000, ' ');
    answer.resize(static_cast<std::size_t>(::recv(user.fd(), answer.data(), answer.size(), 0)));
    FrameReader<Answer> reader;
    reader.feed(answer);
    EXPECT_EQ(reader.next().index(), 1u) << shown(answer);
    EXPECT_EQ(reader.waiting(), 0u);
  }
}

TEST(SrvpServer, SelectingWantsAKnownName) {
  TestServer server;
  NullMcu mcu;
  server.add(smart("nao", 1), mcu);
  RawUser user(server);
  EXPECT_EQ(user.ask(SelectMcu{"xao"}), refusal(Nack::NoActiveMcu));
  EXPECT_EQ(user.ask("!s-sMCU--e!"), refusal(Nack::NoActiveMcu));
  EXPECT_EQ(user.ask("!s-sMCU-e!"), refusal(Nack::NoActiveMcu));
  EXPECT_EQ(user.ask(SelectMcu{"nao"}), kAck);
  EXPECT_EQ(user.ask(SelectMcu{"xao"}), refusal(Nack::NoActiveMcu));
  EXPECT_EQ(user.ask(to_positions({{0, 1}}), 2), kAck + kAck);  // nao stays selected
}

TEST(SrvpServer, ASmartMcuStoresMovesItself) {
  TestServer server;
  RawMcu mcu(server, smart("nao", 2));
  RawUser user(server, "nao");
  EXPECT_EQ(user.ask(ExecuteAll()), refusal(Nack::OnRealTimeMode));
  EXPECT_EQ(user.ask(SetMode{99}), refusal(Nack::InvalidParameter));
  EXPECT_EQ(user.ask(SetMode{SetMode::kDelayed}), encode(ack(SetMode::kDelayed)));
  EXPECT_EQ(user.ask(ExecuteAll()), refusal(Nack::InvalidParameter));  // nothing is stored
  EXPECT_EQ(user.ask(to_positions({{1, 20}})), kAck);
  EXPECT_TRUE(mcu.hears(McuOrder{McuOrder::Kind::Store, to_positions({{1, 20}})}));
  mcu.send(kAck);
  EXPECT_EQ(user.receive(12), kAck);
  user.send(encode(Query(ExecuteAll())));
  EXPECT_TRUE(mcu.hears("-e-!"));
  mcu.send(kAck);
  EXPECT_EQ(user.receive(12), kAck);  // the MCU's answer; there is none before it
  EXPECT_EQ(user.ask(ExecuteAll()), refusal(Nack::InvalidParameter));
  const std::string info = encode(Answer(McuInfo{{90, 20}}));
  user.send(encode(Query(AskInfo())));
  EXPECT_EQ(user.receive(info.size()), info);
}

TEST(SrvpServer, TheServerStoresTheMovesOfADumbMcu) {
  TestServer server;
  RawMcu mcu(server, dumb("arm", 2));
  RawUser user(server, "arm");
  EXPECT_EQ(user.ask(SetMode{SetMode::kDelayed}), encode(ack(SetMode::kDelayed)));
  EXPECT_EQ(user.ask(ExecuteAll()), refusal(Nack::NoMcuInfo));
  EXPECT_EQ(user.ask(Upload{kRanges}), kAck);
  EXPECT_EQ(user.ask(to_positions({{1, 0}}), 2), kAck + kAck);
  EXPECT_EQ(user.ask(to_pwm({{0, 1234}}), 2), kAck + kAck);
  EXPECT_EQ(user.ask(to_positions({{1, 90}}), 2), kAck + kAck);  // replaces the first move
  user.send(encode(Query(ExecuteAll())));
  const McuOrder order{McuOrder::Kind::Move, to_pwm({{1, 1500}, {0, 1234}})};
  EXPECT_TRUE(mcu.hears(order));  // the first message that it receives
  mcu.send(refusal(Nack::ErrorContactingMcu));
  EXPECT_EQ(user.receive(12), refusal(Nack::ErrorContactingMcu));
  user.send(encode(Query(ExecuteAll())));  // a failed move is still stored
  EXPECT_TRUE(mcu.hears(order));
  mcu.send(kAck);
  EXPECT_EQ(user.receive(12), kAck);
  EXPECT_EQ(user.ask(ExecuteAll()), refusal(Nack::InvalidParameter));
}

TEST(SrvpServer, ExecutingWantsTheMcuToBeThere) {
  TestServer server;
  RawUser user(server);
  EXPECT_EQ(user.ask(ExecuteAll()), refusal(Nack::NoActiveMcu));
  NullMcu mcu;
  server.add(smart("nao", 1), mcu);
  EXPECT_EQ(user.ask(SelectMcu{"nao"}), kAck);
  EXPECT_EQ(user.ask(SetMode{SetMode::kDelayed}), encode(ack(SetMode::kDelayed)));
  EXPECT_EQ(user.ask(to_positions({{0, 1}}), 2), kAck + kAck);
  server.remove("nao");
  EXPECT_EQ(user.ask(ExecuteAll()), refusal(Nack::McuOffline));
}

TEST(SrvpServer, WhoSelectsAnMcuWithStoredMovesIsInDelayedMode) {
  TestServer server;
  NullMcu mcu;
  server.add(dumb("arm", 2), mcu);
  {
    RawUser first(server, "arm");
    EXPECT_EQ(first.ask(Upload{kRanges}), kAck);
    EXPECT_EQ(first.ask(SetMode{SetMode::kDelayed}), encode(ack(SetMode::kDelayed)));
    EXPECT_EQ(first.ask(to_positions({{0, 90}}), 2), kAck + kAck);
  }
  RawUser second(server, "arm");
  EXPECT_EQ(second.ask(ExecuteAll()), kAck);
  ASSERT_EQ(mcu.orders().size(), 1u);
  EXPECT_EQ(mcu.orders()[0], (McuOrder{McuOrder::Kind::Move, to_pwm({{0, 1500}})}));
}

TEST(SrvpServer, UploadsAreChecked) {
  TestServer server;
  NullMcu mcu;
  server.add(dumb("arm", 2), mcu);
  RawUser user(server);
  EXPECT_EQ(user.ask(Upload{kRanges}), refusal(Nack::NoActiveMcu));
  EXPECT_EQ(user.ask(SelectMcu{"arm"}), kAck);
  EXPECT_EQ(user.ask(Upload{{{1, 2}}}), refusal(Nack::ServoCountMismatch));
  EXPECT_EQ(user.ask(Upload{{{1, 2}, {1, -1}}}), refusal(Nack::InvalidParameter));
  EXPECT_EQ(user.ask(Upload{{{1, 2}, {2, 1}}}), kAck);
}

TEST(SrvpServer, ClientsShutItDownOnlyWhereThatIsAllowed) {
  TestServer careful;
  RawUser user(careful);
  EXPECT_EQ(user.ask(ShutDown()), refusal(Nack::InvalidQuery));
  EXPECT_EQ(user.ask(SetMode{SetMode::kRealTime}), encode(ack(SetMode::kRealTime)));
  std::atomic<bool> down{false};
  ServerOptions options;
  options.shut_down = [&down] { down = true; };
  TestServer open(options);
  RawUser other(open);
  other.send(encode(Query(ShutDown())));
  EXPECT_EQ(other.receive_all(), kAck);
  EXPECT_TRUE(becomes([&down] { return down.load(); }));
}

TEST(SrvpServer, QueriesOfOneClientAreAnsweredInOrderHoweverTheyCome) {
  TestServer server;
  NullMcu mcu;
  server.add(smart("nao", 32), mcu);
  std::string queries;
  std::string answers;
  for (int i = 0; i < 100; ++i) {
    const bool valid = i % 3 != 0;
    queries += encode(Query(to_positions({{static_cast<std::uint8_t>(i % 32), valid ? i : 200}})));
    answers += valid ? kAck + kAck : refusal(Nack::InvalidParameter);
    queries += encode(Query(SetMode{static_cast<std::uint8_t>(100 + i % 2)}));
    answers += encode(ack(static_cast<std::uint8_t>(100 + i % 2)));
  }
  RawUser user(server, "nao");
  user.send(queries);
  EXPECT_EQ(user.receive(answers.size()), answers);
  for (const char byte : queries) {
    user.send(std::string(1, byte));
  }
  EXPECT_EQ(user.receive(answers.size()), answers);
}

TEST(SrvpServer, AnMcuOfThisProcessMustBeOneThatCouldLogIn) {
  TestServer server;
  NullMcu mcu;
  EXPECT_THROW(server.add(smart("", 1), mcu), std::invalid_argument);
  EXPECT_THROW(server.add(smart("a-b", 1), mcu), std::invalid_argument);
  EXPECT_THROW(server.add(dumb("a", 33), mcu), std::invalid_argument);
  EXPECT_THROW(server.add(smart("a", 0), mcu), std::invalid_argument);
  EXPECT_THROW(server.add(smart("a", 1, 255), mcu), std::invalid_argument);
  server.add(smart("a", 1), mcu);
  EXPECT_THROW(server.add(smart("a", 1), mcu), std::invalid_argument);
  server.remove("nobody");
}

TEST(SrvpServer, TheLogShowsBytesToPeople) {
  TestServer server;
  NullMcu mcu;
  server.add(smart("nao\x1b[1m", 16), mcu);
  RawUser user(server, "nao\x1b[1m");
  EXPECT_EQ(user.ask(kSeedQuery, 2), kAck + kAck);
  EXPECT_EQ(user.ask(kSeedWrongQuery), refusal(Nack::InvalidParameter));
  EXPECT_TRUE(server.logs("MCU nao<27>[1m has logged in: Smart, 16 servos, in this process\n"));
  EXPECT_TRUE(server.logs(" > !s-SRVP-2-<9>:<13>-<7>:<18>-e!\n"));
  EXPECT_TRUE(server.logs("MCU nao<27>[1m < -m-2-<9>:<13>-<7>:<18>-!\n"));
  EXPECT_TRUE(server.logs("MCU nao<27>[1m > !s-_ACK-<255>-e!\n"));
  EXPECT_TRUE(
      server.logs(" < !s-NACK-<252>-e!  InvalidParameter: servo 2 cannot go to position "
                  "186\n"));
  EXPECT_EQ(server.log().find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace servosim::srvp
