// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "servosim/yarp/board_config.h"
#include "servosim/yarp/return_value.h"
#include "yarp/protocol/bottle.h"

namespace servosim::wire {

/// A mode: a vocab in 3.x, and its number in 4.0.
struct Code {
  explicit Code(yarp::vocab32_t mode) : code(mode) {}
  yarp::vocab32_t code;
};

/// What a call found out, as values of one generation.
class Answer {
 public:
  explicit Answer(yarp::Generation generation) : generation_(generation) {}

  /// Truth is 1 or 0 in 3.x, and [ok] or [fail] in 4.0. MotorTorqueParameters are a list in 3.x,
  /// and nine values in 4.0.
  template <class T>
  void add(const T& value) {
    yarp::Value item = to_value(value);
    if constexpr (std::is_same_v<T, yarp::MotorTorqueParameters>) {
      if (!v3()) {
        for (yarp::Value& field : std::get<yarp::Bottle>(item).items) {
          values_.add(std::move(field));
        }
        return;
      }
    }
    values_.add(std::move(item));
  }
  yarp::Generation generation() const { return generation_; }
  const yarp::Bottle& values() const { return values_; }
  yarp::Bottle take() { return std::move(values_); }

 private:
  bool v3() const { return generation_ == yarp::Generation::V3; }
  yarp::Value to_value(int value) const { return value; }
  yarp::Value to_value(double value) const { return value; }
  yarp::Value to_value(const std::string& value) const { return value; }
  yarp::Value to_value(yarp::Vocab value) const { return value; }
  yarp::Value to_value(bool value) const {
    return v3() ? yarp::Value(value ? 1 : 0) : yarp::Value(yarp::Vocab(value ? "ok" : "fail"));
  }
  yarp::Value to_value(Code value) const {
    return v3() ? yarp::Value(yarp::Vocab(value.code)) : yarp::Value(value.code);
  }
  yarp::Value to_value(const yarp::Pid& p) const {
    return yarp::Bottle{{p.kp, p.kd, p.ki, p.max_int, p.max_output, p.offset, p.scale,
                         p.stiction_up_val, p.stiction_down_val, p.kff},
                        !v3()};
  }
  yarp::Value to_value(const yarp::MotorTorqueParameters& p) const {
    return yarp::Bottle{{p.bemf, p.bemf_scale, p.ktau, p.ktau_scale, p.viscousPos, p.viscousNeg,
                         p.coulombPos, p.coulombNeg, p.velocityThres}};
  }
  yarp::Value to_value(const yarp::Bottle& value) const { return value; }
  template <class T>
  yarp::Value to_value(const std::vector<T>& values) const {
    yarp::Bottle list;
    for (const auto& value : values) {
      list.add(to_value(value));
    }
    return list;
  }

  yarp::Generation generation_;
  yarp::Bottle values_;
};

/// Which controller: VOCAB_PIDTYPE_… as in 3.x. In 4.0 a digit follows it that says which loop: 1,
/// for here is one; other loops are none, 0.
struct PidType {
  yarp::vocab32_t code = 0;
};

/// Takes a message apart, from the front. After the first item that is not there or not what is
/// wanted, ok() is false and the rest gives zeros and nothing. Items that nobody takes do no harm.
class Arguments {
 public:
  explicit Arguments(std::span<const yarp::Value> items,
                     yarp::Generation generation = yarp::Generation::V3)
      : items_(items), generation_(generation) {}

  /// An int is any whole number, or a vocab, or the first four letters of a string, as people type
  /// vocabs. A Pid is a list of numbers; MotorTorqueParameters likewise, or their numbers.
  template <class T>
  T take();
  /// A list of so many; of any length without.
  template <class T>
  std::vector<T> list(std::optional<std::size_t> count = {});
  /// A group of joints: how many, which may be left out, and a list of them.
  std::vector<int> joints();
  /// From now on a list stands for its items, and what comes after it is left.
  void open_lists() { open_lists_ = true; }

  bool ok() const { return ok_; }
  bool done() const { return items_.empty(); }
  std::size_t left() const { return items_.size(); }
  bool at_list() const { return !items_.empty() && yarp::as_list(items_.front()) != nullptr; }

 private:
  const yarp::Value* next();
  bool take_bool();
  int take_int();
  double take_number();
  std::string take_string();
  yarp::Pid take_pid();
  yarp::MotorTorqueParameters take_motor_torque();
  PidType take_pid_type();

  std::span<const yarp::Value> items_;
  yarp::Generation generation_;
  bool open_lists_ = false;
  bool ok_ = true;
};

template <class T>
T Arguments::take() {
  if constexpr (std::is_same_v<T, bool>) {
    return take_bool();
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(take_int());
  } else if constexpr (std::is_same_v<T, double>) {
    return take_number();
  } else if constexpr (std::is_same_v<T, std::string>) {
    return take_string();
  } else if constexpr (std::is_same_v<T, yarp::Pid>) {
    return take_pid();
  } else if constexpr (std::is_same_v<T, PidType>) {
    return take_pid_type();
  } else {
    static_assert(std::is_same_v<T, yarp::MotorTorqueParameters>);
    return take_motor_torque();
  }
}

template <class T>
std::vector<T> Arguments::list(std::optional<std::size_t> count) {
  const yarp::Value* const item = next();
  const yarp::Bottle* const items = item ? yarp::as_list(*item) : nullptr;
  std::vector<T> values;
  if (items == nullptr || (count && items->size() != *count)) {
    ok_ = false;
    return values;
  }
  Arguments inside(items->items);
  while (inside.ok() && !inside.done()) {
    values.push_back(inside.take<T>());
  }
  ok_ = ok_ && inside.ok();
  return values;
}

}  // namespace servosim::wire
