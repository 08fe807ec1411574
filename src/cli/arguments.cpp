// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <sstream>
#include <system_error>
#include <variant>
#include <vector>

#include "assets/library.h"
#include "base/child_process.h"
#include "base/files.h"
#include "base/limits.h"
#include "base/printable.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/completeness.h"
#include "cli/output.h"
#include "run/launch_plan.h"
#include "sim/field_settings.h"

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

CLI::Validator any_finite_number() {
  const auto test = [](const std::string& text) -> std::string {
    double value = 0.0;
    return CLI::detail::lexical_cast(text, value) && std::isfinite(value)
               ? std::string()
               : "'" + text + "' is not a finite number";
  };
  return CLI::Validator(test, "");
}

CLI::Validator positive_number(double max) {
  const auto test = [max](const std::string& text) -> std::string {
    double value = 0.0;
    return CLI::detail::lexical_cast(text, value) && value > 0.0 && value <= max
               ? std::string()
               : fmt::format("'{}' is not a number > 0 and <= {}", text, max);
  };
  return CLI::Validator(test, "NUMBER > 0");
}

CLI::Validator whole_number(int min) {
  const auto test = [min](const std::string& text) -> std::string {
    const bool digits = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
    const bool fits = text.size() < 19;  // below 2^63
    return digits && fits && std::stoll(text) >= min
               ? std::string()
               : "'" + text + "' is not a whole number " + std::to_string(min) + " ... 10^18";
  };
  return CLI::Validator(test, "WHOLE NUMBER");
}

CLI::Validator number_between(int min, int max, std::string what) {
  const auto test = [min, max, what = std::move(what)](const std::string& text) -> std::string {
    int value = 0;
    return CLI::detail::lexical_cast(text, value) && value >= min && value <= max
               ? std::string()
               : fmt::format("'{}' is no {}: it must be a whole number from {} to {}",
                             printable(text), what, min, max);
  };
  return CLI::Validator(test, "");
}

std::chrono::milliseconds milliseconds(double seconds) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(1e3 * std::min(seconds, kMaxTimeout)) +
                                   1);
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
      ->allow_extra_args(false)  // one value per option; the next word is another argument
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

namespace {

// Returns whether `text` is a valid value of --allow-missing, such as `protos,meshes`.
bool are_kinds(const std::string& text) {
  CLI::App command;
  std::vector<std::string> kinds;
  CLI::Option* const option = add_allow_missing(command, kinds);
  try {
    option->add_result(text);
    option->run_callback();
    return true;
  } catch (const CLI::Error&) {
    return false;
  }
}

}  // namespace

void add_worlds(CLI::App& command, std::vector<std::string>& worlds) {
  const auto test = [](const std::string& text) {
    std::error_code ignored;
    return !are_kinds(text) || std::filesystem::is_regular_file(text, ignored)
               ? std::string()
               : fmt::format(
                     "'{0}' is no file of a world; for the option write "
                     "--allow-missing={0}",
                     printable(text));
  };
  command
      .add_option("WORLD", worlds,
                  "World files (.wbt), or robots (.urdf, .sdf, .xml); -: standard input")
      ->required()
      ->check(CLI::Validator(test, ""));
}

namespace {

CLI::Validator existing_folder(const char* what_it_has) {
  const auto test = [what_it_has](const std::string& path) {
    std::error_code ignored;
    return std::filesystem::is_directory(path, ignored)
               ? std::string()
               : fmt::format(
                     "'{}' {}{}", printable(path),
                     std::filesystem::exists(path, ignored)
                         ? fmt::format("is no folder; name the folder of the {}", what_it_has)
                         : "does not exist",
                     did_you_mean_file(path));
  };
  return CLI::Validator(test, "");
}

}  // namespace

void add_proto_path(CLI::App& command, std::vector<std::string>& folders) {
  add_repeatable(command, "--proto-path", folders, "Folder with PROTO files, or a clone of Webots")
      ->type_name("DIR")
      ->check(existing_folder("PROTO files"));
}

void add_servo_path(CLI::App& command, std::vector<std::string>& folders) {
  add_repeatable(command, "--servo-path", folders, "Folder with servos, each as NAME.toml")
      ->type_name("DIR")
      ->check(existing_folder("servos"));
}

void add_assets(CLI::App& command, std::vector<std::string>& stores) {
  const auto test = [](const std::string& path) {
    const std::string fault = assets::Store(path).fault();
    return fault.empty() ? std::string() : fmt::format("'{}' {}", printable(path), fault);
  };
  add_repeatable(command, "--assets", stores,
                 "Folder like Webots' download cache, or a zip archive of it")
      ->type_name("DIR|ZIP")
      ->check(CLI::Validator(test, ""));
}

void add_robot_file(CLI::App& command, RobotFileOptions& options) {
  command.add_flag("--no-floor{false}", options.floor,
                   "No floor below a robot (.urdf, .sdf, .xml)");
  command.add_flag("--fixed-base", options.fixed_base,
                   "Hold the root of a robot (.urdf, .sdf, .xml) where it is");
}

namespace {

std::string standard_input() {
  constexpr std::size_t kMaxWorld = 256u << 20;
  std::string text = read_to_end(STDIN_FILENO, kMaxWorld + 1);
  if (text.size() > kMaxWorld) {
    throw InputError("standard input has more than 256 MB");
  }
  return text;
}

}  // namespace

Simulation load(const std::string& world, LoadOptions options) {
  return world == "-" ? Simulation::from_text(standard_input(), std::move(options))
                      : Simulation(world, std::move(options));
}

Simulation load_as_set(const std::string& world, const LoadOptions& options) {
  const std::string text = world == "-" ? standard_input() : "";
  const auto load_with = [&](const LoadOptions& these) {
    return world == "-" ? Simulation::from_text(text, these) : Simulation(world, these);
  };
  Simulation simulation = load_with(options);
  try {
    refuse_replacements(simulation, options, load_with);
  } catch (const std::invalid_argument& error) {
    throw InputError(error.what());
  }
  return simulation;
}

namespace {

// Parses `PATH=VALUE`. @throws InputError with the location
FieldSetting setting_of(const std::string& text, std::string place, int line) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || trimmed(text).starts_with('=')) {
    throw InputError(
        fmt::format("{}{}: '{}' sets nothing; write OWNER.FIELD=VALUE, such as "
                    "WorldInfo.gravity=3.7",
                    printable(place), line > 0 ? fmt::format(":{}", line) : "", printable(text)));
  }
  return {text.substr(0, equals), text.substr(equals + 1), std::move(place), std::max(line, 1)};
}

void read_settings(const std::string& path, std::vector<FieldSetting>& settings) {
  const auto text = read_file(path);
  if (const auto* error = std::get_if<FileError>(&text)) {
    throw InputError(fmt::format("--set-file: {} {}{}", printable(path), error->reason,
                                 did_you_mean_file(path)));
  }
  std::istringstream lines(std::get<std::string>(text));
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    line.erase(line.find_last_not_of(" \t\r") + 1);
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin != std::string::npos && line[begin] != '#') {
      settings.push_back(setting_of(line, path, number));
    }
  }
}

}  // namespace

std::vector<FieldSetting> SettingArguments::read() const {
  std::vector<FieldSetting> list;
  for (const std::string& file : files) {
    read_settings(file, list);
  }
  for (const std::string& text : settings) {
    list.push_back(setting_of(text, "--set", 0));
    list.back().place += ' ' + text;
  }
  return list;
}

void add_settings(CLI::App& command, SettingArguments& arguments) {
  add_repeatable(command, "--set", arguments.settings,
                 "Another value for a field of the world: of a robot, robot/joint, robot/device, "
                 "DEF or type, such as WorldInfo.gravity=3.7")
      ->type_name("PATH=VALUE");
  add_repeatable(command, "--set-file", arguments.files,
                 "File with a line like that for each; lines that begin with '#' are comments")
      ->type_name("FILE");
}

void add_verbose(CLI::App& command, bool& verbose) {
  command.add_flag("--verbose", verbose, "Each warning by itself, not one line for each kind");
}

namespace {

using Options = std::vector<const CLI::Option*>;

constexpr std::size_t kHelpColumn = 28;  // where explanations begin

std::string argument_text(const CLI::Option& positional) {
  const std::string name = positional.get_name(true, false);
  const std::string text = positional.get_expected_max() > 1 ? name + "..." : name;
  return positional.get_required() ? text : '[' + text + ']';
}

std::string option_text(const CLI::Option& option) {
  std::string text;
  for (const std::string& name : option.get_snames()) {
    text += (text.empty() ? "-" : ", -") + name;
  }
  for (const std::string& name : option.get_lnames()) {
    text += (text.empty() ? "--" : ", --") + name;
  }
  return option.get_type_size() == 0 ? text : text + ' ' + option.get_type_name();
}

void add_entry(std::string& page, const std::string& left, const std::string& explanation) {
  std::string line = "  " + left;
  if (display_width(line) + 2 > kHelpColumn) {
    page += line + '\n';
    line.clear();
  }
  for (const std::string& piece : wrapped(explanation, kTextWidth - kHelpColumn)) {
    page += padded(line, kHelpColumn) + piece + '\n';
    line.clear();
  }
}

Options positionals_of(const CLI::App& command) {
  return command.get_options([](const CLI::Option* option) { return option->get_positional(); });
}

}  // namespace

std::string full_name(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  const std::string name =
      command.get_name() == kWebotsConvert ? "webots convert" : command.get_name();
  return (parent != nullptr ? full_name(*parent) + ' ' : "") + name;
}

std::string usage_line(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  std::string line = full_name(command);
  line += parent != nullptr ? " [OPTION]..." : " COMMAND [OPTION]... [ARGUMENT]...";
  for (const CLI::Option* positional : positionals_of(command)) {
    line += ' ' + argument_text(*positional);
  }
  return command.get_prefix_command() ? line + " [ARGUMENT]..." : line;
}

namespace {

// Formats the pages of --help in lines of at most kTextWidth columns.
class HelpPage : public CLI::FormatterBase {
 public:
  std::string make_help(const CLI::App* command, std::string, CLI::AppFormatMode) const override;
};

std::string HelpPage::make_help(const CLI::App* command, std::string, CLI::AppFormatMode) const {
  std::string page =
      fmt::format("{}\n\nUsage: {}\n", command->get_description(), usage_line(*command));
  const Options positionals = positionals_of(*command);
  page += positionals.empty() ? "" : "\n";
  for (const CLI::Option* positional : positionals) {
    add_entry(page, argument_text(*positional), positional->get_description());
  }
  const auto subcommands = command->get_subcommands({});
  page += subcommands.empty() ? "" : "\nCommands:\n";
  for (const CLI::App* subcommand : subcommands) {
    add_entry(page, subcommand->get_name(), subcommand->get_description());
  }
  for (const std::string& group : command->get_groups()) {
    const Options options = command->get_options([&group](const CLI::Option* option) {
      return !group.empty() && option->get_group() == group && option->nonpositional();
    });
    page += options.empty() ? "" : fmt::format("\n{}:\n", group);
    for (const CLI::Option* option : options) {
      add_entry(page, option_text(*option), option->get_description());
    }
  }
  return page + command->get_footer();
}

}  // namespace

std::shared_ptr<CLI::FormatterBase> help_page() { return std::make_shared<HelpPage>(); }

namespace {

constexpr std::ptrdiff_t kMaxDots = 8;  // in the name of a section

// The memory that CLI11 uses for a section grows with the square of its dots.
void check_depth(const std::string& path, const std::string& text) {
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    if (trimmed(line).starts_with('[') && std::count(line.begin(), line.end(), '.') > kMaxDots) {
      throw InputError(fmt::format("{}: '{}' is not a section: it has more than {} dots",
                                   printable(path), printable(line.substr(0, 80)), kMaxDots));
    }
  }
}

}  // namespace

std::vector<CLI::ConfigItem> read_config_file(const std::string& path) {
  const auto text = read_file(path);
  if (const auto* error = std::get_if<FileError>(&text)) {
    throw InputError(
        fmt::format("{} {}{}", printable(path), error->reason, did_you_mean_file(path)));
  }
  check_depth(path, std::get<std::string>(text));
  std::istringstream stream(std::get<std::string>(text));
  std::vector<CLI::ConfigItem> items = CLI::ConfigINI().from_config(stream);
  const auto marks_section = [](const auto& item) {
    return item.name == "++" || item.name == "--";
  };
  items.erase(std::remove_if(items.begin(), items.end(), marks_section), items.end());
  return items;
}

void ConfigEntry::refuse(const std::string& reason) const {
  throw InputError(fmt::format("{}: {}", place, reason));
}

std::string ConfigEntry::text() const { return fmt::format("{}", fmt::join(words, " ")); }

const std::string& ConfigEntry::word() const {
  if (words.size() != 1) {
    refuse(fmt::format("'{}' is not a single value; write one", printable(text())));
  }
  return words.front();
}

double ConfigEntry::number(const std::string& word) const {
  double value = 0.0;
  if (!CLI::detail::lexical_cast(word, value) || std::isnan(value)) {
    refuse(fmt::format("'{}' is not a number", printable(word)));
  }
  return value;
}

bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code error;
  return std::filesystem::exists(a, error) && std::filesystem::exists(b, error)
             ? std::filesystem::equivalent(a, b, error)
             : std::filesystem::weakly_canonical(a, error) ==
                   std::filesystem::weakly_canonical(b, error);
}

std::size_t ConfigEntry::choice(const std::string& word, const Names& names) const {
  const auto found = std::find(names.begin(), names.end(), word);
  if (found == names.end()) {
    refuse(fmt::format("'{}' is not {}{}", printable(word), fmt::join(names, " or "),
                       did_you_mean(word, {names.begin(), names.end()})));
  }
  return static_cast<std::size_t>(found - names.begin());
}

}  // namespace servosim
