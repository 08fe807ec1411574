// SPDX-License-Identifier: Apache-2.0
// Goes around a room with the wall to its right, whose place it knows by a lidar.
#include <algorithm>
#include <cmath>
#include <webots/Lidar.hpp>
#include <webots/Motor.hpp>
#include <webots/Robot.hpp>

class WallFollower : public webots::Robot {
 public:
  WallFollower()
      : step_(static_cast<int>(getBasicTimeStep())),
        lidar_(getLidar("lidar")),
        left_(getMotor("left wheel motor")),
        right_(getMotor("right wheel motor")) {
    lidar_->enable(2 * step_);
    for (webots::Motor *wheel : {left_, right_}) {
      wheel->setPosition(INFINITY);
      wheel->setVelocity(0);
    }
  }

  void run() {
    while (step(2 * step_) != -1) {
      const double ahead = nearest(-0.5, 0.5), beside = nearest(-2.2, -0.9);
      double forward = 7, turn = 12 * (0.3 - beside) + 4 * heading();
      if (ahead < 0.35) {
        forward = 0;
        turn = 3;
      }
      turn = std::max(-3.0, std::min(3.0, turn));
      left_->setVelocity(forward - turn);
      right_->setVelocity(forward + turn);
    }
  }

 private:
  // The range in a direction to the left of where the robot looks.
  double range(double angle) const {
    const int count = lidar_->getHorizontalResolution();
    const double column = (0.5 - angle / lidar_->getFov()) * count;
    return lidar_->getRangeImage()[std::min(count - 1, std::max(0, static_cast<int>(column)))];
  }
  double nearest(double from, double to) const {
    double found = INFINITY;
    for (double angle = from; angle <= to; angle += 0.02) found = std::min(found, range(angle));
    return found;
  }
  // How far the robot looks away from the wall to its right, by two beams: less than 0 to the left.
  double heading() const {
    const double between = 0.5, a = range(-M_PI / 2 + between), b = range(-M_PI / 2);
    if (!(a < 1 && b < 1)) return 0;
    return -std::atan2(a * std::cos(between) - b, a * std::sin(between));
  }

  int step_;
  webots::Lidar *lidar_;
  webots::Motor *left_, *right_;
};

int main() {
  WallFollower().run();
  return 0;
}
