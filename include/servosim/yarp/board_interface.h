// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

#include "servosim/yarp/board_config.h"
#include "servosim/yarp/return_value.h"
#include "servosim/yarp/vocabs.h"

namespace servosim::yarp {

class BoardCore;
template <class... T>
class JointCall;

/// The type of kAllJoints.
///
/// Threads: a plain value.
struct AllJoints {};
/// All joints of a board, in their order.
inline constexpr AllJoints kAllJoints;

/// Which joints a function of a board is for: joint j, counted from 0; a group; or kAllJoints. A
/// group has at most as many joints as the board, else the function is refused with OutOfRange. The
/// same joint may be in it twice. A group is not copied: it must outlive the call.
///
/// Threads: a plain value.
class JointSet {
 public:
  // The conversions are implicit, so that functions are called with a joint or with a group.
  JointSet(int j) : one_(j), form_(Form::One) {}
  JointSet(AllJoints) : form_(Form::All) {}
  template <class Group>
  requires std::is_convertible_v<const Group&, std::span<const int>> JointSet(const Group& group)
      : group_(group), form_(Form::Group) {}

  /// Returns whether the joints may be those of a board of `axes` joints. It does not look at their
  /// numbers.
  bool fit(std::size_t axes) const { return form_ != Form::Group || group_.size() <= axes; }
  /// The number of joints, on a board of `axes` joints.
  std::size_t count(std::size_t axes) const {
    return form_ == Form::One ? 1 : form_ == Form::All ? axes : group_.size();
  }
  /// The number of the i-th of these joints.
  int operator[](std::size_t i) const {
    return form_ == Form::One ? one_ : form_ == Form::All ? static_cast<int>(i) : group_[i];
  }

 private:
  enum class Form : unsigned char { One, All, Group };

  std::span<const int> group_;
  int one_ = 0;
  Form form_;
};

/// A value for each of a JointSet, in their order. A function with values is refused with
/// OutOfRange, and does nothing, if there are not as many values as joints. `T` is const for values
/// that a function reads. Values are not copied: they must outlive the call.
///
/// Threads: a plain value.
template <class T>
class PerJoint : public std::span<T> {
 public:
  // The conversions are implicit, so that functions are called with a value or with a list.
  PerJoint(T& value) requires std::is_const_v<T> : std::span<T>(&value, 1) {}
  /// @param value  where the value of one joint goes; not null
  PerJoint(T* value) requires(!std::is_const_v<T>) : std::span<T>(value, 1) {}
  template <class List>
  requires std::is_convertible_v<List&&, std::span<T>> PerJoint(List&& list) : std::span<T>(list) {}
};

/// Numbers that a function reads, one per joint.
using Values = PerJoint<const double>;
/// Numbers that a function returns, one per joint.
using Results = PerJoint<double>;

/// The base of the interfaces of a ControlBoard, which have the names, units and meaning of YARP's.
/// ControlBoard::view() makes them. An interface refers to its board, which must outlive it.
///
/// Where YARP has functions for a joint, for a group and for all joints, there is one function here
/// with the name of the first. It goes on after a joint that refuses; ReturnValue::operator&=
/// decides which refusal is returned.
///
/// A number that is not finite or beyond 1e12 is refused with BadValue, a joint that is not there
/// with OutOfRange. A command that the mode of the joint does not accept is dropped with WrongMode.
/// Parameters may be set in every mode. A refusal changes nothing, and is reported through
/// BoardConfig::notice. No function throws.
///
/// Threads: one at a time, that of the board's simulation.
class BoardInterface {
 public:
  explicit BoardInterface(BoardCore& board) : board_(&board) {}

 protected:
  BoardCore& board() const { return *board_; }
  template <class... T>
  JointCall<T...> on(const JointSet& joints, const PerJoint<T>&... values) const;

 private:
  BoardCore* board_;
};

}  // namespace servosim::yarp
