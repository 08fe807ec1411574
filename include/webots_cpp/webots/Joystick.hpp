// SPDX-License-Identifier: Apache-2.0
#ifndef WEBOTS_JOYSTICK_HPP
#define WEBOTS_JOYSTICK_HPP

#include <string>

namespace webots {

// A joystick, of which none is ever connected: there is no user input.
class Joystick {
 public:
  Joystick() = default;
  virtual ~Joystick() = default;

  // Accepts a period [ms], 0 or more: no joystick is ever connected.
  virtual void enable(int samplingPeriod);
  // Does nothing: no joystick is ever connected.
  virtual void disable();
  // The requested period [ms]; 0 while disabled.
  int getSamplingPeriod() const;
  // False: no joystick is ever connected.
  bool isConnected() const;
  // "": no joystick is ever connected.
  std::string getModel() const;
  // 0: no joystick is ever connected.
  int getNumberOfAxes() const;
  int getAxisValue(int axis) const;
  int getNumberOfPovs() const;
  // 0: no joystick is ever connected.
  int getPovValue(int pov) const;
  // -1: no button is ever pressed.
  int getPressedButton() const;
  // Does nothing: no joystick is ever connected.
  virtual void setConstantForce(int level);
  // Does nothing with a duration [s]: no joystick is ever connected.
  virtual void setConstantForceDuration(double duration);
  // Does nothing: no joystick is ever connected.
  virtual void setAutoCenteringGain(double gain);
  virtual void setResistanceGain(double gain);
  virtual void setForceAxis(int axis);
};

}  // namespace webots

#endif
