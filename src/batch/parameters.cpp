// SPDX-License-Identifier: Apache-2.0
#include "batch/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <variant>

#include "base/scoped.h"
#include "base/text.h"
#include "batch/draw.h"
#include "batch/parts.h"
#include "sim/report.h"
#include "sim/simulation_core.h"
#include "wbt/values.h"

namespace servosim {

namespace {

using wbt::Node;
using wbt::NodePtr;
using wbt::Value;

// One name of a path such as `contactProperties[0].coulombFriction`, and the rest of it.
struct PathStep {
  std::string_view name;
  int item = -1;  // -1: all
  std::string_view rest;
};

PathStep first_step(std::string_view path) {
  const std::size_t dot = std::min(path.find('.'), path.size());
  PathStep step{path.substr(0, dot), -1, path.substr(std::min(dot + 1, path.size()))};
  if (step.name.ends_with(']')) {
    const std::size_t open = step.name.find('[');
    const std::string digits(step.name.substr(std::min(open + 1, step.name.size())));
    if (open != std::string_view::npos && digits.size() > 1 && digits.size() < 9 &&
        digits.find_first_not_of("0123456789") == digits.size() - 1) {
      step.item = std::stoi(digits);
      step.name = step.name.substr(0, open);
    }
  }
  return step;
}

// The number of `.x`, `.y` or `.z`, or of `.angle`; -1 for another text.
int part_number(std::string_view name) {
  constexpr std::array<std::string_view, 4> kParts{"x", "y", "z", "angle"};
  const auto found = std::find(kParts.begin(), kParts.end(), name);
  return found != kParts.end() ? static_cast<int>(found - kParts.begin()) : -1;
}

// Which part of a value a step and what follows it stand for; nothing if that is no number.
std::optional<int> part_in(const Value& value, const PathStep& step) {
  const bool whole = step.rest.empty();
  if (std::holds_alternative<double>(value) || std::holds_alternative<std::int32_t>(value) ||
      std::holds_alternative<bool>(value)) {
    return whole && step.item < 0 ? std::optional(-1) : std::nullopt;
  }
  if (const auto* list = std::get_if<std::vector<double>>(&value)) {
    return whole && !list->empty() && step.item < static_cast<int>(list->size())
               ? std::optional(step.item)
               : std::nullopt;
  }
  const int part = part_number(step.rest);
  const bool fits = (std::holds_alternative<Vec3>(value) && part < 3) ||
                    (std::holds_alternative<AxisAngle>(value) && part == 3);
  return fits && part >= 0 && step.item < 0 ? std::optional(part) : std::nullopt;
}

// Of the one warning about numbers that are simulated as they are: check_soft_limits().
constexpr std::string_view kBeyondStops = "reach beyond the hard stops";

// Numbers that all instances share, or that have options of their own.
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

void put_number(Value& value, int part, double number) {
  if (auto* one = std::get_if<double>(&value)) {
    *one = number;
  } else if (auto* integer = std::get_if<std::int32_t>(&value)) {
    *integer =
        static_cast<std::int32_t>(std::clamp(std::round(number), -2147483648.0, 2147483647.0));
  } else if (auto* flag = std::get_if<bool>(&value)) {
    *flag = number != 0.0;
  } else if (auto* list = std::get_if<std::vector<double>>(&value)) {
    part < 0 ? std::fill(list->begin(), list->end(), number)
             : static_cast<void>((*list)[static_cast<std::size_t>(part)] = number);
  } else if (auto* vector = std::get_if<Vec3>(&value)) {
    (part == 0 ? vector->x : part == 1 ? vector->y : vector->z) = number;
  } else if (auto* turn = std::get_if<AxisAngle>(&value)) {
    turn->angle = number;
  }
}

std::string missing_field(const Node& node, std::string_view name) {
  std::set<std::string> names;
  for (const wbt::FieldType* field : node.type->fields) {
    names.emplace(field->name);
  }
  return fmt::format("; {} has no field \"{}\"{}", node.type->name, name,
                     nearest_names(name, {names.begin(), names.end()}));
}

}  // namespace

Parameters::Parameters(const Simulation& world)
    : core_(core_of(world)), tree_(core_.world_file()) {}

// The nodes that `prefix` names, each before those that lend it their fields. Those of one thing
// end with a 0.
std::vector<std::uint32_t> Parameters::start_nodes(const std::string& prefix) const {
  const Scene& scene = core_.scene();
  std::vector<std::uint32_t> nodes;
  const auto add_thing = [&](std::uint32_t id) {
    const wbt::TreeEntry* const entry = tree_.find(id);
    if (entry == nullptr) {
      return;
    }
    nodes.push_back(id);
    for (const std::string_view name : {"physics", "jointParameters", "device"}) {
      const Node& node = *entry->node;
      if (node.type->field(name, node.version) != nullptr) {
        wbt::for_each_node(node.value(name),
                           [&nodes](const NodePtr& child) { nodes.push_back(child->id); });
      }
    }
    nodes.push_back(0);
  };
  if (const std::uint32_t id = tree_.find_def(prefix); id != 0) {
    add_thing(id);
  }
  for (const NodePtr& node : tree_.file()->nodes) {
    if (node->type->name == prefix) {
      add_thing(node->id);
    }
  }
  for (int j = 0; j < static_cast<int>(scene.joints.size()); ++j) {
    if (name_matches(scene.joints[j].name, prefix)) {
      for (const Device* device : core_.lists.devices) {
        if (device->spec->joint == j) {
          nodes.push_back(device->spec->node);
        }
      }
      for (const std::uint32_t node : {scene.joints[j].parameters, scene.joints[j].node}) {
        if (node != 0) {  // the joint has none
          nodes.push_back(node);
        }
      }
      nodes.push_back(0);
    }
  }
  const std::vector<std::string> solids = body_names(scene);
  for (std::size_t s = 0; s < solids.size(); ++s) {
    if (name_matches(solids[s], prefix)) {
      add_thing(scene.solids[s].node);
    }
  }
  return nodes;
}

std::vector<Parameters::Number> Parameters::numbers_of(std::uint32_t id, std::string_view path,
                                                       std::string& problem) const {
  const wbt::TreeEntry* entry = tree_.find(id);
  if (entry == nullptr) {
    return {};
  }
  const Node& node = *entry->node;
  const PathStep step = first_step(path);
  std::vector<Number> numbers;
  const auto add = [&](const Node& of, const wbt::FieldType& field) {
    if (const std::optional<int> part = part_in(of.value(field.name), step)) {
      refuse_common(of, field);
      numbers.push_back({of.id, &field, *part});
    } else if (problem.empty()) {
      problem = fmt::format("; \"{}\" of {} is {}, no number", path, of.type->name,
                            wbt::to_string(field.type));
    }
  };
  if (const auto key = wbt::find_field(node, 1, step.name)) {
    const wbt::Targets targets = wbt::targets_of(node, *key);
    if (targets.needs_new_instance) {
      throw std::invalid_argument(fmt::format(
          "a template of PROTO {} uses \"{}\": its instances cannot have other values of it",
          node.proto_name, step.name));
    }
    for (const wbt::Connection& target : targets.fields) {
      if (const wbt::TreeEntry* of = tree_.find(target.node)) {
        add(*of->node, *target.field);
      }
    }
    return numbers;
  }
  const wbt::FieldType* field = node.type->field(step.name, node.version);
  if (field == nullptr) {
    problem = problem.empty() ? missing_field(node, step.name) : problem;
  } else if (!wbt::holds_nodes(field->type)) {
    add(node, *field);
  } else {
    int item = 0;
    wbt::for_each_node(node.value(field->name), [&](const NodePtr& child) {
      if (step.item < 0 || step.item == item++) {
        const std::vector<Number> more = numbers_of(child->id, step.rest, problem);
        numbers.insert(numbers.end(), more.begin(), more.end());
      }
    });
    if (numbers.empty() && problem.empty()) {
      problem = fmt::format("; \"{}\" of {} has no such node", path, node.type->name);
    }
  }
  return numbers;
}

// A name may have dots itself: the longest one that leads to a number counts.
std::vector<std::size_t> Parameters::find(const std::string& name) {
  std::string problem;
  for (std::size_t dot = name.rfind('.'); dot != std::string::npos && dot > 0;
       dot = name.rfind('.', dot - 1)) {
    std::vector<std::size_t> found;
    bool thing_has_it = false;
    for (const std::uint32_t node : start_nodes(name.substr(0, dot))) {
      if (node == 0) {
        thing_has_it = false;
      } else if (!thing_has_it) {
        for (const Number& number : numbers_of(node, name.substr(dot + 1), problem)) {
          found.push_back(index_of(number));
          thing_has_it = true;
        }
      }
    }
    if (!found.empty()) {
      std::sort(found.begin(), found.end());  // DEF and name may be equal
      found.erase(std::unique(found.begin(), found.end()), found.end());
      return found;
    }
  }
  if (problem.empty()) {
    problem = nearest_names(name.substr(0, name.find('.')), known_names());
  }
  throw std::invalid_argument(
      fmt::format("no number of the world is called \"{}\"{}", name, problem));
}

std::vector<std::string> Parameters::known_names() const {
  const std::vector<std::string> solids = body_names(core_.scene());
  std::set<std::string> names(solids.begin(), solids.end());
  for (const JointSpec& joint : core_.scene().joints) {
    names.insert(joint.name);
  }
  return {names.begin(), names.end()};
}

std::size_t Parameters::index_of(const Number& number) {
  const auto found = std::find(numbers_.begin(), numbers_.end(), number);
  if (found != numbers_.end()) {
    return static_cast<std::size_t>(found - numbers_.begin());
  }
  numbers_.push_back(number);
  return numbers_.size() - 1;
}

std::uint64_t Parameters::key(std::size_t index) const {
  const Number& number = numbers_[index];
  return Draw::name(fmt::format("{}.{}.{}", number.node, number.field->name, number.part));
}

std::shared_ptr<const wbt::WorldFile> Parameters::tree_with(std::span<const double> values) const {
  wbt::Edits edits;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isnan(values[i])) {
      edits.change(numbers_[i].node, [number = numbers_[i], to = values[i]](Node& node) {
        Value value = node.value(number.field->name);
        put_number(value, number.part, to);
        wbt::set_value(node, *number.field, std::move(value));
      });
    }
  }
  return edits.empty()
             ? tree_.file()
             : std::make_shared<const wbt::WorldFile>(wbt::rewritten(*tree_.file(), edits));
}

void Parameters::check(const std::string& name, std::span<const double> values) const {
  const std::shared_ptr<const wbt::WorldFile> file = tree_with(values);
  Diagnostics diagnostics;
  SourceMap sources = *core_.source_map;
  const ScopedSwap swapped(sources, diagnostics.sources());
  try {
    const bool as_given = core_.check_tree(file, diagnostics).file == file;
    check_result(as_given, diagnostics.list());
  } catch (const LoadError& error) {
    throw std::invalid_argument(fmt::format("\"{}\": {}", name, error.what()));
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(fmt::format("\"{}\": {}", name, error.what()));
  }
}

// A warning that the world does not have as it was loaded says that something else is simulated.
void Parameters::check_result(bool as_given, const std::vector<Diagnostic>& found) const {
  for (const Diagnostic& d : found) {
    const auto is_same = [&d](const Diagnostic& known) { return known.message == d.message; };
    const bool replaces =
        d.severity != Severity::Info && d.message.find(kBeyondStops) == std::string::npos;
    refuse_if(replaces && std::none_of(core_.diagnostics_list.begin(), core_.diagnostics_list.end(),
                                       is_same),
              d.message);
  }
  refuse_if(!as_given, "a value was replaced by another one");
}

}  // namespace servosim
