// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <string_view>

namespace servosim::test {

/// Returns the types of Bottles of YARP 4.0 from their binary form, without the values: a letter
/// for an item with its tag (i int32, h int16, d float64, f float32, v vocab, s string), in round
/// brackets; "[3d]" if items share one tag. It shares no code with the codec under test.
class BottleShape {
 public:
  /// Returns "bad" unless the bytes are exactly one Bottle.
  static std::string of(std::string_view bytes) {
    BottleShape reader(bytes);
    std::string shape = reader.list(reader.number());
    return reader.bad_ || !reader.left_.empty() ? "bad" : shape;
  }

 private:
  static constexpr std::int32_t kList = 256;

  explicit BottleShape(std::string_view bytes) : left_(bytes) {}

  std::int32_t number() {
    std::int32_t value = 0;
    if (skip(sizeof value)) {
      std::memcpy(&value, left_.data() - sizeof value, sizeof value);
    }
    return value;
  }
  bool skip(std::int64_t size) {
    bad_ = bad_ || size < 0 || size > static_cast<std::int64_t>(left_.size());
    left_.remove_prefix(bad_ ? 0 : static_cast<std::size_t>(size));
    return !bad_;
  }
  std::string item(std::int32_t tag) {
    if (tag & kList) {
      return list(tag);
    }
    if (tag == 4) {
      skip(number());
      return "s";
    }
    static const std::map<std::int32_t, std::pair<char, int>> kPlain{
        {1, {'i', 4}}, {64, {'h', 2}}, {20, {'d', 8}}, {10, {'f', 4}}, {9, {'v', 4}}};
    const auto plain = kPlain.find(tag);
    bad_ = bad_ || plain == kPlain.end();
    return !bad_ && skip(plain->second.second) ? std::string(1, plain->second.first) : "";
  }
  std::string list(std::int32_t tag) {
    const std::int32_t count = number();
    const std::int32_t common = tag - kList;
    bad_ = bad_ || common < 0 || common >= kList || count < 0;
    std::string shape;
    for (std::int32_t n = 0; n < count && !bad_; ++n) {
      const std::string one = item(common != 0 ? common : number());
      shape = common != 0 ? one : shape + one;
    }
    return common != 0 ? fmt::format("[{}{}]", count, shape) : "(" + shape + ")";
  }

  std::string_view left_;
  bool bad_ = false;
};

}  // namespace servosim::test
