// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace servosim {

/// Whether a file name ends like those of C or C++ sources.
bool is_native_source(const std::filesystem::path& file);
bool is_cxx_source(const std::filesystem::path& file);

/// The names of the C and C++ files in a folder, sorted.
std::vector<std::string> native_files(const std::string& folder);

/// The C and C++ files, relative to `folder`, that make up the controller `name`.
///
/// Plain C_SOURCES and CXX_SOURCES lists of the Makefile win. A Webots Makefile without them means
/// `name`.c or `name`.cpp, if there is such a file. Otherwise all files of the folder count, except
/// those another one includes, and those that define a second main(): that of `name` is kept.
/// @throws std::runtime_error if it is not clear whose main() is meant.
std::vector<std::string> controller_sources(const std::string& folder, const std::string& name);

/// Whether a C or C++ text defines (not only declares or calls) a function main.
bool defines_main(std::string_view text);

/// Whether a C or C++ file of the folder, or one that its Makefile lists, defines main().
bool has_main(const std::string& folder);

/// The Makefile that `make` would read in `folder`.
std::optional<std::string> find_makefile(const std::string& folder);

/// Whether the lists of sources are all that a Makefile defines: beyond them, Webots' standard one
/// has only comments, WEBOTS_HOME, the helpers `null` and `space`, and the include of
/// Makefile.include.
bool is_standard_makefile(std::string_view makefile_text);

/// The files of C_SOURCES and CXX_SOURCES in a Makefile; nothing if neither is set, or one not to a
/// plain list.
std::optional<std::vector<std::string>> makefile_sources(std::string_view makefile_text);

/// The path of a file below `folder` that is called `name`, but for upper and lower case; empty if
/// there is none, or if `name` itself is there. `name` may hold folders and `..`.
std::string same_but_for_case(const std::string& folder, std::string_view name);

/// Hints for a project from Windows or macOS that does not build: names that differ from those of
/// files only in case, and backslashes in the Makefile's lists of sources. One line each, ended by
/// a newline; empty without hints.
/// @param output of the compiler or make
/// @param folders in which headers are looked for; the first is the one where the build ran
std::string build_hints(std::string_view output, const std::vector<std::string>& folders);

/// The first line of a script that is Python 2: a clause that starts with the line's number, as
/// "line 3: `print` without parentheses"; empty if there is none.
std::string python2_in(std::string_view script);

}  // namespace servosim
