// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <webots/contact_point.h>
#include <webots/nodes.h>
#include <webots/supervisor.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/printable.h"
#include "controller_api/client/api_call.h"
#include "controller_api/protocol/protocol.h"

// The data behind the references of the Supervisor functions. References and the memory that
// functions return exist as long as the client.

/// A node, with the values to which functions return pointers.
struct WbNodeStructPrivate {
  int id = 0;
  WbNodeType type = WB_NODE_NO_NODE;
  bool is_proto = false;
  bool is_internal = false;
  std::string type_name;
  std::string base_type;
  std::string def;
  std::string exported;
  std::array<double, 3> position{};
  std::array<double, 9> orientation{};
  std::array<double, 16> pose{};
  std::array<double, 6> velocity{};
  std::array<double, 3> center_of_mass{};
  std::vector<WbContactPoint> contacts;
};

/// The PROTO that a node is an instance of, or one that it is derived from.
struct WbProtoInfoStructPrivate {
  WbNodeRef node = nullptr;
  std::uint8_t level = 1;  ///< see wbt::FieldKey
  bool is_derived = false;
  std::string name;
};

struct WbFieldStructPrivate {
  struct Item {
    std::array<double, 4> numbers{};
    std::string text;
  };
  WbNodeRef node = nullptr;
  std::uint8_t level = 0;
  std::uint16_t number = 0;
  WbFieldType type = WB_NO_FIELD;
  bool is_internal = false;
  std::string name;
  std::map<int, Item> items;  ///< keyed by index; an SF field has -1

  bool is_list() const { return (type & WB_MF) != 0; }
};

namespace servosim {

class SupervisorRefs {
 public:
  std::unordered_map<int, std::unique_ptr<WbNodeStructPrivate>> nodes;  ///< keyed by id
  std::map<std::pair<WbNodeRef, int>, std::unique_ptr<WbProtoInfoStructPrivate>> protos;
  /// Keyed by node, and by level and number.
  std::map<std::pair<WbNodeRef, std::uint32_t>, std::unique_ptr<WbFieldStructPrivate>> fields;
  std::unordered_set<const void*> known;        ///< every reference that exists
  std::map<std::string, WbNodeRef> found_last;  ///< keyed by DEF name; "" means the robot itself
  WbSimulationMode mode = WB_SUPERVISOR_SIMULATION_MODE_FAST;
};

/// A client whose mutex is locked, as a supervisor uses it.
class Supervisor {
 public:
  Supervisor(ControllerClient& client, ControllerClient::Lock& lock);

  ControllerClient& client() { return client_; }
  SupervisorRefs& refs();
  /// The result is valid until the next request. @throws CallError with the error of a refused
  /// request
  const SupervisorResponse& call(const SupervisorRequest& request) {
    return client_.call(lock_, request);
  }
  const SupervisorResponse& track(const SupervisorRequest& request, int period_ms,
                                  const TrackedAnswers::User& user) {
    return client_.track(lock_, request, period_ms, user);
  }
  void untrack(const SupervisorRequest& request, const TrackedAnswers::User& user) {
    client_.untrack(lock_, request, user);
  }
  void flush() { client_.flush(lock_); }

  /// The node, with its current description. @throws CallError if it is no longer in the world
  WbNodeStructPrivate& node(WbNodeRef ref);
  /// The node without a check that it is in the world. @throws CallError if this is no reference
  WbNodeStructPrivate& known_node(WbNodeRef ref);
  WbFieldStructPrivate& field(WbFieldRef ref);
  WbProtoInfoStructPrivate& proto(WbProtoRef ref);
  /// The reference for a number; NULL for kNoNode.
  WbNodeRef node_of(int id);
  /// The reference for the response to a query of a field.
  WbFieldRef field_of(WbNodeRef node, std::uint8_t level, const SupervisorResponse& response);
  WbProtoRef proto_of(WbNodeRef node, int level);

 private:
  void describe(WbNodeStructPrivate& node);
  ControllerClient& client_;
  ControllerClient::Lock& lock_;
};

/// api_call() for a function that only a supervisor may call: `body(supervisor)`.
template <typename Body>
auto supervise(const char* function, Body&& body) noexcept {
  return api_call(function, [&](ControllerClient& client, ControllerClient::Lock& lock) {
    Supervisor supervisor(client, lock);
    return body(supervisor);
  });
}

/// `text` itself. @throws CallError if it is NULL or too long
const char* checked_argument(const char* text, const char* name, std::size_t most = kMaxText);

/// Starts a request about a node or a field.
SupervisorRequest about(SupervisorRequestKind kind, const WbNodeStructPrivate& node);
SupervisorRequest about(SupervisorRequestKind kind, const WbFieldStructPrivate& field);

/// The name of the type, such as "SFVec3f"; "" for an unknown type.
const char* field_type_name(WbFieldType type);
/// The field, which must be of that type. @throws CallError if it is not
WbFieldStructPrivate& checked_field(Supervisor& supervisor, WbFieldRef field, WbFieldType type);

/// The number of a node type by its name, such as "RotationalMotor"; WB_NODE_NO_NODE for an unknown
/// one.
WbNodeType node_type_named(std::string_view name);

}  // namespace servosim
