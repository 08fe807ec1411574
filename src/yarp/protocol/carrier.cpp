// SPDX-License-Identifier: Apache-2.0
#include "yarp/protocol/carrier.h"

#include <array>

namespace servosim::yarp {

namespace {

constexpr std::int32_t kCarrierBase = 7777;
constexpr std::array<std::string_view, 5> kNames{"udp", "tcp", "fast_tcp", "text", "text_ack"};

std::int32_t carrier_code(Carrier carrier) {
  switch (carrier) {
    case Carrier::Tcp:
      return 131;
    case Carrier::FastTcp:
      return 3;
    default:
      return 0;
  }
}

}  // namespace

std::string_view carrier_name(Carrier carrier) { return kNames[static_cast<std::size_t>(carrier)]; }

std::optional<Carrier> carrier_named(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) {
      return static_cast<Carrier>(i);
    }
  }
  return std::nullopt;
}

bool is_text(Carrier carrier) { return carrier == Carrier::Text || carrier == Carrier::TextAck; }

bool acknowledges(Carrier carrier) {
  return carrier == Carrier::Tcp || carrier == Carrier::TextAck;
}

void encode_number(Writer& writer, std::int32_t number) {
  writer.chars("YA");
  writer.i32(number);
  writer.chars("RP");
}

std::optional<std::int32_t> decode_number(Bytes bytes) {
  Reader reader(bytes);
  const std::string_view begin = as_text(reader.take(2));
  const std::int32_t number = reader.i32();
  const std::string_view end = as_text(reader.take(2));
  return begin == "YA" && end == "RP" ? std::optional(number) : std::nullopt;
}

void encode_handshake(Writer& writer, Carrier carrier, std::string_view sender) {
  if (is_text(carrier)) {
    writer.chars(carrier == Carrier::Text ? "CONNECT " : "CONNACK ");
    writer.chars(sender);
    writer.chars("\r\n");
    return;
  }
  encode_number(writer, kCarrierBase + carrier_code(carrier));
  writer.u32(static_cast<std::uint32_t>(sender.size() + 1));
  writer.chars(sender);
  writer.u8(0);
}

std::optional<Carrier> carrier_of_number(std::int32_t number) {
  constexpr std::int32_t kKind = 15;
  constexpr std::int32_t kAcknowledges = 128;
  if (number < kCarrierBase || number > kCarrierBase + 255) {
    return std::nullopt;
  }
  switch ((number - kCarrierBase) & (kKind | kAcknowledges)) {
    case 0:
      return Carrier::Udp;
    case 3:
      return Carrier::FastTcp;
    case 3 | kAcknowledges:
      return Carrier::Tcp;
    default:
      return std::nullopt;
  }
}

void encode_answer(Writer& writer, Carrier carrier, std::int32_t number, std::string_view sender) {
  if (!is_text(carrier)) {
    encode_number(writer, number);
    return;
  }
  writer.chars("Welcome ");
  writer.chars(sender);
  writer.chars("\r\n");
}

void encode_ack(Writer& writer, Carrier carrier) {
  if (carrier == Carrier::Tcp) {
    encode_number(writer, 0);
  } else if (carrier == Carrier::TextAck) {
    writer.chars("<ACK>\r\n");
  }
}

}  // namespace servosim::yarp
