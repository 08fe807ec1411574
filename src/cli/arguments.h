// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

// What our headers name of CLI11, whose own header takes two seconds to compile: only sources that
// define options or read their values include it.

namespace CLI {
class App;
class FormatterBase;
class Option;
class ParseError;
class Validator;
struct ConfigItem;
}  // namespace CLI

// What several subcommands need to declare their arguments.

namespace servosim {

/// Accepts a finite number above 0, or also 0.
CLI::Validator finite_number(bool zero_allowed);
/// Accepts a number above 0, up to `most`.
CLI::Validator positive_number(double most);
/// Accepts `least` ... 10^18.
CLI::Validator whole_number(int least = 0);

/// A time-out of an option: not below `seconds`, at most 1e9 s.
std::chrono::milliseconds milliseconds(double seconds);

/// An option that takes one of a few words.
CLI::Option* add_choice(CLI::App& command, const std::string& name, std::string& value,
                        const std::vector<std::string>& words, const std::string& help);
/// An option that may be given several times, with one value each.
CLI::Option* add_repeatable(CLI::App& command, const std::string& name,
                            std::vector<std::string>& values, const std::string& help);
/// `--proto-path DIR`
void add_proto_path(CLI::App& command, std::vector<std::string>& folders);

// How the command line explains itself: --help, and what is wrong with the arguments.

/// Makes the pages of --help, in lines of at most kTextWidth columns.
std::shared_ptr<CLI::FormatterBase> help_page();

/// `servosim run [OPTION]... WORLD...`
std::string usage_line(const CLI::App& command);

/// What is wrong with a first argument that is no subcommand, and what may be meant.
std::string no_such_subcommand(const CLI::App& app, const std::string& argument);
/// The error of CLI11 as a sentence that ends with what to do next.
std::string complaint(const CLI::App& app, const CLI::ParseError& error);

// Files of `[section]` and `key = value` lines.

using Names = std::vector<std::string>;

/// What a file says behind a key. All its functions throw InputError, with the place, for what is
/// not wanted.
struct ConfigEntry {
  std::string place;  ///< of the key, for messages
  Names words;

  [[noreturn]] void refuse(const std::string& what) const;
  std::string text() const;
  const std::string& word() const;  ///< the only one
  double number(const std::string& word) const;
  std::size_t choice(const std::string& word, const Names& names) const;
};

/// The keys of a file in their order, each with the parts of its section's name.
/// @throws InputError
std::vector<CLI::ConfigItem> read_config_file(const std::string& path);

}  // namespace servosim
