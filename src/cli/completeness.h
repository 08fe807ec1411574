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

/// Declares `--allow-missing`: the names of the kinds that the user accepts as missing. `all` means
/// each kind. `--allow-missing` without a value means `all`: see allow_missing_without_value().
CLI::Option* add_allow_missing(CLI::App& command, std::vector<std::string>& kinds);
/// Returns what CLI11 must read instead of an argument `--allow-missing`, whose value must follow a
/// '='.
std::string allow_missing_without_value(std::string argument);

/// Records what a world lacks, how often, and what of it the user accepts.
///
/// Invariant: each part is listed once, the most important ones first: parts of the world come
/// before its controllers.
class Completeness {
 public:
  /// @param allowed  names of kinds, checked by add_allow_missing()
  explicit Completeness(const std::vector<std::string>& allowed);

  /// Returns the kinds that the user accepts.
  std::vector<Missing> allowed() const { return {allowed_.begin(), allowed_.end()}; }
  void add(const std::vector<MissingPart>& parts);
  /// Adds the parts that these diagnostics report as missing. Of diagnostics that are printed, the
  /// summary only counts the PROTOs.
  void add(const std::vector<Diagnostic>& diagnostics, bool are_printed);
  /// Returns whether only parts are missing that the user accepts.
  bool holds() const;
  /// Returns `code`, or kExitIncomplete instead of kExitOk if holds() is false.
  int exit_code(int code) const;
  /// Returns lines for people: what is missing, and how to get it; empty if nothing is missing.
  std::string summary() const;
  /// Returns the same for the end of a command with another exit code, which accepting does not
  /// change.
  std::string summary(int exit_code) const;
  /// Returns the same in one line, without a line break.
  std::string short_summary() const;
  /// Returns a list of objects with kind, subject, remedy, count and accepted.
  nlohmann::ordered_json json() const;
  /// Returns a line, for the end of a run, which says that accepting pictures has had no effect;
  /// nothing if the user does not name them or something misses pictures.
  std::string idle_choice() const;

 private:
  struct Entry {
    MissingPart part;
    std::size_t count = 1;
    /// Whether a printed warning names it, if it is a PROTO.
    bool is_reported = false;
  };

  void add(const MissingPart& part, bool is_reported);
  bool accepts(const MissingPart& part) const { return allowed_.contains(part.kind); }

  std::set<Missing> allowed_;
  bool names_pictures_;                               // the user names their kind, not all kinds
  using Place = std::pair<std::size_t, std::size_t>;  // ranks by kind and by arrival
  std::map<Place, Entry> entries_;
  // The key is the whole part.
  std::map<std::tuple<Missing, std::string, std::string>, Place> known_;
};

}  // namespace servosim
