// SPDX-License-Identifier: Apache-2.0
// IPositionControl, IPositionDirect, IVelocityControl, IVelocityDirect, IControlLimits.
#include "wire/verbs.h"

namespace servosim::wire {

namespace {

// One truth for all of them.
ReturnValue group_done(Board& board, Arguments& arguments, Answer& answer) {
  const std::vector<int> joints = arguments.joints();
  bool done = false;
  const ReturnValue result = arguments.ok() ? board.checkMotionDone(joints, &done) : kMalformed;
  answer.add(done);
  return result;
}

Calls motion_done() {
  using One = ReturnValue (Board::*)(int, bool*) const;
  using All = ReturnValue (Board::*)(bool*) const;
  return {report(One(&Board::checkMotionDone)),
          report(All(&Board::checkMotionDone)),
          {"n (j..)", group_done}};
}

}  // namespace

void add_motion(Verbs& verbs) {
  verbs.add("set", {"pos", "poss", "posg"}, "positionMove", set(&Board::positionMove));
  verbs.add("set", {"rel", "rels", "relg"}, "relativeMove", set(&Board::relativeMove));
  verbs.add("get", {"pos", "poss", "posg"}, "getTargetPosition", get(&Board::getTargetPosition));
  verbs.add("get", {"don", "dons", "dong"}, "checkMotionDone", motion_done());
  verbs.add("set", {"vel", "vels", "velg"}, "setTrajSpeed", set(&Board::setRefSpeed));
  verbs.add("get", {"vel", "vels", "velg"}, "getTrajSpeed", get(&Board::getRefSpeed));
  verbs.add("set", {"acc", "accs", "accg"}, "setTrajAcceleration", set(&Board::setRefAcceleration));
  verbs.add("get", {"acc", "accs", "accg"}, "getTrajAcceleration", get(&Board::getRefAcceleration));
  verbs.add("set", {"sto", "stos", "stog"}, "stop", act(&Board::stop));

  verbs.add("set", {"", "vmos", ""}, "velocityMove", set(&Board::velocityMove));
  verbs.add("get", {"vmo", "vmos", "vmog"}, "getTargetVelocity", get(&Board::getRefVelocity));

  verbs.add("", {}, "setDesiredVelocity", set(&Board::setDesiredVelocity));
  verbs.add("", {}, "getDesiredVelocity", get(&Board::getDesiredVelocity));

  verbs.add("", {}, "setPosition", set(&Board::setPosition));
  verbs.add("get", {"dpo", "dpos", "dpog"}, "getRefPosition", get(&Board::getRefPosition));

  verbs.add("set llim", "setPosLimitsRPC", order("j min max", &Board::setLimits));
  verbs.add("get llim", "getPosLimitsRPC", report(&Board::getLimits));
  verbs.add("set vlim", "setVelLimitsRPC", order("j min max", &Board::setVelLimits));
  verbs.add("get vlim", "getVelLimitsRPC", report(&Board::getVelLimits));
}

}  // namespace servosim::wire
