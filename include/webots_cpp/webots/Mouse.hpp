// SPDX-License-Identifier: Apache-2.0
#ifndef WEBOTS_MOUSE_HPP
#define WEBOTS_MOUSE_HPP

#include "../../c/webots/mouse_state.h"

namespace webots {

typedef WbMouseState MouseState;

class Mouse {
 public:
  Mouse() = default;
  virtual ~Mouse() = default;

  virtual void enable(int samplingPeriod);
  virtual void disable();
  int getSamplingPeriod() const;
  virtual void enable3dPosition();
  virtual void disable3dPosition();
  bool is3dPositionEnabled() const;
  MouseState getState() const;
};

}  // namespace webots

#endif
