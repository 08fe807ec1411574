// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace servosim {

/// The path of a file below `folder` that is called `name`, but for upper and lower case; empty if
/// there is none, or if `name` itself is there. `name` may hold folders and `..`.
std::string same_but_for_case(const std::string& folder, std::string_view name);

/// What somebody who brings a project from Windows or macOS may need to know when it does not
/// build: files that are called otherwise but for case, and backslashes in the Makefile's lists of
/// sources. One line each, ended by a newline; empty when nothing is known.
/// @param output of the compiler or make
/// @param folders in which headers are looked for; the first is the one where the build ran
std::string build_hints(std::string_view output, const std::vector<std::string>& folders);

/// Where a Python script is of Python 2: a clause that starts with the line's number, as "line 3:
/// `print` without parentheses"; empty when nothing in it looks so.
std::string python2_in(std::string_view script);

}  // namespace servosim
