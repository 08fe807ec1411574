// SPDX-License-Identifier: Apache-2.0
#include "cli/fit_servo_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <numbers>
#include <variant>

#include "base/files.h"
#include "base/text.h"
#include "cli/output.h"
#include "run/launch_plan.h"
#include "servo_models/servo_file.h"

namespace servosim {
namespace {

// What an encoder reads where the rig hangs at 0 belongs to the bench and not to the servo: it is a
// fact in the file of a result, by which --check scores logs of the same bench.
constexpr std::string_view kBenchOffset = "encoder.offset of the bench [rad]";

void take_bench_offset(const ServoFile& file, ServoModel& model) {
  for (const auto& [fact, value] : file.facts) {
    if (fact == kBenchOffset) {
      model.encoder.offset = parse_number<double>(value).value_or(model.encoder.offset);
    }
  }
}

double validation_of(const Fit& fit) {
  for (const FitCandidate& candidate : fit.candidates) {
    if (candidate.is_chosen) {
      return candidate.validation;
    }
  }
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

ServoModel servo_of_file(const std::string& path, bool of_bench) {
  const auto content = read_file(path);
  if (const auto* error = std::get_if<FileError>(&content)) {
    throw InputError(fmt::format("{}: {}{}", path, error->reason, did_you_mean_file(path)));
  }
  try {
    const ServoFile file = read_servo_file(std::get<std::string>(content), path);
    ServoModel model = file.find("")->model;
    if (of_bench) {
      take_bench_offset(file, model);
    }
    return model;
  } catch (const TomlError& error) {
    throw InputError(error.what());
  }
}

ServoModel fitted_servo(const FitSummary& summary) {
  ServoModel model = summary.fit.model;
  model.encoder.offset = summary.fit.start.encoder.offset;
  return model;
}

std::string fitted_servo_text(const FitSummary& summary, std::size_t logs) {
  ServoModel model = fitted_servo(summary);
  model.name = std::filesystem::path(summary.output).stem().string();
  std::replace_if(
      model.name.begin(), model.name.end(),
      [](char c) { return std::string_view(" \t\n\"'/\\=*").find(c) != std::string_view::npos; },
      '_');
  ServoOrigin origin;
  origin.source = fmt::format("servosim fit of {} from {}", counted(logs, "log"), summary.servo);
  origin.confidence = "identified";
  origin.notes.push_back(fmt::format(
      "{}: the mean error of the logs is {:.3f}°, and {:.3f}° of {}, predicted by a fit of the "
      "others.",
      summary.fit.choice, mean_after(summary.logs, false) * 180.0 / std::numbers::pi,
      validation_of(summary.fit) * 180.0 / std::numbers::pi, summary.fit.validation));
  for (const std::string& remark : remarks_on(summary.fit)) {
    origin.notes.push_back(remark);
  }
  const std::string rod = rod_remark(summary.fit, summary.logs.front().log->rig);
  if (!rod.empty()) {
    origin.notes.push_back(rod);
  }
  const double offset = summary.fit.model.encoder.offset;
  const std::string text =
      to_toml(model, origin) + fmt::format("\n[facts]\n\"{}\" = {}\n", kBenchOffset, offset);
  try {
    static_cast<void>(read_servo_file(text, summary.output));
  } catch (const TomlError& error) {
    throw InputError(fmt::format("the result is no servo and is not written: {}", error.what()));
  }
  return text;
}

}  // namespace servosim
