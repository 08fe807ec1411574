// SPDX-License-Identifier: Apache-2.0
// The Supervisor's functions that find, read and change fields.
#include <webots/supervisor.h>

#include <algorithm>
#include <cstdio>
#include <limits>

#include "controller_api/client/supervisor_refs.h"

using servosim::about;
using servosim::checked_argument;
using servosim::checked_field;
using servosim::field_type_name;
using servosim::refuse;
using servosim::supervise;
using servosim::Supervisor;
using servosim::SupervisorRequest;
using servosim::SupervisorRequestKind;
using servosim::SupervisorResponse;

// ---- finding fields

namespace {

// The level of the fields that Webots lists for a node. For a PROTO instance they are those of the
// PROTO.
std::uint8_t level_of(const WbNodeStructPrivate& node) { return node.is_proto ? 1 : 0; }

WbFieldRef named_field(Supervisor& supervisor, WbNodeRef node, std::uint8_t level,
                       const char* name) {
  SupervisorRequest request = about(SupervisorRequestKind::FindField, *node);
  request.level = level;
  request.text = checked_argument(name, "field_name");
  try {
    return supervisor.field_of(node, level, supervisor.call(request));
  } catch (const servosim::SimulationOver&) {
    for (const auto& [place, known] : supervisor.refs().fields) {
      if (place.first == node && known->level == level && known->name == name) {
        return known.get();  // its value is the last one that was read
      }
    }
    throw;
  }
}

WbFieldRef nth_field(Supervisor& supervisor, WbNodeRef node, std::uint8_t level, int index) {
  SupervisorRequest request = about(SupervisorRequestKind::NthField, *node);
  request.level = level;
  request.index = index;
  const WbFieldRef found = supervisor.field_of(node, level, supervisor.call(request));
  refuse(found == nullptr, "called with an out-of-bound 'index' argument.");
  return found;
}

int field_count(Supervisor& supervisor, WbNodeRef node, std::uint8_t level) {
  SupervisorRequest request = about(SupervisorRequestKind::CountFields, *node);
  request.level = level;
  return supervisor.call(request).integer;
}

}  // namespace

WbFieldRef wb_supervisor_node_get_field(WbNodeRef node, const char* field_name) {
  return supervise(__func__, [=](Supervisor& supervisor) {
    return named_field(supervisor, node, level_of(supervisor.node(node)), field_name);
  });
}

WbFieldRef wb_supervisor_node_get_field_by_index(WbNodeRef node, int index) {
  return supervise(__func__, [=](Supervisor& supervisor) {
    return nth_field(supervisor, node, level_of(supervisor.node(node)), index);
  });
}

int wb_supervisor_node_get_number_of_fields(WbNodeRef node) {
  const int count = supervise(__func__, [=](Supervisor& supervisor) {
    return field_count(supervisor, node, level_of(supervisor.node(node))) + 1;
  });
  return count - 1;  // -1 after an error
}

namespace {

void check_proto(const WbNodeStructPrivate& node) {
  refuse(!node.is_proto, "the node is no PROTO instance.");
}

}  // namespace

WbFieldRef wb_supervisor_node_get_base_node_field(WbNodeRef node, const char* field_name) {
  return supervise(__func__, [=](Supervisor& supervisor) {
    check_proto(supervisor.node(node));
    return named_field(supervisor, node, 0, field_name);
  });
}

WbFieldRef wb_supervisor_node_get_base_node_field_by_index(WbNodeRef node, int index) {
  return supervise(__func__, [=](Supervisor& supervisor) {
    check_proto(supervisor.node(node));
    return nth_field(supervisor, node, 0, index);
  });
}

int wb_supervisor_node_get_number_of_base_node_fields(WbNodeRef node) {
  const int count = supervise(__func__, [=](Supervisor& supervisor) {
    check_proto(supervisor.node(node));
    return field_count(supervisor, node, 0) + 1;
  });
  return count - 1;
}

WbFieldRef wb_supervisor_proto_get_field(WbProtoRef proto, const char* field_name) {
  return supervise(__func__, [=](Supervisor& supervisor) {
    const auto& found = supervisor.proto(proto);
    return named_field(supervisor, found.node, found.level, field_name);
  });
}

WbFieldRef wb_supervisor_proto_get_field_by_index(WbProtoRef proto, int index) {
  return supervise(__func__, [=](Supervisor& supervisor) {
    const auto& found = supervisor.proto(proto);
    return nth_field(supervisor, found.node, found.level, index);
  });
}

int wb_supervisor_proto_get_number_of_fields(WbProtoRef proto) {
  const int count = supervise(__func__, [=](Supervisor& supervisor) {
    const auto& found = supervisor.proto(proto);
    return field_count(supervisor, found.node, found.level) + 1;
  });
  return count - 1;
}

// ---- what a field is

const char* wb_supervisor_field_get_name(WbFieldRef field) {
  const char* const name = supervise(
      __func__, [=](Supervisor& supervisor) { return supervisor.field(field).name.c_str(); });
  return name != nullptr ? name : "";
}

WbFieldType wb_supervisor_field_get_type(WbFieldRef field) {
  return supervise(__func__, [=](Supervisor& supervisor) { return supervisor.field(field).type; });
}

const char* wb_supervisor_field_get_type_name(WbFieldRef field) {
  const char* name = supervise(__func__, [=](Supervisor& supervisor) {
    return field_type_name(supervisor.field(field).type);
  });
  return name != nullptr ? name : "";
}

int wb_supervisor_field_get_count(WbFieldRef field) {
  const int count = supervise(__func__, [=](Supervisor& supervisor) {
    const auto& found = supervisor.field(field);
    refuse(!found.is_list(), "called with a field that is no list.");
    return supervisor.call(about(SupervisorRequestKind::CountItems, found)).integer + 1;
  });
  return count - 1;
}

WbFieldRef wb_supervisor_field_get_actual_field(WbFieldRef field) {
  return supervise(__func__, [=](Supervisor& supervisor) {
    const SupervisorResponse& actual =
        supervisor.call(about(SupervisorRequestKind::ActualField, supervisor.field(field)));
    const std::uint8_t level = actual.level;
    const int number = actual.integer;
    const WbNodeRef node = supervisor.node_of(actual.node);
    if (const auto known = supervisor.refs().fields.find(
            {node, static_cast<std::uint32_t>(level) << 16 | static_cast<std::uint32_t>(number)});
        known != supervisor.refs().fields.end()) {
      return known->second.get();
    }
    return nth_field(supervisor, node, level, number);  // parameters are numbered in their order
  });
}

// ---- values

namespace {

// The response to a query of a value, and where its value is stored.
std::pair<const SupervisorResponse&, WbFieldStructPrivate::Item&> read(Supervisor& supervisor,
                                                                       WbFieldRef field,
                                                                       WbFieldType type,
                                                                       int index) {
  auto& found = checked_field(supervisor, field, type);
  SupervisorRequest request = about(SupervisorRequestKind::Get, found);
  request.type = static_cast<std::uint8_t>(type & ~WB_MF);
  request.index = index;
  return {supervisor.call(request), found.items[index]};
}

const double* numbers(const char* function, WbFieldRef field, WbFieldType type, int index) {
  return supervise(function, [=](Supervisor& supervisor) -> const double* {
    try {
      const auto [response, item] = read(supervisor, field, type, index);
      response.copy_to(item.numbers);
      return item.numbers.data();
    } catch (const servosim::SimulationOver& over) {
      servosim::print_error(function, over);
      return checked_field(supervisor, field, type).items[index].numbers.data();
    }
  });
}

double number(const char* function, WbFieldRef field, WbFieldType type, int index) {
  const double* value = numbers(function, field, type, index);
  return value != nullptr ? *value : 0.0;
}

int integer(const char* function, WbFieldRef field, WbFieldType type, int index) {
  return supervise(function, [=](Supervisor& supervisor) {
    return read(supervisor, field, type, index).first.integer;
  });
}

const char* text(const char* function, WbFieldRef field, WbFieldType type, int index) {
  const char* result = supervise(function, [=](Supervisor& supervisor) {
    try {
      const auto [response, item] = read(supervisor, field, type, index);
      item.text = response.text;
      return item.text.c_str();
    } catch (const servosim::SimulationOver& over) {
      servosim::print_error(function, over);
      return checked_field(supervisor, field, type).items[index].text.c_str();
    }
  });
  return result != nullptr ? result : "";
}

WbNodeRef node(const char* function, WbFieldRef field, WbFieldType type, int index) {
  return supervise(function, [=](Supervisor& supervisor) {
    return supervisor.node_of(read(supervisor, field, type, index).first.node);
  });
}

}  // namespace

bool wb_supervisor_field_get_sf_bool(WbFieldRef field) {
  return integer(__func__, field, WB_SF_BOOL, -1) != 0;
}
int wb_supervisor_field_get_sf_int32(WbFieldRef field) {
  return integer(__func__, field, WB_SF_INT32, -1);
}
double wb_supervisor_field_get_sf_float(WbFieldRef field) {
  return number(__func__, field, WB_SF_FLOAT, -1);
}
const double* wb_supervisor_field_get_sf_vec2f(WbFieldRef field) {
  return numbers(__func__, field, WB_SF_VEC2F, -1);
}
const double* wb_supervisor_field_get_sf_vec3f(WbFieldRef field) {
  return numbers(__func__, field, WB_SF_VEC3F, -1);
}
const double* wb_supervisor_field_get_sf_rotation(WbFieldRef field) {
  return numbers(__func__, field, WB_SF_ROTATION, -1);
}
const double* wb_supervisor_field_get_sf_color(WbFieldRef field) {
  return numbers(__func__, field, WB_SF_COLOR, -1);
}
const char* wb_supervisor_field_get_sf_string(WbFieldRef field) {
  return text(__func__, field, WB_SF_STRING, -1);
}
WbNodeRef wb_supervisor_field_get_sf_node(WbFieldRef field) {
  return node(__func__, field, WB_SF_NODE, -1);
}

bool wb_supervisor_field_get_mf_bool(WbFieldRef field, int index) {
  return integer(__func__, field, WB_MF_BOOL, index) != 0;
}
int wb_supervisor_field_get_mf_int32(WbFieldRef field, int index) {
  return integer(__func__, field, WB_MF_INT32, index);
}
double wb_supervisor_field_get_mf_float(WbFieldRef field, int index) {
  return number(__func__, field, WB_MF_FLOAT, index);
}
const double* wb_supervisor_field_get_mf_vec2f(WbFieldRef field, int index) {
  return numbers(__func__, field, WB_MF_VEC2F, index);
}
const double* wb_supervisor_field_get_mf_vec3f(WbFieldRef field, int index) {
  return numbers(__func__, field, WB_MF_VEC3F, index);
}
const double* wb_supervisor_field_get_mf_color(WbFieldRef field, int index) {
  return numbers(__func__, field, WB_MF_COLOR, index);
}
const double* wb_supervisor_field_get_mf_rotation(WbFieldRef field, int index) {
  return numbers(__func__, field, WB_MF_ROTATION, index);
}
const char* wb_supervisor_field_get_mf_string(WbFieldRef field, int index) {
  return text(__func__, field, WB_MF_STRING, index);
}
WbNodeRef wb_supervisor_field_get_mf_node(WbFieldRef field, int index) {
  return node(__func__, field, WB_MF_NODE, index);
}

// ---- changing fields

namespace servosim {

const char* field_type_name(WbFieldType type) {
  static constexpr const char* kNames[] = {
      "",        "SFBool",     "SFInt32", "SFFloat",  "SFVec2f", "SFVec3f", "SFRotation",
      "SFColor", "SFString",   "SFNode",  "",         "",        "",        "",
      "",        "",           "",        "MFBool",   "MFInt32", "MFFloat", "MFVec2f",
      "MFVec3f", "MFRotation", "MFColor", "MFString", "MFNode"};
  const auto number = static_cast<std::size_t>(type);
  return number < std::size(kNames) ? kNames[number] : "";
}

WbFieldStructPrivate& checked_field(Supervisor& supervisor, WbFieldRef field, WbFieldType type) {
  WbFieldStructPrivate& found = supervisor.field(field);
  if (found.type != type) {
    throw CallError(std::string("called with a wrong field type: ") + field_type_name(found.type) +
                    " instead of " + field_type_name(type) + '.');
  }
  return found;
}

}  // namespace servosim

namespace {

/// The kind of edit and the item that it changes.
struct FieldChange {
  SupervisorRequestKind kind = SupervisorRequestKind::Set;
  WbFieldType type = WB_SF_BOOL;
  int index = -1;
};

void check_writable(const WbFieldStructPrivate& field) {
  refuse(field.is_internal, "called on a read-only PROTO internal field.");
}

// `fill(request)` adds the value to the request.
template <typename Fill>
void change(const char* function, WbFieldRef field, const FieldChange& edit, Fill fill) {
  supervise(function, [&](Supervisor& supervisor) {
    const auto& found = checked_field(supervisor, field, edit.type);
    check_writable(found);
    SupervisorRequest request = about(edit.kind, found);
    request.type = static_cast<std::uint8_t>(edit.type & ~WB_MF);
    request.index = edit.index;
    fill(request);
    print(supervisor.call(request));
  });
}

void change_integer(const char* function, WbFieldRef field, const FieldChange& edit, int value) {
  change(function, field, edit, [=](SupervisorRequest& request) { request.integer = value; });
}

void change_numbers(const char* function, WbFieldRef field, const FieldChange& edit,
                    const double* values, std::uint8_t count) {
  change(function, field, edit, [=](SupervisorRequest& request) {
    refuse(values == nullptr, "called with a NULL 'values' argument.");
    request.count = count;
    std::copy_n(values, count, request.numbers.begin());
  });
}

void change_text(const char* function, WbFieldRef field, const FieldChange& edit,
                 const char* value) {
  change(function, field, edit, [=](SupervisorRequest& request) {
    refuse(value == nullptr, "called with a NULL string argument.");
    request.text = *value == '\0' ? "" : checked_argument(value, "value");
  });
}

constexpr FieldChange sf(WbFieldType type) { return {SupervisorRequestKind::Set, type, -1}; }
constexpr FieldChange mf(WbFieldType type, int index) {
  return {SupervisorRequestKind::Set, type, index};
}
constexpr FieldChange insert(WbFieldType type, int index) {
  return {SupervisorRequestKind::Insert, type, index};
}

}  // namespace

void wb_supervisor_field_set_sf_bool(WbFieldRef field, bool value) {
  change_integer(__func__, field, sf(WB_SF_BOOL), value ? 1 : 0);
}
void wb_supervisor_field_set_sf_int32(WbFieldRef field, int value) {
  change_integer(__func__, field, sf(WB_SF_INT32), value);
}
void wb_supervisor_field_set_sf_float(WbFieldRef field, double value) {
  change_numbers(__func__, field, sf(WB_SF_FLOAT), &value, 1);
}
void wb_supervisor_field_set_sf_vec2f(WbFieldRef field, const double values[2]) {
  change_numbers(__func__, field, sf(WB_SF_VEC2F), values, 2);
}
void wb_supervisor_field_set_sf_vec3f(WbFieldRef field, const double values[3]) {
  change_numbers(__func__, field, sf(WB_SF_VEC3F), values, 3);
}
void wb_supervisor_field_set_sf_rotation(WbFieldRef field, const double values[4]) {
  change_numbers(__func__, field, sf(WB_SF_ROTATION), values, 4);
}
void wb_supervisor_field_set_sf_color(WbFieldRef field, const double values[3]) {
  change_numbers(__func__, field, sf(WB_SF_COLOR), values, 3);
}
void wb_supervisor_field_set_sf_string(WbFieldRef field, const char* value) {
  change_text(__func__, field, sf(WB_SF_STRING), value);
}

void wb_supervisor_field_set_mf_bool(WbFieldRef field, int index, bool value) {
  change_integer(__func__, field, mf(WB_MF_BOOL, index), value ? 1 : 0);
}
void wb_supervisor_field_set_mf_int32(WbFieldRef field, int index, int value) {
  change_integer(__func__, field, mf(WB_MF_INT32, index), value);
}
void wb_supervisor_field_set_mf_float(WbFieldRef field, int index, double value) {
  change_numbers(__func__, field, mf(WB_MF_FLOAT, index), &value, 1);
}
void wb_supervisor_field_set_mf_vec2f(WbFieldRef field, int index, const double values[2]) {
  change_numbers(__func__, field, mf(WB_MF_VEC2F, index), values, 2);
}
void wb_supervisor_field_set_mf_vec3f(WbFieldRef field, int index, const double values[3]) {
  change_numbers(__func__, field, mf(WB_MF_VEC3F, index), values, 3);
}
void wb_supervisor_field_set_mf_rotation(WbFieldRef field, int index, const double values[4]) {
  change_numbers(__func__, field, mf(WB_MF_ROTATION, index), values, 4);
}
void wb_supervisor_field_set_mf_color(WbFieldRef field, int index, const double values[3]) {
  change_numbers(__func__, field, mf(WB_MF_COLOR, index), values, 3);
}
void wb_supervisor_field_set_mf_string(WbFieldRef field, int index, const char* value) {
  change_text(__func__, field, mf(WB_MF_STRING, index), value);
}

void wb_supervisor_field_insert_mf_bool(WbFieldRef field, int index, bool value) {
  change_integer(__func__, field, insert(WB_MF_BOOL, index), value ? 1 : 0);
}
void wb_supervisor_field_insert_mf_int32(WbFieldRef field, int index, int value) {
  change_integer(__func__, field, insert(WB_MF_INT32, index), value);
}
void wb_supervisor_field_insert_mf_float(WbFieldRef field, int index, double value) {
  change_numbers(__func__, field, insert(WB_MF_FLOAT, index), &value, 1);
}
void wb_supervisor_field_insert_mf_vec2f(WbFieldRef field, int index, const double values[2]) {
  change_numbers(__func__, field, insert(WB_MF_VEC2F, index), values, 2);
}
void wb_supervisor_field_insert_mf_vec3f(WbFieldRef field, int index, const double values[3]) {
  change_numbers(__func__, field, insert(WB_MF_VEC3F, index), values, 3);
}
void wb_supervisor_field_insert_mf_rotation(WbFieldRef field, int index, const double values[4]) {
  change_numbers(__func__, field, insert(WB_MF_ROTATION, index), values, 4);
}
void wb_supervisor_field_insert_mf_color(WbFieldRef field, int index, const double values[3]) {
  change_numbers(__func__, field, insert(WB_MF_COLOR, index), values, 3);
}
void wb_supervisor_field_insert_mf_string(WbFieldRef field, int index, const char* value) {
  change_text(__func__, field, insert(WB_MF_STRING, index), value);
}

// ---- nodes, and taking items out

void wb_supervisor_field_remove_mf(WbFieldRef field, int index) {
  supervise(__func__, [=](Supervisor& supervisor) {
    const auto& found = supervisor.field(field);
    refuse(!found.is_list(), "called with a field that is no list.");
    check_writable(found);
    SupervisorRequest request = about(SupervisorRequestKind::RemoveItem, found);
    request.index = index;
    supervisor.call(request);
  });
}

void wb_supervisor_field_remove_sf(WbFieldRef field) {
  supervise(__func__, [=](Supervisor& supervisor) {
    const auto& found = checked_field(supervisor, field, WB_SF_NODE);
    check_writable(found);
    supervisor.call(about(SupervisorRequestKind::RemoveItem, found));
  });
}

namespace {

void import(const char* function, WbFieldRef field, const FieldChange& edit,
            const char* node_string) {
  supervise(function, [=](Supervisor& supervisor) {
    const auto& found = checked_field(supervisor, field, edit.type);
    check_writable(found);
    SupervisorRequest request = about(SupervisorRequestKind::Import, found);
    request.index = edit.index;
    request.text = checked_argument(node_string, "node_string", servosim::kMaxImport);
    print(supervisor.call(request));
  });
}

}  // namespace

void wb_supervisor_field_import_mf_node_from_string(WbFieldRef field, int position,
                                                    const char* node_string) {
  import(__func__, field, {SupervisorRequestKind::Import, WB_MF_NODE, position}, node_string);
}

void wb_supervisor_field_import_sf_node_from_string(WbFieldRef field, const char* node_string) {
  import(__func__, field, {SupervisorRequestKind::Import, WB_SF_NODE, -1}, node_string);
}
