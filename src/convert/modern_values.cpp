// SPDX-License-Identifier: Apache-2.0
#include "convert/modern_values.h"

#include <array>
#include <string>
#include <utility>

#include "convert/rewrite.h"
#include "wbt/values.h"

namespace servosim {
namespace {

struct Renaming {
  std::string_view from;
  std::string_view to;
};

// Wherever a node has both.
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

// What was called spherical is the projection of a Lidar, whose default it has always been.
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

// Before V7.4 resolution meant the accuracy.
void take_accuracy(wbt::Node& gps) {
  if (gps.version < wbt::Version{7, 4, 0} && gps.has("resolution") && !gps.has("accuracy")) {
    if (const double accuracy = gps.number("resolution"); accuracy > 0.0) {
      set_field(gps, "accuracy", accuracy);
    }
    remove_field(gps, "resolution");
  }
}

// It counted time steps between two pictures.
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
