// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace servosim {

/// Which of `names`, each `robot/joint` or alike, match one of `globs`: wholly, or by what follows
/// the first slash. `*` also matches a slash, `\` takes the special meaning from what follows. All
/// of them when there are no globs.
/// @throws std::invalid_argument for a glob that matches none, with a close name if there is one;
///   `where_listed` says where a person finds the names.
std::vector<bool> matching_names(const std::vector<std::string>& names,
                                 const std::vector<std::string>& globs,
                                 const std::string& where_listed);

/// Whether `name` stands in `names`.
inline bool is_one_of(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// The one of `names` that is close to `wrong`; empty if none is.
std::string_view closest(std::string_view wrong, const std::vector<std::string_view>& names);
/// `; did you mean 'x'?` if one of `names` is close to `wrong`, else an empty text.
std::string did_you_mean(std::string_view wrong, const std::vector<std::string_view>& names);
/// The same with the path of a file beside `path`, which is not there: one of a close name, or the
/// one whose ending was left out.
std::string did_you_mean_file(const std::string& path);

}  // namespace servosim
