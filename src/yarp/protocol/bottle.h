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
// allocates no more than the available bytes can fill.

namespace servosim::yarp {

/// The tag of a list in binary.
inline constexpr std::int32_t kListTag = 256;

/// Selects the tags of numbers in binary: those of YARP up to 3.x, or those of 4.0 and later.
enum class Generation : std::uint8_t { V3, V4 };

/// The largest depth of lists within lists; deeper ones are refused.
inline constexpr int kMaxNesting = 16;
/// The most items of one Bottle, including those of its lists; more are refused.
inline constexpr std::size_t kMaxItems = 65536;
/// The longest Bottle and the longest line [bytes].
inline constexpr std::size_t kMaxBottle = 1u << 20;

/// Packs characters into a number. The first one is in the lowest byte, missing ones are 0: "pos"
/// is 0x00736f70. Further characters are ignored.
template <typename Code>
constexpr Code pack_vocab(std::string_view text) {
  std::uint64_t code = 0;
  for (std::size_t i = 0; i < std::min(text.size(), sizeof(Code)); ++i) {
    code |= std::uint64_t{static_cast<unsigned char>(text[i])} << 8 * i;
  }
  return static_cast<Code>(code);
}

/// Returns the code of up to four characters, for comparisons and switches: `case vocab("set"):`.
constexpr std::int32_t vocab(std::string_view text) { return pack_vocab<std::int32_t>(text); }
/// Returns the characters before the first 0.
std::string vocab_text(std::uint64_t code);
inline std::string vocab_text(std::int32_t code) {
  return vocab_text(std::uint64_t{static_cast<std::uint32_t>(code)});
}

/// A word of up to four characters. True is "1", false is 0.
struct Vocab {
  std::int32_t code = 0;
  Vocab() = default;
  explicit constexpr Vocab(std::int32_t packed) : code(packed) {}
  explicit constexpr Vocab(std::string_view text) : code(vocab(text)) {}
  explicit constexpr Vocab(bool truth) : code(truth ? '1' : 0) {}
  // Without this constructor a literal would be converted to bool.
  explicit constexpr Vocab(const char* text) : Vocab(std::string_view(text)) {}
  bool operator==(const Vocab&) const = default;
};

/// A word of up to eight characters. Only 4.0 transmits it; 3.x gets its first four characters.
struct Vocab64 {
  std::int64_t code = 0;
  bool operator==(const Vocab64&) const = default;
};

struct Blob {
  std::string bytes;
  bool operator==(const Blob&) const = default;
};

struct BottleValue;

/// A list of values. A message is a Bottle.
struct Bottle {
  std::vector<BottleValue> items;
  /// In binary every item has its tag, even if all tags are equal, for programs that read records
  /// of 4.0 byte by byte. Decoding sets it; it is not part of the value.
  bool tagged = false;

  bool empty() const;
  std::size_t size() const;
  void add(BottleValue value);
};
bool operator==(const Bottle& a, const Bottle& b);

/// One item. `Bottle{{Vocab("set"), Vocab("pos"), 2, -12.5}}` is [set] [pos] 2 -12.5.
struct BottleValue : std::variant<std::int8_t, std::int16_t, std::int32_t, std::int64_t, float,
                                  double, Vocab, Vocab64, std::string, Blob, Bottle> {
  using variant::variant;
};

inline bool Bottle::empty() const { return items.empty(); }
inline std::size_t Bottle::size() const { return items.size(); }

// These functions convert the forms that people and other programs send.

/// Returns the code of a vocab, of the first four characters of a string, or an int32 unchanged.
std::optional<std::int32_t> as_vocab(const BottleValue& value);
/// Returns an integer of any width if it fits.
std::optional<std::int32_t> as_int(const BottleValue& value);
/// Returns any number; it may be NaN or infinite.
std::optional<double> as_number(const BottleValue& value);
const std::string* as_string(const BottleValue& value);
const Bottle* as_list(const BottleValue& value);

using BottleOrError = std::variant<Bottle, ProtocolError>;

// ---- binary
//
//     int32 256 + s, int32 count, items
//
// s is the tag of all items if all have the same tag and are not lists; the items then have no tags
// of their own. Otherwise, or if the Bottle is `tagged`, s is 0 and each item follows its own tag.
// The tag of a list is again 256 + s.
//
//             int8  int16  int32  int64  float32  float64  vocab  vocab64  string  blob
//     3.x       32     64      1     17      128       10      9        -       4    12
//     4.0       32     64      1     17       10       20      9       18       4    12
//
// Strings and blobs are an int32 length and their bytes. [ok] is 09 01 00 00 01 00 00 00 "ok" 00
// 00, and an empty Bottle is 00 01 00 00 00 00 00 00. A dictionary (512 in the tag) is read as a
// list.

/// Appends a Bottle to `writer`.
void encode_bottle(Writer& writer, const Bottle& bottle, Generation generation);
/// Decodes a message that is one Bottle and nothing else.
BottleOrError decode_bottle(Bytes bytes, Generation generation);

/// The end of the Bottle at the beginning of `bytes`.
struct BottleEnd {
  std::size_t size = 0;  ///< [bytes]; 0 means that more bytes are needed, or that there is an error
  std::string error;     ///< why the bytes are no Bottle; empty if they are or may become one
};
BottleEnd find_bottle_end(Bytes bytes, Generation generation);

// ---- text
//
// Blanks separate items: [word], (list), {1 2 255} for a blob, "string" with \" \\ \n \r \0
// (without quotes if it has only letters and _), 12 for an int32 or, if necessary, an int64, 12.5
// -3.0e-07 nan inf for a float64, true, false. Narrow integers, float32 and short vocab64 are read
// back as int32, float64 and vocab.

/// Returns one line without its end. After `max_size` characters any part may be omitted, so that
/// the beginning of a long message costs little.
std::string to_text(const Bottle& bottle, std::size_t max_size = std::string::npos);
BottleOrError parse_bottle(std::string_view line);

/// Returns text of the other side for messages: its first 80 characters in quotes.
std::string quote(std::string_view text);
std::string quote(const Bottle& bottle);

}  // namespace servosim::yarp
