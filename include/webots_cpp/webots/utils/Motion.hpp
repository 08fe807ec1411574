// SPDX-License-Identifier: Apache-2.0
#ifndef WEBOTS_MOTION_HPP
#define WEBOTS_MOTION_HPP

#include <string>

#include "../../../c/webots/types.h"

namespace webots {

// Plays a .motion file with the motors of the robot; webots/utils/motion.h describes it.
class Motion {
 public:
  explicit Motion(const std::string &fileName);
  virtual ~Motion();
  Motion(const Motion &) = delete;
  Motion &operator=(const Motion &) = delete;

  // Whether the file could be read. If not, calls are errors.
  bool isValid() const { return ref_ != nullptr; }
  // Plays from where it is, or from the other end when it is over.
  virtual void play();
  // Stops it; its time stays.
  virtual void stop();
  // Sets whether it begins again at its end.
  virtual void setLoop(bool loop);
  // Sets whether it plays backwards.
  virtual void setReverse(bool reverse);
  // Whether it is at the end towards which it plays; never true for a loop.
  bool isOver() const;
  // The time of the last pose [ms].
  int getDuration() const;
  // The present time [ms], 0 to its duration.
  int getTime() const;
  // Sets the time [ms]; a time outside of 0 to the duration becomes the nearer end.
  virtual void setTime(int time);

 private:
  WbMotionRef ref_;
};

}  // namespace webots

#endif
