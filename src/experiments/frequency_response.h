// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <optional>
#include <vector>

#include "experiments/joint_test.h"

namespace servosim {

/// What of the joint answers.
enum class TestOutput {
  Position,  ///< [rad|m]
  Velocity,  ///< [rad/s|m/s]
};

/// The answer to a sine, measured.
struct FrequencyPoint {
  double frequency = 0.0;     ///< [Hz]
  std::complex<double> gain;  ///< output over input, at this frequency
  double amplitude = 0.0;     ///< of the input
  /// The share of the output's variation that is a sine of this frequency: 1 for a linear joint,
  /// less where friction, limits or stops distort it.
  double coherence = 0.0;
  /// Whether half the amplitude gives the same gain, within kLinear.
  bool linear = false;
  /// Whether the transient has died out: two stretches agree.
  bool settled = false;

  static constexpr double kLinear = 0.02;
  static constexpr double kCoherent = 0.99;

  double gain_db() const;
};

/// Measures the answer to sines of the given frequencies [Hz], each at least kLeastFrequency of
/// the steps per second and below half of them. At each frequency the amplitude starts at
/// `amplitude` and is halved, up to kHalvings times, until the answer is coherent and linear, or
/// friction would hold the joint; where it never is linear, the most coherent one is returned.
///
/// The input is constant during a step and the output that of its end, so this is the transfer
/// function of the sampled joint at z = exp(i·2π·frequency·h).
/// @throws StepFailed
class FrequencyResponse {
 public:
  static constexpr int kHalvings = 6;
  static constexpr double kLeastFrequency = 1e-5;

  FrequencyResponse(JointTest& test, TestOutput output) : test_(test), output_(output) {}

  FrequencyPoint measure(double frequency, double amplitude);

 private:
  FrequencyPoint measure_at(double frequency, double amplitude);

  JointTest& test_;
  TestOutput output_;
};

/// `count` frequencies from `from` to `to` [Hz], at equal ratios. 0 < from < to, count >= 2.
std::vector<double> spaced_frequencies(double from, double to, int count);

/// How far a loop is from instability.
struct LoopMargins {
  struct Margin {
    double frequency;  ///< [Hz]
    double value;      ///< dB or degrees
  };
  /// By how much the gain may grow, where the phase is -180°; nothing: it does not come there.
  std::optional<Margin> gain;
  /// By how much the phase may lag more, where the gain is 1; nothing: likewise.
  std::optional<Margin> phase;
};

/// The margins of an open loop, interpolated between points of increasing frequency; the smallest
/// ones, where there are several.
LoopMargins loop_margins(const std::vector<FrequencyPoint>& open_loop);

/// The open loop L of which the points are the closed one, L / (1 + L).
std::vector<FrequencyPoint> opened(std::vector<FrequencyPoint> closed_loop);

/// Phases [degrees], without jumps of 360°; the first one in (-360°, 0°] but for up to 90° of lead.
std::vector<double> unwrapped_phases(const std::vector<FrequencyPoint>& points);

}  // namespace servosim
