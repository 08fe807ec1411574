// SPDX-License-Identifier: Apache-2.0
#include "wbt/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace servosim::wbt {
namespace {

bool is_scalar(const Token& token) {
  return token.kind == TokenKind::Number || token.kind == TokenKind::String || token.is("TRUE") ||
         token.is("FALSE") || token.is("NULL");
}

constexpr std::size_t kWord = 8;

template <class T>
std::size_t words_of(const T& item) {
  if constexpr (std::is_same_v<T, std::string>) {
    return (sizeof item + item.size()) / kWord;
  } else {
    return std::max<std::size_t>(1, sizeof item / kWord);
  }
}

template <class T>
bool starts_item(const Token& token) {
  if constexpr (std::is_same_v<T, std::string>) {
    return token.kind == TokenKind::String;
  } else if constexpr (std::is_same_v<T, bool>) {
    return token.is("TRUE") || token.is("FALSE");
  } else {
    return token.kind == TokenKind::Number;
  }
}

}  // namespace

void ValueReader::expected(std::string_view what) {
  problem_ = fmt::format("expected {}, found {}", what, lexer_.peek().shown());
}

template <std::size_t n>
std::optional<std::array<double, n>> ValueReader::read_numbers() {
  static constexpr std::array<std::string_view, 5> kWhat{"", "a number", "two numbers",
                                                         "three numbers", "four numbers"};
  std::array<double, n> numbers{};
  for (double& x : numbers) {
    if (lexer_.peek().kind != TokenKind::Number) {
      expected(kWhat[n]);
      return std::nullopt;
    }
    x = lexer_.peek().number;
    lexer_.advance();
  }
  return numbers;
}

template <>
std::optional<bool> ValueReader::read_item<bool>() {
  const bool value = lexer_.peek().is("TRUE");
  if (!value && !lexer_.peek().is("FALSE")) {
    expected("TRUE or FALSE");
    return std::nullopt;
  }
  lexer_.advance();
  return value;
}

template <>
std::optional<std::int32_t> ValueReader::read_item<std::int32_t>() {
  using Limits = std::numeric_limits<std::int32_t>;
  const double x = lexer_.peek().number;
  if (lexer_.peek().kind != TokenKind::Number || x != std::floor(x) || x < Limits::min() ||
      x > Limits::max()) {
    expected("an integer");
    return std::nullopt;
  }
  lexer_.advance();
  return static_cast<std::int32_t>(x);
}

template <>
std::optional<double> ValueReader::read_item<double>() {
  const auto x = read_numbers<1>();
  return x ? std::optional((*x)[0]) : std::nullopt;
}

template <>
std::optional<std::string> ValueReader::read_item<std::string>() {
  if (lexer_.peek().kind != TokenKind::String) {
    expected("a string");
    return std::nullopt;
  }
  std::string text = unescaped(lexer_.peek().text);
  lexer_.advance();
  return text;
}

template <>
std::optional<Vec2> ValueReader::read_item<Vec2>() {
  const auto x = read_numbers<2>();
  return x ? std::optional(Vec2{(*x)[0], (*x)[1]}) : std::nullopt;
}

template <>
std::optional<Vec3> ValueReader::read_item<Vec3>() {
  const auto x = read_numbers<3>();
  return x ? std::optional(Vec3{(*x)[0], (*x)[1], (*x)[2]}) : std::nullopt;
}

template <>
std::optional<AxisAngle> ValueReader::read_item<AxisAngle>() {
  const auto x = read_numbers<4>();
  return x ? std::optional(AxisAngle{{(*x)[0], (*x)[1], (*x)[2]}, (*x)[3]}) : std::nullopt;
}

template <class T>
std::optional<Value> ValueReader::read_single() {
  Lexer start = lexer_;
  if (auto item = read_item<T>()) {
    return Value(std::move(*item));
  }
  skip_value(lexer_ = start);
  return std::nullopt;
}

template <class T>
std::optional<Value> ValueReader::read_list() {
  const bool bracketed = lexer_.peek().kind == TokenKind::OpenBracket;
  if (!bracketed && !starts_item<T>(lexer_.peek())) {
    return read_single<T>();  // sets the reason
  }
  Lexer start = lexer_;
  if (bracketed) {
    lexer_.advance();
  }
  std::vector<T> items;
  while (bracketed ? lexer_.peek().kind != TokenKind::CloseBracket
                   : starts_item<T>(lexer_.peek())) {
    auto item = read_item<T>();
    const std::size_t words = item ? words_of(*item) : 0;
    room_ -= std::min(words, room_);
    if (!item || room_ == 0) {
      skip_value(lexer_ = start);
      return std::nullopt;
    }
    items.push_back(std::move(*item));
  }
  if (bracketed) {
    lexer_.advance();
  }
  return Value(std::move(items));
}

// Gravity is a number since R2020b; before it was a vector.
std::optional<Value> ValueReader::read_gravity() {
  Lexer ahead = lexer_;
  ahead.advance();
  const bool vector = ahead.peek().kind == TokenKind::Number;
  return vector ? read_single<Vec3>() : read_single<double>();
}

std::optional<Value> ValueReader::read(ValueType type) {
  switch (type) {
    case ValueType::SFBool:
      return read_single<bool>();
    case ValueType::SFInt32:
      return read_single<std::int32_t>();
    case ValueType::SFFloat:
      return read_single<double>();
    case ValueType::SFString:
      return read_single<std::string>();
    case ValueType::SFVec2f:
      return read_single<Vec2>();
    case ValueType::SFVec3f:
    case ValueType::SFColor:
      return read_single<Vec3>();
    case ValueType::SFRotation:
      return read_single<AxisAngle>();
    case ValueType::MFBool:
      return read_list<bool>();
    case ValueType::MFInt32:
      return read_list<std::int32_t>();
    case ValueType::MFFloat:
      return read_list<double>();
    case ValueType::MFString:
      return read_list<std::string>();
    case ValueType::MFVec2f:
      return read_list<Vec2>();
    case ValueType::MFVec3f:
    case ValueType::MFColor:
      return read_list<Vec3>();
    case ValueType::MFRotation:
      return read_list<AxisAngle>();
    case ValueType::SFFloatOrVec3f:
      return read_gravity();
    case ValueType::SFNode:
    case ValueType::MFNode:
      break;
  }
  return std::nullopt;
}

bool skip_balanced(Lexer& lexer) {
  static constexpr std::size_t kMaxIndentLevels = 10000;
  std::size_t depth = 0;
  do {
    switch (lexer.peek().kind) {
      case TokenKind::OpenBrace:
      case TokenKind::OpenBracket:
        ++depth;
        break;
      case TokenKind::CloseBrace:
      case TokenKind::CloseBracket:
        --depth;
        break;
      case TokenKind::End:
        return false;
      default:
        break;
    }
    lexer.advance();
  } while (depth > 0 && depth <= kMaxIndentLevels);
  return depth == 0;
}

void skip_value(Lexer& lexer) {
  if (lexer.peek().kind == TokenKind::OpenBracket || lexer.peek().kind == TokenKind::OpenBrace) {
    skip_balanced(lexer);
    return;
  }
  while (is_scalar(lexer.peek())) {
    lexer.advance();
  }
}

std::optional<Value> converted(const Value& value, ValueType from, ValueType to) {
  static const auto shape = [](ValueType t) {  // colours are vectors
    return t == ValueType::SFColor   ? ValueType::SFVec3f
           : t == ValueType::MFColor ? ValueType::MFVec3f
                                     : t;
  };
  from = shape(from);
  to = shape(to);
  if (from == to) {
    return value;
  }
  if (to == ValueType::SFFloatOrVec3f &&
      (from == ValueType::SFFloat || from == ValueType::SFVec3f)) {
    return value;
  }
  if (from == ValueType::SFInt32 && to == ValueType::SFFloat) {
    return Value(static_cast<double>(std::get<std::int32_t>(value)));
  }
  const auto listed = [&](ValueType item, auto tag) -> std::optional<Value> {
    using T = decltype(tag);
    return from == item ? std::optional<Value>(std::vector<T>{std::get<T>(value)}) : std::nullopt;
  };
  switch (to) {
    case ValueType::MFBool:
      return listed(ValueType::SFBool, bool());
    case ValueType::MFInt32:
      return listed(ValueType::SFInt32, std::int32_t());
    case ValueType::MFFloat:
      return listed(ValueType::SFFloat, double());
    case ValueType::MFString:
      return listed(ValueType::SFString, std::string());
    case ValueType::MFVec2f:
      return listed(ValueType::SFVec2f, Vec2());
    case ValueType::MFVec3f:
      return listed(ValueType::SFVec3f, Vec3());
    case ValueType::MFRotation:
      return listed(ValueType::SFRotation, AxisAngle());
    case ValueType::MFNode:
      return listed(ValueType::SFNode, NodePtr());
    default:
      return std::nullopt;
  }
}

std::size_t words_in(const Value& value) {
  return std::visit(
      [](const auto& v) -> std::size_t {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, std::string>) {
          return v.size() / kWord;
        } else if constexpr (requires { typename T::value_type; }) {
          std::size_t words = 0;
          for (const typename T::value_type& item : v) {
            words += words_of(item);
          }
          return words;
        } else {
          return 0;
        }
      },
      value);
}

bool holds_nodes(ValueType type) { return type == ValueType::SFNode || type == ValueType::MFNode; }

namespace {
// These are in the order of ValueType.
constexpr std::array<std::string_view, 18> kTypeNames{
    "SFBool",   "SFInt32",    "SFFloat", "SFString", "SFVec2f",    "SFVec3f",
    "SFColor",  "SFRotation", "SFNode",  "MFBool",   "MFInt32",    "MFFloat",
    "MFString", "MFVec2f",    "MFVec3f", "MFColor",  "MFRotation", "MFNode"};
}  // namespace

std::string_view to_string(ValueType type) {
  return type == ValueType::SFFloatOrVec3f ? "SFFloat or SFVec3f"
                                           : kTypeNames[static_cast<std::size_t>(type)];
}

std::optional<ValueType> parse_value_type(std::string_view name) {
  for (std::size_t i = 0; i < kTypeNames.size(); ++i) {
    if (kTypeNames[i] == name) {
      return static_cast<ValueType>(i);
    }
  }
  return std::nullopt;
}

}  // namespace servosim::wbt
