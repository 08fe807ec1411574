// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "wbt/templates/program/template_message.h"

namespace servosim {

/// A template as a program, in Lua and JavaScript alike: its statements as they are, and calls of
/// __text(piece) and __value(piece, expression) for what it writes.
class Script {
 public:
  explicit Script(const TemplateRequest& request);

  const std::string& text() const { return text_; }
  /// The line of the file for one of the script, both from 1; 0 if there is none.
  std::uint32_t line_of_file(std::uint32_t line) const {
    return line >= 1 && line <= lines_.size() ? lines_[line - 1] : 0;
  }

 private:
  void add(std::string_view code, std::uint32_t line);

  std::string text_;
  std::vector<std::uint32_t> lines_;
};

/// A file that is part of the program: its name, such as "wbrandom.js", and its text.
struct BuiltInFile {
  std::string_view name;
  std::string_view text;
};
/// The file of that name, or one with an empty text.
BuiltInFile built_in_file(std::string_view name);

/// What the library, which alone opens files, says of one. Ends the program if nobody does.
/// @throws std::bad_alloc
TemplateFileReply ask_for_file(const TemplateFileQuestion& question);

/// Expand one template each. What the template does wrong is the fault of the answer.
/// @throws std::bad_alloc
TemplateAnswer expand_lua(const TemplateRequest& request);
TemplateAnswer expand_javascript(const TemplateRequest& request);

}  // namespace servosim
