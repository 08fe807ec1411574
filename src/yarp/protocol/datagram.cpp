// SPDX-License-Identifier: Apache-2.0
#include "yarp/protocol/datagram.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <utility>

namespace servosim::yarp {

namespace {

constexpr std::size_t kMaxPart = kMaxDatagram - kDatagramHead;
constexpr std::int32_t kInterrupt = -1;

std::uint32_t checksum(Bytes bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace

std::size_t datagram_count(Bytes message) { return (message.size() + kMaxPart - 1) / kMaxPart; }

void encode_datagram(Writer& writer, Bytes message, std::size_t number) {
  const std::size_t begin = writer.size();
  writer.u32(0);
  writer.u32(static_cast<std::uint32_t>(number));
  const Bytes rest = message.subspan(std::min(number * kMaxPart, message.size()));
  writer.numbers(rest.first(std::min(rest.size(), kMaxPart)));
  writer.patch_u32(begin, checksum(writer.bytes().subspan(begin + kDatagramHead)));
}

void DatagramReader::drop(std::string why) {
  queue_.clear();
  expected_ = 0;
  error_ = std::move(why);
}

void DatagramReader::feed(Bytes datagram) {
  error_.clear();
  Reader reader(datagram);
  const std::uint32_t sum = reader.u32();
  const std::int32_t number = reader.i32();
  if (!reader.ok() || checksum(datagram.subspan(kDatagramHead)) != sum) {
    drop("a datagram whose checksum is wrong");
    return;
  }
  if (number == kInterrupt) {
    return;
  }
  if (number == 0) {
    queue_.clear();
  } else if (number < 0 || number != expected_) {
    drop(fmt::format("datagram {} of a message, {} was expected", number, expected_));
    return;
  }
  queue_.append(reader.take(reader.left()));
  expected_ = number + 1;
}

DatagramEvent DatagramReader::next() {
  if (!error_.empty()) {
    return ProtocolError{std::exchange(error_, {})};
  }
  FoundMessage found = find_message(queue_.bytes());
  if (!found.error.empty()) {
    drop({});
    return ProtocolError{std::move(found.error)};
  }
  if (found.size == 0) {
    return {};
  }
  queue_.take(found.size);
  return found.message;
}

}  // namespace servosim::yarp
