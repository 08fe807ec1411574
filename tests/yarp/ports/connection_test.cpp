// SPDX-License-Identifier: Apache-2.0
// What a port receives, with bytes cut off and damaged at every position.
#include "yarp/ports/conversation.h"

namespace servosim::yarp {
namespace yarp_connection_test {

constexpr Carrier kCarriers[] = {Carrier::Udp, Carrier::Tcp, Carrier::FastTcp, Carrier::Text,
                                 Carrier::TextAck};
const Bottle kSetMode{{Vocab("set"), Vocab("icmd"), Vocab("cmod"), 0, Vocab("pos")}};

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
            (Words{"message 0: 3", "message 6: help me", "message 6: "}));
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

// The bytes that a client of each carrier sends, and what a port receives.
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
      // Damage may cut a line of text in two, and then each command takes one more line for its
      // body.
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
  hear(incoming, "d\n1\n", words);  // the connection is unusable from here on
  EXPECT_EQ(words.back(), "error: a line that is too long");
}

}  // namespace yarp_connection_test
}  // namespace servosim::yarp
