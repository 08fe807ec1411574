// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "wbt/templates/program/template_message.h"

namespace servosim::wbt {

/// The names that code uses of a table such as `fields`: some names, or any.
struct Mentions {
  std::set<std::string_view> names;
  bool any = false;

  bool contains(std::string_view name) const { return any || names.contains(name); }
};

/// The body of a template PROTO, cut into its pieces. Its views are of the file's text.
struct TemplateText {
  TemplateLanguage language = TemplateLanguage::Lua;
  std::vector<TemplatePiece> pieces;
  std::vector<std::uint32_t> offsets;  ///< of the pieces' texts in the file
  Mentions fields;
  Mentions context;
  bool is_random = false;  ///< each instance has random numbers of its own
  /// Where a mark opens that nothing closes; then it cannot be expanded.
  std::optional<std::uint32_t> unclosed;
};

/// The template that begins at byte `body` of a PROTO file; nothing if it has no marks there. Marks
/// may stand inside strings, but not in comments.
std::optional<TemplateText> find_template(std::string_view text, std::uint32_t body);

/// "JavaScript", "Lua".
std::string_view to_string(TemplateLanguage language);

}  // namespace servosim::wbt
