// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "base/xml.h"
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

/// Returns a text that XML can hold: a control character becomes a blank.
inline std::string xml_name(std::string_view text) {
  std::string clean(text);
  for (char& c : clean) {
    c = static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
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
