// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/bytes.h"

// How a connection between two ports speaks, and how it begins.
//
//     sender, who dials                              receiver, who listens
//     handshake             ───────────────────▶
//                           ◀───────────────────     answer
//     messages              ───────────────────▶     on udp: as datagrams
//                           ◀───────────────────     reply to each that wants one, then the
//                                                    acknowledgement if the carrier has them
//
// encode_handshake() and Incoming are the two ends of the handshake, encode_answer() and Outgoing
// those of the answer.

namespace servosim::yarp {

enum class Carrier : std::uint8_t { Udp, Tcp, FastTcp, Text, TextAck };

/// "udp", "tcp", "fast_tcp", "text", "text_ack".
std::string_view carrier_name(Carrier carrier);
std::optional<Carrier> carrier_named(std::string_view name);
bool is_text(Carrier carrier);
/// Tcp and TextAck: the receiver acknowledges every message.
bool acknowledges(Carrier carrier);

/// A "YARP number": 'Y' 'A' int32 'R' 'P'.
inline constexpr std::size_t kNumberSize = 8;
void encode_number(Writer& writer, std::int32_t number);
/// From the first eight bytes.
std::optional<std::int32_t> decode_number(Bytes bytes);

/// Longest name of a port or a property, in bytes, its NUL counted.
inline constexpr std::size_t kMaxName = 1024;

/// Binary: YA<7777 + code>RP, int32 length, name, NUL; code is 0 udp, 131 tcp, 3 fast_tcp.
/// Text: "CONNECT NAME\r\n", text_ack: "CONNACK NAME\r\n".
void encode_handshake(Writer& writer, Carrier carrier, std::string_view sender);
/// The carrier that YA<number>RP asks for, if it is one of ours.
std::optional<Carrier> carrier_of_number(std::int32_t number);

/// Binary: YA<number>RP. For udp the number is the port to send datagrams to; otherwise the
/// receiver's own, which senders do not use. Text: "Welcome SENDER\r\n".
void encode_answer(Writer& writer, Carrier carrier, std::int32_t number, std::string_view sender);
/// Binary: YA<0>RP. Text: "<ACK>\r\n". Nothing for carriers without.
void encode_ack(Writer& writer, Carrier carrier);

}  // namespace servosim::yarp
