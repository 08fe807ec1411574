// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

// SRVP, the servo-movement protocol, as values and as bytes; no sockets. Positions are degrees,
// PWM values are what the robot's board makes of them. docs/reference/srvp.md has the frames.

namespace servosim::srvp {

inline constexpr std::uint16_t kDefaultPort = 54817;
inline constexpr std::size_t kMaxServos = 32;  ///< of one MCU; ids are 0..31
inline constexpr int kMaxPosition = 179;       ///< [degrees]
inline constexpr int kMaxPwm = 32766;
/// Stands for an unknown position: 187 as a byte, as in the login of a DumbMCU.
inline constexpr std::uint8_t kUnknownPosition = 186;
inline constexpr std::size_t kMaxName = 255;  ///< [bytes]
/// Longer than any frame [bytes].
inline constexpr std::size_t kMaxFrame = 2048;

/// A SmartMCU takes positions and can store them; a DumbMCU takes PWM values only.
///
/// Threads: a plain value.
enum class McuKind : std::uint8_t { Smart, Dumb };

/// Why a query is refused.
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
  std::uint8_t servo = 0;  ///< 0..31; a frame can also have 32..254
  std::int32_t value = 0;  ///< a position 0..179 [degrees], or a PWM value 0..32766
  friend bool operator==(const Move&, const Move&) = default;
};

/// The two forms of the SRVP query.
///
/// Threads: a plain value.
enum class MoveForm : std::uint8_t { Position, Pwm };

/// Moves of one query, 1..255, all in one form.
///
/// Threads: a plain value.
struct Movement {
  MoveForm form = MoveForm::Position;
  std::vector<Move> moves;
  friend bool operator==(const Movement&, const Movement&) = default;
};

/// PWM values of a servo at position 0 and, linearly, at 180. `max` may be below `min`.
///
/// Threads: a plain value.
struct PwmRange {
  std::int32_t min = 0;  ///< 0..32766
  std::int32_t max = 0;  ///< 0..32766
  friend bool operator==(const PwmRange&, const PwmRange&) = default;
};

/// Chooses the MCU of the queries that follow.
///
/// Threads: a plain value.
struct SelectMcu {
  std::string name;
  friend bool operator==(const SelectMcu&, const SelectMcu&) = default;
};
/// A query of the positions of the servos.
///
/// Threads: a plain value.
struct AskInfo {
  friend bool operator==(const AskInfo&, const AskInfo&) = default;
};
/// Chooses when moves are performed.
///
/// Threads: a plain value.
struct SetMode {
  static constexpr std::uint8_t kDelayed = 100;
  static constexpr std::uint8_t kRealTime = 101;
  std::uint8_t mode = kRealTime;
  friend bool operator==(const SetMode&, const SetMode&) = default;
};
/// Performs the moves stored in delayed mode.
///
/// Threads: a plain value.
struct ExecuteAll {
  friend bool operator==(const ExecuteAll&, const ExecuteAll&) = default;
};
/// Calibrates the servos of an MCU, in the order of their ids: 1..255 ranges.
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
  std::uint8_t code = 255;  ///< 1..255
  friend bool operator==(const Control&, const Control&) = default;
};

/// The answer to AskInfo.
///
/// Threads: a plain value.
struct McuInfo {
  std::vector<std::uint8_t> positions;  ///< by id: 0..179 [degrees]; above: unknown
  friend bool operator==(const McuInfo&, const McuInfo&) = default;
};

/// The answers to a client.
using Answer = std::variant<Control, McuInfo>;

/// Threads: a plain value.
struct ClientLogin {
  friend bool operator==(const ClientLogin&, const ClientLogin&) = default;
};
/// The login of an MCU.
///
/// Threads: a plain value.
struct McuDescription {
  std::string name;  ///< 1..255 bytes, neither '-' nor 0, and not beginning with "e!"
  McuKind kind = McuKind::Smart;
  std::size_t servo_count = 0;  ///< 1..32
  /// Of a SmartMCU, one per servo: 0..179 [degrees]; 180..254: unknown, as servers take it. A
  /// SmartMCU with one servo cannot have kUnknownPosition: its login would be that of a DumbMCU.
  std::vector<std::uint8_t> positions;
  friend bool operator==(const McuDescription&, const McuDescription&) = default;
};
using Login = std::variant<ClientLogin, McuDescription>;

/// The answer of an MCU to an order: a control frame or, from the platform's ESP32 firmware, the
/// bare bytes "_ACK" or "NACK-3".
///
/// Threads: a plain value.
struct McuAnswer {
  Control control;    ///< of a bare NACK, code is the digit 1..9
  bool bare = false;  ///< without a frame
  /// The answer for clients: the same, but NACK 248 for a bare NACK, whose digit they do not know.
  Control relayed() const;
  friend bool operator==(const McuAnswer&, const McuAnswer&) = default;
};

/// The order of a server to an MCU.
///
/// Threads: a plain value.
struct McuOrder {
  enum class Kind : std::uint8_t { Move, Store, Execute };
  Kind kind = Kind::Move;
  Movement movement;  ///< none to Execute; positions to Store
  friend bool operator==(const McuOrder&, const McuOrder&) = default;
};

constexpr Control ack(std::uint8_t code = 255) { return {true, code}; }
constexpr Control nack(Nack why) { return {false, static_cast<std::uint8_t>(why)}; }
/// "InvalidQuery" and the like; "" for a code that none has.
std::string_view nack_name(std::uint8_t code);
/// "ACK 255", "NACK 252 InvalidParameter"
std::string describe(const Control& control);
/// Why a name is no name of an MCU; "" if it is.
std::string_view name_error(std::string_view name);

/// The two bytes of a PWM value 0..32766, as one number.
/// @throws std::invalid_argument for what they cannot hold: not -32513..32766
std::uint16_t encode_pwm(int pwm);
/// -32769..32766; values below 0 are invalid.
constexpr int decode_pwm(std::uint16_t coded) { return int{coded} - 0x8001; }
/// The PWM value of a position [degrees], to the nearest; halves go away from `min`.
int pwm_of(int position, const PwmRange& range);
/// The position whose PWM value is nearest, 0..179; kUnknownPosition if all are the same.
std::uint8_t position_of(int pwm, const PwmRange& range);

// Frames as bytes. Values that fit into the bytes may still be wrong for an MCU; others throw
// std::invalid_argument.
std::string encode(const Query& query);
std::string encode(const Control& control);
std::string encode(const Answer& answer);
std::string encode(const Login& login);
std::string encode(const McuAnswer& answer);
std::string encode(const McuOrder& order);

// The same for people: data bytes as <n>, as in "!s-SRVP-2-<9>:<13>-<7>:<18>-e!".
std::string to_text(const Query& query);
std::string to_text(const Control& control);
std::string to_text(const Answer& answer);
std::string to_text(const Login& login);
std::string to_text(const McuAnswer& answer);
std::string to_text(const McuOrder& order);
/// A name, or any bytes, fit for a terminal.
std::string legible(std::string_view bytes);

/// Bytes that are no frame.
///
/// Threads: a plain value.
struct BadFrame {
  std::string why;
  bool endless = false;  ///< there is no end within kMaxFrame: the connection should be closed
  std::string bytes{};   ///< the first bytes, as far as they were received
};
/// Its bytes for people, "..." where there are more than are shown.
std::string to_text(const BadFrame& bad);

/// Reads frames from a stream that arrives in pieces. Frame is the kind that the other side sends:
/// Login, Query (from a client), McuAnswer (from an MCU), McuOrder (to an MCU) or Answer (to a
/// client). A bad frame is returned once, as soon as it is recognized; its bytes up to its tail or
/// the next head are ignored.
///
/// Threads: one at a time.
template <typename Frame>
class FrameReader {
 public:
  void feed(std::string_view bytes) { buffer_.append(bytes); }
  /// The next frame, or nothing until more bytes arrive.
  std::variant<std::monostate, Frame, BadFrame> next();
  /// Bytes of frames that were not returned yet.
  std::size_t waiting() const { return buffer_.size() - begin_; }
  /// There is the begin of a frame, and not the rest of a bad one.
  bool is_unfinished() const { return waiting() > 0 && !skipping_; }
  /// Removes and returns the bytes of waiting(), for another reader.
  std::string take_rest();
  /// Drops an incomplete frame.
  void drop() { take_rest(); }
  /// The same, and returns it as a bad frame.
  BadFrame give_up(std::string why);

 private:
  bool skip();
  std::string_view rest() const { return std::string_view(buffer_).substr(begin_); }
  std::string beginning() const;
  void consume(std::size_t size);

  std::string buffer_;
  std::size_t begin_ = 0;  // in buffer_, of the bytes that were not returned yet
  std::size_t skipped_ = 0;
  bool skipping_ = false;
};

extern template class FrameReader<Login>;
extern template class FrameReader<Query>;
extern template class FrameReader<McuAnswer>;
extern template class FrameReader<Answer>;
extern template class FrameReader<McuOrder>;

}  // namespace servosim::srvp
