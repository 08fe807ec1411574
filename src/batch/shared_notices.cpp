// SPDX-License-Identifier: Apache-2.0
#include "batch/shared_notices.h"

#include <cctype>
#include <cstddef>

namespace servosim {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_in_number(char c) { return is_digit(c) || c == '.' || c == '-' || c == '+' || c == 'e'; }

// Removes numbers, except those in quotes and those after a letter, an underscore or a colon.
std::string without_numbers(std::string_view text) {
  std::string rest;
  bool is_quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    is_quoted = is_quoted != (c == '"');
    if (is_quoted || !is_digit(c)) {
      rest += c;
      continue;
    }
    const char before = i > 0 ? text[i - 1] : ' ';
    const bool is_name =
        before == '_' || before == ':' || std::isalpha(static_cast<unsigned char>(before)) != 0;
    for (; i < text.size() && (is_name ? is_digit(text[i]) : is_in_number(text[i])); ++i) {
      rest.append(is_name ? 1 : 0, text[i]);
    }
    --i;
    if (!is_name && rest.ends_with('-')) {
      rest.pop_back();
    }
  }
  return rest;
}

}  // namespace

void SharedNotices::once(std::string_view text, void (Notices::*give)(std::string_view)) {
  const std::string shape = without_numbers(text);
  const std::lock_guard lock(mutex_);
  if (reported_.first(shape)) {
    (to_.*give)(text);
  }
}

}  // namespace servosim
