// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cctype>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "yarp/protocol/bottle.h"
#include "yarp/protocol/message.h"

namespace servosim::yarp {

/// Converts a hex dump to bytes: "59 41", with "text" in quotes and the \0 after it as 00.
inline std::string hex(std::string_view dump) {
  std::string bytes;
  for (std::size_t at = 0; at < dump.size();) {
    if (dump[at] == '"') {
      const std::size_t end = dump.find('"', at + 1);
      bytes += dump.substr(at + 1, end - at - 1);
      at = end + 1;
    } else if (std::isxdigit(static_cast<unsigned char>(dump[at]))) {
      bytes += static_cast<char>(std::stoi(std::string(dump.substr(at, 2)), nullptr, 16));
      at += 2;
    } else {
      ++at;
    }
  }
  return bytes;
}

inline std::string text_of(const Writer& writer) { return std::string(as_text(writer.bytes())); }

inline std::string encoded(const Bottle& bottle, Generation generation = Generation::V3) {
  Writer writer;
  encode_bottle(writer, bottle, generation);
  return text_of(writer);
}

inline BottleOrError decoded(std::string_view bytes, Generation generation = Generation::V3) {
  return decode_bottle(as_bytes(bytes), generation);
}

template <typename Variant>
bool is_error(const Variant& result) {
  return std::holds_alternative<ProtocolError>(result);
}
template <typename Variant>
std::string error_text(const Variant& result) {
  const auto* const error = std::get_if<ProtocolError>(&result);
  return error ? error->text : std::string();
}

/// The hex dumps in the description of the protocol, whole messages first.
namespace golden {

// [set] [icmd] [cmod] 0 [pos]
inline const std::string kSetMode =
    hex("00 01 00 00 05 00 00 00 09 00 00 00 \"set\" 00 09 00 00 00 \"icmd\" 09 00 00 00 \"cmod\" "
        "01 00 00 00 00 00 00 00 09 00 00 00 \"pos\" 00");
inline const std::string kGetProtocol = hex("09 01 00 00 02 00 00 00 \"get\" 00 \"prot\"");
inline const std::string kOk = hex("09 01 00 00 01 00 00 00 6f 6b 00 00");
inline const std::string kHandshake =
    hex("59 41 e4 1e 00 00 52 50 0b 00 00 00 2f 72 61 77 63 6c 69 65 6e 74 00");
inline const std::string kAnswer = hex("59 41 13 27 00 00 52 50");
inline const std::string kSetModeMessage =
    hex("59 41 0a 00 00 00 52 50  02 01 ff ff ff ff ff ff ff ff  08 00 00 00  30 00 00 00 "
        "00 00 00 00  00 00 00 00 7e 64 00 01") +
    kSetMode;
inline const std::string kAck = hex("59 41 00 00 00 00 52 50");
inline const std::string kVmos = hex("09 01 00 00 01 00 00 00 \"vmos\"");
inline const std::string kVmo0 =
    hex("00 01 00 00 02 00 00 00 09 00 00 00 \"vmo\" 00 01 00 00 00 00 00 00 00");
inline const std::string kProtocolVersionV4 =
    hex("00 01 00 00 01 00 00 00 00 00 04 00 00 00 00 00");

}  // namespace golden

/// Calls `look` with every beginning of `bytes`, and with every byte of it replaced.
template <typename Look>
void with_every_damage(const std::string& bytes, const Look& look) {
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    look(bytes.substr(0, length));
  }
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (const char bad : {'\x00', '\x7f', '\x80', '\xff'}) {
      std::string damaged = bytes;
      damaged[at] = bad;
      look(damaged);
    }
  }
}

}  // namespace servosim::yarp
