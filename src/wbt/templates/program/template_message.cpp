// SPDX-License-Identifier: Apache-2.0
#include "wbt/templates/program/template_message.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/helper_program.h"
#include "base/shortage.h"

namespace servosim {
namespace {

void put(const TemplateNote& note, Writer& writer) {
  writer.u32(note.line);
  writer.text(note.text);
}

TemplateNote take_note(Reader& reader) {
  const std::uint32_t line = reader.u32();
  return {line, std::string(reader.text())};
}

// The first byte of a message from the program.
constexpr std::uint8_t kAnswer = 0;
constexpr std::uint8_t kFileQuestion = 1;

// Reads a count and calls take() that many times, or until the message ends.
template <typename Take>
void take_list(Reader& reader, Take take) {
  const std::uint32_t count = reader.u32();
  for (std::uint32_t i = 0; i < count && reader.ok(); ++i) {
    take();
  }
}

bool send_all(int socket, Bytes bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n < 0 && errno != EINTR) {
      throw_if_short(errno, "sending a template");
      return false;
    }
    bytes = bytes.subspan(n > 0 ? static_cast<std::size_t>(n) : 0);
  }
  return true;
}

// Receives the next `size` bytes. Memory is allocated as they arrive.
bool receive_all(int socket, std::size_t size, std::vector<std::byte>& bytes) {
  constexpr std::size_t kPiece = 1 << 20;
  std::size_t have = 0;
  while (have < size) {
    if (have == bytes.size()) {
      bytes.resize(std::min(size, std::max(2 * have, kPiece)));
    }
    const ssize_t n = ::recv(socket, bytes.data() + have, bytes.size() - have, 0);
    if (n == 0 || (n < 0 && errno != EINTR)) {
      throw_if_short(n < 0 ? errno : 0, "receiving what a template makes");
      return false;
    }
    have += n > 0 ? static_cast<std::size_t>(n) : 0;
  }
  return true;
}

}  // namespace

std::string memory_fault() {
  return "needs more than " + std::to_string(kMaxTemplateMemory) + " MB, the limit of servosim";
}

void encode(const TemplateRequest& request, Writer& writer) {
  writer.u8(static_cast<std::uint8_t>(request.language));
  writer.u32(request.seed);
  writer.text(request.values);
  writer.u32(static_cast<std::uint32_t>(request.pieces.size()));
  for (const TemplatePiece& piece : request.pieces) {
    writer.u8(static_cast<std::uint8_t>(piece.kind));
    writer.u32(piece.line);
    writer.text(piece.text);
  }
}

std::optional<TemplateRequest> decode_template_request(Bytes bytes) {
  Reader reader(bytes);
  TemplateRequest request;
  const std::uint8_t language = reader.u8();
  request.language = static_cast<TemplateLanguage>(language);
  request.seed = reader.u32();
  request.values = reader.text();
  bool known = language <= static_cast<std::uint8_t>(TemplateLanguage::JavaScript);
  take_list(reader, [&] {
    const std::uint8_t kind = reader.u8();
    known = known && kind <= static_cast<std::uint8_t>(TemplatePiece::Kind::Expression);
    const std::uint32_t line = reader.u32();
    request.pieces.push_back({static_cast<TemplatePiece::Kind>(kind), line, reader.text()});
  });
  return reader.ok() && reader.left() == 0 && known ? std::optional(std::move(request))
                                                    : std::nullopt;
}

void encode(const TemplateAnswer& answer, Writer& writer) {
  writer.u8(kAnswer);
  writer.u32(static_cast<std::uint32_t>(answer.notes.size()));
  for (const TemplateNote& note : answer.notes) {
    put(note, writer);
  }
  writer.u8(answer.fault ? 1 : 0);
  if (answer.fault) {
    put(*answer.fault, writer);
    writer.u8(answer.at_limit ? 1 : 0);
    return;
  }
  writer.text(answer.text);
  writer.u32(static_cast<std::uint32_t>(answer.spans.size()));
  for (const TemplateSpan& span : answer.spans) {
    writer.u32(span.at);
    writer.u32(span.piece);
  }
}

std::optional<TemplateAnswer> decode_template_answer(Bytes bytes, std::size_t pieces) {
  Reader reader(bytes);
  if (reader.u8() != kAnswer) {
    return std::nullopt;
  }
  TemplateAnswer answer;
  take_list(reader, [&] { answer.notes.push_back(take_note(reader)); });
  bool sound = true;
  if (reader.u8() != 0) {
    answer.fault = take_note(reader);
    answer.at_limit = reader.u8() != 0;
  } else {
    answer.text = reader.text();
    std::uint32_t last = 0;
    take_list(reader, [&] {
      const std::uint32_t at = reader.u32();
      const std::uint32_t piece = reader.u32();
      sound = sound && at >= last && at <= answer.text.size() && piece < pieces;
      last = at;
      answer.spans.push_back({at, piece});
    });
  }
  return reader.ok() && reader.left() == 0 && sound ? std::optional(std::move(answer))
                                                    : std::nullopt;
}

void encode(const TemplateFileQuestion& question, Writer& writer) {
  writer.u8(kFileQuestion);
  writer.u8(static_cast<std::uint8_t>(question.kind));
  writer.text(question.path);
}

std::optional<TemplateFileQuestion> decode_template_file_question(Bytes bytes) {
  Reader reader(bytes);
  if (reader.u8() != kFileQuestion) {
    return std::nullopt;
  }
  const std::uint8_t kind = reader.u8();
  std::string path(reader.text());
  if (kind > static_cast<std::uint8_t>(TemplateFileQuestion::Kind::Text) || !reader.ok() ||
      reader.left() != 0) {
    return std::nullopt;
  }
  return TemplateFileQuestion{static_cast<TemplateFileQuestion::Kind>(kind), std::move(path)};
}

void encode(const TemplateFileReply& reply, Writer& writer) {
  writer.u8(reply.is_refused ? 1 : 0);
  writer.u8(reply.exists ? 1 : 0);
  writer.text(reply.text);
}

std::optional<TemplateFileReply> decode_template_file_reply(Bytes bytes) {
  Reader reader(bytes);
  TemplateFileReply reply;
  reply.is_refused = reader.u8() != 0;
  reply.exists = reader.u8() != 0;
  reply.text = reader.text();
  return reader.ok() && reader.left() == 0 ? std::optional(std::move(reply)) : std::nullopt;
}

bool send_message(int socket, Bytes message) {
  const auto size = static_cast<std::uint32_t>(message.size());
  return send_all(socket, std::as_bytes(std::span(&size, 1))) && send_all(socket, message);
}

std::optional<std::vector<std::byte>> receive_message(int socket, std::size_t most) {
  std::vector<std::byte> bytes;
  std::uint32_t size = 0;
  if (!receive_all(socket, sizeof size, bytes)) {
    return std::nullopt;
  }
  std::memcpy(&size, bytes.data(), sizeof size);
  bytes.clear();
  if (size > most || !receive_all(socket, size, bytes)) {
    return std::nullopt;
  }
  bytes.resize(size);
  return bytes;
}

}  // namespace servosim
