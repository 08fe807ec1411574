// SPDX-License-Identifier: Apache-2.0
// Drives from sign to sign, and turns where their arrows point.
#include <algorithm>
#include <cmath>
#include <webots/Camera.hpp>
#include <webots/InertialUnit.hpp>
#include <webots/Motor.hpp>
#include <webots/Robot.hpp>

struct Sign {
  int left = 1000, right = -1;  // columns of its frame
  int arrow = 0;                // more than 0: the arrow points to the right
};

class Driver : public webots::Robot {
 public:
  Driver()
      : step_(2 * static_cast<int>(getBasicTimeStep())),
        camera_(getCamera("camera")),
        unit_(getInertialUnit("imu")),
        left_(getMotor("left wheel motor")),
        right_(getMotor("right wheel motor")) {
    camera_->enable(step_);
    unit_->enable(step_);
    for (webots::Motor *wheel : {left_, right_}) {
      wheel->setPosition(INFINITY);
      wheel->setVelocity(0);
    }
  }

  void run() {
    double heading = 0;
    while (step(step_) != -1) {
      const double off = std::remainder(heading - unit_->getRollPitchYaw()[2], 2 * M_PI);
      const Sign sign = look();
      const bool isThere = sign.right - sign.left > 0.55 * camera_->getWidth();
      if (isThere && std::abs(off) < 0.02) heading += sign.arrow > 0 ? -M_PI / 2 : M_PI / 2;
      const double turn = std::max(-4.0, std::min(4.0, 8 * off));
      const double forward = std::abs(off) < 0.1 && !isThere ? 8 : 0;
      left_->setVelocity(forward - turn);
      right_->setVelocity(forward + turn);
    }
  }

 private:
  // The head of the arrow has more black pixels than its other half.
  Sign look() const {
    const unsigned char *image = camera_->getImage();
    const int width = camera_->getWidth(), height = camera_->getHeight();
    const auto is = [&](int x, int y, bool blue) {
      const int r = webots::Camera::imageGetRed(image, width, x, y);
      const int b = webots::Camera::imageGetBlue(image, width, x, y);
      return blue ? b > 120 && b > 2 * r : r < 50 && b < 50;
    };
    Sign sign;
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        if (is(x, y, true)) {
          sign.left = std::min(sign.left, x);
          sign.right = std::max(sign.right, x);
        }
    for (int y = 0; y < height; ++y)
      for (int x = sign.left; x <= sign.right; ++x)
        if (is(x, y, false)) sign.arrow += 2 * x > sign.left + sign.right ? 1 : -1;
    return sign;
  }

  int step_;
  webots::Camera *camera_;
  webots::InertialUnit *unit_;
  webots::Motor *left_, *right_;
};

int main() {
  Driver().run();
  return 0;
}
