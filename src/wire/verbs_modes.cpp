// SPDX-License-Identifier: Apache-2.0
// What the board is, IAxisInfo, IControlMode, IInteractionMode, IJointFault.
#include <utility>

#include "wire/verbs.h"

namespace servosim::wire {

namespace {

constexpr Frame kBare{.is = false, .echo = Frame::Echo::None};
constexpr Frame kEchoesJoint{.echo = Frame::Echo::Joint};
constexpr Frame kEchoesVerb{.echo = Frame::Echo::Last};
constexpr Frame kProtocol{.is = false, .echo = Frame::Echo::None, .stamp = false};
constexpr Frame kFault{.echo = Frame::Echo::None, .stamp = false};

// Major and minor must be those of the client.
ReturnValue protocol(Board&, Arguments&, Answer& answer) {
  answer.add(yarp::Vocab("prot"));
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

// A board says of all that there are whether it has them.
ReturnValue interfaces(Board&, Arguments&, Answer& answer) {
  constexpr std::pair<const char*, bool> kInterfaces[] = {
      {"iAmplifierControl", true}, {"iAxisInfo", true},         {"iControlCalibration", true},
      {"iControlLimits", true},    {"iControlMode", true},      {"iCurrentControl", true},
      {"iEncodersTimed", true},    {"iImpedanceControl", true}, {"iInteractionMode", true},
      {"iJointBrake", false},      {"iJointFault", true},       {"iMotor", true},
      {"iMotorEncoders", true},    {"iPWMControl", true},       {"iPidControl", true},
      {"iPositionControl", true},  {"iPositionDirect", true},   {"iPreciselyTimed", false},
      {"iRemoteCalibrator", true}, {"iRemoteVariables", true},  {"iTorqueControl", true},
      {"iVelocityControl", true},  {"iVelocityDirect", true}};
  yarp::Bottle list;
  for (const auto& [name, there] : kInterfaces) {
    list.add(yarp::Bottle{{std::string(name), yarp::Vocab(there ? "ok" : "fail")}});
  }
  answer.add(list);
  return {};
}

}  // namespace

void add_modes(Verbs& verbs) {
  verbs.add("get prot", {"", protocol}, kProtocol);
  verbs.add_v4("get interfaces", {"", interfaces});
  verbs.add("get axes", report(&Board::getAxes));
  verbs.add("get name", report(&Board::getAxisName));
  verbs.add("get type", report(&Board::getJointType));

  verbs.add("set icmd", {"cmod", "cmds", "cmog"}, set(&Board::setControlMode));
  const Calls modes = get<Code>(&Board::getControlMode);
  verbs.add("get icmd cmod", modes.one, kEchoesJoint);
  verbs.add("get icmd", {"", "cmds", "cmog"}, modes, kEchoesVerb);
  verbs.add_v4("get modes", {"j", available_modes});

  verbs.add("set intm", {"mode", "mods", "modg"}, set(&Board::setInteractionMode));
  verbs.add("get intm", {"mode", "mods", "modg"}, get<Code>(&Board::getInteractionMode), kBare);

  verbs.add("get ijfl jhfl", report(&Board::getLastJointFault), kFault);
}

}  // namespace servosim::wire
