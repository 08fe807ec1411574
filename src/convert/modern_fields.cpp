// SPDX-License-Identifier: Apache-2.0
#include "convert/modern_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>

#include "convert/modern_values.h"
#include "convert/rewrite.h"
#include "wbt/values.h"

namespace servosim {
namespace {

// A default that is spelt in another way now and means the same.
struct Respelling {
  std::string_view type;
  std::string_view field;
  std::string_view now;  ///< empty: what is the default now
};

constexpr std::array<Respelling, 10> kRespelt{{
    {"Robot", "controller", "<none>"},
    {"Robot", "window", ""},
    {"Robot", "remoteControl", ""},
    {"WorldInfo", "physics", ""},
    {"WorldInfo", "window", ""},
    {"ContactProperties", "bumpSound", ""},
    {"ContactProperties", "rollSound", ""},
    {"ContactProperties", "slideSound", ""},
    {"RotationalMotor", "sound", ""},
    {"LinearMotor", "sound", ""},
}};

// Which way is down and which is north is the business of use_modern_axes().
bool is_about_axes(const wbt::NodeType& type, std::string_view field) {
  return type.name == "WorldInfo" && (field == "gravity" || field == "northDirection");
}

// Webots reads it still, and does nothing with it.
bool is_dead(const wbt::NodeType& type, std::string_view field) {
  return type.name == "WorldInfo" && field == "fast2d";
}

wbt::Value as_type_of(const wbt::FieldType& row, const wbt::Field& field) {
  if (const auto* flag = std::get_if<bool>(&field.value);
      flag != nullptr && row.type == wbt::ValueType::SFInt32) {
    return std::int32_t{*flag ? 1 : 0};
  }
  return wbt::converted(field.value, field.type->type, row.type).value_or(field.value);
}

class ModernFields {
 public:
  explicit ModernFields(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  wbt::NodePtr change(wbt::Node node) {
    use_modern_values(node);
    write_defaults(node);
    for (const Respelling& respelling : kRespelt) {
      if (respelling.type == node.type->name) {
        respell(node, respelling);
      }
    }
    std::erase_if(node.fields, [&](const wbt::Field& field) { return left_out(node, field); });
    for (wbt::Field& field : node.fields) {
      if (const wbt::FieldType* row = node.type->field(field.type->name);
          row != field.type && !is_about_axes(*node.type, row->name)) {
        field.value = as_type_of(*row, field);
        field.type = row;
      }
    }
    return std::make_shared<const wbt::Node>(std::move(node));
  }

 private:
  static void write_defaults(wbt::Node& node) {
    for (const wbt::FieldType* old : node.type->fields) {
      const wbt::FieldType* row = node.type->field(old->name);
      if (old == row || old != node.type->field(old->name, node.version) || node.has(old->name) ||
          is_about_axes(*node.type, old->name)) {
        continue;
      }
      const wbt::Field left_out{old, node.where, wbt::default_value(*old)};
      if (wbt::Value value = as_type_of(*row, left_out);
          !means_the_same(value, wbt::default_value(*row))) {
        node.fields.push_back({row, node.where, std::move(value)});
      }
    }
  }

  static void respell(wbt::Node& node, const Respelling& respelling) {
    const wbt::FieldType* old = node.type->field(respelling.field, node.version);
    const wbt::Field* field = node.find(respelling.field);
    if (field == nullptr || old == node.type->field(respelling.field) ||
        field->value != wbt::default_value(*old)) {
      return;
    }
    remove_field(node, respelling.field);
    if (!respelling.now.empty()) {
      set_field(node, respelling.field, std::string(respelling.now));
    }
  }

  // Says so once for each field of a type, unless the field said nothing.
  bool left_out(const wbt::Node& node, const wbt::Field& field) {
    const wbt::FieldType& row = *node.type->field(field.type->name);
    if (!row.gone_in(wbt::kNewestVersion) && !is_dead(*node.type, row.name)) {
      return false;
    }
    const bool means_nothing = means_the_same(field.value, wbt::default_value(*field.type));
    if (!means_nothing && said_.insert({node.type->name, row.name}).second) {
      diagnostics_.warning(
          field.where, fmt::format("Webots has no field '{}' of {} any more; it is left out. It "
                                   "was: {}",
                                   row.name, node.type->name, row.doc));
    }
    return true;
  }

  Diagnostics& diagnostics_;
  std::set<std::pair<std::string_view, std::string_view>> said_;
};

}  // namespace

void use_modern_fields(wbt::WorldFile& world, Diagnostics& diagnostics) {
  ModernFields fields(diagnostics);
  Rewriter rewriter([&](wbt::Node node) { return fields.change(std::move(node)); });
  world.nodes = rewriter.rewrite(world.nodes);
}

}  // namespace servosim
