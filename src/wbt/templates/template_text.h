// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "wbt/templates/program/template_message.h"

namespace servosim::wbt {

/// The names that code uses from a table such as `fields`: some names, or any name.
struct Mentions {
  std::set<std::string_view> names;
  bool any = false;

  bool contains(std::string_view name) const { return any || names.contains(name); }
};

/// The body of a template PROTO, split into its pieces. Its views refer to the file's text.
struct TemplateText {
  TemplateLanguage language = TemplateLanguage::Lua;
  std::vector<TemplatePiece> pieces;
  std::vector<std::uint32_t> offsets;  ///< offsets of the pieces' texts in the file
  Mentions fields;
  Mentions context;
  bool is_random = false;  ///< each instance has its own random numbers
  /// The offset of a mark that is never closed. If it is set, the template cannot be expanded.
  std::optional<std::uint32_t> unclosed;
};

/// Returns the template that begins at byte `body` of a PROTO file; nothing if there are no marks.
/// Marks may be inside strings, but not inside comments.
std::optional<TemplateText> find_template(std::string_view text, std::uint32_t body);

/// Returns "JavaScript" or "Lua".
std::string_view to_string(TemplateLanguage language);

}  // namespace servosim::wbt
