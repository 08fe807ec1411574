// SPDX-License-Identifier: Apache-2.0
#include "batch/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <variant>

#include "batch/draw.h"
#include "batch/parts.h"
#include "physics/mass.h"
#include "sim/checked_tree.h"
#include "sim/field_settings.h"
#include "sim/world_inspector.h"
#include "wbt/values.h"

namespace servosim {

namespace {

using wbt::Node;
using wbt::Value;

// Refuses numbers that all instances share, or that have options of their own.
void refuse_common(const Node& node, const wbt::FieldType& field) {
  const bool is_step = field.name == std::string_view("basicTimeStep");
  if (node.type->name == std::string_view("WorldInfo") &&
      (is_step || field.name == std::string_view("randomSeed"))) {
    throw std::invalid_argument(
        is_step ? "basicTimeStep is that of all instances: change it in the world, or choose "
                  "control_step_ms of the batch"
                : "randomSeed is no parameter of an instance: give seeds to reset(), or choose "
                  "random_seed when the world is loaded");
  }
}

bool holds_number(const Value& value) {
  const auto* list = std::get_if<std::vector<double>>(&value);
  return std::holds_alternative<double>(value) || std::holds_alternative<std::int32_t>(value) ||
         std::holds_alternative<bool>(value) || (list != nullptr && !list->empty());
}

// Returns a value of the same type as `now`; all elements of a list become `number`.
Value number_like(const Value& now, double number) {
  if (std::holds_alternative<std::int32_t>(now)) {
    return static_cast<std::int32_t>(std::clamp(std::round(number), -2147483648.0, 2147483647.0));
  }
  if (std::holds_alternative<bool>(now)) {
    return number != 0.0;
  }
  if (const auto* list = std::get_if<std::vector<double>>(&now)) {
    return std::vector<double>(list->size(), number);
  }
  return number;
}

const wbt::FieldType& row_of(const Node& node, const wbt::FieldPlace& place) {
  return *node.type->fields[place.key.number];
}

}  // namespace

Parameters::Parameters(const Simulation& world)
    : world_(world),
      tree_(WorldInspector(world).world_file()),
      names_(named_nodes(WorldInspector(world).scene())) {}

std::vector<std::size_t> Parameters::find(const std::string& name) {
  std::vector<std::size_t> found;
  try {
    for (const wbt::FieldPlace& place : wbt::find_field_places(tree_, names_, name)) {
      const Node& node = *tree_.find(place.node)->node;
      const wbt::Targets targets = wbt::targets_of(node, place.key);
      if (targets.needs_new_instance) {
        throw wbt::FieldPathError(
            0, fmt::format("a template of PROTO {} uses it: its instances cannot have other values",
                           node.proto.name));
      }
      for (const wbt::Connection& target : targets.fields) {
        if (const wbt::TreeEntry* of = tree_.find(target.node)) {
          if (!holds_number(wbt::value_at(of->node->value(target.field->name), place))) {
            throw wbt::FieldPathError(0, fmt::format("it is of type {}, no number",
                                                     wbt::to_string(wbt::type_at(tree_, place))));
          }
          refuse_common(*of->node, *target.field);
          const auto key = wbt::find_field(*of->node, 0, target.field->name);
          found.push_back(index_of({target.node, *key, place.item, place.part}));
        }
      }
    }
  } catch (const wbt::FieldPathError& error) {
    throw std::invalid_argument(
        fmt::format("no number of the world is called \"{}\": {}", name, error.what()));
  }
  std::sort(found.begin(), found.end());  // several names may mean one number
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

std::size_t Parameters::index_of(const wbt::FieldPlace& number) {
  const auto found = std::find(numbers_.begin(), numbers_.end(), number);
  if (found != numbers_.end()) {
    return static_cast<std::size_t>(found - numbers_.begin());
  }
  numbers_.push_back(number);
  return numbers_.size() - 1;
}

std::uint64_t Parameters::key(std::size_t index) const {
  const wbt::FieldPlace& number = numbers_[index];
  const int part = number.part >= 0 ? number.part
                   : number.item    ? static_cast<int>(*number.item)
                                    : -1;
  return Draw::name(fmt::format("{}.{}.{}", number.node,
                                row_of(*tree_.find(number.node)->node, number).name, part));
}

std::shared_ptr<const wbt::WorldFile> Parameters::tree_with(std::span<const double> values) const {
  wbt::Edits edits;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isnan(values[i])) {
      edits.change(numbers_[i].node, [number = numbers_[i], to = values[i]](Node& node) {
        const wbt::FieldType& row = row_of(node, number);
        Value whole = node.value(row.name);
        Value one = number_like(wbt::value_at(whole, number), to);
        wbt::set_value(node, row, wbt::whole_with(std::move(whole), number, std::move(one)));
      });
    }
  }
  return edits.empty()
             ? tree_.file()
             : std::make_shared<const wbt::WorldFile>(wbt::rewritten(*tree_.file(), edits));
}

void Parameters::check(const std::string& name, std::span<const double> values) const {
  const std::shared_ptr<const wbt::WorldFile> file = tree_with(values);
  const WorldInspector inspector(world_);
  Diagnostics diagnostics;
  diagnostics.sources() = inspector.sources();
  try {
    const CheckedTree checked = inspector.check_tree(file, diagnostics);
    static_cast<void>(weigh_bodies(*checked.scene, diagnostics));  // may replace masses
    check_result(checked.file == file, diagnostics.list());
  } catch (const LoadError& error) {
    throw std::invalid_argument(fmt::format("\"{}\": {}", name, error.what()));
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(fmt::format("\"{}\": {}", name, error.what()));
  }
}

// A warning that the loaded world does not have means that another value is simulated.
void Parameters::check_result(bool as_given, const std::vector<Diagnostic>& found) const {
  for (const Diagnostic& d : replacements(found, world_.diagnostics())) {
    throw std::invalid_argument(d.message);
  }
  refuse_if(!as_given, "a value was replaced by another one");
}

}  // namespace servosim
