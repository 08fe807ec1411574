// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "scene/checks.h"
#include "scene/device_builders.h"

namespace servosim {

namespace {

// Returns the kind of a TouchSensor or DistanceSensor by its type.
BodySensorKind kind_by_type(const wbt::Node& device, Diagnostics& diagnostics) {
  static constexpr std::tuple<std::string_view, std::string_view, BodySensorKind> kTypes[] = {
      {"TouchSensor", "bumper", BodySensorKind::Bumper},
      {"TouchSensor", "force", BodySensorKind::Force},
      {"TouchSensor", "force-3d", BodySensorKind::Force3d},
      {"DistanceSensor", "generic", BodySensorKind::Distance},
      {"DistanceSensor", "infra-red", BodySensorKind::InfraRed},
      {"DistanceSensor", "laser", BodySensorKind::Distance},
      {"DistanceSensor", "sonar", BodySensorKind::Sonar},
  };
  const std::string& given = device.string("type");
  std::string known;
  std::optional<BodySensorKind> first;
  for (const auto& [node, type, kind] : kTypes) {
    if (device.type->name != node) {
      continue;
    }
    if (given == type) {
      return kind;
    }
    first = first.value_or(kind);
    known += fmt::format("{}\"{}\"", known.empty() ? "" : ", ", type);
  }
  const bool touches = first == BodySensorKind::Bumper;
  CheckedFields(device, diagnostics)
      .warn_and_substitute("type", '"' + given + '"', std::string(touches ? "bumper" : "generic"),
                           "it must be one of " + known);
  return *first;
}

std::optional<BodySensorKind> kind_of(const wbt::Node& device, Diagnostics& diagnostics) {
  const std::string_view node_type = device.type->name;
  if (node_type == "TouchSensor" || node_type == "DistanceSensor") {
    return kind_by_type(device, diagnostics);
  }
  static constexpr std::pair<std::string_view, BodySensorKind> kKinds[] = {
      {"Accelerometer", BodySensorKind::Accelerometer},
      {"Gyro", BodySensorKind::Gyro},
      {"Compass", BodySensorKind::Compass},
      {"GPS", BodySensorKind::Gps},
      {"InertialUnit", BodySensorKind::InertialUnit},
      {"Altimeter", BodySensorKind::Altimeter},
      {"LightSensor", BodySensorKind::Light},
  };
  for (const auto& [name, kind] : kKinds) {
    if (node_type == name) {
      return kind;
    }
  }
  return std::nullopt;
}

bool has(const wbt::Node& node, std::string_view field) {
  return node.type->field(field) != nullptr;
}

double read_deviation(const CheckedFields& checked, std::string_view field) {
  return has(checked.node(), field) ? checked.non_negative(field, 0.0) : 0.0;
}

double read_resolution(const CheckedFields& checked, std::string_view field) {
  return has(checked.node(), field) ? checked.positive_or_none(field) : -1.0;
}

bool has_lookup_table(BodySensorKind kind) {
  return kind != BodySensorKind::InertialUnit && kind != BodySensorKind::Bumper &&
         kind != BodySensorKind::Force3d;
}

// Reads the fields of a TouchSensor, DistanceSensor or LightSensor.
void read_type_fields(const CheckedFields& checked, BodySensorSpec& spec) {
  const wbt::Node& device = checked.node();
  switch (spec.kind) {
    case BodySensorKind::Force:
    case BodySensorKind::Force3d:
      spec.axis =
          wbt::geometry_axis_is_z(device.version) ? Vec3{1.0, 0.0, 0.0} : Vec3{0.0, 0.0, 1.0};
      if (!device.node("physics")) {
        checked.info("physics", fmt::format("TouchSensor \"{}\" of type \"{}\" has no Physics: it "
                                            "measures no force",
                                            device.string("name"), device.string("type")));
      }
      break;
    case BodySensorKind::Distance:
    case BodySensorKind::InfraRed:
    case BodySensorKind::Sonar:
      spec.rays = read_rays(checked);
      spec.range = ray_range(checked, spec.lookup_table);
      if (spec.kind == BodySensorKind::InfraRed && has(device, "redColorSensitivity")) {
        spec.red_sensitivity = checked.non_negative("redColorSensitivity", 1.0);
      }
      break;
    case BodySensorKind::Light:
      spec.color_filter = checked.point("colorFilter");
      spec.occlusion = device.boolean("occlusion");
      break;
    default:
      break;
  }
}

// Stores the numbers or the text of a value in `field`. Returns false for nodes and other types,
// which no controller asks for.
struct FieldContents {
  DeviceField& field;

  bool operator()(bool value) const { return number(value ? 1.0 : 0.0); }
  bool operator()(std::int32_t value) const { return number(value); }
  bool operator()(double value) const { return number(value); }
  bool operator()(const std::string& value) const {
    field.text = value;
    return true;
  }
  bool operator()(const wbt::Vec2& value) const {
    field.numbers = {value.x, value.y};
    return true;
  }
  bool operator()(const Vec3& value) const {
    field.numbers = {value.x, value.y, value.z};
    return true;
  }
  bool operator()(const std::vector<std::int32_t>& values) const {
    field.numbers.assign(values.begin(), values.end());
    return true;
  }
  bool operator()(const std::vector<Vec3>& values) const {
    for (const Vec3& v : values) {
      field.numbers.insert(field.numbers.end(), {v.x, v.y, v.z});
    }
    return true;
  }
  template <typename Other>
  bool operator()(const Other&) const {
    return false;
  }

 private:
  bool number(double value) const {
    field.numbers = {value};
    return true;
  }
};

// Returns whether `node` has the field because it is a Solid.
bool is_of_solids(const wbt::Node& node, std::string_view field) {
  static const wbt::NodeType& solid = *wbt::find_node_type("Solid");
  return node.type->is_solid && solid.field(field) != nullptr;
}

void add_fields(const wbt::Node& node, const std::string& prefix,
                std::vector<DeviceField>& fields) {
  for (const wbt::FieldType* row : node.type->fields) {
    if (row != node.type->field(row->name) || row->name == "name" ||
        is_of_solids(node, row->name)) {
      continue;
    }
    const wbt::Value& value = node.value(row->name);
    DeviceField field{prefix + std::string(row->name), {}, {}};
    if (std::visit(FieldContents{field}, value)) {
      fields.push_back(std::move(field));
    } else if (const auto* inner = std::get_if<wbt::NodePtr>(&value);
               inner != nullptr && *inner && !(*inner)->type->is_solid && prefix.empty()) {
      add_fields(**inner, field.name + '.', fields);
    }
  }
}

}  // namespace

std::vector<LookupRow> read_lookup_table(const wbt::Node& device, Diagnostics& diagnostics) {
  const CheckedFields checked(device, diagnostics);
  std::vector<LookupRow> table;
  for (const Vec3& row : device.vec3s("lookupTable")) {
    if (is_finite(row)) {
      table.push_back({row.x, row.y, row.z});
    } else {
      checked.warn_replaced("lookupTable", "a row of lookupTable is not finite; it is left out");
    }
  }
  const auto by_value = [](const LookupRow& a, const LookupRow& b) { return a.value < b.value; };
  if (!std::is_sorted(table.begin(), table.end(), by_value)) {
    checked.warn_replaced("lookupTable",
                          "the first column of lookupTable should rise; its rows are sorted");
    std::stable_sort(table.begin(), table.end(), by_value);
  }
  return table;
}

std::optional<BodySensorSpec> read_body_sensor(const wbt::Node& device, Diagnostics& diagnostics) {
  const std::optional<BodySensorKind> kind = kind_of(device, diagnostics);
  if (!kind) {
    return std::nullopt;
  }
  const CheckedFields checked(device, diagnostics);
  BodySensorSpec spec;
  spec.kind = *kind;
  if (has(device, "lookupTable") && has_lookup_table(*kind)) {
    spec.lookup_table = read_lookup_table(device, diagnostics);
  }
  if (has(device, "xAxis")) {
    spec.axes = {device.boolean("xAxis"), device.boolean("yAxis"), device.boolean("zAxis")};
  }
  spec.noise = read_deviation(checked, has(device, "accuracy") ? "accuracy" : "noise");
  spec.resolution = read_resolution(checked, "resolution");
  if (*kind == BodySensorKind::Gps) {
    spec.noise_correlation = checked.fraction("noiseCorrelation", 0.0);
    spec.speed_noise = read_deviation(checked, "speedNoise");
    spec.speed_resolution = read_resolution(checked, "speedResolution");
  }
  read_type_fields(checked, spec);
  return spec;
}

std::vector<DeviceField> read_device_fields(const wbt::Node& device) {
  std::vector<DeviceField> fields;
  add_fields(device, "", fields);
  return fields;
}

}  // namespace servosim
