// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
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

/// Returns whether a field has a node, and one of this type.
inline bool is_of_type(const wbt::NodePtr& node, std::string_view type) {
  return node && node->type->name == type;
}

/// Returns the first node of the file itself that has this type; null if there is none.
const wbt::Node* first_of_type(const wbt::WorldFile& file, std::string_view type);

/// Returns whether a node at this place of the world cannot be simulated: it has no place, or a
/// Solid with Physics is farther away or faster than a simulation allows. Webots saves a body in
/// this way if its simulation has diverged. If so, it warns that the node is left out.
bool is_out_of_space(const wbt::Node& node, const Vec3& at, Diagnostics& diagnostics);

/// The valid value that a check uses instead of the value of a field.
struct Substitute {
  std::uint32_t node = 0;  ///< wbt::Node::id
  std::string_view field;  ///< in the field table, so valid for ever
  wbt::Value value;
};

/// What the checks of one scene find: messages, and the values that they use instead of bad ones.
///
/// Threads: one at a time.
class Findings {
 public:
  /// @param diagnostics  gets the messages; must outlive this object
  explicit Findings(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  /// Each of these reports one message, as the function of Diagnostics with this name.
  void info(SourceLocation where, std::string message) {
    diagnostics_.info(where, std::move(message));
  }
  void warning(SourceLocation where, std::string message,
               std::optional<MissingPart> missing = std::nullopt) {
    diagnostics_.warning(where, std::move(message), std::move(missing));
  }
  void replacement(SourceLocation where, std::string message) {
    diagnostics_.replacement(where, std::move(message));
  }
  void error(SourceLocation where, std::string message) {
    diagnostics_.error(where, std::move(message));
  }
  /// For checks that substitute nothing.
  Diagnostics& diagnostics() { return diagnostics_; }

  /// Keeps the value that is used instead of that of a field.
  void add(Substitute substitute) { substitutes_.push_back(std::move(substitute)); }
  const std::vector<Substitute>& substitutes() const { return substitutes_; }

 private:
  Diagnostics& diagnostics_;
  std::vector<Substitute> substitutes_;
};

/// Reads the fields of one node and replaces invalid values as Webots does, each with a warning. A
/// replacement is recorded as a Substitute unless the field keeps its value: see
/// keeping_the_field().
class CheckedFields {
 public:
  CheckedFields(const wbt::Node& node, Findings& findings) : node_(node), findings_(findings) {}

  /// Returns the field, or `substitute` with a warning that names `rule` if the field is `bad`.
  template <typename Bad>
  double number(std::string_view field, Bad bad, double substitute, std::string_view rule) const {
    const double value = node_.number(field);
    if (std::isfinite(value) && !bad(value)) {
      return value;
    }
    warn_and_substitute(field, fmt::format("{}", value), substitute, rule);
    return substitute;
  }
  /// Returns the field. A negative number becomes its absolute value.
  double magnitude(std::string_view field) const {
    const double value = node_.number(field);
    return number(
        field, [](double x) { return x < 0.0; }, std::isfinite(value) ? std::abs(value) : 0.0,
        "it must be >= 0");
  }
  /// Returns the field, or `substitute` if it is negative.
  double non_negative(std::string_view field, double substitute) const {
    return number(
        field, [](double x) { return x < 0.0; }, substitute, "it must be >= 0");
  }
  /// Returns the field. Any negative number becomes -1, which means none.
  double non_negative_or_none(std::string_view field) const {
    return number(
        field, [](double x) { return x < 0.0 && x != -1.0; }, -1.0, "it must be -1 or >= 0");
  }
  /// Returns the field. A number that is not positive becomes -1, which means none.
  double positive_or_none(std::string_view field) const {
    return number(
        field, [](double x) { return x <= 0.0 && x != -1.0; }, -1.0, "it must be -1 or > 0");
  }
  /// Returns the field, or `substitute` if it is not in [0, 1].
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
  /// Returns the field with length one, or `substitute` if it is null.
  Vec3 direction(std::string_view field, const Vec3& substitute) const {
    const Vec3 value = node_.vec3(field);
    const Vec3 unit = unit_or(value, {});
    if (unit == Vec3{}) {
      warn_replaced(field, fmt::format("{} is a null vector; {} {} {} is used", field, substitute.x,
                                       substitute.y, substitute.z));
      record_substitute(field, substitute);
      return substitute;
    }
    return unit;
  }
  /// Returns the field, or a null vector with a warning if a component is not finite.
  Vec3 point(std::string_view field) const {
    const Vec3 value = node_.vec3(field);
    if (!is_finite(value)) {
      warn_replaced(field, fmt::format("{} is not finite; 0 0 0 is used", field));
      return {};
    }
    return value;
  }

  /// Is point() with a limit: returns a null vector with a warning beyond kMaxFileCoordinate.
  Vec3 bounded_point(std::string_view field) const {
    const Vec3 value = point(field);
    if (std::abs(value.x) <= kMaxFileCoordinate && std::abs(value.y) <= kMaxFileCoordinate &&
        std::abs(value.z) <= kMaxFileCoordinate) {
      return value;
    }
    warn_of_replacement(field, fmt::format("{} {} {}", value.x, value.y, value.z), "0 0 0",
                        "each must be within 1e6 m");
    return {};
  }

  /// Warns about a value that is simulated as it is.
  void warn(std::string_view field, std::string message) const {
    findings_.warning(node_.where_of(field), std::move(message));
  }
  /// Warns about a value that is replaced: see Diagnostic::replaced.
  void warn_replaced(std::string_view field, std::string message) const {
    findings_.replacement(node_.where_of(field), std::move(message));
  }
  void info(std::string_view field, std::string message) const {
    findings_.info(node_.where_of(field), std::move(message));
  }
  void warn_of_replacement(std::string_view field, std::string_view value,
                           std::string_view substitute, std::string_view rule) const {
    warn_replaced(field,
                  fmt::format("{} is {}, but {}; {} is used", field, value, rule, substitute));
  }
  /// Warns of a replacement, and gives the field the value `substitute`.
  void warn_and_substitute(std::string_view field, std::string_view value, wbt::Value substitute,
                           std::string_view rule) const;
  /// Gives the field the value `substitute` without a warning.
  void record_substitute(std::string_view field, wbt::Value substitute) const;
  /// Returns the same checks for a field that keeps the value of the file, either because Webots
  /// does not change it when a world is loaded, or because only servosim has the limit.
  CheckedFields keeping_the_field() const {
    CheckedFields other = *this;
    other.keeps_ = true;
    return other;
  }
  const wbt::Node& node() const { return node_; }

 private:
  const wbt::Node& node_;
  Findings& findings_;
  bool keeps_ = false;
};

/// Returns the world with the substitutes as values of its fields, also if a value is a parameter
/// of a PROTO. Returns `file` itself if there are no substitutes.
std::shared_ptr<const wbt::WorldFile> with_substitutes(std::shared_ptr<const wbt::WorldFile> file,
                                                       const std::vector<Substitute>& substitutes);

/// Returns the value that Webots uses if `value` is written to a field of a running world. It makes
/// the few checks that replace nothing when a world is loaded.
/// @param reason  receives the reason, or an empty text if the value stays
wbt::Value checked_on_edit(const wbt::Node& node, const wbt::FieldType& field, wbt::Value value,
                           std::string& reason);

/// Warns of faults that need the whole scene: devices of a robot with equal names, and Solids with
/// and without Physics that do not fit together.
/// @param blades  Solids whose Physics was reported and left out
void check_scene(const Scene& scene, const std::set<int>& blades, Diagnostics& diagnostics);

/// Warns if `node`, a child of a node or of the world, has no effect there because it is not
/// simulated or belongs in a field of another node.
void warn_if_without_effect(const wbt::Node& node, Diagnostics& diagnostics);

/// Makes the names of robots unique, then those of joints, in file order. The second robot "x"
/// becomes "x#2", unless another robot has that name, and its joints become "x#2/joint". Warns once
/// for each name. Before the call a joint has the name within its robot, which may be empty.
void make_names_unique(Scene& scene, Diagnostics& diagnostics);

}  // namespace servosim
