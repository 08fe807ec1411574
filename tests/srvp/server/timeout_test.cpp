// SPDX-License-Identifier: Apache-2.0
// Time-outs: an answer does not come, or comes late.
#include <thread>

#include "srvp/server/support.h"

namespace servosim::srvp {
namespace srvp_timeout_test {

const std::string kContactError = refusal(Nack::ErrorContactingMcu);

Query move(int position) { return to_positions({{0, position}}); }

ServerOptions patient_for(std::chrono::milliseconds time) {
  ServerOptions options;
  options.mcu_timeout = time;
  return options;
}

TEST(SrvpTimeouts, ABadFrameIsAnsweredOnceHoweverLongOneWaits) {
  ServerOptions options;
  options.frame_timeout = std::chrono::milliseconds(20);
  TestServer server(options);
  RawUser user(server);
  for (const char* bad : {"hello", "!s-SRVX", "!s-mALL--"}) {
    EXPECT_EQ(user.ask(bad), refusal(Nack::InvalidQuery)) << bad;
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    EXPECT_EQ(user.ask(SetMode{SetMode::kRealTime}), encode(ack(SetMode::kRealTime))) << bad;
  }
}

TEST(SrvpTimeouts, TheLogShowsWhatWasNoQuery) {
  ServerOptions options;
  options.frame_timeout = std::chrono::milliseconds(20);
  TestServer server(options);
  RawUser user(server);
  EXPECT_EQ(user.ask(bytes("!s-SRVX-<1>-e!")), refusal(Nack::InvalidQuery));
  EXPECT_TRUE(server.logs(" > !s-SRVX-<1>-e!\n"));
  EXPECT_EQ(user.ask("!s-iMC"), refusal(Nack::InvalidQuery));
  EXPECT_TRUE(server.logs(" > !s-iMC\n"));
  RawPeer nobody(server.port());
  nobody.send("GET / HTTP/1.1\r\n");
  EXPECT_EQ(nobody.receive_all(), refusal(Nack::InvalidQuery));
  EXPECT_TRUE(server.logs(" > GET<32>/<32>HTTP/1.1<13><10>\n"));
}

TEST(SrvpTimeouts, AnMcuThatNeverAnswersAnOrderGetsOthersLater) {
  TestServer server(patient_for(std::chrono::milliseconds(50)));
  RawMcu mcu(server, smart("nao", 1));
  RawUser user(server, "nao");
  EXPECT_EQ(user.ask(move(1), 2), kAck + kContactError);
  EXPECT_TRUE(mcu.hears(McuOrder{McuOrder::Kind::Move, to_positions({{0, 1}})}));
  EXPECT_TRUE(becomes([&] {
    EXPECT_EQ(user.ask(move(2), 2), kAck + kContactError);
    return server.log().find("MCU nao < -m-1-<1>:<3>-!") != std::string::npos;
  }));
  EXPECT_TRUE(mcu.hears(McuOrder{McuOrder::Kind::Move, to_positions({{0, 2}})}));
}

TEST(SrvpTimeouts, LateNonsenseIsALateAnswer) {
  TestServer server(patient_for(std::chrono::seconds(1)));
  RawMcu mcu(server, smart("nao", 1));
  RawUser user(server, "nao");
  EXPECT_EQ(user.ask(move(1), 2), kAck + kContactError);
  EXPECT_TRUE(mcu.hears(McuOrder{McuOrder::Kind::Move, to_positions({{0, 1}})}));
  mcu.send("xyz-e!");
  EXPECT_TRUE(server.logs("MCU nao > xyz-e!  no answer: "));
  EXPECT_TRUE(server.logs("MCU nao has answered after the timeout, and gets orders again"));
  EXPECT_EQ(user.ask(move(2)), kAck);
  EXPECT_TRUE(mcu.hears(McuOrder{McuOrder::Kind::Move, to_positions({{0, 2}})}));
  mcu.send(kAck);
  EXPECT_EQ(user.receive(12), kAck);
}

// The refusal of the first order comes when the second order, which succeeds, has already arrived.
TEST(SrvpTimeouts, ALateAnswerInThisProcessIsNotThatToTheNextOrder) {
  class Late : public LocalMcu {
   public:
    void perform(McuOrder, Respond respond) override {
      if (!first_) {
        first_ = std::move(respond);
      } else {
        first_(nack(Nack::InvalidParameter));
        respond(ack());
      }
    }

   private:
    Respond first_;
  } mcu;
  TestServer server(patient_for(std::chrono::milliseconds(50)));
  server.add(smart("nao", 1), mcu);
  RawUser user(server, "nao");
  EXPECT_EQ(user.ask(move(1), 2), kAck + kContactError);
  EXPECT_TRUE(becomes([&] {
    const std::string answers = user.ask(move(2), 2);
    EXPECT_NE(answers, kAck + refusal(Nack::InvalidParameter));
    return answers == kAck + kAck;
  }));
}

}  // namespace srvp_timeout_test
}  // namespace servosim::srvp
