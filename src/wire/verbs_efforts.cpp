// SPDX-License-Identifier: Apache-2.0
// ITorqueControl, IImpedanceControl, IPWMControl, ICurrentControl.
#include "wire/verbs.h"

namespace servosim::wire {

namespace {

constexpr Frame kNoStamp{.stamp = false};
constexpr Frame kInList{.list = true};

}  // namespace

void add_efforts(Verbs& verbs) {
  verbs.add("set torq", {"ref", "refs", ""}, set(&Board::setRefTorque));
  verbs.add("get torq", {"ref", "refs", ""}, get(&Board::getRefTorque));
  verbs.add_v4("set torq", {"", "", "refg"}, set(&Board::setRefTorque));
  verbs.add_v4("get torq", {"", "", "refg"}, get(&Board::getRefTorque));
  verbs.add("get torq", {"trq", "trqs", ""}, get(&Board::getTorque));
  verbs.add("get torq rng", report(&Board::getTorqueRange));
  verbs.add("get torq rngs", of_all(&Board::getTorqueRanges));
  verbs.add("set torq mtps",
            order("j (bemf scale ktau scale viscous+ viscous- coulomb+ coulomb- threshold)",
                  &Board::setMotorTorqueParams));
  verbs.add("get torq mtps", report(&Board::getMotorTorqueParams));
  verbs.add("set torq trqd", order("", &Board::setTorqueMode));

  verbs.add("set iimp ipr", open(order("j (stiffness damping)", &Board::setImpedance)));
  verbs.add("get iimp ipr", report(&Board::getImpedance), kInList);
  verbs.add("set iimp iof", open(order("j (offset)", &Board::setImpedanceOffset)));
  verbs.add("get iimp iof", report(&Board::getImpedanceOffset), kInList);
  verbs.add("get iimp llim", report(&Board::getCurrentImpedanceLimit), kInList);

  verbs.add_v4("set ipwm", {"ref", "refs", "refg"}, set(&Board::setRefDutyCycle));
  verbs.add("get ipwm", {"ref", "refs", ""}, get(&Board::getRefDutyCycle), kNoStamp);
  verbs.add("get ipwm", {"pwm", "pwms", ""}, get(&Board::getDutyCycle), kNoStamp);

  verbs.add_v4("set icur", {"ref", "refs", "refg"}, set(&Board::setRefCurrent));
  verbs.add("get icur", {"ref", "refs", ""}, get(&Board::getRefCurrent), kNoStamp);
  verbs.add("get icur rng", report(&Board::getCurrentRange), kNoStamp);
  verbs.add("get icur rngs", of_all(&Board::getCurrentRanges), kNoStamp);
}

}  // namespace servosim::wire
