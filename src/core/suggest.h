// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace servosim {

/// The one of `names` that is close to `wrong`; empty if none is.
std::string_view closest(std::string_view wrong, const std::vector<std::string_view>& names);
/// `; did you mean 'x'?` if one of `names` is close to `wrong`, else an empty text.
std::string did_you_mean(std::string_view wrong, const std::vector<std::string_view>& names);
/// The same with the path of a file beside `path`, which is not there: one of a close name, or the
/// one whose ending was left out.
std::string did_you_mean_file(const std::string& path);

}  // namespace servosim
