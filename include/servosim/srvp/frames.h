// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

// SRVP, the servo-movement protocol, as values and as bytes, without sockets. Positions are in
// degrees. PWM values are numbers that the robot's board interprets. docs/reference/srvp.md has the
// frames.

namespace servosim::srvp {

/// The TCP port of a server, unless another one is chosen.
inline constexpr std::uint16_t kDefaultPort = 54817;
/// The largest number of servos of an MCU; their numbers are 0 to 31.
inline constexpr std::size_t kMaxServos = 32;
/// The largest position [degrees]; the smallest one is 0.
inline constexpr int kMaxPosition = 179;
/// The largest PWM value; the smallest one is 0.
inline constexpr int kMaxPwm = 32766;
/// Means an unknown position: it is 187 as a byte, as in the login of a DumbMCU.
inline constexpr std::uint8_t kUnknownPosition = 186;
/// The longest name of an MCU [bytes].
inline constexpr std::size_t kMaxName = 255;
/// No frame is longer [bytes].
inline constexpr std::size_t kMaxFrame = 2048;

/// What an MCU takes. A SmartMCU takes positions and can store them; a DumbMCU takes PWM values
/// only.
///
/// Threads: a plain value.
enum class McuKind : std::uint8_t { Smart, Dumb };

/// Why a server refuses a query: the byte of its NACK.
///
/// Threads: a plain value.
enum class Nack : std::uint8_t {
  InvalidQuery = 255,
  NoActiveMcu = 254,
  OnRealTimeMode = 253,
  InvalidParameter = 252,
  ServoCountMismatch = 251,
  NoMcuInfo = 250,
  McuOffline = 249,
  ErrorContactingMcu = 248,
  ErrorLoadingMinMax = 247,
};

/// The target of one servo: see Movement.
///
/// Threads: a plain value.
struct Move {
  /// 0 to 31. A frame can also have 32 to 254, which servers refuse.
  std::uint8_t servo = 0;
  /// A position, 0 to 179 [degrees], or a PWM value, 0 to 32766.
  std::int32_t value = 0;
  friend bool operator==(const Move&, const Move&) = default;
};

/// The two forms of the SRVP query: positions, or PWM values.
///
/// Threads: a plain value.
enum class MoveForm : std::uint8_t { Position, Pwm };

/// The moves of one query: 1 to 255, all in one form.
///
/// Threads: a plain value.
struct Movement {
  MoveForm form = MoveForm::Position;
  std::vector<Move> moves;
  friend bool operator==(const Movement&, const Movement&) = default;
};

/// The PWM values of a servo at position 0 and at 180; those in between are linear. `max` may be
/// below `min`.
///
/// Threads: a plain value.
struct PwmRange {
  /// At position 0: 0 to 32766.
  std::int32_t min = 0;
  /// At position 180: 0 to 32766.
  std::int32_t max = 0;
  friend bool operator==(const PwmRange&, const PwmRange&) = default;
};

/// Chooses the MCU of the queries that follow on this connection.
///
/// Threads: a plain value.
struct SelectMcu {
  std::string name;
  friend bool operator==(const SelectMcu&, const SelectMcu&) = default;
};
/// Asks for the positions of the servos of the chosen MCU.
///
/// Threads: a plain value.
struct AskInfo {
  friend bool operator==(const AskInfo&, const AskInfo&) = default;
};
/// Chooses whether moves are done at once (real-time mode) or stored until ExecuteAll (delayed
/// mode).
///
/// Threads: a plain value.
struct SetMode {
  static constexpr std::uint8_t kDelayed = 100;
  static constexpr std::uint8_t kRealTime = 101;
  std::uint8_t mode = kRealTime;
  friend bool operator==(const SetMode&, const SetMode&) = default;
};
/// Does the moves that were stored in delayed mode.
///
/// Threads: a plain value.
struct ExecuteAll {
  friend bool operator==(const ExecuteAll&, const ExecuteAll&) = default;
};
/// Calibrates the servos of an MCU, in the order of their numbers: 1 to 255 ranges.
///
/// Threads: a plain value.
struct Upload {
  std::vector<PwmRange> ranges;
  friend bool operator==(const Upload&, const Upload&) = default;
};
/// Stops the server.
///
/// Threads: a plain value.
struct ShutDown {
  friend bool operator==(const ShutDown&, const ShutDown&) = default;
};

/// The queries of a client.
using Query = std::variant<Movement, SelectMcu, AskInfo, SetMode, ExecuteAll, Upload, ShutDown>;

/// ACK or NACK.
///
/// Threads: a plain value.
struct Control {
  bool ack = true;
  /// 1 to 255; that of a NACK is a Nack.
  std::uint8_t code = 255;
  friend bool operator==(const Control&, const Control&) = default;
};

/// The answer to AskInfo.
///
/// Threads: a plain value.
struct McuInfo {
  /// By the number of the servo: 0 to 179 [degrees]; a larger number means unknown.
  std::vector<std::uint8_t> positions;
  friend bool operator==(const McuInfo&, const McuInfo&) = default;
};

/// The answers to a client.
using Answer = std::variant<Control, McuInfo>;

/// The login of a client, which has no content.
///
/// Threads: a plain value.
struct ClientLogin {
  friend bool operator==(const ClientLogin&, const ClientLogin&) = default;
};
/// The login of an MCU, which describes it.
///
/// Threads: a plain value.
struct McuDescription {
  /// 1 to 255 bytes, neither '-' nor 0; it must not begin with "e!".
  std::string name;
  McuKind kind = McuKind::Smart;
  /// 1 to 32.
  std::size_t servo_count = 0;
  /// The positions of a SmartMCU, one per servo: 0 to 179 [degrees]; servers take 180 to 254 for
  /// unknown ones. A SmartMCU with one servo cannot have kUnknownPosition, since its login would be
  /// that of a DumbMCU.
  std::vector<std::uint8_t> positions;
  friend bool operator==(const McuDescription&, const McuDescription&) = default;
};
/// What a server reads first on each connection.
using Login = std::variant<ClientLogin, McuDescription>;

/// The answer of an MCU to an order. It is a control frame or, from the ESP32 firmware of the
/// platform, the bare bytes "_ACK" or "NACK-3".
///
/// Threads: a plain value.
struct McuAnswer {
  /// The code of a bare NACK is its digit, 1 to 9.
  Control control;
  /// Whether it came without a frame.
  bool bare = false;
  /// What clients get: `control` or, for a bare NACK, whose digit they do not know, NACK 248.
  Control relayed() const;
  friend bool operator==(const McuAnswer&, const McuAnswer&) = default;
};

/// The order of a server to an MCU.
///
/// Threads: a plain value.
struct McuOrder {
  enum class Kind : std::uint8_t { Move, Store, Execute };
  Kind kind = Kind::Move;
  /// Empty for Execute; positions for Store.
  Movement movement;
  friend bool operator==(const McuOrder&, const McuOrder&) = default;
};

/// An ACK and a NACK as frames.
constexpr Control ack(std::uint8_t code = 255) { return {true, code}; }
constexpr Control nack(Nack why) { return {false, static_cast<std::uint8_t>(why)}; }
/// The name of the code, such as "InvalidQuery"; "" for a code that no Nack has.
std::string_view nack_name(std::uint8_t code);
/// A text for people, such as "ACK 255" or "NACK 252 InvalidParameter".
std::string describe(const Control& control);
/// Why an MCU cannot have this name; "" if it can.
std::string_view name_error(std::string_view name);

/// The two bytes of a PWM value, as one number.
/// @throws std::invalid_argument for a value that they cannot hold: not -32513 to 32766
std::uint16_t encode_pwm(int pwm);
/// The PWM value, -32769 to 32766; values below 0 are invalid.
constexpr int decode_pwm(std::uint16_t coded) { return int{coded} - 0x8001; }
/// The PWM value of a position [degrees], rounded to the nearest number; halves are rounded away
/// from `min`.
int pwm_of(int position, const PwmRange& range);
/// The position whose PWM value is nearest, 0 to 179; kUnknownPosition if all positions have the
/// same one.
std::uint8_t position_of(int pwm, const PwmRange& range);

// The bytes of a frame. Values that do not fit into the bytes throw std::invalid_argument; those
// that fit may still be wrong for an MCU.
std::string encode(const Query& query);
std::string encode(const Control& control);
std::string encode(const Answer& answer);
std::string encode(const Login& login);
std::string encode(const McuAnswer& answer);
std::string encode(const McuOrder& order);

// The frame as a text for people, with data bytes as <n>: "!s-SRVP-2-<9>:<13>-<7>:<18>-e!".
std::string to_text(const Query& query);
std::string to_text(const Control& control);
std::string to_text(const Answer& answer);
std::string to_text(const Login& login);
std::string to_text(const McuAnswer& answer);
std::string to_text(const McuOrder& order);
/// A name, or any bytes, in a form that is safe for a terminal.
std::string legible(std::string_view bytes);

/// Bytes that are no frame.
///
/// Threads: a plain value.
struct BadFrame {
  /// The reason, for people.
  std::string why;
  /// There is no end within kMaxFrame, so that the connection should be closed.
  bool endless = false;
  /// The first bytes, as far as they were received.
  std::string bytes{};
};
/// Its bytes for people, with "..." where there are more than are shown.
std::string to_text(const BadFrame& bad);

/// Reads frames from a stream of bytes that arrives in pieces. Frame is the kind that the other
/// side sends: Login, Query (from a client), McuAnswer (from an MCU), McuOrder (to an MCU) or
/// Answer (to a client). A bad frame is returned once, as soon as it is recognized; its bytes up to
/// its tail or the next head are ignored.
///
/// Threads: one at a time.
template <typename Frame>
class FrameReader {
 public:
  /// Adds the bytes that have arrived.
  void feed(std::string_view bytes) { buffer_.append(bytes); }
  /// The next frame, or nothing until more bytes arrive.
  std::variant<std::monostate, Frame, BadFrame> next();
  /// The number of bytes that belong to no frame that was returned.
  std::size_t waiting() const { return buffer_.size() - begin_; }
  /// Whether the beginning of a frame, which is not the rest of a bad one, waits for its end.
  bool is_unfinished() const { return waiting() > 0 && !skipping_; }
  /// Removes and returns the bytes of waiting(), for another reader.
  std::string take_rest();
  /// Drops an incomplete frame.
  void drop() { take_rest(); }
  /// Drops an incomplete frame, and returns it as a bad one.
  BadFrame give_up(std::string why);

 private:
  bool skip();
  std::string_view rest() const { return std::string_view(buffer_).substr(begin_); }
  std::string beginning() const;
  void consume(std::size_t size);

  std::string buffer_;
  std::size_t begin_ = 0;  // where in buffer_ the bytes begin that were not returned yet
  std::size_t skipped_ = 0;
  bool skipping_ = false;
};

extern template class FrameReader<Login>;
extern template class FrameReader<Query>;
extern template class FrameReader<McuAnswer>;
extern template class FrameReader<Answer>;
extern template class FrameReader<McuOrder>;

}  // namespace servosim::srvp
