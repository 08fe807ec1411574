// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "servosim/simulation.h"

// Declares the types of CLI11 that our headers name. The header of CLI11 takes two seconds to
// compile, so only sources that define options or read their values include it.

namespace CLI {
class App;
class FormatterBase;
class Option;
class Validator;
struct ConfigItem;
}  // namespace CLI

// The subcommands declare their arguments by these functions.

namespace servosim {

/// Accepts a finite number above 0, or also 0 if `zero_allowed`.
CLI::Validator finite_number(bool zero_allowed);
/// Accepts a finite number of any sign.
CLI::Validator any_finite_number();
/// Accepts a number above 0, up to `max`.
CLI::Validator positive_number(double max);
/// Accepts a whole number from `min` to 10^18.
CLI::Validator whole_number(int min = 0);
/// Accepts a whole number from `min` to `max`. `what` names it in the error, such as "port".
CLI::Validator number_between(int min, int max, std::string what);

/// Returns the time-out of an option: `seconds` rounded up, at most kMaxTimeout.
std::chrono::milliseconds milliseconds(double seconds);

/// Adds an option with one of a few words as its value.
CLI::Option* add_choice(CLI::App& command, const std::string& name, std::string& value,
                        const std::vector<std::string>& words, const std::string& help);
/// Adds an option that may be given several times, each time with one value.
CLI::Option* add_repeatable(CLI::App& command, const std::string& name,
                            std::vector<std::string>& values, const std::string& help);
/// Declares the required list of worlds.
void add_worlds(CLI::App& command, std::vector<std::string>& worlds);
/// Declares `--proto-path DIR`.
void add_proto_path(CLI::App& command, std::vector<std::string>& folders);
/// Does the same for `--servo-path`, folders with files of servos.
void add_servo_path(CLI::App& command, std::vector<std::string>& folders);
/// Declares `--no-floor` and `--fixed-base`, for robots' own files.
void add_robot_file(CLI::App& command, RobotFileOptions& options);
/// Loads a world. `-` means a world on standard input, whose folder is the current one.
/// @throws LoadError, InputError if standard input cannot be read
Simulation load(const std::string& world, LoadOptions options);
/// Does the same. @throws InputError, also if a value that the options set is replaced by another
/// one
Simulation load_as_set(const std::string& world, const LoadOptions& options);
/// Declares `--verbose`.
void add_verbose(CLI::App& command, bool& verbose);
/// The values of `--set PATH=VALUE` and `--set-file FILE` as the user gives them.
struct SettingArguments {
  std::vector<std::string> settings;
  std::vector<std::string> files;

  /// Returns the settings of the files, then those of the command line. @throws InputError
  std::vector<FieldSetting> read() const;
};
void add_settings(CLI::App& command, SettingArguments& arguments);
/// Declares `--assets DIR|ZIP`.
void add_assets(CLI::App& command, std::vector<std::string>& stores);

/// Tells whether two paths name one file, which need not exist yet.
bool is_same_file(const std::string& a, const std::string& b);

/// Returns the formatter of --help, whose lines have at most kTextWidth columns.
std::shared_ptr<CLI::FormatterBase> help_page();

/// Returns the name with its parents, such as `servosim yarp rpc`.
std::string full_name(const CLI::App& command);
/// Returns a line such as `servosim run [OPTION]... WORLD...`.
std::string usage_line(const CLI::App& command);

// Configuration files have `[section]` and `key = value` lines.

using Names = std::vector<std::string>;

/// A key of a configuration file with its values. All functions throw InputError with the location
/// of an invalid value.
struct ConfigEntry {
  std::string place;  ///< location of the key, for messages
  Names words;        ///< the values

  /// Throws InputError with the location and `reason`.
  [[noreturn]] void refuse(const std::string& reason) const;
  /// Returns all values, separated by blanks.
  std::string text() const;
  /// Returns the only value.
  const std::string& word() const;
  double number(const std::string& word) const;
  std::size_t choice(const std::string& word, const Names& names) const;
};

/// Returns the keys of a file in their order, each with the components of its section's name.
/// @throws InputError
std::vector<CLI::ConfigItem> read_config_file(const std::string& path);

}  // namespace servosim
