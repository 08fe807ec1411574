// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>

#include "wbt/convert/convert.h"
#include "wbt/values.h"

namespace servosim {
namespace {

// A default value that has another spelling now and means the same.
struct Respelling {
  std::string_view type;
  std::string_view field;
  std::string_view now;  ///< empty means the present default value
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

// use_modern_gravity() handles the directions of down and north.
bool is_about_axes(const wbt::NodeType& type, std::string_view field) {
  return type.name == "WorldInfo" && (field == "gravity" || field == "northDirection");
}

// Webots still reads this field, but ignores it.
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
          !is_equivalent(value, wbt::default_value(*row))) {
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

  // Warns once for each field of a type, unless its value had no effect.
  bool left_out(const wbt::Node& node, const wbt::Field& field) {
    const wbt::FieldType& row = *node.type->field(field.type->name);
    if (!row.removed_by(wbt::kNewestVersion) && !is_dead(*node.type, row.name)) {
      return false;
    }
    const bool means_nothing = is_equivalent(field.value, wbt::default_value(*field.type));
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

namespace {

struct Renaming {
  std::string_view from;
  std::string_view to;
};

// These renamings apply to every node that has both fields.
constexpr std::array<Renaming, 10> kRenamed{{
    {"data", "customData"},
    {"robotWindow", "window"},
    {"softErp", "softERP"},
    {"softCfm", "softCFM"},
    {"lensDistortion", "lens"},
    {"gaussianNoise", "noise"},
    {"colorNoise", "noise"},
    {"muscle", "muscles"},
    {"motor", "device"},
    {"colors", "color"},
}};

bool is_null_node(const wbt::Value& value) {
  const auto* node = std::get_if<wbt::NodePtr>(&value);
  return node != nullptr && *node == nullptr;
}

void rename_fields(wbt::Node& node) {
  for (const Renaming& renaming : kRenamed) {
    const wbt::Field* old = node.find(renaming.from);
    const wbt::FieldType* row = node.type->field(renaming.to);
    if (old == nullptr || row == nullptr) {
      continue;
    }
    const auto value = wbt::converted(old->value, old->type->type, row->type);
    if (value && !is_null_node(old->value) && !node.has(renaming.to)) {
      node.fields.push_back({row, old->where, *value});
    }
    remove_field(node, renaming.from);
  }
}

void take_gain(wbt::Node& motor) {
  if (motor.has("controlP")) {
    set_field(motor, "controlPID", Vec3{motor.number("controlP"), 0.0, 0.0});
    remove_field(motor, "controlP");
  }
}

// The former field `spherical` is the projection of a Lidar, whose default it has always been.
void take_projection(wbt::Node& camera) {
  if (camera.has("spherical")) {
    if (!camera.has("projection")) {
      const bool spherical = camera.boolean("spherical");
      set_field(camera, "projection", std::string(spherical ? "cylindrical" : "planar"));
    }
    remove_field(camera, "spherical");
  }
}

void take_follow_type(wbt::Node& viewpoint) {
  if (viewpoint.has("followOrientation")) {
    if (viewpoint.boolean("followOrientation") && !viewpoint.has("followType")) {
      set_field(viewpoint, "followType", std::string("Mounted Shot"));
    }
    remove_field(viewpoint, "followOrientation");
  }
}

// Before V7.4 the field `resolution` had the meaning of `accuracy`.
void take_accuracy(wbt::Node& gps) {
  if (gps.version < wbt::Version{7, 4, 0} && gps.has("resolution") && !gps.has("accuracy")) {
    if (const double accuracy = gps.number("resolution"); accuracy > 0.0) {
      set_field(gps, "accuracy", accuracy);
    }
    remove_field(gps, "resolution");
  }
}

// The field counted time steps between two pictures.
void take_frame_rate(wbt::Node& world) {
  const double gap_ms = world.integer("displayRefresh") * world.number("basicTimeStep");
  if (world.has("displayRefresh") && gap_ms >= 1.0 && gap_ms <= 1000.0) {
    if (!world.has("FPS")) {
      set_field(world, "FPS", 1000.0 / gap_ms);
    }
    remove_field(world, "displayRefresh");
  }
}

struct Translation {
  std::string_view type;
  void (*translate)(wbt::Node&);
};

constexpr std::array<Translation, 8> kTranslations{{
    {"RotationalMotor", take_gain},
    {"LinearMotor", take_gain},
    {"Camera", take_projection},
    {"RangeFinder", take_projection},
    {"Lidar", take_projection},
    {"Viewpoint", take_follow_type},
    {"GPS", take_accuracy},
    {"WorldInfo", take_frame_rate},
}};

}  // namespace

void use_modern_values(wbt::Node& node) {
  rename_fields(node);
  for (const Translation& translation : kTranslations) {
    if (translation.type == node.type->name) {
      translation.translate(node);
    }
  }
}

}  // namespace servosim
