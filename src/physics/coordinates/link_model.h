// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "physics/rows/body_frame.h"
#include "physics/rows/spatial.h"
#include "servosim/math.h"

namespace servosim {

/// Says how a link moves against its parent.
enum class LinkKind : std::uint8_t {
  Fixed,   ///< not at all
  Hinge,   ///< turns about an axis
  Slider,  ///< moves along an axis
  Free,    ///< the first link of a tree that no joint holds to the world
};

/// A link of a tree: a body and the joint with its parent. All vectors are in the frame of a body,
/// whose origin is the centre of mass, or in the world's axes if the parent is the world.
///
/// With R and x, the rotation and the centre of mass of a link in the world, q, its position, a,
/// its axis, R_p and x_p, those of its parent,
///
///     hinge:   R = R_p·Rot(a, q)·R₀,    x = x_p + R_p·anchor + R·arm
///     slider:  R = R_p·R₀,              x = x_p + R_p·(anchor + q·a) + R·arm
///
/// The rate is positive where the link moves along +a against its parent.
struct TreeLink {
  static constexpr int kWorld = -1;

  LinkKind kind = LinkKind::Free;
  int parent = kWorld;  ///< index of a link before this one
  /// Indices of its first position and its first rate. A free link has seven positions, those of
  /// its centre of mass [m] and of a quaternion, and six rates: the velocity of the centre in the
  /// world's axes [m/s], and the spin in its own axes [rad/s].
  std::size_t position = 0;
  std::size_t rate = 0;
  Vec3 anchor;  ///< from the parent's centre of mass, or from the point of reference [m]
  Vec3 arm;     ///< from the anchor to the centre of mass [m]
  Vec3 axis;    ///< a unit vector in the parent's frame
  Quaternion turn_at_zero;  ///< R₀
  // Rot(a, q)·R₀ = rest + cos q·cosine + sin q·sine
  Mat3 rest;
  Mat3 cosine;
  Mat3 sine;
  double mass = 0.0;           ///< [kg]
  SymMat3 inertia;             ///< about the centre of mass [kg·m²]
  double linear_decay = 0.0;   ///< rate at which damping takes the velocity of the centre [1/s]
  double angular_decay = 0.0;  ///< rate at which damping takes the spin [1/s]

  bool has_axis() const { return kind == LinkKind::Hinge || kind == LinkKind::Slider; }
  std::size_t positions() const { return kind == LinkKind::Free ? 7 : has_axis() ? 1 : 0; }
  std::size_t rates() const { return kind == LinkKind::Free ? 6 : has_axis() ? 1 : 0; }
  /// Sets the axis and the rotation R₀ of the link against its parent at the position 0.
  void set_turn(const Vec3& about, const Quaternion& at_zero);
};

/// What never changes of a tree: its links, parents first.
class LinkModel {
 public:
  /// Adds a link, and sets its indices.
  void add(TreeLink link) {
    link.position = positions_;
    link.rate = rates_;
    positions_ += link.positions();
    rates_ += link.rates();
    links_.push_back(link);
  }
  const std::vector<TreeLink>& links() const { return links_; }
  std::size_t positions() const { return positions_; }
  std::size_t rates() const { return rates_; }

 private:
  std::vector<TreeLink> links_;
  std::size_t positions_ = 0;
  std::size_t rates_ = 0;
};

// With A = a·aᵀ: Rot(a, q) = A + cos q·(1 − A) + sin q·[a]
inline void TreeLink::set_turn(const Vec3& about, const Quaternion& at_zero) {
  axis = about;
  turn_at_zero = at_zero;
  const Mat3 turn = rotation_of(at_zero);
  const Vec3& a = axis;
  const Mat3 along{{a.x * a.x, a.x * a.y, a.x * a.z, a.y * a.x, a.y * a.y, a.y * a.z, a.z * a.x,
                    a.z * a.y, a.z * a.z}};
  Mat3 across;
  for (std::size_t i = 0; i < across.m.size(); ++i) {
    across.m[i] -= along.m[i];
  }
  rest = along * turn;
  cosine = across * turn;
  sine = Mat3{{0.0, -a.z, a.y, a.z, 0.0, -a.x, -a.y, a.x, 0.0}} * turn;
}

}  // namespace servosim
