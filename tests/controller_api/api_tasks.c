/* SPDX-License-Identifier: Apache-2.0 */
/* Another thread reads sensors while main() steps. Neither may wait for the other for ever. */
#include <stdatomic.h>
#include <webots/motor.h>
#include <webots/position_sensor.h>
#include <webots/robot.h>

#include "api.h"

enum { kRounds = 20000 };

static WbMutexRef mutex;
static int shared = 0; /* under mutex */
static atomic_int task_done = 0;

static void task(void *param) {
  const WbDeviceTag sensor = *(const WbDeviceTag *)param;
  for (int i = 0; i < kRounds; ++i) {
    wb_robot_mutex_lock(mutex);
    ++shared;
    wb_robot_mutex_unlock(mutex);
    if (wb_position_sensor_get_value(sensor) > 100.0) abort();
  }
  task_done = 1;
}

int main(void) {
  api_begin();
  wb_robot_init();
  WbDeviceTag sensor = wb_robot_get_device("shoulder sensor");
  wb_position_sensor_enable(sensor, 16);
  mutex = wb_robot_mutex_new();
  wb_robot_task_new(NULL, NULL);
  EXPECT_MESSAGE("Error: wb_robot_task_new(): ");
  wb_robot_task_new(task, &sensor);
  int steps = 0;
  for (int i = 0; i < kRounds; ++i) {
    wb_robot_mutex_lock(mutex);
    ++shared;
    wb_robot_mutex_unlock(mutex);
  }
  while (!task_done || steps < 1000) {
    EXPECT(wb_robot_step(16) == 0);
    ++steps;
  }
  EXPECT(shared == 2 * kRounds);
  EXPECT_NEAR(wb_robot_get_time(), 0.016 * steps, 1e-9 * steps);
  wb_robot_mutex_delete(mutex);
  wb_robot_cleanup();
  return api_end();
}
