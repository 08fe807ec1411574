// SPDX-License-Identifier: Apache-2.0
#ifndef WEBOTS_KEYBOARD_HPP
#define WEBOTS_KEYBOARD_HPP

namespace webots {

// A keyboard, on which no key is ever pressed: there is no user input.
class Keyboard {
 public:
  enum {
    END = 312,
    HOME,
    LEFT,
    UP,
    RIGHT,
    DOWN,
    PAGEUP = 366,
    PAGEDOWN,
    NUMPAD_HOME = 375,
    NUMPAD_LEFT,
    NUMPAD_UP,
    NUMPAD_RIGHT,
    NUMPAD_DOWN,
    NUMPAD_END = 382,
    KEY = 0x0000ffff,
    SHIFT = 0x00010000,
    CONTROL = 0x00020000,
    ALT = 0x00040000
  };

  Keyboard() = default;
  virtual ~Keyboard() = default;

  // Accepts a period [ms], 0 or more: no key is ever pressed.
  virtual void enable(int samplingPeriod);
  // Does nothing: no key is ever pressed.
  virtual void disable();
  // The requested period [ms]; 0 while disabled.
  int getSamplingPeriod() const;
  // -1: no key is ever pressed.
  int getKey() const;
};

}  // namespace webots

#endif
