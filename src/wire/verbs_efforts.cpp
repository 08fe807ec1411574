// SPDX-License-Identifier: Apache-2.0
// ITorqueControl, IImpedanceControl, IPWMControl, ICurrentControl.
#include "wire/verbs.h"

namespace servosim::wire {

namespace {

constexpr Frame kNoStamp{.stamp = false};
constexpr Frame kInList{.list = true};

// The ranges of all joints: the least values, and the largest.
template <class Ranges>
Call ranges(Ranges function) {
  return {"", [function](Board& board, Arguments&, Answer& answer) {
            const std::size_t axes = all_joints(board).size();
            std::vector<double> mins(axes);
            std::vector<double> maxs(axes);
            const ReturnValue result = (board.*function)(mins, maxs);
            answer.add(mins);
            answer.add(maxs);
            return result;
          }};
}

}  // namespace

void add_efforts(Verbs& verbs) {
  verbs.add("set torq", {"ref", "refs", ""}, "setRefTorque", set(&Board::setRefTorque));
  verbs.add("get torq", {"ref", "refs", ""}, "getRefTorque", get(&Board::getRefTorque));
  verbs.add("get torq", {"trq", "trqs", ""}, "getTorque", get(&Board::getTorque));
  verbs.add("get torq rng", "getTorqueRangeOneRPC", report(&Board::getTorqueRange));
  verbs.add("get torq rngs", "getTorqueRangeAllRPC", ranges(&Board::getTorqueRanges));
  verbs.add("set torq mtps", "setMotorTorqueParamsRPC",
            order("j (bemf scale ktau scale viscous+ viscous- coulomb+ coulomb- threshold)",
                  &Board::setMotorTorqueParams));
  verbs.add("get torq mtps", "getMotorTorqueParamsRPC", report(&Board::getMotorTorqueParams));
  verbs.add("set torq trqd", "", order("", &Board::setTorqueMode));

  verbs.add("set iimp ipr", "setImpedanceRPC",
            open(order("j (stiffness damping)", &Board::setImpedance)));
  verbs.add("get iimp ipr", "getImpedanceRPC", report(&Board::getImpedance), kInList);
  verbs.add("set iimp iof", "setImpedanceOffsetRPC",
            open(order("j (offset)", &Board::setImpedanceOffset)));
  verbs.add("get iimp iof", "getImpedanceOffsetRPC", report(&Board::getImpedanceOffset), kInList);
  verbs.add("get iimp llim", "getCurrentImpedanceLimitRPC",
            report(&Board::getCurrentImpedanceLimit), kInList);

  verbs.add("", {}, "setRefDutyCycle", set(&Board::setRefDutyCycle));
  verbs.add("get ipwm", {"ref", "refs", ""}, "getRefDutyCycle", get(&Board::getRefDutyCycle),
            kNoStamp);
  verbs.add("get ipwm", {"pwm", "pwms", ""}, "getDutyCycle", get(&Board::getDutyCycle), kNoStamp);

  verbs.add("", {}, "setRefCurrent", set(&Board::setRefCurrent));
  verbs.add("get icur", {"ref", "refs", ""}, "getRefCurrent", get(&Board::getRefCurrent), kNoStamp);
  verbs.add("get icur rng", "getCurrentRangeOneRPC", report(&Board::getCurrentRange), kNoStamp);
  verbs.add("get icur rngs", "getCurrentRangeAllRPC", ranges(&Board::getCurrentRanges), kNoStamp);
}

}  // namespace servosim::wire
