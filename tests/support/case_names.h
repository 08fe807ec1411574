// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cctype>
#include <string>
#include <string_view>

// Names for the parameters of a test. testing::PrintToStringParamName suits a parameter that prints
// as a name.

namespace servosim::test {

/// Turns a text into a name for GoogleTest: its letters and digits, with one _ for other characters
/// between them. "minStop -1e300" becomes minStop_minus_1e300.
inline std::string case_name(std::string_view text) {
  const auto is = [](int (*kind)(int), char c) { return kind(static_cast<unsigned char>(c)) != 0; };
  std::string name;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is(std::isalnum, text[i])) {
      name += text[i];
      continue;
    }
    if (!name.empty() && name.back() != '_') {
      name += '_';
    }
    if (text[i] == '-' && i + 1 < text.size() && is(std::isdigit, text[i + 1])) {
      name += "minus_";
    }
  }
  if (name.ends_with('_')) {
    name.pop_back();
  }
  return name;
}

inline const char* joint_word(bool slider) { return slider ? "Slider" : "Hinge"; }
inline const char* parent_word(bool dynamic) { return dynamic ? "DynamicParent" : "StaticParent"; }

/// These name a case by its only parameter.
inline constexpr auto by_text = [](const auto& test) { return case_name(test.param); };
inline constexpr auto by_joint = [](const auto& test) { return joint_word(test.param); };
inline constexpr auto by_parent = [](const auto& test) { return parent_word(test.param); };

}  // namespace servosim::test
