// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace servosim::srvp {

/// Takes a frame apart whose end may not have come yet. After the first thing that is missing or
/// wrong every read gives 0 or "".
class FrameScanner {
 public:
  explicit FrameScanner(std::string_view bytes) : bytes_(bytes) {}

  bool fine() const { return !missing_ && !wrong_; }
  /// More bytes may make a frame of it.
  bool missing() const { return missing_; }
  /// What is wrong, for people.
  const std::string& why() const { return why_; }
  std::size_t size() const { return at_; }

  void text(std::string_view expected, std::string_view what);
  /// Which of the words comes. None may be the beginning of another.
  std::size_t word(std::initializer_list<std::string_view> words, std::string_view what);
  /// 1..255
  std::uint8_t byte();
  /// 0..255
  std::uint8_t any_byte();
  /// Of what travels one up.
  std::uint8_t number();
  int pwm();
  /// Up to a '-'.
  std::string name();
  void fail(std::string why);

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
  bool missing_ = false;
  bool wrong_ = false;
  std::string why_;
};

}  // namespace servosim::srvp
