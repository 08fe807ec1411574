// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "wbt/templates/program/template_message.h"

namespace servosim {

/// What a template writes and says while it runs.
class TemplateOutput {
 public:
  explicit TemplateOutput(const TemplateRequest& request) : request_(request) {}

  /// Writes a Text piece; false if there is no such piece, or there is too much text.
  bool write_text(std::size_t piece);
  /// Writes the value of an Expression; false as above.
  bool write_value(std::size_t piece, std::string_view text);
  void say(std::uint32_t line, std::string_view text);

  /// Everything written so far.
  TemplateAnswer finish();
  /// An answer with this fault, after what was said.
  TemplateAnswer fail(std::uint32_t line, std::string_view text, bool at_limit = false);

 private:
  bool write(std::size_t piece, std::string_view text);

  const TemplateRequest& request_;
  TemplateAnswer answer_;
  std::size_t unsaid_ = 0;
  bool full_ = false;
};

}  // namespace servosim
