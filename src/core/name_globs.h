// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
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

}  // namespace servosim
