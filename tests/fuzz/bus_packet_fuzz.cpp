// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: packets of servo buses. The first byte of the input selects protocol and side,
// the second one the size of the pieces in which the rest arrives.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <stdexcept>
#include <vector>

#include "bus/protocol/packet.h"
#include "bus/protocol/request.h"

namespace {

using namespace servosim::bus;

void must(bool condition) {
  if (!condition) {
    std::abort();
  }
}

// Checks that a packet is the same after it is written and read again, and so is what it asks.
void check(const Protocol& protocol, BusSide side, const BusPacket& packet) {
  const bool is_fast = packet.is_status && packet.id == kBroadcast;
  const bool is_long = packet.parameters.size() + 8 > PacketReader::kMaxLength;
  if (is_fast || is_long) {
    return;  // it is not stuffed, or stuffing may make it too long
  }
  try {
    PacketReader reader(protocol, side);
    reader.feed(encode(protocol, packet));
    const auto again = reader.next();
    must(again && again->is_intact && again->packet == packet && reader.waiting() == 0);
  } catch (const std::invalid_argument&) {
    must(protocol.is_wide);  // stuffing has made it too long
  }
  if (const auto request = read_request(protocol, packet)) {
    const auto again = read_request(protocol, to_packet(protocol, *request));
    must(again && *again == *request);
  }
}

std::vector<ReadPacket> read_stream(const Protocol& protocol, BusSide side,
                                    std::span<const std::uint8_t> bytes, std::size_t piece) {
  PacketReader reader(protocol, side);
  std::vector<ReadPacket> packets;
  while (!bytes.empty()) {
    const std::size_t size = std::min(piece, bytes.size());
    reader.feed(bytes.first(size));
    bytes = bytes.subspan(size);
    while (auto received = reader.next()) {
      packets.push_back(std::move(*received));
    }
    must(reader.waiting() <= PacketReader::kMaxLength + 7);
  }
  return packets;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3) {
    return 0;
  }
  const Protocol& protocol = *all_protocols()[data[0] % all_protocols().size()];
  const BusSide side = (data[0] & 0x80) != 0 ? BusSide::Client : BusSide::Servo;
  const std::span<const std::uint8_t> bytes(data + 2, size - 2);
  const auto whole = read_stream(protocol, side, bytes, bytes.size());
  const auto cut = read_stream(protocol, side, bytes, 1U + data[1]);
  must(whole.size() == cut.size());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    must(whole[i].packet == cut[i].packet && whole[i].is_intact == cut[i].is_intact &&
         whole[i].end == cut[i].end);
    check(protocol, side, whole[i].packet);
  }
  return 0;
}
