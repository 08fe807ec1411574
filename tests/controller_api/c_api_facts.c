/* SPDX-License-Identifier: Apache-2.0 */
/* Functions, constants and macros of Webots' C API exist and have the same types and values
 * here. This file is only compiled. */
#include <webots/accelerometer.h>
#include <webots/altimeter.h>
#include <webots/brake.h>
#include <webots/camera.h>
#include <webots/camera_recognition_object.h>
#include <webots/compass.h>
#include <webots/connector.h>
#include <webots/console.h>
#include <webots/contact_point.h>
#include <webots/device.h>
#include <webots/differential_wheels.h>
#include <webots/display.h>
#include <webots/distance_sensor.h>
#include <webots/emitter.h>
#include <webots/gps.h>
#include <webots/gyro.h>
#include <webots/inertial_unit.h>
#include <webots/joystick.h>
#include <webots/keyboard.h>
#include <webots/led.h>
#include <webots/lidar.h>
#include <webots/lidar_point.h>
#include <webots/light_sensor.h>
#include <webots/microphone.h>
#include <webots/motor.h>
#include <webots/mouse.h>
#include <webots/mouse_state.h>
#include <webots/nodes.h>
#include <webots/pen.h>
#include <webots/plugins/robot_window/default.h>
#include <webots/plugins/robot_window/generic_robot_window/generic.h>
#include <webots/plugins/robot_window/robot_window.h>
#include <webots/plugins/robot_window/robot_wwi.h>
#include <webots/position_sensor.h>
#include <webots/radar.h>
#include <webots/radar_target.h>
#include <webots/radio.h>
#include <webots/range_finder.h>
#include <webots/receiver.h>
#include <webots/remote_control.h>
#include <webots/robot.h>
#include <webots/servo.h>
#include <webots/skin.h>
#include <webots/speaker.h>
#include <webots/supervisor.h>
#include <webots/touch_sensor.h>
#include <webots/types.h>
#include <webots/utils/ansi_codes.h>
#include <webots/utils/motion.h>
#include <webots/utils/string.h>
#include <webots/utils/system.h>
#include <webots/vacuum_gripper.h>

typedef WbDeviceTag Tag;
typedef WbFieldRef Field;
typedef WbNodeRef Node;

/* Does not check the parameters of functions of which only the name is known. */
#define F(result, name, ...)                                                                  \
  _Static_assert(__builtin_types_compatible_p(__typeof__(name), result(__VA_ARGS__)), #name); \
  N(name)
#define N(name) __typeof__(name) *const has_##name = name;
#define V(name, value) _Static_assert((name) == (value), #name);
#define TEXT(...) #__VA_ARGS__
#define EXPANDED(...) TEXT(__VA_ARGS__)
#define M(name, arguments) \
  _Static_assert(sizeof EXPANDED(name arguments) != sizeof TEXT(name arguments), #name);

#include "data/webots/c_api.inc"
