// SPDX-License-Identifier: Apache-2.0
// The law of a servo on one axis, against a reference that is explicit and takes far smaller steps,
// against closed forms, and against the energy that its derivation says does not grow.
#include "physics/rows/servo_law.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

#include "support/servo_models.h"

namespace servosim::test {
namespace {

constexpr double kDegree = std::numbers::pi / 180.0;
constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// How positions follow from rates: by the rate after the step, as with the integrator `ode`, or
/// by the mean of those before and after it, as with `joint`.
enum class Move { ByRateAfter, ByMean };
constexpr std::array<Move, 2> kMoves{Move::ByRateAfter, Move::ByMean};

/// Returns the way of an axis in a step.
double way(Move move, double before, double after, double h) {
  return h * (move == Move::ByMean ? 0.5 * (before + after) : after);
}

/// A servo that moves a pendulum, or an axis without a load.
struct Bench {
  ServoModel model;
  double inertia = 0.01;  ///< without the rotor [kg·m²]
  double weight = 0.0;    ///< the torque that holds it level [N·m]
  double load(double q) const { return -weight * std::sin(q); }
};

using Signal = std::function<double(double)>;

/// Returns the position at every 16 ms, with the law. `joint` takes the load in the middle of the
/// step.
std::vector<double> by_law(const Bench& bench, const Signal& goal, const Signal& torque_until,
                           double h, double seconds, Move move) {
  const ServoNumbers numbers = numbers_of(bench.model);
  ServoMemory memory = servo_at(bench.model, 0.0);
  double q = 0.0;
  double w = 0.0;
  std::vector<double> places;
  const long every = std::lround(0.016 / h);
  for (long i = 0; i * h < seconds - 1e-9; ++i) {
    if (i % every == 0) {
      places.push_back(q);
    }
    ServoCommand command = command_of(bench.model, goal(i * h + 0.5 * h));
    command.is_on = torque_until(0.0) > i * h + 1e-9 ? 1.0 : 0.0;
    ServoStep step;
    set_servo_step(numbers, command, q, w, bench.inertia, h, memory, step, move == Move::ByMean);
    double force = 0.0;
    double after = w;
    for (int evaluation = 0; evaluation < (move == Move::ByMean ? 8 : 1); ++evaluation) {
      const double place = move == Move::ByMean ? q + 0.5 * way(move, w, after, h) : q;
      after = rate_after(step, bench.inertia, bench.load(place), h, &force);
    }
    after_servo_step(numbers, step, after, force, bench.inertia, h, memory);
    q += way(move, w, after, h);
    w = after;
  }
  return places;
}

/// Returns the same by a plain simulation of what servo_model.h says, with explicit steps of 10 µs.
std::vector<double> by_reference(const Bench& bench, const Signal& goal, const Signal& torque_until,
                                 double seconds) {
  constexpr double h = 1e-5;
  const auto& [drive, friction, firmware] =
      std::tie(bench.model.drive, bench.model.friction, bench.model.firmware);
  const double volts = bench.model.supply.voltage;
  const double inertia = bench.inertia + drive.armature;
  double q = 0.0;
  double w = 0.0;
  double target = 0.0;
  double current = 0.0;
  std::vector<double> places;
  for (long i = 0; i * h < seconds - 1e-9; ++i) {
    if (i % 1600 == 0) {
      places.push_back(q);
    }
    const double most = firmware.max_speed * h;
    target += std::clamp(goal(i * h + 0.5 * h) - target, -most, most);
    const double duty =
        firmware.p * firmware.p_scale * (target - q) - firmware.d * firmware.d_scale * w;
    const double emf = drive.torque_constant * w;
    const double window = drive.resistance * firmware.max_current;
    const double limit = volts * firmware.max_duty;
    // A current loop gives the voltage that the current needs.
    const double wanted =
        firmware.law == ServoLaw::Current ? drive.resistance * duty + emf : volts * duty;
    // The supply gives v·(v − emf)/(R·volts): between the roots of a parabola it is small enough.
    const double root =
        std::sqrt(emf * emf + 4.0 * drive.resistance * volts * firmware.max_supply_current);
    const double v =
        std::clamp(std::clamp(std::clamp(wanted, emf - window, emf + window), -limit, limit),
                   0.5 * (emf - root), 0.5 * (emf + root));
    if (drive.inductance > 0.0) {
      current += h / drive.inductance * (v - drive.resistance * current - emf);
    } else {
      current = (v - emf) / drive.resistance;
    }
    current = torque_until(0.0) > i * h + 1e-9 ? current : 0.0;
    const double motor = drive.torque_constant * current;
    const double load = bench.load(q);
    double bound = friction.coulomb + std::abs(friction.motor * motor - friction.external * load);
    double at_rest = friction.stribeck +
                     std::abs(friction.motor_stribeck * motor - friction.external_stribeck * load);
    if (motor * load < 0.0) {
      at_rest += std::abs(motor) > std::abs(load) ? friction.external_quadratic * load * load
                                                  : friction.motor_quadratic * motor * motor;
    }
    bound += at_rest *
             std::exp(-std::pow(std::abs(w) / friction.stribeck_speed, friction.stribeck_exponent));
    const double torque = motor + load - friction.viscous * w;
    const double to_rest = torque + inertia * w / h;
    w += h / inertia * (torque - std::copysign(std::min(std::abs(to_rest), bound), to_rest));
    q += h * w;
  }
  return places;
}

struct Case {
  const char* name;
  Bench bench;
  Signal goal;
  double torque_until = 1e9;
  double seconds = 5.0;
  std::array<double, 3> most{0.15, 0.7, 2.0};  ///< [% of the amplitude] at 1, 8 and 16 ms
  /// The same for Move::ByMean, or as above. A rate that comes to its end within a step moves the
  /// axis by half of what it should.
  std::array<double, 3> most_by_mean{};
};

// Jumps of 0.7 rad, in the middle between two of the reference's steps.
double jumps(double t) { return t < 0.32 ? 0.0 : std::fmod(t - 0.32, 0.96) < 0.48 ? 0.4 : -0.3; }
double two_sines(double t) { return 0.9 * std::sin(2.0 * t) + 0.6 * std::sin(4.3 * t); }

std::vector<Case> cases() {
  const auto changed = [](ServoModel model, auto change) {
    change(model);
    return model;
  };
  const Bench small{xl330_m6(400.0), 0.003, 0.29};
  const Bench strong{sts3215(32.0), 0.011, 0.73};
  return {
      {"XL330 M1, up and down",
       {xl330_m1(400.0), 0.003, 0.29},
       [](double t) { return 0.52 * (1.0 - std::cos(1.5 * t)); }},
      {"XL330 M6, sine of t²", small, [](double t) { return 1.15 * std::sin(t * t); }},
      {"XL330 M6, two sines", {xl330_m6(800.0), 0.003, 0.29}, two_sines},
      {"STS3215, two sines", strong, two_sines},
      {"armature of a hundred links",
       {changed(sts3215(32.0), [](ServoModel& m) { m.firmware.max_speed = 1e9; }), 0.00028, 0.02},
       jumps},
      {"XL330 at its full duty", {xl330_m6(800.0), 0.003, 0.29}, jumps},
      {"STS3215 within 0.9 A",
       {changed(sts3215(32.0), [](ServoModel& m) { m.firmware.max_current = 0.9; }), 0.011, 0.2},
       jumps},
      {"STS3215 with 0.3 A of its supply",
       {changed(sts3215(32.0), [](ServoModel& m) { m.firmware.max_supply_current = 0.3; }), 0.011,
        0.2},
       jumps},
      {"DM-J4310 with 1 A of its supply",
       {changed(mit_drive(50.0, 2.0), [](ServoModel& m) { m.firmware.max_supply_current = 1.0; }),
        0.002, 0.2},
       jumps,
       1e9,
       5.0,
       {0.15, 2.0, 7.0}},
      {"STS3215 with inductance",
       {changed(sts3215(32.0),
                [](ServoModel& m) { m.drive.inductance = 0.004 * m.drive.resistance; }),
        0.011, 0.2},
       jumps},
      {"STS3215 with a D gain",
       {changed(sts3215(32.0),
                [](ServoModel& m) {
                  m.firmware.d = 1.0;
                  m.firmware.d_scale = 0.15;
                }),
        0.011, 0.2},
       jumps},
      {"STS3215 with a D gain that ends each jump",
       {changed(sts3215(96.0),
                [](ServoModel& m) {
                  m.firmware.max_speed = kInfinite;
                  m.firmware.d = 1.0;
                  m.firmware.d_scale = 2.0;
                }),
        0.011, 0.2},
       jumps},
      {"DM-J4310, 50 and 2", {mit_drive(50.0, 2.0), 0.002, 0.2}, jumps, 1e9, 5.0, {0.15, 2.0, 7.0}},
      {"DM-J4310 on 6 V",
       {changed(mit_drive(50.0, 2.0), [](ServoModel& m) { m.supply.voltage = 6.0; }), 0.002, 0.2},
       jumps,
       1e9,
       5.0,
       {0.15, 2.0, 7.0}},
      {"eRob80", {erob80(), 0.0005, 0.05}, jumps},
      {"SG90 and a rod of 4 g",
       {sg90(), 3.3e-6, 0.001},
       jumps,
       1e9,
       5.0,
       {0.15, 0.7, 2.0},
       {0.15, 2.5, 7.0}},
      {"XL330 without torque after a lift",
       {xl330_m6(800.0), 0.003, 0.29},
       [](double t) { return std::min(1.0, t); },
       1.6,
       5.0,
       {0.2, 0.7, 1.3}},
  };
}

TEST(ServoLaw, FollowsAFineReferenceAtAnyStep) {
  for (const Case& c : cases()) {
    const Signal until = [&c](double) { return c.torque_until; };
    const std::vector<double> exact = by_reference(c.bench, c.goal, until, c.seconds);
    double amplitude = 0.0;
    for (const double q : exact) {
      amplitude = std::max(amplitude, std::abs(q));
    }
    ASSERT_GT(amplitude, 20.0 * kDegree) << c.name;
    constexpr std::array<double, 3> kSteps{0.001, 0.008, 0.016};
    for (const Move move : kMoves) {
      for (std::size_t s = 0; s < kSteps.size(); ++s) {
        const std::vector<double> places =
            by_law(c.bench, c.goal, until, kSteps[s], c.seconds, move);
        ASSERT_EQ(places.size(), exact.size());
        double sum = 0.0;
        for (std::size_t i = 0; i < places.size(); ++i) {
          sum += (places[i] - exact[i]) * (places[i] - exact[i]);
        }
        const double rms = 100.0 * std::sqrt(sum / places.size()) / amplitude;
        const bool has_own = move == Move::ByMean && c.most_by_mean[s] > 0.0;
        EXPECT_LE(rms, has_own ? c.most_by_mean[s] : c.most[s])
            << c.name << " at " << kSteps[s] << " s, " << (move == Move::ByMean ? "joint" : "ode");
      }
    }
  }
}

// A step of a bench.
struct State {
  double q = 0.0;
  double w = 0.0;
  ServoMemory memory;
  ServoStep step;
};

void advance(const Bench& bench, double load, double h, const ServoCommand& command, State& s,
             Move move = Move::ByRateAfter) {
  const ServoNumbers numbers = numbers_of(bench.model);
  set_servo_step(numbers, command, s.q, s.w, bench.inertia, h, s.memory, s.step,
                 move == Move::ByMean);
  double force = 0.0;
  const double after = rate_after(s.step, bench.inertia, load, h, &force);
  after_servo_step(numbers, s.step, after, force, bench.inertia, h, s.memory);
  s.q += way(move, s.w, after, h);
  s.w = after;
}

TEST(ServoLaw, HoldsAtRestUpToItsBudget) {
  for (const ServoModel& model : {sts3215(32.0), xl330_m1(400.0), xl330_m6(400.0)}) {
    // The load that friction alone holds: of M6 the part that the load adds, too. External 0.0808
    // holds the load itself by so much.
    const ServoFriction& f = model.friction;
    const double budget = (f.coulomb + f.stribeck) / (1.0 - f.external - f.external_stribeck);
    for (const double h : {0.001, 0.008, 0.016}) {
      for (const double share : {0.5, 0.9, 0.999, 1.001}) {
        const Bench bench{model, 0.003, 0.0};
        State s{0.3, 0.0, servo_at(model, 0.3), {}};
        s.memory.load_torque = share * budget;  // as after a step at rest
        ServoCommand command = command_of(model, 0.3);
        command.is_on = 0.0;
        for (const Move move : kMoves) {
          State moved = s;
          for (int i = 0; i < 20000; ++i) {
            advance(bench, share * budget, h, command, moved, move);
          }
          EXPECT_EQ(moved.q == 0.3 && moved.w == 0.0, share < 1.0) << h << ", " << share;
        }
      }
    }
  }
}

TEST(ServoLaw, RestsApartWhenItsGoalIsReachedFromTwoSides) {
  // By twice the friction over the stiffness.
  for (const auto& [p, degrees] : {std::pair(16.0, 0.54), std::pair(32.0, 0.15)}) {
    for (const auto& [h, move] : {std::pair(0.001, Move::ByRateAfter),
                                  {0.008, Move::ByRateAfter},
                                  {0.016, Move::ByRateAfter},
                                  {0.001, Move::ByMean},
                                  {0.008, Move::ByMean},
                                  {0.016, Move::ByMean}}) {
      std::array<double, 2> rests{};
      for (const int side : {0, 1}) {
        const Bench bench{sts3215(p), 0.011, 0.0};
        State s{0.0, 0.0, servo_at(bench.model, 0.0), {}};
        const double start = side == 0 ? -0.2 : 0.2;
        s.q = s.memory.target = start;
        for (double t = 0.0; t < 14.0; t += h) {
          // By 25 steps of 0.008 rad, with time to come to rest after each.
          const double share = std::floor(std::min(1.0, t / 12.5) * 25.0 + 1e-9) / 25.0;
          advance(bench, 0.0, h, command_of(bench.model, start * (1.0 - share)), s, move);
        }
        EXPECT_EQ(s.w, 0.0);
        rests[side] = s.q;
      }
      EXPECT_NEAR((rests[1] - rests[0]) / kDegree, degrees, 0.05) << p << ", " << h;
    }
  }
}

TEST(ServoLaw, IsTheTorqueSpeedLineAtFullDuty) {
  Bench bench{sts3215(32.0), 0.01, 0.0};
  bench.model.firmware.max_speed = 1e9;
  bench.model.friction = {};
  const double volts = 0.97 * 7.4;
  const ServoDrive& drive = bench.model.drive;
  for (const double h : {0.001, 0.016}) {
    State s{0.0, 0.0, servo_at(bench.model, 0.0), {}};
    ServoCommand command = command_of(bench.model, 1e6);
    for (int i = 0; i < 2000; ++i) {
      advance(bench, 0.0, h, command, s);
    }
    EXPECT_NEAR(s.w, volts / drive.torque_constant, 1e-9) << h;
    EXPECT_NEAR(s.memory.motor_torque, 0.0, 1e-9) << h;
    EXPECT_NEAR(s.memory.duty, 0.97, 1e-12) << h;
    // A load that stops it.
    const double stall = drive.torque_constant / drive.resistance * volts;
    for (int i = 0; i < 2000; ++i) {
      advance(bench, -stall, h, command, s);
    }
    EXPECT_NEAR(s.w, 0.0, 1e-9) << h;
    EXPECT_NEAR(s.memory.motor_torque, stall, 1e-9) << h;
    EXPECT_NEAR(s.memory.current, volts / drive.resistance, 1e-9) << h;
  }
}

TEST(ServoLaw, SticksAndSlipsInTheSameCycleAtAnyStep) {
  // A slow ramp, with friction that falls with the rate.
  int slips_of_fine = 0;
  for (const double h : {0.0001, 0.001, 0.008, 0.016}) {
    Bench bench{sts3215(16.0), 0.011, 0.0};
    ServoFriction& f = bench.model.friction;
    f.coulomb = 0.05;
    f.stribeck = 0.15;
    f.stribeck_speed = 0.05;
    State s{0.0, 0.0, servo_at(bench.model, 0.0), {}};
    int slips = 0;
    bool rested = true;
    const long count = std::lround(60.0 / h);
    for (long i = 0; i < count; ++i) {
      advance(bench, 0.0, h, command_of(bench.model, 0.05 * (i * h + 0.5 * h)), s);
      slips += s.w != 0.0 && rested ? 1 : 0;
      rested = s.w == 0.0;
    }
    slips_of_fine = slips_of_fine == 0 ? slips : slips_of_fine;
    EXPECT_GT(slips, 20);
    EXPECT_NEAR(slips, slips_of_fine, 0.04 * slips_of_fine + 1.0) << h;
  }
}

// Three axes with constant inertias between them, each with a servo.
struct Coupled {
  using Three = std::array<double, 3>;
  std::array<Three, 3> inertia{};
  std::array<ServoModel, 3> models;
  Three alpha{};  ///< what the law takes for the inertia of an axis
  Three goal{};
  Three q{};
  Three w{};
  std::array<ServoMemory, 3> memory{};
  Move move = Move::ByRateAfter;

  static Three solve(std::array<Three, 3> a, Three b) {
    for (int i = 0; i < 3; ++i) {
      for (int k = i + 1; k < 3; ++k) {
        const double factor = a[k][i] / a[i][i];
        for (int j = i; j < 3; ++j) {
          a[k][j] -= factor * a[i][j];
        }
        b[k] -= factor * b[i];
      }
    }
    for (int i = 2; i >= 0; --i) {
      for (int j = i + 1; j < 3; ++j) {
        b[i] -= a[i][j] * b[j];
      }
      b[i] /= a[i][i];
    }
    return b;
  }

  // M·(ω⁺ − ω)/h = Σ rows, with the friction of each axis in the one of its three states, to stick
  // or to slide in either direction, in which it keeps its bounds. All 27 are tried.
  void step(double h) {
    std::array<ServoStep, 3> steps;
    for (int i = 0; i < 3; ++i) {
      set_servo_step(numbers_of(models[i]), command_of(models[i], goal[i]), q[i], w[i], alpha[i], h,
                     memory[i], steps[i], move == Move::ByMean);
    }
    for (int states = 0; states < 27; ++states) {
      const std::array<int, 3> side{states % 3 - 1, states / 3 % 3 - 1, states / 9 - 1};
      std::array<Three, 3> a{};
      Three b{};
      for (int i = 0; i < 3; ++i) {
        const ServoRowOf<double> rows = steps[i].without_friction(0.0);
        for (int j = 0; j < 3; ++j) {
          a[i][j] = inertia[i][j] / h;
          b[i] += inertia[i][j] * w[j] / h;
        }
        a[i][i] += rows.stiffness;
        b[i] += rows.force - side[i] * steps[i].friction;
      }
      std::array<Three, 3> reduced = a;
      Three right = b;
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
          if (side[i] == 0 || side[j] == 0) {
            reduced[i][j] = i == j ? 1.0 : 0.0;
          }
        }
        right[i] = side[i] == 0 ? 0.0 : b[i];
      }
      const Three after = solve(reduced, right);
      bool holds = true;
      for (int i = 0; i < 3; ++i) {
        double force = -b[i];
        for (int j = 0; j < 3; ++j) {
          force += a[i][j] * after[j];
        }
        holds = holds && (side[i] == 0 ? std::abs(force) <= steps[i].friction * (1.0 + 1e-12)
                                       : side[i] * after[i] >= 0.0);
      }
      if (holds) {
        for (int i = 0; i < 3; ++i) {
          after_servo_step(numbers_of(models[i]), steps[i], after[i], 0.0, alpha[i], h, memory[i]);
          q[i] += way(move, w[i], after[i], h);
        }
        w = after;
        return;
      }
    }
    FAIL() << "no state of friction keeps its bounds";
  }

  // H at the middle of the last step, or with `joint`, after it. docs/explanation/servos.md derives
  // both.
  double energy(double h) const {
    double sum = 0.0;
    for (int i = 0; i < 3; ++i) {
      const ServoModel& m = models[i];
      const double per_volt = m.drive.torque_constant / m.drive.resistance;
      const double k = per_volt * m.supply.voltage * m.firmware.p * m.firmware.p_scale;
      const double b = per_volt * m.drive.torque_constant + m.friction.viscous;
      const auto weights = detail::servo_weights(k, b, alpha[i] + m.drive.armature, h);
      const bool by_mean = move == Move::ByMean;
      const double apart = q[i] - (by_mean ? 0.0 : 0.5 * h * w[i]) - goal[i];
      // What the position loop adds to the inertia.
      const double of_loop = by_mean ? 0.0 : weights.inertia - 0.25 * h * h * k;
      for (int j = 0; j < 3; ++j) {
        sum += 0.5 * inertia[i][j] * w[i] * w[j];
      }
      sum += 0.5 * (m.drive.armature + of_loop) * w[i] * w[i] + 0.5 * k * apart * apart +
             0.5 * h * (weights.theta - 0.5) * b * w[i] * w[i] +
             0.25 * weights.beta * h * h * k * w[i] * w[i] +
             0.5 * h * m.friction.coulomb * std::abs(w[i]);
    }
    return sum;
  }
};

TEST(ServoLaw, NeverAddsEnergyToCoupledAxes) {
  std::mt19937 random(7);
  const auto any = [&random] { return 2.0 * (random() / 4294967296.0) - 1.0; };
  for (int system = 0; system < 3000; ++system) {
    const double h = std::pow(10.0, -2.5 + any());
    Coupled c;
    // M = Lᵀ·L, with sizes that differ by up to 10⁴.
    std::array<Coupled::Three, 3> l{};
    for (int i = 0; i < 3; ++i) {
      l[i][i] = std::pow(10.0, any());
      for (int j = 0; j < i; ++j) {
        l[i][j] = any() * l[i][i];
      }
    }
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        for (int k = 0; k < 3; ++k) {
          c.inertia[i][j] += 0.01 * l[k][i] * l[k][j];
        }
      }
    }
    for (int i = 0; i < 3; ++i) {
      const double inertia = c.inertia[i][i];
      c.alpha[i] = inertia * std::pow(10.0, any());
      ServoModel& m = c.models[i];
      m = servo_of(1.0, 2.0, inertia * std::pow(10.0, 2.0 * any()), 1.0, 1.0);
      const double stiffness = inertia / (h * h) * std::pow(10.0, 3.0 * any());
      m.firmware.p = stiffness * m.drive.resistance;
      m.firmware.max_duty = kInfinite;
      m.friction.coulomb = system % 3 == 0 ? 0.0 : stiffness * std::pow(10.0, 2.0 * any() - 2.0);
      m.friction.viscous = 0.1 * (1.0 + any());
      c.goal[i] = any();
      c.q[i] = c.goal[i] + any();
      c.w[i] = any() / h;
      c.memory[i] = servo_at(m, c.goal[i], c.w[i]);
    }
    for (const Move move : kMoves) {
      Coupled moved = c;
      moved.move = move;
      moved.step(h);
      const double first = moved.energy(h);
      double before = first;
      for (int i = 0; i < 60; ++i) {
        moved.step(h);
        const double now = moved.energy(h);
        ASSERT_LE(now, before * (1.0 + 1e-9) + 1e-13 * first) << system << ", step " << i;
        before = now;
      }
    }
  }
}

// Servos that start far from their goals, where their output is at its bound, with loops of any
// stiffness and D gains up to x = 20.
TEST(ServoLaw, AddsNoEnergyWhereItsOutputIsAtItsBound) {
  std::mt19937 random(11);
  const auto any = [&random] { return 2.0 * (random() / 4294967296.0) - 1.0; };
  for (int system = 0; system < 6000; ++system) {
    const double h = std::pow(10.0, -2.5 + any());
    Bench bench;
    bench.inertia = 0.01;
    ServoModel& m = bench.model;
    m = servo_of(1.0, 2.0, 0.01 * std::pow(10.0, 2.0 * any()), 10.0, 1.0);
    const double inertia = bench.inertia + m.drive.armature;
    const bool is_current = system % 2 == 0;
    const double per_output = is_current ? 1.0 : 10.0 / 2.0;
    const double x = system % 3 == 0 ? 0.0 : 20.0 * std::pow(10.0, 1.5 * any() - 1.5);
    m.firmware.p = inertia / (h * h) * std::pow(10.0, 3.0 * any()) / per_output;
    m.firmware.d = 1.0;
    m.firmware.d_scale = x * inertia / h / per_output;
    const double start = std::pow(10.0, any());
    const double limit = m.firmware.p * start * std::pow(10.0, 2.0 * any() - 0.5);
    if (is_current) {
      m.firmware.law = ServoLaw::Current;
      m.firmware.max_current = limit;
      // At times the supply has less than the current needs.
      m.supply.voltage = 2.0 * limit * std::pow(10.0, 0.7 * any());
    } else {
      m.firmware.max_duty = limit;
    }
    const double stiffness = per_output * m.firmware.p;
    const double strongest = per_output * limit;
    State s{start, 0.0, servo_at(m, 0.0), {}};
    const auto energy = [&] {
      const double apart = std::abs(s.q - 0.5 * h * s.w);  // in the middle of the last step
      const double bent = strongest / stiffness;
      return 0.5 * inertia * s.w * s.w +
             (apart < bent ? 0.5 * stiffness * apart * apart : strongest * (apart - 0.5 * bent));
    };
    const double first = energy();
    for (int i = 0; i < 200; ++i) {
      advance(bench, 0.0, h, command_of(m, 0.0), s);
      ASSERT_LE(energy(), first * 1.5) << system << ", step " << i;
    }
  }
}

TEST(ServoLaw, GivesTheSameForAShaftOfAnyInertia) {
  // Without an armature, friction and viscous part, a row must still be there when the torque is
  // off; the axis falls freely.
  Bench bench{servo_of(1.0, 2.0, 0.0, 12.0, 1.0), 0.01, 0.0};
  State s{0.0, 0.0, servo_at(bench.model, 0.0), {}};
  ServoCommand command = command_of(bench.model, 0.0);
  command.is_on = 0.0;
  for (int i = 0; i < 100; ++i) {
    advance(bench, 0.1, 0.01, command, s);
  }
  EXPECT_NEAR(s.w, 10.0, 1e-7);
}

TEST(ServoLaw, StaysFiniteWithAnyGain) {
  for (const double gain : {1e30, 1e100, 1e160, 1e200, 1e300}) {
    for (const double goal : {0.0, 0.5}) {
      Bench bench{sts3215(gain), 0.01, 0.0};
      bench.model.firmware.d = bench.model.firmware.i = gain;
      bench.model.firmware.i_scale = bench.model.firmware.d_scale = 1e10;
      State s{0.0, 0.0, servo_at(bench.model, 0.0), {}};
      for (int i = 0; i < 50; ++i) {
        advance(bench, 0.0, 0.016, command_of(bench.model, goal), s);
        ASSERT_TRUE(std::isfinite(s.q) && std::isfinite(s.w)) << gain << ", step " << i;
        ASSERT_TRUE(std::isfinite(s.memory.current)) << gain << ", step " << i;
      }
      EXPECT_EQ(goal == 0.0, s.q == 0.0) << gain;
    }
  }
}

TEST(ServoLaw, PunchesToNoSideWithoutAnError) {
  Bench bench{sts3215(32.0), 0.01, 0.0};
  bench.model.friction = {};
  bench.model.firmware.punch = 0.1;
  State s{0.0, 0.0, servo_at(bench.model, 0.0), {}};
  for (int i = 0; i < 20; ++i) {
    advance(bench, 0.0, 0.004, command_of(bench.model, 0.0), s);
    ASSERT_EQ(s.memory.duty, 0.0) << i;
  }
  for (const double goal : {-1e-6, 1e-6}) {
    State other{0.0, 0.0, servo_at(bench.model, 0.0), {}};
    advance(bench, 0.0, 0.004, command_of(bench.model, goal), other);
    EXPECT_NEAR(other.memory.duty, std::copysign(0.05, goal), 1e-9);  // half of the step
  }
}

TEST(ServoLaw, LimitsACompliantLoopWithoutMakingItSofter) {
  Bench bench{sts3215(32.0), 1e9, 0.0};
  bench.model.firmware.max_speed = kInfinite;
  bench.model.firmware.max_duty = 1.0;
  bench.model.firmware.punch = 0.1;
  bench.model.firmware.dead_zone = 0.01;
  bench.model.firmware.compliance_slope = 0.2;
  for (const double goal : {0.005, 0.06, 0.11, 0.5}) {
    for (const double limit : {1.0, 0.5}) {
      State s{0.0, 0.0, servo_at(bench.model, goal), {}};
      ServoCommand command = command_of(bench.model, goal);
      command.max_duty = limit;
      advance(bench, 0.0, 0.004, command, s);
      const double wanted = goal < 0.01 ? 0.0 : 0.1 + 0.9 * (goal - 0.01) / 0.2;
      EXPECT_NEAR(s.memory.duty, std::min(limit, wanted), 1e-6) << goal << ", " << limit;
    }
  }
}

TEST(ServoLaw, HasFiniteBoundsWithoutALimitOfCurrent) {
  Bench bench{sts3215(1.0), 0.01, 0.0};
  bench.model.firmware.law = ServoLaw::Current;
  bench.model.firmware.p_scale = 1e4;  // so stiff that the voltage is a row
  bench.model.firmware.i = 1.0;
  bench.model.firmware.i_scale = 100.0;
  ASSERT_EQ(bench.model.firmware.max_current, kInfinite);
  State s{0.0, 0.0, servo_at(bench.model, 0.0), {}};
  int rows = 0;
  for (int i = 0; i < 200; ++i) {
    advance(bench, 0.0, 0.008, command_of(bench.model, 1e-4), s);
    for (const ServoRowOf<double>& row : s.step.drive) {
      rows += row.stiffness > 0.0 ? 1 : 0;
      ASSERT_TRUE(std::isfinite(row.low) && std::isfinite(row.high)) << i;
    }
    ASSERT_TRUE(std::isfinite(s.w) && std::isfinite(s.memory.integral)) << i;
    ASSERT_LE(std::abs(s.memory.integral), 7.4 / 2.67617) << i;
  }
  EXPECT_GT(rows, 20);
}

TEST(ServoLaw, HoldsTheOutputOfAFirmwareWithAPeriod) {
  Bench bench{xl330_m1(400.0), 0.003, 0.0};
  bench.model.firmware.period = 0.02;
  State s{0.0, 0.0, servo_at(bench.model, 0.0), {}};
  std::vector<double> duties;
  for (int i = 0; i < 60; ++i) {
    advance(bench, 0.0, 0.002, command_of(bench.model, 0.3), s);
    duties.push_back(s.memory.held);
  }
  int changes = 0;
  for (std::size_t i = 1; i < duties.size(); ++i) {
    changes += duties[i] != duties[i - 1] ? 1 : 0;
    EXPECT_TRUE(duties[i] == duties[i - 1] || i % 10 == 0) << i;
  }
  EXPECT_EQ(changes, 5);
}

// A servo that has to give a constant current, and cannot move.
struct Heated {
  Bench bench{sts3215(32.0), 0.01, 0.0};
  ServoCommand command;
  State s;

  explicit Heated(double max_temperature) {
    ServoThermal& heat = bench.model.thermal;
    heat.winding_capacity = 2.0;
    heat.winding_resistance = 5.0;
    heat.case_capacity = 10.0;
    heat.case_resistance = 20.0;
    bench.model.friction = {};  // nothing but the winding warms it
    bench.model.protection.max_temperature = max_temperature;
    bench.inertia = 1e9;
    s = {0.0, 0.0, servo_at(bench.model, 0.0), {}};
    command = command_of(bench.model, 0.0);
    command.p = 0.0;
    command.is_current = 1.0;
    command.output = 0.5;
  }
};

TEST(ServoLaw, WarmsUpToWhereItsHeatGoes) {
  Heated of(1000.0);
  for (int i = 0; i < 400000; ++i) {
    advance(of.bench, 0.0, 0.016, of.command, of.s);
  }
  // P = i²·R·(1 + a·(T − 25)), T = T_case + 5·P, T_case = 25 + 20·P
  const double cold = 0.25 * 2.67617;
  const double power = cold / (1.0 - cold * 0.0039 * 25.0);
  EXPECT_EQ(of.s.memory.is_shut_down, 0.0);
  EXPECT_NEAR(of.s.memory.housing, 25.0 + 20.0 * power, 1e-6);
  EXPECT_NEAR(of.s.memory.winding, 25.0 + 25.0 * power, 1e-6);
}

TEST(ServoLaw, EndsItsTorqueWhereItsCaseIsTooHot) {
  Heated of(30.0);
  double hottest = 0.0;
  for (int i = 0; i < 20000; ++i) {
    advance(of.bench, 0.0, 0.016, of.command, of.s);
    hottest = std::max(hottest, of.s.memory.housing);
  }
  EXPECT_EQ(of.s.memory.is_shut_down, 1.0);
  EXPECT_GT(hottest, 30.0);
  EXPECT_LT(hottest, 32.0);  // what the winding still gives off
  EXPECT_EQ(of.s.memory.current, 0.0);
}

TEST(ServoLaw, WarmsALightCaseAsFastAsItIs) {
  // A case with the thousandth of the capacity of its winding follows the winding at once.
  Heated of(1000.0);
  of.bench.model.thermal.case_capacity = 0.002;
  for (int i = 0; i < 1000; ++i) {
    advance(of.bench, 0.0, 0.032, of.command, of.s);
    const double warmer = of.s.memory.winding - 25.0;
    ASSERT_GE(warmer, 0.0) << i;
    ASSERT_NEAR(of.s.memory.housing - 25.0, 0.8 * warmer, 0.02) << i;
  }
}

}  // namespace
}  // namespace servosim::test
