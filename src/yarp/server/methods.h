// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "yarp/protocol/bottle.h"

namespace servosim::yarp::server {

/// A method of ControlBoardMsgs, the service of a control board of YARP 4.0.
///
/// Types are those of its interface file in short: `mode`, `type` and `pidtype` are enums, numbers
/// on the wire; `double[]` is a list; `Calibration` and `MotorTorque` are records whose fields
/// stand in the message one after the other, `Pid`, `InfoPid` and `Bottle` are lists.
struct Method {
  std::string_view name;   ///< "getImpedanceRPC"
  std::string_view takes;  ///< types of the arguments, "i32 double double"
  std::string_view gives;  ///< types of what follows the return value; "": it stands alone
  std::string_view verb;   ///< what does it, by its words in Verbs; "": no board here can
};

/// All that there are.
std::span<const Method> methods();
/// Null: there is none of that name.
const Method* find_method(std::string_view name);

/// A return value, such as "ok" or "err2": 00 01 00 00 01 00 00 00 09 00 00 00 and the code.
/// Programs read these 16 bytes as they are, so it never leaves out the tag.
Bottle return_value(std::string_view code);
/// The reply of a method of which only the return value is known: 0, "" or [fail] in the place of
/// everything else, for a program that finds less than a whole record waits for ever. Lists of
/// numbers and Pids have one for each joint, others none.
Bottle bare_reply(const Method& method, std::string_view code, std::size_t axes);

}  // namespace servosim::yarp::server
