// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "servosim/yarp/board_config.h"
#include "servosim/yarp/control_board.h"
#include "servosim/yarp/return_value.h"
#include "yarp/protocol/bottle.h"

namespace servosim::yarp::server {

/// A control or interaction mode. It is a vocab in 3.x and the vocab's number in 4.0.
struct Code {
  explicit Code(vocab32_t mode) : code(mode) {}
  vocab32_t code;
};

/// The values of a reply, as one generation of YARP encodes them.
class ReplyValues {
 public:
  explicit ReplyValues(Generation generation) : generation_(generation) {}

  /// Adds a value. A bool is 1 or 0 in 3.x, and [ok] or [fail] in 4.0. MotorTorqueParameters are a
  /// list in 3.x, and nine values in 4.0.
  template <class T>
  void add(const T& value) {
    BottleValue item = to_value(value);
    if constexpr (std::is_same_v<T, MotorTorqueParameters>) {
      if (!v3()) {
        for (BottleValue& field : std::get<Bottle>(item).items) {
          values_.add(std::move(field));
        }
        return;
      }
    }
    values_.add(std::move(item));
  }
  Generation generation() const { return generation_; }
  const Bottle& values() const { return values_; }
  Bottle take() { return std::move(values_); }

 private:
  bool v3() const { return generation_ == Generation::V3; }
  BottleValue to_value(int value) const { return value; }
  BottleValue to_value(double value) const { return value; }
  BottleValue to_value(const std::string& value) const { return value; }
  BottleValue to_value(Vocab value) const { return value; }
  BottleValue to_value(bool value) const {
    return v3() ? BottleValue(value ? 1 : 0) : BottleValue(Vocab(value ? "ok" : "fail"));
  }
  BottleValue to_value(Code value) const {
    return v3() ? BottleValue(Vocab(value.code)) : BottleValue(value.code);
  }
  BottleValue to_value(const Pid& p) const {
    return Bottle{{p.kp, p.kd, p.ki, p.max_int, p.max_output, p.offset, p.scale, p.stiction_up_val,
                   p.stiction_down_val, p.kff},
                  !v3()};
  }
  BottleValue to_value(const MotorTorqueParameters& p) const {
    return Bottle{{p.bemf, p.bemf_scale, p.ktau, p.ktau_scale, p.viscousPos, p.viscousNeg,
                   p.coulombPos, p.coulombNeg, p.velocityThres}};
  }
  BottleValue to_value(const Bottle& value) const { return value; }
  template <class T>
  BottleValue to_value(const std::vector<T>& values) const {
    Bottle list;
    for (const auto& value : values) {
      list.add(to_value(value));
    }
    return list;
  }

  Generation generation_;
  Bottle values_;
};

/// The type of a controller: VOCAB_PIDTYPE_… in 3.x. In 4.0 the number of its loop follows, which
/// must be 1, since a controller has one loop here. The code of other types is 0.
struct PidType {
  vocab32_t code = 0;
};

/// Reads the items of a message one by one. After the first item that is missing or has another
/// type than requested, ok() is false, and all further values are 0 or empty. Surplus items are no
/// error.
class Arguments {
 public:
  explicit Arguments(std::span<const BottleValue> items, Generation generation = Generation::V3)
      : items_(items), generation_(generation) {}

  /// Reads the next value. An int is any whole number, a vocab, or the first four letters of a
  /// string, since people type vocabs. A Pid is a list of numbers. MotorTorqueParameters are a list
  /// of numbers, or the numbers themselves.
  template <class T>
  T take();
  /// Reads a list of `count` items; without `count`, a list of any length.
  template <class T>
  std::vector<T> list(std::optional<std::size_t> count = {});
  /// Reads a group of joints: their number, which may be omitted, and a list of them.
  std::vector<int> joints();
  /// From now on a list is read as its items, and the items after the list are ignored.
  void flatten_lists() { flatten_lists_ = true; }

  bool ok() const { return ok_; }
  void refuse() { ok_ = false; }  ///< marks what was read as meaningless
  bool done() const { return items_.empty(); }
  std::size_t left() const { return items_.size(); }
  /// Returns whether exactly one item follows `before` items, and it is a list of one item.
  bool ends_in_one_value(std::size_t before) const {
    const Bottle* const last = items_.empty() ? nullptr : as_list(items_.back());
    return items_.size() == before + 1 && last != nullptr && last->size() == 1;
  }
  bool at_list() const { return !items_.empty() && as_list(items_.front()) != nullptr; }

 private:
  const BottleValue* next();
  bool take_bool();
  int take_int();
  double take_number();
  std::string take_string();
  Pid take_pid();
  MotorTorqueParameters take_motor_torque();
  PidType take_pid_type();

  std::span<const BottleValue> items_;
  Generation generation_;
  bool flatten_lists_ = false;
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
  } else if constexpr (std::is_same_v<T, Pid>) {
    return take_pid();
  } else if constexpr (std::is_same_v<T, PidType>) {
    return take_pid_type();
  } else {
    static_assert(std::is_same_v<T, MotorTorqueParameters>);
    return take_motor_torque();
  }
}

template <class T>
std::vector<T> Arguments::list(std::optional<std::size_t> count) {
  const BottleValue* const item = next();
  const Bottle* const items = item ? as_list(*item) : nullptr;
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

// Makes functions of a ControlBoard's interfaces callable by messages. If the arguments have other
// types than the function's parameters, it is not called, and Arguments::ok() is false.

using Board = ControlBoard;

struct Call {
  std::string_view arguments;  ///< for people
  std::function<ReturnValue(Board&, Arguments&, ReplyValues&)> function;
};

/// The three forms that most functions have.
struct Calls {
  Call one;
  Call all;
  Call group;
};

inline constexpr ReturnValue kBadArguments{Status::BadValue};

// ---- functions of the whole board, and changes of calls

/// Calls a function that changes something, with its arguments in order.
template <class Interface, class... T>
Call command(std::string_view names, ReturnValue (Interface::*function)(T...)) {
  return {names, [function](Board& board, Arguments& arguments, ReplyValues&) {
            auto interface = board.view<Interface>();
            const std::tuple<Interface*, T...> values{&interface, arguments.take<T>()...};
            return arguments.ok() ? std::apply(function, values) : kBadArguments;
          }};
}
/// Returns one value of the whole board.
template <class Interface, class T>
Call query(ReturnValue (Interface::*function)(T*) const) {
  return {"", [function](Board& board, Arguments&, ReplyValues& answer) {
            T value{};
            const ReturnValue result = (board.view<Interface>().*function)(&value);
            answer.add(value);
            return result;
          }};
}
/// Describes the arguments of a call in other words.
inline Call named(std::string_view arguments, Call call) {
  call.arguments = arguments;
  return call;
}
/// Returns the call with a list of the arguments after the joint, which some messages of 3.x have.
inline Call flattened(Call call) {
  return {call.arguments, [inner = std::move(call.function)](Board& board, Arguments& arguments,
                                                             ReplyValues& answer) {
            arguments.flatten_lists();
            return inner(board, arguments, answer);
          }};
}
/// Returns the streamed form of a call with a value: `before` items, the last of which is the
/// joint, and a list of only the value.
inline Call streamed_one(Call call, std::size_t before = 1) {
  return {call.arguments, [inner = flattened(std::move(call)).function, before](
                              Board& board, Arguments& arguments, ReplyValues& answer) {
            if (!arguments.ends_in_one_value(before)) {
              arguments.refuse();
              return kBadArguments;
            }
            return inner(board, arguments, answer);
          }};
}

// ---- functions for one joint, all joints and a group
//
// `bind(board, arguments)` reads the arguments before the joints and returns the function of joints
// and values.

template <class Interface, class Function>
auto bind_joints(Function function) {
  return [function](Board& board, Arguments&) {
    return [interface = board.view<Interface>(), function](const auto&... rest) mutable {
      return (interface.*function)(rest...);
    };
  };
}
/// The type of the controller precedes the joints.
template <class Interface, class Function>
auto bind_pid(Function function) {
  return [function](Board& board, Arguments& arguments) {
    return [interface = board.view<Interface>(), function, type = arguments.take<PidType>().code](
               const auto&... rest) mutable { return (interface.*function)(type, rest...); };
  };
}

enum class JointForm : std::uint8_t { One, All, Group };

/// Reads to which joints a message applies. In a query of YARP 3, which has a reply, an omitted
/// joint means joint 0.
inline std::vector<int> selected_joints(JointForm form, const Board& board, Arguments& arguments,
                                        const ReplyValues* reply = nullptr) {
  if (form == JointForm::One) {
    const bool omitted = arguments.done() && reply && reply->generation() == Generation::V3;
    return {omitted ? 0 : arguments.take<int>()};
  }
  if (form == JointForm::Group) {
    std::vector<int> joints = arguments.joints();
    if (joints.size() > board.axes()) {
      arguments.refuse();
    }
    return joints;
  }
  std::vector<int> joints(board.axes());
  std::iota(joints.begin(), joints.end(), 0);
  return joints;
}
template <class... T, class Bind>
auto set_function(Bind bind, JointForm form) {
  return [=](Board& board, Arguments& arguments, ReplyValues&) {
    auto set = bind(board, arguments);
    const std::vector<int> joints = selected_joints(form, board, arguments);
    const std::tuple<std::vector<T>...> values{form == JointForm::One
                                                   ? std::vector<T>{arguments.take<T>()}
                                                   : arguments.list<T>(joints.size())...};
    return arguments.ok()
               ? std::apply([&](const auto&... list) { return set(joints, list...); }, values)
               : kBadArguments;
  };
}
template <class As, class... T, class Bind>
auto get_function(Bind bind, JointForm form) {
  return [=](Board& board, Arguments& arguments, ReplyValues& answer) {
    auto get = bind(board, arguments);
    const std::vector<int> joints = selected_joints(form, board, arguments, &answer);
    if (!arguments.ok()) {
      return kBadArguments;
    }
    const std::size_t count = joints.size();
    const std::tuple values{std::make_unique<T[]>(count)...};
    const auto reply = [&]<class V>(const std::unique_ptr<V[]>& list) {
      using Item = std::conditional_t<std::is_void_v<As>, V, As>;
      form == JointForm::One ? answer.add(Item(list[0]))
                             : answer.add(std::vector<Item>(&list[0], &list[0] + count));
    };
    return std::apply(
        [&](const auto&... list) {
          const ReturnValue result = get(joints, std::span<T>(list.get(), count)...);
          (reply(list), ...);
          return result;
        },
        values);
  };
}
/// Sets a value, or several.
template <class Interface, class... T>
Calls set(ReturnValue (Interface::*function)(JointSet, PerJoint<const T>...)) {
  const auto bind = bind_joints<Interface>(function);
  return {{"j x", set_function<T...>(bind, JointForm::One)},
          {"(x..)", set_function<T...>(bind, JointForm::All)},
          {"n (j..) (x..)", set_function<T...>(bind, JointForm::Group)}};
}
template <class Interface, class T>
Calls set(ReturnValue (Interface::*function)(vocab32_t, JointSet, PerJoint<const T>)) {
  const auto bind = bind_pid<Interface>(function);
  return {{"type j x", set_function<T>(bind, JointForm::One)},
          {"type (x..)", set_function<T>(bind, JointForm::All)},
          {"type n (j..) (x..)", set_function<T>(bind, JointForm::Group)}};
}
/// Returns a value, or several. They are converted to the type As if their encoding needs another
/// type than the board's.
template <class As = void, class Interface, class... T>
Calls get(ReturnValue (Interface::*function)(JointSet, PerJoint<T>...) const) {
  const auto bind = bind_joints<Interface>(function);
  return {{"j", get_function<As, T...>(bind, JointForm::One)},
          {"", get_function<As, T...>(bind, JointForm::All)},
          {"n (j..)", get_function<As, T...>(bind, JointForm::Group)}};
}
template <class Interface, class T>
Calls get(ReturnValue (Interface::*function)(vocab32_t, JointSet, PerJoint<T>) const) {
  const auto bind = bind_pid<Interface>(function);
  return {{"type j", get_function<void, T>(bind, JointForm::One)},
          {"type", get_function<void, T>(bind, JointForm::All)},
          {"type n (j..)", get_function<void, T>(bind, JointForm::Group)}};
}
/// Calls a function without values.
template <class Interface>
Calls act(ReturnValue (Interface::*function)(JointSet)) {
  const auto bind = bind_joints<Interface>(function);
  return {{"j", set_function<>(bind, JointForm::One)},
          {"", set_function<>(bind, JointForm::All)},
          {"n (j..)", set_function<>(bind, JointForm::Group)}};
}
template <class Interface>
Calls act(ReturnValue (Interface::*function)(vocab32_t, JointSet)) {
  const auto bind = bind_pid<Interface>(function);
  return {{"type j", set_function<>(bind, JointForm::One)},
          {"type", set_function<>(bind, JointForm::All)},
          {"type n (j..)", set_function<>(bind, JointForm::Group)}};
}

}  // namespace servosim::yarp::server
