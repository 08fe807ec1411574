// SPDX-License-Identifier: Apache-2.0
#ifndef WEBOTS_SPEAKER_HPP
#define WEBOTS_SPEAKER_HPP

#include <string>
#include <webots/Device.hpp>

namespace webots {

// A speaker, which plays nothing: servosim makes no sounds. Arguments are checked; webots/speaker.h
// has their ranges.
class Speaker : public Device {
 public:
  explicit Speaker(const std::string &name) : Device(name) {}
  explicit Speaker(WbDeviceTag tag) : Device(tag) {}

  // Stops a sound; null: every sound.
  virtual void stop(const std::string &sound);
  // False: nothing is played.
  bool isSoundPlaying(const std::string &sound) const;
  // Sets the engine, "pico" or "microsoft"; False for others.
  virtual bool setEngine(const std::string &engine);
  // Sets the language, such as "en-US"; False if the engine does not have it.
  virtual bool setLanguage(const std::string &language);
  // The engine, "pico" or "microsoft".
  std::string getEngine() const;
  // The language, such as "en-US".
  std::string getLanguage() const;
  // Checks a text and a volume from 0 to 1 only: nothing is spoken.
  virtual void speak(const std::string &text, double volume);
  // False: nothing is spoken.
  bool isSpeaking() const;
  // `left` and `right` may be the same; balance from -1 (left) to 1.
  static void playSound(Speaker *left, Speaker *right, const std::string &sound, double volume,
                        double pitch, double balance, bool loop);
};

}  // namespace webots

#endif
