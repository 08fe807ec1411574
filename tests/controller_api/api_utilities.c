/* SPDX-License-Identifier: Apache-2.0 */
/* Texts, variables, the console, and motions of one motor. */
#include <webots/console.h>
#include <webots/motor.h>
#include <webots/robot.h>
#include <webots/utils/ansi_codes.h>
#include <webots/utils/motion.h>
#include <webots/utils/string.h>
#include <webots/utils/system.h>

#include "api.h"

enum { kStep = 16 };

static void utilities(void) {
  char text[] = "a,b;;c";
  char *rest = text;
  EXPECT_TEXT(wbu_string_strsep(&rest, ",;"), "a");
  EXPECT_TEXT(wbu_string_strsep(&rest, ",;"), "b");
  EXPECT_TEXT(wbu_string_strsep(&rest, ",;"), "");
  EXPECT_TEXT(wbu_string_strsep(&rest, ",;"), "c");
  EXPECT(wbu_string_strsep(&rest, ",;") == NULL);
  char value[] = "one two one";
  char *replaced = wbu_string_replace(value, "one", "three");
  EXPECT_TEXT(replaced, "three two three");
  free(replaced);
  setenv("API_UTILITIES", "yes", 1);
  EXPECT_TEXT(wbu_system_getenv("API_UTILITIES"), "yes");
  EXPECT(wbu_system_getenv("API_UTILITIES_NOT") == NULL);
  EXPECT_TEXT(wbu_system_short_path("/a b"), "/a b");
  EXPECT(wbu_system_tmpdir()[0] == '/');
  setenv("WEBOTS_INSTANCE_PATH", "/tmp/webots/user/1234/", 1);
  EXPECT_TEXT(wbu_system_webots_instance_path(true), "/tmp/webots/user/1234/");
  ANSI_PRINTF_IN_RED("%d red\n", 1);
  wb_console_print("told\n", WB_STDERR);
  EXPECT_MESSAGE("told\n");
  wb_console_print("nowhere\n", 7);
  EXPECT_SILENCE();
}

static WbMotionRef motion_of(const char *text) {
  char path[] = "/tmp/api_utilities_XXXXXX";
  const int fd = mkstemp(path);
  if (fd < 0 || write(fd, text, strlen(text)) < 0) abort();
  close(fd);
  const WbMotionRef motion = wbu_motion_new(path);
  unlink(path);
  return motion;
}

static void motions(WbDeviceTag motor) {
  const WbMotionRef motion = motion_of(
      "#WEBOTS_MOTION,V1.0,motor,ghost\n"
      "00:00:032,Pose1,0.5,1\n00:00:064,Pose2,0.9,*\n00:080,Pose3,*,2\n");
  EXPECT_MESSAGE("Warning: wbu_motion_new(): the robot has no motor \"ghost\"");
  EXPECT(wbu_motion_get_duration(motion) == 80 && wbu_motion_get_time(motion) == 0);
  EXPECT(!wbu_motion_is_over(motion));
  wb_motor_set_position(motor, 0.0);
  wb_robot_step(kStep);
  EXPECT_IS(wb_motor_get_target_position(motor), 0.0);
  wbu_motion_play(motion);
  wb_robot_step(kStep); /* that of time 0 */
  EXPECT_IS(wb_motor_get_target_position(motor), 0.5);
  EXPECT(wbu_motion_get_time(motion) == kStep);
  wb_robot_step(kStep);
  wb_robot_step(kStep);
  wb_robot_step(kStep); /* that of time 48 */
  EXPECT_NEAR(wb_motor_get_target_position(motor), 0.7, 1e-12);
  wb_robot_step(kStep);
  EXPECT_IS(wb_motor_get_target_position(motor), 0.9);
  EXPECT(wbu_motion_is_over(motion));
  wb_robot_step(kStep); /* no command at the end */
  EXPECT_IS(wb_motor_get_target_position(motor), 0.9);
  wbu_motion_set_reverse(motion, true);
  EXPECT(!wbu_motion_is_over(motion));
  wbu_motion_set_time(motion, 999);
  EXPECT(wbu_motion_get_time(motion) == 80);
  wbu_motion_play(motion);
  wb_robot_step(3 * kStep);
  EXPECT(wbu_motion_get_time(motion) == 2 * kStep);
  wbu_motion_set_loop(motion, true);
  wb_robot_step(3 * kStep);
  EXPECT_IS(wb_motor_get_target_position(motor), 0.5);
  EXPECT(wbu_motion_get_time(motion) == 0);
  wb_robot_step(3 * kStep); /* the pose before its first time */
  EXPECT_IS(wb_motor_get_target_position(motor), 0.5);
  EXPECT(wbu_motion_get_time(motion) == 80);
  wbu_motion_stop(motion);
  wb_robot_step(kStep);
  EXPECT(wbu_motion_get_time(motion) == 80);
  wbu_motion_delete(motion);
  EXPECT_SILENCE();
  wbu_motion_play(motion);
  EXPECT_MESSAGE("Error: wbu_motion_play(): this is no motion");
  EXPECT(wbu_motion_new("no such file.motion") == NULL);
  EXPECT_MESSAGE("Error: wbu_motion_new(): motion file 'no such file.motion': it cannot be read");
  EXPECT(motion_of("#WEBOTS_MOTION,V1.0,motor\n16,a,1\n16,b,2\n") == NULL);
  EXPECT_MESSAGE("line 3: its time is not later");
  EXPECT(motion_of("#WEBOTS_MOTION,V1.0,motor\n16,a,1e999\n") == NULL);
  EXPECT_MESSAGE("line 2: the position \"1e999\" is neither a number nor *");
}

int main(void) {
  api_begin();
  wb_robot_init();
  utilities();
  motions(wb_robot_get_device("motor"));
  wb_robot_cleanup();
  return api_end();
}
