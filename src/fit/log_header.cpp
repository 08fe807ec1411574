// SPDX-License-Identifier: Apache-2.0
#include "fit/log_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "base/text.h"
#include "fit/log_table.h"

namespace servosim {
namespace {

// What a header says in numbers, with the units that may be behind them.
struct HeaderKey {
  std::string_view name;
  std::vector<std::pair<std::string_view, double>> units;
};

const HeaderKey* header_key(std::string_view name) {
  static const std::vector<std::pair<std::string_view, double>> kVolts{{"V", 1.0}, {"mV", 1e-3}};
  static const std::vector<std::pair<std::string_view, double>> kMasses{{"kg", 1.0}, {"g", 1e-3}};
  static const std::vector<HeaderKey> kKeys{{"kp", {}},
                                            {"ki", {}},
                                            {"kd", {}},
                                            {"vin", kVolts},
                                            {"supply", kVolts},
                                            {"mass", kMasses},
                                            {"rod", kMasses},
                                            {"arm_mass", kMasses},
                                            {"length", {{"m", 1.0}, {"cm", 1e-2}, {"mm", 1e-3}}}};
  const auto found = std::find_if(kKeys.begin(), kKeys.end(),
                                  [&](const HeaderKey& each) { return each.name == name; });
  return found == kKeys.end() ? nullptr : &*found;
}

// The value of `7.4 V` or `400 (P)`: a number, perhaps a unit, perhaps a remark in parentheses.
std::optional<double> header_number(std::string_view text, const HeaderKey& key) {
  if (text.ends_with(')')) {
    text = trimmed(text.substr(0, text.find('(')));
  }
  const std::size_t end = std::min(text.find_first_not_of("0123456789.+-eE"), text.size());
  const std::string_view unit = trimmed(text.substr(end));
  const auto number = parse_number<double>(trimmed(text.substr(0, end)));
  if (!number || !std::isfinite(*number) || unit.empty()) {
    return number && std::isfinite(*number) ? number : std::nullopt;
  }
  for (const auto& [name, scale] : key.units) {
    if (unit == name) {
      return scale * *number;
    }
  }
  return std::nullopt;
}

}  // namespace

bool is_number_of_header(std::string_view key) { return header_key(key) != nullptr; }

void add_header_text(const std::string& name, std::string_view value, const std::string& place,
                     ServoLog& log) {
  if (const HeaderKey* const key = header_key(name)) {
    const auto number = header_number(value, *key);
    if (!number) {
      std::string units;
      for (const auto& [unit, scale] : key->units) {
        units += (units.empty() ? ", perhaps with a unit: " : ", ") + std::string(unit);
      }
      fail_log(place, fmt::format("{} is '{}'; it is a number{}", name, first_words(value), units));
    }
    log.numbers[name] = *number;
  } else if (const auto number = parse_number<double>(value); number && std::isfinite(*number)) {
    log.numbers[name] = *number;
  } else {
    log.words[name] = value;
  }
}

void add_header_line(std::string_view comment, std::size_t number, ServoLog& log) {
  comment.remove_prefix(std::min(comment.find_first_not_of("# \t"), comment.size()));
  const std::size_t equals = comment.find('=');
  if (equals == comment.npos) {
    return;
  }
  const std::string key(trimmed(comment.substr(0, equals)));
  const std::string_view value = trimmed(comment.substr(equals + 1), " \t\r\"");
  add_header_text(key, value, fmt::format("{}:{}", log.path, number), log);
}

}  // namespace servosim
