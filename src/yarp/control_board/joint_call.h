// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <functional>
#include <initializer_list>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "servosim/yarp/board_interface.h"
#include "yarp/control_board/board_core.h"

namespace servosim::yarp {

/// Calls `act`, which returns a ReturnValue or nothing.
template <class Act, class... Arguments>
ReturnValue result_of(const Act& act, Arguments&&... arguments) {
  if constexpr (std::is_void_v<std::invoke_result_t<const Act&, Arguments...>>) {
    act(std::forward<Arguments>(arguments)...);
    return {};
  } else {
    return act(std::forward<Arguments>(arguments)...);
  }
}

/// Executes `act()` if the value is possible and the joint is in one of the modes. The joint
/// exists.
/// @param what  the name of the command in warnings, a literal
template <class Act>
ReturnValue obey(BoardCore& board, const BoardAxis& axis, const char* what, double value,
                 std::initializer_list<vocab32_t> modes, const Act& act) {
  if (const ReturnValue possible = board.check_numbers(axis.number, what, {value}); !possible) {
    return possible;
  }
  for (const vocab32_t mode : modes) {
    if (mode == axis.joint.status.mode()) {
      act();
      return {};
    }
  }
  board.warn(axis.number, {what, Status::WrongMode},
             fmt::format("{} ignored in control mode \"{}\"", what,
                         to_string(board.reported_mode(axis.joint))));
  return {Status::WrongMode};
}

/// Says that a function does nothing.
inline void warn_deprecated(BoardCore& board, const BoardAxis& axis, const char* what,
                            const char* instead) {
  board.warn(axis.number, {what, Status::Ok},
             fmt::format("{} is deprecated and does nothing; {}", what, instead));
}

/// The loop of a function of an interface over joints and their values, with the checks of both. It
/// goes on after a refusal. Functions that it calls return a refusal or nothing.
template <class... T>
class JointCall {
 public:
  JointCall(BoardCore& board, const JointSet& joints, const PerJoint<T>&... values)
      : board_(board), joints_(joints), values_(values...) {}

  /// Calls `look(axis, value...)`, to return values.
  template <class Look>
  ReturnValue look(const Look& look) const {
    return each([&](int j, T&... value) {
      return board_.has(j) ? result_of(look, std::as_const(board_).axes()[j], value...)
                           : ReturnValue{Status::OutOfRange};
    });
  }
  /// Returns `get(joint)`.
  template <class Get>
  ReturnValue read(const Get& get) const {
    return look([&](const BoardAxis& axis, T&... value) { ((value = get(axis.joint)), ...); });
  }
  /// Returns a parameter of the joint.
  template <class Owner>
  ReturnValue read(double Owner::*parameter) const {
    return read([&](const BoardJoint& joint) { return joint.parameters.*parameter; });
  }
  /// Returns one of the last commands.
  ReturnValue read(double JointCommands::*command) const {
    return read([&](const BoardJoint& joint) { return joint.references.commands.*command; });
  }
  /// Returns `get(joint, measurement)`.
  template <class Get>
  ReturnValue sense(const Get& get) const {
    return look([&](const BoardAxis& axis, double& value) {
      value = std::invoke(get, axis.joint, board_.measured(axis));
    });
  }
  ReturnValue sense(double JointMeasurement::*value) const {
    return sense([&](const BoardJoint&, const JointMeasurement& now) { return now.*value; });
  }

  /// Calls `act(axis, value...)`. A joint that is not there gives a warning.
  template <class Act>
  ReturnValue change(const Act& act) const {
    return each([&](int j, T&... value) {
      return board_.check_index(j) ? result_of(act, board_.axes()[j], value...)
                                   : ReturnValue{Status::OutOfRange};
    });
  }
  /// Does the same with numbers for which is_possible() is true.
  /// @param what  the name of the function in warnings, a literal
  template <class Set>
  ReturnValue write(const char* what, const Set& set) const {
    return change([&](BoardAxis& axis, T&... value) {
      const ReturnValue possible = board_.check_numbers(axis.number, what, {value...});
      return possible ? result_of(set, axis, value...) : possible;
    });
  }
  template <class Owner>
  ReturnValue write(const char* what, double Owner::*parameter) const {
    return write(what,
                 [&](BoardAxis& axis, double value) { axis.joint.parameters.*parameter = value; });
  }
  /// Executes a command, `act(axis, value)`, for every joint that is in one of the modes.
  template <class Act>
  ReturnValue command(const char* what, std::initializer_list<vocab32_t> modes,
                      const Act& act) const {
    return change([&](BoardAxis& axis, double value) {
      return obey(board_, axis, what, value, modes, [&] { act(axis, value); });
    });
  }
  /// Accepts a function that YARP has deprecated.
  ReturnValue deprecated(const char* what, const char* instead) const {
    return change([&](const BoardAxis& axis) { warn_deprecated(board_, axis, what, instead); });
  }

 private:
  template <class One>
  ReturnValue each(const One& one) const {
    const std::size_t axes = board_.axes().size();
    const std::size_t count = joints_.count(axes);
    const auto loop = [&](const PerJoint<T>&... lists) {
      const bool fit = joints_.fit(axes) && ((lists.size() == count) && ...);
      ReturnValue result{fit ? Status::Ok : Status::OutOfRange};
      for (std::size_t i = 0; fit && i < count; ++i) {
        result &= one(joints_[i], lists[i]...);
      }
      return result;
    };
    return std::apply(loop, values_);
  }

  BoardCore& board_;
  JointSet joints_;
  std::tuple<PerJoint<T>...> values_;
};

template <class... T>
JointCall<T...> BoardInterface::on(const JointSet& joints, const PerJoint<T>&... values) const {
  return {board(), joints, values...};
}

}  // namespace servosim::yarp
