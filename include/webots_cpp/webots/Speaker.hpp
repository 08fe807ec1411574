// SPDX-License-Identifier: Apache-2.0
#ifndef WEBOTS_SPEAKER_HPP
#define WEBOTS_SPEAKER_HPP

#include <string>
#include <webots/Device.hpp>

namespace webots {

class Speaker : public Device {
 public:
  explicit Speaker(const std::string &name) : Device(name) {}
  explicit Speaker(WbDeviceTag tag) : Device(tag) {}

  virtual void stop(const std::string &sound);
  bool isSoundPlaying(const std::string &sound) const;
  virtual bool setEngine(const std::string &engine);
  virtual bool setLanguage(const std::string &language);
  std::string getEngine() const;
  std::string getLanguage() const;
  virtual void speak(const std::string &text, double volume);
  bool isSpeaking() const;
  // `left` and `right` may be the same; balance from -1 (left) to 1.
  static void playSound(Speaker *left, Speaker *right, const std::string &sound, double volume,
                        double pitch, double balance, bool loop);
};

}  // namespace webots

#endif
