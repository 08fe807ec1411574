// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "run/launch_plan.h"
#include "servosim/diagnostics.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace servosim {

/// A fault in servosim.toml. Its text begins with the location.
class ProjectFileError : public InputError {
 public:
  explicit ProjectFileError(Diagnostic fault);
  const Diagnostic& fault() const { return fault_; }

 private:
  Diagnostic fault_;
};

/// The file servosim.toml of a world's project. It has options of `run`, such as `allow_missing =
/// ["protos"]`; other commands use some of them. The command line has precedence.
class ProjectFile {
 public:
  /// Reads the file of the project that `world` belongs to. The result is empty if there is no
  /// file. Paths in it become relative to its folder. @throws ProjectFileError if the file is no
  /// TOML, or has a key that is no option of a project
  static ProjectFile of_world(const std::string& world);

  /// Returns its path; empty if there is no file.
  const std::string& path() const { return path_; }
  /// Returns the values of a key, such as "allow_missing"; empty if the file lacks it.
  std::vector<std::string> values(std::string_view key) const;
  /// Returns what the command line gives, otherwise the values of the key.
  std::vector<std::string> values_unless(const std::vector<std::string>& given,
                                         std::string_view key) const {
    return given.empty() ? values(key) : given;
  }
  /// Sets the options of `command` that the command line does not name to the values of this file.
  /// @throws ProjectFileError for a value that the option does not accept
  void apply_to(CLI::App& command) const;

 private:
  struct Entry {
    std::vector<std::string> words;
    std::pair<int, int> place;  // line and column of the key, from 1
  };

  void read(const std::string& project);
  void apply(const std::string& key, CLI::Option& option) const;
  [[noreturn]] void refuse(std::string_view key, std::string message) const;

  std::string path_;
  std::map<std::string, Entry, std::less<>> values_;
};

}  // namespace servosim
