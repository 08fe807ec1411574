// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <variant>
#include <vector>

#include "controller/server/session.h"

namespace servosim::test {

/// A controller's messages without a controller.
class SupervisorTalk {
 public:
  SupervisorTalk(Simulation& simulation, int robot) : session_(simulation, robot) {
    encode_hello(writer_, {});
    session_.receive(writer_.bytes());
  }

  /// The answer to a question; what a Failure says goes to failure().
  Told ask(const Ask& ask) {
    failure_.clear();
    encode_ask(writer_, ask);
    EXPECT_EQ(session_.receive(writer_.bytes()), Session::Outcome::Answered) << session_.error();
    Reader readings({});
    const Reply reply = decode_reply(session_.reply(), readings);
    if (const auto* failure = std::get_if<Failure>(&reply)) {
      failure_ = failure->text;
      return {};
    }
    EXPECT_TRUE(std::holds_alternative<Told>(reply));
    return std::get<Told>(reply);
  }
  int find(const char* def) {
    Ask question;
    question.kind = AskKind::FindDef;
    question.text = def;
    return ask(question).integer;
  }
  /// A question for a field of a node.
  Ask field(AskKind kind, const char* def, const char* name, std::uint8_t type) {
    Ask question;
    question.kind = AskKind::FindField;
    question.node = find(def);
    question.text = name;
    question.field = static_cast<std::uint16_t>(ask(question).integer);
    question.kind = kind;
    question.text = {};
    question.type = type;
    return question;
  }
  /// Sets a number, vector or rotation.
  void set(const char* def, const char* name, std::uint8_t type, std::initializer_list<double> to) {
    Ask question = field(AskKind::Set, def, name, type);
    question.count = static_cast<std::uint8_t>(to.size());
    std::copy(to.begin(), to.end(), question.numbers.begin());
    ask(question);
  }
  std::vector<double> get(const char* def, const char* name, std::uint8_t type) {
    const Told told = ask(field(AskKind::Get, def, name, type));
    std::vector<double> numbers(told.count());
    if (!numbers.empty()) {  // after a failure there are none
      told.copy_to(numbers);
    }
    return numbers;
  }
  /// Puts the node of `text` into a field; a null `def`: into the root, at its end.
  void import(const char* def, const char* name, std::uint8_t type, const char* text) {
    Ask question;
    if (def != nullptr) {
      question = field(AskKind::Import, def, name, type);
    } else {
      question.kind = AskKind::Import;
      question.node = 0;
    }
    question.index = -1;
    question.text = text;
    ask(question);
  }
  /// Empties a field of one node.
  void clear(const char* def, const char* name, std::uint8_t type) {
    ask(field(AskKind::RemoveItem, def, name, type));
  }
  void remove(const char* def) {
    Ask question;
    question.kind = AskKind::Remove;
    question.node = find(def);
    ask(question);
  }
  /// What waits reaches the world, as by any question for a place.
  void settle() {
    Ask question;
    question.kind = AskKind::Pose;
    question.node = 0;
    ask(question);
  }
  void state(AskKind kind, const char* def, const char* name) {
    Ask question;
    question.kind = kind;
    question.node = def != nullptr ? find(def) : 0;
    question.text = name;
    ask(question);
  }
  const std::string& failure() const { return failure_; }
  Session& session() { return session_; }

 private:
  Session session_;
  Writer writer_;
  std::string failure_;
};

// Types of fields, as the C API numbers them.
inline constexpr std::uint8_t kFloat = 3;
inline constexpr std::uint8_t kVec3f = 5;
inline constexpr std::uint8_t kRotation = 6;
inline constexpr std::uint8_t kColor = 7;
inline constexpr std::uint8_t kString = 8;
inline constexpr std::uint8_t kNode = 9;
inline constexpr std::uint8_t kNodes = 25;

}  // namespace servosim::test
