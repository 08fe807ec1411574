// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/printable.h"
#include "base/xml.h"
#include "robots/export/loss_kinds.h"
#include "robots/robot_files.h"
#include "robots/robot_model.h"
#include "servosim/math.h"

// What the writers of XML formats share. Numbers read back to the same bits.

namespace servosim::robots {

/// Returns numbers with blanks between them, and 0 for -0.
template <class... Numbers>
std::string numbers_text(Numbers... numbers) {
  std::string text;
  ((text += fmt::format("{}{}", text.empty() ? "" : " ", numbers + Numbers{})), ...);
  return text;
}
inline std::string numbers_text(const Vec3& v) { return numbers_text(v.x, v.y, v.z); }
inline std::string numbers_text(const Range& range) {
  return numbers_text(range.lower, range.upper);
}

/// Returns a text that XML can hold: a control character becomes a blank, and a byte that is not
/// UTF-8, or a character that XML excludes, a question mark.
inline std::string xml_name(std::string_view text) {
  std::string clean;
  while (!text.empty()) {
    const std::size_t size = character_size(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(size, 1));
    text.remove_prefix(character.size());
    const auto first = static_cast<unsigned char>(character.front());
    if (first < 0x20 || first == 0x7f) {
      clean += ' ';
    } else if (size == 0 || character == "\xef\xbf\xbe" || character == "\xef\xbf\xbf") {
      clean += '?';
    } else {
      clean += character;
    }
  }
  return clean;
}

/// Returns the path of a mesh from a folder. One that XML cannot hold as it is, is a loss.
inline std::string mesh_path(const std::string& folder, const std::string& file,
                             const SourceLocation& where, LossKinds& lost) {
  const std::string path = path_from(folder, file);
  std::string clean = xml_name(path);
  if (clean != path) {
    lost.add("paths of meshes have characters that no XML holds, so that readers do not find them",
             where, clean);
  }
  return clean;
}

/// Adds an attribute.
inline void set(pugi::xml_node node, const char* name, const std::string& value) {
  node.append_attribute(name) = value.c_str();
}
/// Adds an attribute unless the number is 0, which readers take if there is none.
inline void set_if(pugi::xml_node node, const char* name, double value) {
  if (value != 0.0) {
    set(node, name, numbers_text(value));
  }
}

}  // namespace servosim::robots
