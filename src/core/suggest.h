// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace servosim {

/// `; did you mean 'x'?` if one of `names` is close to `wrong`, else an empty text.
std::string did_you_mean(std::string_view wrong, const std::vector<std::string_view>& names);

}  // namespace servosim
