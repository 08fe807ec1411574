// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <optional>
#include <vector>

#include "experiments/joint_test.h"

namespace servosim {

/// The quantity of the joint that is measured.
enum class TestOutput {
  Position,  ///< [rad|m]
  Velocity,  ///< [rad/s|m/s]
};

/// The measured response to a sine.
struct FrequencyPoint {
  double frequency = 0.0;     ///< [Hz]
  std::complex<double> gain;  ///< output over input, at this frequency
  double amplitude = 0.0;     ///< amplitude of the input
  /// The share of the output's variation that is a sine of this frequency. It is 1 for a linear
  /// joint and less if friction, limits or stops distort the output.
  double coherence = 0.0;
  /// Whether half the amplitude results in the same gain, within kLinear.
  bool linear = false;
  /// Whether the transient has died out, that is, two consecutive stretches agree.
  bool settled = false;

  static constexpr double kLinear = 0.02;
  static constexpr double kCoherent = 0.99;

  double gain_db() const;
};

/// Measures the response to sines of the given frequencies [Hz], each at least kLeastFrequency of
/// the steps per second and below half of them. At each frequency the amplitude starts at
/// `amplitude` and is halved, up to kHalvings times, until the response is coherent and linear, or
/// until friction would hold the joint. If the response never is linear, the most coherent one is
/// returned.
///
/// The input is constant during a step, and the output is that at its end. So this is the transfer
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

/// What was commanded and measured at moments that need not be equally apart. All three have the
/// same length, which is at least 20.
struct MeasuredSignal {
  std::vector<double> times;   ///< they grow [s]
  std::vector<double> input;   ///< each value holds until the next moment
  std::vector<double> output;  ///< at each moment
};

/// The response at a frequency that is in a measured signal.
struct MeasuredPoint {
  double frequency = 0.0;     ///< [Hz]
  std::complex<double> gain;  ///< output over input
  double amplitude = 0.0;     ///< of the input at this frequency, where it is greatest
  /// The share of the output's power at this frequency that follows from the input, in [0, 1]. The
  /// rest is noise, another input such as gravity, or friction and limits.
  double coherence = 0.0;

  static constexpr double kLeastCycles = 8.0;  ///< of a frequency in a signal
  static constexpr double kLeastRows = 8.0;    ///< of a signal in a period
};

/// Estimates the response at some frequencies [Hz] from an input of any form that has them: the
/// cross spectrum over the input's power, of overlapping stretches with a Hann window (P. Welch,
/// 1967). A frequency is left out if the input has hardly anything of it, and if the signal has too
/// few periods of it or a period too few rows.
std::vector<MeasuredPoint> measured_response(const MeasuredSignal& signal,
                                             const std::vector<double>& frequencies);

/// Returns `count` frequencies from `from` to `to` [Hz] at equal ratios. 0 < from < to, count >= 2.
std::vector<double> spaced_frequencies(double from, double to, int count);

/// The distance of a loop from instability.
struct LoopMargins {
  struct Margin {
    double frequency;  ///< [Hz]
    double value;      ///< [dB] or [degrees]
  };
  /// How much the gain may grow where the phase is -180°; nothing if the phase does not get there.
  std::optional<Margin> gain;
  /// How much more the phase may lag where the gain is 1; nothing if the gain does not get there.
  std::optional<Margin> phase;
};

/// Returns the margins of an open loop, interpolated between points of increasing frequency. If
/// there are several, it returns the smallest ones.
LoopMargins loop_margins(const std::vector<FrequencyPoint>& open_loop);

/// Returns the open loop L whose closed loop, L / (1 + L), has the given points.
std::vector<FrequencyPoint> opened(std::vector<FrequencyPoint> closed_loop);

/// Returns the phases [degrees] without jumps of 360°. The first one is in (-360°, 0°], or a lead
/// of up to 90°. With `first`, it is the one nearest to that.
std::vector<double> unwrapped_phases(const std::vector<FrequencyPoint>& points,
                                     std::optional<double> first = std::nullopt);

}  // namespace servosim
