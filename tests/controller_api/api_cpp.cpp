// SPDX-License-Identifier: Apache-2.0
// The C++ API has one object for each device, in the class of its node, and gives the same numbers
// as C.
#include <webots/device.h>
#include <webots/motor.h>
#include <webots/nodes.h>

#include <type_traits>
#include <webots/Accelerometer.hpp>
#include <webots/Brake.hpp>
#include <webots/Keyboard.hpp>
#include <webots/Motor.hpp>
#include <webots/Node.hpp>
#include <webots/PositionSensor.hpp>
#include <webots/Robot.hpp>
#include <webots/Servo.hpp>
#include <webots/TouchSensor.hpp>
#include <webots/utils/AnsiCodes.hpp>

#include "api.h"

using namespace webots;

static_assert(static_cast<int>(Node::HINGE_2_JOINT) == WB_NODE_HINGE_2_JOINT);
static_assert(static_cast<int>(Node::RADIO) == WB_NODE_RADIO);
static_assert(static_cast<int>(Node::SERVO) == WB_NODE_SERVO);
static_assert(!std::is_copy_constructible_v<Robot> && !std::is_copy_constructible_v<Motor>);

namespace {

class HalfSpeedMotor : public Motor {
 public:
  explicit HalfSpeedMotor(const std::string &name) : Motor(name) {}
  void setVelocity(double velocity) override { Motor::setVelocity(0.5 * velocity); }
};

class Arm : public Robot {
 public:
  void run();

 private:
  Motor *createMotor(const std::string &name) const override {
    return name == "roll" ? new HalfSpeedMotor(name) : Robot::createMotor(name);
  }
  void hands_out_the_same_objects();
  void knows_classes();
  void passes_numbers_on();
  void moves();
};

void Arm::hands_out_the_same_objects() {
  Motor *shoulder = getMotor("shoulder");
  EXPECT(shoulder != nullptr && getMotor("shoulder") == shoulder);
  EXPECT(getDevice("shoulder") == shoulder && getDeviceByIndex(0) == shoulder);
  EXPECT(getDeviceFromTag(shoulder->getTag()) == shoulder);
  PositionSensor *sensor = shoulder->getPositionSensor();
  EXPECT(sensor != nullptr && sensor == getPositionSensor("shoulder sensor"));
  EXPECT(sensor->getMotor() == shoulder && sensor->getBrake() == shoulder->getBrake());
  EXPECT(getBrake("shoulder brake")->getMotor() == shoulder);
  EXPECT(getMotor("roll")->getBrake() == nullptr);
  EXPECT(getNumberOfDevices() == 7);
  for (int i = 0; i < getNumberOfDevices(); ++i) {
    EXPECT(getDeviceByIndex(i)->getTag() == i + 1);
  }
  EXPECT_SILENCE();
}

void Arm::knows_classes() {
  EXPECT(dynamic_cast<TouchSensor *>(getDevice("skin")) != nullptr);
  EXPECT(dynamic_cast<HalfSpeedMotor *>(getDevice("roll")) != nullptr);
  EXPECT(getDevice("skin")->getModel() == "patch");
  EXPECT(getDevice("lift")->getNodeType() == Node::LINEAR_MOTOR);
  EXPECT(getMotor("lift")->getType() == Motor::LINEAR);
  EXPECT(getPositionSensor("shoulder sensor")->getType() == PositionSensor::ROTATIONAL);
  EXPECT(getServo("lift")->getMaxPosition() == getMotor("lift")->getMaxPosition());
  EXPECT_SILENCE();
  EXPECT(getAccelerometer("lift") == nullptr);
  EXPECT_MESSAGE("Warning: \"lift\" is a LinearMotor, not a Accelerometer.");
  EXPECT(getDevice("tail") == nullptr);
  EXPECT_MESSAGE("\"tail\" device not found.");
  EXPECT(getMotor("tail") == nullptr);
  EXPECT_MESSAGE("\"tail\" device not found.");
}

void Arm::passes_numbers_on() {
  int size = 7;
  wwiSend("nobody reads this", 18);
  EXPECT(wwiReceive(&size) == nullptr && size == 0);
  Motor *shoulder = getMotor("shoulder");
  EXPECT_IS(shoulder->getMaxVelocity(), 4.0);
  EXPECT_IS(shoulder->getMaxTorque(), 30.0);
  EXPECT_IS(shoulder->getMinPosition(), -2.0);
  EXPECT_IS(shoulder->getTargetPosition(), 0.3);
  shoulder->setControlPID(8.0, 0.25, 0.125);
  shoulder->setAvailableTorque(12.5);
  EXPECT_IS(wb_motor_get_available_torque(shoulder->getTag()), 12.5);
  getMotor("roll")->setVelocity(1.5);
  EXPECT_IS(getMotor("roll")->getVelocity(), 0.75);
  EXPECT(getName() == "arm" && getModel() == "test arm" && getCustomData() == "first words");
  setCustomData("grüße");
  EXPECT(getData() == "grüße");
  EXPECT_IS(getBasicTimeStep(), 16.0);
  EXPECT(getControllerArguments() == "left right hand");
  EXPECT(getKeyboard() != nullptr && static_cast<int>(KEYBOARD_UP) == Keyboard::UP);
  EXPECT(AnsiCodes::RED_FOREGROUND == "\x1b[31m");
  shoulder->setVelocity(-1.0);
  EXPECT_MESSAGE("wb_motor_set_velocity()");
}

void Arm::moves() {
  Motor *shoulder = getMotor("shoulder");
  PositionSensor *sensor = getPositionSensor("shoulder sensor");
  sensor->enable(16);
  EXPECT(sensor->getSamplingPeriod() == 16);
  shoulder->setVelocity(2.0);
  shoulder->setAcceleration(-1);
  shoulder->setControlPID(10.0, 0.0, 0.0);
  shoulder->setPosition(0.75);
  for (int i = 0; i < 100; ++i) {
    EXPECT(step(16) == 0);
  }
  EXPECT_IS(getTime(), 1.6);
  EXPECT_NEAR(sensor->getValue(), 0.75, 1e-3);
}

void Arm::run() {
  EXPECT(Robot::getInstance() == this);
  hands_out_the_same_objects();
  knows_classes();
  passes_numbers_on();
  moves();
}

}  // namespace

int main() {
  api_begin();
  {
    Arm arm;
    arm.run();
  }
  EXPECT(Robot::getInstance() == nullptr);
  return api_end();
}
