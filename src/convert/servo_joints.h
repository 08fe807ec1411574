// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>

#include "servosim/diagnostics.h"
#include "wbt/node.h"

namespace servosim {

/// A name for the PositionSensor of a Servo, "NAME sensor", with a number behind it if it is among
/// `taken`, to which it is added.
std::string sensor_name(const wbt::Node& servo, std::set<std::string>& taken);

/// The joint that stands for a Servo: its motor and sensor, and the Solid that it moves, which
/// keeps the DEF. A Servo of type "none" becomes a Solid that nothing holds.
wbt::NodePtr servo_joint(wbt::Node servo, const std::string& sensor, Diagnostics& diagnostics);

}  // namespace servosim
