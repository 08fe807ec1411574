// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "controller/protocol.h"

// What all messages of the protocol have in common; for protocol*.cpp alone.

namespace servosim {

enum class MessageKind : std::uint8_t {
  Hello = 0x10,
  Step,
  Urdf,
  Goodbye,
  Ask,
  Welcome = 0x80,
  Answer,
  Text,
  Failure,
  Told,
};

inline void start(Writer& writer, MessageKind kind) {
  writer.clear();
  writer.u8(static_cast<std::uint8_t>(kind));
}

// The decoded message, if it was there completely and nothing follows it.
template <typename Result>
Result complete(const Reader& reader, Result result) {
  if (!reader.ok()) {
    return ProtocolError{"a message that ends too early"};
  }
  if (reader.left() > 0) {
    return ProtocolError{"a message that is too long"};
  }
  return result;
}

/// After the kind of message.
Reply decode_welcome(Reader& reader);

}  // namespace servosim
