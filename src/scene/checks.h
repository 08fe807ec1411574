// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "scene/scene.h"
#include "servosim/diagnostics.h"
#include "wbt/node.h"
#include "wbt/world_file.h"

namespace servosim {

/// Reads fields of one node and replaces bad values as Webots does, with a warning each.
class Checked {
 public:
  Checked(const wbt::Node& node, Diagnostics& diagnostics)
      : node_(node), diagnostics_(diagnostics) {}

  /// The field, or `substitute` with a warning naming `rule` if it is `bad`.
  template <typename Bad>
  double number(std::string_view field, Bad bad, double substitute, std::string_view rule) const {
    const double value = node_.number(field);
    if (std::isfinite(value) && !bad(value)) {
      return value;
    }
    substituted(field, fmt::format("{}", value), substitute, rule);
    return substitute;
  }
  /// The field; a negative number becomes its absolute value.
  double magnitude(std::string_view field) const {
    const double value = node_.number(field);
    return number(
        field, [](double x) { return x < 0.0; }, std::isfinite(value) ? std::abs(value) : 0.0,
        "it must be >= 0");
  }
  /// The field; `substitute` if it is not in [0, 1].
  double fraction(std::string_view field, double substitute) const {
    return number(
        field, [](double x) { return x < 0.0 || x > 1.0; }, substitute, "it must be in [0, 1]");
  }
  double positive(std::string_view field, double substitute) const {
    return number(
        field, [](double x) { return x <= 0.0; }, substitute, "it must be > 0");
  }
  double finite(std::string_view field, double substitute = 0.0) const {
    return number(
        field, [](double) { return false; }, substitute, "it must be finite");
  }
  /// The field with length one; `substitute` if it is null.
  Vec3 direction(std::string_view field, const Vec3& substitute) const {
    const Vec3 value = node_.vec3(field);
    const Vec3 unit = unit_or(value, {});
    if (unit == Vec3{}) {
      warn(field, fmt::format("{} is a null vector; {} {} {} is used", field, substitute.x,
                              substitute.y, substitute.z));
      note(field, substitute);
      return substitute;
    }
    return unit;
  }
  /// The field; a null vector with a warning if a component is not finite.
  Vec3 point(std::string_view field) const {
    const Vec3 value = node_.vec3(field);
    if (!is_finite(value)) {
      warn(field, fmt::format("{} is not finite; 0 0 0 is used", field));
      return {};
    }
    return value;
  }

  /// As point(), and a null vector too if it is far from any robot.
  Vec3 near_point(std::string_view field) const {
    const Vec3 value = point(field);
    if (std::abs(value.x) <= kMaxWrittenCoordinate && std::abs(value.y) <= kMaxWrittenCoordinate &&
        std::abs(value.z) <= kMaxWrittenCoordinate) {
      return value;
    }
    replaced(field, fmt::format("{} {} {}", value.x, value.y, value.z), "0 0 0",
             "each must be within 1e6 m");
    return {};
  }

  void warn(std::string_view field, std::string message) const {
    diagnostics_.warning(node_.where_of(field), std::move(message));
  }
  void replaced(std::string_view field, std::string_view value, std::string_view substitute,
                std::string_view rule) const {
    warn(field, fmt::format("{} is {}, but {}; {} is used", field, value, rule, substitute));
  }
  /// The same where the field then reads `substitute`.
  void substituted(std::string_view field, std::string_view value, wbt::Value substitute,
                   std::string_view rule) const;
  /// The field reads `substitute`, about which nothing is said here.
  void note(std::string_view field, wbt::Value substitute) const;
  /// The same checks for a field that goes on to read what was written: by Webots' rules when a
  /// world is loaded, or because a limit is ours.
  Checked kept() const {
    Checked other = *this;
    other.keeps_ = true;
    return other;
  }
  const wbt::Node& node() const { return node_; }

 private:
  const wbt::Node& node_;
  Diagnostics& diagnostics_;
  bool keeps_ = false;
};

/// A value that a check puts in the place of a bad one, so that whoever reads the field finds it.
struct Substitute {
  std::uint32_t node = 0;  ///< wbt::Node::id
  std::string_view field;  ///< of the field table: valid for ever
  wbt::Value value;
};

/// While it lives, what checks of this thread substitute is noted in `list`, if that is not null.
/// So the readers of scene/, which have nothing else to do with it, need not hand it on.
class SubstituteNotes {
 public:
  explicit SubstituteNotes(std::vector<Substitute>* list) : before_(std::exchange(list_, list)) {}
  SubstituteNotes(const SubstituteNotes&) = delete;
  SubstituteNotes& operator=(const SubstituteNotes&) = delete;
  ~SubstituteNotes() { list_ = before_; }

  static void add(Substitute substitute);

 private:
  static thread_local std::vector<Substitute>* list_;
  std::vector<Substitute>* before_;
};

/// The world with them, also where a bad value is a parameter of a PROTO; `file` if there are none.
std::shared_ptr<const wbt::WorldFile> with_substitutes(std::shared_ptr<const wbt::WorldFile> file,
                                                       const std::vector<Substitute>& substitutes);

/// What Webots makes of a value that somebody writes into a field of a running world, beyond the
/// checks that every world undergoes: those few substitute nothing when a world is loaded.
/// `said`: why, or empty if the value stays as it is.
wbt::Value checked_on_edit(const wbt::Node& node, const wbt::FieldType& field, wbt::Value value,
                           std::string& said);

/// Warns of what only shows in the whole scene: devices that are called the same, and Solids with
/// and without Physics that do not go together. `blades`: Solids whose Physics was reported and
/// left out.
void check_scene(const Scene& scene, const std::set<int>& blades, Diagnostics& diagnostics);

/// Warns if `node`, which stands among the children of a node or of the world, does nothing there:
/// because it is not simulated, or because it belongs into a field of another node.
void report_inert(const wbt::Node& node, Diagnostics& diagnostics);

/// Makes the names of robots unique, then those of joints, in file order: the second robot "x"
/// becomes "x#2", unless one is really called so, and its joints "x#2/joint". Says it once for each
/// name. Until then a joint has the name it has within its robot, perhaps none.
void make_names_unique(Scene& scene, Diagnostics& diagnostics);

}  // namespace servosim
