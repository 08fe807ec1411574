// SPDX-License-Identifier: Apache-2.0
#include "controller_api/client/supervisor_refs.h"

#include <cstring>

namespace servosim {

Supervisor::Supervisor(ControllerClient& client, ControllerClient::Lock& lock)
    : client_(client), lock_(lock) {
  client.refuse_unless_supervisor();
}

SupervisorRefs& Supervisor::refs() { return client_.supervisor_refs(); }

WbNodeStructPrivate& Supervisor::known_node(WbNodeRef ref) {
  refuse(ref == nullptr || !refs().known.contains(ref),
         "called with a NULL or invalid 'node' argument.");
  return *ref;
}

WbNodeStructPrivate& Supervisor::node(WbNodeRef ref) {
  WbNodeStructPrivate& node = known_node(ref);
  try {
    describe(node);
  } catch (const SimulationOver& over) {  // the last description stays
    if (*over.what() != '\0') {
      client_.report_error(over.what());
    }
  }
  return node;
}

WbFieldStructPrivate& Supervisor::field(WbFieldRef ref) {
  refuse(ref == nullptr || !refs().known.contains(ref),
         "called with a NULL or invalid 'field' argument.");
  return *ref;
}

WbProtoInfoStructPrivate& Supervisor::proto(WbProtoRef ref) {
  refuse(ref == nullptr || !refs().known.contains(ref),
         "called with a NULL or invalid 'proto' argument.");
  return *ref;
}

void Supervisor::describe(WbNodeStructPrivate& node) {
  const SupervisorResponse& response = call(about(SupervisorRequestKind::Describe, node));
  if (node.base_type.empty()) {  // names never change
    node.type_name = response.text;
    node.base_type = response.more[0];
    node.type = node_type_named(node.base_type);
    node.is_proto = (response.flags & kIsProto) != 0;
    node.is_internal = (response.flags & kIsInternal) != 0;
    node.def = response.more[1];
  }
}

WbNodeRef Supervisor::node_of(int id) {
  if (id == kNoNode) {
    return nullptr;
  }
  auto& known = refs().nodes[id];
  if (!known) {
    auto made = std::make_unique<WbNodeStructPrivate>();
    made->id = id;
    describe(*made);
    refs().known.insert(made.get());
    known = std::move(made);
  }
  return known.get();
}

WbFieldRef Supervisor::field_of(WbNodeRef node, std::uint8_t level,
                                const SupervisorResponse& response) {
  if (response.integer < 0) {
    return nullptr;
  }
  const auto number = static_cast<std::uint16_t>(response.integer);
  auto& known = refs().fields[{node, static_cast<std::uint32_t>(level) << 16 | number}];
  if (!known) {
    known = std::make_unique<WbFieldStructPrivate>();
    known->node = node;
    known->level = level;
    known->number = number;
    known->type = static_cast<WbFieldType>(response.type);
    known->is_internal = (response.flags & kIsInternal) != 0;
    known->name = response.text;
    refs().known.insert(known.get());
  }
  return known.get();
}

WbProtoRef Supervisor::proto_of(WbNodeRef node, int level) {
  SupervisorRequest request = about(SupervisorRequestKind::DescribeProto, *node);
  request.level = static_cast<std::uint8_t>(level);
  const SupervisorResponse& response = call(request);
  if (response.integer < 0) {
    return nullptr;
  }
  auto& known = refs().protos[{node, level}];
  if (!known) {
    known = std::make_unique<WbProtoInfoStructPrivate>();
    known->node = node;
    known->level = request.level;
    known->is_derived = response.integer > 0;
    known->name = response.text;
    refs().known.insert(known.get());
  }
  return known.get();
}

const char* checked_argument(const char* text, const char* name, std::size_t most) {
  if (text == nullptr || *text == '\0') {
    throw CallError(std::string("called with a NULL or empty '") + name + "' argument.");
  }
  refuse(strnlen(text, most + 1) > most, "the text is too long.");
  return text;
}

SupervisorRequest about(SupervisorRequestKind kind, const WbNodeStructPrivate& node) {
  SupervisorRequest request;
  request.kind = kind;
  request.node = node.id;
  return request;
}

SupervisorRequest about(SupervisorRequestKind kind, const WbFieldStructPrivate& field) {
  SupervisorRequest request = about(kind, *field.node);
  request.level = field.level;
  request.field = field.number;
  return request;
}

}  // namespace servosim
