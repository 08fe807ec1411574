// SPDX-License-Identifier: Apache-2.0
#include "cli/help.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <vector>

#include "cli/text_table.h"

namespace servosim {
namespace {

using Options = std::vector<const CLI::Option*>;

constexpr std::size_t kExplained = 28;  // column where explanations begin

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
  if (display_width(line) + 2 > kExplained) {
    page += line + '\n';
    line.clear();
  }
  for (const std::string& piece : wrapped(explanation, kTextWidth - kExplained)) {
    page += padded(line, kExplained) + piece + '\n';
    line.clear();
  }
}

Options positionals_of(const CLI::App& command) {
  return command.get_options([](const CLI::Option* option) { return option->get_positional(); });
}

}  // namespace

std::string usage_line(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  std::string line = (parent != nullptr ? parent->get_name() + ' ' : "") + command.get_name();
  line += parent != nullptr ? " [OPTION]..." : " COMMAND [OPTION]... [ARGUMENT]...";
  for (const CLI::Option* positional : positionals_of(command)) {
    line += ' ' + argument_text(*positional);
  }
  return command.get_prefix_command() ? line + " [ARGUMENT]..." : line;
}

namespace {

// The pages of --help, in lines of at most kTextWidth columns.
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
      return option->get_group() == group && option->nonpositional();
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

}  // namespace servosim
