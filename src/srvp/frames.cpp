// SPDX-License-Identifier: Apache-2.0
#include "servosim/srvp/frames.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <stdexcept>

namespace servosim::srvp {

namespace {

constexpr int kPwmOffset = 0x8001;
// Positions are steps of 1/180 of the PWM range.
constexpr int kSteps = 180;

// Halves away from 0.
int divide_rounded(int dividend, int divisor) {
  const int half = std::abs(divisor) / 2;
  return (dividend + (dividend < 0 ? -half : half)) / divisor;
}

}  // namespace

std::string_view nack_name(std::uint8_t code) {
  static constexpr std::array<std::string_view, 9> kNames{
      "ErrorLoadingMINMAX", "ErrorContactingMCU",  "MCUOffline",
      "NoMCUInfo",          "ServoCountMissmatch", "InvalidParameter",
      "OnRTMode",           "NoActiveMCU",         "InvalidQuery"};
  constexpr std::uint8_t kFirst = 256 - kNames.size();
  return code < kFirst ? std::string_view() : kNames[code - kFirst];
}

std::string describe(const Control& control) {
  const std::string_view name = control.ack ? "" : nack_name(control.code);
  return fmt::format("{} {}{}{}", control.ack ? "ACK" : "NACK", control.code,
                     name.empty() ? "" : " ", name);
}

Control McuAnswer::relayed() const {
  return bare && !control.ack ? nack(Nack::ErrorContactingMcu) : control;
}

std::string_view name_trouble(std::string_view name) {
  if (name.empty()) {
    return "it is empty";
  }
  if (name.size() > kMaxName) {
    return "it is longer than 255 bytes";
  }
  if (name.find('-') != name.npos || name.find('\0') != name.npos) {
    return "it has a '-' or a zero byte";
  }
  // "!s-sMCU-e!" is a whole query.
  return name.starts_with("e!") ? "it begins with \"e!\", which ends a frame" : "";
}

std::uint16_t encode_pwm(int pwm) {
  const int coded = pwm + kPwmOffset;
  if (pwm > kMaxPwm || coded < 0x100) {
    throw std::invalid_argument(fmt::format("PWM value {} is not 0..{}", pwm, kMaxPwm));
  }
  return static_cast<std::uint16_t>(coded);
}

int pwm_of(int position, const PwmRange& range) {
  return range.min + divide_rounded(position * (range.max - range.min), kSteps);
}

std::uint8_t position_of(int pwm, const PwmRange& range) {
  if (range.min == range.max) {
    return kUnknownPosition;
  }
  const int position = divide_rounded((pwm - range.min) * kSteps, range.max - range.min);
  return static_cast<std::uint8_t>(std::clamp(position, 0, kMaxPosition));
}

std::string legible(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte > 0x20 && byte < 0x7f) {
      text += c;
    } else {
      fmt::format_to(std::back_inserter(text), "<{}>", byte);
    }
  }
  return text;
}

}  // namespace servosim::srvp
