// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"

// The messages between the library and the program template_expander.

namespace servosim {

enum class TemplateLanguage : std::uint8_t { Lua, JavaScript };

/// A piece of a template: text that is copied, statements that are executed, or an expression whose
/// value is written. `line` counts from 1.
struct TemplatePiece {
  enum class Kind : std::uint8_t { Text, Statement, Expression };
  Kind kind = Kind::Text;
  std::uint32_t line = 0;  ///< line of the file in which the text begins
  std::string_view text;   ///< the text without its marks
};

/// A request for one expansion. The texts belong to the PROTO file or to the message.
struct TemplateRequest {
  TemplateLanguage language = TemplateLanguage::Lua;
  std::uint32_t seed = 0;   ///< for its random numbers
  std::string_view values;  ///< JSON: {"fields": ..., "context": ...}
  std::vector<TemplatePiece> pieces;
};

/// A note of a template. `line` is 0 if it is unknown.
struct TemplateNote {
  std::uint32_t line = 0;
  std::string text;
};

/// From byte `at` on, the expanded text comes from that piece.
struct TemplateSpan {
  std::uint32_t at = 0;
  std::uint32_t piece = 0;
};

struct TemplateAnswer {
  std::vector<TemplateNote> notes;
  std::optional<TemplateNote> fault;  ///< if it is set, there is no text
  bool at_limit = false;  ///< the fault is that it needed more memory or output than permitted
  std::string text;
  std::vector<TemplateSpan> spans;  ///< in the order of `at`
};

/// A query of a running template about a file: whether it exists, or its text.
struct TemplateFileQuestion {
  enum class Kind : std::uint8_t { Exists, Text };
  Kind kind = Kind::Exists;
  std::string path;  ///< absolute, or relative to the folder of its PROTO
};

struct TemplateFileReply {
  bool is_refused = false;
  bool exists = false;
  std::string text;  ///< text of the file; if refused, the reason as a clause
};

inline constexpr std::size_t kMaxTemplateFile = 16u << 20;      // bytes
inline constexpr std::size_t kMaxTemplateOutput = 64u << 20;    // bytes
inline constexpr std::size_t kMaxTemplateRequest = 128u << 20;  // bytes
inline constexpr std::size_t kMaxTemplateAnswer = 128u << 20;   // bytes
inline constexpr std::size_t kMaxTemplateSpans = 1u << 20;
inline constexpr std::size_t kMaxTemplateNotes = 100;
inline constexpr std::size_t kMaxTemplateNote = 1000;  // bytes
inline constexpr unsigned kMaxTemplateMemory = 256;    // MB
inline constexpr unsigned kMaxProcessSeconds =
    120;  // the limit of processor time for all templates of a load
inline constexpr unsigned kMaxTemplateSeconds = 60;  // wall time

/// Returns the fault of a template that needs more memory.
std::string memory_fault();
/// The fault of a template that writes more than kMaxTemplateOutput.
inline constexpr const char* kTextFault =
    "the template writes too much text: the limit of servosim is 64 MB";
static_assert(kMaxTemplateOutput == 64u << 20);

void encode(const TemplateRequest& request, Writer& writer);
void encode(const TemplateAnswer& answer, Writer& writer);
void encode(const TemplateFileQuestion& question, Writer& writer);
void encode(const TemplateFileReply& reply, Writer& writer);
/// Returns nothing unless the bytes are a complete request; the result refers to them.
std::optional<TemplateRequest> decode_template_request(Bytes bytes);
/// Returns nothing unless the bytes are a complete answer about that many pieces.
std::optional<TemplateAnswer> decode_template_answer(Bytes bytes, std::size_t pieces);

/// Returns nothing unless the bytes are a complete query, which may come in place of an answer.
std::optional<TemplateFileQuestion> decode_template_file_question(Bytes bytes);
std::optional<TemplateFileReply> decode_template_file_reply(Bytes bytes);

/// Sends a message after its length. Returns false if the other end has closed.
bool send_message(int socket, Bytes message);
/// Returns the next message; nothing at the end, or if it is longer than `most`.
std::optional<std::vector<std::byte>> receive_message(int socket, std::size_t most);

}  // namespace servosim
