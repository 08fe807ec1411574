// SPDX-License-Identifier: Apache-2.0
#include "fit/bench_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/text.h"

namespace servosim {
namespace {

constexpr std::string_view kPendulum = "pendulum";

using Setting = std::pair<std::string, std::optional<double>*>;

// Reads `key=number,key=number`.
void read_settings(std::string_view text, std::string_view option,
                   const std::vector<Setting>& settings) {
  std::vector<std::string> keys;
  for (const Setting& setting : settings) {
    keys.push_back(setting.first);
  }
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    const std::string_view part = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t equals = part.find('=');
    const std::string_view key = trimmed(part.substr(0, equals));
    const auto number =
        equals == part.npos ? std::nullopt : parse_number<double>(trimmed(part.substr(equals + 1)));
    const auto found = std::find_if(settings.begin(), settings.end(),
                                    [&](const Setting& each) { return each.first == key; });
    if (found == settings.end()) {
      throw std::invalid_argument(
          fmt::format("{}: there is no '{}'{}", option, key, nearest_names(key, keys)));
    }
    if (!number || !std::isfinite(*number) || *number < 0.0) {
      throw std::invalid_argument(fmt::format(
          "{}: '{}' is not of the form {}=NUMBER with a number >= 0", option, part, key));
    }
    *found->second = number;
  }
}

std::optional<double> header_number(const ServoLog& log, std::initializer_list<const char*> keys) {
  for (const char* key : keys) {
    if (const auto found = log.numbers.find(key); found != log.numbers.end()) {
      if (!(found->second >= 0.0) || !std::isfinite(found->second)) {
        throw std::invalid_argument(fmt::format(
            "{}: its header has {} = {:.6g}, which must be >= 0", log.path, key, found->second));
      }
      return found->second;
    }
  }
  return std::nullopt;
}

double said(const std::optional<double>& option, const std::optional<double>& header) {
  return option ? *option : header.value_or(std::numeric_limits<double>::quiet_NaN());
}

// NaN without a measured voltage.
double mean_voltage(const ServoLog& log) {
  double sum = 0.0;
  std::size_t count = 0;
  for (const LogSample& sample : log.samples) {
    if (std::isfinite(sample.voltage)) {
      sum += sample.voltage;
      ++count;
    }
  }
  return count > 0 ? sum / static_cast<double>(count) : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

bool is_pendulum(std::string_view rig) {
  return rig == kPendulum || rig.starts_with(std::string(kPendulum) + ":");
}

void read_pendulum(std::string_view rig, BenchOptions& options) {
  rig.remove_prefix(std::min(kPendulum.size() + 1, rig.size()));
  read_settings(rig, "--rig pendulum",
                {{"mass", &options.mass}, {"length", &options.length}, {"rod", &options.rod}});
}

void read_gains(std::string_view gains, BenchOptions& options) {
  read_settings(gains, "--gain", {{"kp", &options.p}, {"ki", &options.i}, {"kd", &options.d}});
}

BenchSettings settings_of(const ServoLog& log, const BenchOptions& options) {
  BenchSettings settings{said(options.p, header_number(log, {"kp"})),
                         said(options.i, header_number(log, {"ki"})),
                         said(options.d, header_number(log, {"kd"})),
                         said(options.supply, header_number(log, {"vin", "supply"}))};
  if (std::isnan(settings.supply)) {
    settings.supply = mean_voltage(log);
  }
  if (settings.supply == 0.0) {
    throw std::invalid_argument(fmt::format("{}: its supply has 0 V", log.path));
  }
  return settings;
}

BenchLog bench_log(const ServoLog& log, const BenchOptions& options) {
  const double mass = said(options.mass, header_number(log, {"mass"}));
  const double length = said(options.length, header_number(log, {"length"}));
  const double rod = said(options.rod, header_number(log, {"rod", "arm_mass"}));
  if (std::isnan(mass) || std::isnan(length)) {
    throw std::invalid_argument(fmt::format(
        "{}: does not say which {} the servo moves; --rig pendulum:mass=KG,length=M says it, and "
        "so do lines '# mass = KG' and '# length = M' of a CSV file",
        log.path, std::isnan(mass) ? "mass" : "length"));
  }
  if (length == 0.0 || mass + (std::isnan(rod) ? 0.0 : rod) == 0.0) {
    throw std::invalid_argument(
        fmt::format("{}: a pendulum needs a mass and a length above 0", log.path));
  }
  return {&log, {mass, length, std::isnan(rod) ? 0.0 : rod}, settings_of(log, options)};
}

}  // namespace servosim
