// SPDX-License-Identifier: Apache-2.0
#include "yarp/server/methods.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/assert.h"
#include "servosim/yarp/board_config.h"
#include "yarp/server/call.h"

namespace servosim::yarp::server {

namespace {

constexpr Method kMethods[] = {
    // Properties of the board.
    {"getAxesRPC", "", "i32", "get axes"},
    {"getAxisNameRPC", "i32", "string", "get name"},
    {"getJointTypeRPC", "i32", "type", "get type"},
    {"getDeviceInterfacesRPC", "", "map", "get interfaces"},
    // IControlMode. The modes themselves are in the state messages.
    {"getAvailableControlModesRPC", "i16", "mode[]", "get modes"},
    {"setControlModeOneRPC", "i32 mode", "", "set icmd cmod"},
    {"setControlModeAllRPC", "mode[]", "", "set icmd cmds"},
    {"setControlModeGroupRPC", "i32[] mode[]", "", "set icmd cmog"},
    // IInteractionMode.
    {"getInteractionModeOneRPC", "i32", "mode", "get intm mode"},
    {"getInteractionModesGroupRPC", "i32[]", "mode[]", "get intm modg"},
    {"getInteractionModesAllRPC", "", "mode[]", "get intm mods"},
    {"setInteractionModeOneRPC", "i32 mode", "", "set intm mode"},
    {"setInteractionModesGroupRPC", "i32[] mode[]", "", "set intm modg"},
    {"setInteractionModesAllRPC", "mode[]", "", "set intm mods"},
    // IPositionControl.
    {"positionMoveOneRPC", "i32 double", "", "set pos"},
    {"positionMoveAllRPC", "double[]", "", "set poss"},
    {"positionMoveGroupRPC", "i32[] double[]", "", "set posg"},
    {"relativeMoveOneRPC", "i32 double", "", "set rel"},
    {"relativeMoveAllRPC", "double[]", "", "set rels"},
    {"relativeMoveGroupRPC", "i32[] double[]", "", "set relg"},
    {"setTrajSpeedOneRPC", "i32 double", "", "set vel"},
    {"setTrajSpeedAllRPC", "double[]", "", "set vels"},
    {"setTrajSpeedGroupRPC", "i32[] double[]", "", "set velg"},
    {"setTrajAccelerationOneRPC", "i32 double", "", "set acc"},
    {"setTrajAccelerationsAllRPC", "double[]", "", "set accs"},
    {"setTrajAccelerationsGroupRPC", "i32[] double[]", "", "set accg"},
    {"stopOneRPC", "i32", "", "set sto"},
    {"stopAllRPC", "", "", "set stos"},
    {"stopGroupRPC", "i32[]", "", "set stog"},
    {"getTargetPositionOneRPC", "i32", "double", "get pos"},
    {"getTargetPositionAllRPC", "", "double[]", "get poss"},
    {"getTargetPositionGroupRPC", "i32[]", "double[]", "get posg"},
    {"getTrajSpeedOneRPC", "i32", "double", "get vel"},
    {"getTrajSpeedsAllRPC", "", "double[]", "get vels"},
    {"getTrajSpeedsGroupRPC", "i32[]", "double[]", "get velg"},
    {"getTrajAccelerationOneRPC", "i32", "double", "get acc"},
    {"getTrajAccelerationAllRPC", "", "double[]", "get accs"},
    {"getTrajAccelerationGroupRPC", "i32[]", "double[]", "get accg"},
    {"checkMotionDoneOneRPC", "i32", "bool", "get don"},
    {"checkMotionDoneAllRPC", "", "bool", "get dons"},
    {"checkMotionDoneGroupRPC", "i32[]", "bool", "get dong"},
    // IVelocityControl.
    {"velocityMoveOneRPC", "i32 double", "", "set vmo"},
    {"velocityMoveAllRPC", "double[]", "", "set vmos"},
    {"velocityMoveGroupRPC", "i32[] double[]", "", "set vmog"},
    {"getTargetVelocityOneRPC", "i32", "double", "get vmo"},
    {"getTargetVelocityAllRPC", "", "double[]", "get vmos"},
    {"getTargetVelocityGroupRPC", "i32[]", "double[]", "get vmog"},
    // IVelocityDirect.
    {"setRefVelocityOneRPC", "i32 double", "", "set ived ref"},
    {"setRefVelocityAllRPC", "double[]", "", "set ived refs"},
    {"setRefVelocityGroupRPC", "i32[] double[]", "", "set ived refg"},
    {"getRefVelocityOneRPC", "i32", "double", "get ived ref"},
    {"getRefVelocityAllRPC", "", "double[]", "get ived refs"},
    {"getRefVelocityGroupRPC", "i32[]", "double[]", "get ived refg"},
    // IPositionDirect.
    {"setRefPositionOneRPC", "i32 double", "", "set dpo"},
    {"setRefPositionAllRPC", "double[]", "", "set dpos"},
    {"setRefPositionGroupRPC", "i32[] double[]", "", "set dpog"},
    {"getRefPositionOneRPC", "i32", "double", "get dpo"},
    {"getRefPositionAllRPC", "", "double[]", "get dpos"},
    {"getRefPositionGroupRPC", "i32[]", "double[]", "get dpog"},
    // ITorqueControl.
    {"setRefTorqueOneRPC", "i32 double", "", "set torq ref"},
    {"setRefTorqueAllRPC", "double[]", "", "set torq refs"},
    {"setRefTorqueGroupRPC", "i32[] double[]", "", "set torq refg"},
    {"getRefTorqueOneRPC", "i32", "double", "get torq ref"},
    {"getRefTorqueAllRPC", "", "double[]", "get torq refs"},
    {"getRefTorqueGroupRPC", "i32[]", "double[]", "get torq refg"},
    {"getTorqueRangeOneRPC", "i32", "double double", "get torq rng"},
    {"getTorqueRangeAllRPC", "", "double[] double[]", "get torq rngs"},
    {"setMotorTorqueParamsRPC", "i32 MotorTorque", "", "set torq mtps"},
    {"getMotorTorqueParamsRPC", "i32", "MotorTorque", "get torq mtps"},
    // IImpedanceControl.
    {"getImpedanceRPC", "i32", "double double", "get iimp ipr"},
    {"setImpedanceRPC", "i32 double double", "", "set iimp ipr"},
    {"getImpedanceOffsetRPC", "i32", "double", "get iimp iof"},
    {"setImpedanceOffsetRPC", "i32 double", "", "set iimp iof"},
    {"getCurrentImpedanceLimitRPC", "i32", "double double double double", "get iimp llim"},
    // IPWMControl.
    {"setRefDutyCycleOneRPC", "i32 double", "", "set ipwm ref"},
    {"setRefDutyCycleAllRPC", "double[]", "", "set ipwm refs"},
    {"setRefDutyCycleGroupRPC", "i32[] double[]", "", "set ipwm refg"},
    {"getRefDutyCycleOneRPC", "i32", "double", "get ipwm ref"},
    {"getRefDutyCycleAllRPC", "", "double[]", "get ipwm refs"},
    {"getDutyCycleOneRPC", "i32", "double", "get ipwm pwm"},
    {"getDutyCycleAllRPC", "", "double[]", "get ipwm pwms"},
    // ICurrentControl.
    {"setRefCurrentOneRPC", "i32 double", "", "set icur ref"},
    {"setRefCurrentAllRPC", "double[]", "", "set icur refs"},
    {"setRefCurrentGroupRPC", "i32[] double[]", "", "set icur refg"},
    {"getRefCurrentOneRPC", "i32", "double", "get icur ref"},
    {"getRefCurrentAllRPC", "", "double[]", "get icur refs"},
    {"getCurrentOneRPC", "i32", "double", "get acu"},
    {"getCurrentAllRPC", "", "double[]", "get acus"},
    {"getCurrentRangeOneRPC", "i32", "double double", "get icur rng"},
    {"getCurrentRangeAllRPC", "", "double[] double[]", "get icur rngs"},
    // IPidControl.
    {"setPidRPC", "pidtype i16 Pid", "", "set pid pid"},
    {"setPidsRPC", "pidtype Pid[]", "", "set pid pids"},
    {"getPidRPC", "pidtype i16", "Pid", "get pid pid"},
    {"getPidsRPC", "pidtype", "Pid[]", "get pid pids"},
    {"setPidReferenceRPC", "pidtype i16 double", "", "set pid ref"},
    {"setPidReferencesRPC", "pidtype double[]", "", "set pid refs"},
    {"getPidReferenceRPC", "pidtype i16", "double", "get pid ref"},
    {"getPidReferencesRPC", "pidtype", "double[]", "get pid refs"},
    {"setPidErrorLimitRPC", "pidtype i16 double", "", "set pid lim"},
    {"setPidErrorLimitsRPC", "pidtype double[]", "", "set pid lims"},
    {"getPidErrorLimitRPC", "pidtype i16", "double", "get pid lim"},
    {"getPidErrorLimitsRPC", "pidtype", "double[]", "get pid lims"},
    {"getPidErrorRPC", "pidtype i16", "double", "get pid err"},
    {"getPidErrorsRPC", "pidtype", "double[]", "get pid errs"},
    {"getPidOutputRPC", "pidtype i16", "double", "get pid out"},
    {"getPidOutputsRPC", "pidtype", "double[]", "get pid outs"},
    {"setPidOffsetOneRPC", "pidtype i16 double", "", "set pid off"},
    {"getPidOffsetRPC", "pidtype i16", "double", "get pid off"},
    {"setPidFeedforwardOneRPC", "pidtype i16 double", "", "set pid kff"},
    {"getPidFeedforwardRPC", "pidtype i16", "double", "get pid kff"},
    {"resetPidRPC", "pidtype i16", "", "set pid res"},
    {"enablePidRPC", "pidtype i16", "", "set pid ena"},
    {"disablePidRPC", "pidtype i16", "", "set pid dis"},
    {"isPidEnabledRPC", "pidtype i16", "bool", "get pid ena"},
    {"getAvailablePidsRPC", "i16", "pidtype[]", "get pid types"},
    {"getPidExtraInfoRPC", "pidtype i16", "InfoPid", ""},
    {"getPidExtraInfosRPC", "pidtype", "InfoPid[]", ""},
    // IControlLimits.
    {"setPosLimitsRPC", "i16 double double", "", "set llim"},
    {"getPosLimitsRPC", "i16", "double double", "get llim"},
    {"setVelLimitsRPC", "i16 double double", "", "set vlim"},
    {"getVelLimitsRPC", "i16", "double double", "get vlim"},
    // IEncodersTimed.
    {"getEncoderOneRPC", "i32", "double", "get enc"},
    {"getEncoderAllRPC", "", "double[]", "get encs"},
    {"getEncoderTimedOneRPC", "i32", "double double", "get timed enc"},
    {"getEncoderTimedAllRPC", "", "double[] double[]", "get timed encs"},
    {"getEncoderSpeedOneRPC", "i32", "double", "get esp"},
    {"getEncoderSpeedAllRPC", "", "double[]", "get esps"},
    {"getEncoderAccelerationOneRPC", "i32", "double", "get eac"},
    {"getEncoderAccelerationAllRPC", "", "double[]", "get eacs"},
    {"setEncoderOneRPC", "i32 i32", "", "set enc"},
    {"setEncoderAllRPC", "double[]", "", "set encs"},
    {"resetEncoderOneRPC", "i32", "", "set ere"},
    {"resetEncoderAllRPC", "", "", "set eres"},
    // IMotorEncoders.
    {"getNumberOfMotorEncodersRPC", "", "i32", "get mnum"},
    {"getMotorEncoderOneRPC", "i32", "double", "get mnc"},
    {"getMotorEncoderAllRPC", "", "double[]", "get mncs"},
    {"getMotorEncoderTimedOneRPC", "i32", "double double", "get timed mnc"},
    {"getMotorEncodersTimedAllRPC", "", "double[] double[]", "get timed mncs"},
    {"getMotorEncoderSpeedOneRPC", "i32", "double", "get msp"},
    {"getMotorEncoderSpeedAllRPC", "", "double[]", "get msps"},
    {"getMotorEncoderAccelerationOneRPC", "i32", "double", "get mac"},
    {"getMotorEncoderAccelerationAllRPC", "", "double[]", "get macs"},
    {"setMotorEncoderRPC", "i32 double", "", "set mnc"},
    {"setMotorEncodersAllRPC", "double[]", "", "set mncs"},
    {"resetMotorEncoderRPC", "i32", "", "set mre"},
    {"resetMotorEncodersRPC", "", "", "set mres"},
    {"setMotorEncoderCountsPerRevolutionRPC", "i32 double", "", "set mcpr"},
    {"getMotorEncoderCountsPerRevolutionRPC", "i32", "double", "get mcpr"},
    // IAmplifierControl.
    {"enableAmpRPC", "i32", "", "set aen"},
    {"disableAmpRPC", "i32", "", "set adi"},
    {"getAmpStatusOneRPC", "i32", "i32", "get asts"},
    {"getAmpStatusAllRPC", "", "i32[]", "get asta"},
    {"setMaxCurrentRPC", "i32 double", "", "set maxc"},
    {"getMaxCurrentRPC", "i32", "double", "get maxc"},
    {"setNominalCurrentRPC", "i32 double", "", "set acno"},
    {"getNominalCurrentRPC", "i32", "double", "get acno"},
    {"setPeakCurrentRPC", "i32 double", "", "set acpk"},
    {"getPeakCurrentRPC", "i32", "double", "get acpk"},
    {"getPWMRPC", "i32", "double", "get pwm"},
    {"setPWMLimitRPC", "i32 double", "", "set pwml"},
    {"getPWMLimitRPC", "i32", "double", "get pwml"},
    {"getPowerSupplyVoltageRPC", "i32", "double", "get avsu"},
    // IMotor.
    {"getNumberOfMotorsRPC", "", "i32", "get mtnm"},
    {"getTemperatureOneRPC", "i32", "double", "get tmp"},
    {"getTemperatureAllRPC", "", "double[]", "get tmps"},
    {"setTemperatureLimitRPC", "i32 double", "", "set tmpl"},
    {"getTemperatureLimitRPC", "i32", "double", "get tmpl"},
    {"setGearboxRatioRPC", "i32 double", "", "set gbxr"},
    {"getGearboxRatioRPC", "i32", "double", "get gbxr"},
    // IJointBrake.
    {"setManualBrakeActiveRPC", "i32 bool", "", ""},
    {"setAutoBrakeEnabledRPC", "i32 bool", "", ""},
    {"isJointBrakedRPC", "i32", "bool", ""},
    {"getAutoBrakeEnabledRPC", "i32", "bool", ""},
    // IJointFault.
    {"getLastJointFaultRPC", "i32", "i32 string", "get ijfl jhfl"},
    // IControlCalibration.
    {"calibrateAxisWithParamsRPC", "i32 i32 double double double", "", "calj"},
    {"setCalibrationParametersRPC", "i32 Calibration", "", "cljp"},
    {"calibrateRobotRPC", "", "", "cal"},
    {"calibrationDoneRPC", "i32", "", "cald"},
    {"parkRPC", "bool", "", "park"},
    {"abortCalibrationRPC", "", "", "abca"},
    {"abortParkRPC", "", "", "abpa"},
    // IRemoteCalibrator.
    {"isCalibratorDevicePresentRPC", "", "bool", "get reca isca"},
    {"calibrateSingleJointRPC", "i32", "", "set reca cal"},
    {"calibrateWholePartRPC", "", "", "set reca cals"},
    {"homingSingleJointRPC", "i32", "", "set reca hom"},
    {"homingWholePartRPC", "", "", "set reca homs"},
    {"parkSingleJointRPC", "i32 bool", "", "set reca par"},
    {"parkWholePartRPC", "", "", "set reca pars"},
    {"quitCalibrateRPC", "", "", "set reca quca"},
    {"quitParkRPC", "", "", "set reca qupa"},
    // IRemoteVariables.
    {"getRemoteVariablesListRPC", "", "Bottle[]", "get ivar lvar"},
    {"getRemoteVariableRPC", "string", "Bottle", "get ivar mvar"},
    {"setRemoteVariableRPC", "string Bottle", "", "set ivar mvar"},
};

// Calls `each(type)` for every word of `types`.
template <class Each>
void for_types(std::string_view types, const Each& each) {
  while (!types.empty()) {
    const std::string_view type = types.substr(0, types.find(' '));
    each(type);
    types.remove_prefix(std::min(type.size() + 1, types.size()));
  }
}

constexpr int kInfoPidTexts = 13;  // the reply has the fields of the record one by one

template <class T>
void add_nothing(ReplyValues& answer, bool list, std::size_t axes) {
  list ? answer.add(std::vector<T>(axes)) : answer.add(T{});
}

void add_nothing(ReplyValues& answer, std::string_view type, std::size_t axes) {
  const bool list = type.ends_with("[]");
  const std::string_view item = type.substr(0, type.size() - (list ? 2 : 0));
  if (item == "double") {
    add_nothing<double>(answer, list, axes);
  } else if (item == "i32") {
    add_nothing<int>(answer, list, axes);
  } else if (item == "Pid") {
    add_nothing<Pid>(answer, list, axes);
  } else if (item == "MotorTorque") {
    answer.add(MotorTorqueParameters{});
  } else if (item == "InfoPid" && !list) {
    for (int i = 0; i < kInfoPidTexts; ++i) {
      answer.add(std::string());
    }
  } else if (item == "bool") {
    answer.add(false);
  } else if (item == "string") {
    answer.add(std::string());
  } else if (!list && (item == "mode" || item == "type" || item == "pidtype")) {
    answer.add(0);
  } else {
    answer.add(Bottle());
  }
}

}  // namespace

std::span<const Method> methods() { return kMethods; }

const Method* find_method(std::string_view name) {
  static const auto by_name = [] {
    std::unordered_map<std::string_view, const Method*> index;
    for (const Method& method : kMethods) {
      [[maybe_unused]] const bool fresh = index.emplace(method.name, &method).second;
      SERVOSIM_ASSERT(fresh, "{} stands twice", method.name);
    }
    return index;
  }();
  const auto found = by_name.find(name);
  return found == by_name.end() ? nullptr : found->second;
}

Bottle return_value(std::string_view code) { return {{Vocab(code)}, true}; }

Bottle bare_reply(const Method& method, std::string_view code, std::size_t axes) {
  Bottle value = return_value(code);
  if (method.gives.empty()) {
    return value;
  }
  ReplyValues answer(Generation::V4);
  answer.add(value);
  for_types(method.gives, [&](std::string_view type) { add_nothing(answer, type, axes); });
  return answer.take();
}

}  // namespace servosim::yarp::server
