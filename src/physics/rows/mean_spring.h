// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "physics/rows/axis_laws.h"
#include "physics/rows/servo_law.h"

// A spring k with a damper d in a step in which the position moves by the mean of the rates,
// p⁺ = p + h/2·(v + v⁺). Its force is that in the middle of the step, within bounds that a stiff
// spring or damper needs:
//
//     λ = −k·(p + h/4·((1 − β)·v + (1 + 3·β)·v⁺)) − d·((1 − ϑ)·v + ϑ·v⁺)
//
// ϑ and β are those of servo_law.h for the inertia D that the axis moves: ϑ makes the decay of a
// damper right up to the fourth power of h·d/D, and tends to 1. β tends to 0 in a step that
// resolves the spring, whose energy then stays, and to 1 in one that does not. With m = (v + v⁺)/2,
// the part of β is −k·h·β·(m/2 + (v⁺ − v)/2): its first half takes energy, and its second half is a
// mass of k·h²·β/2, so the energy D·v²/2 + k·h²·β/4·v² + k·p²/2 does not grow. An armature a is a
// part of D, and adds −a·(v⁺ − v)/h to λ.

namespace servosim {

/// Holds the terms of the row of a spring, whose force has no bounds.
template <class Real>
struct MeanSpringTermsOf {
  Real softness{};
  Real target{};
};

/// Returns the terms of the row of an active spring for such a step, for single numbers or lanes.
/// @param made_for  the length of the step for which `spring` was made [s]
/// @param from_rest  p [rad|m]; that of `spring` has no meaning
/// @param rate  v [rad/s|m/s]
/// @param inertia  D without the armature [kg·m²|kg]; > 0
template <class Real>
[[gnu::always_inline]] inline MeanSpringTermsOf<Real> mean_spring_terms(
    const SpringRow& spring, double made_for, const Real& from_rest, const Real& rate,
    const Real& inertia, const StepSettings& settings) {
  const SpringConstants of = constants_of(spring, made_for);
  const double k = of.stiffness;
  const double d = of.damping;
  const double h = settings.h;
  const double per_rate = of.armature / h;
  const auto weights =
      detail::servo_weights(Real{} + k, Real{} + d, Real(inertia + of.armature), h);
  const double of_spring = 0.25 * h * k;
  const Real stiffness = (1.0 + 3.0 * weights.beta) * of_spring + weights.theta * d + per_rate;
  const Real force =
      -k * from_rest -
      ((1.0 - weights.beta) * of_spring + (1.0 - weights.theta) * d - per_rate) * rate;
  const Real cfm = 1.0 / stiffness;
  return {cfm * settings.per_step,
          within(-kMaxSpeed, kMaxSpeed, Real(force * cfm)) * settings.per_step};
}

/// The same as the terms of a row.
inline RowTerms mean_spring_row_terms(const SpringRow& spring, double made_for, double rate,
                                      double inertia, const StepSettings& settings) {
  SERVOSIM_ASSERT(spring.active && spring.cfm > 0.0, "cfm {}", spring.cfm);
  const MeanSpringTermsOf<double> terms =
      mean_spring_terms(spring, made_for, spring.from_rest, rate, inertia, settings);
  return {terms.softness, terms.target, -kInfinity, kInfinity};
}

}  // namespace servosim
