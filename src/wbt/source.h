// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "servosim/diagnostics.h"
#include "wbt/eras/version.h"

namespace servosim::wbt {

/// A world or PROTO file while it is read.
struct Source {
  std::uint32_t file = SourceLocation::kNoFile;  ///< its number in the SourceMap
  std::string_view text;
  Version version;
  std::string folder;                ///< absolute: where it stands
  std::vector<std::string> externs;  ///< what its EXTERNPROTO lines name, in order

  SourceLocation at(std::uint32_t offset) const { return {file, offset}; }
};

/// The version in the first comment, `#VRML_SIM <version> utf8`; nothing if the file has none.
std::optional<Version> header_version(std::string_view text);

/// The comments below the first one, up to the first line that is none; empty lines between them
/// are kept. Each line ends in '\n'.
std::string leading_comments(std::string_view text);

/// Warns about a file written by a Webots newer than R2025a.
void warn_if_newer(Diagnostics& diagnostics, const Source& source);

/// Whether the leading comments say `template language: javascript`.
bool says_javascript(std::string_view text);

/// Warns about each comment that was meant as `#servosim <field>` but is not spelled so.
void check_extension_marks(const Source& source, Diagnostics& diagnostics);

}  // namespace servosim::wbt
