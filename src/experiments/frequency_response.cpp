// SPDX-License-Identifier: Apache-2.0
#include "experiments/frequency_response.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numbers>

namespace servosim {
namespace {

constexpr double kTurn = 2.0 * std::numbers::pi;
constexpr double kDegrees = 180.0 / std::numbers::pi;
constexpr int kLeastStretch = 32;   // steps of a stretch
constexpr int kMostStretches = 60;  // stretches until the transient must have died out
constexpr double kSettled = 1e-4;   // relative difference of the gains of two stretches
constexpr double kStretchCycles = 2.0;
constexpr double kLeastTime = 0.1;  // duration of a stretch [s]

struct SineFit {
  std::complex<double> phasor;  // amplitude and φ of sin(2πft + φ)
  double coherence;
};

// Fits offset + drift·t + a·sin + b·cos.
SineFit fit_sine(const std::vector<double>& times, const std::vector<double>& values,
                 double frequency) {
  const auto rows = static_cast<Eigen::Index>(times.size());
  Eigen::MatrixXd terms(rows, 4);
  Eigen::VectorXd y(rows);
  const double middle = (times.front() + times.back()) / 2.0;
  const double half = (times.back() - times.front()) / 2.0;
  for (Eigen::Index i = 0; i < rows; ++i) {
    const double time = times[static_cast<std::size_t>(i)];
    terms.row(i) << std::sin(kTurn * frequency * time), std::cos(kTurn * frequency * time), 1.0,
        (time - middle) / half;
    y[i] = values[static_cast<std::size_t>(i)];
  }
  const Eigen::VectorXd x = terms.colPivHouseholderQr().solve(y);
  const Eigen::VectorXd varying = y - terms.rightCols(2) * x.tail(2);
  const double rest = (y - terms * x).squaredNorm();
  const double all = varying.squaredNorm();
  return {{x[0], x[1]}, all > 0.0 ? std::max(0.0, 1.0 - rest / all) : 0.0};
}

}  // namespace

double FrequencyPoint::gain_db() const { return 20.0 * std::log10(std::abs(gain)); }

FrequencyPoint FrequencyResponse::measure(double frequency, double amplitude) {
  FrequencyPoint best = measure_at(frequency, amplitude);
  FrequencyPoint point = best;
  for (int n = 0; n < kHalvings; ++n) {
    const FrequencyPoint half = measure_at(frequency, point.amplitude / 2.0);
    point.linear =
        std::abs(half.gain - point.gain) <= FrequencyPoint::kLinear * std::abs(half.gain);
    if (point.coherence >= FrequencyPoint::kCoherent && point.linear) {
      return point;
    }
    if (point.coherence > best.coherence) {
      best = point;
    }
    if (std::abs(half.gain) < (1.0 - FrequencyPoint::kLinear) * std::abs(point.gain)) {
      break;  // this indicates friction: with a smaller amplitude the joint would stick
    }
    point = half;
  }
  return best;
}

FrequencyPoint FrequencyResponse::measure_at(double frequency, double amplitude) {
  const double h = test_.time_step();
  // A stretch is long enough to show transients that decay slowly.
  const double least = std::max(static_cast<double>(kLeastStretch), kLeastTime / h);
  const int rows = static_cast<int>(std::ceil(std::max(least, kStretchCycles / (frequency * h))));
  test_.restart();
  FrequencyPoint point{frequency, {}, amplitude, 0.0, false, false};
  std::vector<double> times(static_cast<std::size_t>(rows));
  std::vector<double> values(times.size());
  std::int64_t step = 0;
  for (int stretch = 0; stretch < kMostStretches; ++stretch) {
    for (std::size_t i = 0; i < times.size(); ++i, ++step) {
      const double now = static_cast<double>(step) * h;
      const JointReading reading = test_.step(amplitude * std::sin(kTurn * frequency * now));
      times[i] = now + h;
      values[i] = output_ == TestOutput::Position ? reading.position : reading.velocity;
    }
    const SineFit fit = fit_sine(times, values, frequency);
    const std::complex<double> gain = fit.phasor / amplitude;
    point.settled = std::abs(gain - point.gain) <= kSettled * std::abs(gain);
    point.gain = gain;
    point.coherence = fit.coherence;
    if (point.settled) {
      break;
    }
  }
  return point;
}

std::vector<double> spaced_frequencies(double from, double to, int count) {
  std::vector<double> frequencies;
  for (int i = 0; i < count; ++i) {
    frequencies.push_back(from * std::pow(to / from, static_cast<double>(i) / (count - 1)));
  }
  return frequencies;
}

std::vector<double> unwrapped_phases(const std::vector<FrequencyPoint>& points,
                                     std::optional<double> first) {
  std::vector<double> phases;
  for (const FrequencyPoint& point : points) {
    double phase = std::arg(point.gain) * kDegrees;
    if (phases.empty() && first) {
      phase -= 360.0 * std::round((phase - *first) / 360.0);
    } else if (phases.empty()) {
      phase -= phase > 90.0 ? 360.0 : 0.0;  // prefers a lag to a lead
    } else {
      phase -= 360.0 * std::round((phase - phases.back()) / 360.0);
    }
    phases.push_back(phase);
  }
  return phases;
}

LoopMargins loop_margins(const std::vector<FrequencyPoint>& open_loop) {
  const std::vector<double> phases = unwrapped_phases(open_loop);
  LoopMargins margins;
  for (std::size_t i = 1; i < open_loop.size(); ++i) {
    const FrequencyPoint& a = open_loop[i - 1];
    const FrequencyPoint& b = open_loop[i];
    const auto between = [&](double share) {
      return a.frequency * std::pow(b.frequency / a.frequency, share);
    };
    const double gain_a = a.gain_db();
    const double gain_b = b.gain_db();
    if (!std::isfinite(gain_a) || !std::isfinite(gain_b)) {
      continue;
    }
    if ((gain_a > 0.0) != (gain_b > 0.0)) {
      const double share = gain_a / (gain_a - gain_b);
      const double phase = 180.0 + phases[i - 1] + share * (phases[i] - phases[i - 1]);
      if (!margins.phase || std::abs(phase) < std::abs(margins.phase->value)) {
        margins.phase = {between(share), phase};
      }
    }
    // Finds where the phase crosses -180°, or -180° plus whole turns.
    const double turn_a = (phases[i - 1] + 180.0) / 360.0;
    const double turn_b = (phases[i] + 180.0) / 360.0;
    if (std::floor(turn_a) != std::floor(turn_b)) {
      const double crossed = std::max(std::floor(turn_a), std::floor(turn_b));
      const double share = (crossed - turn_a) / (turn_b - turn_a);
      const double gain = -(gain_a + share * (gain_b - gain_a));
      if (!margins.gain || std::abs(gain) < std::abs(margins.gain->value)) {
        margins.gain = {between(share), gain};
      }
    }
  }
  return margins;
}

std::vector<FrequencyPoint> opened(std::vector<FrequencyPoint> closed_loop) {
  for (FrequencyPoint& point : closed_loop) {
    point.gain = point.gain / (1.0 - point.gain);
  }
  return closed_loop;
}

}  // namespace servosim
