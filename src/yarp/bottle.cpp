// SPDX-License-Identifier: Apache-2.0
#include "yarp/bottle.h"

#include <fmt/format.h>

#include <array>
#include <type_traits>
#include <utility>

namespace servosim::yarp {

namespace {

constexpr std::int32_t kDictionary = 512;

// In the order of the alternatives of Value.
enum class Kind : std::uint8_t {
  Int8,
  Int16,
  Int32,
  Int64,
  Float32,
  Float64,
  Vocab,
  Vocab64,
  String,
  Blob,
  List
};

struct Encoding {
  std::array<std::int32_t, 2> tags;  // 3.x, 4.0
  std::size_t least_size;            // bytes of an item without its tag
};

// Without the lists, whose tags vary.
constexpr std::array<Encoding, 10> kEncodings{{{{32, 32}, 1},
                                               {{64, 64}, 2},
                                               {{1, 1}, 4},
                                               {{17, 17}, 8},
                                               {{128, 10}, 4},
                                               {{10, 20}, 8},
                                               {{9, 9}, 4},
                                               {{9, 18}, 8},
                                               {{4, 4}, 4},
                                               {{12, 12}, 4}}};

std::int32_t tag_of(const Value& value, Generation generation) {
  const std::size_t kind = value.index();
  return kind < kEncodings.size() ? kEncodings[kind].tags[static_cast<std::size_t>(generation)]
                                  : kListTag;
}

std::optional<Kind> kind_of(std::int32_t tag, Generation generation) {
  for (std::size_t kind = 0; kind < kEncodings.size(); ++kind) {
    if (kEncodings[kind].tags[static_cast<std::size_t>(generation)] == tag) {
      return static_cast<Kind>(kind);
    }
  }
  return std::nullopt;
}

// The tag that items leave out because all share it, or 0.
std::int32_t speciality(const Bottle& bottle, Generation generation) {
  if (bottle.tagged) {
    return 0;
  }
  std::int32_t common = 0;
  for (const Value& item : bottle.items) {
    const std::int32_t tag = tag_of(item, generation);
    if (tag == kListTag || (common != 0 && tag != common)) {
      return 0;
    }
    common = tag;
  }
  return common;
}

struct ItemEncoder {
  Writer& writer;
  Generation generation;

  void operator()(std::int8_t value) const { writer.u8(static_cast<std::uint8_t>(value)); }
  void operator()(std::int16_t value) const { writer.u16(static_cast<std::uint16_t>(value)); }
  void operator()(std::int32_t value) const { writer.i32(value); }
  void operator()(std::int64_t value) const { writer.i64(value); }
  void operator()(float value) const { writer.f32(value); }
  void operator()(double value) const { writer.f64(value); }
  void operator()(Vocab value) const { writer.i32(value.code); }
  void operator()(Vocab64 value) const {
    if (generation == Generation::V3) {
      writer.i32(static_cast<std::int32_t>(value.code));
    } else {
      writer.i64(value.code);
    }
  }
  void operator()(const std::string& value) const { writer.text(value); }
  void operator()(const Blob& value) const { writer.text(value.bytes); }
  void operator()(const Bottle& value) const { encode_bottle(writer, value, generation); }
};

// Reads a Bottle, or only finds its end when there is nothing to put it into.
class Decoder {
 public:
  Decoder(Bytes bytes, Generation generation) : reader_(bytes), generation_(generation) {}

  // False: too short, or error() says why.
  bool bottle(Bottle* into) { return list(reader_.i32(), into, 0) && reader_.ok(); }
  std::size_t left() const { return reader_.left(); }
  const std::string& error() const { return error_; }

 private:
  bool refuse(std::string text) {
    error_ = std::move(text);
    return false;
  }

  // Who speaks so, when it is not we.
  std::string of_the_other(std::int32_t tag) const {
    const bool v3 = generation_ == Generation::V3;
    const bool known = kind_of(tag, v3 ? Generation::V4 : Generation::V3).has_value();
    return known && !kind_of(tag, generation_) ? fmt::format(", as YARP {} has it", v3 ? 4 : 3)
                                               : "";
  }

  // Whether `count` items of `least_size` bytes or more can be in the bytes that are there.
  bool fits(std::int32_t count, std::size_t least_size) {
    if (count < 0 || static_cast<std::size_t>(count) > kMaxItems - items_) {
      return refuse(fmt::format("a list that claims {} items", count));
    }
    items_ += static_cast<std::size_t>(count);
    return static_cast<std::size_t>(count) <= reader_.left() / least_size;
  }

  bool list(std::int32_t tag, Bottle* into, int depth) {
    const std::int32_t count = reader_.i32();
    if (!reader_.ok()) {
      return false;
    }
    const std::int32_t special = tag & (kListTag - 1);
    const std::optional<Kind> kind = kind_of(special, generation_);
    if ((tag & ~(kDictionary | kListTag | special)) != 0 || tag == special ||
        (special != 0 && !kind)) {
      return refuse(fmt::format("{} where a list should begin{}", tag, of_the_other(special)));
    }
    if (depth > kMaxNesting) {
      return refuse(fmt::format("lists nested more than {} deep", kMaxNesting));
    }
    const std::size_t least = kind ? kEncodings[static_cast<std::size_t>(*kind)].least_size : 5;
    return fits(count, least) && items(count, kind, into, depth);
  }

  bool items(std::int32_t count, std::optional<Kind> kind, Bottle* into, int depth) {
    if (into) {
      into->tagged = !kind;
      into->items.reserve(static_cast<std::size_t>(count));
    }
    for (std::int32_t i = 0; i < count; ++i) {
      Value* const item = into ? &into->items.emplace_back() : nullptr;
      if (!(kind ? plain(*kind, item) : tagged(item, depth))) {
        return false;
      }
    }
    return true;
  }

  bool tagged(Value* into, int depth) {
    const std::int32_t tag = reader_.i32();
    if (!reader_.ok()) {
      return false;
    }
    if (const std::optional<Kind> kind = kind_of(tag, generation_)) {
      return plain(*kind, into);
    }
    return list(tag, into ? &into->emplace<Bottle>() : nullptr, depth + 1);
  }

  bool plain(Kind kind, Value* into) {
    switch (kind) {
      case Kind::Int8:
        return keep(into, static_cast<std::int8_t>(reader_.u8()));
      case Kind::Int16:
        return keep(into, static_cast<std::int16_t>(reader_.u16()));
      case Kind::Int32:
        return keep(into, reader_.i32());
      case Kind::Int64:
        return keep(into, reader_.i64());
      case Kind::Float32:
        return keep(into, reader_.f32());
      case Kind::Float64:
        return keep(into, reader_.f64());
      case Kind::Vocab:
        return keep(into, Vocab(reader_.i32()));
      case Kind::Vocab64:
        return keep(into, Vocab64{reader_.i64()});
      case Kind::String:
      case Kind::Blob:
        return characters(kind, into);
      case Kind::List:
        break;  // has no tag of its own in the table
    }
    return false;
  }

  template <typename T>
  bool keep(Value* into, T value) {
    if (into) {
      into->emplace<T>(std::move(value));
    }
    return reader_.ok();
  }

  bool characters(Kind kind, Value* into) {
    const std::int32_t length = reader_.i32();
    if (length < 0 || static_cast<std::size_t>(length) > kMaxBottle) {
      return refuse(fmt::format("a text that claims {} bytes", length));
    }
    const std::string_view text = as_text(reader_.take(static_cast<std::size_t>(length)));
    if (!into) {
      return reader_.ok();
    }
    return kind == Kind::String ? keep(into, std::string(text))
                                : keep(into, Blob{std::string(text)});
  }

  Reader reader_;
  Generation generation_;
  std::size_t items_ = 0;  // claimed so far, at most kMaxItems
  std::string error_;
};

}  // namespace

std::string vocab_text(std::uint64_t code) {
  std::string text;
  for (; (code & 255) != 0; code >>= 8) {
    text += static_cast<char>(code & 255);
  }
  return text;
}

void Bottle::add(Value value) { items.push_back(std::move(value)); }

bool operator==(const Bottle& a, const Bottle& b) { return a.items == b.items; }

std::optional<std::int32_t> as_vocab(const Value& value) {
  if (const auto* word = std::get_if<Vocab>(&value)) {
    return word->code;
  }
  if (const auto* word = std::get_if<Vocab64>(&value)) {
    return static_cast<std::int32_t>(word->code);
  }
  if (const auto* text = std::get_if<std::string>(&value)) {
    return vocab(*text);
  }
  if (const auto* code = std::get_if<std::int32_t>(&value)) {
    return *code;
  }
  return std::nullopt;
}

std::optional<std::int32_t> as_int(const Value& value) {
  return std::visit(
      [](const auto& item) -> std::optional<std::int32_t> {
        if constexpr (std::is_integral_v<std::remove_cvref_t<decltype(item)>>) {
          if (std::in_range<std::int32_t>(item)) {
            return static_cast<std::int32_t>(item);
          }
        }
        return std::nullopt;
      },
      value);
}

std::optional<double> as_number(const Value& value) {
  return std::visit(
      [](const auto& item) -> std::optional<double> {
        if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(item)>>) {
          return static_cast<double>(item);
        }
        return std::nullopt;
      },
      value);
}

const std::string* as_string(const Value& value) { return std::get_if<std::string>(&value); }
const Bottle* as_list(const Value& value) { return std::get_if<Bottle>(&value); }

void encode_bottle(Writer& writer, const Bottle& bottle, Generation generation) {
  const std::int32_t special = speciality(bottle, generation);
  writer.i32(kListTag + special);
  writer.i32(static_cast<std::int32_t>(bottle.size()));
  for (const Value& item : bottle.items) {
    const std::int32_t tag = tag_of(item, generation);
    if (special == 0 && tag != kListTag) {
      writer.i32(tag);
    }
    std::visit(ItemEncoder{writer, generation}, item);
  }
}

BottleOrError decode_bottle(Bytes bytes, Generation generation) {
  Decoder decoder(bytes, generation);
  Bottle bottle;
  if (!decoder.bottle(&bottle)) {
    return ProtocolError{decoder.error().empty() ? "a Bottle that ends too early"
                                                 : "a Bottle with " + decoder.error()};
  }
  if (decoder.left() > 0) {
    return ProtocolError{fmt::format("a Bottle with {} bytes after its end", decoder.left())};
  }
  return bottle;
}

BottleEnd find_bottle_end(Bytes bytes, Generation generation) {
  const std::size_t seen = std::min(bytes.size(), kMaxBottle);
  Decoder decoder(bytes.first(seen), generation);
  if (decoder.bottle(nullptr)) {
    return {seen - decoder.left(), {}};
  }
  if (decoder.error().empty() && seen == kMaxBottle) {
    return {0, fmt::format("a Bottle of more than {} bytes", kMaxBottle)};
  }
  return {0, decoder.error().empty() ? "" : "a Bottle with " + decoder.error()};
}

}  // namespace servosim::yarp
