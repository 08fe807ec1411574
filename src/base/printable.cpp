// SPDX-License-Identifier: Apache-2.0
// libController, which has no fmt, contains this source too.
#include "base/printable.h"

#include <algorithm>
#include <cstdio>

namespace servosim {
namespace {

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// U+0080 to U+009F control terminals, as the control characters of ASCII do.
bool is_c1(std::string_view character) {
  return character[0] == '\xc2' && static_cast<unsigned char>(character[1]) < 0xa0;
}

// U+200E, U+200F, U+202A to U+202E and U+2066 to U+2069 change the order in which the text after
// them is shown.
bool is_direction_mark(std::string_view character) {
  const auto last = static_cast<unsigned char>(character[2]);
  return (character.starts_with("\xe2\x80") &&
          (last == 0x8e || last == 0x8f || (last >= 0xaa && last <= 0xae))) ||
         (character.starts_with("\xe2\x81") && last >= 0xa6 && last <= 0xa9);
}

// U+FFFE and U+FFFF are no characters, and XML cannot hold them.
bool is_no_character(std::string_view character) {
  return character.starts_with("\xef\xbf") && static_cast<unsigned char>(character[2]) >= 0xbe;
}

bool is_printable(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  return character.size() == 1   ? first >= 0x20 && first != 0x7f
         : character.size() == 2 ? !is_c1(character)
         : character.size() == 3 ? !is_direction_mark(character) && !is_no_character(character)
                                 : true;
}

std::string escape(std::string_view text, bool one_line) {
  constexpr const char* kDigits = "0123456789abcdef";
  std::string result;
  while (!text.empty()) {
    const std::size_t size = character_size(text);
    const char first = text.front();
    if (first == '\n' || first == '\t') {
      result += !one_line ? std::string(1, first) : first == '\n' ? "\\n" : "\\t";
    } else if (size > 0 && is_printable(text.substr(0, size))) {
      result += text.substr(0, size);
    } else {
      for (const char c : text.substr(0, std::max<std::size_t>(size, 1))) {
        const auto byte = static_cast<unsigned char>(c);
        ((result += "\\x") += kDigits[byte >> 4]) += kDigits[byte & 15];
      }
    }
    text.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return result;
}

// Returns whether a message goes on with the sentence that the name of a function begins, as
// Webots' texts do.
bool continues_sentence(std::string_view text) {
  return text.starts_with("called ") || text.starts_with("can only ") ||
         text.starts_with("out of zoom ") || text.starts_with("out of focus ") ||
         text.starts_with("out of frequency ");
}

}  // namespace

std::size_t character_size(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  const std::size_t size = first < 0x80                    ? 1
                           : first >= 0xc2 && first < 0xe0 ? 2
                           : first >= 0xe0 && first < 0xf0 ? 3
                           : first >= 0xf0 && first < 0xf5 ? 4
                                                           : 0;
  if (size == 0 || size > text.size()) {
    return 0;
  }
  const bool whole = std::all_of(text.begin() + 1, text.begin() + size, is_continuation);
  const auto second = size > 1 ? static_cast<unsigned char>(text[1]) : 0x80;
  const bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool no_character = (first == 0xed && second > 0x9f) || (first == 0xf4 && second > 0x8f);
  return whole && !overlong && !no_character ? size : 0;
}

std::string printable(std::string_view text) { return escape(text, true); }

std::string printable_lines(std::string_view text) { return escape(text, false); }

void print_to_stderr(const char* kind, std::string_view text, const char* function) noexcept {
  const char* const name = function != nullptr ? function : "";
  const char* const after = function == nullptr ? "" : continues_sentence(text) ? "() " : "(): ";
  try {
    std::fprintf(stderr, "%s: %s%s%s\n", kind, name, after, printable_lines(text).c_str());
  } catch (...) {
    std::fprintf(stderr, "%s: %s%sout of memory.\n", kind, name, after);
  }
}

}  // namespace servosim
