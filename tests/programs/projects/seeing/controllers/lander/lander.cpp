// SPDX-License-Identifier: Apache-2.0
// A drone rises, looks down for a red pad, and lands on it.
#include <algorithm>
#include <cmath>
#include <webots/Camera.hpp>
#include <webots/GPS.hpp>
#include <webots/Gyro.hpp>
#include <webots/InertialUnit.hpp>
#include <webots/Motor.hpp>
#include <webots/Robot.hpp>

static const double kGravity = 9.81, kMass = 1, kInertia = 0.008, kArm = 0.12;
static const double kThrust = 1e-4, kTorqueOfThrust = 0.02;  // of a propeller

static double bounded(double value, double most) { return std::max(-most, std::min(most, value)); }

// Where the pad is: how far ahead of the drone and to its left, in units of its height.
struct Pad {
  bool seen = false;
  double ahead = 0, left = 0;
};

class Lander : public webots::Robot {
 public:
  Lander()
      : step_(static_cast<int>(getBasicTimeStep())),
        camera_(getCamera("camera")),
        gps_(getGPS("gps")),
        gyro_(getGyro("gyro")),
        unit_(getInertialUnit("imu")) {
    camera_->enable(kPicture * step_);
    gps_->enable(step_);
    gyro_->enable(step_);
    unit_->enable(step_);
    const char *names[] = {"front left", "front right", "rear left", "rear right"};
    for (int i = 0; i < 4; ++i) {
      motors_[i] = getMotor(names[i]);
      motors_[i]->setPosition(INFINITY);
      motors_[i]->setVelocity(0);
    }
  }

  void run() {
    for (int count = 0; step(step_) != -1; ++count) {
      if (count < 2) continue;
      const double height = gps_->getValues()[2];
      rising_ = (height - height_) * 1000 / step_;
      height_ = height;
      if (count % kPicture == 0) steer();
      if (landed_) continue;
      fly();
    }
  }

 private:
  static const int kPicture = 4;  // steps between pictures

  Pad look() const {
    const unsigned char *image = camera_->getImage();
    const int width = camera_->getWidth(), height = camera_->getHeight();
    double count = 0, x_sum = 0, y_sum = 0;
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        const int red = webots::Camera::imageGetRed(image, width, x, y);
        if (red > 60 && red > 2 * webots::Camera::imageGetGreen(image, width, x, y)) {
          ++count;
          x_sum += x;
          y_sum += y;
        }
      }
    Pad pad;
    if (count > 0) {
      const double focal = 0.5 * width / std::tan(0.5 * camera_->getFov());
      const double *turn = unit_->getRollPitchYaw();
      pad.seen = true;
      pad.ahead = std::tan(std::atan((0.5 * (height - 1) - y_sum / count) / focal) - turn[1]);
      pad.left = std::tan(std::atan((0.5 * (width - 1) - x_sum / count) / focal) + turn[0]);
    }
    return pad;
  }

  // Chooses the tilt that brings the pad below the drone.
  void steer() {
    const Pad pad = look();
    const double height = std::max(0.05, height_);
    if (pad.seen && before_.seen) {
      const double seconds = 0.001 * kPicture * step_;
      const double ahead = height * pad.ahead, left = height * pad.left;
      forward_ += 0.4 * ((last_ahead_ - ahead) / seconds - forward_);
      leftward_ += 0.4 * ((last_left_ - left) / seconds - leftward_);
      pitch_ = bounded((1.5 * ahead - 1.8 * forward_) / kGravity, 0.15);
      roll_ = -bounded((1.5 * left - 1.8 * leftward_) / kGravity, 0.15);
      const bool above = std::hypot(ahead, left) < 0.06 && std::hypot(forward_, leftward_) < 0.15;
      if (above) wanted_height_ -= 0.4 * seconds;
    } else {
      pitch_ = roll_ = 0;
    }
    before_ = pad;
    last_ahead_ = height * pad.ahead;
    last_left_ = height * pad.left;
    if (wanted_height_ < 0.25 && height_ < 0.3) {
      landed_ = true;
      for (webots::Motor *motor : motors_) motor->setVelocity(0);
    }
  }

  void fly() {
    const double *turn = unit_->getRollPitchYaw(), *rate = gyro_->getValues();
    const double lift =
        kMass * (kGravity + 4 * bounded(wanted_height_ - height_, 0.5) - 4 * rising_);
    const double x = kInertia * (80 * (roll_ - turn[0]) - 16 * rate[0]);
    const double y = kInertia * (80 * (pitch_ - turn[1]) - 16 * rate[1]);
    const double z = kInertia * (-4 * turn[2] - 4 * rate[2]);
    const int ahead[] = {1, 1, -1, -1}, left[] = {1, -1, 1, -1}, spin[] = {-1, 1, 1, -1};
    for (int i = 0; i < 4; ++i) {
      const double thrust =
          0.25 * (lift + (x * left[i] - y * ahead[i]) / kArm + z * spin[i] / kTorqueOfThrust);
      motors_[i]->setVelocity(std::sqrt(std::max(0.0, thrust) / kThrust));
    }
  }

  int step_;
  webots::Camera *camera_;
  webots::GPS *gps_;  // for the height alone
  webots::Gyro *gyro_;
  webots::InertialUnit *unit_;
  webots::Motor *motors_[4];
  Pad before_;
  double height_ = 0, rising_ = 0, wanted_height_ = 1.3, pitch_ = 0, roll_ = 0;
  double last_ahead_ = 0, last_left_ = 0, forward_ = 0, leftward_ = 0;
  bool landed_ = false;
};

int main() {
  Lander().run();
  return 0;
}
