// SPDX-License-Identifier: Apache-2.0
#include "cli/bode_picture.h"

#include <fmt/format.h>

#include <cmath>

#include "plot/chart.h"

namespace servosim {
namespace {

constexpr double kBandwidthDrop = 3.0102999566;  // [dB]; halves the power

// Returns a vertical mark at the frequency of a margin, from `level` to the value of the loop.
ChartCurve margin_mark(const char* name, const LoopMargins::Margin& margin, double level,
                       double value, const char* unit) {
  return {fmt::format("{} {:.3g} {}", name, margin.value, unit),
          {{margin.frequency, level}, {margin.frequency, level + value}},
          ChartCurve::Style::Mark};
}

}  // namespace

double bandwidth_of(const std::vector<FrequencyPoint>& points) {
  const double level = points.front().gain_db() - kBandwidthDrop;
  for (std::size_t i = 1; i < points.size(); ++i) {
    const double a = points[i - 1].gain_db();
    const double b = points[i].gain_db();
    if (b < level) {
      return points[i - 1].frequency *
             std::pow(points[i].frequency / points[i - 1].frequency, (a - level) / (a - b));
    }
  }
  return 0.0;
}

void draw_bode(const BodePicture& picture, const std::string& output) {
  ChartPanel gain{"gain [dB]", {}, 1.0};
  ChartPanel phase{"phase [°]", {}, 10.0};
  ChartPanel coherence{"coherence", {}, 0.1};
  for (const auto& [title, points, first_phase] : picture.responses) {
    const std::vector<double> phases = unwrapped_phases(points, first_phase);
    gain.curves.push_back({title, {}, ChartCurve::Style::Line});
    phase.curves.push_back({title, {}, ChartCurve::Style::Line});
    for (std::size_t i = 0; i < points.size(); ++i) {
      gain.curves.back().points.emplace_back(points[i].frequency, points[i].gain_db());
      phase.curves.back().points.emplace_back(points[i].frequency, phases[i]);
    }
  }
  const std::vector<FrequencyPoint>& measured = picture.responses.front().points;
  coherence.curves.push_back({"", {}, ChartCurve::Style::Line});
  for (const FrequencyPoint& point : measured) {
    coherence.curves.back().points.emplace_back(point.frequency, point.coherence);
  }
  const double first = measured.front().frequency;
  const double last = measured.back().frequency;
  const auto level = [&](double value, const char* title) {
    return ChartCurve{title, {{first, value}, {last, value}}, ChartCurve::Style::Level};
  };
  if (picture.bandwidth > 0.0) {
    const double low = measured.front().gain_db() - kBandwidthDrop;
    gain.curves.push_back({fmt::format("bandwidth {:.4g} Hz", picture.bandwidth),
                           {{first, low}, {picture.bandwidth, low}},
                           ChartCurve::Style::Mark});
  }
  if (picture.margins.gain) {
    gain.curves.push_back(level(0.0, ""));
    gain.curves.push_back(
        margin_mark("gain margin", *picture.margins.gain, 0.0, -picture.margins.gain->value, "dB"));
  }
  if (picture.margins.phase) {
    phase.curves.push_back(level(-180.0, ""));
    phase.curves.push_back(margin_mark("phase margin", *picture.margins.phase, -180.0,
                                       picture.margins.phase->value, "°"));
  }
  draw_chart({picture.title, "frequency [Hz]", true, {gain, phase, coherence}}, output);
}

std::string margin_text(const char* name, const std::optional<LoopMargins::Margin>& margin,
                        const char* unit) {
  return margin ? fmt::format("{}: {:.3g} {} at {:.4g} Hz\n", name, margin->value, unit,
                              margin->frequency)
                : fmt::format("{}: none between these frequencies\n", name);
}

nlohmann::ordered_json margin_json(const std::optional<LoopMargins::Margin>& margin) {
  return margin ? nlohmann::ordered_json{{"value", margin->value}, {"frequency", margin->frequency}}
                : nlohmann::ordered_json();
}

}  // namespace servosim
