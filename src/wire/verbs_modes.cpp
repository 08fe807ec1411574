// SPDX-License-Identifier: Apache-2.0
// What the board is, IAxisInfo, IControlMode, IInteractionMode, IJointFault.
#include "wire/verbs.h"

namespace servosim::wire {

namespace {

constexpr Frame kBare{.is = false, .echo = Frame::Echo::None};
constexpr Frame kEchoesJoint{.echo = Frame::Echo::Joint};
constexpr Frame kEchoesVerb{.echo = Frame::Echo::Last};
constexpr Frame kProtocol{.is = false, .stamp = false};
constexpr Frame kFault{.echo = Frame::Echo::None, .stamp = false};

// Major and minor must be those of the client.
ReturnValue protocol(Board&, Arguments&, Answer& answer) {
  for (const int part : {1, 9, 0}) {
    answer.add(part);
  }
  return {};
}

ReturnValue available_modes(Board& board, Arguments& arguments, Answer& answer) {
  const int j = arguments.take<int>();
  std::vector<vocab32_t> modes;
  const ReturnValue result =
      arguments.ok() ? board.getAvailableControlModes(j, &modes) : kMalformed;
  answer.add(std::vector<Code>(modes.begin(), modes.end()));
  return result;
}

ReturnValue interfaces(Board&, Arguments&, Answer& answer) {
  yarp::Bottle list;
  for (const char* name : {"iAmplifierControl",
                           "iAxisInfo",
                           "iControlCalibration",
                           "iControlLimits",
                           "iControlMode",
                           "iCurrentControl",
                           "iEncodersTimed",
                           "iImpedanceControl",
                           "iInteractionMode",
                           "iJointFault",
                           "iMotor",
                           "iMotorEncoders",
                           "iPWMControl",
                           "iPidControl",
                           "iPositionControl",
                           "iPositionDirect",
                           "iRemoteCalibrator",
                           "iRemoteVariables",
                           "iTorqueControl",
                           "iVelocityControl",
                           "iVelocityDirect"}) {
    list.add(yarp::Bottle{{std::string(name), yarp::Vocab("ok")}});
  }
  answer.add(list);
  return {};
}

}  // namespace

void add_modes(Verbs& verbs) {
  verbs.add("get prot", "", {"", protocol}, kProtocol);
  verbs.add("", "getDeviceInterfacesRPC", {"", interfaces});
  verbs.add("get axes", "getAxesRPC", report(&Board::getAxes));
  verbs.add("get name", "getAxisNameRPC", report(&Board::getAxisName));
  verbs.add("get type", "getJointTypeRPC", report(&Board::getJointType));

  verbs.add("set icmd", {"cmod", "cmds", "cmog"}, "setControlMode", set(&Board::setControlMode));
  const Calls modes = get<Code>(&Board::getControlMode);
  verbs.add("get icmd cmod", "", modes.one, kEchoesJoint);
  verbs.add("get icmd", {"", "cmds", "cmog"}, "getControlMode", modes, kEchoesVerb);
  verbs.add("", "getAvailableControlModesRPC", {"j", available_modes});

  verbs.add("set intm", {"mode", "mods", "modg"}, "setInteractionMode",
            set(&Board::setInteractionMode));
  verbs.add("get intm", {"mode", "mods", "modg"}, "getInteractionMode",
            get<Code>(&Board::getInteractionMode), kBare);

  verbs.add("get ijfl jhfl", "getLastJointFaultRPC", report(&Board::getLastJointFault), kFault);
}

}  // namespace servosim::wire
