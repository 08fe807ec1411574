// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"

// What goes between the library and the program template_expander.

namespace servosim {

enum class TemplateLanguage : std::uint8_t { Lua, JavaScript };

/// A part of a template: text that is copied, statements that are run, or an expression whose
/// value is written. `line` counts from 1.
struct TemplatePiece {
  enum class Kind : std::uint8_t { Text, Statement, Expression };
  Kind kind = Kind::Text;
  std::uint32_t line = 0;  ///< of the file, where the text begins
  std::string_view text;   ///< without its marks
};

/// One expansion. The texts are those of the PROTO file or of the message.
struct TemplateRequest {
  TemplateLanguage language = TemplateLanguage::Lua;
  std::uint32_t seed = 0;   ///< of its random numbers
  std::string_view values;  ///< JSON: {"fields": ..., "context": ...}
  std::vector<TemplatePiece> pieces;
};

/// A note of a template. `line` is 0 where it is not known.
struct TemplateNote {
  std::uint32_t line = 0;
  std::string text;
};

/// From byte `at` of the expanded text on it is of that piece.
struct TemplateSpan {
  std::uint32_t at = 0;
  std::uint32_t piece = 0;
};

struct TemplateAnswer {
  std::vector<TemplateNote> notes;
  std::optional<TemplateNote> fault;  ///< then there is no text
  bool at_limit = false;              ///< the fault: it needed more memory or output than allowed
  std::string text;
  std::vector<TemplateSpan> spans;  ///< by `at`
};

/// A request of a running template about a file: whether it exists, or its text.
struct TemplateFileQuestion {
  enum class Kind : std::uint8_t { Exists, Text };
  Kind kind = Kind::Exists;
  std::string path;  ///< absolute, or from the folder of its PROTO
};

struct TemplateFileReply {
  bool is_refused = false;
  bool exists = false;
  std::string text;  ///< of the file; refused: why, as a clause
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
    120;  // of the processor, for all templates of a load
inline constexpr unsigned kMaxTemplateSeconds = 60;  // by the clock

/// The fault of a template that needs more memory.
std::string memory_fault();
/// The same, of one that writes more than kMaxTemplateOutput.
inline constexpr const char* kTextFault =
    "the template writes too much text: the limit of servosim is 64 MB";
static_assert(kMaxTemplateOutput == 64u << 20);

void encode(const TemplateRequest& request, Writer& writer);
void encode(const TemplateAnswer& answer, Writer& writer);
void encode(const TemplateFileQuestion& question, Writer& writer);
void encode(const TemplateFileReply& reply, Writer& writer);
/// Nothing unless the bytes are a whole request; it refers to them.
std::optional<TemplateRequest> decode_template_request(Bytes bytes);
/// Nothing unless the bytes are a whole answer about that many pieces.
std::optional<TemplateAnswer> decode_template_answer(Bytes bytes, std::size_t pieces);

/// Nothing unless the bytes are a whole question, which comes where an answer may come.
std::optional<TemplateFileQuestion> decode_template_file_question(Bytes bytes);
std::optional<TemplateFileReply> decode_template_file_reply(Bytes bytes);

/// Sends a message after its length; false when the other end has closed.
bool send_message(int socket, Bytes message);
/// The next message; nothing at the end, or when it is longer than `most`.
std::optional<std::vector<std::byte>> receive_message(int socket, std::size_t most);

}  // namespace servosim
