// SPDX-License-Identifier: Apache-2.0
#include "scene/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "wbt/tree.h"
#include "wbt/values.h"

namespace servosim {

namespace {

std::string text_of(const wbt::Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) {
    return '"' + *text + '"';
  }
  if (const auto* integer = std::get_if<std::int32_t>(&value)) {
    return fmt::format("{}", *integer);
  }
  return fmt::format("{}", std::get<double>(value));
}

}  // namespace

void Checked::substituted(std::string_view field, std::string_view value, wbt::Value substitute,
                          std::string_view rule) const {
  replaced(field, value, text_of(substitute), rule);
  note(field, std::move(substitute));
}

void Checked::note(std::string_view field, wbt::Value substitute) const {
  const wbt::FieldType* row = node_.type->field(field);
  if (!keeps_ && row != nullptr && node_.id != 0) {
    SubstituteNotes::add({node_.id, row->name, std::move(substitute)});
  }
}

namespace {

using wbt::FieldType;
using wbt::Node;
using wbt::Value;

const FieldType* row_of(const Node& node, std::string_view field) {
  const wbt::Field* written = node.find(field);
  return written != nullptr ? written->type : node.type->field(field, node.version);
}

bool is_parameters(const Node& node) { return node.type->field("springConstant") != nullptr; }

double checked_number(const Node& node, std::string_view field, double value) {
  if (field == "staticFriction" && is_parameters(node)) {
    return std::abs(value);
  }
  if (node.type->name != "PositionSensor") {
    return value;
  }
  return field == "noise"                        ? std::max(value, 0.0)
         : field == "resolution" && value <= 0.0 ? -1.0
                                                 : value;
}

Vec3 checked_vector(const Node& node, std::string_view field, const Vec3& value) {
  if (field == "suspensionAxis" && value == Vec3{}) {
    return {1.0, 0.0, 0.0};
  }
  const auto bad = [](double x) { return x < 0.0 && x != -1.0; };
  const bool rolls = node.type->name == "ContactProperties" && field == "rollingFriction";
  return rolls && (bad(value.x) || bad(value.y) || bad(value.z)) ? Vec3{} : value;
}

}  // namespace

thread_local std::vector<Substitute>* SubstituteNotes::list_ = nullptr;

void SubstituteNotes::add(Substitute substitute) {
  if (list_ != nullptr) {
    list_->push_back(std::move(substitute));
  }
}

std::shared_ptr<const wbt::WorldFile> with_substitutes(std::shared_ptr<const wbt::WorldFile> file,
                                                       const std::vector<Substitute>& substitutes) {
  if (substitutes.empty()) {
    return file;
  }
  wbt::Tree tree(std::move(file));
  wbt::Edits edits;
  for (const Substitute& s : substitutes) {
    const wbt::TreeEntry* entry = tree.find(s.node);
    const FieldType* row = entry != nullptr ? row_of(*entry->node, s.field) : nullptr;
    if (row != nullptr) {
      edits.change(s.node,
                   [row, value = s.value](Node& node) { wbt::set_value(node, *row, value); });
      for (const wbt::ParameterPlace& p : wbt::parameters_of(tree, s.node, *row)) {
        if (wbt::initial_value(p.type).index() == s.value.index()) {
          edits.change(p.node, [p, value = s.value](Node& node) {
            wbt::set_parameter(node, p.number, value, p.level);
          });
        }
      }
    }
  }
  tree.apply(edits);
  return tree.file();
}

Value checked_on_edit(const Node& node, const FieldType& field, Value value, std::string& said) {
  if (const auto* number = std::get_if<double>(&value)) {
    const double used = checked_number(node, field.name, *number);
    if (used != *number) {
      said = fmt::format("{} cannot be {}; {} is used", field.name, *number, used);
    }
    return used;
  }
  if (const auto* vector = std::get_if<Vec3>(&value)) {
    const Vec3 used = checked_vector(node, field.name, *vector);
    if (used != *vector) {
      said = fmt::format("{} cannot be {} {} {}; {} {} {} is used", field.name, vector->x,
                         vector->y, vector->z, used.x, used.y, used.z);
    }
    return used;
  }
  return value;
}

}  // namespace servosim
