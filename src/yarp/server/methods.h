// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "yarp/protocol/bottle.h"

namespace servosim::yarp::server {

/// A method of ControlBoardMsgs, the service of a control board of YARP 4.0.
///
/// Types abbreviate those of its interface file: `mode`, `type` and `pidtype` are enums, which are
/// numbers on the wire; `double[]` is a list; the fields of the records `Calibration` and
/// `MotorTorque` are items of the message; `Pid`, `InfoPid` and `Bottle` are lists.
struct Method {
  std::string_view name;   ///< such as "getImpedanceRPC"
  std::string_view takes;  ///< types of the arguments, such as "i32 double double"
  std::string_view gives;  ///< types of the values after the return value; empty if there are none
  std::string_view verb;   ///< words of its Verb; empty if boards here do not support it
};

/// Returns all methods of the service.
std::span<const Method> methods();
/// Returns the method of that name, or null.
const Method* find_method(std::string_view name);

/// Returns a return value, such as "ok" or "err2": 00 01 00 00 01 00 00 00 09 00 00 00 and the
/// code. Programs read these 16 bytes without decoding them, so the tag is always present.
Bottle return_value(std::string_view code);
/// Returns the reply of a method that has only its return value. All other values are 0, "" or
/// [fail], since a program that reads less than a whole record waits forever. Lists of numbers and
/// Pids have an item for each joint; other lists are empty.
Bottle bare_reply(const Method& method, std::string_view code, std::size_t axes);

}  // namespace servosim::yarp::server
