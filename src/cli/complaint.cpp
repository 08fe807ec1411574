// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

#include "cli/help.h"
#include "cli/text_table.h"
#include "core/printable.h"
#include "core/suggest.h"

namespace servosim {
namespace {

std::string full_name(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return (parent != nullptr ? parent->get_name() + ' ' : "") + command.get_name();
}

std::string with_help(const std::string& text, const CLI::App& command) {
  return fmt::format("{}{} '{} --help'", text, text.back() == '?' ? " See" : "; see",
                     full_name(command));
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_snames()) {
      names.push_back('-' + name);
    }
    for (const std::string& name : option->get_lnames()) {
      names.push_back("--" + name);
    }
  }
  return names;
}

std::string no_such_option(const CLI::App& app, const CLI::App& command,
                           const std::string& argument) {
  const std::string name = argument.substr(0, argument.find('='));
  for (const CLI::App* other : app.get_subcommands({})) {
    const std::vector<std::string> names = option_names(*other);
    if (&command == &app && std::find(names.begin(), names.end(), name) != names.end()) {
      return with_help(fmt::format("{} stands before the command; write it behind: 'servosim {} "
                                   "{}'",
                                   name, other->get_name(), name),
                       *other);
    }
  }
  const std::vector<std::string> names = option_names(command);
  const std::string close = did_you_mean(name, {names.begin(), names.end()});
  return with_help(
      fmt::format("there is no option '{}' for '{}'{}", printable(name), full_name(command), close),
      command);
}

// Arguments that belong nowhere, if there are any.
std::string left_over(const CLI::App& app, const CLI::App& command) {
  const std::vector<std::string> before = app.remaining();
  const std::vector<std::string> extras = before.empty() ? command.remaining() : before;
  if (extras.empty()) {
    return {};
  }
  const auto is_option = [](const std::string& text) { return text.size() > 1 && text[0] == '-'; };
  const auto option = std::find_if(extras.begin(), extras.end(), is_option);
  if (option != extras.end()) {
    return no_such_option(app, before.empty() ? command : app, *option);
  }
  return with_help(fmt::format("'{}' is one argument too many: {}", printable(extras.front()),
                               usage_line(command)),
                   command);
}

std::string name_of(const CLI::Option& option) {
  return option.get_positional() ? option.get_name(true, false) : option.get_name(false, false);
}

// Of what CLI11 found missing, given twice or contradictory.
std::string option_fault(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = name_of(*option);
    if (option->get_required() && option->count() == 0) {
      return fmt::format("{} is missing: {}", name, usage_line(command));
    }
    for (const CLI::Option* other : option->get_excludes()) {
      if (option->count() > 0 && other->count() > 0) {
        return fmt::format("{} and {} exclude each other; leave one of them out", name,
                           name_of(*other));
      }
    }
    const bool takes_one = option->get_items_expected_max() == 1;
    if (takes_one && option->count() > 1 &&
        option->get_multi_option_policy() == CLI::MultiOptionPolicy::Throw) {
      return fmt::format("{} is given {} times; leave one of them", name, option->count());
    }
  }
  return {};
}

// An option at the end of the line, without what it needs.
std::string missing_value(const CLI::App& command, std::string_view message) {
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = name_of(*option);
    if (message.substr(0, name.size() + 1) == name + ':') {
      return fmt::format("{0} needs a value: {0} {1}", name, option->get_type_name());
    }
  }
  return std::string(message);
}

}  // namespace

std::string no_such_subcommand(const CLI::App& app, const std::string& argument) {
  namespace fs = std::filesystem;
  std::vector<std::string> names{"help"};
  for (const CLI::App* subcommand : app.get_subcommands({})) {
    names.push_back(subcommand->get_name());
  }
  std::string close = did_you_mean(argument, {names.begin(), names.end()});
  const std::string extension = fs::path(argument).extension().string();
  std::error_code ignored;
  if (close.empty() && (extension == ".csv" || extension == ".jsonl")) {
    close = fmt::format("; did you mean 'servosim plot {}'?", printable(argument));
  } else if (close.empty() && (extension == ".wbt" || fs::is_regular_file(argument, ignored))) {
    close = fmt::format("; did you mean 'servosim run {}'?", printable(argument));
  }
  return with_help(fmt::format("there is no command '{}'{}", printable(argument), close), app);
}

std::string complaint(const CLI::App& app, const CLI::ParseError& error) {
  const auto chosen = app.get_subcommands();
  const CLI::App& command = chosen.empty() ? app : *chosen.front();
  if (const std::string extra = left_over(app, command); !extra.empty()) {
    return extra;
  }
  const std::string message = error.what();
  if (error.get_name() == "ValidationError" || error.get_name() == "ConversionError") {
    return with_help(message, command);
  }
  const std::string fault = option_fault(command);
  return with_help(!fault.empty() ? fault : missing_value(command, message), command);
}

}  // namespace servosim
