// SPDX-License-Identifier: Apache-2.0
// The Supervisor's functions that find nodes, say what they are, and treat them as a whole.
#include <webots/supervisor.h>

#include <cstdio>

#include "controller/client/supervisor_refs.h"

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

WbNodeRef wb_supervisor_node_get_root() {
  return supervise(__func__, [](Supervisor& supervisor) { return supervisor.node_of(0); });
}

WbNodeRef wb_supervisor_node_get_self() {
  return supervise(__func__, [](Supervisor& supervisor) {
    SupervisorRequest request;
    request.kind = SupervisorRequestKind::Self;
    return supervisor.node_of(supervisor.call(request).integer);
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
    supervisor.client().device(tag);
    SupervisorRequest request;
    request.kind = SupervisorRequestKind::FindDevice;
    request.index = tag;
    return supervisor.node_of(supervisor.call(request).integer);
  });
}

WbNodeRef wb_supervisor_node_get_from_def(const char* def) {
  return supervise(__func__, [=](Supervisor& supervisor) {
    SupervisorRequest request;
    request.kind = SupervisorRequestKind::FindDef;
    request.text = checked_argument(def, "def");
    return supervisor.node_of(supervisor.call(request).integer);
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
