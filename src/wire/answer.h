// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "servosim/yarp/board_config.h"
#include "servosim/yarp/return_value.h"
#include "yarp/bottle.h"

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

}  // namespace servosim::wire
