// SPDX-License-Identifier: Apache-2.0
#include "cli/bode_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "cli/bode_picture.h"
#include "cli/output.h"
#include "experiments/frequency_response.h"
#include "run/launch_plan.h"

namespace servosim {
namespace {

// The longest part of a log in which the torque is on.
std::pair<std::size_t, std::size_t> longest_on(const std::vector<LogSample>& samples) {
  std::pair<std::size_t, std::size_t> best{0, 0};
  for (std::size_t first = 0; first < samples.size();) {
    std::size_t end = first;
    while (end < samples.size() && samples[end].on == samples[first].on) {
      ++end;
    }
    if (samples[first].on && end - first > best.second - best.first) {
      best = {first, end};
    }
    first = end;
  }
  return best;
}

class LogResponse {
 public:
  LogResponse(const MeasuredLog& measured, const LogFrequencies& frequencies)
      : measured_(measured),
        is_velocity_(frequencies.answer == "velocity"),
        part_(longest_on(measured.log.samples)) {
    const ServoLog& log = measured.log;
    if (part_.second - part_.first < ServoLog::kLeastSamples) {
      throw InputError(
          fmt::format("{}: its torque is never on for {} rows", log.path, ServoLog::kLeastSamples));
    }
    const double duration = log.samples[part_.second - 1].time - log.samples[part_.first].time;
    const double rows = static_cast<double>(part_.second - part_.first - 1);
    const double from = frequencies.from.value_or(MeasuredPoint::kLeastCycles / duration);
    const double to = frequencies.to.value_or(rows / duration / MeasuredPoint::kLeastRows);
    if (!(from > 0.0 && from < to)) {
      throw InputError(
          fmt::format("the frequencies go from {:.6g} to {:.6g} Hz; they must grow", from, to));
    }
    frequencies_ = spaced_frequencies(from, to, frequencies.points);
  }

  std::vector<MeasuredPoint> measured() const {
    return response([&](std::size_t s) {
      const LogSample& sample = measured_.log.samples[s];
      return is_velocity_ ? sample.velocity : sample.position;
    });
  }
  std::vector<MeasuredPoint> simulated() const {
    return response([&](std::size_t s) {
      const BenchState& state = measured_.simulated[s];
      return is_velocity_ ? state.rate : state.position;
    });
  }

 private:
  template <class Output>
  std::vector<MeasuredPoint> response(Output output) const {
    MeasuredSignal signal;
    for (std::size_t s = part_.first; s < part_.second; ++s) {
      signal.times.push_back(measured_.log.samples[s].time);
      signal.input.push_back(measured_.log.samples[s].goal);
      signal.output.push_back(output(s));
    }
    return measured_response(signal, frequencies_);
  }

  const MeasuredLog& measured_;
  bool is_velocity_;
  std::pair<std::size_t, std::size_t> part_;  // of the samples
  std::vector<double> frequencies_;
};

std::vector<FrequencyPoint> as_points(const std::vector<MeasuredPoint>& measured) {
  std::vector<FrequencyPoint> points;
  for (const MeasuredPoint& point : measured) {
    points.push_back({point.frequency, point.gain, point.amplitude, point.coherence, true, true});
  }
  return points;
}

nlohmann::ordered_json response_json(const FrequencyPoint& point, double phase) {
  return {{"gain", number_json(std::abs(point.gain))},
          {"phase", number_json(phase)},
          {"coherence", number_json(point.coherence)}};
}

}  // namespace

ExperimentResult bode_of_log(const MeasuredLog& measured, const LogFrequencies& frequencies) {
  const LogResponse response(measured, frequencies);
  const std::vector<FrequencyPoint> points = as_points(response.measured());
  const std::vector<FrequencyPoint> simulated =
      measured.has_world() ? as_points(response.simulated()) : std::vector<FrequencyPoint>();
  if (points.empty() || (measured.has_world() && simulated.size() != points.size())) {
    throw InputError(fmt::format("{}: {} these frequencies", measured.log.path,
                                 points.empty() ? fmt::format("its goals, or its positions, have "
                                                              "too little of, or less than {} "
                                                              "periods of,",
                                                              MeasuredPoint::kLeastCycles)
                                                : "the world does not move at"));
  }
  const std::vector<double> phases = unwrapped_phases(points);
  const std::vector<double> other_phases = unwrapped_phases(simulated, phases.front());
  std::vector<TextTable::Column> columns{{"frequency [Hz]", true},
                                         {"amplitude", true},
                                         {"coherence", true},
                                         {"gain [dB]", true},
                                         {"phase [°]", true}};
  if (measured.has_world()) {
    columns.push_back({"simulated [dB]", true});
    columns.push_back({"[°]", true});
  }
  TextTable table(columns);
  auto list = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < points.size(); ++i) {
    const FrequencyPoint& point = points[i];
    std::vector<std::string> row{
        fmt::format("{:.4g}", point.frequency), fmt::format("{:.3g}", point.amplitude),
        fmt::format("{:.3f}", point.coherence), fmt::format("{:.2f}", point.gain_db()),
        fmt::format("{:.1f}", phases[i])};
    nlohmann::ordered_json entry{{"frequency", point.frequency},
                                 {"amplitude", point.amplitude},
                                 {"measured", response_json(point, phases[i])}};
    if (measured.has_world()) {
      row.push_back(fmt::format("{:.2f}", simulated[i].gain_db()));
      row.push_back(fmt::format("{:.1f}", other_phases[i]));
      entry["simulated"] = response_json(simulated[i], other_phases[i]);
    }
    table.add(std::move(row));
    list.push_back(std::move(entry));
  }
  const double bandwidth = bandwidth_of(points);
  const double other_bandwidth = simulated.empty() ? 0.0 : bandwidth_of(simulated);
  ExperimentResult result;
  result.text = fmt::format(
      "{}: from goal [{}] to {} [{}]\n{}", measured.log.path,
      unit_of(TestInput::Position, measured.type), frequencies.answer,
      unit_of(frequencies.answer == "velocity" ? TestInput::Velocity : TestInput::Position,
              measured.type),
      table.text("  "));
  if (const std::size_t left_out = static_cast<std::size_t>(frequencies.points) - points.size();
      left_out > 0) {
    result.text += fmt::format(
        "  {} of {} frequencies are left out: the log has too little of them, or less "
        "than {} periods\n",
        left_out, frequencies.points, MeasuredPoint::kLeastCycles);
  }
  result.text +=
      bandwidth > 0.0
          ? fmt::format(
                "bandwidth: {:.4g} Hz{}\n", bandwidth,
                other_bandwidth > 0.0 ? fmt::format(", simulated {:.4g} Hz", other_bandwidth) : "")
          : "";
  result.json = {
      {"schema", "servosim-bode-log-1"},
      {"log", measured.log.path},
      {"world", MeasuredLog::name_json(measured.world)},
      {"joint", MeasuredLog::name_json(measured.joint)},
      {"answer", frequencies.answer},
      {"points", list},
      {"bandwidth", bandwidth > 0.0 ? number_json(bandwidth) : nullptr},
      {"simulated_bandwidth", other_bandwidth > 0.0 ? number_json(other_bandwidth) : nullptr}};
  if (!measured.picture.empty()) {
    BodePicture picture{measured.log.path, {{"measured", points, {}}}, bandwidth, {}};
    if (measured.has_world()) {
      picture.responses.push_back({"simulated", simulated, phases.front()});
    }
    result.picture = [picture, output = measured.picture] { draw_bode(picture, output); };
  }
  return result;
}

}  // namespace servosim
