// SPDX-License-Identifier: Apache-2.0
// The Supervisor's functions that change fields.
#include <webots/supervisor.h>

#include <algorithm>
#include <cstdio>

#include "controller/client/supervisor_refs.h"

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

using servosim::about;
using servosim::checked_argument;
using servosim::checked_field;
using servosim::refuse;
using servosim::supervise;
using servosim::Supervisor;
using servosim::SupervisorRequest;
using servosim::SupervisorRequestKind;
using servosim::SupervisorResponse;

namespace {

/// What is done, to which item.
struct Deed {
  SupervisorRequestKind kind = SupervisorRequestKind::Set;
  WbFieldType type = WB_SF_BOOL;
  int index = -1;
};

void check_writable(const WbFieldStructPrivate& field) {
  refuse(field.is_internal, "called on a read-only PROTO internal field.");
}

// `fill(request)` adds the value.
template <typename Fill>
void change(const char* function, WbFieldRef field, const Deed& deed, Fill fill) {
  supervise(function, [&](Supervisor& supervisor) {
    const auto& found = checked_field(supervisor, field, deed.type);
    check_writable(found);
    SupervisorRequest request = about(deed.kind, found);
    request.type = static_cast<std::uint8_t>(deed.type & ~WB_MF);
    request.index = deed.index;
    fill(request);
    print(supervisor.call(request));
  });
}

void change_integer(const char* function, WbFieldRef field, const Deed& deed, int value) {
  change(function, field, deed, [=](SupervisorRequest& request) { request.integer = value; });
}

void change_numbers(const char* function, WbFieldRef field, const Deed& deed, const double* values,
                    std::uint8_t count) {
  change(function, field, deed, [=](SupervisorRequest& request) {
    refuse(values == nullptr, "called with a NULL 'values' argument.");
    request.count = count;
    std::copy_n(values, count, request.numbers.begin());
  });
}

void change_text(const char* function, WbFieldRef field, const Deed& deed, const char* value) {
  change(function, field, deed, [=](SupervisorRequest& request) {
    refuse(value == nullptr, "called with a NULL string argument.");
    request.text = *value == '\0' ? "" : checked_argument(value, "value");
  });
}

constexpr Deed sf(WbFieldType type) { return {SupervisorRequestKind::Set, type, -1}; }
constexpr Deed mf(WbFieldType type, int index) { return {SupervisorRequestKind::Set, type, index}; }
constexpr Deed insert(WbFieldType type, int index) {
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

void import(const char* function, WbFieldRef field, const Deed& deed, const char* node_string) {
  supervise(function, [=](Supervisor& supervisor) {
    const auto& found = checked_field(supervisor, field, deed.type);
    check_writable(found);
    SupervisorRequest request = about(SupervisorRequestKind::Import, found);
    request.index = deed.index;
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
