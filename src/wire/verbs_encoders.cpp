// SPDX-License-Identifier: Apache-2.0
// IEncodersTimed, IMotorEncoders.
#include "wire/verbs.h"

namespace servosim::wire {

namespace {

// The motors' functions are of a base class of the board, which templates do not see through.
using Read = ReturnValue (Board::*)(int, double*) const;
using Write = ReturnValue (Board::*)(int, double);
using Act = ReturnValue (Board::*)(int);
using ReadTimed = ReturnValue (Board::*)(int, double*, double*) const;
using Count = ReturnValue (Board::*)(int*) const;

}  // namespace

void add_encoders(Verbs& verbs) {
  verbs.add("get", {"enc", "encs", ""}, "getEncoder", get(&Board::getEncoder));
  verbs.add("get", {"esp", "esps", ""}, "getEncoderSpeed", get(&Board::getEncoderSpeed));
  verbs.add("get", {"eac", "eacs", ""}, "getEncoderAcceleration",
            get(&Board::getEncoderAcceleration));
  verbs.add("set", {"enc", "encs", ""}, "setEncoder", set(&Board::setEncoder));
  verbs.add("set", {"ere", "eres", ""}, "resetEncoder", act(&Board::resetEncoder));
  verbs.add("", "getEncoderTimedOneRPC", report(&Board::getEncoderTimed));

  verbs.add("get mnum", "getNumberOfMotorEncodersRPC",
            report(Count(&Board::getNumberOfMotorEncoders)));
  verbs.add("get", {"mnc", "mncs", ""}, "getMotorEncoder", get(Read(&Board::getMotorEncoder)));
  verbs.add("get", {"msp", "msps", ""}, "getMotorEncoderSpeed",
            get(Read(&Board::getMotorEncoderSpeed)));
  verbs.add("get", {"mac", "macs", ""}, "getMotorEncoderAcceleration",
            get(Read(&Board::getMotorEncoderAcceleration)));
  verbs.add("set", {"mnc", "mncs", ""}, "setMotorEncoder", set(Write(&Board::setMotorEncoder)));
  verbs.add("set", {"mre", "mres", ""}, "resetMotorEncoder", act(Act(&Board::resetMotorEncoder)));
  verbs.add("", "getMotorEncoderTimedOneRPC", report(ReadTimed(&Board::getMotorEncoderTimed)));
  verbs.add("set mcpr", "setMotorEncoderCountsPerRevolutionRPC",
            set(&Board::setMotorEncoderCountsPerRevolution).one);
  verbs.add("get mcpr", "getMotorEncoderCountsPerRevolutionRPC",
            get(&Board::getMotorEncoderCountsPerRevolution).one);
}

}  // namespace servosim::wire
