/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_ROBOT_H
#define WB_ROBOT_H

#include <webots/nodes.h>
#include <webots/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Threads: every function of the library may be called from any thread; the calls wait for each
 * other. While one thread waits in wb_robot_step(), others may read and set values. Only one thread
 * at a time should step. */

/* Joins the simulation, and returns 1. A program calls it first; without it the first other call
 * does so, with a warning. If no simulation is found, the program exits. */
int wb_robot_init(void);
/* The same; Windows programs call it. */
int wb_robot_init_msvc(void);
/* Sends what was set and leaves the simulation, which goes on without this controller. After that
 * getters return the last values, and a step returns -1. */
void wb_robot_cleanup(void);

/* Sends everything that was set, and waits until `duration` ms of simulated time have passed; with
 * 0 time does not advance. A negative duration is an error and counts as 0; Webots takes it for a
 * very long one.
 *
 * Returns -1 when the simulation ends; the next call then exits the program. Otherwise it returns
 * by how many ms the time between the last two calls was longer than `duration`. */
int wb_robot_step(int duration);
/* The two halves of wb_robot_step(), so that a program computes while the simulation runs. The
 * first one sends and returns 0, or -1 when the simulation is over; the second one waits and
 * returns as wb_robot_step(). */
int wb_robot_step_begin(int duration);
int wb_robot_step_end(void);

/* The duration with which wb_robot_step() or wb_robot_step_begin() was called last [ms]. */
int wb_robot_get_step_duration(void);

/* The simulated time at the end of the last step [s]. */
double wb_robot_get_time(void);
/* The field WorldInfo.basicTimeStep [ms]. */
double wb_robot_get_basic_time_step(void);
/* These return fields of the robot. Texts are valid until a supervisor makes them longer. */
const char *wb_robot_get_name(void);
const char *wb_robot_get_model(void);
bool wb_robot_get_synchronization(void);
bool wb_robot_get_supervisor(void);
/* The folder of the project and the file of the world, as the simulation knows them. */
const char *wb_robot_get_project_path(void);
const char *wb_robot_get_world_path(void);
/* The robot as URDF, where every name begins with `prefix` (NULL: with nothing). Valid until the
 * next call. Meshes, planes, and inertias that the file does not state are left out. */
const char *wb_robot_get_urdf(const char *prefix);
/* The text of the field customData. Valid until it is set. */
const char *wb_robot_get_custom_data(void);
/* Sets the field customData with the next step; NULL means "". A text longer than 1 MiB is an
 * error. */
void wb_robot_set_custom_data(const char *data);
/* Fixes the robot's base to the world where it is, or releases it. */
void wb_robot_pin_to_static_environment(bool pin);

/* The device of that name, exact and case-sensitive. 0 and a warning, with the closest names, if
 * there is none. */
WbDeviceTag wb_robot_get_device(const char *name);
/* The number of devices, also of those that a supervisor has removed, so that tags stay. */
int wb_robot_get_number_of_devices(void);
/* The device of that number; `index` counts from 0. 0 and an error for another index. */
WbDeviceTag wb_robot_get_device_by_index(int index);

/* Reads the charge of the battery every `sampling_period` ms, 0 or more; 0 stops. A robot whose
 * field battery is empty has none, which a warning says. */
void wb_robot_battery_sensor_enable(int sampling_period);
/* Stops reading it. */
void wb_robot_battery_sensor_disable(void);
/* The period as it was requested [ms]; 0 while disabled. */
int wb_robot_battery_sensor_get_sampling_period(void);
/* The charge [J]. -1 for a robot without a battery and until the next step; then 0 until the first
 * sample. */
double wb_robot_battery_sensor_get_value(void);

typedef enum {
  WB_MODE_SIMULATION = 0,
  WB_MODE_CROSS_COMPILATION = 1,
  WB_MODE_REMOTE_CONTROL = 2
} WbRobotMode;

/* Always WB_MODE_SIMULATION. */
WbRobotMode wb_robot_get_mode(void);
/* Any other mode is an error. */
void wb_robot_set_mode(WbRobotMode mode, const char *arg);

typedef enum {
  WB_EVENT_QUIT = -1,
  WB_EVENT_NO_EVENT = 0,
  WB_EVENT_MOUSE_CLICK = 1,
  WB_EVENT_MOUSE_MOVE = 2,
  WB_EVENT_KEYBOARD = 4,
  WB_EVENT_JOYSTICK_BUTTON = 8,
  WB_EVENT_JOYSTICK_AXIS = 16,
  WB_EVENT_JOYSTICK_POV = 32
} WbUserInputEvent;

/* There is no user input: advances by `timeout` ms, or, if that is negative, to the end of the
 * simulation. Returns WB_EVENT_NO_EVENT, or WB_EVENT_QUIT when the simulation ends. */
WbUserInputEvent wb_robot_wait_for_user_input_event(WbUserInputEvent event_type, int timeout);

/* Runs `task(param)` in a new thread, which ends with the task. A NULL task is an error. */
void wb_robot_task_new(void (*task)(void *), void *param);
/* A mutex of the operating system. The functions below need no simulation and ignore NULL. */
typedef void *WbMutexRef;
/* A mutex that is not locked; NULL without memory. */
WbMutexRef wb_robot_mutex_new(void);
/* Waits until the mutex is free, and locks it. A thread must not lock it twice. */
void wb_robot_mutex_lock(WbMutexRef mutex);
void wb_robot_mutex_unlock(WbMutexRef mutex);
void wb_robot_mutex_delete(WbMutexRef mutex);

/* ---- functions of older releases */

/* The field controller. */
const char *wb_robot_get_controller_name(void);
/* The items of the field controllerArgs, joined by spaces. */
const char *wb_robot_get_controller_arguments(void);
/* The old names of wb_robot_get_custom_data() and wb_robot_set_custom_data(). */
const char *wb_robot_get_data(void);
void wb_robot_set_data(const char *data);
/* Always WB_NODE_ROBOT. */
WbNodeType wb_robot_get_type(void);
/* The old name of wb_robot_battery_sensor_get_sampling_period(). */
int wb_robot_get_battery_sampling_period(void);

/* No key is ever pressed: wb_robot_keyboard_get_key() always returns 0. */
void wb_robot_keyboard_enable(int ms);
void wb_robot_keyboard_disable(void);
int wb_robot_keyboard_get_key(void);

enum {
  WB_ROBOT_KEYBOARD_END = 312,
  WB_ROBOT_KEYBOARD_HOME,
  WB_ROBOT_KEYBOARD_LEFT,
  WB_ROBOT_KEYBOARD_UP,
  WB_ROBOT_KEYBOARD_RIGHT,
  WB_ROBOT_KEYBOARD_DOWN,
  WB_ROBOT_KEYBOARD_PAGEUP = 366,
  WB_ROBOT_KEYBOARD_PAGEDOWN,
  WB_ROBOT_KEYBOARD_NUMPAD_HOME = 375,
  WB_ROBOT_KEYBOARD_NUMPAD_LEFT,
  WB_ROBOT_KEYBOARD_NUMPAD_UP,
  WB_ROBOT_KEYBOARD_NUMPAD_RIGHT,
  WB_ROBOT_KEYBOARD_NUMPAD_DOWN,
  WB_ROBOT_KEYBOARD_NUMPAD_END = 382,
  WB_ROBOT_KEYBOARD_KEY = 0x0000ffff,
  WB_ROBOT_KEYBOARD_SHIFT = 0x00010000,
  WB_ROBOT_KEYBOARD_CONTROL = 0x00020000,
  WB_ROBOT_KEYBOARD_ALT = 0x00040000
};

#ifdef __cplusplus
}
#endif

#endif /* WB_ROBOT_H */
