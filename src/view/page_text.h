// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace servosim {

/// Returns the page of web/ without data, with `<!--RECORDINGS-->` where they go; empty if this
/// build has no page.
std::string_view page_text();

}  // namespace servosim
