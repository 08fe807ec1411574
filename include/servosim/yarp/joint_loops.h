// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "servosim/yarp/return_value.h"
#include "servosim/yarp/vocabs.h"

namespace servosim::yarp {

/// Functions of one joint called for all joints of a board, or for a group. All are called, also
/// after one refused; where there are not as many values as joints, none is.
/// Threads: one at a time.
template <class Board>
class JointLoops {
 protected:
  template <class Call>
  static ReturnValue loop(std::size_t count, bool fits, Call call) {
    ReturnValue result{fits ? Status::Ok : Status::OutOfRange};
    for (std::size_t i = 0; fits && i < count; ++i) {
      result &= call(static_cast<int>(i));
    }
    return result;
  }
  template <class T>
  ReturnValue each(ReturnValue (Board::*one)(int, T), std::span<const T> values) {
    return loop(values.size(), values.size() == board().axes(),
                [&](int i) { return (board().*one)(i, values[i]); });
  }
  template <class T>
  ReturnValue each(ReturnValue (Board::*one)(int, T), std::span<const int> joints,
                   std::span<const T> values) {
    return loop(joints.size(), values.size() == joints.size(),
                [&](int i) { return (board().*one)(joints[i], values[i]); });
  }
  template <class T>
  ReturnValue each(ReturnValue (Board::*one)(int, T*) const, std::span<T> values) const {
    return loop(values.size(), values.size() == board().axes(),
                [&](int i) { return (board().*one)(i, &values[i]); });
  }
  template <class T>
  ReturnValue each(ReturnValue (Board::*one)(int, T*) const, std::span<const int> joints,
                   std::span<T> values) const {
    return loop(joints.size(), values.size() == joints.size(),
                [&](int i) { return (board().*one)(joints[i], &values[i]); });
  }
  // The same for functions with a leading type of controller.
  template <class T, class Argument>
  ReturnValue each(ReturnValue (Board::*one)(vocab32_t, int, Argument), vocab32_t type,
                   std::span<const T> values) {
    return loop(values.size(), values.size() == board().axes(),
                [&](int i) { return (board().*one)(type, i, values[i]); });
  }
  template <class T>
  ReturnValue each(ReturnValue (Board::*one)(vocab32_t, int, T*) const, vocab32_t type,
                   std::span<T> values) const {
    return loop(values.size(), values.size() == board().axes(),
                [&](int i) { return (board().*one)(type, i, &values[i]); });
  }

 private:
  Board& board() { return static_cast<Board&>(*this); }
  const Board& board() const { return static_cast<const Board&>(*this); }
};

}  // namespace servosim::yarp
