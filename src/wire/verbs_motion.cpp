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
  verbs.add("set", {"pos", "poss", "posg"}, set(&Board::positionMove));
  verbs.add("set", {"rel", "rels", "relg"}, set(&Board::relativeMove));
  verbs.add("get", {"pos", "poss", "posg"}, get(&Board::getTargetPosition));
  verbs.add("get", {"don", "dons", "dong"}, motion_done());
  verbs.add("set", {"vel", "vels", "velg"}, set(&Board::setRefSpeed));
  verbs.add("get", {"vel", "vels", "velg"}, get(&Board::getRefSpeed));
  verbs.add("set", {"acc", "accs", "accg"}, set(&Board::setRefAcceleration));
  verbs.add("get", {"acc", "accs", "accg"}, get(&Board::getRefAcceleration));
  verbs.add("set", {"sto", "stos", "stog"}, act(&Board::stop));

  verbs.add("set", {"", "vmos", ""}, set(&Board::velocityMove));
  verbs.add_v4("set", {"vmo", "", "vmog"}, set(&Board::velocityMove));
  verbs.add("get", {"vmo", "vmos", "vmog"}, get(&Board::getRefVelocity));

  verbs.add_v4("set ived", {"ref", "refs", "refg"}, set(&Board::setDesiredVelocity));
  verbs.add_v4("get ived", {"ref", "refs", "refg"}, get(&Board::getDesiredVelocity));

  verbs.add_v4("set", {"dpo", "dpos", "dpog"}, set(&Board::setPosition));
  verbs.add("get", {"dpo", "dpos", "dpog"}, get(&Board::getRefPosition));

  verbs.add("set llim", order("j min max", &Board::setLimits));
  verbs.add("get llim", report(&Board::getLimits));
  verbs.add("set vlim", order("j min max", &Board::setVelLimits));
  verbs.add("get vlim", report(&Board::getVelLimits));
}

}  // namespace servosim::wire
