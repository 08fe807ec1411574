// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "template/template_message.h"

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

}  // namespace servosim
