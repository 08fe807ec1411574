// SPDX-License-Identifier: Apache-2.0
// How many MCUs there may be, and what becomes of the moves that they have stored.
#include "srvp/server/mcu_registry.h"

#include "srvp/server/support.h"

namespace servosim::srvp {
namespace {

const Query kDelayed = SetMode{SetMode::kDelayed};
const std::string kDelayedAck = encode(ack(SetMode::kDelayed));

Query move(int position) { return to_positions({{0, position}}); }
McuOrder pwm_order(int pwm) { return {McuOrder::Kind::Move, to_pwm({{0, pwm}})}; }

TEST(SrvpRobots, StoredMovesThatAnMcuRefusesAreForgotten) {
  TestServer server;
  NullMcu mcu;
  server.add(dumb("arm", 1), mcu);
  RawUser user(server, "arm");
  EXPECT_EQ(user.ask(Upload{{{1000, 2000}}}), kAck);
  EXPECT_EQ(user.ask(kDelayed), kDelayedAck);
  for (const bool kept : {true, false}) {
    const Nack why = kept ? Nack::McuOffline : Nack::InvalidParameter;
    mcu.answer = nack(why);
    EXPECT_EQ(user.ask(move(90), 2), kAck + kAck);
    EXPECT_EQ(user.ask(ExecuteAll()), refusal(why));
    EXPECT_EQ(user.ask(ExecuteAll()), refusal(kept ? why : Nack::InvalidParameter));
  }
  EXPECT_EQ(mcu.orders().size(), 3u);  // the last order found nothing stored
}

TEST(SrvpRobots, StoredMovesGoByTheCalibrationThatThereIsWhenTheyAreSent) {
  TestServer server;
  NullMcu mcu;
  server.add(dumb("arm", 2), mcu);
  RawUser user(server, "arm");
  EXPECT_EQ(user.ask(Upload{{{1000, 2000}, {1000, 2000}}}), kAck);
  EXPECT_EQ(user.ask(kDelayed), kDelayedAck);
  EXPECT_EQ(user.ask(move(90), 2), kAck + kAck);
  EXPECT_EQ(user.ask(to_pwm({{1, 3500}}), 2), kAck + kAck);
  EXPECT_EQ(user.ask(Upload{{{3000, 4000}, {3000, 4000}}}), kAck);
  EXPECT_EQ(user.ask(ExecuteAll()), kAck);
  EXPECT_EQ(mcu.orders().at(0).movement, to_pwm({{0, 3500}, {1, 3500}}));
  const std::string info = encode(Answer(McuInfo{{90, 90}}));
  user.send(encode(Query(AskInfo())));
  EXPECT_EQ(user.receive(info.size()), info);
}

TEST(SrvpRobots, TheModeOfStoredMovesEndsWithTheSelection) {
  TestServer server;
  NullMcu arm;
  NullMcu nao;
  server.add(dumb("arm", 1), arm);
  server.add(smart("nao", 1), nao);
  {
    RawUser first(server, "arm");
    EXPECT_EQ(first.ask(Upload{{{1000, 2000}}}), kAck);
    EXPECT_EQ(first.ask(kDelayed), kDelayedAck);
    EXPECT_EQ(first.ask(move(90), 2), kAck + kAck);
    EXPECT_EQ(first.ask(SelectMcu{"nao"}), kAck);
    EXPECT_EQ(first.ask(move(1), 2), kAck + kAck);  // the selected mode stays
    EXPECT_EQ(nao.orders().at(0).kind, McuOrder::Kind::Store);
    EXPECT_EQ(first.ask(ExecuteAll()), kAck);
  }
  RawUser second(server, "arm");
  EXPECT_EQ(second.ask(move(0), 2), kAck + kAck);
  EXPECT_TRUE(arm.orders().empty());
  EXPECT_EQ(second.ask(SelectMcu{"nao"}), kAck);
  EXPECT_EQ(second.ask(ExecuteAll()), refusal(Nack::OnRealTimeMode));
  EXPECT_EQ(second.ask(move(2), 2), kAck + kAck);
  EXPECT_EQ(nao.orders().back().kind, McuOrder::Kind::Move);
  EXPECT_EQ(second.ask(SelectMcu{"arm"}), kAck);
  EXPECT_EQ(second.ask(SetMode{SetMode::kRealTime}), encode(ack(SetMode::kRealTime)));
  EXPECT_EQ(second.ask(move(90), 2), kAck + kAck);
  EXPECT_EQ(arm.orders(), std::vector{pwm_order(1500)});
}

TEST(SrvpRobots, ClientsLeavePlacesToMcus) {
  ServerOptions options;
  options.max_connections = 32;
  TestServer server(options);
  std::vector<std::unique_ptr<RawUser>> users;
  for (int i = 0; i < 30; ++i) {
    users.push_back(std::make_unique<RawUser>(server));
    EXPECT_EQ(users.back()->ask(kDelayed), kDelayedAck);
  }
  RawUser late(server);
  EXPECT_EQ(late.receive_all(), "");
  EXPECT_TRUE(server.logs("there are 30 clients; other places are for MCUs"));
  const RawMcu one(server, smart("one", 1));
  RawMcu two(server, smart("two", 1));
  EXPECT_EQ(users[0]->ask(SelectMcu{"two"}), kAck);
  EXPECT_EQ(users[0]->ask(move(1)), kAck);
  EXPECT_TRUE(two.hears(McuOrder{McuOrder::Kind::Store, to_positions({{0, 1}})}));
}

TEST(SrvpRobots, WhenItIsFullThoseGoThatHaveNothingToLose) {
  TestServer server;
  NullMcu mcu;
  server.add(dumb("calibrated", 1), mcu);
  RawUser user(server, "calibrated");
  EXPECT_EQ(user.ask(Upload{{{1000, 2000}}}), kAck);
  server.remove("calibrated");
  server.add(smart("here", 1), mcu);
  server.add(smart("selected", 1), mcu);
  RawUser other(server, "selected");
  server.remove("selected");
  for (std::size_t i = 0; i < McuRegistry::kMaxMcus + 100; ++i) {
    const std::string name = "a" + std::to_string(i);
    server.add(smart(name, 1), mcu);
    server.remove(name);
  }
  EXPECT_EQ(user.ask(move(1)), refusal(Nack::McuOffline));
  EXPECT_EQ(other.ask(move(1)), refusal(Nack::McuOffline));
  EXPECT_EQ(user.ask(SelectMcu{"a0"}), refusal(Nack::NoActiveMcu));
  EXPECT_EQ(user.ask(SelectMcu{"here"}), kAck);
  EXPECT_EQ(user.ask(move(1), 2), kAck + kAck);
}

}  // namespace
}  // namespace servosim::srvp
