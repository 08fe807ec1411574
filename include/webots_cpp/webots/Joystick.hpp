// SPDX-License-Identifier: Apache-2.0
#ifndef WEBOTS_JOYSTICK_HPP
#define WEBOTS_JOYSTICK_HPP

#include <string>

namespace webots {

class Joystick {
 public:
  Joystick() = default;
  virtual ~Joystick() = default;

  virtual void enable(int samplingPeriod);
  virtual void disable();
  int getSamplingPeriod() const;
  bool isConnected() const;
  std::string getModel() const;
  int getNumberOfAxes() const;
  int getAxisValue(int axis) const;
  int getNumberOfPovs() const;
  int getPovValue(int pov) const;
  int getPressedButton() const;
  virtual void setConstantForce(int level);
  virtual void setConstantForceDuration(double duration);
  virtual void setAutoCenteringGain(double gain);
  virtual void setResistanceGain(double gain);
  virtual void setForceAxis(int axis);
};

}  // namespace webots

#endif
