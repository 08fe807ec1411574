// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "yarp/protocol/bottle.h"

namespace servosim::yarp::server {

/// A method of ControlBoardMsgs, the service of a control board of YARP 4.0.
///
/// Types are those of its interface file in short: `mode`, `type` and `pidtype` are enums, numbers
/// on the wire; `double[]` is a list; `Calibration` and `MotorTorque` are records whose fields are
/// items of the message, `Pid`, `InfoPid` and `Bottle` are lists.
struct Method {
  std::string_view name;   ///< "getImpedanceRPC"
  std::string_view takes;  ///< types of the arguments, "i32 double double"
  std::string_view gives;  ///< types of what follows the return value; "": it stands alone
  std::string_view verb;   ///< the words of its Verb; "": boards here do not have it
};

/// All methods of the service.
std::span<const Method> methods();
/// The method of that name, or null.
const Method* find_method(std::string_view name);

/// A return value, such as "ok" or "err2": 00 01 00 00 01 00 00 00 09 00 00 00 and the code.
/// Programs read these 16 bytes as they are, so the tag is always there.
Bottle return_value(std::string_view code);
/// The reply of a method that has only its return value: all other values are 0, "" or [fail],
/// since a program that reads less than a whole record waits forever. Lists of numbers and Pids
/// have an item for each joint, others none.
Bottle bare_reply(const Method& method, std::string_view code, std::size_t axes);

}  // namespace servosim::yarp::server
