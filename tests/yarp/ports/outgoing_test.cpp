// SPDX-License-Identifier: Apache-2.0
// What a port's client receives, with bytes cut off and damaged at every position.
#include <tuple>

#include "yarp/ports/conversation.h"

namespace servosim::yarp {
namespace {

// The bytes that a port replies on each carrier, and what the client receives.
struct Exchange {
  Carrier carrier;
  std::string answer;
  std::string first;   // the answer to a message with reply
  std::string second;  // the answer to one without
  Words heard;
};

std::vector<Exchange> exchanges() {
  return {
      {Carrier::Tcp,
       golden::kAnswer,
       golden::kOk + golden::kAck,
       golden::kAck,
       {"welcomed 10003", "reply " + golden::kOk, "finished", "finished"}},
      {Carrier::FastTcp,
       golden::kAnswer,
       golden::kOk,
       "",
       {"welcomed 10003", "reply " + golden::kOk, "finished"}},
      {Carrier::Text, "Welcome /me\r\n", "[ok]\r\n", "", {"welcomed 0", "reply [ok]", "finished"}},
      {Carrier::TextAck,
       "Welcome /me\r\n",
       "\r\n<ACK>\r\n",
       "<ACK>\r\n",
       {"welcomed 0", "reply ", "finished", "finished"}},
  };
}

Words converse(const Exchange& exchange, std::size_t piece) {
  Outgoing outgoing(exchange.carrier, Generation::V3);
  Words words;
  const auto hear_pieces = [&](const std::string& bytes) {
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
      EXPECT_FALSE(outgoing.ready());
      hear(outgoing, bytes.substr(at, piece), words);
    }
    EXPECT_TRUE(outgoing.ready());
  };
  hear_pieces(exchange.answer);
  outgoing.sent({PortCommand::Data, true, {}});
  hear_pieces(exchange.first);
  outgoing.sent({PortCommand::Data, false, {}});
  hear_pieces(exchange.second);
  return words;
}

TEST(YarpOutgoing, HearsRepliesAndAcknowledgementsHoweverTheyAreCut) {
  for (const Exchange& exchange : exchanges()) {
    for (std::size_t piece = 1; piece < 22; ++piece) {
      EXPECT_EQ(converse(exchange, piece), exchange.heard) << carrier_name(exchange.carrier);
    }
  }
}

TEST(YarpOutgoing, AReplyMayBeMissingBeforeTheAcknowledgement) {
  for (const auto& [carrier, answer, ack] :
       {std::tuple(Carrier::Tcp, golden::kAnswer, golden::kAck),
        std::tuple(Carrier::TextAck, std::string("Welcome /x\r\n"), std::string("<ACK>\r\n"))}) {
    Outgoing outgoing(carrier, Generation::V3);
    Words words;
    hear(outgoing, answer, words);
    outgoing.sent({PortCommand::Data, true, {}});
    hear(outgoing, ack, words);
    EXPECT_EQ(words.back(), "finished");
    EXPECT_TRUE(outgoing.ready());
  }
}

TEST(YarpOutgoing, UdpNeedsAPortAndNothingElse) {
  Outgoing outgoing(Carrier::Udp, Generation::V3);
  Words words;
  hear(outgoing, golden::kAnswer, words);
  EXPECT_EQ(words, Words{"welcomed 10003"});
  outgoing.sent({PortCommand::Data, false, {}});
  EXPECT_TRUE(outgoing.ready());
  Outgoing zero(Carrier::Udp, Generation::V3);
  words.clear();
  hear(zero, golden::kAck, words);
  EXPECT_EQ(words, Words{"error: the other side offers UDP port 0"});
}

TEST(YarpOutgoing, RefusalsAreToldInWords) {
  const std::tuple<Carrier, std::string, std::string, const char*> cases[] = {
      {Carrier::Tcp, "go away now", "", "error: the other side refuses the connection"},
      {Carrier::Text, "no room\r\n", "", "error: the other side refuses the connection: no room"},
      {Carrier::Tcp, golden::kAnswer, golden::kAnswer,
       "error: no acknowledgement (YA<0>RP) where one is due"},
      {Carrier::Tcp, golden::kAnswer, hex("09 00 00 00 01 00 00 00"),
       "error: a reply that is a Bottle with 9 where a list should begin"},
      {Carrier::FastTcp, golden::kAnswer, golden::kOk + golden::kAck,
       "error: bytes that answer no message"},
      {Carrier::TextAck, "Welcome /me\r\n", "[ok]\r\n[ok]\r\n",
       "error: \"[ok]\" in place of <ACK>"},
  };
  for (const auto& [carrier, answer, reply, text] : cases) {
    Outgoing outgoing(carrier, Generation::V3);
    Words words;
    hear(outgoing, answer, words);
    if (!reply.empty()) {
      outgoing.sent({PortCommand::Data, true, {}});
      hear(outgoing, reply, words);
    }
    EXPECT_EQ(words.back(), text);
    EXPECT_FALSE(outgoing.ready());
  }
}

TEST(YarpOutgoing, DamageEndsInAnErrorOrIsReadAsAReply) {
  for (const Exchange& exchange : exchanges()) {
    with_every_damage(exchange.answer + exchange.first, [&](const std::string& damaged) {
      Outgoing outgoing(exchange.carrier, Generation::V3);
      Words words;
      hear(outgoing, damaged.substr(0, exchange.answer.size()), words);
      if (outgoing.ready() && damaged.size() > exchange.answer.size()) {
        outgoing.sent({PortCommand::Data, true, {}});
        hear(outgoing, damaged.substr(exchange.answer.size()), words);
      }
      // There may be one more word: bytes that are left over are an error.
      EXPECT_LE(words.size(), exchange.heard.size() + 1) << damaged;
    });
  }
}

TEST(YarpOutgoing, AConnectionTurnedRoundIsOpenAlready) {
  Outgoing outgoing(Carrier::Tcp, Generation::V3, Outgoing::Begin::Open);
  EXPECT_TRUE(outgoing.ready());
  outgoing.sent({PortCommand::Data, false, {}});
  EXPECT_FALSE(outgoing.ready());
  Words words;
  hear(outgoing, golden::kAck, words);
  EXPECT_EQ(words, Words{"finished"});
}

}  // namespace
}  // namespace servosim::yarp
