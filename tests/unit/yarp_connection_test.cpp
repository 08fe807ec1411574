// SPDX-License-Identifier: Apache-2.0
// Both ends of a connection, on bytes cut and damaged everywhere.
#include "unit/yarp_test_support.h"
#include "yarp/incoming.h"
#include "yarp/outgoing.h"

namespace servosim::yarp {
namespace {

constexpr Carrier kCarriers[] = {Carrier::Udp, Carrier::Tcp, Carrier::FastTcp, Carrier::Text,
                                 Carrier::TextAck};
const Bottle kSetMode{{Vocab("set"), Vocab("icmd"), Vocab("cmod"), 0, Vocab("pos")}};

// Events in words, as views do not outlive the next feed().
std::string in_words(const Message& message, Carrier carrier) {
  std::string text = "message " + std::to_string(static_cast<int>(message.head.command));
  text += message.head.reply ? " reply" : "";
  if (message.head.stamp) {
    text += " at " + std::to_string(message.head.stamp->sequence) + " " +
            std::to_string(message.head.stamp->time);
  }
  const BottleOrError body = decode_body(message.body, carrier, Generation::V3);
  return text + ": " +
         (is_error(body) ? std::string(as_text(message.body)) : to_text(std::get<Bottle>(body)));
}

std::string in_words(const IncomingEvent& event, Incoming& incoming) {
  if (const auto* opened = std::get_if<Opened>(&event)) {
    return std::string(carrier_name(opened->carrier)) + " from " + std::string(opened->sender);
  }
  if (const auto* message = std::get_if<Message>(&event)) {
    return in_words(*message, *incoming.carrier());
  }
  return "error: " + error_text(event);
}

std::string in_words(const OutgoingEvent& event, Outgoing&) {
  if (const auto* welcomed = std::get_if<Welcomed>(&event)) {
    return "welcomed " + std::to_string(welcomed->number);
  }
  if (const auto* reply = std::get_if<Reply>(&event)) {
    return "reply " + std::string(as_text(reply->body));
  }
  return std::holds_alternative<Finished>(event) ? "finished" : "error: " + error_text(event);
}

using Words = std::vector<std::string>;

template <typename Ear>
void hear(Ear& ear, std::string_view bytes, Words& words) {
  ear.feed(as_bytes(bytes));
  for (auto event = ear.next(); event.index() != 0; event = ear.next()) {
    words.push_back(in_words(event, ear));
    if (is_error(event)) {
      return;
    }
  }
}

Words heard(std::string_view bytes, Incoming incoming = {}) {
  Words words;
  hear(incoming, bytes, words);
  return words;
}

std::string handshake(Carrier carrier, std::string_view sender) {
  Writer writer;
  encode_handshake(writer, carrier, sender);
  return text_of(writer);
}

std::string message(Carrier carrier, const MessageHead& head, const Bottle& body = {}) {
  Writer writer;
  encode_message(writer, carrier, head, body, Generation::V3);
  return text_of(writer);
}

TEST(YarpCarrier, GoldenHandshakeAndAnswer) {
  EXPECT_EQ(handshake(Carrier::Tcp, "/rawclient"), golden::kHandshake);
  EXPECT_EQ(heard(golden::kHandshake), Words{"tcp from /rawclient"});
  EXPECT_EQ(handshake(Carrier::TextAck, "/rawtext"), "CONNACK /rawtext\r\n");
  EXPECT_EQ(heard("CONNACK /rawtext\n"), Words{"text_ack from /rawtext"});
  EXPECT_EQ(heard("CONNECT admin\r\n"), Words{"text from admin"});
  Writer writer;
  encode_answer(writer, Carrier::Tcp, 10003, "/rawclient");
  EXPECT_EQ(text_of(writer), golden::kAnswer);
  writer.clear();
  encode_answer(writer, Carrier::TextAck, 10003, "/rawtext");
  EXPECT_EQ(text_of(writer), "Welcome /rawtext\r\n");
  writer.clear();
  encode_ack(writer, Carrier::Tcp);
  EXPECT_EQ(text_of(writer), golden::kAck);
  writer.clear();
  for (const Carrier carrier : {Carrier::Udp, Carrier::FastTcp, Carrier::Text}) {
    encode_ack(writer, carrier);
  }
  EXPECT_EQ(writer.size(), 0u);
  encode_ack(writer, Carrier::TextAck);
  EXPECT_EQ(text_of(writer), "<ACK>\r\n");
}

TEST(YarpCarrier, HasANameAndAHandshakeBothWays) {
  for (const Carrier carrier : kCarriers) {
    EXPECT_EQ(carrier_named(carrier_name(carrier)), carrier);
    EXPECT_EQ(heard(handshake(carrier, "/me/x")),
              Words{std::string(carrier_name(carrier)) + " from /me/x"});
  }
  EXPECT_EQ(carrier_named("mcast"), std::nullopt);
}

TEST(YarpCarrier, OthersAreRefusedInWords) {
  const std::string refused[] = {
      hex("59 41 62 1e 00 00 52 50"),  // 7778: mcast
      hex("59 41 63 1e 00 00 52 50"),  // shmem
      hex("59 41 e1 1e 00 00 52 50"),  // udp with acknowledgements
      hex("59 41 0a 00 00 00 52 50"),  // a message without a handshake
      "GET / HTTP/1.1\r\n",           "NAME_SERVER list\n", "hi\n", "\n", "CONNECTOR /x\r\n",
  };
  for (const std::string& bytes : refused) {
    const Words words = heard(bytes);
    ASSERT_EQ(words.size(), 1u) << bytes;
    EXPECT_TRUE(words[0].starts_with("error: This is a YARP port.")) << words[0];
  }
  EXPECT_EQ(heard(hex("59 41 e4 1e 00 00 52 50 ff ff ff ff")), Words{"error: a name of -1 bytes"});
  EXPECT_EQ(heard(hex("59 41 e4 1e 00 00 52 50 ff ff ff 7f")),
            Words{"error: a name of 2147483647 bytes"});
  EXPECT_EQ(heard("CONNECT " + std::string(kMaxName + 1, 'x')),
            Words{"error: a name that is too long"});
}

TEST(YarpMessage, GoldenMessageInBothDirections) {
  EXPECT_EQ(message(Carrier::Tcp, {PortCommand::Data, true, {}}, kSetMode),
            golden::kSetModeMessage);
  EXPECT_EQ(heard(golden::kSetModeMessage, Incoming(Carrier::Tcp)),
            Words{"message 0 reply: [set] [icmd] [cmod] 0 [pos]"});
}

TEST(YarpMessage, AStampIsTheTextOfTheCommand) {
  const MessageHead head{PortCommand::Data, false, Stamp{4814, 1795164583.03147}};
  const std::string bytes = message(Carrier::FastTcp, head, {{12.5}});
  const std::string command = hex("1a 00 00 00 7e 00 00 01 \"D 4814 1795164583.03147\" 00");
  EXPECT_NE(bytes.find(command.substr(4)), bytes.npos);
  EXPECT_EQ(heard(bytes, Incoming(Carrier::FastTcp)),
            Words{"message 0 at 4814 1795164583.031470: 12.5"});
  EXPECT_EQ(message(Carrier::Text, head, {{12.5}}), "D 4814 1795164583.03147\n12.5\n");
  EXPECT_EQ(heard("d 7 2.5\n1\n", Incoming(Carrier::Text)),
            Words{"message 0 reply at 7 2.500000: 1"});
}

TEST(YarpMessage, AStampThatIsNoneIsNone) {
  for (const char* const text : {"D", "D x 2.5", "D 7", "D 7 nan", "D 99999999999 2.5", "D 7 x"}) {
    EXPECT_FALSE(parse_command(text).stamp) << text;
    EXPECT_EQ(parse_command(text).command, PortCommand::Data);
    EXPECT_FALSE(parse_command(text).reply);
  }
  EXPECT_FALSE(parse_command("do").reply);
  EXPECT_TRUE(parse_command("d").reply);
  EXPECT_TRUE(parse_command("a").reply);
  EXPECT_EQ(parse_command("").command, PortCommand::Other);
}

TEST(YarpMessage, EveryCommandArrivesOnEveryCarrier) {
  const std::pair<MessageHead, const char*> cases[] = {
      {{PortCommand::Data, true, {}}, "message 0 reply: 3 [ok]"},
      {{PortCommand::Data, false, {}}, "message 0: 3 [ok]"},
      {{PortCommand::Admin, true, {}}, "message 1 reply: 3 [ok]"},
      {{PortCommand::Quit, false, {}}, "message 2: "},
      {{PortCommand::Reverse, false, {}}, "message 3: "},
      {{PortCommand::Describe, false, {}}, "message 4: "},
  };
  for (const Carrier carrier : kCarriers) {
    for (const auto& [head, words] : cases) {
      EXPECT_EQ(heard(message(carrier, head, {{3, Vocab("ok")}}), Incoming(carrier)), Words{words})
          << carrier_name(carrier);
    }
  }
  EXPECT_EQ(heard("do\n3\nhelp me\n\n", Incoming(Carrier::Text)),
            (Words{"message 0: 3", "message 5: help me", "message 5: "}));
}

TEST(YarpMessage, BlocksMayCutItAnywhere) {
  const std::string content = golden::kSetModeMessage.substr(30);
  for (std::size_t cut = 0; cut <= content.size(); ++cut) {
    Writer writer;
    encode_number(writer, 10);
    writer.u8(3);
    writer.u8(2);
    writer.chars(std::string(8, '\xff'));
    for (const std::size_t length : {cut, std::size_t{0}, content.size() - cut}) {
      writer.u32(static_cast<std::uint32_t>(length));
    }
    writer.u32(0);
    writer.u32(0);
    writer.chars(content);
    EXPECT_EQ(heard(text_of(writer), Incoming(Carrier::Tcp)),
              Words{"message 0 reply: [set] [icmd] [cmod] 0 [pos]"});
  }
}

TEST(YarpMessage, LiesAreRefused) {
  const std::string index = hex("59 41 0a 00 00 00 52 50 02 01 ff ff ff ff ff ff ff ff");
  const std::string one = hex("59 41 0a 00 00 00 52 50 01 00 ff ff ff ff ff ff ff ff");
  const std::pair<std::string, const char*> cases[] = {
      {hex("59 41 0b 00 00 00 52 50"), "bytes that do not begin a message (YA<10>RP)"},
      {"CONNECT /again\r\n", "bytes that do not begin a message (YA<10>RP)"},
      {index + hex("08 00 00 00 ff ff ff ff 00 00 00 00"),
       "a message with a block of -1 bytes; 1052672 are the most"},
      {index + hex("ff ff ff 7f ff ff ff 7f 00 00 00 00"),
       "a message with a block of 2147483647 bytes; 1052672 are the most"},
      {index + hex("08 00 00 00 f9 0f 10 00 00 00 00 00"),
       "a message with a block of 1052665 bytes; 1052672 are the most"},
      {one + hex("00 00 00 00"), "a message without a command"},
      {one + hex("08 00 00 00 00 00 00 00 00 64 00 01"), "a message without a command"},
      {one + hex("09 00 00 00 02 00 00 00 7e 00 00 01 71"), "a command that claims 2 bytes of 1"},
      {one + hex("08 00 00 00 ff ff ff ff 7e 00 00 01"), "a command that claims -1 bytes of 0"},
  };
  for (const auto& [bytes, text] : cases) {
    EXPECT_EQ(heard(bytes, Incoming(Carrier::Tcp)), Words{std::string("error: ") + text});
  }
}

// What a client of each carrier says, and what a port hears.
struct Conversation {
  std::string sent;
  Words heard;
};

std::vector<Conversation> conversations() {
  return {
      {golden::kHandshake + golden::kSetModeMessage +
           message(Carrier::Tcp, {PortCommand::Data, false, Stamp{7, 2.5}}, {{1.5}}) +
           message(Carrier::Tcp, {PortCommand::Quit, false, {}}),
       {"tcp from /rawclient", "message 0 reply: [set] [icmd] [cmod] 0 [pos]",
        "message 0 at 7 2.500000: 1.5", "message 2: "}},
      {"CONNACK /rawtext\r\nd\r\n[get] [axes]\r\na\n[list] [in]\n*\nq\n",
       {"text_ack from /rawtext", "message 0 reply: [get] [axes]", "message 1 reply: [list] [in]",
        "message 4: ", "message 2: "}},
  };
}

TEST(YarpIncoming, ItDoesNotMatterWhereTheStreamIsCut) {
  for (const Conversation& conversation : conversations()) {
    const std::string& sent = conversation.sent;
    EXPECT_EQ(heard(sent), conversation.heard);
    for (std::size_t cut = 1; cut < sent.size(); ++cut) {
      Incoming incoming;
      Words words;
      hear(incoming, sent.substr(0, cut), words);
      hear(incoming, sent.substr(cut), words);
      ASSERT_EQ(words, conversation.heard) << cut;
    }
    Incoming incoming;
    Words words;
    for (const char byte : sent) {
      hear(incoming, {&byte, 1}, words);
    }
    EXPECT_EQ(words, conversation.heard);
  }
}

TEST(YarpIncoming, DamageNeverMakesMoreMessagesThanWereSent) {
  for (const Conversation& conversation : conversations()) {
    with_every_damage(conversation.sent, [&](const std::string& damaged) {
      // A line of text may be cut in two, and each command then takes one more for its body.
      EXPECT_LE(heard(damaged).size(), conversation.heard.size() + 3) << damaged;
    });
  }
}

TEST(YarpIncoming, EndlessLinesAreRefused) {
  Incoming incoming(Carrier::TextAck);
  const std::string piece(65536, 'x');
  Words words;
  for (int i = 0; i < 20 && words.empty(); ++i) {
    hear(incoming, piece, words);
  }
  EXPECT_EQ(words, Words{"error: a line that is too long"});
  hear(incoming, "d\n1\n", words);  // of no use any more
  EXPECT_EQ(words.back(), "error: a line that is too long");
}

// What a port says back on each carrier, and what the client hears.
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
       "error: bytes that nobody asked for"},
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
      // One more: bytes that are left over are an error.
      EXPECT_LE(words.size(), exchange.heard.size() + 1) << damaged;
    });
  }
}

}  // namespace
}  // namespace servosim::yarp
