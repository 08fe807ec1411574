// SPDX-License-Identifier: Apache-2.0
// The commands of NAME/command:i. Their values are a list of their own, also for one joint.
#include "wire/verbs.h"

namespace servosim::wire {

namespace {

// 4.0 says [vdso] for a joint and [vdsa] for all. What it says for a group is not known, so any
// word will do and the joints tell the shape.
Call desired_velocity() {
  const Calls calls = set(&Board::setDesiredVelocity);
  return {
      "word, j or n (j..) or none, (x..)",
      [calls, one = streamed_one(calls.one)](Board& board, Arguments& arguments, Answer& answer) {
        arguments.take<std::string>();
        const bool of_all = arguments.left() == 1;  // the values
        const bool of_one = arguments.left() == 2 && !arguments.at_list();
        const Call& call = of_all ? calls.all : of_one ? one : calls.group;
        return call.function(board, arguments, answer);
      }};
}

}  // namespace

void add_streamed(Verbs& verbs) {
  verbs.add_streamed("ivel", {"vmo", "vmos", "vmog"}, set(&Board::velocityMove));
  verbs.add_streamed("ipod", {"dpo", "dpos", "dpog"}, set(&Board::setPosition));
  verbs.add_streamed("itrq", {"dtq", "dtqs", "dtqg"}, set(&Board::setRefTorque));
  verbs.add_streamed("ipos", {"", "poss", ""}, set(&Board::positionMove));
  verbs.add_streamed("ipwm", {"ref", "refs", ""}, set(&Board::setRefDutyCycle));
  verbs.add_streamed("icur", {"ref", "refs", "refg"}, set(&Board::setRefCurrent));
  verbs.add_streamed("ived", desired_velocity());
}

}  // namespace servosim::wire
