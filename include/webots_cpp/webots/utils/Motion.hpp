// SPDX-License-Identifier: Apache-2.0
#ifndef WEBOTS_MOTION_HPP
#define WEBOTS_MOTION_HPP

#include <string>

#include "../../../c/webots/types.h"

namespace webots {

// Plays a .motion file with the motors of the robot.
class Motion {
 public:
  explicit Motion(const std::string &fileName);
  virtual ~Motion();
  Motion(const Motion &) = delete;
  Motion &operator=(const Motion &) = delete;

  // False when the file could not be read.
  bool isValid() const { return ref_ != nullptr; }
  virtual void play();
  virtual void stop();
  virtual void setLoop(bool loop);
  virtual void setReverse(bool reverse);
  bool isOver() const;
  int getDuration() const;
  int getTime() const;
  virtual void setTime(int time);

 private:
  WbMotionRef ref_;
};

}  // namespace webots

#endif
