// SPDX-License-Identifier: Apache-2.0
// Drives to a red ball, whose place in the picture follows from the moments of its pixels.
#include <cmath>
#include <webots/Camera.hpp>
#include <webots/Motor.hpp>
#include <webots/Robot.hpp>

struct Moments {
  double m00 = 0, m10 = 0, m01 = 0;
};

static Moments redMoments(const unsigned char *image, int width, int height) {
  Moments sum;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const int red = webots::Camera::imageGetRed(image, width, x, y);
      const int green = webots::Camera::imageGetGreen(image, width, x, y);
      const int blue = webots::Camera::imageGetBlue(image, width, x, y);
      if (red > 60 && red > 2 * green && red > 2 * blue) {
        sum.m00 += 1;
        sum.m10 += x;
        sum.m01 += y;
      }
    }
  return sum;
}

int main() {
  webots::Robot robot;
  const int step = static_cast<int>(robot.getBasicTimeStep());
  webots::Camera *const camera = robot.getCamera("camera");
  webots::Motor *const left = robot.getMotor("left wheel motor");
  webots::Motor *const right = robot.getMotor("right wheel motor");
  camera->enable(4 * step);
  for (webots::Motor *wheel : {left, right}) {
    wheel->setPosition(INFINITY);
    wheel->setVelocity(0);
  }
  const int width = camera->getWidth(), height = camera->getHeight();
  while (robot.step(4 * step) != -1) {
    const Moments blob = redMoments(camera->getImage(), width, height);
    double forward = 0, turn = 2.5;  // looks around
    if (blob.m00 > 3) {
      turn = 6 * (0.5 - blob.m10 / blob.m00 / (width - 1));
      // The ball is near when it is large, or low in the picture.
      const bool isNear = blob.m00 > 0.2 * width * height;
      forward = isNear ? 0 : 8 - 6 * std::abs(turn) / 3;
    }
    left->setVelocity(forward - turn);
    right->setVelocity(forward + turn);
  }
  return 0;
}
