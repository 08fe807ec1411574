// SPDX-License-Identifier: Apache-2.0
#include "srvp/frame_scanner.h"

#include <fmt/format.h>

#include <algorithm>

#include "servosim/srvp/frames.h"

namespace servosim::srvp {

void FrameScanner::fail(std::string why) {
  if (fine()) {
    wrong_ = true;
    why_ = std::move(why);
  }
}

void FrameScanner::text(std::string_view expected, std::string_view what) {
  word({expected}, what);
}

std::size_t FrameScanner::word(std::initializer_list<std::string_view> words,
                               std::string_view what) {
  if (!fine()) {
    return 0;
  }
  const std::string_view rest = bytes_.substr(at_);
  std::size_t alike = 0;  // bytes
  std::size_t index = 0;
  for (const std::string_view word : words) {
    const auto [end, _] = std::mismatch(rest.begin(), rest.end(), word.begin(), word.end());
    const auto same = static_cast<std::size_t>(end - rest.begin());
    if (same == word.size()) {
      at_ += same;
      return index;
    }
    alike = std::max(alike, same);
    ++index;
  }
  if (alike == rest.size()) {
    missing_ = true;
  } else {
    fail(rest[alike] == '\0' ? "a zero byte" : std::string(what));
  }
  return 0;
}

std::uint8_t FrameScanner::any_byte() {
  missing_ = missing_ || (fine() && at_ == bytes_.size());
  return fine() ? static_cast<std::uint8_t>(bytes_[at_++]) : std::uint8_t{0};
}

std::uint8_t FrameScanner::byte() {
  const std::uint8_t value = any_byte();
  if (value == 0) {
    fail("a zero byte");
  }
  return value;
}

std::uint8_t FrameScanner::number() {
  const std::uint8_t value = byte();
  return fine() ? static_cast<std::uint8_t>(value - 1) : value;
}

int FrameScanner::pwm() {
  const std::uint8_t high = byte();
  const std::uint8_t low = any_byte();
  return decode_pwm(static_cast<std::uint16_t>(high << 8 | low));
}

std::string FrameScanner::name() {
  if (!fine()) {
    return {};
  }
  const std::string_view rest = bytes_.substr(at_, kMaxName + 1);
  const std::string_view name = rest.substr(0, rest.find('-'));
  if (name.find('\0') != name.npos) {
    fail("a zero byte");
  } else if (name.size() > kMaxName) {
    fail(fmt::format("a name of more than {} bytes", kMaxName));
  }
  at_ += name.size();
  missing_ = fine() && at_ == bytes_.size();
  return std::string(name);
}

}  // namespace servosim::srvp
