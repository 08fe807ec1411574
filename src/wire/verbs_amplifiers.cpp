// SPDX-License-Identifier: Apache-2.0
// IAmplifierControl, IMotor.
#include "wire/verbs.h"

namespace servosim::wire {

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

  verbs.add("get mtnm", report(&Board::getNumberOfMotors));
  verbs.add("get", {"tmp", "tmps", ""}, get(&Board::getTemperature));
  verbs.add("set tmpl", set(&Board::setTemperatureLimit).one);
  verbs.add("get tmpl", get(&Board::getTemperatureLimit).one);
  verbs.add("set gbxr", set(&Board::setGearboxRatio).one);
  verbs.add("get gbxr", get(&Board::getGearboxRatio).one);
}

}  // namespace servosim::wire
