// SPDX-License-Identifier: Apache-2.0
// The Supervisor's functions about nodes: find, describe and edit them, read and set poses and
// motion.
#include <webots/supervisor.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <utility>

#include "controller_api/client/supervisor_refs.h"

using servosim::about;
using servosim::CallError;
using servosim::checked_argument;
using servosim::refuse;
using servosim::supervise;
using servosim::Supervisor;
using servosim::SupervisorRequest;
using servosim::SupervisorRequestKind;
using servosim::SupervisorResponse;

// ---- finding nodes

namespace {

// The node that the request finds. When the simulation is over, it is the one that was found last.
WbNodeRef find_or_recall(Supervisor& supervisor, const char* function,
                         const SupervisorRequest& request, const std::string& def) {
  WbNodeRef& last = supervisor.refs().found_last[def];
  try {
    last = supervisor.node_of(supervisor.call(request).integer);
  } catch (const servosim::SimulationOver& over) {
    servosim::print_error(function, over);
  }
  return last;
}

}  // namespace

WbNodeRef wb_supervisor_node_get_root() {
  return supervise(__func__, [](Supervisor& supervisor) { return supervisor.node_of(0); });
}

WbNodeRef wb_supervisor_node_get_self() {
  const char* const function = __func__;
  return supervise(function, [=](Supervisor& supervisor) {
    SupervisorRequest request;
    request.kind = SupervisorRequestKind::Self;
    return find_or_recall(supervisor, function, request, "");
  });
}

WbNodeRef wb_supervisor_node_get_selected() {
  return supervise(__func__, [](Supervisor&) -> WbNodeRef { return nullptr; });
}

int wb_supervisor_node_get_id(WbNodeRef node) {
  const int id =
      supervise(__func__, [=](Supervisor& supervisor) { return supervisor.node(node).id + 1; });
  return id - 1;  // -1 after an error
}

WbNodeRef wb_supervisor_node_get_from_id(int id) {
  return supervise(__func__, [=](Supervisor& supervisor) {
    refuse(id < 0, "called with a negative 'id' argument.");
    SupervisorRequest request;
    request.kind = SupervisorRequestKind::FindId;
    request.node = id;
    return supervisor.node_of(supervisor.call(request).integer);
  });
}

WbNodeRef wb_supervisor_node_get_from_device(WbDeviceTag tag) {
  return supervise(__func__, [=](Supervisor& supervisor) {
    SupervisorRequest request;
    if (tag == 0) {  // the robot itself
      request.kind = SupervisorRequestKind::Self;
    } else {
      supervisor.client().devices().device(tag);
      request.kind = SupervisorRequestKind::FindDevice;
      request.index = tag;
    }
    return supervisor.node_of(supervisor.call(request).integer);
  });
}

WbNodeRef wb_supervisor_node_get_from_def(const char* def) {
  const char* const function = __func__;
  return supervise(function, [=](Supervisor& supervisor) {
    SupervisorRequest request;
    request.kind = SupervisorRequestKind::FindDef;
    request.text = checked_argument(def, "def");
    return find_or_recall(supervisor, function, request, def);
  });
}

WbNodeRef wb_supervisor_node_get_from_proto_def(WbNodeRef node, const char* def) {
  return supervise(__func__, [=](Supervisor& supervisor) {
    SupervisorRequest request =
        about(SupervisorRequestKind::FindProtoDef, supervisor.known_node(node));
    request.text = checked_argument(def, "def");
    return supervisor.node_of(supervisor.call(request).integer);
  });
}

WbNodeRef wb_supervisor_node_get_parent_node(WbNodeRef node) {
  return supervise(__func__, [=](Supervisor& supervisor) {
    const SupervisorRequest request =
        about(SupervisorRequestKind::Parent, supervisor.known_node(node));
    return supervisor.node_of(supervisor.call(request).integer);
  });
}

// ---- what a node is

WbNodeType wb_supervisor_node_get_type(WbNodeRef node) {
  return supervise(__func__, [=](Supervisor& supervisor) { return supervisor.node(node).type; });
}

const char* wb_supervisor_node_get_type_name(WbNodeRef node) {
  return supervise(__func__,
                   [=](Supervisor& supervisor) { return supervisor.node(node).type_name.c_str(); });
}

const char* wb_supervisor_node_get_base_type_name(WbNodeRef node) {
  return supervise(__func__,
                   [=](Supervisor& supervisor) { return supervisor.node(node).base_type.c_str(); });
}

const char* wb_supervisor_node_get_def(WbNodeRef node) {
  return supervise(__func__,
                   [=](Supervisor& supervisor) { return supervisor.node(node).def.c_str(); });
}

bool wb_supervisor_node_is_proto(WbNodeRef node) {
  return supervise(__func__,
                   [=](Supervisor& supervisor) -> bool { return supervisor.node(node).is_proto; });
}

WbProtoRef wb_supervisor_node_get_proto(WbNodeRef node) {
  return supervise(__func__, [=](Supervisor& supervisor) {
    return supervisor.node(node).is_proto ? supervisor.proto_of(node, 1) : nullptr;
  });
}

const char* wb_supervisor_proto_get_type_name(WbProtoRef proto) {
  return supervise(__func__,
                   [=](Supervisor& supervisor) { return supervisor.proto(proto).name.c_str(); });
}

bool wb_supervisor_proto_is_derived(WbProtoRef proto) {
  return supervise(
      __func__, [=](Supervisor& supervisor) -> bool { return supervisor.proto(proto).is_derived; });
}

WbProtoRef wb_supervisor_proto_get_parent(WbProtoRef proto) {
  return supervise(__func__, [=](Supervisor& supervisor) {
    const auto& found = supervisor.proto(proto);
    return found.is_derived ? supervisor.proto_of(found.node, found.level + 1) : nullptr;
  });
}

// ---- nodes as a whole

void wb_supervisor_node_remove(WbNodeRef node) {
  supervise(__func__, [=](Supervisor& supervisor) {
    const auto& found = supervisor.known_node(node);
    refuse(found.id == 0, "called for the root node, which cannot be removed.");
    supervisor.call(about(SupervisorRequestKind::Remove, found));
  });
}

const char* wb_supervisor_node_export_string(WbNodeRef node) {
  return supervise(__func__, [=](Supervisor& supervisor) {
    auto& found = supervisor.known_node(node);
    found.exported = supervisor.call(about(SupervisorRequestKind::Export, found)).text;
    return found.exported.c_str();
  });
}

namespace {

void with_state(const char* function, SupervisorRequestKind kind, WbNodeRef node,
                const char* name) {
  supervise(function, [=](Supervisor& supervisor) {
    SupervisorRequest request = about(kind, supervisor.known_node(node));
    request.text = checked_argument(name, "state_name");
    supervisor.call(request);
  });
}

}  // namespace

void wb_supervisor_node_save_state(WbNodeRef node, const char* state_name) {
  with_state(__func__, SupervisorRequestKind::SaveState, node, state_name);
}

void wb_supervisor_node_load_state(WbNodeRef node, const char* state_name) {
  with_state(__func__, SupervisorRequestKind::LoadState, node, state_name);
}

void wb_supervisor_node_set_joint_position(WbNodeRef node, double position, int index) {
  supervise(__func__, [=](Supervisor& supervisor) {
    SupervisorRequest request =
        about(SupervisorRequestKind::SetJointPosition, supervisor.known_node(node));
    request.index = index;
    request.count = 1;
    request.numbers[0] = position;
    servosim::print(supervisor.call(request));
  });
}

void wb_supervisor_node_restart_controller(WbNodeRef node) {
  supervise(__func__, [=](Supervisor& supervisor) {
    supervisor.call(about(SupervisorRequestKind::RestartController, supervisor.known_node(node)));
  });
}

// ---- poses and motion

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
const std::array<double, 16> kNoNumbers = [] {
  std::array<double, 16> numbers{};
  numbers.fill(kNaN);
  return numbers;
}();

using Matrix = std::array<double, 16>;

Matrix pose_of(Supervisor& supervisor, const WbNodeStructPrivate& node) {
  Matrix pose{};
  supervisor.call(about(SupervisorRequestKind::Pose, node)).copy_to(pose);
  return pose;
}

// The pose `pose`, given in the world, in the frame `from`. Both are rigid.
Matrix relative(const Matrix& pose, const Matrix& from) {
  Matrix result{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t k = 0; k < 4; ++k) {
      for (std::size_t j = 0; j < 3; ++j) {
        result[4 * i + k] += from[4 * j + i] * (pose[4 * j + k] - (k == 3 ? from[4 * j + 3] : 0.0));
      }
    }
  }
  result[15] = 1.0;
  return result;
}

// Queries numbers of a node and stores them in its reference. They are NaN after an error.
template <std::size_t n>
const double* node_numbers(const char* function, WbNodeRef node, SupervisorRequestKind kind,
                           std::array<double, n> WbNodeStructPrivate::*kept) {
  const double* result = supervise(function, [=](Supervisor& supervisor) -> const double* {
    auto& found = supervisor.known_node(node);
    supervisor.call(about(kind, found)).copy_to(found.*kept);
    return (found.*kept).data();
  });
  return result != nullptr ? result : kNoNumbers.data();
}

}  // namespace

const double* wb_supervisor_node_get_position(WbNodeRef node) {
  const double* result = supervise(__func__, [=](Supervisor& supervisor) -> const double* {
    auto& found = supervisor.known_node(node);
    const Matrix pose = pose_of(supervisor, found);
    found.position = {pose[3], pose[7], pose[11]};
    return found.position.data();
  });
  return result != nullptr ? result : kNoNumbers.data();
}

const double* wb_supervisor_node_get_orientation(WbNodeRef node) {
  const double* result = supervise(__func__, [=](Supervisor& supervisor) -> const double* {
    auto& found = supervisor.known_node(node);
    const Matrix m = pose_of(supervisor, found);
    found.orientation = {m[0], m[1], m[2], m[4], m[5], m[6], m[8], m[9], m[10]};
    return found.orientation.data();
  });
  return result != nullptr ? result : kNoNumbers.data();
}

const double* wb_supervisor_node_get_pose(WbNodeRef node, WbNodeRef from_node) {
  const double* result = supervise(__func__, [=](Supervisor& supervisor) -> const double* {
    auto& found = supervisor.known_node(node);
    const Matrix pose = pose_of(supervisor, found);
    found.pose = from_node != nullptr
                     ? relative(pose, pose_of(supervisor, supervisor.known_node(from_node)))
                     : pose;
    return found.pose.data();
  });
  return result != nullptr ? result : kNoNumbers.data();
}

const double* wb_supervisor_node_get_center_of_mass(WbNodeRef node) {
  return node_numbers(__func__, node, SupervisorRequestKind::CenterOfMass,
                      &WbNodeStructPrivate::center_of_mass);
}

const double* wb_supervisor_node_get_velocity(WbNodeRef node) {
  return node_numbers(__func__, node, SupervisorRequestKind::Velocity,
                      &WbNodeStructPrivate::velocity);
}

void wb_supervisor_node_set_velocity(WbNodeRef node, const double velocity[6]) {
  supervise(__func__, [=](Supervisor& supervisor) {
    SupervisorRequest request =
        about(SupervisorRequestKind::SetVelocity, supervisor.known_node(node));
    refuse(velocity == nullptr, "called with a NULL 'velocity' argument.");
    request.count = 6;
    std::copy_n(velocity, 6, request.numbers.begin());
    supervisor.call(request);
  });
}

void wb_supervisor_node_reset_physics(WbNodeRef node) {
  supervise(__func__, [=](Supervisor& supervisor) {
    supervisor.call(about(SupervisorRequestKind::ResetPhysics, supervisor.known_node(node)));
  });
}

namespace {

void push(const char* function, SupervisorRequestKind kind, WbNodeRef node, const double* vector,
          const double* offset, bool has_offset, bool relative) {
  supervise(function, [=](Supervisor& supervisor) {
    SupervisorRequest request = about(kind, supervisor.known_node(node));
    refuse(vector == nullptr, kind == SupervisorRequestKind::AddForce
                                  ? "called with a NULL 'force' argument."
                                  : "called with a NULL 'torque' argument.");
    refuse(has_offset && offset == nullptr, "called with a NULL 'offset' argument.");
    request.index = (relative ? 1 : 0) | (has_offset ? 2 : 0);
    request.count = has_offset ? 6 : 3;
    std::copy_n(vector, 3, request.numbers.begin());
    if (has_offset) {
      std::copy_n(offset, 3, request.numbers.begin() + 3);
    }
    supervisor.call(request);
  });
}

}  // namespace

void wb_supervisor_node_add_force(WbNodeRef node, const double force[3], bool relative) {
  push(__func__, SupervisorRequestKind::AddForce, node, force, nullptr, false, relative);
}

void wb_supervisor_node_add_force_with_offset(WbNodeRef node, const double force[3],
                                              const double offset[3], bool relative) {
  push(__func__, SupervisorRequestKind::AddForce, node, force, offset, true, relative);
}

void wb_supervisor_node_add_torque(WbNodeRef node, const double torque[3], bool relative) {
  push(__func__, SupervisorRequestKind::AddTorque, node, torque, nullptr, false, relative);
}

// ---- contacts

namespace {

std::vector<WbContactPoint>& contacts(Supervisor& supervisor, WbNodeRef node, bool descendants) {
  auto& found = supervisor.known_node(node);
  SupervisorRequest request = about(SupervisorRequestKind::Contacts, found);
  request.index = descendants ? 1 : 0;
  const SupervisorResponse& response = supervisor.call(request);
  std::vector<double> numbers(response.count());
  response.copy_to(numbers);
  found.contacts.clear();
  for (std::size_t i = 0; i + 3 < numbers.size(); i += 4) {
    found.contacts.push_back(
        {{numbers[i], numbers[i + 1], numbers[i + 2]}, static_cast<int>(numbers[i + 3]), 0});
  }
  return found.contacts;
}

const WbContactPoint& counted_contact(Supervisor& supervisor, WbNodeRef node, int index) {
  const auto& known = supervisor.known_node(node).contacts;
  refuse(index < 0 || static_cast<std::size_t>(index) >= known.size(),
         "called with an out-of-bound index; count the contact points first.");
  return known[static_cast<std::size_t>(index)];
}

}  // namespace

WbContactPoint* wb_supervisor_node_get_contact_points(WbNodeRef node, bool include_descendants,
                                                      int* size) {
  if (size != nullptr) {
    *size = 0;
  }
  return supervise(__func__, [=](Supervisor& supervisor) -> WbContactPoint* {
    refuse(size == nullptr, "called with a NULL 'size' argument.");
    auto& found = contacts(supervisor, node, include_descendants);
    *size = static_cast<int>(found.size());
    return found.empty() ? nullptr : found.data();
  });
}

int wb_supervisor_node_get_number_of_contact_points(WbNodeRef node, bool include_descendants) {
  const int count = supervise(__func__, [=](Supervisor& supervisor) {
    return static_cast<int>(contacts(supervisor, node, include_descendants).size()) + 1;
  });
  return count - 1;  // -1 after an error
}

const double* wb_supervisor_node_get_contact_point(WbNodeRef node, int index) {
  const double* result = supervise(__func__, [=](Supervisor& supervisor) -> const double* {
    return counted_contact(supervisor, node, index).point;
  });
  return result != nullptr ? result : kNoNumbers.data();
}

WbNodeRef wb_supervisor_node_get_contact_point_node(WbNodeRef node, int index) {
  return supervise(__func__, [=](Supervisor& supervisor) {
    return supervisor.node_of(counted_contact(supervisor, node, index).node_id);
  });
}

bool wb_supervisor_node_get_static_balance(WbNodeRef node) {
  return supervise(__func__, [=](Supervisor& supervisor) -> bool {
    return supervisor.call(about(SupervisorRequestKind::Balance, supervisor.known_node(node)))
               .integer != 0;
  });
}

// ---- tracking: values are always current; tracking only saves requests

namespace {

void check_period(int period_ms) {
  refuse(period_ms < 1, "called with an invalid sampling period: it should be at least 1 ms.");
}

SupervisorRequest value_of(const WbFieldStructPrivate& field) {
  refuse(field.is_list(), "called with an MF field; only SF fields can be.");
  SupervisorRequest request = about(SupervisorRequestKind::Get, field);
  request.type = static_cast<std::uint8_t>(field.type);
  request.index = -1;
  return request;
}

SupervisorRequest contacts_of(const WbNodeStructPrivate& node, int with_descendants) {
  SupervisorRequest request = about(SupervisorRequestKind::Contacts, node);
  request.index = with_descendants;
  return request;
}

void untrack_contacts(Supervisor& supervisor, const WbNodeStructPrivate& node, int tracked) {
  supervisor.untrack(contacts_of(node, tracked), {&node, nullptr});
}

}  // namespace

void wb_supervisor_field_enable_sf_tracking(WbFieldRef field, int sampling_period) {
  supervise(__func__, [=](Supervisor& supervisor) {
    const SupervisorRequest request = value_of(supervisor.field(field));
    check_period(sampling_period);
    supervisor.track(request, sampling_period, {field, nullptr});
  });
}

void wb_supervisor_field_disable_sf_tracking(WbFieldRef field) {
  supervise(__func__, [=](Supervisor& supervisor) {
    supervisor.untrack(value_of(supervisor.field(field)), {field, nullptr});
  });
}

void wb_supervisor_node_enable_pose_tracking(WbNodeRef node, int sampling_period,
                                             WbNodeRef from_node) {
  supervise(__func__, [=](Supervisor& supervisor) {
    check_period(sampling_period);
    const auto& found = supervisor.known_node(node);
    if (from_node != nullptr) {
      const auto& from = supervisor.known_node(from_node);
      pose_of(supervisor, found);  // if this is refused, nothing is tracked
      supervisor.track(about(SupervisorRequestKind::Pose, from), sampling_period,
                       {node, from_node});
    }
    supervisor.track(about(SupervisorRequestKind::Pose, found), sampling_period, {node, from_node});
  });
}

void wb_supervisor_node_disable_pose_tracking(WbNodeRef node, WbNodeRef from_node) {
  supervise(__func__, [=](Supervisor& supervisor) {
    const auto& found = supervisor.known_node(node);
    if (from_node != nullptr) {
      const auto& from = supervisor.known_node(from_node);
      supervisor.untrack(about(SupervisorRequestKind::Pose, from), {node, from_node});
    }
    supervisor.untrack(about(SupervisorRequestKind::Pose, found), {node, from_node});
  });
}

void wb_supervisor_node_enable_contact_points_tracking(WbNodeRef node, int sampling_period,
                                                       bool include_descendants) {
  supervise(__func__, [=](Supervisor& supervisor) {
    check_period(sampling_period);
    const auto& found = supervisor.known_node(node);
    const int wanted = include_descendants ? 1 : 0;
    supervisor.track(contacts_of(found, wanted), sampling_period, {node, nullptr});
    untrack_contacts(supervisor, found, 1 - wanted);
  });
}

void wb_supervisor_node_disable_contact_points_tracking(WbNodeRef node) {
  supervise(__func__, [=](Supervisor& supervisor) {
    for (const int tracked : {0, 1}) {
      untrack_contacts(supervisor, supervisor.known_node(node), tracked);
    }
  });
}
