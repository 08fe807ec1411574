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

/// Says which terms of a link are always 0, so that a kernel can leave them out: this changes no
/// bit of a result but the sign of a zero. LinkModel::add() finds it.
struct LinkTraits {
  /// R is always 1: nothing turns between the world and the link.
  bool is_upright = false;
  /// The same holds for the parent, or it is the world.
  bool hangs_upright = false;
  bool is_turned = true;     ///< R₀ is not 1
  bool is_diagonal = false;  ///< the inertia is
  /// The axis is plus or minus this axis of the parent, 0 to 2; else -1.
  int along = -1;
  double sign = 1.0;
  // The components that are not 0: bit i stands for component i.
  unsigned anchor_parts = 7;
  unsigned arm_parts = 7;
  /// Index of the last link that hangs on this one; -1 for none.
  int last_child = -1;

  [[gnu::always_inline]] bool is_leaf() const { return last_child < 0; }
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
  LinkTraits traits;

  [[gnu::always_inline]] bool has_axis() const {
    return kind == LinkKind::Hinge || kind == LinkKind::Slider;
  }
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
    find_traits(link);
    if (link.parent >= 0) {
      links_[static_cast<std::size_t>(link.parent)].traits.last_child =
          static_cast<int>(links_.size());
    }
    links_.push_back(link);
  }
  const std::vector<TreeLink>& links() const { return links_; }
  std::size_t positions() const { return positions_; }
  std::size_t rates() const { return rates_; }

 private:
  void find_traits(TreeLink& link) const;

  std::vector<TreeLink> links_;
  std::size_t positions_ = 0;
  std::size_t rates_ = 0;
};

inline void LinkModel::find_traits(TreeLink& link) const {
  const auto parts_of = [](const Vec3& v) {
    return (v.x != 0.0 ? 1U : 0U) | (v.y != 0.0 ? 2U : 0U) | (v.z != 0.0 ? 4U : 0U);
  };
  LinkTraits& traits = link.traits;
  traits = {};
  const SymMat3& inertia = link.inertia;
  traits.is_diagonal = inertia.xy == 0.0 && inertia.xz == 0.0 && inertia.yz == 0.0;
  if (link.kind == LinkKind::Free) {
    return;
  }
  const Quaternion& turn = link.turn_at_zero;
  traits.is_turned = !(turn.w == 1.0 && turn.x == 0.0 && turn.y == 0.0 && turn.z == 0.0);
  traits.hangs_upright =
      link.parent < 0 || links_[static_cast<std::size_t>(link.parent)].traits.is_upright;
  traits.is_upright = traits.hangs_upright && !traits.is_turned && link.kind != LinkKind::Hinge;
  const double axis[3] = {link.axis.x, link.axis.y, link.axis.z};
  const unsigned along = parts_of(link.axis);
  for (int i = 0; i < 3; ++i) {
    if (along == 1U << i && (axis[i] == 1.0 || axis[i] == -1.0)) {
      traits.along = i;
      traits.sign = axis[i];
    }
  }
  traits.anchor_parts = parts_of(link.anchor);
  traits.arm_parts = parts_of(link.arm);
}

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
