// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "servosim/diagnostics.h"
#include "servosim/math.h"

namespace servosim::wbt {

struct Environment;
struct Version;

// Stand-ins are PROTO files of servosim, in protos/, for PROTOs of the Webots distribution that
// worlds use but do not contain. The program contains their texts. They are written for worlds of
// R2022a and later, where z points up. In an older world the content is turned, and sizes are
// permuted.

/// The properties of a stand-in in its first comment lines.
struct StandIn {
  std::string keeps;      ///< properties of the original that it keeps, as a clause
  std::string lacks;      ///< properties that it lacks, as a clause
  std::string certainty;  ///< source of its numbers, as a clause
  /// A part that moves in the original, or carries moving parts, and that the stand-in lacks.
  struct Loss {
    Missing kind = Missing::Bodies;  ///< Bodies or Controllers
    std::string what;                ///< such as `doors and drawers`
    /// Fields, one of which must be TRUE; empty means in each instance.
    std::vector<std::string> only_if;
    std::string unless;  ///< field that the instance must not set
  };
  std::optional<Loss> loss;
  /// Converts a vector in the axes of its content to the axes that the PROTO had before R2022a.
  Mat3 to_old_axes;
  bool stood_up = false;  ///< its axes were the same, but its default rotation turned z to y
  std::vector<std::string> sizes;   ///< fields whose numbers are sizes along the axes
  std::vector<std::string> points;  ///< fields that are lists of points in the axes of its content
  /// The default translation before R2022a, if it differs from today's in the old axes.
  std::optional<Vec3> old_translation;
};

/// Returns the text of the stand-in for a PROTO; empty if there is none.
std::string_view stand_in_text(std::string_view name);
/// Returns the names of all stand-ins, sorted.
std::vector<std::string_view> stand_in_names();
/// Reads the comment lines. @throws std::invalid_argument with the line that is missing or wrong
StandIn read_stand_in(std::string_view text);

/// Returns whether an instance lacks the part.
bool is_lost(const StandIn::Loss& loss, const Environment& environment);

/// Converts the parameters of an instance in a world before R2022a from their former meaning:
/// rotation, sizes, the axes of nodes in slots, and arguments in one string.
void read_as_before_r2022a(const StandIn& stand_in, const Version& version,
                           Environment& environment);

}  // namespace servosim::wbt
