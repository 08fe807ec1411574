// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "servosim/yarp/board_config.h"
#include "yarp/bottle.h"

namespace servosim::wire {

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
