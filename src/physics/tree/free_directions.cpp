// SPDX-License-Identifier: Apache-2.0
#include "physics/tree/free_directions.h"

#include <cmath>

namespace servosim {

namespace {

using State = Row::State;

// m − v·wᵀ, as a part of a difference that is symmetric.
void subtract_outer(SpatialMatrix& m, const SpatialVector& v, const SpatialVector& w) {
  const auto upper = [](SymMat3& s, const Vec3& a, const Vec3& b) {
    s.xx -= a.x * b.x;
    s.xy -= a.x * b.y;
    s.xz -= a.x * b.z;
    s.yy -= a.y * b.y;
    s.yz -= a.y * b.z;
    s.zz -= a.z * b.z;
  };
  upper(m.a, v.linear, w.linear);
  upper(m.d, v.angular, w.angular);
  const double rows[3] = {v.linear.x, v.linear.y, v.linear.z};
  for (int i = 0; i < 3; ++i) {
    m.b.m[3 * i] -= rows[i] * w.angular.x;
    m.b.m[3 * i + 1] -= rows[i] * w.angular.y;
    m.b.m[3 * i + 2] -= rows[i] * w.angular.z;
  }
}

double force_at_bound(const Row& row) {
  return row.state == State::AtLow ? row.low : row.state == State::AtHigh ? row.high : 0.0;
}

// r·s·rᵀ for a matrix whose rows are these.
SymMat3 in_basis(const std::array<Vec3, 3>& r, const SymMat3& s) {
  const Vec3 x = s * r[0];
  const Vec3 y = s * r[1];
  const Vec3 z = s * r[2];
  return {dot(r[0], x), dot(r[0], y), dot(r[0], z), dot(r[1], y), dot(r[1], z), dot(r[2], z)};
}

Mat3 with_columns(const Vec3& x, const Vec3& y, const Vec3& z) {
  return {{x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z}};
}

// By Cramer's rule: the columns of the inverse are cross products of rows.
Mat3 inverse(const Mat3& a) {
  const Vec3 rows[3] = {
      {a.m[0], a.m[1], a.m[2]}, {a.m[3], a.m[4], a.m[5]}, {a.m[6], a.m[7], a.m[8]}};
  const Vec3 c0 = cross(rows[1], rows[2]);
  const double s = 1.0 / dot(rows[0], c0);
  return with_columns(s * c0, s * cross(rows[2], rows[0]), s * cross(rows[0], rows[1]));
}

// Of a matrix that is symmetric.
SymMat3 symmetric(const Mat3& m) { return {m.m[0], m.m[1], m.m[2], m.m[4], m.m[5], m.m[8]}; }

double& at(Vec3& v, std::size_t i) { return i == 0 ? v.x : i == 1 ? v.y : v.z; }

// Of a direction that others span: the part that they leave. What it does is then lost.
constexpr double kSpanned = 1e-6;

}  // namespace

void FreeDirections::eliminate(const TreeNode& n) {
  is_folded_ = false;
  const SpatialMatrix& m = n.through;
  if (n.kind == TreeNode::Kind::Ball) {  // whose directions are the world's axes
    const auto& b = m.b.m;
    through_ = {{{{b[0], b[3], b[6]}, {m.d.xx, m.d.xy, m.d.xz}},
                 {{b[1], b[4], b[7]}, {m.d.xy, m.d.yy, m.d.yz}},
                 {{b[2], b[5], b[8]}, {m.d.xz, m.d.yz, m.d.zz}}}};
    softness_ = {n.angular_softness, n.angular_softness, n.angular_softness};
    inertia_matrix_ = m.d;
    set_inertias();
    return;
  }
  double softness[3];
  for (std::size_t i = 0; i < directions.size(); ++i) {
    const Direction& d = directions[i];
    through_[i] = d.turns ? SpatialVector{m.b * d.axis, m.d * d.axis}
                          : SpatialVector{m.a * d.axis, transposed_times(m.b, d.axis)};
    softness[i] = d.turns ? n.angular_softness : n.linear_softness;
  }
  softness_ = {softness[0], softness[1], softness[2]};
  const Vec3 on[3] = {parts(through_[0]), parts(through_[1]), parts(through_[2])};
  // A direction that is none: 1, so that there is an inverse.
  inertia_matrix_ = {on[0].x, on[0].y, on[0].z, on[1].y, on[1].z, count > 2 ? on[2].z : 1.0};
  set_inertias();
}

void FreeDirections::set_inertias() {
  for (std::size_t i = 0; i < rows.direction_count(); ++i) {
    in_free_[i] = parts(1.0 * rows.direction(i));
    inertia_[i] = dot(in_free_[i], inertia_matrix_ * in_free_[i]);
  }
}

void FreeDirections::fold() {
  if (is_folded_) {
    return;
  }
  is_folded_ = true;
  Vec3 force;
  for (const AxesRows::OfDirection& row : rows) {
    if (row.state != State::Inside) {
      force = force + force_at_bound(row) * in_free_[row.direction];
    }
  }
  inside_count_ = 0;
  for (std::size_t i = 0; i < rows.direction_count(); ++i) {
    fold_direction(i);
  }
  span_stiff();
  complete_basis();
  eliminate_rest();
  set_compliance();
  std::array<double, kMaxRowDirections> targets{};
  for (std::size_t i = 0; i < inside_count_; ++i) {
    targets[i] = inside_[i].target;
  }
  push_ = push_for(targets, force);
}

void FreeDirections::fold_direction(std::size_t direction) {
  double stiffness = 0.0;
  double pull = 0.0;
  int count_inside = 0;
  AxesRows::OfDirection* stiffest = nullptr;
  for (AxesRows::OfDirection& row : rows) {
    if (row.direction == direction && row.state == State::Inside) {
      ++count_inside;
      stiffest = stiffest == nullptr || row.softness < stiffest->softness ? &row : stiffest;
      stiffness += 1.0 / row.softness;
      pull += row.target / row.softness;
    }
  }
  if (stiffest == nullptr) {
    return;
  }
  const bool one = count_inside == 1 || stiffest->softness <= 0.0;
  const double softness = one ? stiffest->softness : 1.0 / stiffness;
  // The stiffest direction first: Γ then has no small differences of large numbers.
  std::size_t place = inside_count_++;
  for (; place > 0 && inside_[place - 1].softness > softness; --place) {
    inside_[place] = inside_[place - 1];
  }
  Inside& to = inside_[place];
  to.direction = direction;
  to.stiffest = stiffest;
  to.softness = softness;
  to.target = one ? stiffest->target : pull / stiffness;
}

// V, and Q⁻¹ where r = V·Q are the directions of rows that span it, each with those before it.
void FreeDirections::span_stiff() {
  stiff_count_ = 0;
  std::array<Vec3, 3> q;  // columns of Q
  for (std::size_t i = 0; i < inside_count_; ++i) {
    Inside& in = inside_[i];
    Vec3 rest = in_free_[in.direction];
    Vec3 parts_in_basis;
    for (std::size_t j = 0; j < stiff_count_; ++j) {
      const double part = dot(basis_[j], rest);
      at(parts_in_basis, j) = part;
      rest = rest - part * basis_[j];
    }
    const double length = norm(rest);
    in.is_spanned = stiff_count_ == 3 || length < kSpanned;
    if (in.is_spanned) {
      in.in_stiff = parts_in_basis;
      continue;
    }
    basis_[stiff_count_] = (1.0 / length) * rest;
    at(parts_in_basis, stiff_count_) = length;
    q[stiff_count_++] = parts_in_basis;
  }
  // Q is 0 below its diagonal, and so is its inverse.
  const double x = stiff_count_ > 0 ? 1.0 / q[0].x : 0.0;
  const double y = stiff_count_ > 1 ? 1.0 / q[1].y : 0.0;
  const double z = stiff_count_ > 2 ? 1.0 / q[2].z : 0.0;
  const double xy = -x * q[1].x * y;
  to_rows_ = {{x, xy, -(x * q[2].x + xy * q[2].y) * z, 0.0, y, -y * q[2].y * z, 0.0, 0.0, z}};
}

void FreeDirections::complete_basis() {
  const Vec3& v = basis_[0];
  if (stiff_count_ == 0) {
    basis_ = {{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
  } else if (stiff_count_ == 1) {
    // With the z axis where it can be, which may be of another unit.
    basis_[1] =
        unit_or(cross(v, std::abs(v.z) < 0.7 ? Vec3{0.0, 0.0, 1.0} : Vec3{1.0, 0.0, 0.0}), {});
    basis_[2] = cross(v, basis_[1]);
  } else if (stiff_count_ == 2) {
    basis_[2] = cross(v, basis_[1]);
  }
}

// F, L and W. Only what has no rows inside their bounds is inverted.
void FreeDirections::eliminate_rest() {
  if (stiff_count_ == 0) {
    mobility_ = inverse(inertia_matrix_);
    stiff_ = with_columns({}, {}, {});
    stiff_inertia_ = {};
    return;
  }
  const SymMat3 a = in_basis(basis_, inertia_matrix_);
  if (stiff_count_ == 3) {
    mobility_ = {};
    stiff_ = with_columns(basis_[0], basis_[1], basis_[2]);
    stiff_inertia_ = a;
    return;
  }
  const Vec3& u = basis_[2];
  if (stiff_count_ == 2) {
    const double inverse = 1.0 / a.zz;
    mobility_ = inverse * outer(u);
    const double x = a.xz * inverse;
    const double y = a.yz * inverse;
    stiff_ = with_columns(basis_[0] - x * u, basis_[1] - y * u, {});
    stiff_inertia_ = {a.xx - x * a.xz, a.xy - x * a.yz, 0.0, a.yy - y * a.yz, 0.0, 0.0};
    return;
  }
  const double scale = 1.0 / (a.yy * a.zz - a.yz * a.yz);
  const Vec3& t = basis_[1];
  const double tt = scale * a.zz;
  const double tu = -scale * a.yz;
  const double uu = scale * a.yy;
  const Vec3 of_t = tt * t + tu * u;
  const Vec3 of_u = tu * t + uu * u;
  mobility_ = {t.x * of_t.x + u.x * of_u.x, t.x * of_t.y + u.x * of_u.y,
               t.x * of_t.z + u.x * of_u.z, t.y * of_t.y + u.y * of_u.y,
               t.y * of_t.z + u.y * of_u.z, t.z * of_t.z + u.z * of_u.z};
  stiff_ = with_columns(basis_[0] - a.xy * of_t - a.xz * of_u, {}, {});
  stiff_inertia_ = {a.xx - a.xy * (tt * a.xy + tu * a.xz) - a.xz * (tu * a.xy + uu * a.xz),
                    0.0,
                    0.0,
                    0.0,
                    0.0,
                    0.0};
}

// γ, H and η. Γ is Q⁻ᵀ·diag(c_e)·Q⁻¹ of the rows that span V, which the others make stiffer.
void FreeDirections::set_compliance() {
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
  Vec3 own;
  for (std::size_t i = 0; i < stiff_count_; ++i) {
    at(own, i) = dot(basis_[i], scaled(softness_, basis_[i]));
  }
  compliance_ = {gives.xx - own.x, gives.xy, gives.xz,
                 gives.yy - own.y, gives.yz, gives.zz - own.z};
  if (stiff_count_ <= 1) {  // the numbers of an axis
    const double share = 1.0 / (1.0 + compliance_.xx * stiff_inertia_.xx);
    share_ = {{share, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}};
    gain_ =
        mobility_ + (share * compliance_.xx) * outer(Vec3{stiff_.m[0], stiff_.m[3], stiff_.m[6]});
    return;
  }
  const SymMat3& w = stiff_inertia_;
  Mat3 one_plus_product =
      compliance_ * Mat3{{w.xx, w.xy, w.xz, w.xy, w.yy, w.yz, w.xz, w.yz, w.zz}};
  one_plus_product.m[0] += 1.0;
  one_plus_product.m[4] += 1.0;
  one_plus_product.m[8] += 1.0;
  share_ = inverse(one_plus_product);
  gain_ = mobility_ + rotated(stiff_, symmetric(share_ * compliance_));
}

FreeDirections::Push FreeDirections::push_for(const std::array<double, kMaxRowDirections>& targets,
                                              const Vec3& force) const {
  Push push;
  push.force = force;
  Vec3 of_rows;  // that span V
  std::size_t next = 0;
  for (std::size_t i = 0; i < inside_count_; ++i) {
    if (!inside_[i].is_spanned) {
      at(of_rows, next++) = targets[i];
    }
  }
  Vec3 wanted = transposed_times(to_rows_, of_rows);
  for (std::size_t i = 0; i < inside_count_; ++i) {
    if (const Inside& in = inside_[i]; in.is_spanned) {
      push.rows[i] = in.share * (targets[i] - dot(in.in_stiff, wanted));
      wanted = wanted + push.rows[i] * in.gives;
    }
  }
  const Vec3 softened_force = scaled(softness_, force);
  for (std::size_t i = 0; i < stiff_count_; ++i) {
    at(wanted, i) += dot(basis_[i], softened_force);
  }
  push.targets = wanted;
  push.slip = mobility_ * force +
              stiff_ * (share_ * (wanted + compliance_ * transposed_times(stiff_, force)));
  return push;
}

SpatialMatrix FreeDirections::as_seen_by_parent(const TreeNode& n) const {
  SpatialMatrix m = n.through;
  const Vec3 gains[3] = {{gain_.xx, gain_.xy, gain_.xz},
                         {gain_.xy, gain_.yy, gain_.yz},
                         {gain_.xz, gain_.yz, gain_.zz}};
  for (std::size_t i = 0; i < count; ++i) {
    const Vec3& g = gains[i];
    subtract_outer(m, through_[i], g.x * through_[0] + g.y * through_[1] + g.z * through_[2]);
  }
  return m;
}

FreeDirections::Transmitted FreeDirections::transmitted(const SpatialVector& held,
                                                        const Vec3& slip) const {
  const Vec3 s = slip - gain_ * parts(held);
  return {held + s.x * through_[0] + s.y * through_[1] + s.z * through_[2], sum(s)};
}

void FreeDirections::set_forces(const SpatialVector& held, const SpatialVector& relative) {
  for (std::size_t i = 0; i < inside_count_; ++i) {
    inside_[i].force = 0.0;
  }
  add_to_forces(held, push_);
  distribute(relative);
}

void FreeDirections::correct_forces(const SpatialVector& held, const Push& push,
                                    const SpatialVector& relative) {
  add_to_forces(held, push);
  distribute(relative);
}

// First the forces of rows that others span, as the rates ask for.
void FreeDirections::add_to_forces(const SpatialVector& held, const Push& push) {
  Vec3 along = transposed_times(
      share_, transposed_times(stiff_, parts(held) - push.force) + stiff_inertia_ * push.targets);
  for (std::size_t i = inside_count_; i-- > 0;) {
    if (Inside& in = inside_[i]; in.is_spanned) {
      const double force = push.rows[i] + in.share * dot(in.gives, along);
      in.force += force;
      along = along - force * in.in_stiff;
    }
  }
  const Vec3 of_rows = to_rows_ * along;
  std::size_t next = 0;
  for (std::size_t i = 0; i < inside_count_; ++i) {
    if (!inside_[i].is_spanned) {
      inside_[i].force += next == 0 ? of_rows.x : next == 1 ? of_rows.y : of_rows.z;
      ++next;
    }
  }
}

// The stiffest row of a direction has what the others leave of their force.
void FreeDirections::distribute(const SpatialVector& relative) {
  for (AxesRows::OfDirection& row : rows) {
    row.rate = part_along(rows.direction_of(row), relative);
    row.force = force_at_bound(row);
  }
  for (std::size_t i = 0; i < inside_count_; ++i) {
    const Inside& in = inside_[i];
    double rest = in.force;
    for (AxesRows::OfDirection& row : rows) {
      if (row.direction == in.direction && row.state == State::Inside && &row != in.stiffest) {
        row.force = (row.target - row.rate) / row.softness;
        rest -= row.force;
      }
    }
    in.stiffest->force = rest;
  }
}

FreeDirections::Push FreeDirections::missing(const SpatialVector& force) const {
  Vec3 lacking = -parts(force);
  for (const AxesRows::OfDirection& row : rows) {
    lacking = lacking + row.force * in_free_[row.direction];
  }
  std::array<double, kMaxRowDirections> targets{};
  for (std::size_t i = 0; i < inside_count_; ++i) {
    const Inside& in = inside_[i];
    if (in.stiffest->softness <= 0.0) {
      targets[i] = -in.stiffest->residual();
      continue;
    }
    for (const AxesRows::OfDirection& row : rows) {
      if (row.direction == in.direction && row.state == State::Inside) {
        targets[i] -= row.residual() * in.softness / row.softness;
      }
    }
  }
  return push_for(targets, lacking);
}

}  // namespace servosim
