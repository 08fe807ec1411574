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
#include "controller/client/api_call.h"
#include "controller/protocol/protocol.h"

// The data behind the references of the Supervisor functions. They and the memory that they return
// exist as long as the client.

/// A node; what is returned by pointer is kept here.
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
  std::map<int, Item> items;  ///< by index; -1 of an SF field

  bool is_list() const { return (type & WB_MF) != 0; }
};

namespace servosim {

class SupervisorRefs {
 public:
  std::unordered_map<int, std::unique_ptr<WbNodeStructPrivate>> nodes;  ///< by id
  std::map<std::pair<WbNodeRef, int>, std::unique_ptr<WbProtoInfoStructPrivate>> protos;
  /// By node, level and number.
  std::map<std::pair<WbNodeRef, std::uint32_t>, std::unique_ptr<WbFieldStructPrivate>> fields;
  std::unordered_set<const void*> known;        ///< all of them
  std::map<std::string, WbNodeRef> found_last;  ///< by DEF name; of "" the robot itself
  WbSimulationMode mode = WB_SUPERVISOR_SIMULATION_MODE_FAST;
};

/// A client whose mutex is locked, for requests of a supervisor.
class Supervisor {
 public:
  Supervisor(Client& client, Client::Lock& lock);

  Client& client() { return client_; }
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

  /// The node, which is in the world; its description is current. @throws CallError
  WbNodeStructPrivate& node(WbNodeRef ref);
  /// The same without a check that it is still in the world.
  WbNodeStructPrivate& known_node(WbNodeRef ref);
  WbFieldStructPrivate& field(WbFieldRef ref);
  WbProtoInfoStructPrivate& proto(WbProtoRef ref);
  /// Reference of a number; NULL for kNoNode.
  WbNodeRef node_of(int id);
  /// Of the response to a query of a field.
  WbFieldRef field_of(WbNodeRef node, std::uint8_t level, const SupervisorResponse& response);
  WbProtoRef proto_of(WbNodeRef node, int level);

 private:
  void describe(WbNodeStructPrivate& node);
  Client& client_;
  Client::Lock& lock_;
};

/// api_call() for a function that only a supervisor may call: `body(supervisor)`.
template <typename Body>
auto supervise(const char* function, Body&& body) noexcept {
  return api_call(function, [&](Client& client, Client::Lock& lock) {
    Supervisor supervisor(client, lock);
    return body(supervisor);
  });
}

/// A text of a caller. @throws CallError for NULL or one that is too long
const char* checked_argument(const char* text, const char* name, std::size_t most = kMaxText);

/// Starts a request about a node or a field.
SupervisorRequest about(SupervisorRequestKind kind, const WbNodeStructPrivate& node);
SupervisorRequest about(SupervisorRequestKind kind, const WbFieldStructPrivate& field);

/// e.g. "SFVec3f"; "" for an unknown type.
const char* field_type_name(WbFieldType type);
/// A field of that very type. @throws CallError for another one
WbFieldStructPrivate& checked_field(Supervisor& supervisor, WbFieldRef field, WbFieldType type);

/// The number of a node name such as "RotationalMotor"; WB_NODE_NO_NODE for an unknown one.
WbNodeType node_type_named(std::string_view name);

}  // namespace servosim
