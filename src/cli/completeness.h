// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "servosim/diagnostics.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace servosim {

/// `--allow-missing`: the kinds that the user accepts as missing, by their names; `all` is each.
/// `--allow-missing` alone means `all`: see allow_missing_without_value().
CLI::Option* add_allow_missing(CLI::App& command, std::vector<std::string>& kinds);
/// What CLI11 is to read instead of an argument `--allow-missing`, whose value must follow a '='.
std::string allow_missing_without_value(std::string argument);

/// Whether a world is simulated whole: what it lacks, how often, and what of it the user accepts.
///
/// Invariant: each part is listed once, what matters most first: what the world itself lacks before
/// what controls it.
class Completeness {
 public:
  /// @param allowed  names of kinds, checked by add_allow_missing()
  explicit Completeness(const std::vector<std::string>& allowed);

  /// The kinds that the user accepts.
  std::vector<Missing> allowed() const { return {allowed_.begin(), allowed_.end()}; }
  void add(const std::vector<MissingPart>& parts);
  /// What these say is missing. They are printed, too: so the summary only names missing PROTOs.
  void add(const std::vector<Diagnostic>& diagnostics);
  /// Nothing is missing but what the user accepts.
  bool holds() const;
  /// `code`, or kExitIncomplete instead of kExitOk when it does not hold.
  int exit_code(int code) const;
  /// Lines for people: what is missing, and how to get it; empty if nothing is.
  std::string summary() const;
  /// The same at the end of a command with another exit code, which accepting does not change.
  std::string summary(int exit_code) const;
  /// The same in one line, without a line end.
  std::string short_summary() const;
  /// A list of objects with kind, subject, remedy, count and accepted.
  nlohmann::ordered_json json() const;

 private:
  struct Entry {
    MissingPart part;
    std::size_t count = 1;
    bool is_reported = false;
  };

  void add(const MissingPart& part, bool is_reported);
  bool accepts(const MissingPart& part) const { return allowed_.contains(part.kind); }

  std::set<Missing> allowed_;
  using Place = std::pair<std::size_t, std::size_t>;  // rank of the kind, and of the arrival
  std::map<Place, Entry> entries_;
  std::map<std::tuple<Missing, std::string, std::string>, Place> known_;  // by all of a part
};

}  // namespace servosim
