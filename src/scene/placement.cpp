// SPDX-License-Identifier: Apache-2.0
#include "scene/placement.h"

#include <cmath>

namespace servosim {

namespace {

Vec3 finite_or(const Vec3& v, const Vec3& fallback) { return is_finite(v) ? v : fallback; }

}  // namespace

Placement Placement::inside(const wbt::Node& node) const {
  Placement below = *this;
  if (node.type->field("translation") != nullptr && node.type->field("rotation") != nullptr) {
    AxisAngle turn = node.rotation("rotation");
    if (!std::isfinite(turn.angle) || !is_finite(turn.axis)) {
      turn = {};
    }
    const Vec3 shift = scaled(finite_or(node.vec3("translation"), {}), scale);
    below.pose = pose * Pose{rotation_matrix(turn), shift};
  }
  if (node.has("scale") && std::holds_alternative<Vec3>(node.value("scale"))) {
    const Vec3 s = finite_or(node.vec3("scale"), {1.0, 1.0, 1.0});
    below.scale = scaled(scale, {std::abs(s.x), std::abs(s.y), std::abs(s.z)});
  }
  return below;
}

}  // namespace servosim
