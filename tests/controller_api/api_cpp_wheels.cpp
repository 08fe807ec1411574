// SPDX-License-Identifier: Apache-2.0
// The DifferentialWheels of Webots 6 in C++ drive towards a wall.
#include <webots/DifferentialWheels.hpp>
#include <webots/DistanceSensor.hpp>
#include <webots/GPS.hpp>

#include "api.h"

using namespace webots;

int main() {
  api_begin();
  DifferentialWheels rover;
  GPS *gps = rover.getGPS("gps");
  DistanceSensor *front = rover.getDistanceSensor("front");
  EXPECT_IS(rover.getMaxSpeed(), 20.0);
  EXPECT_IS(rover.getSpeedUnit(), 0.5);
  rover.enableEncoders(16);
  EXPECT(rover.getEncodersSamplingPeriod() == 16);
  gps->enable(16);
  front->enable(16);
  rover.setEncoders(1000.0, -1000.0);
  rover.setSpeed(20.0, 10.0);
  EXPECT_IS(rover.getLeftSpeed(), 20.0);
  EXPECT_IS(rover.getRightSpeed(), 10.0);
  rover.setSpeed(20.0, 20.0);  // 10 rad/s, that is 0.5 m/s
  rover.step(1600);
  EXPECT_NEAR(front->getValue(), 3.2, 1e-6);
  EXPECT_NEAR(gps->getValues()[2], -0.9, 1e-9);
  EXPECT_NEAR(rover.getLeftEncoder(), 2600.0, 1.0);
  EXPECT_NEAR(rover.getRightEncoder(), 600.0, 1.0);
  return api_end();
}
