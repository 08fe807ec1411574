// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <charconv>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace servosim {

/// Returns the text without `blanks` at both ends. If the result is empty, data() is the end of the
/// text.
constexpr std::string_view trimmed(std::string_view text, std::string_view blanks = " \t") {
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

/// Returns the number that std::from_chars() reads from the whole text: without blanks or a '+', in
/// every locale. Returns nothing if the number does not fit. A `double` may be infinite or NaN.
template <typename Number>
std::optional<Number> parse_number(std::string_view text) {
  Number number{};
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  return error == std::errc() && end == last ? std::optional(number) : std::nullopt;
}

/// Returns whether a name such as `robot/joint` matches a glob, either as a whole or with the part
/// after the first slash. `*` also matches a slash; `\` escapes the next character.
bool name_matches(const std::string& name, const std::string& glob);
/// Returns which of `names` match one of `globs`. Without globs, all match.
/// @param where_listed  for the error message: where a person finds the names
/// @throws std::invalid_argument for a glob that matches none, with a close name if there is one
std::vector<bool> matching_names(const std::vector<std::string>& names,
                                 const std::vector<std::string>& globs,
                                 const std::string& where_listed);

/// Returns the characters of a text by their numbers in Unicode. A byte that is not UTF-8 becomes
/// the replacement character.
std::u32string characters_of(std::string_view text);

/// Returns the text escaped for XML and HTML, also for the value of an attribute. Control
/// characters stay, although XML cannot contain them.
std::string xml_escaped(std::string_view text);

inline bool is_one_of(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Returns the name that is closest to `wrong`; empty if none is close.
std::string_view closest(std::string_view wrong, const std::vector<std::string_view>& names);
/// Returns `; there are 'a', 'b'` or, if there are many names, those that are closest to `wrong`.
/// It compares whole names, or what follows their first '/'.
std::string nearest_names(std::string_view wrong, const std::vector<std::string>& names);
/// Returns `; did you mean 'x'?` if one of `names` is close to `wrong`, else an empty text.
/// It proposes nothing for more than 1000 names, as the search would take long.
std::string did_you_mean(std::string_view wrong, const std::vector<std::string_view>& names);
/// Does the same for the path of a file if `path` does not exist. It suggests a path whose name and
/// folders are close, or whose extension was omitted.
std::string did_you_mean_file(const std::string& path);

}  // namespace servosim
