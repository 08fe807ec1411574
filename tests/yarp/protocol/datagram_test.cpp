// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include "yarp/ports/test_support.h"
#include "yarp/protocol/message.h"

namespace servosim::yarp {
namespace {

std::vector<std::string> datagrams(std::string_view message) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < datagram_count(as_bytes(message)); ++i) {
    Writer writer;
    encode_datagram(writer, as_bytes(message), i);
    all.push_back(text_of(writer));
  }
  return all;
}

std::string data_message(const Bottle& body) {
  Writer writer;
  encode_message(writer, Carrier::Udp, {PortCommand::Data, false, {}}, body, Generation::V3);
  return text_of(writer);
}

// Returns the received bodies, or the error.
std::vector<std::string> heard(DatagramReader& reader, std::string_view datagram) {
  std::vector<std::string> words;
  reader.feed(as_bytes(datagram));
  for (auto event = reader.next(); event.index() != 0; event = reader.next()) {
    const auto* const message = std::get_if<Message>(&event);
    words.push_back(message ? std::string(as_text(message->body)) : "error: " + error_text(event));
  }
  return words;
}

using Words = std::vector<std::string>;

// The CRC-32 of "123456789" is cbf43926, as in every table. The number of the datagram is not
// included.
TEST(YarpDatagram, TheChecksumIsThatOfPngOverTheBytesOfTheMessage) {
  EXPECT_EQ(datagrams("123456789").at(0), hex("26 39 f4 cb 00 00 00 00 \"123456789\""));
}

TEST(YarpDatagram, OneMessageFitsOne) {
  const std::vector<std::string> parts = datagrams(golden::kSetModeMessage);
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(parts[0].substr(4), hex("00 00 00 00") + golden::kSetModeMessage);
  DatagramReader reader;
  EXPECT_EQ(heard(reader, parts[0]), Words{golden::kSetMode});
  EXPECT_EQ(heard(reader, parts[0]), Words{golden::kSetMode});
}

TEST(YarpDatagram, ALongMessageTakesSeveralInOrder) {
  std::string text(200000, '\0');
  std::iota(text.begin(), text.end(), '\1');
  const Bottle body{{text}};
  const std::vector<std::string> parts = datagrams(data_message(body));
  ASSERT_EQ(parts.size(), 4u);
  EXPECT_EQ(parts[0].size(), kMaxDatagram);
  DatagramReader reader;
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(heard(reader, parts[i]), Words{});
    }
    EXPECT_EQ(heard(reader, parts[3]), Words{encoded(body)});
  }
}

TEST(YarpDatagram, AfterALossTheNextMessageIsHeard) {
  const std::vector<std::string> parts = datagrams(data_message({{std::string(200000, 'x')}}));
  const std::string whole = datagrams(golden::kSetModeMessage).at(0);
  DatagramReader reader;
  EXPECT_EQ(heard(reader, parts[0]), Words{});
  EXPECT_EQ(heard(reader, parts[2]), Words{"error: datagram 2 of a message, 1 was expected"});
  EXPECT_EQ(heard(reader, parts[1]), Words{"error: datagram 1 of a message, 0 was expected"});
  EXPECT_EQ(heard(reader, parts[0]), Words{});
  EXPECT_EQ(heard(reader, whole), Words{golden::kSetMode});  // the rest of the other message is
                                                             // dropped
}

TEST(YarpDatagram, AnInterruptIsIgnored) {
  // YARP 3.12.3 sends this to itself.
  DatagramReader reader;
  EXPECT_EQ(heard(reader, hex("76 68 8a e3 ff ff ff ff 00 00 00 00 00 00 00 00 00 00")), Words{});
}

TEST(YarpDatagram, DamageIsFoundWhereverItIs) {
  const std::string whole = datagrams(golden::kSetModeMessage).at(0);
  int damages = 0;
  with_every_damage(whole, [&](const std::string& damaged) {
    if (damaged != whole) {
      DatagramReader reader;
      const Words words = heard(reader, damaged);  // damage to the checksum, or to the number
      ASSERT_EQ(words.size(), 1u);
      EXPECT_TRUE(
          words[0].starts_with("error: a datagram whose checksum is wrong") ||
          (words[0].starts_with("error: datagram ") && damaged.substr(8) == whole.substr(8)))
          << words[0];
      EXPECT_EQ(heard(reader, whole), Words{golden::kSetMode});
      ++damages;
    }
  });
  EXPECT_GT(damages, 400);
}

TEST(YarpDatagram, LiesUnderARightChecksumAreRefused) {
  DatagramReader reader;
  const std::string lie =
      hex("59 41 0a 00 00 00 52 50 01 00 ff ff ff ff ff ff ff ff ff ff ff 7f 00 00 00 00");
  EXPECT_EQ(heard(reader, datagrams(lie).at(0)),
            Words{"error: a message with a block of 2147483647 bytes; 1052672 are the most"});
  EXPECT_EQ(heard(reader, datagrams("nonsense").at(0)),
            Words{"error: bytes that do not begin a message (YA<10>RP)"});
}

}  // namespace
}  // namespace servosim::yarp
