// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: all readers of YARP. The first byte of the input selects the reader and, in its
// upper bits, the carrier and the size of the pieces in which the rest arrives.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "yarp/ports/input_connection.h"
#include "yarp/ports/name_server.h"
#include "yarp/ports/output_connection.h"
#include "yarp/ports/port.h"
#include "yarp/protocol/message.h"
#include "yarp/protocol/streaming.h"

namespace {

using namespace servosim;
using namespace servosim::yarp;

void must(bool condition) {
  if (!condition) {
    std::abort();
  }
}

template <typename Result>
bool is_error(const Result& result) {
  return std::holds_alternative<ProtocolError>(result);
}

template <typename Result>
void check_error(const Result& result) {
  must(!std::get<ProtocolError>(result).text.empty());
}

std::string encoded(const Bottle& bottle, Generation generation) {
  Writer writer;
  encode_bottle(writer, bottle, generation);
  return std::string(as_text(writer.bytes()));
}

// Checks that a value that was read can be written and is the same when it is read again. It
// compares bytes, since NaN differs from itself. The first form may have been more general than the
// written one.
void check_bottle(const Bottle& bottle, Generation generation) {
  const std::string bytes = encoded(bottle, generation);
  const BottleOrError again = decode_bottle(as_bytes(bytes), generation);
  must(!is_error(again) && encoded(std::get<Bottle>(again), generation) == bytes);
  must(find_bottle_end(as_bytes(bytes), generation).size == bytes.size() ||
       bytes.size() > kMaxBottle);
  const std::string line = to_text(bottle);
  must(line.find_first_of("\r\n") == line.npos);
  const BottleOrError typed = parse_bottle(line);
  must(line.size() > kMaxBottle || (!is_error(typed) && to_text(std::get<Bottle>(typed)) == line));
}

void check_admin(const Bottle& bottle) {
  const AdminRequest request = parse_admin(bottle);
  const Bottle message = admin_message(request);
  if (is_error(request)) {
    check_error(request);
  } else {
    must(admin_message(parse_admin(message)) == message);
  }
}

void check(const BottleOrError& result, Generation generation) {
  if (is_error(result)) {
    check_error(result);
    return;
  }
  const Bottle& bottle = std::get<Bottle>(result);
  check_bottle(bottle, generation);
  check_admin(bottle);
  if (const auto streamed = to_streamed(bottle); !is_error(streamed)) {
    const auto& command = std::get<StreamedCommand>(streamed);
    Writer writer;
    encode_streamed(writer, command.head, command.values, generation);
    must(!is_error(to_streamed(decode_bottle(writer.bytes(), generation))));
  }
}

void check(const Message& message, Carrier carrier) {
  const BottleOrError body = decode_body(message.body, carrier, Generation::V3);
  check(body, Generation::V3);
  if (is_error(body) || message.head.command == PortCommand::Other) {
    return;
  }
  Writer writer;
  encode_message(writer, carrier, message.head, std::get<Bottle>(body), Generation::V3);
  Incoming incoming(carrier);
  incoming.feed(writer.bytes());
  const IncomingEvent again = incoming.next();
  const auto* const same = std::get_if<Message>(&again);
  must(same && same->head.command == message.head.command &&
       same->head.reply == message.head.reply &&
       same->head.stamp.has_value() == message.head.stamp.has_value());
}

// Feeds the bytes in pieces and checks every event until the end or an error.
template <typename Stream, typename Check>
void read_stream(Stream& stream, Bytes bytes, std::size_t piece, const Check& check_event) {
  while (!bytes.empty()) {
    const Bytes part = bytes.first(std::min(piece, bytes.size()));
    bytes = bytes.subspan(part.size());
    stream.feed(part);
    for (auto event = stream.next(); event.index() != 0; event = stream.next()) {
      if (is_error(event)) {
        check_error(event);
        break;
      }
      check_event(event);
    }
  }
}

void read_incoming(Bytes bytes, std::size_t piece, Incoming incoming) {
  read_stream(incoming, bytes, piece, [&](const IncomingEvent& event) {
    if (const auto* message = std::get_if<Message>(&event)) {
      check(*message, *incoming.carrier());
    }
  });
}

void read_outgoing(Bytes bytes, std::size_t piece, Carrier carrier, Generation generation) {
  Outgoing outgoing(carrier, generation);
  bool reply = false;
  read_stream(outgoing, bytes, piece, [&](const OutgoingEvent& event) {
    if (const auto* answer = std::get_if<RepliedMessage>(&event)) {
      const BottleOrError body = decode_body(answer->body, carrier, generation);
      must(is_text(carrier) || !is_error(body));
      check(body, generation);
    }
    if (outgoing.ready()) {
      reply = !reply;
      outgoing.sent({PortCommand::Data, reply, {}});
    }
  });
}

// Reads a sequence of datagrams, each after its length of two bytes. The checksum is corrected,
// since no fuzzer finds it.
void read_datagrams(Bytes bytes) {
  DatagramReader reader;
  while (bytes.size() >= 2) {
    const std::size_t asked =
        std::to_integer<std::size_t>(bytes[0]) | std::to_integer<std::size_t>(bytes[1]) << 8;
    bytes = bytes.subspan(2);
    const Bytes datagram = bytes.first(std::min(asked, bytes.size()));
    bytes = bytes.subspan(datagram.size());
    Writer right;
    encode_datagram(right, datagram, asked % 3);
    read_stream(reader, asked % 7 == 0 ? datagram : right.bytes(), kMaxDatagram,
                [](const DatagramEvent& event) { check(std::get<Message>(event), Carrier::Udp); });
  }
}

void query_names(std::string_view text) {
  NameTable table(Contact{"/root", "127.0.0.1", 10000, "tcp"});
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::string answer = table.answer(line, "127.0.0.1");
    must(answer == "[ok]\r\n" || answer.ends_with(kEndOfNameReply));
    const NameRequest request = parse_name_request(line);
    const std::string again = encode_name_request(request);
    must(again.empty() == is_error(request));
    must(encode_name_request(parse_name_request(again)) == again || again.size() > kMaxNameRequest);
  }
}

void read_names(Bytes bytes, std::size_t piece) {
  NameReplyReader reader;
  while (!bytes.empty() && !reader.feed(bytes.first(std::min(piece, bytes.size())))) {
    bytes = bytes.subspan(std::min(piece, bytes.size()));
  }
  for (const Contact& contact : reader.reply().contacts) {
    must(contact.port >= 0 && contact.port <= 65535);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const Bytes bytes(reinterpret_cast<const std::byte*>(data + 1), size - 1);
  const Carrier carrier = static_cast<Carrier>(data[0] / 8 % 5);
  const std::size_t piece = data[0] < 128 ? 65536 : 1 + data[0] % 16;
  const Generation generation = data[0] & 64 ? Generation::V4 : Generation::V3;
  switch (data[0] % 8) {
    case 0:
      check(decode_bottle(bytes, generation), generation);
      break;
    case 1:
      check(parse_bottle(as_text(bytes)), generation);
      break;
    case 2:
      read_incoming(bytes, piece, Incoming());
      break;
    case 3:
      read_incoming(bytes, piece, Incoming(carrier));
      break;
    case 4:
      read_outgoing(bytes, piece, carrier, generation);
      break;
    case 5:
      read_datagrams(bytes);
      break;
    case 6:
      query_names(as_text(bytes));
      break;
    default:
      read_names(bytes, piece);
  }
  return 0;
}
