// SPDX-License-Identifier: Apache-2.0
// IAmplifierControl, IMotor.
#include "wire/verbs.h"

namespace servosim::wire {

void add_amplifiers(Verbs& verbs) {
  verbs.add("set aen", "enableAmpRPC", act(&Board::enableAmp).one);
  verbs.add("set adi", "disableAmpRPC", act(&Board::disableAmp).one);
  verbs.add("get", {"asts", "asta", ""}, "getAmpStatus", get(&Board::getAmpStatus));
  verbs.add("get", {"acu", "acus", ""}, "getCurrent", get(&Board::getCurrent));
  verbs.add("set maxc", "setMaxCurrentRPC", set(&Board::setMaxCurrent).one);
  verbs.add("get maxc", "getMaxCurrentRPC", get(&Board::getMaxCurrent).one);
  verbs.add("set acno", "setNominalCurrentRPC", set(&Board::setNominalCurrent).one);
  verbs.add("get acno", "getNominalCurrentRPC", get(&Board::getNominalCurrent).one);
  verbs.add("set acpk", "setPeakCurrentRPC", set(&Board::setPeakCurrent).one);
  verbs.add("get acpk", "getPeakCurrentRPC", get(&Board::getPeakCurrent).one);
  verbs.add("set pwml", "setPWMLimitRPC", set(&Board::setPWMLimit).one);
  verbs.add("get pwml", "getPWMLimitRPC", get(&Board::getPWMLimit).one);
  verbs.add("get pwm", "getPWMRPC", get(&Board::getPWM).one);
  verbs.add("get avsu", "getPowerSupplyVoltageRPC", get(&Board::getPowerSupplyVoltage).one);

  verbs.add("get mtnm", "getNumberOfMotorsRPC", report(&Board::getNumberOfMotors));
  verbs.add("get", {"tmp", "tmps", ""}, "getTemperature", get(&Board::getTemperature));
  verbs.add("set tmpl", "setTemperatureLimitRPC", set(&Board::setTemperatureLimit).one);
  verbs.add("get tmpl", "getTemperatureLimitRPC", get(&Board::getTemperatureLimit).one);
  verbs.add("set gbxr", "setGearboxRatioRPC", set(&Board::setGearboxRatio).one);
  verbs.add("get gbxr", "getGearboxRatioRPC", get(&Board::getGearboxRatio).one);
}

}  // namespace servosim::wire
