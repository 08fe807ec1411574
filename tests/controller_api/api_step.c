/* SPDX-License-Identifier: Apache-2.0 */
/* What a step returns, and how long it takes. The basic time step is 16 ms. */
#include <stdlib.h>
#include <webots/robot.h>

#include "api.h"

/* Times are step counts times 0.016, with at most one rounding error. */
#define EXPECT_TIME(steps) EXPECT_NEAR(wb_robot_get_time(), (steps)*0.016, 1e-12)

static void durations(void) {
  EXPECT(wb_robot_step(16) == 0);
  EXPECT_TIME(1);
  EXPECT(wb_robot_step(0) == 0); /* a flush takes no time */
  EXPECT_TIME(1);
  EXPECT(wb_robot_step(48) == 0);
  EXPECT_TIME(4);
  EXPECT(wb_robot_step(33) == 15); /* 48 ms since the last request */
  EXPECT_TIME(7);
  EXPECT(wb_robot_step(33) == 15); /* rounded up, the excess is not recovered */
  EXPECT_TIME(10);
  EXPECT(wb_robot_get_step_duration() == 33);
  if (getenv("SERVOSIM_WORLD") != NULL) { /* else the simulator says so, in a process of its own */
    EXPECT_MESSAGE(
        "Warning: robot \"arm\": its control step of 33 ms is no multiple of basicTimeStep");
  }
  EXPECT_SILENCE();
}

static void negative_duration(void) {
  EXPECT(wb_robot_step(-5) == 0);
  EXPECT_MESSAGE("Error: wb_robot_step(): ");
  EXPECT_TIME(10);
}

static void halves(void) {
  EXPECT(wb_robot_step_begin(32) == 0);
  EXPECT_TIME(10);
  EXPECT(wb_robot_step_end() == 16); /* 48 ms since the last request */
  EXPECT_TIME(12);
  EXPECT_SILENCE();
  EXPECT(wb_robot_step_end() == 0);
  EXPECT_MESSAGE("Warning: wb_robot_step_end() called");
  wb_robot_step_begin(16);
  wb_robot_step_begin(16);
  EXPECT_MESSAGE("Warning: wb_robot_step_begin() called");
  EXPECT(wb_robot_get_urdf("") == NULL);
  EXPECT_MESSAGE("Error: wb_robot_get_urdf(): ");
  wb_robot_step_end();
  EXPECT_TIME(14);
}

static void no_user(void) {
  EXPECT(wb_robot_wait_for_user_input_event(WB_EVENT_KEYBOARD, 30) == WB_EVENT_NO_EVENT);
  EXPECT_TIME(16);
  EXPECT(wb_robot_wait_for_user_input_event(WB_EVENT_MOUSE_CLICK, 0) == WB_EVENT_NO_EVENT);
  EXPECT_TIME(16);
  wb_robot_keyboard_enable(16);
  EXPECT(wb_robot_keyboard_get_key() == 0);
  wb_robot_keyboard_disable();
}

int main(void) {
  api_begin();
  EXPECT(wb_robot_init() == 1);
  EXPECT_IS(wb_robot_get_basic_time_step(), 16.0);
  EXPECT_TIME(0);
  durations();
  negative_duration();
  halves();
  no_user();
  wb_robot_cleanup();
  EXPECT_SILENCE();
  EXPECT(wb_robot_step(16) == -1);
  EXPECT(wb_robot_init() == 0);
  EXPECT_MESSAGE("Error: wb_robot_init() called");
  EXPECT_TIME(16);
  return api_end();
}
