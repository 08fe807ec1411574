// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/bytes.h"

// Bottles, the messages of YARP, as values, as bytes and as text. Decoding never throws, and
// allocates no more than the bytes that are there can fill.

namespace servosim::yarp {

/// The tag of a list in binary.
inline constexpr std::int32_t kListTag = 256;

/// Which tags numbers carry in binary: YARP up to 3.x, or 4.0 and later.
enum class Generation : std::uint8_t { V3, V4 };

/// Lists within lists; deeper ones are refused.
inline constexpr int kMaxNesting = 16;
/// Items of one Bottle, those of its lists counted; more are refused.
inline constexpr std::size_t kMaxItems = 65536;
/// Longest Bottle and longest line, in bytes.
inline constexpr std::size_t kMaxBottle = 1u << 20;

/// Characters packed into a number, the first one lowest, missing ones 0: "pos" is 0x00736f70.
/// Further characters are ignored.
template <typename Code>
constexpr Code pack_vocab(std::string_view text) {
  std::uint64_t code = 0;
  for (std::size_t i = 0; i < std::min(text.size(), sizeof(Code)); ++i) {
    code |= std::uint64_t{static_cast<unsigned char>(text[i])} << 8 * i;
  }
  return static_cast<Code>(code);
}

/// The code of up to four characters, for comparisons and switches: `case vocab("set"):`.
constexpr std::int32_t vocab(std::string_view text) { return pack_vocab<std::int32_t>(text); }
/// The characters before the first 0.
std::string vocab_text(std::uint64_t code);
inline std::string vocab_text(std::int32_t code) {
  return vocab_text(std::uint64_t{static_cast<std::uint32_t>(code)});
}

/// A word of up to four characters; truth is "1", falsehood 0.
struct Vocab {
  std::int32_t code = 0;
  Vocab() = default;
  explicit constexpr Vocab(std::int32_t packed) : code(packed) {}
  explicit constexpr Vocab(std::string_view text) : code(vocab(text)) {}
  explicit constexpr Vocab(bool truth) : code(truth ? '1' : 0) {}
  // Without it a literal would be converted to bool.
  explicit constexpr Vocab(const char* text) : Vocab(std::string_view(text)) {}
  bool operator==(const Vocab&) const = default;
};

/// A word of up to eight characters. On the wire in 4.0 only: 3.x gets its first four.
struct Vocab64 {
  std::int64_t code = 0;
  bool operator==(const Vocab64&) const = default;
};

struct Blob {
  std::string bytes;
  bool operator==(const Blob&) const = default;
};

struct Value;

/// A list of values, and so a message.
struct Bottle {
  std::vector<Value> items;
  /// In binary every item has its tag, also if all have the same one: for programs that read
  /// records of 4.0 byte by byte. Set by decoding; not part of the value.
  bool tagged = false;

  bool empty() const;
  std::size_t size() const;
  void add(Value value);
};
bool operator==(const Bottle& a, const Bottle& b);

/// One item. `Bottle{{Vocab("set"), Vocab("pos"), 2, -12.5}}` is [set] [pos] 2 -12.5.
struct Value : std::variant<std::int8_t, std::int16_t, std::int32_t, std::int64_t, float, double,
                            Vocab, Vocab64, std::string, Blob, Bottle> {
  using variant::variant;
};

inline bool Bottle::empty() const { return items.empty(); }
inline std::size_t Bottle::size() const { return items.size(); }

// Conversions of the forms that people and other programs send:

/// A vocab, the first four characters of a string, or an int32 as it is.
std::optional<std::int32_t> as_vocab(const Value& value);
/// An integer of any width that fits.
std::optional<std::int32_t> as_int(const Value& value);
/// Any number; may be NaN or infinite.
std::optional<double> as_number(const Value& value);
const std::string* as_string(const Value& value);
const Bottle* as_list(const Value& value);

using BottleOrError = std::variant<Bottle, ProtocolError>;

// ---- binary
//
//     int32 256 + s, int32 count, items
//
// s is the tag of all items if they have the same one and are no lists, and they then have none of
// their own; otherwise, or if the Bottle is `tagged`, s is 0 and every item follows its tag, a
// list's tag being 256 + s again.
//
//             int8  int16  int32  int64  float32  float64  vocab  vocab64  string  blob
//     3.x       32     64      1     17      128       10      9        -       4    12
//     4.0       32     64      1     17       10       20      9       18       4    12
//
// Strings and blobs are an int32 length and their bytes. [ok] is 09 01 00 00 01 00 00 00 "ok" 00
// 00, no items are 00 01 00 00 00 00 00 00. A dictionary (512 in the tag) is read as a list.

/// Appends.
void encode_bottle(Writer& writer, const Bottle& bottle, Generation generation);
/// A message that is one Bottle and nothing else.
BottleOrError decode_bottle(Bytes bytes, Generation generation);

/// The end of the Bottle with which `bytes` begin.
struct BottleEnd {
  std::size_t size = 0;  ///< [bytes]; 0: more bytes are needed, or there is an error
  std::string error;     ///< why the bytes are no Bottle; "" if they are, or may become one
};
BottleEnd find_bottle_end(Bytes bytes, Generation generation);

// ---- text
//
// Items between blanks: [word], (list), {1 2 255} a blob, "string" with \" \\ \n \r \0 (bare if of
// letters and _ only), 12 an int32 or, if need be, an int64, 12.5 -3.0e-07 nan inf a float64, true,
// false. Narrow integers, float32 and short vocab64 come back as int32, float64 and vocab.

/// One line, without its end. After `max_size` characters any part may be omitted, so that the
/// begin of a long message costs little.
std::string to_text(const Bottle& bottle, std::size_t max_size = std::string::npos);
BottleOrError parse_bottle(std::string_view line);

/// Text of the other side for messages: in quotes, its first 80 characters.
std::string quote(std::string_view text);
std::string quote(const Bottle& bottle);

}  // namespace servosim::yarp
