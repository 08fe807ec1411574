// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "servosim/diagnostics.h"
#include "servosim/math.h"

namespace servosim::robots {

/// Writes the text of a world, and notes from which part of a robot's file each part of it comes.
/// Numbers read back to the same bits.
///
/// Threads: one at a time.
class WorldText {
 public:
  /// @param where  the place of the origin for what is written first
  explicit WorldText(SourceLocation where) : first_(where) { note(where); }

  /// What is written next comes from this place. A place in another file than the first one, which
  /// that file includes, becomes the first place.
  void note(SourceLocation where);
  /// Writes `head {` or `head [`; close() writes the bracket that closes it.
  void open(std::string_view head, char bracket = '{');
  void close();
  void line(std::string_view text);
  void number(std::string_view field, double value) { line(fmt::format("{} {}", field, value)); }
  void vector(std::string_view field, const Vec3& v);
  /// Writes a blank for each control character.
  void string(std::string_view field, std::string_view value);
  /// Writes the fields of a pose; those that are 0 are left out.
  void pose(const Pose& pose);

  const std::string& text() const { return text_; }
  const std::vector<SourceSpan>& spans() const { return spans_; }

 private:
  SourceLocation first_;
  std::string text_;
  std::string closing_;  // the brackets that are open
  std::vector<SourceSpan> spans_;
};

}  // namespace servosim::robots
