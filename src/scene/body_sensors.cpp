// SPDX-License-Identifier: Apache-2.0
#include "scene/body_sensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "scene/checks.h"
#include "scene/device_builders.h"

namespace servosim {

namespace {

// Returns the type that the field names. For any other text it returns the first of `types`, with a
// warning.
template <typename Type, std::size_t N>
Type read_type(const CheckedFields& checked, const std::pair<std::string_view, Type> (&types)[N]) {
  const std::string& given = checked.node().string("type");
  std::string known;
  for (const auto& [name, type] : types) {
    if (given == name) {
      return type;
    }
    known += fmt::format("{}\"{}\"", known.empty() ? "" : ", ", name);
  }
  checked.warn_and_substitute("type", '"' + given + '"', std::string(types[0].first),
                              "it must be one of " + known);
  return types[0].second;
}

constexpr std::pair<std::string_view, TouchType> kTouchTypes[] = {
    {"bumper", TouchType::Bumper}, {"force", TouchType::Force}, {"force-3d", TouchType::Force3d}};
constexpr std::pair<std::string_view, RayType> kRayTypes[] = {{"generic", RayType::Generic},
                                                              {"infra-red", RayType::InfraRed},
                                                              {"laser", RayType::Generic},
                                                              {"sonar", RayType::Sonar}};

bool is_body_sensor(std::string_view node_type) {
#define SERVOSIM_NODE_NAME(NODE) #NODE,
  static constexpr std::string_view kNames[] = {SERVOSIM_BODY_SENSORS(SERVOSIM_NODE_NAME)};
#undef SERVOSIM_NODE_NAME
  return std::find(std::begin(kNames), std::end(kNames), node_type) != std::end(kNames);
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

void read_touch_sensor(const CheckedFields& checked, BodySensorSpec& spec) {
  const wbt::Node& device = checked.node();
  if (spec.touch_type == TouchType::Bumper) {
    return;
  }
  spec.axis = wbt::geometry_axis_is_z(device.version) ? Vec3{1.0, 0.0, 0.0} : Vec3{0.0, 0.0, 1.0};
  if (!device.node("physics")) {
    checked.info("physics",
                 fmt::format("TouchSensor \"{}\" of type \"{}\" has no Physics: it measures no "
                             "force",
                             device.string("name"), device.string("type")));
  }
}

void read_distance_sensor(const CheckedFields& checked, BodySensorSpec& spec) {
  const double aperture = read_aperture(checked);
  spec.rays = read_rays(checked, aperture);
  spec.range = ray_range(checked, spec.lookup_table);
  if (checked.node().string("type") == "laser") {
    spec.spot_radius = aperture;
  }
  if (spec.ray_type == RayType::InfraRed && has(checked.node(), "redColorSensitivity")) {
    spec.red_sensitivity = checked.non_negative("redColorSensitivity", 1.0);
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

std::vector<LookupRow> read_lookup_table(const wbt::Node& device, Findings& findings) {
  const CheckedFields checked(device, findings);
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

std::optional<BodySensorSpec> read_body_sensor(const wbt::Node& device, Findings& findings) {
  const std::string_view node_type = device.type->name;
  if (!is_body_sensor(node_type)) {
    return std::nullopt;
  }
  const CheckedFields checked(device, findings);
  BodySensorSpec spec;
  if (node_type == "TouchSensor") {
    spec.touch_type = read_type(checked, kTouchTypes);
  } else if (node_type == "DistanceSensor") {
    spec.ray_type = read_type(checked, kRayTypes);
  }
  const bool reads_a_table = node_type != "InertialUnit" &&
                             (node_type != "TouchSensor" || spec.touch_type == TouchType::Force);
  if (reads_a_table && has(device, "lookupTable")) {
    spec.lookup_table = read_lookup_table(device, findings);
  }
  if (has(device, "xAxis")) {
    spec.axes = {device.boolean("xAxis"), device.boolean("yAxis"), device.boolean("zAxis")};
  }
  spec.noise = read_deviation(checked, has(device, "accuracy") ? "accuracy" : "noise");
  spec.resolution = read_resolution(checked, "resolution");
  if (node_type == "GPS") {
    spec.noise_correlation = checked.fraction("noiseCorrelation", 0.0);
    spec.speed_noise = read_deviation(checked, "speedNoise");
    spec.speed_resolution = read_resolution(checked, "speedResolution");
  } else if (node_type == "TouchSensor") {
    read_touch_sensor(checked, spec);
  } else if (node_type == "DistanceSensor") {
    read_distance_sensor(checked, spec);
  } else if (node_type == "LightSensor") {
    spec.color_filter = checked.point("colorFilter");
    spec.occlusion = device.boolean("occlusion");
  }
  return spec;
}

std::vector<DeviceField> read_device_fields(const wbt::Node& device) {
  std::vector<DeviceField> fields;
  add_fields(device, "", fields);
  return fields;
}

}  // namespace servosim
