// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string>
#include <type_traits>

#include "servosim/yarp/board_interface.h"
#include "yarp/control_board/board_core.h"

namespace servosim::yarp {

// Functions of interfaces call one of these. They loop over joints, and check the joints and
// values. `what` is the name of the function in warnings, a literal.

/// Calls `one(j, value...)` for every joint and its values. It goes on after a refusal.
template <class One, class... T>
ReturnValue each(const BoardCore& board, const JointSet& joints, const One& one,
                 const PerJoint<T>&... values) {
  const std::size_t axes = board.axes().size();
  const std::size_t count = joints.count(axes);
  if (!joints.fit(axes) || ((values.size() != count) || ...)) {
    return {Status::OutOfRange};
  }
  ReturnValue result;
  for (std::size_t i = 0; i < count; ++i) {
    result &= one(joints[i], values[i]...);
  }
  return result;
}

/// Calls `look(axis, value...)` for every joint, to return values.
template <class Look, class... T>
ReturnValue look_at(const BoardCore& board, const JointSet& joints, const Look& look,
                    const PerJoint<T>&... values) {
  return each(
      board, joints,
      [&](int j, T&... value) {
        if (!board.has(j)) {
          return ReturnValue{Status::OutOfRange};
        }
        look(board.axes()[j], value...);
        return ReturnValue{};
      },
      values...);
}

/// Returns `get(joint)`.
template <class T, class Get>
ReturnValue read(const BoardCore& board, const JointSet& joints, const PerJoint<T>& values,
                 const Get& get) {
  return look_at(
      board, joints, [&](const BoardAxis& axis, T& value) { value = get(axis.joint); }, values);
}
/// Returns a parameter of the joint.
template <class T>
ReturnValue read(const BoardCore& board, const JointSet& joints, const PerJoint<T>& values,
                 T JointParameters::*parameter) {
  return read(board, joints, values,
              [parameter](const BoardJoint& joint) { return joint.parameters.*parameter; });
}
/// Returns one of the last commands.
template <class T>
ReturnValue read(const BoardCore& board, const JointSet& joints, const PerJoint<T>& values,
                 T JointCommands::*command) {
  return read(board, joints, values,
              [command](const BoardJoint& joint) { return joint.references.commands.*command; });
}
/// Returns `get(joint, measurement)`.
template <class Get>
ReturnValue sense(const BoardCore& board, const JointSet& joints, const Results& values,
                  const Get& get) {
  return look_at(
      board, joints,
      [&](const BoardAxis& axis, double& value) { value = get(axis.joint, board.measured(axis)); },
      values);
}
/// Refuses values that no joint has.
inline ReturnValue absent(const BoardCore& board, const JointSet& joints, const Results& values) {
  return each(
      board, joints,
      [&](int j, double) {
        return ReturnValue{board.has(j) ? Status::NotAvailable : Status::OutOfRange};
      },
      values);
}

/// Calls `act`, which may return a refusal or nothing.
template <class Act, class... Arguments>
ReturnValue result_of(const Act& act, Arguments&... arguments) {
  if constexpr (std::is_void_v<std::invoke_result_t<const Act&, Arguments&...>>) {
    act(arguments...);
    return {};
  } else {
    return act(arguments...);
  }
}

/// Calls `act(axis, value...)` for every joint. It may return a refusal.
template <class Act, class... T>
ReturnValue change(BoardCore& board, const JointSet& joints, const Act& act,
                   const PerJoint<T>&... values) {
  return each(
      board, joints,
      [&](int j, T&... value) {
        return board.check_index(j) ? result_of(act, board.axes()[j], value...)
                                    : ReturnValue{Status::OutOfRange};
      },
      values...);
}
/// Does the same with numbers for which is_possible() is true.
template <class Set, class... T>
ReturnValue write(BoardCore& board, const JointSet& joints, const char* what, const Set& set,
                  const PerJoint<T>&... values) {
  return change(
      board, joints,
      [&](BoardAxis& axis, T&... value) {
        for (const double number : {value...}) {
          if (!is_possible(number)) {
            return board.refuse_number(axis.number, what, number);
          }
        }
        return result_of(set, axis, value...);
      },
      values...);
}
/// Sets a parameter to a number.
inline ReturnValue write(BoardCore& board, const JointSet& joints, const char* what,
                         const Values& values, double JointParameters::*parameter) {
  return write(
      board, joints, what,
      [parameter](BoardAxis& axis, double value) { axis.joint.parameters.*parameter = value; },
      values);
}

/// Executes `act(axis)` if the value is possible and the joint is in one of the modes.
template <class Act>
ReturnValue obey(BoardCore& board, int j, const char* what, double value,
                 std::initializer_list<vocab32_t> modes, const Act& act) {
  if (!board.check_index(j)) {
    return {Status::OutOfRange};
  }
  if (!is_possible(value)) {
    return board.refuse_number(j, what, value);
  }
  BoardAxis& axis = board.axes()[j];
  for (const vocab32_t mode : modes) {
    if (mode == axis.joint.status.mode()) {
      act(axis);
      return {};
    }
  }
  board.warn(j, {what, Status::WrongMode},
             std::string(what) + " ignored in control mode \"" +
                 to_string(board.reported_mode(axis.joint)) + "\"");
  return {Status::WrongMode};
}
/// Executes a command, `act(axis, value)`, for every joint that is in one of the modes.
template <class Act>
ReturnValue command(BoardCore& board, const JointSet& joints, const char* what,
                    const Values& values, std::initializer_list<vocab32_t> modes, const Act& act) {
  return each(
      board, joints,
      [&](int j, double value) {
        return obey(board, j, what, value, modes, [&](BoardAxis& axis) { act(axis, value); });
      },
      values);
}

/// Accepts a function that YARP has deprecated, and says that it does nothing.
inline void warn_deprecated(BoardCore& board, int j, const char* what, const char* instead) {
  board.warn(j, {what, Status::Ok},
             std::string(what) + " is deprecated and does nothing; " + instead);
}

}  // namespace servosim::yarp
