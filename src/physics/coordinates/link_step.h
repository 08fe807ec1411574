// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "physics/coordinates/link_kernel.h"
#include "servosim/solver.h"

// A step of length h in the coordinates of a tree, from the positions q and the rates v:
//
//     v⁺ = v + h·a,    q⁺ = q ⊕ h·v̄,    v̄ = v + h/2·a,    a = a(q ⊕ h/2·v̄, v̄)
//
// This is the implicit midpoint rule, which is of second order. q ⊕ δ adds numbers of axes, and
// turns a free root by the finite turn δ. The equation of a is solved by iteration: an evaluation
// finds a from the a before it. The first a is extrapolated from the last two steps, which is worth
// more than one evaluation. Rows with bounds ask for v⁺, so they belong to the whole step. With one
// evaluation the step is semi-implicit Euler instead: a = a(q, v), q⁺ = q ⊕ h·v⁺.
//
// A free body that turns by x = |ω|·h keeps its angular momentum in a finite turn if its gyroscopic
// torque is taken f times, f = tan(x/2)/(x/2) = 1 + x²/12 + …: with the spin ω̄ in the middle of the
// step, in the body's axes,
//
//     I·(ω⁺ − ω) = −h·f·ω̄ × I·ω̄    ⟺    R⁺·I·ω⁺ = R·I·ω    with R⁺ = R·exp(h·[ω̄])
//
// since exp(h·[ω̄]) is Cayley's transform of h·f·ω̄. The torque does no work along ω̄, so the energy
// stays, too. Source of the midpoint rule on rotations: E. Hairer, C. Lubich, G. Wanner, "Geometric
// Numerical Integration" (2006), chapter VII.5.

namespace servosim {

/// Says how a step is computed.
struct StepRule {
  double h = 0.0;       ///< length of the step [s]
  int evaluations = 0;  ///< 1 to 8; 0: until the rates settle

  int most_evaluations() const { return evaluations == 0 ? kMaxEvaluations : evaluations; }
};

/// The rates have settled if none changes by more than this share of the fastest.
inline constexpr double kSettledRates = 1e-10;
/// With a number of evaluations that is given, this share is enough, or the step is divided.
inline constexpr double kRoughRates = 0.1;

/// How an iteration ended. Lanes take as many evaluations as the one that takes the most.
template <class V>
struct SolvedStepOf {
  int evaluations = 0;
  ConditionOf<V> has_settled{};
};
using SolvedStep = SolvedStepOf<Vec3>;

/// What a tree keeps from step to step besides its state: the accelerations in the middle of the
/// last two steps, or of their last parts. It determines where the iteration starts, and how long
/// the first part of the next step is.
struct StepHistory {
  explicit StepHistory(std::size_t rates) : last(rates), before(rates) {}
  std::vector<double> last;    ///< by rate
  std::vector<double> before;  ///< by rate
  double last_h = 0.0;         ///< length of the last one [s]
  double before_h = 0.0;
  double steps = 0.0;      ///< how many of them are known: 0, 1 or 2
  double roughness = 0.0;  ///< of the last one, if errors are controlled: see local_error()
};

/// Returns the estimated error of the position of a joint in a step of length h [rad|m]:
///
///     midpoint:                h³/12·j    j: the jerk, the change of a with time
///     with one evaluation:     h²/2·a
///
/// For with a = a₀ + j·t the exact way in a step is v·h + a₀·h²/2 + j·h³/6, and that of the
/// midpoint rule, with a in the middle, v·h + a₀·h²/2 + j·h³/4. Euler's is v·h + a₀·h².
inline double local_error(const StepRule& rule, double roughness) {
  return rule.evaluations == 1 ? 0.5 * rule.h * rule.h * roughness
                               : rule.h * rule.h * rule.h / 12.0 * roughness;
}

/// Returns how many times a free root of this spin [rad/s] has its gyroscopic torque in a step.
template <class V>
inline RealOf<V> gyration_of_step(const V& spin, double h) {
  using Real = RealOf<V>;
  constexpr double kMostTurn = 1.5;  // [rad]; beyond it the series loses digits
  const V half = (0.5 * h) * spin;
  const Real square = lesser(dot(half, half), Real{} + 0.25 * kMostTurn * kMostTurn);
  const SmallTurnOf<Real> small = small_turn(square);
  return (1.0 + small.sine_excess) / small.cosine;
}

/// Adds `time` times the rates to positions, in finite turns.
template <class V>
inline void advance(const LinkModel& model, const RealOf<V>* from, const RealOf<V>* rates,
                    double time, RealOf<V>* to) {
  for (const TreeLink& link : model.links()) {
    const auto* const q = from + link.position;
    const auto* const v = rates + link.rate;
    auto* const out = to + link.position;
    if (link.has_axis()) {
      out[0] = q[0] + time * v[0];
    } else if (link.kind == LinkKind::Free) {
      for (int i = 0; i < 3; ++i) {
        out[i] = q[i] + time * v[i];
      }
      const QuaternionOf<V> turn = quaternion_of_turn(time * V{v[3], v[4], v[5]});
      const QuaternionOf<V> now = with_unit_length(QuaternionOf<V>{q[3], q[4], q[5], q[6]} * turn);
      out[3] = now.w;
      out[4] = now.x;
      out[5] = now.y;
      out[6] = now.z;
    }
  }
}

/// Takes steps of a tree. The state, in `positions` and `rates`, and the loads belong to the
/// caller.
template <class V>
class LinkStep {
 public:
  using Real = RealOf<V>;

  explicit LinkStep(const LinkModel& model)
      : kernel_(model),
        positions(model.positions()),
        rates(model.rates()),
        middle_positions_(model.positions()),
        middle_rates_(model.rates()),
        accelerations_(model.rates()),
        found_(model.rates()),
        residual_(model.rates()),
        found_steps_(kKept * model.rates()),
        residual_steps_(kKept * model.rates()) {}

  const LinkKernel<V>& kernel() const { return kernel_; }
  LinkKernel<V>& kernel() { return kernel_; }

  /// Begins a step with these accelerations, in the order of the rates.
  void begin(const Real* start) {
    for (std::size_t i = 0; i < accelerations_.size(); ++i) {
      accelerations_[i] = start[i];
    }
    known_ = 0;
  }

  /// Places the links for the next evaluation: in the middle of the step, or before it with one
  /// evaluation.
  void place(const StepRule& rule, const V& gravity) {
    if (rule.evaluations == 1) {
      kernel_.place(positions.data(), rates.data(), gravity, forces_on_bodies(), Real{} + 1.0);
      return;
    }
    const double half = 0.5 * rule.h;
    for (std::size_t i = 0; i < rates.size(); ++i) {
      middle_rates_[i] = rates[i] + half * accelerations_[i];
    }
    advance<V>(kernel_.model(), positions.data(), middle_rates_.data(), half,
               middle_positions_.data());
    kernel_.place(middle_positions_.data(), middle_rates_.data(), gravity, forces_on_bodies(),
                  gyration(rule.h));
  }

  /// Takes the accelerations that an evaluation has found. A lane that needs no other evaluation
  /// keeps what it has tried, so that it finds the same bits again while other lanes go on.
  /// @param is_alone  false if what is found depends on other trees, too
  /// @returns whether the rates have settled
  ConditionOf<V> accept(const StepRule& rule, const Real* found, bool is_alone = true) {
    if (rule.evaluations == 1) {  // no other one follows
      const std::size_t n = found_.size();
      for (std::size_t i = 0; i < n; ++i) {
        found_[i] = found[i];
      }
      return Real{} == Real{};
    }
    Real change{};
    Real fastest{};
    Real strongest{};
    const auto greater = [](const Real& a, const Real& b) { return choose(a < b, b, a); };
    for (std::size_t i = 0; i < accelerations_.size(); ++i) {
      const Real by = absolute(found[i] - accelerations_[i]);
      change = choose(by <= change, change, by);  // NaN is a change
      fastest = greater(fastest, absolute(rates[i]));
      fastest = greater(fastest, absolute(rates[i] + rule.h * found[i]));
      strongest = greater(strongest, absolute(found[i]));
    }
    // Rounding: forces of a tree at rest add up to 0, but for their last digits.
    constexpr double kRounding = 1e-14;
    const double share = rule.evaluations == 0 ? kSettledRates : kRoughRates;
    const ConditionOf<V> has_settled =
        rule.h * change <= share * fastest + kRounding * (rule.h * strongest + Real{} + 1.0);
    extrapolate(found, is_alone && rule.evaluations == 0 ? has_settled : ConditionOf<V>{});
    return has_settled;
  }

  /// Finds the accelerations of a step that has begun, and does not take it. `rows` finds the laws
  /// of the axes: see LinkKernel::solve(), and
  ///
  ///     rows.settle(kernel, round)    after each solution; whether a row has broken its bounds
  template <class Rows>
  SolvedStepOf<V> solve(const StepRule& rule, const V& gravity, Rows& rows) {
    SolvedStepOf<V> solved;
    while (solved.evaluations < rule.most_evaluations()) {
      place(rule, gravity);
      for (int round = 0;; ++round) {
        kernel_.solve(rows, rates.data(), 1.0 / rule.h);
        if (!rows.settle(kernel_, round)) {
          break;
        }
      }
      solved.has_settled = accept(rule, kernel_.accelerations());
      ++solved.evaluations;
      if (rule.evaluations == 0 && all_hold(solved.has_settled)) {
        break;
      }
    }
    return solved;
  }

  /// Takes the step that solve() has found.
  void take(const StepRule& rule) {
    const double h = rule.h;
    const bool is_midpoint = rule.evaluations != 1;
    const std::size_t n = rates.size();
    for (std::size_t i = 0; i < n; ++i) {
      if (is_midpoint) {
        middle_rates_[i] = rates[i] + (0.5 * h) * found_[i];
      }
      rates[i] = rates[i] + h * found_[i];
    }
    advance<V>(kernel_.model(), positions.data(), is_midpoint ? middle_rates_.data() : rates.data(),
               h, positions.data());
  }

  /// Returns the accelerations that solve() has found, in the order of the rates.
  const std::vector<Real>& accelerations() const { return found_; }

 private:
  const SpatialVectorOf<V>* forces_on_bodies() const {
    return forces.empty() ? nullptr : forces.data();
  }
  Real gyration(double h) const {
    const TreeLink& first = kernel_.model().links().front();
    if (first.kind != LinkKind::Free) {
      return Real{} + 1.0;
    }
    const Real* const v = &middle_rates_[first.rate];
    return gyration_of_step(V{v[3], v[4], v[5]}, h);
  }

  // The next accelerations to try. The residuals f = found − tried of the last evaluations are
  // nearly linear in what was tried. So the next ones are those for which the linear combination of
  // them, with weights whose sum is 1, has the least residual:
  //
  //     a = g − Σ γ_i·Δg_i,    |f − Σ γ_i·Δf_i| least
  //
  // Source: D. G. Anderson, "Iterative procedures for nonlinear integral equations" (1965).
  // Lanes that are `kept` try the same again.
  void extrapolate(const Real* found, const ConditionOf<V>& kept) {
    const std::size_t n = accelerations_.size();
    const std::size_t slot = known_ % kKept;
    for (std::size_t i = 0; i < n; ++i) {
      const Real residual = found[i] - accelerations_[i];
      if (known_ > 0) {
        found_steps_[slot * n + i] = found[i] - found_[i];
        residual_steps_[slot * n + i] = residual - residual_[i];
      }
      found_[i] = found[i];
      residual_[i] = residual;
      accelerations_[i] = choose(kept, accelerations_[i], found[i]);
    }
    const std::size_t steps = known_ < kKept ? known_ : kKept;
    ++known_;
    if (steps == 0) {
      return;
    }
    // Normal equations by Cholesky's factors; a diagonal of nearly 0 adds nothing.
    const auto row_of = [&](std::size_t k) { return ((known_ - 1 - k) % kKept) * n; };
    Real a[kKept][kKept + 1];
    for (std::size_t j = 0; j < steps; ++j) {
      const Real* const dj = &residual_steps_[row_of(j)];
      for (std::size_t k = 0; k <= j; ++k) {
        const Real* const dk = &residual_steps_[row_of(k)];
        Real sum{};
        for (std::size_t i = 0; i < n; ++i) {
          sum = sum + dj[i] * dk[i];
        }
        a[j][k] = sum;
      }
      Real sum{};
      for (std::size_t i = 0; i < n; ++i) {
        sum = sum + dj[i] * residual_[i];
      }
      a[j][kKept] = sum;
    }
    constexpr double kDependent = 1e-12;
    for (std::size_t j = 0; j < steps; ++j) {
      Real pivot = a[j][j];
      for (std::size_t k = 0; k < j; ++k) {
        pivot = pivot - a[j][k] * a[j][k];
        a[j][kKept] = a[j][kKept] - a[j][k] * a[k][kKept];
      }
      const auto adds = pivot > kDependent * a[j][j];
      const Real root = choose(adds, 1.0 / square_root(choose(adds, pivot, Real{} + 1.0)), Real{});
      a[j][kKept] = root * a[j][kKept];
      for (std::size_t l = j + 1; l < steps; ++l) {
        Real sum = a[l][j];
        for (std::size_t k = 0; k < j; ++k) {
          sum = sum - a[l][k] * a[j][k];
        }
        a[l][j] = root * sum;
      }
      a[j][j] = root;
    }
    for (std::size_t j = steps; j-- > 0;) {
      Real weight = a[j][kKept];
      for (std::size_t l = j + 1; l < steps; ++l) {
        weight = weight - a[l][j] * a[l][kKept];
      }
      weight = a[j][j] * weight;
      a[j][kKept] = weight;
      const Real* const step = &found_steps_[row_of(j)];
      for (std::size_t i = 0; i < n; ++i) {
        accelerations_[i] =
            choose(kept, accelerations_[i], Real(accelerations_[i] - weight * step[i]));
      }
    }
  }

  static constexpr std::size_t kKept = 4;

  LinkKernel<V> kernel_;

 public:
  std::vector<Real> positions;
  std::vector<Real> rates;
  /// On the centres of mass, by link; empty where there are none.
  std::vector<SpatialVectorOf<V>> forces;

 private:
  std::vector<Real> middle_positions_;
  std::vector<Real> middle_rates_;
  std::vector<Real> accelerations_;  // that the next evaluation tries
  std::vector<Real> found_;          // by the last evaluation
  std::vector<Real> residual_;       // found − tried
  std::vector<Real> found_steps_;    // differences of the last evaluations, kKept of them
  std::vector<Real> residual_steps_;
  std::size_t known_ = 0;  // evaluations of this step
};

}  // namespace servosim
