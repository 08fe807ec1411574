// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/printable.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "wbt/schema/node_types.h"
#include "wbt/values.h"

namespace servosim {

namespace {

// Returns a text such as `all`, `since V7.2`, `until R2021b`, `V7.2 to V7.3` or `V8.6`.
std::string versions_text(const wbt::Version& since, const wbt::Version& until) {
  const bool from_start = since == wbt::Version{};
  const bool still = until == wbt::kNewestVersion;
  if (from_start && still) {
    return "all";
  }
  if (from_start) {
    return "until " + to_string(until);
  }
  if (still) {
    return "since " + to_string(since);
  }
  return since == until ? to_string(since) : to_string(since) + " to " + to_string(until);
}

// The fields that come from one node or base, in the order of the table.
struct FieldGroup {
  std::string_view origin;
  std::vector<const wbt::FieldType*> fields;
};

// The group of the node's own fields comes first.
std::vector<FieldGroup> field_groups(const wbt::NodeType& type) {
  std::vector<FieldGroup> groups;
  for (std::size_t f = 0; f < type.fields.size(); ++f) {
    if (groups.empty() || groups.back().origin != type.origins[f]) {
      groups.push_back({type.origins[f], {}});
    }
    groups.back().fields.push_back(type.fields[f]);
  }
  return groups;
}

// Returns the old names that are read as this node type.
std::vector<std::string_view> old_names_of(const wbt::NodeType& type) {
  std::vector<std::string_view> names;
  for (const wbt::OldName& old : wbt::renamed_nodes()) {
    if (old.what == type.name) {
      names.push_back(old.name);
    }
  }
  return names;
}

using Json = nlohmann::ordered_json;

constexpr const char* kFieldsHelp = R"(
Without NODE: every node type. The table is the one worlds are read with: a field that a file leaves
out has the default printed here, and what is outside the range is reported. "versions" are those of
Webots whose files have the field. docs/reference/fields.md is this table as a page.

Exit codes: 0 done; 1 the output cannot be written; 2 there is no such node type.

Examples:
  servosim fields
  servosim fields HingeJointParameters
  servosim fields --json Robot | jq -r '.nodes[].fields[] | [.name, .unit, .range] | @tsv'
  servosim fields --markdown > docs/reference/fields.md
)";

struct FieldsArguments {
  std::string node;
  bool json = false;
  bool markdown = false;
};

std::string list_text(const std::vector<std::string_view>& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string overview() {
  TextTable table({{"node"}, {"based on"}, {"versions"}, {"fields", true}, {"what"}});
  for (const wbt::NodeType& type : wbt::all_node_types()) {
    table.add({std::string(type.name), std::string(type.base),
               versions_text(type.since, type.until), fmt::format("{}", type.fields.size()),
               type.is_device  ? "device"
               : type.is_solid ? "solid"
                               : ""});
  }
  std::string text = table.text("") + "\nOld spellings\n";
  for (const wbt::OldName& old : wbt::renamed_nodes()) {
    text += fmt::format("  {} is read as {}\n", old.name, old.what);
  }
  text += "\nDropped by Webots, and left out here\n";
  for (const wbt::OldName& old : wbt::removed_nodes()) {
    text += fmt::format("  {} in {}\n", old.name, old.what);
  }
  return text + "\n`servosim fields NODE` shows the fields of one.\n";
}

std::string node_text(const wbt::NodeType& type) {
  std::string text(type.name);
  text += type.base.empty() ? "" : fmt::format(", based on {}", type.base);
  text += fmt::format("; versions: {}", versions_text(type.since, type.until));
  text += type.is_device ? "; a device" : "";
  text += '\n';
  if (const auto old = old_names_of(type); !old.empty()) {
    text += fmt::format("Old spellings: {}\n", list_text(old));
  }
  TextTable table({{"field"}, {"type"}, {"default"}, {"unit"}, {"range"}, {"versions"}});
  for (const FieldGroup& group : field_groups(type)) {
    if (group.origin != type.name) {
      table.add_line("", fmt::format("\ninherited from {}", group.origin));
    }
    for (const wbt::FieldType* field : group.fields) {
      table.add({std::string(field->name), std::string(to_string(field->type)),
                 std::string(field->default_text), std::string(field->unit),
                 std::string(field->range), versions_text(field->since, field->until)});
      table.add_line(
          "    ", std::string(field->doc) +
                      (field->extension ? " servosim's own: docs/reference/extensions.md." : ""));
    }
  }
  return text + '\n' + (table.empty() ? "No fields\n" : table.text(""));
}

Json version_or_null(const wbt::Version& version, const wbt::Version& open) {
  return version == open ? Json() : Json(to_string(version));
}

Json field_json(const wbt::FieldType& field, std::string_view origin) {
  return {{"name", field.name},
          {"type", to_string(field.type)},
          {"default", field.default_text},
          {"unit", field.unit.empty() ? Json() : Json(field.unit)},
          {"range", field.range.empty() ? Json() : Json(field.range)},
          {"since", version_or_null(field.since, {})},
          {"until", version_or_null(field.until, wbt::kNewestVersion)},
          {"from", origin},
          {"extension", field.extension},
          {"text", field.doc}};
}

Json node_json(const wbt::NodeType& type) {
  Json json{{"name", type.name},
            {"base", type.base.empty() ? Json() : Json(type.base)},
            {"since", version_or_null(type.since, {})},
            {"until", version_or_null(type.until, wbt::kNewestVersion)},
            {"device", type.is_device},
            {"solid", type.is_solid},
            {"old_names", old_names_of(type)},
            {"fields", Json::array()}};
  for (std::size_t f = 0; f < type.fields.size(); ++f) {
    json["fields"].push_back(field_json(*type.fields[f], type.origins[f]));
  }
  return json;
}

// `only` is one node type, or null for all.
Json table_json(const wbt::NodeType* only) {
  Json json{{"schema", "servosim-fields-1"}, {"nodes", Json::array()}, {"dropped", Json::array()}};
  for (const wbt::NodeType& type : wbt::all_node_types()) {
    if (only == nullptr || only == &type) {
      json["nodes"].push_back(node_json(type));
    }
  }
  for (const wbt::OldName& old : wbt::removed_nodes()) {
    json["dropped"].push_back({{"name", old.name}, {"in", old.what}});
  }
  return json;
}

// Returns the node types that are based on a name without fields of its own.
std::vector<std::string_view> based_on(std::string_view name) {
  std::vector<std::string_view> names;
  for (const wbt::NodeType& type : wbt::all_node_types()) {
    if (type.base == name) {
      names.push_back(type.name);
    }
  }
  return names;
}

// Returns the explanation of a name that is not in the table; empty for an unknown name.
std::string explanation(const std::string& name) {
  std::string text;
  if (const auto types = based_on(name); !types.empty()) {
    text = fmt::format("{} is what {} have in common; see those", name, list_text(types));
  }
  if (const auto since = wbt::removed_node_since(name); !since.empty()) {
    text += fmt::format(
        "{}Webots dropped the node type {} in {}; here it is left out of a world, with a warning",
        text.empty() ? "" : ". ", name, since);
  }
  return text;
}

constexpr std::string_view kIntroduction = R"(# Fields

Generated from the field table (`src/wbt/schema/node_types_*.cpp`) by `servosim fields --markdown`; a test fails when this
page is stale. Worlds are read with the same table: a field that a file leaves out has the default below.

* **unit** is SI; a dash for a number without dimension, empty for what is no number. "rad or m" is rad for what turns
  and m for what slides.
* **range** is what is accepted; empty for any value. What is outside is reported and replaced where it matters for the
  simulation.
* **versions** are those of Webots whose files have the field with this type and default: the first line of a file
  says which it is. A field may have several rows. Fields of other versions are read, too, with a warning.
* A node has the fields of its base as well; they are named below its table.
)";

// An unescaped bar would end the cell, even inside backquotes.
std::string cell(std::string_view text) {
  std::string result;
  for (const char c : text) {
    result += c == '|' ? "\\|" : std::string(1, c);
  }
  return result;
}

std::string code(std::string_view text) {
  return text.empty() ? std::string() : '`' + cell(text) + '`';
}

std::string link(std::string_view node) {
  std::string anchor(node);
  for (char& c : anchor) {
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return fmt::format("[{}](#{})", node, anchor);
}

bool has_section(std::string_view name) {
  const wbt::NodeType* type = wbt::find_node_type(name);
  return type != nullptr && type->name == name;
}

void add_rows(const FieldGroup& group, std::string& text) {
  for (const wbt::FieldType* f : group.fields) {
    fmt::format_to(std::back_inserter(text), "| {} | {} | {} | {} | {} | {} | {}{} |\n",
                   code(f->name), to_string(f->type), code(f->default_text), cell(f->unit),
                   code(f->range), versions_text(f->since, f->until), cell(f->doc),
                   f->extension ? " servosim's own: [extensions](extensions.md)." : "");
  }
}

std::string inherited(const FieldGroup& group) {
  std::string text = "* from " + link(group.origin) + ':';
  std::string_view last;
  for (const wbt::FieldType* f : group.fields) {
    if (f->name != last) {
      text += fmt::format("{} `{}`", last.empty() ? "" : ",", f->name);
      last = f->name;
    }
  }
  return text + '\n';
}

void add_section(const wbt::NodeType& type, std::string& text) {
  fmt::format_to(std::back_inserter(text), "\n## {}\n\n", type.name);
  if (!type.base.empty()) {
    fmt::format_to(std::back_inserter(text), "Based on {}. ",
                   has_section(type.base) ? link(type.base) : std::string(type.base));
  }
  fmt::format_to(std::back_inserter(text), "Versions: {}.", versions_text(type.since, type.until));
  if (const auto old = old_names_of(type); !old.empty()) {
    fmt::format_to(std::back_inserter(text), " Old spellings: {}.", fmt::join(old, ", "));
  }
  std::string rows;
  std::string others;
  for (const FieldGroup& group : field_groups(type)) {
    if (group.origin != type.name && has_section(group.origin)) {
      others += inherited(group);
    } else {
      add_rows(group, rows);
    }
  }
  text += "\n\n";
  if (!rows.empty()) {
    text +=
        "| field | type | default | unit | range | versions | meaning "
        "|\n|---|---|---|---|---|---|---|\n";
  }
  text += rows;
  if (!others.empty()) {
    text += (rows.empty() ? "Inherited:\n\n" : "\nInherited:\n\n") + others;
  } else if (rows.empty()) {
    text += "No fields.\n";
  }
}

// Returns the page docs/reference/fields.md.
std::string fields_markdown() {
  std::string text(kIntroduction);
  text += "\n| node | based on | versions | fields |\n|---|---|---|---|\n";
  for (const wbt::NodeType& type : wbt::all_node_types()) {
    fmt::format_to(std::back_inserter(text), "| {} | {} | {} | {} |\n", link(type.name), type.base,
                   versions_text(type.since, type.until), type.fields.size());
  }
  text += "\nOld spellings are read as the node that took their place:\n\n";
  for (const wbt::OldName& old : wbt::renamed_nodes()) {
    fmt::format_to(std::back_inserter(text), "* `{}` as {}\n", old.name, link(old.what));
  }
  text += "\nNodes that Webots dropped are left out of a world, with a warning:\n\n";
  for (const wbt::OldName& old : wbt::removed_nodes()) {
    fmt::format_to(std::back_inserter(text), "* `{}`, dropped in {}\n", old.name, old.what);
  }
  for (const wbt::NodeType& type : wbt::all_node_types()) {
    add_section(type, text);
  }
  return text;
}

int show(const FieldsArguments& arguments) {
  Console console;
  const wbt::NodeType* type =
      arguments.node.empty() ? nullptr : wbt::find_node_type(arguments.node);
  const std::string about = type == nullptr ? explanation(arguments.node) : std::string();
  if (!arguments.node.empty() && type == nullptr && (about.empty() || arguments.json)) {
    const std::string hint =
        about.empty() ? wbt::did_you_mean_node(arguments.node) : ": " + about + ';';
    console.log(LogLevel::Error,
                fmt::format("there is no node type '{}'{}{} `servosim fields` lists all of them",
                            printable(arguments.node), hint, hint.empty() ? ";" : ""));
    return kExitBadInput;
  }
  const bool old = type != nullptr && type->name != arguments.node;
  const std::string text =
      arguments.markdown       ? fields_markdown()
      : arguments.json         ? json_text(table_json(type))
      : arguments.node.empty() ? overview()
      : type == nullptr        ? about + '\n'
                        : (old ? fmt::format("{} is an old spelling of ", arguments.node) : "") +
                              node_text(*type);
  console.write(STDOUT_FILENO, text);
  return console.output_lost() ? kExitFailed : kExitOk;
}

}  // namespace

void add_fields(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("fields", "Show the fields of nodes: types, defaults, units, ranges");
  const auto arguments = std::make_shared<FieldsArguments>();
  command->callback([&action, arguments] { action = [arguments] { return show(*arguments); }; });
  command->footer(kFieldsHelp);
  CLI::Option* node = command->add_option("NODE", arguments->node, "Node type, e.g. HingeJoint");
  CLI::Option* json =
      command->add_flag("--json", arguments->json, "One JSON document instead of tables");
  command->add_flag("--markdown", arguments->markdown, "The whole table in Markdown; alone")
      ->excludes(node)
      ->excludes(json);
}

}  // namespace servosim
