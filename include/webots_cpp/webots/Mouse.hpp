// SPDX-License-Identifier: Apache-2.0
#ifndef WEBOTS_MOUSE_HPP
#define WEBOTS_MOUSE_HPP

#include "../../c/webots/mouse_state.h"

namespace webots {

typedef WbMouseState MouseState;

// A mouse, on which no button is ever pressed: there is no user input.
class Mouse {
 public:
  Mouse() = default;
  virtual ~Mouse() = default;

  // Accepts a period [ms], 0 or more: there is no mouse.
  virtual void enable(int samplingPeriod);
  // Does nothing: there is no mouse.
  virtual void disable();
  // The requested period [ms]; 0 while disabled.
  int getSamplingPeriod() const;
  // Asks for the place in the world, which stays NaN.
  virtual void enable3dPosition();
  // Stops asking for the place in the world.
  virtual void disable3dPosition();
  // Whether the place in the world is asked for.
  bool is3dPositionEnabled() const;
  // Buttons and place: none is pressed, and the place is NaN.
  MouseState getState() const;
};

}  // namespace webots

#endif
