// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <variant>
#include <vector>

#include "controller_api/server/session.h"

namespace servosim::test {

/// Sends a controller's messages without a controller.
class SupervisorClient {
 public:
  SupervisorClient(Simulation& simulation, int robot) : session_(simulation, robot) {
    encode_hello(writer_, {});
    session_.receive(writer_.bytes());
  }

  /// Returns the response to a request. The text of a Failure goes to failure().
  SupervisorResponse call(const SupervisorRequest& request) {
    failure_.clear();
    encode_supervisor_request(writer_, request);
    EXPECT_EQ(session_.receive(writer_.bytes()), Session::Outcome::Answered) << session_.error();
    Reader readings({});
    const SimulationReply reply = decode_reply(session_.reply(), readings);
    if (const auto* failure = std::get_if<Failure>(&reply)) {
      failure_ = failure->text;
      return {};
    }
    EXPECT_TRUE(std::holds_alternative<SupervisorResponse>(reply));
    return std::get<SupervisorResponse>(reply);
  }
  int find(const char* def) {
    SupervisorRequest request;
    request.kind = SupervisorRequestKind::FindDef;
    request.text = def;
    return call(request).integer;
  }
  /// Returns a question for a field of a node.
  SupervisorRequest field(SupervisorRequestKind kind, const char* def, const char* name,
                          std::uint8_t type) {
    SupervisorRequest request;
    request.kind = SupervisorRequestKind::FindField;
    request.node = find(def);
    request.text = name;
    request.field = static_cast<std::uint16_t>(call(request).integer);
    request.kind = kind;
    request.text = {};
    request.type = type;
    return request;
  }
  /// Sets a number, vector or rotation.
  void set(const char* def, const char* name, std::uint8_t type, std::initializer_list<double> to) {
    SupervisorRequest request = field(SupervisorRequestKind::Set, def, name, type);
    request.count = static_cast<std::uint8_t>(to.size());
    std::copy(to.begin(), to.end(), request.numbers.begin());
    call(request);
  }
  std::vector<double> get(const char* def, const char* name, std::uint8_t type) {
    const SupervisorResponse response = call(field(SupervisorRequestKind::Get, def, name, type));
    std::vector<double> numbers(response.count());
    if (!numbers.empty()) {  // a failure gives none
      response.copy_to(numbers);
    }
    return numbers;
  }
  /// Puts the node of `text` into a field. A null `def` means the end of the root.
  void import(const char* def, const char* name, std::uint8_t type, const char* text) {
    SupervisorRequest request;
    if (def != nullptr) {
      request = field(SupervisorRequestKind::Import, def, name, type);
    } else {
      request.kind = SupervisorRequestKind::Import;
      request.node = 0;
    }
    request.index = -1;
    request.text = text;
    call(request);
  }
  /// Empties a field that holds one node.
  void clear(const char* def, const char* name, std::uint8_t type) {
    call(field(SupervisorRequestKind::RemoveItem, def, name, type));
  }
  void remove(const char* def) {
    SupervisorRequest request;
    request.kind = SupervisorRequestKind::Remove;
    request.node = find(def);
    call(request);
  }
  /// Applies waiting changes to the world, as any question for a pose does.
  void settle() {
    SupervisorRequest request;
    request.kind = SupervisorRequestKind::Pose;
    request.node = 0;
    call(request);
  }
  void state(SupervisorRequestKind kind, const char* def, const char* name) {
    SupervisorRequest request;
    request.kind = kind;
    request.node = def != nullptr ? find(def) : 0;
    request.text = name;
    call(request);
  }
  const std::string& failure() const { return failure_; }
  Session& session() { return session_; }

 private:
  Session session_;
  Writer writer_;
  std::string failure_;
};

// The numbers of field types in the C API.
inline constexpr std::uint8_t kFloat = 3;
inline constexpr std::uint8_t kVec3f = 5;
inline constexpr std::uint8_t kRotation = 6;
inline constexpr std::uint8_t kColor = 7;
inline constexpr std::uint8_t kString = 8;
inline constexpr std::uint8_t kNode = 9;
inline constexpr std::uint8_t kNodes = 25;

}  // namespace servosim::test
