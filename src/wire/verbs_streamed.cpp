// SPDX-License-Identifier: Apache-2.0
// The commands of NAME/command:i. Their values are a list of their own, also for one joint.
#include "wire/verbs.h"

namespace servosim::wire {

void add_streamed(Verbs& verbs) {
  verbs.add_streamed("ivel", {"vmo", "vmos", "vmog"}, set(&Board::velocityMove));
  verbs.add_streamed("ipod", {"dpo", "dpos", "dpog"}, set(&Board::setPosition));
  verbs.add_streamed("itrq", {"dtq", "dtqs", "dtqg"}, set(&Board::setRefTorque));
  verbs.add_streamed("ipos", {"", "poss", ""}, set(&Board::positionMove));
  verbs.add_streamed("ipwm", {"ref", "refs", ""}, set(&Board::setRefDutyCycle));
  verbs.add_streamed("icur", {"ref", "refs", "refg"}, set(&Board::setRefCurrent));
}

}  // namespace servosim::wire
