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
  const ReturnValue result =
      arguments.ok() ? board.getAvailableControlModes(j, &modes) : kBadArguments;
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
  verbs.add("get axes", query(&Board::getAxes));
  verbs.add("get name", query(&Board::getAxisName));
  verbs.add("get type", query(&Board::getJointType));

  verbs.add("set icmd", {"cmod", "cmds", "cmog"}, set(&Board::setControlMode));
  const Calls modes = get<Code>(&Board::getControlMode);
  verbs.add("get icmd cmod", modes.one, kEchoesJoint);
  verbs.add("get icmd", {"", "cmds", "cmog"}, modes, kEchoesVerb);
  verbs.add_v4("get modes", {"j", available_modes});

  verbs.add("set intm", {"mode", "mods", "modg"}, set(&Board::setInteractionMode));
  verbs.add("get intm", {"mode", "mods", "modg"}, get<Code>(&Board::getInteractionMode), kBare);

  verbs.add("get ijfl jhfl", query(&Board::getLastJointFault), kFault);
}

// IEncodersTimed, IMotorEncoders.

void add_encoders(Verbs& verbs) {
  verbs.add("get", {"enc", "encs", ""}, get(&Board::getEncoder));
  verbs.add("get", {"esp", "esps", ""}, get(&Board::getEncoderSpeed));
  verbs.add("get", {"eac", "eacs", ""}, get(&Board::getEncoderAcceleration));
  verbs.add("set", {"enc", "encs", ""}, set(&Board::setEncoder));
  verbs.add("set", {"ere", "eres", ""}, act(&Board::resetEncoder));
  verbs.add_v4("get timed enc", query(&Board::getEncoderTimed));
  verbs.add_v4("get timed encs", query_lists(&Board::getEncodersTimed));

  verbs.add("get mnum", query(&Board::getNumberOfMotorEncoders));
  verbs.add("get", {"mnc", "mncs", ""}, get(&Board::getMotorEncoder));
  verbs.add("get", {"msp", "msps", ""}, get(&Board::getMotorEncoderSpeed));
  verbs.add("get", {"mac", "macs", ""}, get(&Board::getMotorEncoderAcceleration));
  verbs.add("set", {"mnc", "mncs", ""}, set(&Board::setMotorEncoder));
  verbs.add("set", {"mre", "mres", ""}, act(&Board::resetMotorEncoder));
  verbs.add_v4("get timed mnc", query(&Board::getMotorEncoderTimed));
  verbs.add_v4("get timed mncs", query_lists(&Board::getMotorEncodersTimed));
  verbs.add("set mcpr", set(&Board::setMotorEncoderCountsPerRevolution).one);
  verbs.add("get mcpr", get(&Board::getMotorEncoderCountsPerRevolution).one);
}

// IPositionControl, IPositionDirect, IVelocityControl, IVelocityDirect, IControlLimits.

namespace {

// The reply is one value for the whole group.
ReturnValue group_done(Board& board, Arguments& arguments, ReplyValues& answer) {
  const std::vector<int> joints = arguments.joints();
  bool done = false;
  const ReturnValue result = arguments.ok() ? board.checkMotionDone(joints, &done) : kBadArguments;
  answer.add(done);
  return result;
}

Calls motion_done() {
  using One = ReturnValue (Board::*)(int, bool*) const;
  using All = ReturnValue (Board::*)(bool*) const;
  return {query(One(&Board::checkMotionDone)),
          query(All(&Board::checkMotionDone)),
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

  verbs.add("set llim", command("j min max", &Board::setLimits));
  verbs.add("get llim", query(&Board::getLimits));
  verbs.add("set vlim", command("j min max", &Board::setVelLimits));
  verbs.add("get vlim", query(&Board::getVelLimits));
}

// ITorqueControl, IImpedanceControl, IPWMControl, ICurrentControl.

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
  verbs.add("get torq rng", query(&Board::getTorqueRange));
  verbs.add("get torq rngs", query_lists(&Board::getTorqueRanges));
  verbs.add("set torq mtps",
            command("j (bemf scale ktau scale viscous+ viscous- coulomb+ coulomb- threshold)",
                    &Board::setMotorTorqueParams));
  verbs.add("get torq mtps", query(&Board::getMotorTorqueParams));
  verbs.add("set torq trqd", command("", &Board::setTorqueMode));

  verbs.add("set iimp ipr", flattened(command("j (stiffness damping)", &Board::setImpedance)));
  verbs.add("get iimp ipr", query(&Board::getImpedance), kInList);
  verbs.add("set iimp iof", flattened(command("j (offset)", &Board::setImpedanceOffset)));
  verbs.add("get iimp iof", query(&Board::getImpedanceOffset), kInList);
  verbs.add("get iimp llim", query(&Board::getCurrentImpedanceLimit), kInList);

  verbs.add_v4("set ipwm", {"ref", "refs", "refg"}, set(&Board::setRefDutyCycle));
  verbs.add("get ipwm", {"ref", "refs", ""}, get(&Board::getRefDutyCycle), kNoStamp);
  verbs.add("get ipwm", {"pwm", "pwms", ""}, get(&Board::getDutyCycle), kNoStamp);

  verbs.add_v4("set icur", {"ref", "refs", "refg"}, set(&Board::setRefCurrent));
  verbs.add("get icur", {"ref", "refs", ""}, get(&Board::getRefCurrent), kNoStamp);
  verbs.add("get icur rng", query(&Board::getCurrentRange), kNoStamp);
  verbs.add("get icur rngs", query_lists(&Board::getCurrentRanges), kNoStamp);
}

// IAmplifierControl, IMotor.

void add_amplifiers(Verbs& verbs) {
  verbs.add("set aen", act(&Board::enableAmp).one);
  verbs.add("set adi", act(&Board::disableAmp).one);
  verbs.add("get", {"asts", "asta", ""}, get(&Board::getAmpStatus));
  verbs.add("get", {"acu", "acus", ""}, get(&Board::getCurrent));
  verbs.add("set maxc", set(&Board::setMaxCurrent).one);
  verbs.add("get maxc", get(&Board::getMaxCurrent).one);
  verbs.add("set acno", set(&Board::setNominalCurrent).one);
  verbs.add("get acno", get(&Board::getNominalCurrent).one);
  verbs.add("set acpk", set(&Board::setPeakCurrent).one);
  verbs.add("get acpk", get(&Board::getPeakCurrent).one);
  verbs.add("set pwml", set(&Board::setPWMLimit).one);
  verbs.add("get pwml", get(&Board::getPWMLimit).one);
  verbs.add("get pwm", get(&Board::getPWM).one);
  verbs.add("get avsu", get(&Board::getPowerSupplyVoltage).one);

  verbs.add("get mtnm", query(&Board::getNumberOfMotors));
  verbs.add("get", {"tmp", "tmps", ""}, get(&Board::getTemperature));
  verbs.add("set tmpl", set(&Board::setTemperatureLimit).one);
  verbs.add("get tmpl", get(&Board::getTemperatureLimit).one);
  verbs.add("set gbxr", set(&Board::setGearboxRatio).one);
  verbs.add("get gbxr", get(&Board::getGearboxRatio).one);
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
  return arguments.ok() ? board.setCalibrationParameters(j, {type, param1, param2, param3})
                        : kBadArguments;
}

ReturnValue done(Board& board, Arguments& arguments, ReplyValues&) {
  const int j = arguments.take<int>();
  return arguments.ok() ? board.calibrationDone(j) : kBadArguments;
}

// A request to wait is answered at once, since the joints move only while the simulation steps.
ReturnValue park(Board& board, Arguments&, ReplyValues&) { return board.park(false); }

ReturnValue park_joint(Board& board, Arguments& arguments, ReplyValues&) {
  const int j = arguments.take<int>();
  return arguments.ok() ? board.parkSingleJoint(j, false) : kBadArguments;
}

ReturnValue variable_names(Board& board, Arguments&, ReplyValues& answer) {
  std::vector<std::string> names;
  const ReturnValue result = board.getRemoteVariablesList(&names);
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
  const ReturnValue result = arguments.ok() ? board.getRemoteVariable(key, &values) : kBadArguments;
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
  return arguments.ok() ? board.setRemoteVariable(key, values) : kBadArguments;
}

}  // namespace

void add_calibration(Verbs& verbs) {
  verbs.add("calj", command("j type p1 p2 p3", &Board::calibrateAxisWithParams));
  verbs.add("cljp", {"j type p1 p2 p3 p4", set_parameters});
  verbs.add("cal", command("", &Board::calibrateRobot));
  verbs.add("cald", {"j", done});
  verbs.add("park", {"", park});
  verbs.add("abca", command("", &Board::abortCalibration));
  verbs.add("abpa", command("", &Board::abortPark));

  verbs.add("get reca isca", query(&Board::isCalibratorDevicePresent));
  verbs.add("set reca cal", act(&Board::calibrateSingleJoint).one);
  verbs.add("set reca cals", command("", &Board::calibrateWholePart));
  verbs.add("set reca hom", act(&Board::homingSingleJoint).one);
  verbs.add("set reca homs", command("", &Board::homingWholePart));
  verbs.add("set reca par", {"j", park_joint});
  verbs.add("set reca pars", command("", &Board::parkWholePart));
  verbs.add("set reca quca", command("", &Board::quitCalibrate));
  verbs.add("set reca qupa", command("", &Board::quitPark));

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
  const ReturnValue result = arguments.ok() ? board.getAvailablePids(j, &types) : kBadArguments;
  std::vector<Code> codes;
  for (const vocab32_t type : types) {
    codes.emplace_back(vocab(to_string(type) + "1"));
  }
  answer.add(codes);
  return result;
}

}  // namespace

void add_controllers(Verbs& verbs) {
  verbs.add("set pid", {"pid", "pids", ""}, set(&Board::setPid));
  verbs.add("get pid", {"pid", "pids", ""}, get(&Board::getPid), kNoStamp);
  verbs.add("set pid", {"ref", "refs", ""}, set(&Board::setPidReference));
  verbs.add("get pid", {"ref", "refs", ""}, get(&Board::getPidReference), kNoStamp);
  verbs.add("set pid", {"lim", "lims", ""}, set(&Board::setPidErrorLimit));
  verbs.add("get pid", {"lim", "lims", ""}, get(&Board::getPidErrorLimit), kNoStamp);
  verbs.add("get pid", {"err", "errs", ""}, get(&Board::getPidError), kNoStamp);
  verbs.add("get pid", {"out", "outs", ""}, get(&Board::getPidOutput), kNoStamp);
  verbs.add("set pid off", set(&Board::setPidOffset).one);
  verbs.add_v4("get pid off", get(&Board::getPidOffset).one);
  verbs.add_v4("set pid kff", set(&Board::setPidFeedforward).one);
  verbs.add_v4("get pid kff", get(&Board::getPidFeedforward).one);
  verbs.add_v4("get pid types", {"j", available_types});
  verbs.add("set pid res", act(&Board::resetPid).one);
  verbs.add("set pid ena", act(&Board::enablePid).one);
  verbs.add("set pid dis", act(&Board::disablePid).one);
  verbs.add("get pid ena", get(&Board::isPidEnabled).one, kNoStamp);
}

// The commands of NAME/command:i. Their values are in a second list, even for one joint.

void add_streamed(Verbs& verbs) {
  verbs.add_streamed("ivel", {"vmo", "vmos", "vmog"}, set(&Board::velocityMove));
  verbs.add_streamed("ipod", {"dpo", "dpos", "dpog"}, set(&Board::setPosition));
  verbs.add_streamed("itrq", {"dtq", "dtqs", "dtqg"}, set(&Board::setRefTorque));
  verbs.add_streamed("ipos", {"", "poss", ""}, set(&Board::positionMove));
  verbs.add_streamed("ipwm", {"ref", "refs", ""}, set(&Board::setRefDutyCycle));
  verbs.add_streamed("icur", {"ref", "refs", "refg"}, set(&Board::setRefCurrent));
  verbs.add_streamed("ived", {"vdso", "vdsa", "vdsg"}, set(&Board::setDesiredVelocity));
  verbs.add_streamed("ipid poff", streamed_one(set(&Board::setPidOffset).one, 2));
  verbs.add_streamed("ipid pffd", streamed_one(set(&Board::setPidFeedforward).one, 2));
}

}  // namespace servosim::yarp::server
