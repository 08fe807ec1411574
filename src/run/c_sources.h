// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace servosim {

/// Return whether a file name has an extension of C or C++ sources, or of C++ sources.
bool is_native_source(const std::filesystem::path& file);
bool is_cxx_source(const std::filesystem::path& file);

/// Returns the names of the C and C++ files in a folder, sorted.
std::vector<std::string> native_files(const std::string& folder);

/// Returns the C and C++ files of the controller `name`, relative to `folder`.
///
/// Plain C_SOURCES and CXX_SOURCES lists of the Makefile take precedence. A Webots Makefile without
/// them means `name`.c or `name`.cpp, if there is such a file. Otherwise the controller has all
/// files of the folder except those that another one includes. If several files define main(), only
/// that of `name` is kept.
/// @throws std::runtime_error if it is not clear which main() is meant
std::vector<std::string> controller_sources(const std::string& folder, const std::string& name);

/// Returns whether a C or C++ text defines (not only declares or calls) a function main.
bool defines_main(std::string_view text);

/// Returns whether a C or C++ file of the folder, or one that its Makefile lists, defines main().
bool has_main(const std::string& folder);

/// Returns the Makefile that `make` would read in `folder`.
std::optional<std::string> find_makefile(const std::string& folder);

/// Returns whether a Makefile defines nothing but lists of sources. Besides them Webots' standard
/// Makefile has only comments, WEBOTS_HOME, the helpers `null` and `space`, and the include of
/// Makefile.include.
bool is_standard_makefile(std::string_view makefile_text);

/// Returns the files of C_SOURCES and CXX_SOURCES in a Makefile; nothing if neither is set, or if
/// one of them is set to something other than a plain list.
std::optional<std::vector<std::string>> makefile_sources(std::string_view makefile_text);

/// Returns the path of a file below `folder` whose name differs from `name` only in case; empty if
/// there is none, or if `name` itself exists. `name` may contain folders and `..`.
std::string same_but_for_case(const std::string& folder, std::string_view name);

/// Returns hints for a project from Windows or macOS that does not build: names that differ from
/// those of files only in case, and backslashes in the Makefile's lists of sources. Each hint is a
/// line with a newline; the text is empty if there are no hints.
/// @param output  of the compiler or make
/// @param folders  in which headers are searched; the first is the one in which the build ran
std::string build_hints(std::string_view output, const std::vector<std::string>& folders);

/// Returns the first line of a script that is Python 2, as a clause that starts with the line's
/// number, such as "line 3: `print` without parentheses"; empty if there is none.
std::string python2_in(std::string_view script);

}  // namespace servosim
