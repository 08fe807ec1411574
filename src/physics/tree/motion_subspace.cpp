// SPDX-License-Identifier: Apache-2.0
#include "physics/tree/motion_subspace.h"

#include <algorithm>
#include <cmath>

#include "base/assert.h"

// How the rows of a ball or a Hinge2 become one law, and how its forces become those of rows again.
// With V = (v1, v2, …), the directions r with rows inside their bounds in ascending order of
// softness, and Q with r = V·Q:
//
//     targets in V:         e_V = Q⁻ᵀ·e
//     spanned direction:    f = share·(e − q·e_V),    e_V += f·g        (r = V·q, g = Γ·q)
//     forces of its rows:   λ = f + share·g·(forces along V),    forces along V −= λ·q
//     forces of the others: Q⁻¹·(forces along V)
//
// where share = 1/(c_e + q·g). Spanned directions are added from the first to the last and removed
// from the last to the first. Source: docs/explanation/solver.md, "More than one free direction".
// Signs: forces act on the child, rates are those of the child against the parent, both along +r.

namespace servosim {

namespace {

using State = Row::State;

double& at(Vec3& v, std::size_t i) { return i == 0 ? v.x : i == 1 ? v.y : v.z; }

// A direction counts as spanned by others if the rest of it is shorter than this. The rest is then
// neglected.
constexpr double kSpanned = 1e-6;

}  // namespace

// What does not depend on the states of rows: E, the softness in it, and the directions of rows.
void DirectionRows::begin(const TreeNode& n) {
  subspace_ = n.subspace;
  is_folded_ = false;
  directions = subspace_->directions.data();
  count = subspace_->count;
  row_directions = subspace_->rows.direction_count();
  SERVOSIM_ASSERT(count <= 3 && row_directions <= kMaxRowDirections, "{} directions, {} with rows",
                  count, row_directions);
  inertia = subspace_->inertia.data();
  // c differs between turns and translations.
  const auto softness = [&n](const Direction& d) {
    return d.turns ? n.angular_softness : n.linear_softness;
  };
  const Direction* const e = directions;
  softness_ = {softness(e[0]), softness(e[1]), softness(e[2])};
  const Vec3 none;
  // A turn and a translation are perpendicular to each other.
  const auto part = [&none](const Direction& of_e, const Direction& d) {
    return dot(of_e.axis, of_e.turns == d.turns ? d.axis : none);
  };
  for (std::size_t i = 0; i < row_directions; ++i) {
    const Direction& d = subspace_->rows.direction(i);
    in_free[i] = {part(e[0], d), part(e[1], d), part(e[2], d)};
  }
}

// The order matters: the basis needs the folded directions, the compliance needs Q.
void DirectionRows::fold() {
  if (is_folded_) {
    return;
  }
  is_folded_ = true;
  is_new = true;
  Vec3 force;
  for (const AxesRows::OfDirection& row : subspace_->rows) {
    if (row.state != State::Inside) {
      // φ in terms of E.
      force = force + row.force_at_bound() * in_free[row.direction];
    }
  }
  fold_directions();
  span_stiff();
  complete_basis();
  set_compliance();
  set_forcing(&Inside::target, force, forcing, of_spanned_);
}

// The rows of a direction become one, as fold() does for an axis.
void DirectionRows::fold_directions() {
  struct Sums {
    AxesRows::OfDirection* stiffest;
    int count;
    double stiffness;
    double pull;
  };
  Sums sums[kMaxRowDirections];
  for (std::size_t i = 0; i < row_directions; ++i) {
    sums[i] = {nullptr, 0, 0.0, 0.0};
  }
  for (AxesRows::OfDirection& row : subspace_->rows) {
    if (row.state == State::Inside) {
      Sums& of = sums[row.direction];
      ++of.count;
      of.stiffest =
          of.stiffest == nullptr || row.softness < of.stiffest->softness ? &row : of.stiffest;
      of.stiffness += 1.0 / row.softness;
      of.pull += row.target / row.softness;
    }
  }
  inside_count_ = 0;
  for (std::size_t i = 0; i < row_directions; ++i) {
    const auto& [stiffest, count_inside, stiffness, pull] = sums[i];
    if (stiffest == nullptr) {
      continue;
    }
    // A hard row determines the rate alone.
    const bool one = count_inside == 1 || stiffest->softness <= 0.0;
    const double softness = one ? stiffest->softness : 1.0 / stiffness;
    // Insertion by softness, the stiffest first: then Γ has no small differences of large numbers.
    std::size_t place = inside_count_++;
    for (; place > 0 && inside_[place - 1].softness > softness; --place) {
      inside_[place] = inside_[place - 1];
    }
    Inside& to = inside_[place];
    to.direction = i;
    to.stiffest = stiffest;
    to.softness = softness;
    to.target = one ? stiffest->target : pull / stiffness;
  }
  SERVOSIM_ASSERT(
      std::is_sorted(inside_.begin(), inside_.begin() + inside_count_,
                     [](const Inside& a, const Inside& b) { return a.softness < b.softness; }),
      "{} directions", inside_count_);
  for (std::size_t i = 0; i < inside_count_; ++i) {
    inside_of_[inside_[i].direction] = i;
  }
}

// Gram–Schmidt: each direction becomes a column of Q, and its rest, with length one, the next
// vector of V. Three vectors span all of E.
void DirectionRows::span_stiff() {
  stiff_count = 0;
  std::array<Vec3, 3> q;  // columns of Q
  for (std::size_t i = 0; i < inside_count_; ++i) {
    Inside& in = inside_[i];
    Vec3 remainder = in_free[in.direction];
    Vec3 parts_in_basis;
    if (stiff_count > 0) {
      parts_in_basis.x = dot(basis[0], remainder);
      remainder = remainder - parts_in_basis.x * basis[0];
    }
    if (stiff_count > 1) {
      parts_in_basis.y = dot(basis[1], remainder);
      remainder = remainder - parts_in_basis.y * basis[1];
    }
    if (stiff_count > 2) {
      parts_in_basis.z = dot(basis[2], remainder);
      remainder = remainder - parts_in_basis.z * basis[2];
    }
    const double length = norm(remainder);
    // Three vectors span everything.
    in.is_spanned = stiff_count == 3 || length < kSpanned;
    if (in.is_spanned) {
      in.in_stiff = parts_in_basis;
      continue;
    }
    basis[stiff_count] = (1.0 / length) * remainder;
    Vec3& column = q[stiff_count];
    column.x = stiff_count == 0 ? length : parts_in_basis.x;
    column.y = stiff_count == 1 ? length : parts_in_basis.y;
    column.z = stiff_count == 2 ? length : parts_in_basis.z;
    ++stiff_count;
  }
  SERVOSIM_ASSERT(stiff_count <= 3 && stiff_count <= inside_count_, "{} of {}", stiff_count,
                  inside_count_);
  // Q is upper triangular, and so is its inverse.
  const double x = stiff_count > 0 ? 1.0 / q[0].x : 0.0;
  const double y = stiff_count > 1 ? 1.0 / q[1].y : 0.0;
  const double z = stiff_count > 2 ? 1.0 / q[2].z : 0.0;
  const double xy = -x * q[1].x * y;
  to_rows_ = {{x, xy, -(x * q[2].x + xy * q[2].y) * z, 0.0, y, -y * q[2].y * z, 0.0, 0.0, z}};
}

// U completes V to an orthonormal basis.
void DirectionRows::complete_basis() {
  const Vec3& v = basis[0];
  if (stiff_count == 0) {
    basis[0] = {1.0, 0.0, 0.0};
    basis[1] = {0.0, 1.0, 0.0};
    basis[2] = {0.0, 0.0, 1.0};
  } else if (stiff_count == 1) {
    // The cross product with the z axis where possible: the third direction may have another unit.
    basis[1] =
        unit_or(cross(v, std::abs(v.z) < 0.7 ? Vec3{0.0, 0.0, 1.0} : Vec3{1.0, 0.0, 0.0}), {});
    basis[2] = cross(v, basis[1]);
  } else if (stiff_count == 2) {
    basis[2] = cross(v, basis[1]);
  }
}

// γ = Γ − c. Γ is that of the rows that span V; each spanned direction then makes it stiffer.
void DirectionRows::set_compliance() {
  SymMat3 gives;
  std::size_t next = 0;
  for (std::size_t i = 0; i < inside_count_; ++i) {
    if (!inside_[i].is_spanned) {
      const double* const row = &to_rows_.m[3 * next++];
      gives = gives + inside_[i].softness * outer(Vec3{row[0], row[1], row[2]});
    }
  }
  for (std::size_t i = 0; i < inside_count_; ++i) {
    if (Inside& in = inside_[i]; in.is_spanned) {
      in.gives = gives * in.in_stiff;
      in.share = 1.0 / (in.softness + dot(in.in_stiff, in.gives));
      gives = gives - in.share * outer(in.gives);
    }
  }
  // c in the basis V, where N₀ already contains it.
  const auto own_of = [this](std::size_t i) {
    return i < stiff_count ? dot(basis[i], scaled(softness_, basis[i])) : 0.0;
  };
  const Vec3 own{own_of(0), own_of(1), own_of(2)};
  compliance = {gives.xx - own.x, gives.xy, gives.xz, gives.yy - own.y, gives.yz, gives.zz - own.z};
}

// Each spanned direction moves the target towards its own, by its share.
Vec3 DirectionRows::wanted_of_all(double Inside::*asked, OfRows& of_spanned) const {
  Vec3 of_rows;  // of the directions that span V
  std::size_t next = 0;
  for (std::size_t i = 0; i < inside_count_; ++i) {
    if (!inside_[i].is_spanned) {
      at(of_rows, next++) = inside_[i].*asked;
    }
  }
  Vec3 wanted = transposed_times(to_rows_, of_rows);
  for (std::size_t i = 0; i < inside_count_; ++i) {
    if (const Inside& in = inside_[i]; in.is_spanned) {
      of_spanned[i] = in.share * (in.*asked - dot(in.in_stiff, wanted));
      wanted = wanted + of_spanned[i] * in.gives;
    }
  }
  return wanted;
}

// targets = Q⁻ᵀ·e + c·Vᵀ·φ. With no direction spanned by others, the loop of wanted_of_all() is
// spared.
void DirectionRows::set_forcing(double Inside::*asked, const Vec3& force, Forcing& to,
                                OfRows& of_spanned) const {
  Vec3 wanted;
  if (inside_count_ == stiff_count) {  // no direction is spanned
    const auto of_row = [&](std::size_t i) { return i < stiff_count ? inside_[i].*asked : 0.0; };
    wanted = transposed_times(to_rows_, Vec3{of_row(0), of_row(1), of_row(2)});
  } else {
    wanted = wanted_of_all(asked, of_spanned);
  }
  // N₀ contains the softness of the joint, so φ also moves the rows' target by c·φ.
  const Vec3 softened_force = scaled(softness_, force);
  const auto with_force = [&](std::size_t i, double target) {
    return i < stiff_count ? target + dot(basis[i], softened_force) : target;
  };
  // The members are copied one by one: a copy of all bytes waits until each of them is stored.
  to.force.x = force.x;
  to.force.y = force.y;
  to.force.z = force.z;
  to.targets.x = with_force(0, wanted.x);
  to.targets.y = with_force(1, wanted.y);
  to.targets.z = with_force(2, wanted.z);
}

// The forces of the last solution do not count.
void DirectionRows::set_forces() {
  for (std::size_t i = 0; i < inside_count_; ++i) {
    inside_[i].force = 0.0;
  }
  add_to_forces(of_spanned_);
  distribute();
}

// The forces of a correction are in `along`, and come on top of those that exist.
void DirectionRows::correct_forces() {
  add_to_forces(correcting_);
  distribute();
}

// Spanned directions first, the last one first: their forces follow from the rates. The directions
// that span V get Q⁻¹ times the rest.
void DirectionRows::add_to_forces(const OfRows& of_spanned) {
  Vec3 remainder = along;
  if (inside_count_ > stiff_count) {
    for (std::size_t i = inside_count_; i-- > 0;) {
      if (Inside& in = inside_[i]; in.is_spanned) {
        const double force = of_spanned[i] + in.share * dot(in.gives, remainder);
        in.force += force;
        remainder = remainder - force * in.in_stiff;
      }
    }
  }
  const Vec3 of_rows = to_rows_ * remainder;
  const std::array<double, 3> forces{of_rows.x, of_rows.y, of_rows.z};
  std::size_t next = 0;
  for (std::size_t i = 0; i < inside_count_; ++i) {
    if (!inside_[i].is_spanned) {
      inside_[i].force += forces[next++];
    }
  }
}

// The stiffest row of a direction gets what the others leave of the force, as on an axis.
void DirectionRows::distribute() {
  for (std::size_t i = 0; i < inside_count_; ++i) {
    inside_[i].stiffest->force = inside_[i].force;
  }
  double rates[kMaxRowDirections];
  for (std::size_t i = 0; i < row_directions; ++i) {
    rates[i] = part_along(subspace_->rows.direction(i), relative);
  }
  for (AxesRows::OfDirection& row : subspace_->rows) {
    row.rate = rates[row.direction];
    if (row.state != State::Inside) {
      row.force = row.force_at_bound();
    } else if (AxesRows::OfDirection& stiffest = *inside_[inside_of_[row.direction]].stiffest;
               &row != &stiffest) {
      row.force = (row.target - row.rate) / row.softness;
      stiffest.force -= row.force;
    }
  }
}

// The refinement must give the rows this change of the rate, with the weights of the folding, and
// the free directions this force.
void DirectionRows::find_missing() {
  Vec3 lacking = -force_part;
  for (std::size_t i = 0; i < inside_count_; ++i) {
    inside_[i].missing = 0.0;
  }
  for (const AxesRows::OfDirection& row : subspace_->rows) {
    lacking = lacking + row.force * in_free[row.direction];
    if (row.state == State::Inside) {
      Inside& in = inside_[inside_of_[row.direction]];
      // The weight of a row among those of its direction is c_e/c_i.
      in.missing -= row.residual() * in.softness / row.softness;
    }
  }
  for (std::size_t i = 0; i < inside_count_; ++i) {
    if (const Row& stiffest = *inside_[i].stiffest; stiffest.softness <= 0.0) {
      // A hard row determines the rate alone.
      inside_[i].missing = -stiffest.residual();
    }
  }
  set_forcing(&Inside::missing, lacking, correction, correcting_);
}

}  // namespace servosim
