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
// A position is a step of 1/180 of the PWM range.
constexpr int kSteps = 180;

// Rounds halves away from 0.
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

std::string_view name_error(std::string_view name) {
  if (name.empty()) {
    return "it is empty";
  }
  if (name.size() > kMaxName) {
    return "it is longer than 255 bytes";
  }
  if (name.find('-') != name.npos || name.find('\0') != name.npos) {
    return "it has a '-' or a zero byte";
  }
  // A name must not begin like the end of a frame, since "!s-sMCU-e!" is a complete query.
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

namespace {

/// Writes a frame as bytes, or as text for people.
class FrameWriter {
 public:
  explicit FrameWriter(bool for_people) : for_people_(for_people) {}

  void text(std::string_view text) { out_ += text; }
  void name(std::string_view name) {
    if (!name.empty() && !name_error(name).empty()) {
      throw std::invalid_argument(
          fmt::format("the name '{}': {}", legible(name.substr(0, kMaxName)), name_error(name)));
    }
    out_ += for_people_ ? legible(name) : std::string(name);
  }
  void count(std::size_t count) {
    if (for_people_) {
      out_ += std::to_string(count);
    } else {
      byte(count);
    }
  }
  /// Writes a number that may be 0, as number + 1.
  void number(std::size_t number) { byte(number + 1); }
  /// Writes a number that is at least 1, unchanged.
  void byte(std::size_t value) {
    if (value < 1 || value > 255) {
      throw std::invalid_argument(fmt::format("{} does not fit into a byte of SRVP", value));
    }
    raw(static_cast<std::uint8_t>(value));
  }
  void pwm(int pwm) {
    const std::uint16_t coded = encode_pwm(pwm);
    raw(static_cast<std::uint8_t>(coded >> 8));
    raw(static_cast<std::uint8_t>(coded & 0xff));
  }
  std::string take() { return std::move(out_); }

 private:
  void raw(std::uint8_t value) {
    if (for_people_) {
      fmt::format_to(std::back_inserter(out_), "<{}>", value);
    } else {
      out_ += static_cast<char>(value);
    }
  }

  bool for_people_;
  std::string out_;
};

void write_moves(FrameWriter& out, const Movement& movement) {
  out.count(movement.moves.size());
  for (const Move& move : movement.moves) {
    out.text("-");
    out.number(move.servo);
    out.text(":");
    if (movement.form == MoveForm::Pwm) {
      out.pwm(move.value);
    } else {
      out.number(static_cast<std::size_t>(move.value));
    }
  }
}

void write(FrameWriter& out, const Movement& movement) {
  out.text("SRVP-");
  write_moves(out, movement);
}
void write(FrameWriter& out, const SelectMcu& select) {
  out.text("sMCU-");
  out.name(select.name);
}
void write(FrameWriter& out, const AskInfo&) { out.text("iMCU"); }
void write(FrameWriter& out, const SetMode& mode) {
  out.text("eMOD-");
  out.byte(mode.mode);
}
void write(FrameWriter& out, const ExecuteAll&) { out.text("mALL"); }
void write(FrameWriter& out, const Upload& upload) {
  out.text("uINF-");
  out.count(upload.ranges.size());
  for (const PwmRange& range : upload.ranges) {
    out.text("-");
    out.pwm(range.min);
    out.text(":");
    out.pwm(range.max);
  }
}
void write(FrameWriter& out, const ShutDown&) { out.text("sOFF"); }
void write(FrameWriter& out, const Control& control) {
  out.text(control.ack ? "_ACK-" : "NACK-");
  out.byte(control.code);
}
void write_numbers(FrameWriter& out, const std::vector<std::uint8_t>& numbers) {
  for (const std::uint8_t number : numbers) {
    out.text("-");
    out.number(number);
  }
}
void write(FrameWriter& out, const McuInfo& info) {
  out.text("iMCU-");
  out.count(info.positions.size());
  write_numbers(out, info.positions);
}
void write(FrameWriter& out, const ClientLogin&) { out.text("Client_here"); }
void write(FrameWriter& out, const McuDescription& mcu) {
  const bool smart = mcu.kind == McuKind::Smart;
  const bool has_positions =
      mcu.positions.size() == mcu.servo_count && mcu.positions != std::vector{kUnknownPosition};
  if (mcu.name.empty() || mcu.servo_count > kMaxServos || (smart && !has_positions)) {
    throw std::invalid_argument(
        "an MCU has a name, 1..32 servos, and if Smart a position 0..254 of each");
  }
  out.text("NodeMCU_here-");
  out.name(mcu.name);
  out.text("-");
  out.count(mcu.servo_count);
  write_numbers(out, smart ? mcu.positions : std::vector{kUnknownPosition});
}

template <typename... Frames>
void write(FrameWriter& out, const std::variant<Frames...>& frame) {
  std::visit([&out](const auto& alternative) { write(out, alternative); }, frame);
}

template <typename Frame>
std::string written(const Frame& frame, bool for_people) {
  FrameWriter out(for_people);
  out.text("!s-");
  write(out, frame);
  out.text("-e!");
  return out.take();
}

std::string written(const McuOrder& order, bool for_people) {
  FrameWriter out(for_people);
  if (order.kind == McuOrder::Kind::Execute) {
    out.text("-e");
  } else {
    out.text(order.kind == McuOrder::Kind::Move ? "-m-" : "-u-");
    write_moves(out, order.movement);
  }
  out.text("-!");
  return out.take();
}

std::string written(const McuAnswer& answer, bool for_people) {
  if (!answer.bare) {
    return written(answer.control, for_people);
  }
  return answer.control.ack ? "_ACK" : fmt::format("NACK-{}", answer.control.code);
}

}  // namespace

std::string encode(const Query& query) { return written(query, false); }
std::string encode(const Control& control) { return written(control, false); }
std::string encode(const Answer& answer) { return written(answer, false); }
std::string encode(const Login& login) { return written(login, false); }
std::string encode(const McuAnswer& answer) { return written(answer, false); }
std::string encode(const McuOrder& order) { return written(order, false); }

std::string to_text(const Query& query) { return written(query, true); }
std::string to_text(const Control& control) { return written(control, true); }
std::string to_text(const Answer& answer) { return written(answer, true); }
std::string to_text(const Login& login) { return written(login, true); }
std::string to_text(const McuAnswer& answer) { return written(answer, true); }
std::string to_text(const McuOrder& order) { return written(order, true); }

}  // namespace servosim::srvp
