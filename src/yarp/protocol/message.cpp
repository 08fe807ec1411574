// SPDX-License-Identifier: Apache-2.0
#include "yarp/protocol/message.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace servosim::yarp {

namespace {

constexpr std::int32_t kCarrierBase = 7777;
constexpr std::array<std::string_view, 5> kNames{"udp", "tcp", "fast_tcp", "text", "text_ack"};

std::int32_t carrier_code(Carrier carrier) {
  switch (carrier) {
    case Carrier::Tcp:
      return 131;
    case Carrier::FastTcp:
      return 3;
    default:
      return 0;
  }
}

}  // namespace

std::string_view carrier_name(Carrier carrier) { return kNames[static_cast<std::size_t>(carrier)]; }

std::optional<Carrier> carrier_named(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) {
      return static_cast<Carrier>(i);
    }
  }
  return std::nullopt;
}

bool is_text(Carrier carrier) { return carrier == Carrier::Text || carrier == Carrier::TextAck; }

bool acknowledges(Carrier carrier) {
  return carrier == Carrier::Tcp || carrier == Carrier::TextAck;
}

void encode_number(Writer& writer, std::int32_t number) {
  writer.chars("YA");
  writer.i32(number);
  writer.chars("RP");
}

std::optional<std::int32_t> decode_number(Bytes bytes) {
  Reader reader(bytes);
  const std::string_view begin = as_text(reader.take(2));
  const std::int32_t number = reader.i32();
  const std::string_view end = as_text(reader.take(2));
  return begin == "YA" && end == "RP" ? std::optional(number) : std::nullopt;
}

void encode_handshake(Writer& writer, Carrier carrier, std::string_view sender) {
  if (is_text(carrier)) {
    writer.chars(carrier == Carrier::Text ? "CONNECT " : "CONNACK ");
    writer.chars(sender);
    writer.chars("\r\n");
    return;
  }
  encode_number(writer, kCarrierBase + carrier_code(carrier));
  writer.u32(static_cast<std::uint32_t>(sender.size() + 1));
  writer.chars(sender);
  writer.u8(0);
}

std::optional<Carrier> carrier_of_number(std::int32_t number) {
  constexpr std::int32_t kKind = 15;
  constexpr std::int32_t kAcknowledges = 128;
  if (number < kCarrierBase || number > kCarrierBase + 255) {
    return std::nullopt;
  }
  switch ((number - kCarrierBase) & (kKind | kAcknowledges)) {
    case 0:
      return Carrier::Udp;
    case 3:
      return Carrier::FastTcp;
    case 3 | kAcknowledges:
      return Carrier::Tcp;
    default:
      return std::nullopt;
  }
}

void encode_answer(Writer& writer, Carrier carrier, std::int32_t number, std::string_view sender) {
  if (!is_text(carrier)) {
    encode_number(writer, number);
    return;
  }
  writer.chars("Welcome ");
  writer.chars(sender);
  writer.chars("\r\n");
}

void encode_ack(Writer& writer, Carrier carrier) {
  if (carrier == Carrier::Tcp) {
    encode_number(writer, 0);
  } else if (carrier == Carrier::TextAck) {
    writer.chars("<ACK>\r\n");
  }
}

namespace {

constexpr std::int32_t kIndexNumber = 10;
constexpr std::size_t kIndexSize = 10;

char key_of(const MessageHead& head) {
  switch (head.command) {
    case PortCommand::Data:
      return head.reply ? 'd' : 'D';
    case PortCommand::Admin:
      return 'a';
    case PortCommand::Quit:
      return 'q';
    case PortCommand::Reverse:
      return 'r';
    case PortCommand::Describe:
      return '*';
    case PortCommand::Disconnect:
      return '~';
    case PortCommand::Other:
      break;
  }
  return '?';
}

// Returns the command as text: "D 4814 1795164583.03147".
std::string command_text(const MessageHead& head) {
  std::string text(1, key_of(head));
  if (head.stamp) {
    text += fmt::format(" {} {:.5f}", head.stamp->sequence, head.stamp->time);
  }
  return text;
}

void encode_command(Writer& writer, char key, std::string_view text) {
  writer.u32(text.empty() ? 0 : static_cast<std::uint32_t>(text.size() + 1));
  writer.u8('~');
  writer.u8(static_cast<std::uint8_t>(key));
  writer.u8(0);
  writer.u8(1);
  if (!text.empty()) {
    writer.chars(text);
    writer.u8(0);
  }
}

template <typename Number>
bool read_number(std::string_view& text, Number& number) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return error == std::errc();
}

std::optional<Stamp> parse_stamp(std::string_view text) {
  Stamp stamp;
  if (read_number(text, stamp.sequence) && read_number(text, stamp.time) &&
      std::isfinite(stamp.time)) {
    return stamp;
  }
  return std::nullopt;
}

PortCommand command_of_key(char key) {
  switch (key) {
    case 'd':
    case 'D':
      return PortCommand::Data;
    case 'a':
      return PortCommand::Admin;
    case 'q':
      return PortCommand::Quit;
    case 'r':
      return PortCommand::Reverse;
    case '*':
      return PortCommand::Describe;
    case '~':
      return PortCommand::Disconnect;
    default:
      return PortCommand::Other;
  }
}

std::string_view without_nul(std::string_view text) { return text.substr(0, text.find('\0')); }

// Parses a complete command and body. Returns an error; empty after success.
std::string read_content(Bytes content, Message& message) {
  Reader reader(content);
  const std::int32_t length = reader.i32();
  const char mark = static_cast<char>(reader.u8());
  const char key = static_cast<char>(reader.u8());
  reader.u16();
  if (!reader.ok() || mark != '~') {
    return "a message without a command";
  }
  if (key != '\0') {
    message.head = parse_command({&key, 1});
  } else if (length < 1 || static_cast<std::size_t>(length) > reader.left()) {
    return fmt::format("a command that claims {} bytes of {}", length, reader.left());
  } else {
    const std::string_view text =
        without_nul(as_text(reader.take(static_cast<std::size_t>(length))));
    message.head = parse_command(text);
    if (message.head.command == PortCommand::Disconnect) {
      message.body = as_bytes(text.substr(1));
      return {};
    }
  }
  message.body = reader.take(reader.left());
  return {};
}

// Adds the lengths of the blocks. Returns an error; empty after success.
std::string add_lengths(Reader& reader, std::size_t blocks, std::size_t& total) {
  total = 0;
  for (std::size_t i = 0; i < blocks; ++i) {
    const std::int32_t length = reader.i32();
    if (length < 0 || static_cast<std::size_t>(length) > kMaxMessage - total) {
      return fmt::format("a message with a block of {} bytes; {} are the most", length,
                         kMaxMessage);
    }
    total += static_cast<std::size_t>(length);
  }
  return {};
}

}  // namespace

MessageHead parse_command(std::string_view text) {
  MessageHead head;
  if (text.empty()) {
    head.command = PortCommand::Other;
    return head;
  }
  head.command = command_of_key(text[0]);
  const std::string_view rest = text.substr(1);
  head.reply = head.command == PortCommand::Admin || (text[0] == 'd' && !rest.starts_with('o'));
  if (head.command == PortCommand::Data) {
    head.stamp = parse_stamp(rest);
  }
  return head;
}

BottleOrError decode_body(Bytes body, Carrier carrier, Generation generation) {
  return is_text(carrier) ? parse_bottle(as_text(body)) : decode_bottle(body, generation);
}

MessageMark begin_message(Writer& writer, Carrier carrier, const MessageHead& head) {
  const char key = key_of(head);
  const bool key_says_all = head.command == PortCommand::Data && !head.stamp;
  const std::string text = key_says_all ? std::string() : command_text(head);
  if (is_text(carrier)) {
    writer.chars(key_says_all ? std::string_view(&key, 1) : text);
    writer.chars("\n");
    return {};
  }
  encode_number(writer, kIndexNumber);
  writer.u8(has_body(head) ? 2 : 1);
  writer.u8(1);
  writer.chars("\xff\xff\xff\xff\xff\xff\xff\xff");
  writer.u32(static_cast<std::uint32_t>(8 + (text.empty() ? 0 : text.size() + 1)));
  const std::size_t length_at = writer.size();
  if (has_body(head)) {
    writer.u32(0);
  }
  writer.u32(0);
  encode_command(writer, key_says_all ? key : '\0', text);
  return {length_at, writer.size()};
}

void end_message(Writer& writer, Carrier carrier, const MessageMark& mark) {
  if (is_text(carrier)) {
    writer.chars("\n");
  } else {
    writer.patch_u32(mark.length_at, static_cast<std::uint32_t>(writer.size() - mark.body_at));
  }
}

void encode_message(Writer& writer, Carrier carrier, const MessageHead& head, const Bottle& body,
                    Generation generation) {
  const MessageMark mark = begin_message(writer, carrier, head);
  if (!has_body(head)) {
    return;
  }
  if (is_text(carrier)) {
    writer.chars(to_text(body));
  } else {
    encode_bottle(writer, body, generation);
  }
  end_message(writer, carrier, mark);
}

void encode_disconnect(Writer& writer, std::string_view from) {
  writer.chars("~");
  writer.chars(from);
  writer.chars("\r\nq\r\n");
}

void encode_reply(Writer& writer, Carrier carrier, const Bottle& reply, Generation generation) {
  if (is_text(carrier)) {
    writer.chars(to_text(reply));
    writer.chars("\r\n");
  } else {
    encode_bottle(writer, reply, generation);
  }
}

FoundMessage find_message(Bytes bytes) {
  if (bytes.size() < kNumberSize) {
    return {};
  }
  if (decode_number(bytes) != kIndexNumber) {
    return {0, "bytes that do not begin a message (YA<10>RP)", {}};
  }
  Reader reader(bytes.subspan(kNumberSize));
  const std::size_t in = reader.u8();
  const std::size_t out = reader.u8();
  reader.take(kIndexSize - 2);
  if (!reader.ok() || reader.left() < 4 * (in + out)) {
    return {};
  }
  FoundMessage found;
  std::size_t total = 0;
  found.error = add_lengths(reader, in, total);
  reader.take(4 * out);
  if (!found.error.empty() || reader.left() < total) {
    return found;
  }
  found.error = read_content(reader.take(total), found.message);
  found.size = found.error.empty() ? bytes.size() - reader.left() : 0;
  return found;
}

Bytes EncodedMessage::stream(Carrier carrier) {
  if (!is_text(carrier)) {
    if (!binary_) {
      binary_.emplace();
      const MessageMark mark = begin_message(*binary_, carrier, head_);
      if (has_body(head_)) {
        binary_->chars(as_text(body_));
        end_message(*binary_, carrier, mark);
      }
    }
    return binary_->bytes();
  }
  if (!text_) {
    text_.emplace();
    BottleOrError body = decode_bottle(body_, generation_);
    auto* const bottle = std::get_if<Bottle>(&body);
    encode_message(*text_, carrier, head_, bottle ? *bottle : Bottle(), generation_);
  }
  return text_->bytes();
}

const std::vector<Writer>& EncodedMessage::datagrams() {
  if (datagrams_.empty()) {
    const Bytes message = stream(Carrier::Udp);
    datagrams_.resize(datagram_count(message));
    for (std::size_t i = 0; i < datagrams_.size(); ++i) {
      encode_datagram(datagrams_[i], message, i);
    }
  }
  return datagrams_;
}

namespace {

constexpr std::size_t kMaxPart = kMaxDatagram - kDatagramHead;
constexpr std::int32_t kInterrupt = -1;

std::uint32_t checksum(Bytes bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace

std::size_t datagram_count(Bytes message) { return (message.size() + kMaxPart - 1) / kMaxPart; }

void encode_datagram(Writer& writer, Bytes message, std::size_t number) {
  const std::size_t begin = writer.size();
  writer.u32(0);
  writer.u32(static_cast<std::uint32_t>(number));
  const Bytes rest = message.subspan(std::min(number * kMaxPart, message.size()));
  writer.numbers(rest.first(std::min(rest.size(), kMaxPart)));
  writer.patch_u32(begin, checksum(writer.bytes().subspan(begin + kDatagramHead)));
}

void DatagramReader::drop(std::string why) {
  queue_.clear();
  expected_ = 0;
  error_ = std::move(why);
}

void DatagramReader::feed(Bytes datagram) {
  error_.clear();
  Reader reader(datagram);
  const std::uint32_t sum = reader.u32();
  const std::int32_t number = reader.i32();
  if (!reader.ok() || checksum(datagram.subspan(kDatagramHead)) != sum) {
    drop("a datagram whose checksum is wrong");
    return;
  }
  if (number == kInterrupt) {
    return;
  }
  if (number == 0) {
    queue_.clear();
  } else if (number < 0 || number != expected_) {
    drop(fmt::format("datagram {} of a message, {} was expected", number, expected_));
    return;
  }
  queue_.append(reader.take(reader.left()));
  expected_ = number + 1;
}

DatagramEvent DatagramReader::next() {
  if (!error_.empty()) {
    return ProtocolError{std::exchange(error_, {})};
  }
  FoundMessage found = find_message(queue_.bytes());
  if (!found.error.empty()) {
    drop({});
    return ProtocolError{std::move(found.error)};
  }
  if (found.size == 0) {
    return {};
  }
  queue_.take(found.size);
  return found.message;
}

}  // namespace servosim::yarp
