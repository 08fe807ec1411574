// SPDX-License-Identifier: Apache-2.0
#include "yarp/server/verbs.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"

namespace servosim::yarp::server {

Verbs::Verbs() {
  for (const auto add : {add_modes, add_motion, add_efforts, add_controllers, add_encoders,
                         add_amplifiers, add_calibration, server::add_streamed}) {
    add(*this);
  }
  for (const Method& method : methods()) {
    SERVOSIM_ASSERT(method.verb.empty() || by_name_.contains(method.verb),
                    "method {} names the verb \"{}\", which is not in the table", method.name,
                    method.verb);
  }
}

Verbs::Key Verbs::key_of(std::string_view words) {
  Key key{};
  for (std::int32_t& code : key) {
    const std::string_view word = words.substr(0, words.find(' '));
    code = vocab(word);
    words.remove_prefix(std::min(word.size() + 1, words.size()));
  }
  return key;
}

void Verbs::add(std::string words, Call call, Frame frame, bool in_v3) {
  const std::size_t index = verbs_.size();
  SERVOSIM_ASSERT(!by_name_.contains(words), "the verb \"{}\" is in the table twice", words);
  by_name_.emplace(words, index);
  if (in_v3) {
    SERVOSIM_ASSERT(!by_words_.contains(key_of(words)), "two verbs begin as \"{}\"", words);
    by_words_.emplace(key_of(words), index);
  }
  verbs_.push_back({std::move(words), std::move(call), frame, in_v3});
}

void Verbs::add(std::string_view start, const Words& words, const Calls& calls, Frame frame,
                bool in_v3) {
  const auto add_one = [&](std::string_view word, const Call& call) {
    if (!word.empty()) {
      add(std::string(start) + " " + std::string(word), call, frame, in_v3);
    }
  };
  add_one(words.one, calls.one);
  add_one(words.all, calls.all);
  add_one(words.group, calls.group);
}

void Verbs::add_streamed(std::string_view interface, const Words& words, const Calls& calls) {
  const auto add_one = [&](std::string_view word, const Call& call) {
    if (!word.empty()) {
      add_streamed(std::string(interface) + " " + std::string(word), call);
      if (word != "ref" && word != "refs" && word != "refg") {
        add_streamed(std::string(word), call);
      }
    }
  };
  add_one(words.one, streamed_one(calls.one));
  add_one(words.all, calls.all);
  add_one(words.group, calls.group);
}

void Verbs::add_streamed(const std::string& words, const Call& call) {
  streamed_by_words_.emplace(key_of(words), streamed_.size());
  streamed_.push_back({words, call});
}

const Verb* Verbs::find(const std::vector<Verb>& verbs, const Index& index,
                        std::span<const BottleValue> items, std::size_t* taken) {
  Key key{};
  for (std::size_t i = 0; i < std::min(key.size(), items.size()); ++i) {
    const auto code = as_vocab(items[i]);
    if (!code) {
      return nullptr;
    }
    key[i] = *code;
    if (const auto found = index.find(key); found != index.end()) {
      *taken = i + 1;
      return &verbs[found->second];
    }
  }
  return nullptr;
}

const Verb* Verbs::find(const Bottle& message, std::size_t* taken) const {
  return find(verbs_, by_words_, message.items, taken);
}

const Verb* Verbs::find(const Method& method) const {
  const auto found = by_name_.find(method.verb);
  return found == by_name_.end() ? nullptr : &verbs_[found->second];
}

const Verb* Verbs::find_streamed(const Bottle& head, std::size_t* taken) const {
  return find(streamed_, streamed_by_words_, head.items, taken);
}

// Properties of the board, IAxisInfo, IControlMode, IInteractionMode, IJointFault.

namespace {

constexpr Frame kBare{.is = false, .echo = Frame::Echo::None};
constexpr Frame kEchoesJoint{.echo = Frame::Echo::Joint};
constexpr Frame kEchoesVerb{.echo = Frame::Echo::Last};
constexpr Frame kProtocol{.is = false, .echo = Frame::Echo::None, .stamp = false};
constexpr Frame kFault{.echo = Frame::Echo::None, .stamp = false};

// A client accepts only its own major and minor version.
ReturnValue protocol(Board&, Arguments&, ReplyValues& answer) {
  answer.add(Vocab("prot"));
  for (const int part : {1, 9, 0}) {
    answer.add(part);
  }
  return {};
}

ReturnValue available_modes(Board& board, Arguments& arguments, ReplyValues& answer) {
  const int j = arguments.take<int>();
  std::vector<vocab32_t> modes;
  const ReturnValue result = arguments.ok()
                                 ? board.view<IControlMode>().getAvailableControlModes(j, &modes)
                                 : kBadArguments;
  answer.add(std::vector<Code>(modes.begin(), modes.end()));
  return result;
}

// Lists every interface of YARP 4.0 and whether this board has it.
ReturnValue interfaces(Board&, Arguments&, ReplyValues& answer) {
  constexpr std::pair<const char*, bool> kInterfaces[] = {
      {"iAmplifierControl", true}, {"iAxisInfo", true},         {"iControlCalibration", true},
      {"iControlLimits", true},    {"iControlMode", true},      {"iCurrentControl", true},
      {"iEncodersTimed", true},    {"iImpedanceControl", true}, {"iInteractionMode", true},
      {"iJointBrake", false},      {"iJointFault", true},       {"iMotor", true},
      {"iMotorEncoders", true},    {"iPWMControl", true},       {"iPidControl", true},
      {"iPwmControl", true},  // both spellings are in use
      {"iPositionControl", true},  {"iPositionDirect", true},   {"iPreciselyTimed", false},
      {"iRemoteCalibrator", true}, {"iRemoteVariables", true},  {"iTorqueControl", true},
      {"iVelocityControl", true},  {"iVelocityDirect", true}};
  Bottle list;
  for (const auto& [name, there] : kInterfaces) {
    list.add(Bottle{{std::string(name), Vocab(there ? "ok" : "fail")}});
  }
  answer.add(list);
  return {};
}

}  // namespace

void add_modes(Verbs& verbs) {
  verbs.add("get prot", {"", protocol}, kProtocol);
  verbs.add_v4("get interfaces", {"", interfaces});
  verbs.add("get axes", query(&IPositionControl::getAxes));
  verbs.add("get name", get(&IAxisInfo::getAxisName).one);
  verbs.add("get type", get(&IAxisInfo::getJointType).one);

  verbs.add("set icmd", {"cmod", "cmds", "cmog"}, set(&IControlMode::setControlMode));
  const Calls modes = get<Code>(&IControlMode::getControlMode);
  verbs.add("get icmd cmod", modes.one, kEchoesJoint);
  verbs.add("get icmd", {"", "cmds", "cmog"}, modes, kEchoesVerb);
  verbs.add_v4("get modes", {"j", available_modes});

  verbs.add("set intm", {"mode", "mods", "modg"}, set(&IInteractionMode::setInteractionMode));
  verbs.add("get intm", {"mode", "mods", "modg"}, get<Code>(&IInteractionMode::getInteractionMode),
            kBare);

  verbs.add("get ijfl jhfl", get(&IJointFault::getLastJointFault).one, kFault);
}

// IEncodersTimed, IMotorEncoders.

void add_encoders(Verbs& verbs) {
  verbs.add("get", {"enc", "encs", ""}, get(&IEncodersTimed::getEncoder));
  verbs.add("get", {"esp", "esps", ""}, get(&IEncodersTimed::getEncoderSpeed));
  verbs.add("get", {"eac", "eacs", ""}, get(&IEncodersTimed::getEncoderAcceleration));
  verbs.add("set", {"enc", "encs", ""}, set(&IEncodersTimed::setEncoder));
  verbs.add("set", {"ere", "eres", ""}, act(&IEncodersTimed::resetEncoder));
  verbs.add_v4("get timed", {"enc", "encs", ""}, get(&IEncodersTimed::getEncoderTimed));

  verbs.add("get mnum", query(&IMotorEncoders::getNumberOfMotorEncoders));
  verbs.add("get", {"mnc", "mncs", ""}, get(&IMotorEncoders::getMotorEncoder));
  verbs.add("get", {"msp", "msps", ""}, get(&IMotorEncoders::getMotorEncoderSpeed));
  verbs.add("get", {"mac", "macs", ""}, get(&IMotorEncoders::getMotorEncoderAcceleration));
  verbs.add("set", {"mnc", "mncs", ""}, set(&IMotorEncoders::setMotorEncoder));
  verbs.add("set", {"mre", "mres", ""}, act(&IMotorEncoders::resetMotorEncoder));
  verbs.add_v4("get timed", {"mnc", "mncs", ""}, get(&IMotorEncoders::getMotorEncoderTimed));
  verbs.add("set mcpr", set(&IMotorEncoders::setMotorEncoderCountsPerRevolution).one);
  verbs.add("get mcpr", get(&IMotorEncoders::getMotorEncoderCountsPerRevolution).one);
}

// IPositionControl, IPositionDirect, IVelocityControl, IVelocityDirect, IControlLimits.

namespace {

// The reply is one value for all joints of the request.
template <JointForm form>
ReturnValue motion_done(Board& board, Arguments& arguments, ReplyValues& answer) {
  const std::vector<int> joints = form == JointForm::Group
                                      ? arguments.joints()
                                      : selected_joints(form, board, arguments, &answer);
  bool done = form != JointForm::One;
  const ReturnValue result = arguments.ok()
                                 ? board.view<IPositionControl>().checkMotionDone(joints, &done)
                                 : kBadArguments;
  answer.add(done);
  return result;
}

}  // namespace

void add_motion(Verbs& verbs) {
  verbs.add("set", {"pos", "poss", "posg"}, set(&IPositionControl::positionMove));
  verbs.add("set", {"rel", "rels", "relg"}, set(&IPositionControl::relativeMove));
  verbs.add("get", {"pos", "poss", "posg"}, get(&IPositionControl::getTargetPosition));
  verbs.add("get", {"don", "dons", "dong"},
            {{"j", motion_done<JointForm::One>},
             {"", motion_done<JointForm::All>},
             {"n (j..)", motion_done<JointForm::Group>}});
  verbs.add("set", {"vel", "vels", "velg"}, set(&IPositionControl::setRefSpeed));
  verbs.add("get", {"vel", "vels", "velg"}, get(&IPositionControl::getRefSpeed));
  verbs.add("set", {"acc", "accs", "accg"}, set(&IPositionControl::setRefAcceleration));
  verbs.add("get", {"acc", "accs", "accg"}, get(&IPositionControl::getRefAcceleration));
  verbs.add("set", {"sto", "stos", "stog"}, act(&IPositionControl::stop));

  verbs.add("set", {"", "vmos", ""}, set(&IVelocityControl::velocityMove));
  verbs.add_v4("set", {"vmo", "", "vmog"}, set(&IVelocityControl::velocityMove));
  verbs.add("get", {"vmo", "vmos", "vmog"}, get(&IVelocityControl::getRefVelocity));

  verbs.add_v4("set ived", {"ref", "refs", "refg"}, set(&IVelocityDirect::setDesiredVelocity));
  verbs.add_v4("get ived", {"ref", "refs", "refg"}, get(&IVelocityDirect::getDesiredVelocity));

  verbs.add_v4("set", {"dpo", "dpos", "dpog"}, set(&IPositionDirect::setPosition));
  verbs.add("get", {"dpo", "dpos", "dpog"}, get(&IPositionDirect::getRefPosition));

  verbs.add("set llim", named("j min max", set(&IControlLimits::setLimits).one));
  verbs.add("get llim", get(&IControlLimits::getLimits).one);
  verbs.add("set vlim", named("j min max", set(&IControlLimits::setVelLimits).one));
  verbs.add("get vlim", get(&IControlLimits::getVelLimits).one);
}

// ITorqueControl, IImpedanceControl, IPWMControl, ICurrentControl.

namespace {

constexpr Frame kNoStamp{.stamp = false};
constexpr Frame kInList{.list = true};

}  // namespace

void add_efforts(Verbs& verbs) {
  verbs.add("set torq", {"ref", "refs", ""}, set(&ITorqueControl::setRefTorque));
  verbs.add("get torq", {"ref", "refs", ""}, get(&ITorqueControl::getRefTorque));
  verbs.add_v4("set torq", {"", "", "refg"}, set(&ITorqueControl::setRefTorque));
  verbs.add_v4("get torq", {"", "", "refg"}, get(&ITorqueControl::getRefTorque));
  verbs.add("get torq", {"trq", "trqs", ""}, get(&ITorqueControl::getTorque));
  verbs.add("get torq", {"rng", "rngs", ""}, get(&ITorqueControl::getTorqueRange));
  verbs.add("set torq mtps",
            named("j (bemf scale ktau scale viscous+ viscous- coulomb+ coulomb- threshold)",
                  set(&ITorqueControl::setMotorTorqueParams).one));
  verbs.add("get torq mtps", get(&ITorqueControl::getMotorTorqueParams).one);
  verbs.add("set torq trqd", command("", &ITorqueControl::setTorqueMode));

  verbs.add("set iimp ipr",
            flattened(named("j (stiffness damping)", set(&IImpedanceControl::setImpedance).one)));
  verbs.add("get iimp ipr", get(&IImpedanceControl::getImpedance).one, kInList);
  verbs.add("set iimp iof",
            flattened(named("j (offset)", set(&IImpedanceControl::setImpedanceOffset).one)));
  verbs.add("get iimp iof", get(&IImpedanceControl::getImpedanceOffset).one, kInList);
  verbs.add("get iimp llim", get(&IImpedanceControl::getCurrentImpedanceLimit).one, kInList);

  verbs.add_v4("set ipwm", {"ref", "refs", "refg"}, set(&IPWMControl::setRefDutyCycle));
  verbs.add("get ipwm", {"ref", "refs", ""}, get(&IPWMControl::getRefDutyCycle), kNoStamp);
  verbs.add("get ipwm", {"pwm", "pwms", ""}, get(&IPWMControl::getDutyCycle), kNoStamp);

  verbs.add_v4("set icur", {"ref", "refs", "refg"}, set(&ICurrentControl::setRefCurrent));
  verbs.add("get icur", {"ref", "refs", ""}, get(&ICurrentControl::getRefCurrent), kNoStamp);
  verbs.add("get icur", {"rng", "rngs", ""}, get(&ICurrentControl::getCurrentRange), kNoStamp);
}

// IAmplifierControl, IMotor.

void add_amplifiers(Verbs& verbs) {
  verbs.add("set aen", act(&IAmplifierControl::enableAmp).one);
  verbs.add("set adi", act(&IAmplifierControl::disableAmp).one);
  verbs.add("get", {"asts", "asta", ""}, get(&IAmplifierControl::getAmpStatus));
  verbs.add("get", {"acu", "acus", ""}, get(&ICurrentControl::getCurrent));
  verbs.add("set maxc", set(&IAmplifierControl::setMaxCurrent).one);
  verbs.add("get maxc", get(&IAmplifierControl::getMaxCurrent).one);
  verbs.add("set acno", set(&IAmplifierControl::setNominalCurrent).one);
  verbs.add("get acno", get(&IAmplifierControl::getNominalCurrent).one);
  verbs.add("set acpk", set(&IAmplifierControl::setPeakCurrent).one);
  verbs.add("get acpk", get(&IAmplifierControl::getPeakCurrent).one);
  verbs.add("set pwml", set(&IAmplifierControl::setPWMLimit).one);
  verbs.add("get pwml", get(&IAmplifierControl::getPWMLimit).one);
  verbs.add("get pwm", get(&IAmplifierControl::getPWM).one);
  verbs.add("get avsu", get(&IAmplifierControl::getPowerSupplyVoltage).one);

  verbs.add("get mtnm", query(&IMotor::getNumberOfMotors));
  verbs.add("get", {"tmp", "tmps", ""}, get(&IMotor::getTemperature));
  verbs.add("set tmpl", set(&IMotor::setTemperatureLimit).one);
  verbs.add("get tmpl", get(&IMotor::getTemperatureLimit).one);
  verbs.add("set gbxr", set(&IMotor::setGearboxRatio).one);
  verbs.add("get gbxr", get(&IMotor::getGearboxRatio).one);
}

// IControlCalibration, IRemoteCalibrator, IRemoteVariables.

namespace {

ReturnValue set_parameters(Board& board, Arguments& arguments, ReplyValues&) {
  const int j = arguments.take<int>();
  arguments.flatten_lists();
  const auto type = arguments.take<unsigned>();
  const double param1 = arguments.take<double>();
  const double param2 = arguments.take<double>();
  const double param3 = arguments.take<double>();
  return arguments.ok() ? board.view<IControlCalibration>().setCalibrationParameters(
                              j, CalibrationParameters{type, param1, param2, param3})
                        : kBadArguments;
}

ReturnValue done(Board& board, Arguments& arguments, ReplyValues&) {
  const int j = arguments.take<int>();
  return arguments.ok() ? board.view<IControlCalibration>().calibrationDone(j) : kBadArguments;
}

// A request to wait is answered at once, since the joints move only while the simulation steps.
ReturnValue park(Board& board, Arguments&, ReplyValues&) {
  return board.view<IControlCalibration>().park(false);
}

ReturnValue park_joint(Board& board, Arguments& arguments, ReplyValues&) {
  const int j = arguments.take<int>();
  return arguments.ok() ? board.view<IRemoteCalibrator>().parkSingleJoint(j, false) : kBadArguments;
}

ReturnValue variable_names(Board& board, Arguments&, ReplyValues& answer) {
  std::vector<std::string> names;
  const ReturnValue result = board.view<IRemoteVariables>().getRemoteVariablesList(&names);
  if (answer.generation() == Generation::V3) {
    answer.add(names);
    return result;
  }
  // One list contains all names, since YARP's client has no room for more.
  answer.add(std::vector<Bottle>{{{names.begin(), names.end()}}});
  return result;
}

ReturnValue get_variable(Board& board, Arguments& arguments, ReplyValues& answer) {
  const auto key = arguments.take<std::string>();
  std::vector<double> values;
  const ReturnValue result = arguments.ok()
                                 ? board.view<IRemoteVariables>().getRemoteVariable(key, &values)
                                 : kBadArguments;
  answer.add(values);
  return result;
}

ReturnValue set_variable(Board& board, Arguments& arguments, ReplyValues&) {
  const auto key = arguments.take<std::string>();
  arguments.flatten_lists();
  std::vector<double> values;
  do {
    values.push_back(arguments.take<double>());
  } while (arguments.ok() && !arguments.done());
  return arguments.ok() ? board.view<IRemoteVariables>().setRemoteVariable(key, values)
                        : kBadArguments;
}

}  // namespace

void add_calibration(Verbs& verbs) {
  verbs.add("calj", command("j type p1 p2 p3", &IControlCalibration::calibrateAxisWithParams));
  verbs.add("cljp", {"j type p1 p2 p3 p4", set_parameters});
  verbs.add("cal", command("", &IControlCalibration::calibrateRobot));
  verbs.add("cald", {"j", done});
  verbs.add("park", {"", park});
  verbs.add("abca", command("", &IControlCalibration::abortCalibration));
  verbs.add("abpa", command("", &IControlCalibration::abortPark));

  verbs.add("get reca isca", query(&IRemoteCalibrator::isCalibratorDevicePresent));
  verbs.add("set reca cal", act(&IRemoteCalibrator::calibrateSingleJoint).one);
  verbs.add("set reca cals", command("", &IRemoteCalibrator::calibrateWholePart));
  verbs.add("set reca hom", act(&IRemoteCalibrator::homingSingleJoint).one);
  verbs.add("set reca homs", command("", &IRemoteCalibrator::homingWholePart));
  verbs.add("set reca par", {"j", park_joint});
  verbs.add("set reca pars", command("", &IRemoteCalibrator::parkWholePart));
  verbs.add("set reca quca", command("", &IRemoteCalibrator::quitCalibrate));
  verbs.add("set reca qupa", command("", &IRemoteCalibrator::quitPark));

  verbs.add("get ivar lvar", {"", variable_names});
  verbs.add("get ivar mvar", {"key", get_variable});
  verbs.add("set ivar mvar", {"key x..", set_variable});
}

// IPidControl. `type` is pos, vel, trq or cur in 3.x, and pos1 and so on in 4.0.

namespace {

// 4.0 names the types with the number of their loop.
ReturnValue available_types(Board& board, Arguments& arguments, ReplyValues& answer) {
  const int j = arguments.take<int>();
  std::vector<vocab32_t> types;
  const ReturnValue result =
      arguments.ok() ? board.view<IPidControl>().getAvailablePids(j, &types) : kBadArguments;
  std::vector<Code> codes;
  for (const vocab32_t type : types) {
    codes.emplace_back(vocab(to_string(type) + "1"));
  }
  answer.add(codes);
  return result;
}

}  // namespace

void add_controllers(Verbs& verbs) {
  verbs.add("set pid", {"pid", "pids", ""}, set(&IPidControl::setPid));
  verbs.add("get pid", {"pid", "pids", ""}, get(&IPidControl::getPid), kNoStamp);
  verbs.add("set pid", {"ref", "refs", ""}, set(&IPidControl::setPidReference));
  verbs.add("get pid", {"ref", "refs", ""}, get(&IPidControl::getPidReference), kNoStamp);
  verbs.add("set pid", {"lim", "lims", ""}, set(&IPidControl::setPidErrorLimit));
  verbs.add("get pid", {"lim", "lims", ""}, get(&IPidControl::getPidErrorLimit), kNoStamp);
  verbs.add("get pid", {"err", "errs", ""}, get(&IPidControl::getPidError), kNoStamp);
  verbs.add("get pid", {"out", "outs", ""}, get(&IPidControl::getPidOutput), kNoStamp);
  verbs.add("set pid off", set(&IPidControl::setPidOffset).one);
  verbs.add_v4("get pid off", get(&IPidControl::getPidOffset).one);
  verbs.add_v4("set pid kff", set(&IPidControl::setPidFeedforward).one);
  verbs.add_v4("get pid kff", get(&IPidControl::getPidFeedforward).one);
  verbs.add_v4("get pid types", {"j", available_types});
  verbs.add("set pid res", act(&IPidControl::resetPid).one);
  verbs.add("set pid ena", act(&IPidControl::enablePid).one);
  verbs.add("set pid dis", act(&IPidControl::disablePid).one);
  verbs.add("get pid ena", get(&IPidControl::isPidEnabled).one, kNoStamp);
}

// The commands of NAME/command:i. Their values are in a second list, even for one joint.

void add_streamed(Verbs& verbs) {
  verbs.add_streamed("ivel", {"vmo", "vmos", "vmog"}, set(&IVelocityControl::velocityMove));
  verbs.add_streamed("ipod", {"dpo", "dpos", "dpog"}, set(&IPositionDirect::setPosition));
  verbs.add_streamed("itrq", {"dtq", "dtqs", "dtqg"}, set(&ITorqueControl::setRefTorque));
  verbs.add_streamed("ipos", {"", "poss", ""}, set(&IPositionControl::positionMove));
  verbs.add_streamed("ipwm", {"ref", "refs", ""}, set(&IPWMControl::setRefDutyCycle));
  verbs.add_streamed("icur", {"ref", "refs", "refg"}, set(&ICurrentControl::setRefCurrent));
  verbs.add_streamed("ived", {"vdso", "vdsa", "vdsg"}, set(&IVelocityDirect::setDesiredVelocity));
  verbs.add_streamed("ipid poff", streamed_one(set(&IPidControl::setPidOffset).one, 2));
  verbs.add_streamed("ipid pffd", streamed_one(set(&IPidControl::setPidFeedforward).one, 2));
}

}  // namespace servosim::yarp::server
