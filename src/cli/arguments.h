// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "servosim/simulation.h"

// The types of CLI11 that our headers name. Its header takes two seconds to compile: only sources
// that define options or read their values include it.

namespace CLI {
class App;
class FormatterBase;
class Option;
class Validator;
struct ConfigItem;
}  // namespace CLI

// Functions by which the subcommands declare their arguments.

namespace servosim {

/// Accepts a finite number above 0, or also 0.
CLI::Validator finite_number(bool zero_allowed);
/// Accepts a finite number of any sign.
CLI::Validator any_finite_number();
/// Accepts a number above 0, up to `max`.
CLI::Validator positive_number(double max);
/// Accepts `min` ... 10^18.
CLI::Validator whole_number(int min = 0);
/// Accepts `min` ... `max`; `what` names it in the error: "port".
CLI::Validator number_between(int min, int max, std::string what);

/// The time-out of an option: `seconds` rounded up, at most kMaxTimeout.
std::chrono::milliseconds milliseconds(double seconds);

/// Adds an option with one of a few words as its value.
CLI::Option* add_choice(CLI::App& command, const std::string& name, std::string& value,
                        const std::vector<std::string>& words, const std::string& help);
/// Adds an option that may be given several times, with one value each.
CLI::Option* add_repeatable(CLI::App& command, const std::string& name,
                            std::vector<std::string>& values, const std::string& help);
/// Declares the worlds, which must be given.
void add_worlds(CLI::App& command, std::vector<std::string>& worlds);
/// `--proto-path DIR`
void add_proto_path(CLI::App& command, std::vector<std::string>& folders);
/// Loads a world; that of `-` is read from standard input, and stands in the present folder.
/// @throws LoadError, InputError if standard input cannot be read
Simulation load(const std::string& world, LoadOptions options);
/// The same. @throws InputError, too, if another value is simulated in the place of one that the
/// options set
Simulation load_as_set(const std::string& world, const LoadOptions& options);
/// Declares `--verbose`.
void add_verbose(CLI::App& command, bool& verbose);
/// `--set PATH=VALUE` and `--set-file FILE`, as they are given.
struct SettingArguments {
  std::vector<std::string> settings;
  std::vector<std::string> files;

  /// Those of the files, then those of the command line. @throws InputError
  std::vector<FieldSetting> read() const;
};
void add_settings(CLI::App& command, SettingArguments& arguments);
/// `--assets DIR|ZIP`
void add_assets(CLI::App& command, std::vector<std::string>& stores);

/// The formatter of --help: lines of at most kTextWidth columns.
std::shared_ptr<CLI::FormatterBase> help_page();

/// `servosim yarp rpc`
std::string full_name(const CLI::App& command);
/// `servosim run [OPTION]... WORLD...`
std::string usage_line(const CLI::App& command);

// Configuration files with `[section]` and `key = value` lines.

using Names = std::vector<std::string>;

enum class ConfigFormat { Ini, Toml };

/// A key of a configuration file with its values. All functions throw InputError with the place for
/// an invalid value.
struct ConfigEntry {
  std::string place;  ///< of the key, for messages
  Names words;        ///< the values

  /// Throws InputError with the place and `reason`.
  [[noreturn]] void refuse(const std::string& reason) const;
  /// All values, with blanks between.
  std::string text() const;
  /// The only value.
  const std::string& word() const;
  double number(const std::string& word) const;
  std::size_t choice(const std::string& word, const Names& names) const;
};

/// The keys of a file in their order, each with the parts of the name of its section.
/// @throws InputError
std::vector<CLI::ConfigItem> read_config_file(const std::string& path,
                                              ConfigFormat format = ConfigFormat::Ini);

}  // namespace servosim
