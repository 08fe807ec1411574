/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WBU_MOTION_H
#define WBU_MOTION_H

#include <webots/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Plays a .motion file: at the start of each wb_robot_step() the motors named in it get the
 * positions of its time. */

/* NULL, and a message, for a file that cannot be read or is no motion. */
WbMotionRef wbu_motion_new(const char *filename);
void wbu_motion_delete(WbMotionRef motion);

/* From where it is; from the other end when it is over. */
void wbu_motion_play(WbMotionRef motion);
/* Stays where it is. */
void wbu_motion_stop(WbMotionRef motion);
void wbu_motion_set_loop(WbMotionRef motion, bool loop);
void wbu_motion_set_reverse(WbMotionRef motion, bool reverse);
/* True at the end it plays towards; never of a loop. */
bool wbu_motion_is_over(WbMotionRef motion);
/* Time of the last pose [ms]. */
int wbu_motion_get_duration(WbMotionRef motion);
/* [ms] */
int wbu_motion_get_time(WbMotionRef motion);
/* 0 to its duration; what lies beyond is taken as the nearer end. */
void wbu_motion_set_time(WbMotionRef motion, int time);

#ifdef __cplusplus
}
#endif

#endif /* WBU_MOTION_H */
