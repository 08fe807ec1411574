// SPDX-License-Identifier: Apache-2.0
#include "cli/step_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "cli/output.h"
#include "cli/step_marks.h"
#include "fit/log_step.h"
#include "plot/chart.h"
#include "run/launch_plan.h"

namespace servosim {
namespace {

// Figures of a response; NaN for what is not known.
struct StepFigures {
  double rise_time = std::numeric_limits<double>::quiet_NaN();
  double overshoot = std::numeric_limits<double>::quiet_NaN();
  double settling_time = std::numeric_limits<double>::quiet_NaN();
  double steady_error = std::numeric_limits<double>::quiet_NaN();
  double max_velocity = std::numeric_limits<double>::quiet_NaN();
};

StepFigures figures_of(const StepTest& test) {
  StepFigures figures;
  if (test.marks) {
    figures.rise_time = test.marks->rise_time();
    figures.overshoot = test.marks->overshoot();
    figures.settling_time = test.marks->settling_time();
  }
  figures.steady_error = test.steady_error;
  for (const StepTest::Row& row : test.rows) {
    const double speed = std::abs(row.joint.velocity);
    figures.max_velocity = speed > figures.max_velocity || std::isnan(figures.max_velocity)
                               ? speed
                               : figures.max_velocity;
  }
  return figures;
}

// A line of the table, and how its numbers are shown.
struct FigureLine {
  const char* title;
  const char* key;
  double StepFigures::*value;
  double scale;
  std::string unit;
  const char* none;
};

std::vector<FigureLine> lines_for(JointType type) {
  return {{"rise time", "rise_time", &StepFigures::rise_time, 1.0, "s", "never"},
          {"overshoot", "overshoot", &StepFigures::overshoot, 100.0, "%", ""},
          {"settling time", "settling_time", &StepFigures::settling_time, 1.0, "s", "never"},
          {"steady error", "steady_error", &StepFigures::steady_error, 1.0,
           unit_of(TestInput::Position, type), ""},
          {"max velocity", "max_velocity", &StepFigures::max_velocity, 1.0,
           unit_of(TestInput::Velocity, type), "not measured"}};
}

nlohmann::ordered_json json_of(const StepFigures& figures, JointType type) {
  nlohmann::ordered_json json;
  for (const FigureLine& line : lines_for(type)) {
    json[line.key] = number_json(figures.*line.value);
  }
  return json;
}

std::string cell_of(const FigureLine& line, const StepFigures& figures) {
  const double value = figures.*line.value;
  return std::isnan(value) ? line.none : fmt::format("{:.3g} {}", line.scale * value, line.unit);
}

ChartCurve curve_of(const StepTest& test, const char* title) {
  ChartCurve curve{title, {}, ChartCurve::Style::Line};
  for (const StepTest::Row& row : test.rows) {
    curve.points.emplace_back(row.time, row.joint.position);
  }
  return curve;
}

void draw(const StepTest& measured, const std::optional<StepTest>& simulated,
          const std::string& title, JointType type, const std::string& output) {
  ChartPanel position{fmt::format("position [{}]", unit_of(TestInput::Position, type)),
                      {curve_of(measured, "measured")}};
  ChartCurve command{"commanded", {}, ChartCurve::Style::Dashed};
  for (const StepTest::Row& row : measured.rows) {
    command.points.emplace_back(row.time, row.input);
  }
  if (simulated) {
    position.curves.push_back(curve_of(*simulated, "simulated"));
  }
  position.curves.push_back(std::move(command));
  if (measured.marks) {
    add_step_marks(measured, position);
  }
  Chart chart{title, "time since the step [s]", false, {std::move(position)}};
  if (simulated) {
    ChartPanel error{fmt::format("simulated - measured [{}]", unit_of(TestInput::Position, type)),
                     {{"", {}, ChartCurve::Style::Line}}};
    for (std::size_t i = 0; i < measured.rows.size(); ++i) {
      error.curves.front().points.emplace_back(
          measured.rows[i].time,
          simulated->rows[i].joint.position - measured.rows[i].joint.position);
    }
    chart.panels.push_back(std::move(error));
  }
  draw_chart(chart, output);
}

}  // namespace

ExperimentResult step_of_log(const MeasuredLog& measured) {
  const ServoLog& log = measured.log;
  const std::optional<LogStep> step = find_log_step(log);
  if (!step) {
    throw InputError(fmt::format(
        "{}: its goal has no step before which it holds for {:.3g} s and after which for {:.3g} s, "
        "with the torque on; `servosim bode` takes goals of any form",
        log.path, LogStep::kHoldsBefore, LogStep::kHoldsAfter));
  }
  const StepTest real = measured_step(log, *step);
  std::optional<StepTest> simulated;
  if (measured.has_world()) {
    simulated = simulated_step(log, *step, measured.simulated);
  }
  const StepFigures figures = figures_of(real);
  const StepFigures others = simulated ? figures_of(*simulated) : StepFigures();
  const double begin = log.samples[step->first].time;
  ExperimentResult result;
  result.text = fmt::format("{}: goal from {:.6g} to {:.6g} {} at {:.6g} s\n", log.path, step->from,
                            step->to, unit_of(TestInput::Position, measured.type), begin);
  TextTable table({{""}, {"measured", true}, {simulated ? "simulated" : "", true}});
  for (const FigureLine& line : lines_for(measured.type)) {
    table.add({line.title, cell_of(line, figures), simulated ? cell_of(line, others) : ""});
  }
  result.text += table.text("  ");
  result.json = {
      {"schema", "servosim-step-log-1"},
      {"log", log.path},
      {"world",
       measured.has_world() ? nlohmann::ordered_json(measured.world) : nlohmann::ordered_json()},
      {"joint", MeasuredLog::name_json(measured.joint)},
      {"begin", begin},
      {"from", step->from},
      {"to", step->to},
      {"measured", json_of(figures, measured.type)},
      {"simulated", simulated ? json_of(others, measured.type) : nlohmann::ordered_json()}};
  if (!measured.picture.empty()) {
    result.picture = [real, simulated, title = log.path, type = measured.type,
                      output = measured.picture] { draw(real, simulated, title, type, output); };
  }
  return result;
}

}  // namespace servosim
