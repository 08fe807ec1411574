// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace servosim {

/// The C files, relative to `folder`, that make up the controller `name`.
///
/// A plain C_SOURCES list of the Makefile wins. A Webots Makefile without one means `name`.c, if
/// there is such a file. Otherwise all .c files of the folder count, except those another one
/// includes, and those that define a second main(): `name`.c keeps its own.
/// @throws std::runtime_error if it is not clear whose main() is meant.
std::vector<std::string> controller_sources(const std::string& folder, const std::string& name);

/// Whether a C text defines (not only declares or calls) a function main.
bool defines_main(std::string_view c_text);

/// Whether a .c file of the folder, or one that its Makefile lists, defines main().
bool has_main(const std::string& folder);

/// The Makefile that `make` would read in `folder`.
std::optional<std::string> find_makefile(const std::string& folder);

/// Whether following C_SOURCES is all there is to a Makefile: beyond it, Webots' standard one has
/// only comments, WEBOTS_HOME, the helpers `null` and `space`, and the include of Makefile.include.
bool is_standard_makefile(std::string_view makefile_text);

/// The files of C_SOURCES in a Makefile; nothing if it is not set, or not to a plain list.
std::optional<std::vector<std::string>> makefile_sources(std::string_view makefile_text);

}  // namespace servosim
