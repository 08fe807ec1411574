// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "cli/text_table.h"
#include "core/printable.h"
#include "core/suggest.h"

namespace servosim {

CLI::Validator finite_number(bool zero_allowed) {
  const auto test = [zero_allowed](const std::string& text) -> std::string {
    double value = 0.0;
    const bool fine = CLI::detail::lexical_cast(text, value) && std::isfinite(value) &&
                      (zero_allowed ? value >= 0.0 : value > 0.0);
    return fine ? std::string()
                : "'" + text + "' is not a finite number " + (zero_allowed ? ">= 0" : "> 0");
  };
  return CLI::Validator(test, zero_allowed ? "NUMBER >= 0" : "NUMBER > 0");
}

CLI::Validator positive_number(double most) {
  const auto test = [most](const std::string& text) -> std::string {
    double value = 0.0;
    return CLI::detail::lexical_cast(text, value) && value > 0.0 && value <= most
               ? std::string()
               : fmt::format("'{}' is not a number > 0 and <= {}", text, most);
  };
  return CLI::Validator(test, "NUMBER > 0");
}

CLI::Validator whole_number(int least) {
  const auto test = [least](const std::string& text) -> std::string {
    const bool digits = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
    const bool fits = text.size() < 19;  // below 2^63
    return digits && fits && std::stoll(text) >= least
               ? std::string()
               : "'" + text + "' is not a whole number " + std::to_string(least) + " ... 10^18";
  };
  return CLI::Validator(test, "WHOLE NUMBER");
}

std::chrono::milliseconds milliseconds(double seconds) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(1e3 * std::min(seconds, 1e9)) + 1);
}

CLI::Option* add_choice(CLI::App& command, const std::string& name, std::string& value,
                        const std::vector<std::string>& words, const std::string& help) {
  const auto test = [words](const std::string& text) {
    return std::find(words.begin(), words.end(), text) != words.end()
               ? std::string()
               : fmt::format("'{}' is not {}{}", printable(text), fmt::join(words, " or "),
                             did_you_mean(text, {words.begin(), words.end()}));
  };
  return command.add_option(name, value, help)
      ->type_name(fmt::format("{}", fmt::join(words, "|")))
      ->check(CLI::Validator(test, ""));
}

CLI::Option* add_repeatable(CLI::App& command, const std::string& name,
                            std::vector<std::string>& values, const std::string& help) {
  return command.add_option(name, values, help + "; repeatable")
      ->expected(1)
      ->allow_extra_args(false)  // one value each time; the next word is an argument of its own
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void add_proto_path(CLI::App& command, std::vector<std::string>& folders) {
  add_repeatable(command, "--proto-path", folders, "Folder with PROTO files")->type_name("DIR");
}

}  // namespace servosim
