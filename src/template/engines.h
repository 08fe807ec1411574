// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "template/template_message.h"

namespace servosim {

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
