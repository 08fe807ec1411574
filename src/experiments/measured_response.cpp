// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numbers>

#include "experiments/frequency_response.h"

namespace servosim {
namespace {

constexpr double kStretchPeriods = 4.0;  // of a frequency in a stretch
constexpr double kSideBySide = 8.0;      // side by side in the signal
constexpr double kLeastSideBySide = 2.0;
constexpr double kRounding = 1e-9;      // of a constant input, at most
constexpr double kLeastOfInput = 0.02;  // of the greatest amplitude of the input

// Sums over all stretches.
struct Spectra {
  std::complex<double> cross;  // output times the conjugate input
  double input = 0.0;
  double output = 0.0;
  double amplitude = 0.0;  // the greatest one of the input
};

class Stretches {
 public:
  Stretches(const MeasuredSignal& signal, double frequency)
      : signal_(signal), frequency_(frequency), duration_(signal.times.back() - signal.times[0]) {
    length_ = std::clamp(kStretchPeriods / frequency, duration_ / kSideBySide,
                         duration_ / kLeastSideBySide);
  }

  Spectra sum() {
    const double room = duration_ - length_;
    const int count = 1 + static_cast<int>(std::ceil(2.0 * room / length_ - 1e-9));
    for (int i = 0; i < count; ++i) {
      add(signal_.times[0] + room * i / std::max(1, count - 1));
    }
    return spectra_;
  }

 private:
  // Adds the stretch that begins at this time. Between two rows the input holds, and the output
  // goes straight on.
  void add(double begin) {
    const std::vector<double>& t = signal_.times;
    const auto first = std::upper_bound(t.begin(), t.end(), begin) - t.begin() - 1;
    std::complex<double> u;
    std::complex<double> y;
    std::complex<double> one;
    double weight = 0.0;
    double mean_u = 0.0;
    double mean_y = 0.0;
    for (auto k = static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, first)); k + 1 < t.size();
         ++k) {
      const double from = std::max(t[k], begin);
      const double to = std::min(t[k + 1], begin + length_);
      if (to <= from) {
        break;
      }
      const double middle = (from + to) / 2.0;
      const double share = (middle - begin) / length_;
      const double w = (1.0 - std::cos(2.0 * std::numbers::pi * share)) * (to - from);
      const double along = (middle - t[k]) / (t[k + 1] - t[k]);
      const double out = signal_.output[k] + along * (signal_.output[k + 1] - signal_.output[k]);
      const std::complex<double> turn =
          std::polar(w, -2.0 * std::numbers::pi * frequency_ * (middle - begin));
      u += signal_.input[k] * turn;
      y += out * turn;
      one += turn;
      weight += w;
      mean_u += w * signal_.input[k];
      mean_y += w * out;
    }
    u -= mean_u / weight * one;
    y -= mean_y / weight * one;
    spectra_.cross += y * std::conj(u);
    spectra_.input += std::norm(u);
    spectra_.output += std::norm(y);
    spectra_.amplitude = std::max(spectra_.amplitude, 2.0 * std::abs(u) / weight);
  }

  const MeasuredSignal& signal_;
  double frequency_;
  double duration_;
  double length_ = 0.0;  // of a stretch [s]
  Spectra spectra_;
};

}  // namespace

std::vector<MeasuredPoint> measured_response(const MeasuredSignal& signal,
                                             const std::vector<double>& frequencies) {
  const double duration = signal.times.back() - signal.times.front();
  const double rows = static_cast<double>(signal.times.size() - 1) / duration;
  std::vector<MeasuredPoint> points;
  double scale = 0.0;
  for (const double input : signal.input) {
    scale = std::max(scale, std::abs(input));
  }
  double most = kRounding * scale;
  for (const double frequency : frequencies) {
    if (frequency * duration < MeasuredPoint::kLeastCycles * (1.0 - 1e-9) ||
        rows < MeasuredPoint::kLeastRows * frequency) {
      continue;
    }
    const Spectra spectra = Stretches(signal, frequency).sum();
    if (spectra.input > 0.0 && spectra.output > 0.0) {
      points.push_back({frequency, spectra.cross / spectra.input, spectra.amplitude,
                        std::norm(spectra.cross) / (spectra.input * spectra.output)});
      most = std::max(most, spectra.amplitude);
    }
  }
  std::erase_if(points,
                [&](const MeasuredPoint& point) { return point.amplitude < kLeastOfInput * most; });
  return points;
}

}  // namespace servosim
