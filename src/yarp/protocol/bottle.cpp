// SPDX-License-Identifier: Apache-2.0
#include "yarp/protocol/bottle.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <type_traits>
#include <utility>

namespace servosim::yarp {

namespace {

constexpr std::int32_t kDictionary = 512;

// These are in the order of the alternatives of BottleValue.
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
  std::array<std::int32_t, 2> tags;  // tags of generations 3.x and 4.0
  std::size_t least_size;            // size of an item without its tag [bytes]
};

// Lists are not here, since their tags vary.
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

std::int32_t tag_of(const BottleValue& value, Generation generation) {
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

// Returns the tag that items omit because all items share it, or 0.
std::int32_t speciality(const Bottle& bottle, Generation generation) {
  if (bottle.tagged) {
    return 0;
  }
  std::int32_t common = 0;
  for (const BottleValue& item : bottle.items) {
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

// Reads a Bottle. If there is nothing to store it in, only finds its end.
class Decoder {
 public:
  Decoder(Bytes bytes, Generation generation) : reader_(bytes), generation_(generation) {}

  // Returns false if the bytes are too short, or if error() has the reason.
  bool bottle(Bottle* into) { return list(reader_.i32(), into, 0) && reader_.ok(); }
  std::size_t left() const { return reader_.left(); }
  const std::string& error() const { return error_; }

 private:
  bool refuse(std::string text) {
    error_ = std::move(text);
    return false;
  }

  // Returns a hint if only the other generation has this tag.
  std::string of_the_other(std::int32_t tag) const {
    const bool v3 = generation_ == Generation::V3;
    const bool known = kind_of(tag, v3 ? Generation::V4 : Generation::V3).has_value();
    return known && !kind_of(tag, generation_) ? fmt::format(", as YARP {} has it", v3 ? 4 : 3)
                                               : "";
  }

  // Returns whether the remaining bytes can contain `count` items of at least `least_size` bytes.
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
      BottleValue* const item = into ? &into->items.emplace_back() : nullptr;
      if (!(kind ? plain(*kind, item) : tagged(item, depth))) {
        return false;
      }
    }
    return true;
  }

  bool tagged(BottleValue* into, int depth) {
    const std::int32_t tag = reader_.i32();
    if (!reader_.ok()) {
      return false;
    }
    if (const std::optional<Kind> kind = kind_of(tag, generation_)) {
      return plain(*kind, into);
    }
    return list(tag, into ? &into->emplace<Bottle>() : nullptr, depth + 1);
  }

  bool plain(Kind kind, BottleValue* into) {
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
        break;  // it has no tag of its own in the table
    }
    return false;
  }

  template <typename T>
  bool keep(BottleValue* into, T value) {
    if (into) {
      into->emplace<T>(std::move(value));
    }
    return reader_.ok();
  }

  bool characters(Kind kind, BottleValue* into) {
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
  std::size_t items_ = 0;  // number of items that lists have claimed so far, at most kMaxItems
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

void Bottle::add(BottleValue value) { items.push_back(std::move(value)); }

bool operator==(const Bottle& a, const Bottle& b) { return a.items == b.items; }

std::optional<std::int32_t> as_vocab(const BottleValue& value) {
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

std::optional<std::int32_t> as_int(const BottleValue& value) {
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

std::optional<double> as_number(const BottleValue& value) {
  return std::visit(
      [](const auto& item) -> std::optional<double> {
        if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(item)>>) {
          return static_cast<double>(item);
        }
        return std::nullopt;
      },
      value);
}

const std::string* as_string(const BottleValue& value) { return std::get_if<std::string>(&value); }
const Bottle* as_list(const BottleValue& value) { return std::get_if<Bottle>(&value); }

void encode_bottle(Writer& writer, const Bottle& bottle, Generation generation) {
  const std::int32_t special = speciality(bottle, generation);
  writer.i32(kListTag + special);
  writer.i32(static_cast<std::int32_t>(bottle.size()));
  for (const BottleValue& item : bottle.items) {
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

namespace {

constexpr std::string_view kBlanks = " \t\r\n";

bool is_bare(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// Returns the value of a word that is a value and not a string.
std::optional<BottleValue> word_value(std::string_view word) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (word == "true" || word == "false") {
    return Vocab(word == "true");
  }
  if (word == "nan") {
    return std::numeric_limits<double>::quiet_NaN();
  }
  if (word == "inf" || word == "-inf") {
    return word == "inf" ? kInfinity : -kInfinity;
  }
  return std::nullopt;
}

// A backslash precedes characters that a line cannot contain or that would end the text.
void print_escaped(std::string& out, std::string_view text, char closing) {
  for (const char c : text) {
    switch (c) {
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\0':
        out += "\\0";
        break;
      default:
        if (c == closing || c == '\\') {
          out += '\\';
        }
        out += c;
    }
  }
  out += closing;
}

struct Printer {
  std::string& out;
  std::size_t max_size;

  bool more() const { return out.size() <= max_size; }

  template <typename Integer>
  void integer(Integer value) {
    fmt::format_to(std::back_inserter(out), "{}", value);
  }
  // Prints the shortest digits that read back as the same number, always with a decimal point.
  template <typename Float>
  void real(Float value) {
    if (std::isnan(value)) {
      out += "nan";
      return;
    }
    std::string digits = fmt::format("{}", value);
    if (std::isfinite(value) && digits.find('.') == std::string::npos) {
      digits.insert(std::min(digits.find('e'), digits.size()), ".0");
    }
    out += digits;
  }
  void word(const std::string& text) {
    if (text.empty() || text == "1") {
      out += text.empty() ? "false" : "true";
      return;
    }
    out += '[';
    print_escaped(out, text, ']');
  }

  void operator()(std::int8_t value) { integer(int{value}); }
  void operator()(std::int16_t value) { integer(int{value}); }
  void operator()(std::int32_t value) { integer(value); }
  void operator()(std::int64_t value) { integer(value); }
  void operator()(float value) { real(value); }
  void operator()(double value) { real(value); }
  void operator()(Vocab value) { word(vocab_text(value.code)); }
  void operator()(Vocab64 value) { word(vocab_text(static_cast<std::uint64_t>(value.code))); }
  void operator()(const std::string& value) {
    const std::string_view text = std::string_view(value).substr(0, max_size);
    if (!text.empty() && std::all_of(text.begin(), text.end(), is_bare) && !word_value(text)) {
      out += text;
      return;
    }
    out += '"';
    print_escaped(out, text, '"');
  }
  void operator()(const Blob& value) {
    out += '{';
    for (std::size_t i = 0; i < value.bytes.size() && more(); ++i) {
      out += i > 0 ? " " : "";
      integer(int{static_cast<unsigned char>(value.bytes[i])});
    }
    out += '}';
  }
  void operator()(const Bottle& value) {
    out += '(';
    items(value);
    out += ')';
  }
  void items(const Bottle& bottle) {
    for (std::size_t i = 0; i < bottle.size() && more(); ++i) {
      out += i > 0 ? " " : "";
      std::visit(*this, bottle.items[i]);
    }
  }
};

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  BottleOrError line() {
    Bottle bottle;
    if (text_.size() > kMaxBottle) {
      refuse(fmt::format("longer than {} bytes", kMaxBottle));
    } else if (items(bottle, 0) && at_ < text_.size()) {
      refuse("a ')' that closes nothing");
    }
    if (!error_.empty()) {
      return ProtocolError{fmt::format("column {}: {}", at_ + 1, error_)};
    }
    return bottle;
  }

 private:
  bool refuse(std::string text) {
    error_ = std::move(text);
    return false;
  }
  char next() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool skip_blanks() {
    at_ = std::min(text_.find_first_not_of(kBlanks, at_), text_.size());
    return at_ < text_.size();
  }

  // Reads up to the end or up to a ')', which is not consumed.
  bool items(Bottle& into, int depth) {
    while (skip_blanks() && next() != ')') {
      if (++items_ > kMaxItems) {
        return refuse(fmt::format("more than {} items", kMaxItems));
      }
      if (!item(into.items.emplace_back(), depth)) {
        return false;
      }
    }
    return true;
  }

  bool item(BottleValue& into, int depth) {
    switch (next()) {
      case '(':
        return list(into.emplace<Bottle>(), depth + 1);
      case '[':
        return word(into);
      case '"':
        return enclosed('"', into.emplace<std::string>());
      case '{':
        return blob(into.emplace<Blob>().bytes);
      default:
        return bare(into);
    }
  }

  bool list(Bottle& into, int depth) {
    if (depth > kMaxNesting) {
      return refuse(fmt::format("lists nested more than {} deep", kMaxNesting));
    }
    ++at_;
    if (!items(into, depth)) {
      return false;
    }
    if (next() != ')') {
      return refuse("a '(' without its ')'");
    }
    ++at_;
    return true;
  }

  bool word(BottleValue& into) {
    std::string text;
    if (!enclosed(']', text)) {
      return false;
    }
    if (text.size() <= 4) {
      into = Vocab(text);
    } else {
      into = Vocab64{pack_vocab<std::int64_t>(text)};
    }
    return true;
  }

  bool enclosed(char closing, std::string& into) {
    for (++at_; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == closing) {
        ++at_;
        return true;
      }
      into += c == '\\' ? escaped() : c;
    }
    return refuse(fmt::format("no '{}' at the end", closing));
  }

  char escaped() {
    ++at_;
    switch (next()) {
      case 'n':
        return '\n';
      case 'r':
        return '\r';
      case '0':
        return '\0';
      default:
        return next();
    }
  }

  bool blob(std::string& into) {
    ++at_;
    while (skip_blanks() && next() != '}') {
      unsigned char byte = 0;
      const auto [end, error] =
          std::from_chars(text_.data() + at_, text_.data() + text_.size(), byte);
      if (error != std::errc()) {
        return refuse("not a byte from 0 to 255");
      }
      at_ = static_cast<std::size_t>(end - text_.data());
      into += static_cast<char>(byte);
    }
    if (next() != '}') {
      return refuse("a '{' without its '}'");
    }
    ++at_;
    return true;
  }

  bool bare(BottleValue& into) {
    const std::size_t end = std::min(text_.find_first_of(" \t\r\n()", at_), text_.size());
    const std::string_view token = text_.substr(at_, end - at_);
    if (const std::optional<BottleValue> value = word_value(token)) {
      into = *value;
    } else if (!number(token, into)) {
      into.emplace<std::string>(token);
    }
    if (!error_.empty()) {
      return false;
    }
    at_ = end;
    return true;
  }

  // Returns false, and perhaps sets an error, if the token is no number.
  bool number(std::string_view token, BottleValue& into) {
    if (token.front() == '+' && token.size() > 1 && token[1] != '-') {
      token.remove_prefix(1);
    }
    const std::string_view digits = token.substr(token.front() == '-' ? 1 : 0);
    if (digits.empty() || std::string_view("0123456789.").find(digits[0]) == digits.npos) {
      return false;
    }
    if (token.find_first_of(".eE") != token.npos) {
      return real(token, into);
    }
    std::int64_t value = 0;
    if (!read_all(token, value)) {
      return false;
    }
    if (std::in_range<std::int32_t>(value)) {
      into = static_cast<std::int32_t>(value);
    } else {
      into = value;
    }
    return true;
  }

  bool real(std::string_view token, BottleValue& into) {
    double value = 0.0;
    if (!read_all(token, value)) {
      return false;
    }
    into = value;
    return true;
  }

  template <typename Number>
  bool read_all(std::string_view token, Number& value) {
    const char* const last = token.data() + token.size();
    const auto [end, error] = std::from_chars(token.data(), last, value);
    if (end != last || error == std::errc::invalid_argument) {
      return false;
    }
    if (error == std::errc::result_out_of_range) {
      return refuse("a number that does not fit into 64 bits");
    }
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t items_ = 0;
  std::string error_;
};

}  // namespace

std::string to_text(const Bottle& bottle, std::size_t max_size) {
  std::string text;
  Printer{text, max_size}.items(bottle);
  return text;
}

BottleOrError parse_bottle(std::string_view line) { return Parser(line).line(); }

namespace {

constexpr std::size_t kMaxQuote = 80;  // [characters]

}  // namespace

std::string quote(std::string_view text) {
  return fmt::format("'{}{}'", text.substr(0, kMaxQuote), text.size() > kMaxQuote ? ".." : "");
}

std::string quote(const Bottle& bottle) { return quote(to_text(bottle, kMaxQuote + 1)); }

}  // namespace servosim::yarp
