// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/report_once.h"
#include "physics/state.h"
#include "scene/scene.h"
#include "servosim/robot.h"

namespace servosim::test {

/// A motor on a joint that is only a record.
class MotorTest : public testing::Test {
 protected:
  MotorTest() : notices_([this](std::string_view m) { said_.emplace_back(m); }) {
    spec_.name = "m";
    spec_.max_velocity = 4.0;
    spec_.max_force = spec_.available_force = 6.0;
    joint_.position = 0.25;
    joint_.dynamic = true;
    joint_.has_feedback = true;
  }
  Motor make() { return Motor(spec_, "r", &joint_, notices_); }
  static std::string notice(const std::string& what) {
    return "robot \"r\", motor \"m\": " + what + " (reported once)";
  }

  MotorSpec spec_;
  JointState joint_;
  std::vector<std::string> said_;
  Notices notices_;
};

}  // namespace servosim::test
