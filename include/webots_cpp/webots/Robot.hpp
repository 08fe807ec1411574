// SPDX-License-Identifier: Apache-2.0
#ifndef WEBOTS_ROBOT_HPP
#define WEBOTS_ROBOT_HPP

#include <iostream>  // programs that include only this header use it, as with Webots
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "../../c/webots/types.h"

// The class of each type of device, X(class).
#define WEBOTS_DEVICES(X) \
  X(Accelerometer)        \
  X(Altimeter)            \
  X(Brake)                \
  X(Camera)               \
  X(Compass)              \
  X(Connector)            \
  X(Display)              \
  X(DistanceSensor)       \
  X(Emitter)              \
  X(GPS)                  \
  X(Gyro)                 \
  X(InertialUnit)         \
  X(LED)                  \
  X(Lidar)                \
  X(LightSensor)          \
  X(Motor)                \
  X(Pen)                  \
  X(PositionSensor)       \
  X(Radar)                \
  X(RangeFinder)          \
  X(Receiver)             \
  X(Servo)                \
  X(Skin)                 \
  X(Speaker)              \
  X(TouchSensor)          \
  X(VacuumGripper)

namespace webots {

class Device;
class Joystick;
class Keyboard;
class Mouse;
#define WEBOTS_DECLARE(Kind) class Kind;
WEBOTS_DEVICES(WEBOTS_DECLARE)
#undef WEBOTS_DECLARE

// The robot that this program controls. There is one object of this class or of a derived one; a
// second one ends the program with a message. webots/robot.h describes the functions.
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

  // Joins the simulation. Without one the program ends with a message.
  Robot();
  // Leaves the simulation, and deletes the objects of the devices.
  virtual ~Robot();
  Robot(const Robot &) = delete;
  Robot &operator=(const Robot &) = delete;

  // Sends what was set, and waits until `duration` ms of simulated time have passed. Returns -1
  // when the simulation ends, else by how many ms the step was longer.
  virtual int step(int duration);
  // Begins a step of `duration` ms, to compute while the simulation runs; -1 at its end.
  int stepBegin(int duration);
  // Waits for the end of the step that stepBegin() began; -1 when the simulation ends.
  int stepEnd();
  // Lets `timeout` ms pass, for ever if negative: there is no user.
  UserInputEvent waitForUserInputEvent(UserInputEvent eventType, int timeout);

  // The field name of the robot.
  std::string getName() const;
  // The robot as URDF, where every name begins with `prefix`.
  std::string getUrdf(const std::string &prefix = "") const;
  // The simulated time of the last step [s].
  double getTime() const;
  // The field model of the robot.
  std::string getModel() const;
  // The field customData of the robot.
  std::string getCustomData() const;
  // Sets the field customData of the robot, a text of up to 1 MiB.
  virtual void setCustomData(const std::string &data);
  // Always MODE_SIMULATION.
  Mode getMode() const;
  // An error for anything but MODE_SIMULATION.
  virtual void setMode(Mode mode, const char *arg);
  // The field supervisor of the robot.
  bool getSupervisor() const;
  // The field synchronization of the robot.
  bool getSynchronization() const;
  // The folder of the project.
  std::string getProjectPath() const;
  // The path of the world.
  std::string getWorldPath() const;
  // The field basicTimeStep of the world [ms].
  double getBasicTimeStep() const;
  // Measures the battery every `samplingPeriod` ms, 0 or more; 0 stops.
  virtual void batterySensorEnable(int samplingPeriod);
  // Stops measuring the battery.
  virtual void batterySensorDisable();
  // The requested period [ms]; 0 while disabled.
  int batterySensorGetSamplingPeriod() const;
  // The charge of the battery [J]; -1 without a battery.
  double batterySensorGetValue() const;
  // Fixes the base of the robot to the world where it is, or releases it.
  virtual void pinToStaticEnvironment(bool pin);

  // Does nothing: there is no robot window.
  virtual void wwiSendText(const std::string &text);
  // "": there is no robot window.
  std::string wwiReceiveText();

  // The number of devices of the robot.
  int getNumberOfDevices() const;
  // A device by its number from 0, or by its name; null, and a warning, if there is none. A device
  // has always the same object, which belongs to the robot.
  Device *getDeviceByIndex(int index);
  Device *getDevice(const std::string &name);

  // Each class of devices has such a function: Gyro *getGyro(const std::string &name) returns the
  // device of that name if it is of this class; null, and a warning, if it is not.
#define WEBOTS_GET(Kind) Kind *get##Kind(const std::string &name);
  WEBOTS_DEVICES(WEBOTS_GET)
#undef WEBOTS_GET
  Joystick *getJoystick() { return joystick_.get(); }
  // The keyboard; no key is ever pressed.
  Keyboard *getKeyboard() { return keyboard_.get(); }
  // The mouse; no button is ever pressed.
  Mouse *getMouse() { return mouse_.get(); }

  // The robot of this program, or null.
  static Robot *getInstance();
  // The device of a number, as getDevice(); null before there is a Robot object.
  static Device *getDeviceFromTag(int tag);
  // The number of the device of that name; 0, and a warning, if there is none.
  static int getDeviceTagFromName(const std::string &name);

  // Older releases have the names below.
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
  // Null, and a size of 0: there is no robot window.
  const char *wwiReceive(int *size);
  // Accepts a period [ms], 0 or more: no key is ever pressed.
  virtual void keyboardEnable(int ms);
  // Does nothing: no key is ever pressed.
  virtual void keyboardDisable();
  // 0: no key is ever pressed.
  int keyboardGetKey() const;
  // Measures the battery every `ms` milliseconds, 0 or more; 0 stops.
  virtual void enableBattery(int ms) { batterySensorEnable(ms); }
  // Stops measuring the battery.
  virtual void disableBattery() { batterySensorDisable(); }
  // The requested period [ms]; 0 while disabled.
  int getBatterySamplingPeriod() const { return batterySensorGetSamplingPeriod(); }
  // The charge of the battery [J]; -1 without a battery.
  double getBatteryValue() const { return batterySensorGetValue(); }
  // The field customData of the robot.
  std::string getData() const { return getCustomData(); }
  // Sets the field customData of the robot.
  virtual void setData(const std::string &data) { setCustomData(data); }
  // The name of the controller.
  std::string getControllerName() const;
  // The field controllerArgs, joined by spaces.
  std::string getControllerArguments() const;
  // Always Node::ROBOT.
  int getType() const;

 protected:
  // These functions make the objects of devices: virtual Gyro *createGyro(const std::string &name)
  // const, and so on. Programs with device classes of their own override them; the robot deletes
  // the objects.
#define WEBOTS_CREATE(Kind) virtual Kind *create##Kind(const std::string &name) const;
  WEBOTS_DEVICES(WEBOTS_CREATE)
#undef WEBOTS_CREATE

 private:
  template <typename Kind>
  Kind *find(const std::string &name, const char *kind,
             Kind *(Robot::*create)(const std::string &) const);
  template <typename Kind>
  Kind *keep(WbDeviceTag tag, Kind *device);
  Device *made_by_type(WbDeviceTag tag) const;
  Device *device_of(WbDeviceTag tag);

  // Programs that mix Motor and Servo have an object of each for one device.
  std::map<WbDeviceTag, std::vector<std::unique_ptr<Device>>> devices_;
  std::unique_ptr<Keyboard> keyboard_;
  std::unique_ptr<Mouse> mouse_;
  std::unique_ptr<Joystick> joystick_;
};

}  // namespace webots

#endif
