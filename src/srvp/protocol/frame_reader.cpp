// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>

#include "servosim/srvp/frames.h"

namespace servosim::srvp {

/// Parses a frame that may be incomplete. After the first missing or wrong byte every function
/// returns 0 or an empty text.
class FrameScanner {
 public:
  explicit FrameScanner(std::string_view bytes) : bytes_(bytes) {}

  bool ok() const { return !missing_ && !failed_; }
  /// Returns whether the bytes may be the beginning of a frame.
  bool missing() const { return missing_; }
  /// Returns why the bytes are no frame, for people.
  const std::string& error() const { return error_; }
  std::size_t size() const { return at_; }

  void text(std::string_view expected, std::string_view what);
  /// Returns the index of the next word in `words`. No word may be the beginning of another one.
  std::size_t word(std::initializer_list<std::string_view> words, std::string_view what);
  /// Reads a byte in 1..255.
  std::uint8_t byte();
  /// Reads a byte in 0..255.
  std::uint8_t any_byte();
  /// Reads a number that is sent as number + 1.
  std::uint8_t number();
  int pwm();
  /// Reads up to a '-'.
  std::string name();
  void fail(std::string why);

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
  bool missing_ = false;
  bool failed_ = false;
  std::string error_;
};

void FrameScanner::fail(std::string why) {
  if (ok()) {
    failed_ = true;
    error_ = std::move(why);
  }
}

void FrameScanner::text(std::string_view expected, std::string_view what) {
  word({expected}, what);
}

std::size_t FrameScanner::word(std::initializer_list<std::string_view> words,
                               std::string_view what) {
  if (!ok()) {
    return 0;
  }
  const std::string_view rest = bytes_.substr(at_);
  std::size_t alike = 0;  // number of equal bytes
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
  missing_ = missing_ || (ok() && at_ == bytes_.size());
  return ok() ? static_cast<std::uint8_t>(bytes_[at_++]) : std::uint8_t{0};
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
  return ok() ? static_cast<std::uint8_t>(value - 1) : value;
}

int FrameScanner::pwm() {
  const std::uint8_t high = byte();
  const std::uint8_t low = any_byte();
  return decode_pwm(static_cast<std::uint16_t>(high << 8 | low));
}

std::string FrameScanner::name() {
  if (!ok()) {
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
  missing_ = ok() && at_ == bytes_.size();
  return std::string(name);
}

namespace {

constexpr std::string_view kHead = "!s-";
constexpr std::string_view kTail = "-e!";
constexpr std::string_view kOrderTail = "-!";
constexpr std::string_view kBareAck = "_ACK";
constexpr std::string_view kBareNack = "NACK-";
constexpr std::string_view kBadLength = "another end than its count says";
constexpr std::size_t kShown = 64;  // bytes of a bad frame

/// The bytes with which the frames of a stream begin and end. A head is empty if data may contain
/// it, too.
struct Ends {
  std::array<std::string_view, 3> heads;
  std::string_view tail;
};
template <typename Frame>
constexpr Ends kEnds{{kHead}, kTail};
template <>
constexpr Ends kEnds<McuAnswer>{{kHead, kBareAck, kBareNack}, kTail};
template <>
constexpr Ends kEnds<McuOrder>{{}, kOrderTail};

// Returns the position of the first head in `bytes`; npos if there is none.
template <typename Frame>
std::size_t find_head(std::string_view bytes) {
  std::size_t first = bytes.npos;
  for (const std::string_view head : kEnds<Frame>.heads) {
    first = head.empty() ? first : std::min(first, bytes.find(head));
  }
  return first;
}

// Returns the largest number of bytes that may be an incomplete head or tail.
template <typename Frame>
constexpr std::size_t max_incomplete() {
  std::size_t size = kEnds<Frame>.tail.size();
  for (const std::string_view head : kEnds<Frame>.heads) {
    size = std::max(size, head.size());
  }
  return size - 1;
}

Movement scan_moves(FrameScanner& in, std::size_t count, MoveForm form) {
  Movement movement{form, {}};
  for (std::size_t i = 0; i < count && in.ok(); ++i) {
    in.text("-", kBadLength);
    Move move;
    move.servo = in.number();
    in.text(":", "no ':' between a servo and its value");
    move.value = form == MoveForm::Pwm ? in.pwm() : in.number();
    movement.moves.push_back(move);
  }
  return movement;
}

// Reads the count, the moves and the tail. The position of the tail determines the form of the
// moves.
Movement scan_movement(FrameScanner& in, std::string_view tail) {
  const std::size_t count = in.byte();
  FrameScanner positions = in;
  Movement movement = scan_moves(positions, count, MoveForm::Position);
  positions.text(tail, kBadLength);
  if (positions.ok() || positions.missing()) {
    in = positions;
  } else {
    movement = scan_moves(in, count, MoveForm::Pwm);
    in.text(tail, kBadLength);
  }
  return movement;
}

SelectMcu scan_select(FrameScanner& in) {
  FrameScanner empty = in;
  empty.text(kTail, "");  // the complete query is "!s-sMCU-e!"
  if (empty.ok() || empty.missing()) {
    in = empty;
    return {};
  }
  in.text("-", "no '-' after the code");
  SelectMcu select{in.name()};
  in.text(kTail, "no end after the name");
  return select;
}

Upload scan_upload(FrameScanner& in) {
  in.text("-", "no '-' after the code");
  Upload upload;
  for (std::size_t count = in.byte(); count > 0 && in.ok(); --count) {
    FrameScanner end = in;
    end.text(kTail, "");
    if (end.ok()) {  // no PWM value has these two bytes
      in.fail(std::string(kBadLength));
    }
    in.text("-", kBadLength);
    PwmRange range;
    range.min = in.pwm();
    in.text(":", "no ':' between the two PWM values");
    range.max = in.pwm();
    upload.ranges.push_back(range);
  }
  in.text(kTail, kBadLength);
  return upload;
}

// Reads the end of a query without data.
template <typename Simple>
Simple scan_end(FrameScanner& in) {
  in.text(kTail, "no end after the code");
  return {};
}

Query scan(FrameScanner& in, std::type_identity<Query>) {
  in.text(kHead, "a bad head");
  switch (in.word({"SRVP", "sMCU", "iMCU", "eMOD", "mALL", "uINF", "sOFF"}, "an unknown code")) {
    case 0:
      in.text("-", "no '-' after the code");
      return scan_movement(in, kTail);
    case 1:
      return scan_select(in);
    case 2:
      return scan_end<AskInfo>(in);
    case 3: {
      in.text("-", "no '-' after the code");
      const SetMode mode{in.byte()};
      in.text(kTail, "no end after the mode");
      return mode;
    }
    case 4:
      return scan_end<ExecuteAll>(in);
    case 5:
      return scan_upload(in);
    default:
      return scan_end<ShutDown>(in);
  }
}

Control scan_control(FrameScanner& in, bool ack) {
  const Control control{ack, in.byte()};
  in.text(kTail, "no end after ACK or NACK");
  return control;
}

McuAnswer scan(FrameScanner& in, std::type_identity<McuAnswer>) {
  switch (in.word({kHead, kBareAck, kBareNack}, "a bad head")) {
    case 0:
      return {scan_control(in, in.word({"_ACK-", "NACK-"}, "neither ACK nor NACK") == 0)};
    case 1:
      return {ack(), true};
    default: {
      const int digit = in.byte() - '0';
      if (digit < 0 || digit > 9) {
        in.fail("no digit after NACK-");
      }
      return {{false, static_cast<std::uint8_t>(digit)}, true};
    }
  }
}

// Reads the numbers that follow their count.
std::vector<std::uint8_t> scan_numbers(FrameScanner& in, std::size_t count) {
  std::vector<std::uint8_t> numbers;
  for (std::size_t i = 0; i < count && in.ok(); ++i) {
    in.text("-", kBadLength);
    numbers.push_back(in.number());
  }
  in.text(kTail, kBadLength);
  return numbers;
}

Answer scan(FrameScanner& in, std::type_identity<Answer>) {
  in.text(kHead, "a bad head");
  const std::size_t code = in.word({"_ACK-", "NACK-", "iMCU-"}, "an unknown answer");
  if (code < 2) {
    return scan_control(in, code == 0);
  }
  const std::size_t count = in.byte();
  return McuInfo{scan_numbers(in, count)};
}

McuDescription scan_mcu(FrameScanner& in) {
  McuDescription mcu;
  mcu.name = in.name();
  if (const std::string_view error = name_error(mcu.name); !error.empty()) {
    in.fail("a name that cannot be: " + std::string(error));
  }
  in.text("-", "no '-' after the name");
  mcu.servo_count = in.byte();
  if (mcu.servo_count > kMaxServos) {
    in.fail("more than 32 servos");
  }
  FrameScanner dumb = in;
  dumb.text("-\xbb-e!", "");
  if (dumb.ok() || dumb.missing()) {  // a SmartMCU with several servos may have 187 for one of them
    in = dumb;
    mcu.kind = McuKind::Dumb;
    return mcu;
  }
  mcu.positions = scan_numbers(in, mcu.servo_count);
  return mcu;
}

Login scan(FrameScanner& in, std::type_identity<Login>) {
  in.text(kHead, "a bad head");
  if (in.word({"Client_here", "NodeMCU_here-"}, "no login") == 1) {
    return scan_mcu(in);
  }
  in.text(kTail, "no end after the login");
  return ClientLogin();
}

McuOrder scan(FrameScanner& in, std::type_identity<McuOrder>) {
  McuOrder order;
  switch (in.word({"-m-", "-u-", "-e-!"}, "an unknown order")) {
    case 0:
      order.movement = scan_movement(in, kOrderTail);
      break;
    case 1: {
      order.kind = McuOrder::Kind::Store;
      const std::size_t count = in.byte();
      order.movement = scan_moves(in, count, MoveForm::Position);
      in.text(kOrderTail, kBadLength);
      break;
    }
    default:
      order.kind = McuOrder::Kind::Execute;
  }
  return order;
}

}  // namespace

template <typename Frame>
std::variant<std::monostate, Frame, BadFrame> FrameReader<Frame>::next() {
  if (skipping_ && !skip()) {
    if (skipped_ < kMaxFrame) {
      return {};
    }
    skipped_ = 0;
    return BadFrame{"a frame without end", true};
  }
  if (waiting() == 0) {
    return {};
  }
  FrameScanner in(rest());
  Frame frame = scan(in, std::type_identity<Frame>());
  if (in.missing()) {
    return {};
  }
  if (in.ok()) {
    consume(in.size());
    return frame;
  }
  BadFrame bad{in.error(), false, beginning()};
  if (find_head<Frame>(rest().substr(0, 1 + max_incomplete<Frame>())) == 0) {
    consume(1);  // skips this head, so that the next one belongs to another frame
  }
  skipping_ = true;
  skipped_ = 0;
  return bad;
}

// The result has one byte more than is shown, so that to_text() sees whether there are more.
template <typename Frame>
std::string FrameReader<Frame>::beginning() const {
  const std::string_view tail = kEnds<Frame>.tail;
  const std::string_view shown = rest().substr(0, kShown + 1);
  const std::size_t end = shown.find(tail);
  return std::string(shown.substr(0, end == shown.npos ? end : end + tail.size()));
}

// Skips to the tail or to the next head, whichever is complete first. Returns false if neither is
// complete yet.
template <typename Frame>
bool FrameReader<Frame>::skip() {
  const std::string_view tail = kEnds<Frame>.tail;
  const std::size_t next = find_head<Frame>(rest());
  const std::size_t end = rest().find(tail);
  skipping_ = next == std::string_view::npos && end == std::string_view::npos;
  std::size_t size = end < next ? end + tail.size() : next;
  if (skipping_) {
    size = waiting() - std::min(waiting(), max_incomplete<Frame>());
    skipped_ += size;
  }
  consume(size);
  return !skipping_;
}

template <typename Frame>
void FrameReader<Frame>::consume(std::size_t size) {
  begin_ += size;
  if (begin_ == buffer_.size() || begin_ > (1u << 16)) {
    buffer_.erase(0, begin_);
    begin_ = 0;
  }
}

template <typename Frame>
BadFrame FrameReader<Frame>::give_up(std::string why) {
  BadFrame bad{std::move(why), false, beginning()};
  take_rest();
  return bad;
}

template <typename Frame>
std::string FrameReader<Frame>::take_rest() {
  std::string taken(rest());
  *this = FrameReader();
  return taken;
}

std::string to_text(const BadFrame& bad) {
  return legible(std::string_view(bad.bytes).substr(0, kShown)) +
         (bad.bytes.size() > kShown ? "..." : "");
}

template class FrameReader<Login>;
template class FrameReader<Query>;
template class FrameReader<McuAnswer>;
template class FrameReader<Answer>;
template class FrameReader<McuOrder>;

}  // namespace servosim::srvp
