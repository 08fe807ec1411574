// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>

#include "base/printable.h"
#include "base/text.h"
#include "cli/fit_result.h"
#include "fit/measured_torque.h"
#include "plot/chart.h"

namespace servosim {
namespace {

constexpr double kToDegrees = 180.0 / std::numbers::pi;
constexpr std::size_t kMostPoints = 600;  // of a curve
constexpr std::size_t kMostDots = 2500;
// The first generations of a search are far from the best one, and would flatten the curve.
constexpr double kLeftOut = 0.1;

constexpr const char* kStyle = R"(
body { font: 15px/1.5 sans-serif; color: #222; max-width: 60em; margin: 2em auto; padding: 0 1em; }
h1 { font-size: 1.5em; } h2 { font-size: 1.15em; margin-top: 2em; }
table { border-collapse: collapse; } td, th { padding: .2em .7em; border-bottom: 1px solid #ddd;
text-align: right; } td:first-child, th:first-child { text-align: left; }
.bound { background: #fde8d8; } .unknown { background: #fdf6d0; } .chosen { font-weight: bold; }
svg { width: 100%; height: auto; } ul.first { background: #f4f4f4; padding: .8em 2em; }
)";

std::string html(std::string_view text) { return xml_escaped(printable(text)); }

std::string table_cell(std::string_view text) { return fmt::format("<td>{}</td>", html(text)); }

std::string in_degrees(double radians) {
  return std::isnan(radians) ? "" : fmt::format("{:.3f}°", radians * kToDegrees);
}

class FitReport {
 public:
  FitReport(const FitSummary& summary, const FitRig& fitted, const FitRig* kept)
      : summary_(summary), fit_(summary.fit), fitted_(fitted), kept_(kept) {}

  std::string page() {
    page_ = fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{0}: "
        "{1}</title><style>{2}</style></head>\n<body>\n<h1>{0}: {1}</h1>\n",
        html(summary_.servo), html(fit_.choice), kStyle);
    add_remarks();
    add_parameters();
    add_candidates();
    add_scores();
    add_logs();
    add_torque_speed();
    add_searches();
    return page_ + "</body></html>\n";
  }

 private:
  void add_remarks() {
    std::vector<std::string> remarks = remarks_on(fit_);
    const std::string rod = rod_remark(fit_, summary_.logs.front().log->rig);
    if (!rod.empty()) {
      remarks.push_back(rod);
    }
    if (remarks.empty()) {
      remarks.emplace_back("no parameter is at a bound, and the data tell all of them");
    }
    page_ += "<ul class=\"first\">\n";
    for (const std::string& remark : remarks) {
      page_ += fmt::format("<li>{}</li>\n", html(remark));
    }
    page_ += "</ul>\n";
  }

  void add_parameters() {
    page_ +=
        "<h2>Parameters</h2>\n<table><tr><th>field</th><th>start</th><th>result</th><th>± (95 "
        "%)</th><th>bounds</th><th>unit</th><th></th></tr>\n";
    for (const bool at_bound : {true, false}) {
      for (const FittedParameter& found : fit_.parameters) {
        if ((found.is_at_low || found.is_at_high) != at_bound) {
          continue;
        }
        page_ += fmt::format(
            "<tr class=\"{}\">{}{}{}{}{}{}{}</tr>\n",
            at_bound         ? "bound"
            : found.is_known ? ""
                             : "unknown",
            table_cell(found.parameter.name()),
            table_cell(fmt::format("{:.4g}", found.parameter.start)),
            table_cell(fmt::format("{:.5g}", found.value)), table_cell(interval_text(found)),
            table_cell(fmt::format("{:.3g} … {:.3g}", found.parameter.low, found.parameter.high)),
            table_cell(found.parameter.unit == "-" ? "" : found.parameter.unit),
            table_cell(found.is_at_low    ? "at its lower bound"
                       : found.is_at_high ? "at its upper bound"
                       : found.is_known   ? ""
                                          : "not told by the data"));
      }
    }
    page_ += "</table>\n";
  }

  void add_candidates() {
    page_ += fmt::format(
        "<h2>Models</h2>\n<p>Kept back: {}, predicted by a fit of the others. A model with more "
        "parameters is chosen only if it predicts clearly better.</p>\n<table><tr><th>model</th>"
        "<th>parameters</th><th>all logs</th><th>kept back</th></tr>\n",
        html(fit_.validation));
    for (const FitCandidate& candidate : fit_.candidates) {
      page_ += fmt::format(
          "<tr class=\"{}\">{}{}{}{}</tr>\n", candidate.is_chosen ? "chosen" : "",
          table_cell(candidate.name), table_cell(fmt::format("{}", candidate.parameters)),
          table_cell(in_degrees(candidate.training)), table_cell(in_degrees(candidate.validation)));
    }
    page_ += "</table>\n";
  }

  void add_score(std::string_view name, std::string_view role, double before, double after) {
    page_ += fmt::format("<tr>{}{}{}{}</tr>\n", table_cell(name), table_cell(role),
                         table_cell(in_degrees(before)), table_cell(in_degrees(after)));
  }

  void add_scores() {
    page_ +=
        "<h2>Mean |position error|</h2>\n<table><tr><th>log</th><th></th><th>before</th>"
        "<th>after</th></tr>\n";
    for (const LogScore& score : summary_.logs) {
      add_score(name_of(*score.log), score.is_kept ? "kept back" : "", score.before, score.after);
    }
    add_score("mean", "", mean_before(summary_.logs, false), mean_after(summary_.logs, false));
    if (kept_ != nullptr) {
      add_score("mean", "kept back", mean_before(summary_.logs, true),
                mean_after(summary_.logs, true));
    }
    page_ += "</table>\n";
  }

  static std::string name_of(const BenchLog& log) {
    return std::filesystem::path(log.log->path).filename().string();
  }

  void add_logs() {
    page_ += "<h2>Logs</h2>\n";
    for (std::size_t i = 0; i < fitted_.logs().size(); ++i) {
      add_log(fitted_, i, "");
    }
    for (std::size_t i = 0; kept_ != nullptr && i < kept_->logs().size(); ++i) {
      add_log(*kept_, i, " (kept back)");
    }
  }

  void add_log(const FitRig& rig, std::size_t i, const char* role) {
    const std::vector<LogSample>& samples = rig.logs()[i].log->samples;
    const std::vector<BenchState> before = rig.run_once(i, fit_.start);
    const std::vector<BenchState> after = rig.run_once(i, fit_.model);
    ChartPanel motion{
        "position [°]",
        {{"measured", {}}, {"before", {}}, {"after", {}}, {"goal", {}, ChartCurve::Style::Level}}};
    ChartPanel error{
        "error [°]",
        {{"", {{samples.front().time, 0.0}, {samples.back().time, 0.0}}, ChartCurve::Style::Level},
         {"before", {}},
         {"after", {}}}};
    const std::size_t every = 1 + samples.size() / kMostPoints;
    for (std::size_t s = 0; s < samples.size(); s += every) {
      const double t = samples[s].time;
      const double measured = samples[s].position;
      motion.curves[0].points.emplace_back(t, kToDegrees * measured);
      motion.curves[1].points.emplace_back(t, kToDegrees * before[s].position);
      motion.curves[2].points.emplace_back(t, kToDegrees * after[s].position);
      motion.curves[3].points.emplace_back(
          t, samples[s].on ? kToDegrees * samples[s].goal : std::nan(""));
      error.curves[1].points.emplace_back(t, kToDegrees * (before[s].position - measured));
      error.curves[2].points.emplace_back(t, kToDegrees * (after[s].position - measured));
    }
    page_ += chart_as_svg({name_of(rig.logs()[i]) + role, "time [s]", false, {motion, error}});
  }

  void add_torque_speed() {
    ChartCurve dots{"measured", {}, ChartCurve::Style::Dots};
    double least = 0.0;
    double most = 0.0;
    for (std::size_t i = 0; i < fitted_.logs().size(); ++i) {
      for (const auto& point : torque_speed_points(fitted_, i)) {
        dots.points.push_back(point);
        least = std::min(least, point.first);
        most = std::max(most, point.first);
      }
    }
    if (dots.points.empty()) {
      return;
    }
    const std::size_t every = 1 + dots.points.size() / kMostDots;
    for (std::size_t i = 0; i * every < dots.points.size(); ++i) {
      dots.points[i] = dots.points[i * every];
    }
    dots.points.resize((dots.points.size() + every - 1) / every);
    const ServoModel model = model_for(fitted_.logs().front(), fit_.model);
    const double kt = model.drive.torque_constant;
    const double volts = model.supply.voltage * model.firmware.max_duty;
    ChartCurve forward{"full duty", {}, ChartCurve::Style::Line};
    ChartCurve backward{"", {}, ChartCurve::Style::Line};
    for (const double speed : {least, most}) {
      forward.points.emplace_back(speed, kt * (volts - kt * speed) / model.drive.resistance);
      backward.points.emplace_back(speed, kt * (-volts - kt * speed) / model.drive.resistance);
    }
    page_ +=
        "<h2>Torque and speed</h2>\n<p>Dots are what the rig took from the servo: its inertia and "
        "its weight, by the smoothed positions. Lines are what the motor of the result gives with "
        "full duty, before the friction of the gear.</p>\n";
    page_ += chart_as_svg({"torque and speed",
                           "speed [rad/s]",
                           false,
                           {{"torque [N m]", {dots, forward, backward}}}});
  }

  void add_searches() {
    ChartPanel panel{"least error [°]", {}};
    for (std::size_t s = 0; s < fit_.searches.size(); ++s) {
      const std::vector<double>& way = fit_.searches[s].way;
      ChartCurve curve{fmt::format("search {}", s + 1), {}};
      const auto first = static_cast<std::size_t>(kLeftOut * static_cast<double>(way.size()));
      for (std::size_t g = first; g < way.size(); ++g) {
        curve.points.emplace_back(static_cast<double>(g), kToDegrees * way[g]);
      }
      panel.curves.push_back(std::move(curve));
    }
    page_ += fmt::format(
        "<h2>Searches</h2>\n<p>Each began elsewhere; {} simulations of a log in all. Where they "
        "end "
        "apart, the data leave that open.</p>\n",
        fit_.simulations);
    page_ += chart_as_svg({"the way of the searches", "generation", false, {panel}});
  }

  const FitSummary& summary_;
  const Fit& fit_;
  const FitRig& fitted_;
  const FitRig* kept_;
  std::string page_;
};

}  // namespace

std::string fit_report(const FitSummary& summary, const FitRig& fitted, const FitRig* kept) {
  return FitReport(summary, fitted, kept).page();
}

}  // namespace servosim
