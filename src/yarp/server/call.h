// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <functional>
#include <numeric>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "servosim/yarp/control_board.h"
#include "yarp/server/arguments.h"

// Functions of a ControlBoard as messages call them. Nothing is called when the arguments are not
// what it wants; Arguments::ok() then is false.

namespace servosim::wire {

using Board = yarp::ControlBoard;
using yarp::ReturnValue;
using yarp::Status;
using yarp::vocab32_t;

struct Call {
  std::string_view arguments;  ///< for people
  std::function<ReturnValue(Board&, Arguments&, Answer&)> function;
};

/// The shapes in which most functions come.
struct Calls {
  Call one;
  Call all;
  Call group;
};

inline constexpr ReturnValue kMalformed{Status::BadValue};

/// Of several joints: a command that its mode does not obey counts only if nothing worse happened.
inline void join(ReturnValue& all, ReturnValue one) {
  if (!one && (all || all.status == Status::WrongMode)) {
    all = one;
  }
}

inline std::vector<int> all_joints(const Board& board) {
  int axes = 0;
  board.getAxes(&axes);
  std::vector<int> joints(static_cast<std::size_t>(axes));
  std::iota(joints.begin(), joints.end(), 0);
  return joints;
}

/// Calls `one(i, joint)` for each, also after one that refused. A group larger than the board is
/// none.
template <class One>
ReturnValue for_joints(const Board& board, const std::vector<int>& joints, const One& one) {
  if (joints.size() > all_joints(board).size()) {
    return {Status::OutOfRange};
  }
  ReturnValue result;
  for (std::size_t i = 0; i < joints.size(); ++i) {
    join(result, one(i, joints[i]));
  }
  return result;
}

// ---- any function

/// One that changes something: its arguments, one after the other.
template <class... T>
Call order(std::string_view names, ReturnValue (Board::*function)(T...)) {
  return {names, [function](Board& board, Arguments& arguments, Answer&) {
            const std::tuple<Board*, std::decay_t<T>...> values{
                &board, arguments.take<std::decay_t<T>>()...};
            return arguments.ok() ? std::apply(function, values) : kMalformed;
          }};
}
/// The same where 3.x has what comes after the joint in a list.
inline Call open(Call call) {
  return {call.arguments,
          [inner = std::move(call.function)](Board& board, Arguments& arguments, Answer& answer) {
            arguments.open_lists();
            return inner(board, arguments, answer);
          }};
}
/// One for a joint and a value as it is streamed: the joint is all there is in the head after the
/// words, and the value all there is in the list that follows.
inline Call streamed_one(Call call) {
  return {call.arguments,
          [inner = std::move(call.function)](Board& board, Arguments& arguments, Answer& answer) {
            const int j = arguments.take<int>();
            const std::vector<double> values = arguments.list<double>(1);
            if (!arguments.ok() || !arguments.done()) {
              return kMalformed;
            }
            const std::array<yarp::Value, 2> items{j, values.front()};
            Arguments flat(items);
            return inner(board, flat, answer);
          }};
}
/// One that finds out something about all: one value.
template <class T>
Call report(ReturnValue (Board::*function)(T*) const) {
  return {"", [function](Board& board, Arguments&, Answer& answer) {
            T value{};
            const ReturnValue result = (board.*function)(&value);
            answer.add(value);
            return result;
          }};
}
/// Of what is only asked for: YARP 3 takes a joint that is left out for 0.
inline int asked_joint(Arguments& arguments, const Answer& answer) {
  const bool left_out = arguments.done() && answer.generation() == yarp::Generation::V3;
  return left_out ? 0 : arguments.take<int>();
}
/// About one joint: one value or several.
template <class... T>
Call report(ReturnValue (Board::*function)(int, T*...) const) {
  return {"j", [function](Board& board, Arguments& arguments, Answer& answer) {
            const int j = asked_joint(arguments, answer);
            std::tuple<T...> values{};
            const ReturnValue result = std::apply(
                [&](T&... value) {
                  return arguments.ok() ? (board.*function)(j, &value...) : kMalformed;
                },
                values);
            std::apply([&](const T&... value) { (answer.add(value), ...); }, values);
            return result;
          }};
}
/// About all joints: two lists of values.
template <class Function>
Call of_all(Function function) {
  return {"", [function](Board& board, Arguments&, Answer& answer) {
            const std::size_t axes = all_joints(board).size();
            std::vector<double> first(axes);
            std::vector<double> second(axes);
            const ReturnValue result = (board.*function)(first, second);
            answer.add(first);
            answer.add(second);
            return result;
          }};
}
// ---- functions of one joint, for one, all and a group
//
// `bind(board, arguments)` gives the function of a joint, after it has read what comes before it.

template <class Function>
auto of_joint(Function function) {
  return [function](auto& board, Arguments&) {
    return [&board, function](int j, const auto&... rest) { return (board.*function)(j, rest...); };
  };
}
/// The functions of controllers have their type before the joint.
template <class Function>
auto of_controller(Function function) {
  return [function](auto& board, Arguments& arguments) {
    const vocab32_t type = arguments.take<PidType>().code;
    return [&board, function, type](int j, const auto&... rest) {
      return (board.*function)(type, j, rest...);
    };
  };
}

/// Which joints, from the arguments.
using Choose = std::vector<int> (*)(const Board&, Arguments&);
inline std::vector<int> one_joint(const Board&, Arguments& arguments) {
  return {arguments.take<int>()};
}
inline std::vector<int> every_joint(const Board& board, Arguments&) { return all_joints(board); }
inline std::vector<int> some_joints(const Board&, Arguments& arguments) {
  return arguments.joints();
}

template <class T, class Bind>
auto set_function(Bind bind, Choose choose) {
  return [=](Board& board, Arguments& arguments, Answer&) {
    const auto set = bind(board, arguments);
    const std::vector<int> joints = choose(board, arguments);
    const std::vector<T> values = choose == one_joint ? std::vector<T>{arguments.take<T>()}
                                                      : arguments.list<T>(joints.size());
    return arguments.ok()
               ? for_joints(board, joints, [&](std::size_t i, int j) { return set(j, values[i]); })
               : kMalformed;
  };
}
template <class As, class T, class Bind>
auto get_function(Bind bind, Choose choose) {
  return [=](Board& board, Arguments& arguments, Answer& answer) {
    const auto get = bind(std::as_const(board), arguments);
    const std::vector<int> joints = choose == one_joint
                                        ? std::vector<int>{asked_joint(arguments, answer)}
                                        : choose(board, arguments);
    if (!arguments.ok()) {
      return kMalformed;
    }
    std::vector<As> values;
    const ReturnValue result = for_joints(board, joints, [&](std::size_t, int j) {
      T value{};
      const ReturnValue one = get(j, &value);
      values.push_back(As{value});
      return one;
    });
    if (values.empty() && !result) {
      return result;  // not even asked
    }
    choose == one_joint ? answer.add<As>(values.front()) : answer.add(values);
    return result;
  };
}
template <class Bind>
auto act_function(Bind bind, Choose choose) {
  return [=](Board& board, Arguments& arguments, Answer&) {
    const auto act = bind(board, arguments);
    const std::vector<int> joints = choose(board, arguments);
    return arguments.ok() ? for_joints(board, joints, [&](std::size_t, int j) { return act(j); })
                          : kMalformed;
  };
}

/// Sets a value.
template <class T>
Calls set(ReturnValue (Board::*function)(int, T)) {
  using V = std::decay_t<T>;
  const auto bind = of_joint(function);
  return {{"j x", set_function<V>(bind, one_joint)},
          {"(x..)", set_function<V>(bind, every_joint)},
          {"n (j..) (x..)", set_function<V>(bind, some_joints)}};
}
template <class T>
Calls set(ReturnValue (Board::*function)(vocab32_t, int, T)) {
  using V = std::decay_t<T>;
  const auto bind = of_controller(function);
  return {{"type j x", set_function<V>(bind, one_joint)},
          {"type (x..)", set_function<V>(bind, every_joint)},
          {"type n (j..) (x..)", set_function<V>(bind, some_joints)}};
}
/// Finds a value out; As, when it is told as another type than the board's.
template <class As = void, class T>
Calls get(ReturnValue (Board::*function)(int, T*) const) {
  using V = std::conditional_t<std::is_void_v<As>, T, As>;
  const auto bind = of_joint(function);
  return {{"j", get_function<V, T>(bind, one_joint)},
          {"", get_function<V, T>(bind, every_joint)},
          {"n (j..)", get_function<V, T>(bind, some_joints)}};
}
template <class T>
Calls get(ReturnValue (Board::*function)(vocab32_t, int, T*) const) {
  const auto bind = of_controller(function);
  return {{"type j", get_function<T, T>(bind, one_joint)},
          {"type", get_function<T, T>(bind, every_joint)},
          {"type n (j..)", get_function<T, T>(bind, some_joints)}};
}
/// Does something.
inline Calls act(ReturnValue (Board::*function)(int)) {
  const auto bind = of_joint(function);
  return {{"j", act_function(bind, one_joint)},
          {"", act_function(bind, every_joint)},
          {"n (j..)", act_function(bind, some_joints)}};
}
inline Calls act(ReturnValue (Board::*function)(vocab32_t, int)) {
  const auto bind = of_controller(function);
  return {{"type j", act_function(bind, one_joint)},
          {"type", act_function(bind, every_joint)},
          {"type n (j..)", act_function(bind, some_joints)}};
}

}  // namespace servosim::wire
