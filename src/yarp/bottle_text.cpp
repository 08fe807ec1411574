// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "yarp/bottle.h"

namespace servosim::yarp {

namespace {

constexpr std::string_view kBlanks = " \t\r\n";

bool is_bare(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// Words that mean a value although they are of letters only.
std::optional<Value> word_value(std::string_view word) {
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

// Each character as it is, or with a backslash when a line could not hold it or it would end the
// text.
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
  std::size_t enough;

  bool more() const { return out.size() <= enough; }

  template <typename Integer>
  void integer(Integer value) {
    fmt::format_to(std::back_inserter(out), "{}", value);
  }
  // The shortest digits that read back as the same number, always with a point.
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
    const std::string_view text = std::string_view(value).substr(0, enough);
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

  // Up to the end or a ')', which stays.
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

  bool item(Value& into, int depth) {
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

  bool word(Value& into) {
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

  bool bare(Value& into) {
    const std::size_t end = std::min(text_.find_first_of(" \t\r\n()", at_), text_.size());
    const std::string_view token = text_.substr(at_, end - at_);
    if (const std::optional<Value> value = word_value(token)) {
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

  // False and perhaps an error when the token is no number.
  bool number(std::string_view token, Value& into) {
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

  bool real(std::string_view token, Value& into) {
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

std::string to_text(const Bottle& bottle, std::size_t enough) {
  std::string text;
  Printer{text, enough}.items(bottle);
  return text;
}

BottleOrError parse_bottle(std::string_view line) { return Parser(line).line(); }

}  // namespace servosim::yarp
