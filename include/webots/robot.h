/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_ROBOT_H
#define WB_ROBOT_H

#include <webots/nodes.h>
#include <webots/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Threads: every function of the library may be called from any thread; they wait for each other.
 * Only one thread at a time should step. */

/* Joins the simulation; to be called first. Exits the program when there is none. Returns 1. */
int wb_robot_init(void);
int wb_robot_init_msvc(void);
/* Leaves the simulation. */
void wb_robot_cleanup(void);

/* Sends all that was set and advances by `duration` ms of simulated time; 0: time does not advance.
 * Returns -1 when the simulation ends (the next call then exits the program), else by how many ms
 * more than `duration` the time between the last two calls was. */
int wb_robot_step(int duration);
/* The same in two halves, to compute while the simulation runs. */
int wb_robot_step_begin(int duration);
int wb_robot_step_end(void);

/* What wb_robot_step() or wb_robot_step_begin() was called with last [ms]. */
int wb_robot_get_step_duration(void);

/* Simulated time [s] of the last step. */
double wb_robot_get_time(void);
/* [ms] */
double wb_robot_get_basic_time_step(void);
const char *wb_robot_get_name(void);
const char *wb_robot_get_model(void);
bool wb_robot_get_synchronization(void);
bool wb_robot_get_supervisor(void);
const char *wb_robot_get_project_path(void);
const char *wb_robot_get_world_path(void);
/* The robot as URDF, every name with `prefix` in front. Valid until the next call. */
const char *wb_robot_get_urdf(const char *prefix);
/* Text of the robot's field customData. */
const char *wb_robot_get_custom_data(void);
void wb_robot_set_custom_data(const char *data);
/* Fixes the robot's base to the world where it is, or releases it. */
void wb_robot_pin_to_static_environment(bool pin);

/* 0, and a warning, if the robot has no device of that name. */
WbDeviceTag wb_robot_get_device(const char *name);
int wb_robot_get_number_of_devices(void);
/* `index` counts from 0. */
WbDeviceTag wb_robot_get_device_by_index(int index);

/* Battery charge [J], measured every sampling_period ms. */
void wb_robot_battery_sensor_enable(int sampling_period);
void wb_robot_battery_sensor_disable(void);
int wb_robot_battery_sensor_get_sampling_period(void);
double wb_robot_battery_sensor_get_value(void);

typedef enum {
  WB_MODE_SIMULATION = 0,
  WB_MODE_CROSS_COMPILATION = 1,
  WB_MODE_REMOTE_CONTROL = 2
} WbRobotMode;

/* Always WB_MODE_SIMULATION. */
WbRobotMode wb_robot_get_mode(void);
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

/* There is no user input: advances by `timeout` ms (negative: to the end) and returns
 * WB_EVENT_NO_EVENT, or WB_EVENT_QUIT when the simulation ends. */
WbUserInputEvent wb_robot_wait_for_user_input_event(WbUserInputEvent event_type, int timeout);

/* Runs `task(param)` in a thread of its own. */
void wb_robot_task_new(void (*task)(void *), void *param);
typedef void *WbMutexRef;
WbMutexRef wb_robot_mutex_new(void);
void wb_robot_mutex_lock(WbMutexRef mutex);
void wb_robot_mutex_unlock(WbMutexRef mutex);
void wb_robot_mutex_delete(WbMutexRef mutex);

/* Spellings of older releases. */
const char *wb_robot_get_controller_name(void);
/* The field controllerArgs, joined by spaces. */
const char *wb_robot_get_controller_arguments(void);
const char *wb_robot_get_data(void);
void wb_robot_set_data(const char *data);
WbNodeType wb_robot_get_type(void);
int wb_robot_get_battery_sampling_period(void);

/* No key is ever pressed: get_key returns 0. */
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
