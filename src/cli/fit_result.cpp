// SPDX-License-Identifier: Apache-2.0
#include "cli/fit_result.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <numbers>

#include "cli/experiment.h"
#include "cli/output.h"

namespace servosim {
namespace {

constexpr double kDegrees = 180.0 / std::numbers::pi;
// Half the interval of a rod that is told, as a share of the mass at its end.
constexpr double kRodIsKnown = 0.1;

double mean_of(const std::vector<LogScore>& logs, bool kept, double LogScore::*which) {
  double sum = 0.0;
  std::size_t count = 0;
  for (const LogScore& log : logs) {
    if (log.is_kept == kept) {
      sum += log.*which;
      ++count;
    }
  }
  return count > 0 ? sum / static_cast<double>(count) : std::numeric_limits<double>::quiet_NaN();
}

std::string degrees(double radians) {
  return std::isnan(radians) ? "" : fmt::format("{:.3f}°", radians * kDegrees);
}

std::string file_name(const LogScore& score) {
  return std::filesystem::path(score.log->log->path).filename().string();
}

nlohmann::ordered_json bound_json(const FittedParameter& found) {
  using Json = nlohmann::ordered_json;
  return found.is_at_low ? Json("low") : found.is_at_high ? Json("high") : Json();
}

nlohmann::ordered_json applied_json(const AppliedServo& applied) {
  using Json = nlohmann::ordered_json;
  return {
      {"world", applied.world}, {"joint", applied.joint},
      {"motor", applied.motor}, {"line", applied.line},
      {"servo", applied.servo}, {"before", applied.before.empty() ? Json() : Json(applied.before)}};
}

}  // namespace

std::string interval_text(const FittedParameter& found) {
  const double one_side = found.is_at_low ? found.to - found.value : found.value - found.from;
  return found.is_at_low    ? fmt::format("+{:.2g}", one_side)
         : found.is_at_high ? fmt::format("-{:.2g}", one_side)
                            : fmt::format("{:.2g}", found.interval);
}

double mean_after(const std::vector<LogScore>& logs, bool kept) {
  return mean_of(logs, kept, &LogScore::after);
}

double mean_before(const std::vector<LogScore>& logs, bool kept) {
  return mean_of(logs, kept, &LogScore::before);
}

std::vector<std::string> remarks_on(const Fit& fit) {
  std::vector<std::string> remarks;
  std::vector<std::string> unknown;
  for (const FittedParameter& found : fit.parameters) {
    if (found.is_at_low || found.is_at_high) {
      const double bound = found.is_at_low ? found.parameter.low : found.parameter.high;
      remarks.push_back(fmt::format(
          "{} is at its {} bound, {:.4g}, and may be {} {:.4g}: {}", found.parameter.name(),
          found.is_at_low ? "lower" : "upper", bound, found.is_at_low ? "up to" : "down to",
          found.is_at_low ? found.to : found.from,
          bound == 0.0 ? "the data ask for none of it"
                       : "the data ask for more, or do not tell it; take its value with care"));
    } else if (!found.is_known) {
      unknown.push_back(found.parameter.name());
    }
  }
  if (!unknown.empty()) {
    remarks.push_back(fmt::format(
        "the data hardly tell these, whose intervals are as wide as what is possible: {}",
        fmt::join(unknown, ", ")));
  }
  for (const std::vector<std::string>& group : fit.alike) {
    remarks.push_back(
        fmt::format("the data do not tell these apart, as a change of one is made good by the "
                    "others: {}",
                    fmt::join(group, ", ")));
  }
  return remarks;
}

std::string scores_text(const std::vector<LogScore>& logs) {
  const bool has_before = !std::isnan(logs.front().before);
  TextTable table({{"log"}, {""}, {has_before ? "before" : "", true}, {"mean error", true}});
  for (const LogScore& score : logs) {
    table.add({file_name(score), score.is_kept ? "kept back" : "",
               has_before ? degrees(score.before) : "", degrees(score.after)});
  }
  for (const bool kept : {false, true}) {
    if (!std::isnan(mean_after(logs, kept))) {
      table.add({"mean", kept ? "kept back" : "",
                 has_before ? degrees(mean_before(logs, kept)) : "",
                 degrees(mean_after(logs, kept))});
    }
  }
  return table.text("  ");
}

nlohmann::ordered_json scores_json(const std::vector<LogScore>& logs) {
  auto list = nlohmann::ordered_json::array();
  for (const LogScore& score : logs) {
    const BenchLog& log = *score.log;
    nlohmann::ordered_json entry{{"log", log.log->path}};
    if (!std::isnan(score.before)) {
      entry["kept"] = score.is_kept;
      entry["mean_error_deg_before"] = number_json(score.before * kDegrees);
    }
    entry["mean_error_deg"] = number_json(score.after * kDegrees);
    entry["max_error_deg"] = number_json(score.most * kDegrees);
    entry["samples"] = log.log->samples.size();
    entry["duration"] = log.log->duration();
    entry["kp"] = number_json(log.settings.p);
    entry["supply"] = number_json(log.settings.supply);
    list.push_back(std::move(entry));
  }
  return list;
}

std::string fit_text(const FitSummary& summary) {
  const Fit& fit = summary.fit;
  std::string text = fmt::format("{}, fitted from {}\n", fit.choice, summary.servo);
  TextTable candidates(
      {{"model"}, {"parameters", true}, {"all logs", true}, {"kept back", true}, {""}});
  for (const FitCandidate& candidate : fit.candidates) {
    candidates.add({candidate.name, fmt::format("{}", candidate.parameters),
                    degrees(candidate.training), degrees(candidate.validation),
                    candidate.is_chosen ? "chosen" : ""});
  }
  text += candidates.text("  ");
  text += fmt::format("kept back: {}, predicted by a fit of the others\n\n", fit.validation);
  TextTable table({{"parameter"},
                   {"start", true},
                   {"result", true},
                   {"±", true},
                   {"bounds", true},
                   {"unit"},
                   {""}});
  for (const FittedParameter& found : fit.parameters) {
    const bool at_bound = found.is_at_low || found.is_at_high;
    table.add({found.parameter.name(), fmt::format("{:.4g}", found.parameter.start),
               fmt::format("{:.5g}", found.value), interval_text(found),
               fmt::format("{:.3g} … {:.3g}", found.parameter.low, found.parameter.high),
               found.parameter.unit == "-" ? "" : found.parameter.unit,
               at_bound         ? "at bound"
               : found.is_known ? ""
                                : "unknown"});
  }
  text += table.text("  ") + "\n";
  for (const std::string& remark : remarks_on(fit)) {
    text += remark + "\n";
  }
  const std::string rod = rod_remark(fit, summary.logs.front().log->rig);
  text += rod.empty() ? "" : rod + "\n";
  text += "\n" + scores_text(summary.logs);
  if (!summary.output.empty()) {
    text += fmt::format("written: {}\n", summary.output);
  }
  if (!summary.report.empty()) {
    text += fmt::format("written: {}\n", summary.report);
  }
  text += summary.applied ? to_text(*summary.applied) : "";
  return text;
}

std::string rod_remark(const Fit& fit, const PendulumRig& rig) {
  if (std::isnan(fit.rod_interval) || fit.rod_interval <= kRodIsKnown * rig.mass) {
    return {};
  }
  return fmt::format(
      "the data do not tell the mass of the rod, which counts as {:.3g} kg{}: weigh it, and say "
      "--rig "
      "pendulum:rod=KG",
      rig.rod,
      std::isinf(fit.rod_interval)
          ? ", from resistance, armature and friction"
          : fmt::format(" (± {:.2g} kg if it were looked for)", fit.rod_interval));
}

nlohmann::ordered_json fit_json(const FitSummary& summary) {
  using Json = nlohmann::ordered_json;
  const Fit& fit = summary.fit;
  auto parameters = nlohmann::ordered_json::array();
  for (const FittedParameter& found : fit.parameters) {
    parameters.push_back(
        {{"fields", found.parameter.keys},
         {"unit", found.parameter.unit},
         {"start", found.parameter.start},
         {"value", found.value},
         {"interval",
          found.is_at_low || found.is_at_high ? Json() : Json(number_json(found.interval))},
         {"from", number_json(found.from)},
         {"to", number_json(found.to)},
         {"low", found.parameter.low},
         {"high", found.parameter.high},
         {"at_bound", bound_json(found)},
         {"known", found.is_known}});
  }
  auto candidates = nlohmann::ordered_json::array();
  for (const FitCandidate& candidate : fit.candidates) {
    candidates.push_back({{"model", candidate.name},
                          {"parameters", candidate.parameters},
                          {"mean_error_deg", number_json(candidate.training * kDegrees)},
                          {"validation_deg", number_json(candidate.validation * kDegrees)},
                          {"chosen", candidate.is_chosen}});
  }
  return {{"schema", "servosim-fit-1"},
          {"servo", summary.servo},
          {"output", summary.output.empty() ? nlohmann::ordered_json()
                                            : nlohmann::ordered_json(summary.output)},
          {"model", fit.choice},
          {"parameters", parameters},
          {"not_told_apart", fit.alike},
          {"rod_interval", number_json(fit.rod_interval)},
          {"candidates", candidates},
          {"logs", scores_json(summary.logs)},
          {"mean_error_deg", number_json(mean_after(summary.logs, false) * kDegrees)},
          {"kept_mean_error_deg", number_json(mean_after(summary.logs, true) * kDegrees)},
          {"simulations", fit.simulations},
          {"applied", summary.applied ? applied_json(*summary.applied) : Json()}};
}

}  // namespace servosim
