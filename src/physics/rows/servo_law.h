// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>
#include <numbers>

#include "physics/rows/servo_numbers.h"
#include "physics/rows/spatial.h"
#include "servosim/servo_model.h"

// The law of a real servo on one axis: what servo_model.h describes, as rows that are implicit in
// the step. All numbers are those of the output shaft. Torques, rates and positions are positive
// where the child moves along +axis; J is the inertia of the axis, and of a slider torques are
// forces. ω is the rate before the step, ω⁺ the one after it, h the length of the step.
//
// The servo: V = U·u, u = p·(θ_d − θ) + I − d·ω within ±max_duty and within the window of current,
// L·di/dt + R·i = V − kt·ω, τ_m = kt·i; the rotor's −J_a·ω'; −k_v·ω; friction, which holds the
// shaft with at most B (ServoFriction). With G = U·p, R' = R + L/h, k = kt/R'·G, b_V = kt/R'·U·d,
// and b = kt²/R' + k_v, it asks for three rows λ = f − s·ω⁺ [f: force at ω⁺ = 0, s: stiffness]:
//
//     P, passive:   s = (J_a + E)/h + ϑ·b,   f = ((J_a + E)/h − (1 − ϑ)·b)·ω + kt·(L/h)·i/R'
//     V, voltage:   s = k·β·h + ϑ·b_V,       f = kt/R'·(G·(θ_d − θ) + U·I) − (1 − ϑ)·b_V·ω
//                   within kt/R'·[V_low, V_high]
//     F, friction:  ω⁺ = 0 within ±B
//
// No row has a force that grows with ω⁺, so that there is one solution for any gain. Positions and
// rates of a step are half a step apart: forces at t_n are in the middle between ω and ω⁺, and the
// step is of second order where all that drives it is taken at t_n. With the inertia J of the axis
// (the rotor's included), x = h·(b + b_V)/J and y = h²·k/J:
//
//     ϑ = (3 + x)/(6 + x)    β = y²/(36 + y²)    E = h²·k·max(0, 1/4 − β/2)
//
// ϑ makes the decay e^−x right up to x⁴ (Padé's approximant (1,2)). E is the trapezoidal rule of
// the position loop, written as inertia. β damps a loop that is too stiff for the step; below
// kLeastLookAhead it counts as 0, and V is a constant force, which P takes up. Since 4·E/(h²·k) +
// 2·β >= 1, a discrete energy does not grow, whatever J is: docs/explanation/servos.md proves it.
//
// In joint coordinates the position moves by the mean of the rates, θ⁺ = θ + h/2·(ω + ω⁺), and
// positions and rates of a step belong to the same time. V is then that in the middle of the step,
// with the same ϑ and β and without E:
//
//     V:   s = k·h/4·(1 + 3·β) + ϑ·b_V
//          f = kt/R'·(G·(θ_d − θ) + U·I) − (k·h/4·(1 − β) + (1 − ϑ)·b_V)·ω
//
// This is the law of mean_spring.h, which says why no energy grows. θ_d is the target in the middle
// of the step, and a jump at t_n acts on the whole step.
//
// Otherwise a command that jumps at t_n acts on half of the step around t_n, so that V is the mean
// of the voltages for the target before and after it, each within its bounds, with the weight
// max(1/2, β) of the new one. B takes τ_m at ω̂ = 3/2·ω − 1/2·ω_before (0 where that has another
// sign than ω) and the load torque τ_e of the step before. The window of current is
// kt·ω̂ ± R·max_current, within ±U·max_duty. The supply gives duty·i = V·(V − kt·ω̂)/(R·U), which is
// at most max_supply_current for V within (kt·ω̂ ± √((kt·ω̂)² + 4·R·U·max_supply_current))/2.
//
// A drive with a current loop has i for V and kt for kt/R', and no back-EMF, unless the current
// needs more than ±U·max_duty at ω̂: then it is the servo above, with the voltage that this current
// needs, V = R'·i + kt·ω − L/h·i_before, within its bounds. Its D gain is R'·d − kt; where that is
// less than 0, V would grow with the rate, and this part is taken at ω̂.
//
// Sources: the friction models M1 to M6 are those of Rhoban's BAM (Duclusaud and Passault), the
// motor is that of any text on DC motors.

namespace servosim {

/// Below this look-ahead β the voltage is a constant force in the step.
inline constexpr double kLeastLookAhead = 0.01;
/// The y for which β is kLeastLookAhead: y²/(36 + y²) = 0.01.
inline constexpr double kLeastStiffness = 0.6030226891555273;
/// The least inertia of the row P, in terms of that of the axis: a row must have a stiffness.
inline constexpr double kLeastArmature = 1e-9;

/// A row λ = force − stiffness·ω⁺ within low and high.
template <class Real>
struct ServoRowOf {
  Real force{};      ///< [N·m]
  Real stiffness{};  ///< [N·m·s/rad]; >= 0
  Real low{};
  Real high{};
};

/// The rows of one step, and what is needed to read their result.
template <class Real>
struct ServoStepOf {
  ServoRowOf<Real> passive;  ///< P; its stiffness is > 0 and it has no bounds
  /// V, for the target before and after a jump. Without a jump the second has no force and no
  /// stiffness. Neither has a stiffness where the voltage is constant, which P has then.
  ServoRowOf<Real> drive[2];
  Real friction{};  ///< B
  Real armature{};  ///< (J_a + E)/h, the part of it in P

  Real rate{};          ///< ω
  Real gain{};          ///< torque per output: kt/R' per V or kt per A; 0: no torque
  Real output[2]{};     ///< V or i at ω⁺ = 0, before its bounds
  Real output_slope{};  ///< less so much per ω⁺
  Real output_low{};    ///< bounds of V or i
  Real output_high{};
  Real share{};         ///< of the second output
  Real emf_at_rest{};   ///< kt·(1 − ϑ)·ω − L/h·i, or 0
  Real emf_slope{};     ///< kt·ϑ, or 0
  Real mean_at_rest{};  ///< (1 − ϑ)·ω
  Real mean_slope{};    ///< ϑ
  Real resistance{};    ///< R [Ω]
  Real volts{};         ///< U
  Real is_current{};    ///< the output is a current

  /// Returns V or i for a rate after the step.
  [[gnu::always_inline]] Real output_at(const Real& rate_after) const {
    return output_less(output_slope * rate_after);
  }
  /// Returns V or i that is less by this than at ω⁺ = 0, within its bounds.
  [[gnu::always_inline]] Real output_less(const Real& less) const;
  /// Returns τ_m for a rate after the step [N·m].
  [[gnu::always_inline]] Real motor_torque(const Real& rate_after) const {
    return gain * (output_at(rate_after) - emf_at_rest - emf_slope * rate_after);
  }
  /// Returns the torque of P and V for a rate after the step, and how it falls with the rate.
  [[gnu::always_inline]] ServoRowOf<Real> without_friction(const Real& rate_after) const;
};
using ServoStep = ServoStepOf<double>;

namespace detail {

template <class Real>
[[gnu::always_inline]] inline Real clamped(const Real& x, const Real& low, const Real& high) {
  return choose(x < low, low, choose(x > high, high, x));
}
template <class Real>
[[gnu::always_inline]] inline Real greater(const Real& a, const Real& b) {
  return choose(a < b, b, a);
}
template <class Real>
[[gnu::always_inline]] inline Real with_sign(const Real& size, const Real& sign) {
  return choose(sign < 0.0, -size, size);
}

/// ϑ, β and E of a step.
template <class Real>
struct ServoWeightsOf {
  Real theta{};
  Real beta{};
  Real inertia{};
};

template <class Real>
[[gnu::always_inline]] inline ServoWeightsOf<Real> servo_weights(const Real& k, const Real& b,
                                                                 const Real& inertia, double h) {
  const Real zero{};
  // Beyond any servo; products of both are finite.
  const Real most = zero + 1e100;
  const Real per_inertia = h / inertia;
  const Real x = lesser(per_inertia * b, most);
  const Real y = lesser(h * per_inertia * k, most);
  // The reciprocals of both by one division, since the rest of the step waits for it.
  const Real of_x = 6.0 + x;
  const Real of_y = 36.0 + y * y;
  const Real share = 1.0 / (of_x * of_y);
  const Real look_ahead = 1.0 - 36.0 * (of_x * share);
  const Real beta = choose(look_ahead < kLeastLookAhead, zero, look_ahead);
  const Real inertia_of_loop = choose(beta < 0.5, (0.25 - 0.5 * beta) * h * h * k, zero);
  return {1.0 - 3.0 * (of_y * share), beta, inertia_of_loop};
}

/// Moves the target behind the profile towards the goal; returns the one that the firmware has
/// after t_n, which is the goal if the profile does not limit it. Without torque the target is the
/// position `seen`, from which a profile starts.
template <class Real, class Condition>
[[gnu::always_inline]] inline Real follow_profile(const ServoCommandOf<Real>& command,
                                                  const Condition& is_on, const Real& seen,
                                                  double h, ServoMemoryOf<Real>& m) {
  const Real zero{};
  const Real before = m.target;
  const Real way = command.goal - before;
  const Real distance = absolute(way);
  const Real infinite = zero + std::numeric_limits<double>::infinity();
  const auto is_slew = command.max_acceleration >= infinite;
  const auto jumps = is_slew & (distance <= command.max_speed * h);
  const Real slewed = choose(jumps, command.goal, before + with_sign(command.max_speed * h, way));
  const Real slew_rate = choose(jumps, zero, with_sign(command.max_speed, way));
  if (all_hold(is_slew)) {  // as most
    m.target = choose(is_on, slewed, seen);
    m.target_rate = choose(is_on, slew_rate, zero);
    return choose(jumps, command.goal, before);
  }
  // The speed from which the target still stops at the goal, in steps of h.
  const Real a = choose(is_slew, zero + 1.0, command.max_acceleration);
  const Real per_step = a * h;
  const Real stopping = per_step * (square_root(0.25 + 2.0 * distance / (per_step * h)) - 0.5);
  const Real most = lesser(lesser(command.max_speed, stopping), distance / h);
  const Real wanted = with_sign(most, way);
  const Real rate = clamped(wanted, m.target_rate - per_step, m.target_rate + per_step);
  const Real profiled = before + h * rate;
  // Close enough: rounding must not keep the target off the goal.
  const auto arrives = absolute(command.goal - profiled) <= 1e-9 * per_step * h;
  const Real moved = choose(is_slew, slewed, choose(arrives, command.goal, profiled));
  m.target = choose(is_on, moved, seen);
  m.target_rate = choose(is_on, choose(is_slew, slew_rate, rate), zero);
  return choose(jumps, command.goal, before);
}

/// The output of the position loop for an error, without I and D, and its slope.
template <class Real>
struct LoopOutputOf {
  Real output{};
  Real slope{};
};

template <class Real>
[[gnu::always_inline]] inline LoopOutputOf<Real> loop_output(const ServoNumbersOf<Real>& n,
                                                             const Real& p, const Real& error) {
  const Real zero{};
  const auto is_compliant = n.compliance_slope > 0.0;
  if (!any_holds((n.punch > 0.0) | (n.dead_zone > 0.0) | is_compliant)) {  // as most
    return {p * error, p};
  }
  const Real size = absolute(error);
  const Real slope = choose(is_compliant, n.compliance_slope, zero + 1.0);
  const Real rise = greater(zero, n.max_duty - n.punch) / slope;
  const Real by_gain = p * size;
  const auto is_punched = by_gain < n.punch;
  const Real output = choose(is_compliant, n.punch + rise * (size - n.dead_zone),
                             choose(is_punched, n.punch, by_gain));
  const Real gain = choose(is_compliant, rise, choose(is_punched, zero, p));
  // A gain of 0 asks for no position at all, by a punch either.
  const auto rests = ((size <= n.dead_zone) & (n.dead_zone > 0.0)) | (p == 0.0);
  const auto has_none = rests | (size <= zero);  // no error asks for no side to punch to
  return {choose(has_none, zero, with_sign(output, error)), choose(rests, zero, gain)};
}

/// exp(−|ω/ω_s|^a)
inline double stribeck_share(double rate, double speed, double exponent) {
  return rate == 0.0 ? 1.0 : std::exp(-std::pow(std::fabs(rate) / speed, exponent));
}

/// B
template <class Real>
[[gnu::always_inline]] inline Real friction_budget(const ServoNumbersOf<Real>& n, const Real& motor,
                                                   const Real& load, const Real& rate) {
  const Real zero{};
  const Real at_rest = n.friction.stribeck + absolute(n.friction.motor_stribeck * motor -
                                                      n.friction.external_stribeck * load);
  const Real strong_motor = n.friction.external_quadratic * load * load;
  const Real strong_load = n.friction.motor_quadratic * motor * motor;
  const Real of_motor = absolute(motor);
  const Real of_load = absolute(load);
  const Real quadratic =
      choose(of_motor > of_load, strong_motor, choose(of_motor < of_load, strong_load, zero));
  const Real lowered = at_rest + choose(motor * load < 0.0, quadratic, zero);
  Real budget =
      n.friction.coulomb + absolute(n.friction.motor * motor - n.friction.external * load);
  if (any_holds(lowered > 0.0)) {
    budget = budget + lowered * stribeck_share(rate, n.friction.stribeck_speed,
                                               n.friction.stribeck_exponent);
  }
  return budget;
}

}  // namespace detail

template <class Real>
inline Real ServoStepOf<Real>::output_less(const Real& less) const {
  const Real first = detail::clamped<Real>(output[0] - less, output_low, output_high);
  if (!any_holds(share > 0.0)) {  // as in most steps
    return first;
  }
  const Real second = detail::clamped<Real>(output[1] - less, output_low, output_high);
  return first + share * (second - first);
}

template <class Real>
inline ServoRowOf<Real> ServoStepOf<Real>::without_friction(const Real& rate_after) const {
  const Real zero{};
  Real torque = passive.force - passive.stiffness * rate_after;
  Real slope = passive.stiffness;
  for (const ServoRowOf<Real>& row : drive) {
    const Real wanted = row.force - row.stiffness * rate_after;
    torque = torque + detail::clamped<Real>(wanted, row.low, row.high);
    slope = slope + choose((wanted > row.low) & (wanted < row.high), row.stiffness, zero);
  }
  return {torque, slope, zero, zero};
}

/// Sets the rows of the next step, and moves the firmware on.
/// @param seen  the position that the encoder reads [rad]
/// @param rate  ω [rad/s]
/// @param inertia  α of the axis without the rotor; that of the last step will do [kg·m²]; > 0
/// @param h  [s]
/// @param moves_by_mean  whether the position moves by (ω + ω⁺)/2
template <class Real>
inline void set_servo_step(const ServoNumbersOf<Real>& n, const ServoCommandOf<Real>& command,
                           const Real& seen, const Real& rate, const Real& inertia, double h,
                           ServoMemoryOf<Real>& m, ServoStepOf<Real>& s,
                           bool moves_by_mean = false) {
  using detail::clamped;
  using detail::greater;
  const Real zero{};
  const Real one = zero + 1.0;
  const double per_step = 1.0 / h;
  s.rate = rate;
  s.is_current = zero;  // the rest is set below
  s.volts = command.volts;
  s.resistance = n.cold_resistance *
                 greater(zero + 0.1, 1.0 + n.thermal.per_kelvin * (m.winding - n.thermal.cold));
  auto is_on = command.is_on > 0.5;
  Real max_duty = command.max_duty;
  if (any_holds(m.is_shut_down + m.is_limited > 0.5)) {
    m.is_shut_down = choose(is_on, m.is_shut_down, zero);
    m.is_limited = choose(is_on, m.is_limited, zero);
    max_duty = choose(m.is_limited > 0.5, lesser(max_duty, n.protection.overload_rest), max_duty);
    is_on = is_on & (m.is_shut_down < 0.5);
  }
  m.max_duty = choose(is_on, max_duty, zero);
  const Real most_volts = command.volts * max_duty;
  const Real extrapolated = 1.5 * rate - 0.5 * m.rate;
  const Real now = choose(extrapolated * rate > 0.0, extrapolated, zero);
  m.rate = rate;

  // The firmware. What few servos have is looked for in all lanes first.
  const Real before = m.target;
  Real after = detail::follow_profile(command, is_on, seen, h, m);
  if (moves_by_mean) {  // unless it jumps, the target in the middle of the step
    after = choose(after == m.target, after, 0.5 * (before + m.target));
  }
  const Real error = before - seen;
  const auto old_loop = detail::loop_output(n, command.p, error);
  auto new_loop = old_loop;
  if (any_holds(after != before)) {
    new_loop = detail::loop_output(n, command.p, Real(after - seen));
  }
  Real first = old_loop.output + command.output;
  Real second = new_loop.output + command.output;
  Real p = new_loop.slope;
  Real d = command.d;
  const auto asks_current = command.is_current > 0.5;
  const auto has_loop = n.has_current_loop > 0.5;
  const auto is_held = n.period > h;
  const auto integrates = command.i > 0.0;
  if (any_holds(is_held | integrates)) {
    // More current than at rest is not within the reach of the supply.
    const Real most_current = lesser(command.max_current, most_volts / s.resistance);
    const Real most_output = choose(has_loop, most_current, max_duty);
    const Real until = m.until_tick - h;
    const auto ticks = m.until_tick < 0.5 * h;
    m.until_tick = choose(is_held, choose(ticks, until + n.period, until), zero);
    const Real seconds = choose(is_held, choose(ticks, n.period, zero), zero + h);
    const auto rests = (absolute(error) <= n.dead_zone) & (n.dead_zone > 0.0);
    const Real sum = clamped<Real>(m.integral + seconds * command.i * choose(rests, zero, error),
                                   -most_output, most_output);
    m.integral = choose(is_on & integrates, sum, zero);
    first = first + m.integral;
    second = second + m.integral;
    const Real held_now = clamped<Real>(second - d * rate, -most_output, most_output);
    const Real held_before = m.held;
    m.held = choose(is_on & is_held, choose(ticks, held_now, held_before), zero);
    first = choose(is_held, held_before, first);
    second = choose(is_held, m.held, second);
    p = choose(is_held, zero, p);
    d = choose(is_held, zero, d);
  } else {
    m.until_tick = m.integral = m.held = zero;
  }
  // Whether a loop of this stiffness is a row.
  const auto is_stiff = [&](const Real& k) {
    return h * h * k >= kLeastStiffness * (inertia + n.armature);
  };
  const auto wants_current = has_loop | asks_current;
  Real scale = command.volts;
  const Real impedance = s.resistance + n.inductance * per_step;
  Real gain = n.kt / impedance;
  Real kt = n.kt;
  s.output_low = -most_volts;
  s.output_high = most_volts;
  if (any_holds(command.max_current < std::numeric_limits<double>::infinity())) {
    const Real of_window = s.resistance * command.max_current;
    s.output_low = clamped<Real>(kt * now - of_window, -most_volts, most_volts);
    s.output_high = clamped<Real>(kt * now + of_window, -most_volts, most_volts);
  }
  Real least_current = -command.max_current;
  Real most_current = command.max_current;
  if (any_holds(n.max_supply_current < std::numeric_limits<double>::infinity())) {
    const Real back = kt * now;
    const Real root =
        square_root(back * back + 4.0 * s.resistance * command.volts * n.max_supply_current);
    s.output_low = greater(s.output_low, Real(0.5 * (back - root)));
    s.output_high = lesser(s.output_high, Real(0.5 * (back + root)));
    least_current = greater(least_current, Real(-0.5 * (back + root) / s.resistance));
    most_current = lesser(most_current, Real(0.5 * (root - back) / s.resistance));
  }
  if (any_holds(wants_current | (command.is_apart > 0.5))) {
    first = choose(asks_current, command.output, first);
    second = choose(asks_current, command.output, second);
    const auto is_open = asks_current | (command.is_apart > 0.5);
    p = choose(is_open, zero, p);
    d = choose(is_open, zero, d);
    // A current loop gives its current as long as the supply has the voltage for it.
    const Real tried = clamped<Real>(second - d * now, least_current, most_current);
    const Real needed = s.resistance * tried + kt * now;
    const auto is_current = wants_current & (absolute(needed) <= most_volts);
    const auto is_full = wants_current & (absolute(needed) > most_volts);
    scale = choose(wants_current, one, scale);
    const Real full = detail::with_sign(most_volts, needed);
    const auto has_row = is_full & ((d > 0.0) | is_stiff(Real(n.kt * p)));
    const Real damping = impedance * d - kt;
    const Real aside = n.inductance * per_step * m.current + lesser(damping, zero) * now;
    first = choose(has_row, impedance * first - aside, choose(is_full, full, first));
    second = choose(has_row, impedance * second - aside, choose(is_full, full, second));
    p = choose(has_row, impedance * p, choose(is_full, zero, p));
    d = choose(has_row, greater(damping, zero), choose(is_full, zero, d));
    // A row needs finite bounds: those of the supply.
    const Real finite = (most_volts + absolute(kt * now)) / s.resistance;
    s.output_low = choose(is_current, greater(least_current, -finite), s.output_low);
    s.output_high = choose(is_current, lesser(most_current, finite), s.output_high);
    gain = choose(is_current, kt, gain);
    kt = choose(is_current, zero, kt);
    s.is_current = choose(is_current, one, zero);
  }
  s.gain = choose(is_on, gain, zero);
  s.output[0] = scale * first;
  s.output[1] = scale * second;
  p = scale * p;
  d = scale * d;

  // Where the output is at the same bound now and a step later, no loop acts. The rate after the
  // step may leave the bound where V is a row: it stays one within its bounds, and only E is 0.
  const Real on_way = p * h * now;
  const Real low = lesser(s.output[0], s.output[1]) - d * now;
  const Real high = greater(s.output[0], s.output[1]) - d * now;
  const auto is_at_high = lesser(low, low - on_way) >= s.output_high;
  const auto is_at_low = greater(high, high - on_way) <= s.output_low;
  const auto is_at_bound = is_at_high | is_at_low;
  if (any_holds(is_at_bound)) {
    const auto has_row = (d > 0.0) | is_stiff(Real(s.gain * p));
    for (Real& output : s.output) {
      const Real bound = choose(is_at_high, s.output_high, s.output_low);
      output = choose(is_at_bound, choose(has_row, output, bound), output);
    }
    p = choose(is_at_bound, choose(has_row, p, zero), p);
  }

  // The motor, and how far into the step it looks.
  const Real b_passive = s.gain * kt + n.friction.viscous;
  const detail::ServoWeightsOf<Real> w = detail::servo_weights(
      Real(s.gain * p), Real(b_passive + s.gain * d), Real(inertia + n.armature), h);
  Real inertia_of_loop = choose(is_at_bound, zero, w.inertia);
  s.mean_slope = w.theta;
  s.mean_at_rest = (1.0 - w.theta) * rate;
  s.output[0] = s.output[0] - d * s.mean_at_rest;
  s.output[1] = s.output[1] - d * s.mean_at_rest;
  s.output_slope = p * w.beta * h + d * w.theta;
  s.share = choose(s.output[1] == s.output[0], zero, greater(zero + 0.5, w.beta));
  if (moves_by_mean) {
    const Real on_half = 0.25 * h * p;
    for (Real& output : s.output) {
      output = output - (1.0 - w.beta) * on_half * rate;
    }
    s.output_slope = (1.0 + 3.0 * w.beta) * on_half + d * w.theta;
    s.share = choose(s.output[1] == s.output[0], zero, one);
    inertia_of_loop = zero;
  }
  Real inductive = zero;
  if (any_holds(n.inductance > 0.0)) {
    inductive = choose(s.is_current > 0.5, zero, n.inductance * per_step * m.current);
  }
  s.emf_at_rest = kt * s.mean_at_rest - inductive;
  s.emf_slope = kt * w.theta;

  // The rows.
  const Real armature = greater(n.armature + inertia_of_loop, kLeastArmature * inertia) * per_step;
  s.armature = armature;
  s.passive.stiffness = armature + w.theta * b_passive;
  s.passive.force = (armature - (1.0 - w.theta) * b_passive) * rate + s.gain * inductive;
  const auto is_row = s.gain * s.output_slope > 0.0;
  if (any_holds(is_row)) {
    const Real shares[2] = {1.0 - s.share, s.share};
    for (int j = 0; j < 2; ++j) {
      const Real strength = choose(is_row, shares[j] * s.gain, zero);
      s.drive[j] = {strength * s.output[j], strength * s.output_slope, strength * s.output_low,
                    strength * s.output_high};
    }
  } else {
    s.drive[0] = s.drive[1] = {};
  }
  Real output = s.output_less(zero);
  s.passive.force = s.passive.force + choose(is_row, zero, s.gain * output);

  if (any_holds(s.output_slope > 0.0)) {
    const Real as_now = rate + (now - rate) / w.theta;  // for which the mean rate is ω̂
    output = s.output_at(as_now);
  }
  const Real motor = s.gain * (output - (kt * now - inductive));
  s.friction = detail::friction_budget(n, motor, m.load_torque, now);
}

/// Returns the same.
template <class Real>
inline ServoStepOf<Real> servo_step(const ServoNumbersOf<Real>& n,
                                    const ServoCommandOf<Real>& command, const Real& seen,
                                    const Real& rate, const Real& inertia, double h,
                                    ServoMemoryOf<Real>& m) {
  ServoStepOf<Real> s;
  set_servo_step(n, command, seen, rate, inertia, h, m, s);
  return s;
}

/// Gives the heat of a step to the winding and the case. Both are implicit in it together, so that
/// any step is stable and the temperatures at rest are those of the equations.
/// @param copper  i²·R [W]
/// @param rubbing  of the gear [W]
template <class Real>
inline void warm_up(const ServoNumbersOf<Real>& n, const Real& copper, const Real& rubbing,
                    double h, ServoMemoryOf<Real>& m) {
  const Real zero{};
  const Real one = zero + 1.0;
  const auto has_winding = n.thermal.winding_capacity > 0.0;
  const auto has_case = n.thermal.case_capacity > 0.0;
  if (!any_holds(has_winding | has_case)) {
    return;
  }
  // (C_w/h + g)·T_w − g·T_c = of_winding,  (C_c/h + g + a)·T_c − g·T_w = of_case
  const Real g = choose(has_winding, n.thermal.winding_conductance, zero);
  const Real winding_store = choose(has_winding, n.thermal.winding_capacity / h, one);
  const Real case_store = choose(has_case, n.thermal.case_capacity / h, one);
  const Real of_winding = winding_store * m.winding + choose(has_winding, copper, zero);
  const Real of_case = case_store * m.housing + rubbing + choose(has_winding, zero, copper) +
                       n.thermal.case_conductance * n.thermal.ambient;
  const Real case_slope = case_store + n.thermal.case_conductance;
  const Real both = winding_store * (case_slope + g) + g * case_slope;
  const Real housing =
      choose(has_case, ((winding_store + g) * of_case + g * of_winding) / both, m.housing);
  const Real winding = (of_winding + g * housing) / (winding_store + g);
  m.winding = choose(has_winding, winding, m.winding);
  m.housing = housing;
}

/// Remembers a step of h [s] without torque in which something else than the servo moved the axis.
/// @param seen  the position that the encoder reads [rad]
/// @param rate  ω before the step [rad/s]
template <class Real>
inline void after_step_apart(const ServoNumbersOf<Real>& n, const Real& seen, const Real& rate,
                             double h, ServoMemoryOf<Real>& m) {
  const Real zero{};
  m.target = seen;
  m.rate = rate;
  m.target_rate = m.integral = m.held = m.until_tick = zero;
  m.current = m.motor_torque = m.load_torque = m.duty = m.max_duty = zero;
  m.overload = m.is_shut_down = m.is_limited = zero;
  warm_up(n, zero, zero, h, m);
}

/// Remembers how a step went.
/// @param rate_after  ω⁺ [rad/s]
/// @param force  of all rows of the axis on the child [N·m]
/// @param inertia  α of this step, without the rotor [kg·m²]
template <class Real>
inline void after_servo_step(const ServoNumbersOf<Real>& n, const ServoStepOf<Real>& s,
                             const Real& rate_after, const Real& force, const Real& inertia,
                             double h, ServoMemoryOf<Real>& m) {
  const Real zero{};
  const Real one = zero + 1.0;
  const Real mean = s.mean_at_rest + s.mean_slope * rate_after;
  const Real output = s.output_at(rate_after);
  m.motor_torque = s.motor_torque(rate_after);
  m.current = m.motor_torque / n.kt;
  const Real volts = choose(s.is_current > 0.5, s.resistance * output + n.kt * mean, output);
  m.duty = choose(s.gain > 0.0, volts / s.volts, zero);
  m.volts = s.volts;
  m.load_torque = -force;
  const auto reads_static = n.friction.reads_static_load > 0.5;
  if (any_holds(reads_static)) {
    const Real change = inertia * (rate_after - s.rate) / h;
    m.load_torque = choose(reads_static, change, zero) - force;
  }

  const Real copper = m.current * m.current * s.resistance;
  const Real rubbing =
      (s.friction + n.friction.viscous * absolute(rate_after)) * absolute(rate_after);
  warm_up(n, copper, rubbing, h, m);

  const auto is_overloaded = absolute(m.duty) > n.protection.overload_duty;
  m.overload = choose(is_overloaded, m.overload + h, zero);
  const auto is_over = is_overloaded & (m.overload >= n.protection.overload_time);
  m.is_limited = choose(is_over, one, m.is_limited);
  const auto ends = (is_over & (n.protection.overload_rest <= 0.0)) |
                    (m.housing > n.protection.max_temperature) |
                    (s.volts < n.protection.min_voltage) | (s.volts > n.protection.max_voltage);
  m.is_shut_down = choose(ends, one, m.is_shut_down);
}

/// Returns the rate after a step of one axis that nothing else couples: J·(ω⁺ − ω)/h = load +
/// the rows. It is exact, since the rows are made of straight pieces and fall.
/// @param inertia  J without the rotor [kg·m²]; > 0
/// @param load  the torque of all else on the axis [N·m]
template <class Real>
inline Real rate_after(const ServoStepOf<Real>& s, const Real& inertia, const Real& load, double h,
                       Real* force = nullptr) {
  const Real zero{};
  const Real per_rate = inertia / h;
  const Real push = load + per_rate * s.rate;
  const Real at_rest = push + s.without_friction(zero).force;
  const auto sticks = absolute(at_rest) <= s.friction;
  const Real friction = detail::with_sign(s.friction, Real(-at_rest));
  // What drives the axis beyond a rate; it falls, and is 0 at the solution.
  const auto excess = [&](const Real& rate) {
    return push + friction + s.without_friction(rate).force - per_rate * rate;
  };
  const Real infinite = zero + std::numeric_limits<double>::infinity();
  Real low = -infinite;
  Real high = infinite;
  for (const ServoRowOf<Real>& row : s.drive) {
    const auto has_ends = row.stiffness > 0.0;
    const Real stiffness = choose(has_ends, row.stiffness, zero + 1.0);
    for (const Real& bound : {row.low, row.high}) {
      const Real end = (row.force - bound) / stiffness;
      const auto is_below = excess(end) >= 0.0;
      low = choose(has_ends & is_below, detail::greater(low, end), low);
      high = choose(has_ends, choose(is_below, high, lesser(high, end)), high);
    }
  }
  const auto has_low = low > -infinite;
  const auto has_high = high < infinite;
  const Real from = choose(has_low, low, choose(has_high, high - 1.0, zero));
  const Real to = choose(has_high, high, choose(has_low, low + 1.0, zero));
  const Real middle = 0.5 * (from + to);
  const Real slope = per_rate + s.without_friction(middle).stiffness;
  const Real slides = middle + excess(middle) / slope;
  const Real rate = choose(sticks, zero, slides);
  if (force != nullptr) {
    *force = per_rate * (rate - s.rate) - load;
  }
  return rate;
}

/// Returns what an encoder reads at a position [rad]. `noise`: a number of the standard normal
/// distribution.
inline double encoder_reading(const ServoEncoder& encoder, double position, double noise) {
  const double exact = position + encoder.offset + encoder.noise * noise;
  if (!(encoder.counts > 0.0)) {
    return exact;
  }
  // 1.5·2^52: adding it rounds to whole numbers, and costs less than a call.
  constexpr double kRounds = 6755399441055744.0;
  const double counts = exact * (encoder.counts * (0.5 / std::numbers::pi));
  return (counts + kRounds - kRounds) * (2.0 * std::numbers::pi / encoder.counts);
}

/// What servos draw from their supply at its voltage U: current + conductance·U [A]. Those of one
/// supply add up.
template <class Real>
struct SupplyLoadOf {
  Real current{};      ///< [A]
  Real conductance{};  ///< [1/Ω]
};
using SupplyLoad = SupplyLoadOf<double>;

/// Returns the load of a servo by its last step: duty·i, where i follows U by duty/R.
template <class Real>
[[gnu::always_inline]] inline SupplyLoadOf<Real> supply_load(const ServoNumbersOf<Real>& n,
                                                             const ServoMemoryOf<Real>& m) {
  const Real conductance = m.duty * m.duty / n.cold_resistance;
  return {m.duty * m.current - conductance * m.volts, conductance};
}

/// Returns the voltage U of a supply at its load: U = unloaded − resistance·(current +
/// conductance·U). It is not above `unloaded`, since a supply takes no current, and not below
/// `least`. Since the load depends on U here, nothing oscillates from step to step, whatever the
/// resistance is.
template <class Real>
[[gnu::always_inline]] inline Real supply_voltage(const Real& unloaded, const Real& resistance,
                                                  const Real& least,
                                                  const SupplyLoadOf<Real>& load) {
  const Real loaded =
      (unloaded - resistance * load.current) / (1.0 + resistance * load.conductance);
  return detail::greater(lesser(loaded, unloaded), least);
}

/// Returns the voltage below which a supply does not sag: its own bound, and at least a tenth of
/// its voltage, since the firmware of a servo divides by it [V].
inline double least_voltage(const ServoSupply& supply) {
  return std::fmax(supply.min_voltage, 0.1 * supply.voltage);
}

}  // namespace servosim
