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
  verbs.add("get", {"enc", "encs", ""}, get(&Board::getEncoder));
  verbs.add("get", {"esp", "esps", ""}, get(&Board::getEncoderSpeed));
  verbs.add("get", {"eac", "eacs", ""}, get(&Board::getEncoderAcceleration));
  verbs.add("set", {"enc", "encs", ""}, set(&Board::setEncoder));
  verbs.add("set", {"ere", "eres", ""}, act(&Board::resetEncoder));
  verbs.add_v4("get timed enc", report(&Board::getEncoderTimed));
  verbs.add_v4("get timed encs", of_all(&Board::getEncodersTimed));

  verbs.add("get mnum", report(Count(&Board::getNumberOfMotorEncoders)));
  verbs.add("get", {"mnc", "mncs", ""}, get(Read(&Board::getMotorEncoder)));
  verbs.add("get", {"msp", "msps", ""}, get(Read(&Board::getMotorEncoderSpeed)));
  verbs.add("get", {"mac", "macs", ""}, get(Read(&Board::getMotorEncoderAcceleration)));
  verbs.add("set", {"mnc", "mncs", ""}, set(Write(&Board::setMotorEncoder)));
  verbs.add("set", {"mre", "mres", ""}, act(Act(&Board::resetMotorEncoder)));
  verbs.add_v4("get timed mnc", report(ReadTimed(&Board::getMotorEncoderTimed)));
  verbs.add_v4("get timed mncs", of_all(&Board::getMotorEncodersTimed));
  verbs.add("set mcpr", set(&Board::setMotorEncoderCountsPerRevolution).one);
  verbs.add("get mcpr", get(&Board::getMotorEncoderCountsPerRevolution).one);
}

}  // namespace servosim::wire
