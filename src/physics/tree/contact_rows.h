// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "physics/tree/body_row.h"
#include "physics/tree/tree_body.h"

// The rows of a contact, as ODE's contact joint has them. n is the normal, which points into the
// first body, v_n⁺ is the velocity of the first body against the second along n at the contact
// point, and v_t⁺ is that along a tangent t. depth is the penetration:
//
//     normal:    v_n⁺ + cfm·λ_n = max(erp/h·depth, −bounce·v_n),    λ_n ≥ 0
//     friction:  v_t⁺ + slip·λ_t = motion,                          |λ_t| ≤ μ·λ_n
//     rolling:   ω_a⁺ + cfm·τ_a = 0,                                |τ_a| ≤ ρ·λ_n
//
// The bounce counts only if the bodies approach faster than bounce_vel. Rolling friction acts about
// both tangents and the normal. Each parameter counts only if its bit of the surface's mode is set;
// otherwise
//
//     erp, cfm, slip:  those of the world (dContactSoftERP, SoftCFM, Slip1, Slip2)
//     bounce, motion:  0 (dContactBounce, Motion1, Motion2)
//     second μ and ρ:  the first (dContactAxisDep)
//
// λ and τ act on the first body. Friction is a box (a bound for each tangent) and not a cone.
// Source: contact.cpp of ODE 0.16, and its manual, "Contact" and "dSurfaceParameters".

namespace servosim {

struct ContactJoint;

/// Limits the rows of a contact: its normal, two directions of friction, three axes of rolling.
inline constexpr std::size_t kMaxContactRows = 6;

/// Adds the rows that ODE's contact joint has in the next step. `bodies` are those of the contact's
/// two geoms; null is the world.
void add_contact_rows(const ContactJoint& contact, const std::array<const TreeBody*, 2>& bodies,
                      const StepSettings& settings, std::vector<BodyRow>& rows);

/// The least softness of a row that soften() makes for islands that ODE cannot have, relative to
/// the mobility of its bodies.
inline constexpr double kLeastSoftness = 1e-9;
/// Gives rows without softness some, so that forces of redundant rows are unique: `softness`, and
/// at least `least` of the mobility of their bodies.
void soften(std::span<BodyRow> rows, double softness, double least);

/// Returns the force of a solved contact on the first of its bodies that is not the world [N].
Vec3 force_of_contact(std::span<const BodyRow> rows);

/// Keeps the states in which the rows of contacts started the solution of the last step, for the
/// rows of the next step. They save rounds. A solution does not depend on them, but for rounding;
/// whether one is found within the limit of rounds may.
class ContactStates {
 public:
  /// Must be called with the contacts of a step. A contact between the same shapes as before gets
  /// the states of that contact.
  void match(std::span<const ContactJoint> contacts) {
    if (!contacts.empty() || !states_.empty()) {
      match_all(contacts);
    }
  }
  /// These copy the states to the rows of a contact before the solution, and back after it.
  void load(std::size_t contact, std::span<BodyRow> rows) const;
  void store(std::size_t contact, std::span<const BodyRow> rows);
  /// Makes the rows of a contact start without states of an earlier solution.
  void forget(std::size_t contact);

 private:
  // match() for steps with contacts.
  void match_all(std::span<const ContactJoint> contacts);
  // The states of one contact; `shapes` identifies the two shapes.
  struct OfContact {
    std::uint64_t shapes = 0;
    std::array<std::array<Row::State, kPhases>, kMaxContactRows> rows{};
  };
  std::vector<OfContact> states_;
  std::vector<OfContact> before_;
};

}  // namespace servosim
