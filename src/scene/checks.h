// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "servosim/diagnostics.h"
#include "wbt/node.h"

namespace servosim {

/// No joint and no part of a robot is farther out [rad, m]. Beyond, digits are lost.
inline constexpr double kFarthest = 1e6;

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
    if (std::abs(value.x) <= kFarthest && std::abs(value.y) <= kFarthest &&
        std::abs(value.z) <= kFarthest) {
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

}  // namespace servosim
