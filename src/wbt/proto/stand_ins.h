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

// Stand-ins: PROTO files of servosim, in protos/, for PROTOs of the Webots distribution that worlds
// use and do not carry. The program contains their texts. They are written for worlds of R2022a and
// later, where z points up; in an older world the content is turned, and sizes are permuted.

/// What a stand-in's first comment lines say about it.
struct StandIn {
  std::string keeps;      ///< of the original, as a clause
  std::string lacks;      ///< as a clause
  std::string certainty;  ///< where its numbers are from, as a clause
  /// Something that moves in the original, or carries what moves, and that it has not.
  struct Loss {
    Missing kind = Missing::Bodies;    ///< Bodies or Controllers
    std::string what;                  ///< `doors and drawers`
    std::vector<std::string> only_if;  ///< fields of which one is TRUE; empty: in each instance
    std::string unless;                ///< a field that the instance gives
  };
  std::optional<Loss> loss;
  /// How a vector in the axes of its content is one in the axes that the PROTO had before R2022a.
  Mat3 to_old_axes;
  bool stood_up = false;  ///< its axes were the same, and its default rotation laid z along y
  std::vector<std::string> sizes;   ///< fields whose numbers are sizes along the axes
  std::vector<std::string> points;  ///< fields that are lists of points in the axes of its content
  /// The default place before R2022a, where it is not today's in the old axes.
  std::optional<Vec3> old_translation;
};

/// The text of the stand-in for a PROTO; empty if there is none.
std::string_view stand_in_text(std::string_view name);
/// The names of all, sorted.
std::vector<std::string_view> stand_in_names();
/// Reads the comment lines. @throws std::invalid_argument naming the line that is missing or wrong
StandIn read_stand_in(std::string_view text);

/// Whether an instance lacks it.
bool is_lost(const StandIn::Loss& loss, const Environment& environment);

/// Gives the parameters of an instance in a world before R2022a the meaning that they had there:
/// rotation, sizes, the axes of what is put into slots, and arguments in one string.
void read_as_before_r2022a(const StandIn& stand_in, const Version& version,
                           Environment& environment);

}  // namespace servosim::wbt
