// SPDX-License-Identifier: Apache-2.0
// Packets of servo buses: those that their makers print, and streams with garbage.
#include "bus/protocol/packet.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "bus/protocol/request.h"
#include "support/repetitions.h"

namespace servosim::bus {
namespace {

namespace packet_test {

Octets octets(const std::string& digits) {
  Octets bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    bytes.push_back(static_cast<std::uint8_t>(std::stoi(digits.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

struct PrintedPacket {
  const Protocol* protocol = nullptr;
  bool is_status = false;
  Octets bytes;
  std::string text;
  BusSide side() const { return is_status ? BusSide::Client : BusSide::Servo; }
};

std::vector<PrintedPacket> printed_packets() {
  std::ifstream file(SERVOSIM_TEST_DIR "/data/servo_packets.txt");
  std::vector<PrintedPacket> packets;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) {
      continue;
    }
    std::istringstream words(line);
    std::string protocol, kind, digits;
    words >> protocol >> kind >> digits;
    packets.push_back({find_protocol(protocol), kind == "status", octets(digits), line});
  }
  return packets;
}

std::vector<ReadPacket> read_all(const Protocol& protocol, BusSide side, const Octets& bytes) {
  PacketReader reader(protocol, side);
  reader.feed(bytes);
  std::vector<ReadPacket> packets;
  while (auto received = reader.next()) {
    packets.push_back(*received);
  }
  return packets;
}

}  // namespace packet_test

using namespace packet_test;

TEST(BusPackets, ReadsAndWritesWhatMakersPrint) {
  const auto all = printed_packets();
  ASSERT_EQ(all.size(), 69U);
  for (const PrintedPacket& printed : all) {
    SCOPED_TRACE(printed.text);
    ASSERT_NE(printed.protocol, nullptr);
    const auto packets = read_all(*printed.protocol, printed.side(), printed.bytes);
    ASSERT_EQ(packets.size(), 1U);
    EXPECT_TRUE(packets[0].is_intact);
    EXPECT_EQ(packets[0].end, printed.bytes.size());
    const BusPacket& packet = packets[0].packet;
    EXPECT_EQ(packet.is_status, printed.is_status);
    if (packet.is_status && packet.id == kBroadcast) {
      continue;  // answers to fast reads: see the next tests
    }
    EXPECT_EQ(encode(*printed.protocol, packet), printed.bytes);
    if (!packet.is_status) {
      const auto request = read_request(*printed.protocol, packet);
      ASSERT_TRUE(request.has_value());
      EXPECT_EQ(to_packet(*printed.protocol, *request), packet);
    }
  }
}

TEST(BusPackets, WritesTheAnswersToFastReadsThatTheManualPrints) {
  FastStatus sync(3 * 8);
  Octets bytes = sync.add(0, 3, octets("A6000000"));
  const Octets second = sync.add(0, 7, octets("1F080000"));
  const Octets third = sync.add(0, 4, octets("FF030000"));
  bytes.insert(bytes.end(), second.begin(), second.end());
  bytes.insert(bytes.end(), third.begin(), third.end());
  EXPECT_EQ(bytes, octets("FFFFFD00FE1900550003A6000000840800071F08000016CA0004FF030000D19E"));

  FastStatus bulk(8 + 6 + 5);
  bytes = bulk.add(0, 3, octets("A6000000"));
  const Octets of_7 = bulk.add(0, 7, octets("A501"));
  const Octets of_4 = bulk.add(0, 4, octets("1F"));
  bytes.insert(bytes.end(), of_7.begin(), of_7.end());
  bytes.insert(bytes.end(), of_4.begin(), of_4.end());
  EXPECT_EQ(bytes, octets("FFFFFD00FE1400550003A600000067A40007A501247400041FD9C1"));
}

TEST(BusPackets, HasTheCrcOfItsCheckValue) {
  const std::string digits = "123456789";
  EXPECT_EQ(crc16({reinterpret_cast<const std::uint8_t*>(digits.data()), digits.size()}), 0xFEE8);
}

TEST(BusPackets, ReadsRequestsForSeveralServos) {
  const auto request_of = [](const Protocol& protocol, const std::string& digits) {
    return read_request(protocol, read_all(protocol, BusSide::Servo, octets(digits)).at(0).packet);
  };
  const auto bulk1 = request_of(kDynamixel1, "FFFFFE09920002011E0202241D");
  ASSERT_TRUE(bulk1);
  EXPECT_EQ(bulk1->instruction, Instruction::BulkRead);
  EXPECT_EQ(bulk1->accesses, (std::vector<RegisterAccess>{{1, 0x1E, 2, {}}, {2, 0x24, 2, {}}}));
  const auto bulk2 = request_of(kDynamixel2, "FFFFFD00FE1000930120000200A000021F00010050B768");
  ASSERT_TRUE(bulk2);
  EXPECT_EQ(bulk2->accesses,
            (std::vector<RegisterAccess>{{1, 32, 2, {0xA0, 0x00}}, {2, 31, 1, {0x50}}}));
  const auto sync = request_of(kFeetechSts, "FFFFFE0A832A0201000802000439");
  ASSERT_TRUE(sync);
  EXPECT_EQ(sync->accesses,
            (std::vector<RegisterAccess>{{1, 42, 2, {0x00, 0x08}}, {2, 42, 2, {0x00, 0x04}}}));
}

TEST(BusPackets, RefusesParametersOfAnotherShape) {
  const auto refuses = [](const Protocol& protocol, std::uint8_t code, Octets parameters) {
    return !read_request(protocol, BusPacket{false, 1, code, std::move(parameters)}).has_value();
  };
  EXPECT_TRUE(refuses(kDynamixel2, 0x02, {132, 0, 4}));           // a count of one byte
  EXPECT_TRUE(refuses(kDynamixel2, 0x02, {132, 0, 4, 0, 9}));     // one byte more
  EXPECT_TRUE(refuses(kDynamixel2, 0x03, {116, 0}));              // no data
  EXPECT_TRUE(refuses(kDynamixel2, 0x83, {116, 0, 4, 0, 1, 7}));  // less data than it says
  EXPECT_TRUE(refuses(kDynamixel2, 0x77, {}));
  EXPECT_TRUE(refuses(kFeetechScs, 0x82, {56, 2, 1}));  // SCS has no sync read
  EXPECT_FALSE(refuses(kFeetechSts, 0x82, {56, 2, 1}));
}

TEST(BusPackets, SaysWhatItCannotWrite) {
  EXPECT_THROW(encode(kFeetechSts, BusPacket{false, 1, 3, Octets(300)}), std::invalid_argument);
  EXPECT_THROW(to_packet(kFeetechSts, {Instruction::Reboot, 1, {}, {}}), std::invalid_argument);
  EXPECT_THROW(to_packet(kDynamixel1, {Instruction::Read, 1, {{1, 300, 2, {}}}, {}}),
               std::invalid_argument);
}

TEST(BusPackets, ReportsAWrongChecksumAndFindsThePacketWithin) {
  const Octets ping = octets("FFFFFD0001030001194E");
  Octets broken = octets("FFFFFD0001090003740000");  // the rest of it was lost
  broken.insert(broken.end(), ping.begin(), ping.end());
  const auto packets = read_all(kDynamixel2, BusSide::Servo, broken);
  ASSERT_EQ(packets.size(), 2U);
  EXPECT_FALSE(packets[0].is_intact);
  EXPECT_TRUE(packets[1].is_intact);
  EXPECT_EQ(encode(kDynamixel2, packets[1].packet), ping);
  EXPECT_EQ(packets[1].end, broken.size());
}

TEST(BusPackets, ForgetsTheBeginningOfAPacketAfterAGap) {
  PacketReader reader(kFeetechSts, BusSide::Servo);
  reader.feed(octets("FFFF01FF02"));  // a length of 255 bytes
  EXPECT_FALSE(reader.next());
  reader.forget();
  reader.feed(octets("FFFF010201FB"));
  const auto ping = reader.next();
  ASSERT_TRUE(ping);
  EXPECT_EQ(ping->packet, (BusPacket{false, 1, 1, {}}));
}

// All packets of a protocol in one stream, with garbage between them, in pieces of any size.
TEST(BusPackets, FindsPacketsInGarbage) {
  std::mt19937 random(5);
  const auto all = printed_packets();
  for (int repetition = 0; repetition < test::repetitions(200, 20000); ++repetition) {
    const Protocol& protocol = *all_protocols()[random() % all_protocols().size()];
    const BusSide side = random() % 2 == 0 ? BusSide::Servo : BusSide::Client;
    std::vector<Octets> sent;
    Octets stream;
    for (const PrintedPacket& printed : all) {
      if (printed.protocol == &protocol && printed.side() == side) {
        for (auto n = random() % 5; n > 0; --n) {
          stream.push_back(static_cast<std::uint8_t>(random() % 0xFD));  // begins no packet
        }
        stream.insert(stream.end(), printed.bytes.begin(), printed.bytes.end());
        sent.push_back(printed.bytes);
      }
    }
    PacketReader reader(protocol, side);
    std::size_t found = 0;
    for (std::size_t at = 0; at < stream.size();) {
      const std::size_t size = std::min<std::size_t>(1 + random() % 9, stream.size() - at);
      reader.feed(std::span(stream).subspan(at, size));
      at += size;
      while (const auto received = reader.next()) {
        ASSERT_TRUE(received->is_intact);
        ASSERT_LT(found, sent.size());
        const Octets& bytes = sent[found++];
        EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(),
                               stream.begin() + static_cast<std::ptrdiff_t>(received->end) -
                                   static_cast<std::ptrdiff_t>(bytes.size())));
      }
    }
    EXPECT_EQ(found, sent.size());
  }
}

}  // namespace
}  // namespace servosim::bus
