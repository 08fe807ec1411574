// SPDX-License-Identifier: Apache-2.0
#ifndef WEBOTS_ROBOT_HPP
#define WEBOTS_ROBOT_HPP

#include <iostream>  // which programs use that include only this, as with Webots
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "../../c/webots/types.h"

namespace webots {

class Device;
class Joystick;
class Keyboard;
class Mouse;
class Accelerometer;
class Altimeter;
class Brake;
class Camera;
class Compass;
class Connector;
class Display;
class DistanceSensor;
class Emitter;
class GPS;
class Gyro;
class InertialUnit;
class LED;
class Lidar;
class LightSensor;
class Motor;
class Pen;
class PositionSensor;
class Radar;
class RangeFinder;
class Receiver;
class Servo;
class Skin;
class Speaker;
class TouchSensor;
class VacuumGripper;

// The robot that this program controls: one object of this class, or of a class derived from it.
class Robot {
 public:
  typedef enum { MODE_SIMULATION = 0, MODE_CROSS_COMPILATION, MODE_REMOTE_CONTROL } Mode;
  typedef enum {
    EVENT_QUIT = -1,
    EVENT_NO_EVENT = 0,
    EVENT_MOUSE_CLICK = 1,
    EVENT_MOUSE_MOVE = 2,
    EVENT_KEYBOARD = 4,
    EVENT_JOYSTICK_BUTTON = 8,
    EVENT_JOYSTICK_AXIS = 16,
    EVENT_JOYSTICK_POV = 32
  } UserInputEvent;

  // Joins the simulation; ends the program with a message when there is none.
  Robot();
  // Leaves it. The devices go with the robot.
  virtual ~Robot();
  Robot(const Robot &) = delete;
  Robot &operator=(const Robot &) = delete;

  // Advances by `duration` ms. -1 when the simulation ends.
  virtual int step(int duration);
  int stepBegin(int duration);
  int stepEnd();
  UserInputEvent waitForUserInputEvent(UserInputEvent eventType, int timeout);

  std::string getName() const;
  std::string getUrdf(const std::string &prefix = "") const;
  double getTime() const;
  std::string getModel() const;
  std::string getCustomData() const;
  virtual void setCustomData(const std::string &data);
  Mode getMode() const;
  virtual void setMode(Mode mode, const char *arg);
  bool getSupervisor() const;
  bool getSynchronization() const;
  std::string getProjectPath() const;
  std::string getWorldPath() const;
  double getBasicTimeStep() const;
  virtual void batterySensorEnable(int samplingPeriod);
  virtual void batterySensorDisable();
  int batterySensorGetSamplingPeriod() const;
  double batterySensorGetValue() const;
  virtual void pinToStaticEnvironment(bool pin);

  // There is no robot window: what is sent is dropped, and nothing ever comes.
  virtual void wwiSendText(const std::string &text);
  std::string wwiReceiveText();

  int getNumberOfDevices() const;
  // Null, and a warning, if there is no such device. Always the same object for one device.
  Device *getDeviceByIndex(int index);
  Device *getDevice(const std::string &name);

  // The same for one class; null if the device is of another one.
  Accelerometer *getAccelerometer(const std::string &name);
  Altimeter *getAltimeter(const std::string &name);
  Brake *getBrake(const std::string &name);
  Camera *getCamera(const std::string &name);
  Compass *getCompass(const std::string &name);
  Connector *getConnector(const std::string &name);
  Display *getDisplay(const std::string &name);
  DistanceSensor *getDistanceSensor(const std::string &name);
  Emitter *getEmitter(const std::string &name);
  GPS *getGPS(const std::string &name);
  Gyro *getGyro(const std::string &name);
  InertialUnit *getInertialUnit(const std::string &name);
  LED *getLED(const std::string &name);
  Lidar *getLidar(const std::string &name);
  LightSensor *getLightSensor(const std::string &name);
  Motor *getMotor(const std::string &name);
  Pen *getPen(const std::string &name);
  PositionSensor *getPositionSensor(const std::string &name);
  Radar *getRadar(const std::string &name);
  RangeFinder *getRangeFinder(const std::string &name);
  Receiver *getReceiver(const std::string &name);
  Servo *getServo(const std::string &name);
  Skin *getSkin(const std::string &name);
  Speaker *getSpeaker(const std::string &name);
  TouchSensor *getTouchSensor(const std::string &name);
  VacuumGripper *getVacuumGripper(const std::string &name);
  Joystick *getJoystick() { return joystick_.get(); }
  Keyboard *getKeyboard() { return keyboard_.get(); }
  Mouse *getMouse() { return mouse_.get(); }

  // The robot of this program, or null.
  static Robot *getInstance();
  static Device *getDeviceFromTag(int tag);
  static int getDeviceTagFromName(const std::string &name);

  // Spellings of older releases.
  enum {
    KEYBOARD_END = 312,
    KEYBOARD_HOME,
    KEYBOARD_LEFT,
    KEYBOARD_UP,
    KEYBOARD_RIGHT,
    KEYBOARD_DOWN,
    KEYBOARD_PAGEUP = 366,
    KEYBOARD_PAGEDOWN,
    KEYBOARD_NUMPAD_HOME = 375,
    KEYBOARD_NUMPAD_LEFT,
    KEYBOARD_NUMPAD_UP,
    KEYBOARD_NUMPAD_RIGHT,
    KEYBOARD_NUMPAD_DOWN,
    KEYBOARD_NUMPAD_END = 382,
    KEYBOARD_KEY = 0x0000ffff,
    KEYBOARD_SHIFT = 0x00010000,
    KEYBOARD_CONTROL = 0x00020000,
    KEYBOARD_ALT = 0x00040000
  };
  void wwiSend(const char *data, int size);
  const char *wwiReceive(int *size);
  virtual void keyboardEnable(int ms);
  virtual void keyboardDisable();
  int keyboardGetKey() const;
  virtual void enableBattery(int ms) { batterySensorEnable(ms); }
  virtual void disableBattery() { batterySensorDisable(); }
  int getBatterySamplingPeriod() const { return batterySensorGetSamplingPeriod(); }
  double getBatteryValue() const { return batterySensorGetValue(); }
  std::string getData() const { return getCustomData(); }
  virtual void setData(const std::string &data) { setCustomData(data); }
  std::string getControllerName() const;
  std::string getControllerArguments() const;
  int getType() const;

 protected:
  // Make the devices that are handed out, for programs with device classes of their own.
  virtual Accelerometer *createAccelerometer(const std::string &name) const;
  virtual Altimeter *createAltimeter(const std::string &name) const;
  virtual Brake *createBrake(const std::string &name) const;
  virtual Camera *createCamera(const std::string &name) const;
  virtual Compass *createCompass(const std::string &name) const;
  virtual Connector *createConnector(const std::string &name) const;
  virtual Display *createDisplay(const std::string &name) const;
  virtual DistanceSensor *createDistanceSensor(const std::string &name) const;
  virtual Emitter *createEmitter(const std::string &name) const;
  virtual GPS *createGPS(const std::string &name) const;
  virtual Gyro *createGyro(const std::string &name) const;
  virtual InertialUnit *createInertialUnit(const std::string &name) const;
  virtual LED *createLED(const std::string &name) const;
  virtual Lidar *createLidar(const std::string &name) const;
  virtual LightSensor *createLightSensor(const std::string &name) const;
  virtual Motor *createMotor(const std::string &name) const;
  virtual Pen *createPen(const std::string &name) const;
  virtual PositionSensor *createPositionSensor(const std::string &name) const;
  virtual Radar *createRadar(const std::string &name) const;
  virtual RangeFinder *createRangeFinder(const std::string &name) const;
  virtual Receiver *createReceiver(const std::string &name) const;
  virtual Servo *createServo(const std::string &name) const;
  virtual Skin *createSkin(const std::string &name) const;
  virtual Speaker *createSpeaker(const std::string &name) const;
  virtual TouchSensor *createTouchSensor(const std::string &name) const;
  virtual VacuumGripper *createVacuumGripper(const std::string &name) const;

 private:
  template <typename Kind>
  Kind *find(const std::string &name, Kind *(Robot::*create)(const std::string &) const);
  template <typename Kind>
  Kind *keep(WbDeviceTag tag, Kind *device);
  Device *made_by_type(WbDeviceTag tag) const;
  Device *device_of(WbDeviceTag tag);

  // A device is seen as a Motor and as a Servo by programs that mix the two.
  std::map<WbDeviceTag, std::vector<std::unique_ptr<Device>>> devices_;
  std::unique_ptr<Keyboard> keyboard_;
  std::unique_ptr<Mouse> mouse_;
  std::unique_ptr<Joystick> joystick_;
};

}  // namespace webots

#endif
