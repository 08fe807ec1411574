// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "servosim/yarp/return_value.h"
#include "servosim/yarp/vocabs.h"

namespace servosim::yarp {

/// Calls a function of one joint for all joints of a board, or for a group of them. It goes on
/// after a joint that refuses; ReturnValue::operator&= decides which refusal is returned. Board
/// derives from it, and has axes().
///
/// Threads: one at a time.
template <class Board>
class JointLoops {
 public:
  /// Calls `one(i, joints[i])` for i from 0. A group of more joints than the board has is refused
  /// with OutOfRange, and `one` is not called. The same joint may be in the group twice.
  template <class One>
  ReturnValue for_joints(std::span<const int> joints, const One& one) const {
    if (joints.size() > board().axes()) {
      return kWrongCount;
    }
    ReturnValue result;
    for (std::size_t i = 0; i < joints.size(); ++i) {
      result &= one(i, joints[i]);
    }
    return result;
  }
  /// Calls `one(joint)` for every joint of the board.
  template <class One>
  ReturnValue for_all(const One& one) const {
    ReturnValue result;
    for (std::size_t j = 0; j < board().axes(); ++j) {
      result &= one(static_cast<int>(j));
    }
    return result;
  }

 protected:
  // The overloads below call `one` with a value for each joint of the board, or of a group. If
  // there are not as many values as joints, they return OutOfRange and call nothing.
  template <class T>
  ReturnValue each(ReturnValue (Board::*one)(int, T), std::span<const T> values) {
    return values.size() == board().axes()
               ? for_all([&](int j) { return (board().*one)(j, values[j]); })
               : kWrongCount;
  }
  template <class T>
  ReturnValue each(ReturnValue (Board::*one)(int, T), std::span<const int> joints,
                   std::span<const T> values) {
    return values.size() == joints.size()
               ? for_joints(joints,
                            [&](std::size_t i, int j) { return (board().*one)(j, values[i]); })
               : kWrongCount;
  }
  template <class T>
  ReturnValue each(ReturnValue (Board::*one)(int, T*) const, std::span<T> values) const {
    return values.size() == board().axes()
               ? for_all([&](int j) { return (board().*one)(j, &values[j]); })
               : kWrongCount;
  }
  template <class T>
  ReturnValue each(ReturnValue (Board::*one)(int, T*) const, std::span<const int> joints,
                   std::span<T> values) const {
    return values.size() == joints.size()
               ? for_joints(joints,
                            [&](std::size_t i, int j) { return (board().*one)(j, &values[i]); })
               : kWrongCount;
  }
  // These two are for functions that take a type of controller, VOCAB_PIDTYPE_…, first.
  template <class T, class Argument>
  ReturnValue each(ReturnValue (Board::*one)(vocab32_t, int, Argument), vocab32_t type,
                   std::span<const T> values) {
    return values.size() == board().axes()
               ? for_all([&](int j) { return (board().*one)(type, j, values[j]); })
               : kWrongCount;
  }
  template <class T>
  ReturnValue each(ReturnValue (Board::*one)(vocab32_t, int, T*) const, vocab32_t type,
                   std::span<T> values) const {
    return values.size() == board().axes()
               ? for_all([&](int j) { return (board().*one)(type, j, &values[j]); })
               : kWrongCount;
  }

 private:
  static constexpr ReturnValue kWrongCount{Status::OutOfRange};

  Board& board() { return static_cast<Board&>(*this); }
  const Board& board() const { return static_cast<const Board&>(*this); }
};

}  // namespace servosim::yarp
