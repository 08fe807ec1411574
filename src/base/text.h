// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace servosim {

/// Whether a name such as `robot/joint` matches a glob, as a whole or with the part after the first
/// slash. `*` also matches a slash, `\` escapes the next character.
bool name_matches(const std::string& name, const std::string& glob);
/// Which of `names` match one of `globs`; all without globs.
/// @param where_listed  for the error message: where a person finds the names
/// @throws std::invalid_argument for a glob that matches none, with a close name if there is one
std::vector<bool> matching_names(const std::vector<std::string>& names,
                                 const std::vector<std::string>& globs,
                                 const std::string& where_listed);

/// The text as XML and HTML take it, also as a value of an attribute. Control characters stay,
/// which XML cannot hold.
std::string xml_escaped(std::string_view text);

/// Whether `names` contains `name`.
inline bool is_one_of(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// The name that is closest to `wrong`; empty if none is close.
std::string_view closest(std::string_view wrong, const std::vector<std::string_view>& names);
/// `; there are 'a', 'b'` or, of many names, those that are closest to `wrong`: whole names, or
/// what follows their first '/'.
std::string nearest_names(std::string_view wrong, const std::vector<std::string>& names);
/// `; did you mean 'x'?` if one of `names` is close to `wrong`, else an empty text.
std::string did_you_mean(std::string_view wrong, const std::vector<std::string_view>& names);
/// The same with the path of a file, where `path` does not exist: one whose name and folders are
/// close to it, or whose extension was omitted.
std::string did_you_mean_file(const std::string& path);

}  // namespace servosim
