// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <iterator>

#include "cli/fields.h"
#include "wbt/values.h"

namespace servosim {
namespace {

constexpr std::string_view kIntroduction = R"(# Fields

Generated from the field table (`src/wbt/node_types_*.cpp`) by `servosim fields --markdown`; a test fails when this
page is stale. Worlds are read with the same table: a field that a file leaves out has the default below.

* **unit** is SI; a dash for a number without dimension, empty for what is no number. "rad or m" is rad for what turns
  and m for what slides.
* **range** is what is accepted; empty for any value. What is outside is reported and replaced where it matters for the
  simulation.
* **versions** are those of Webots whose files have the field with this type and default: the first line of a file
  says which it is. A field may have several rows. Fields of other versions are read, too, with a warning.
* A node has the fields of its base as well; they are named below its table.
)";

// A bar would end the cell, also inside backquotes.
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

}  // namespace

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

}  // namespace servosim
