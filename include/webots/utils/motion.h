/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WBU_MOTION_H
#define WBU_MOTION_H

#include <webots/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Plays a .motion file: at the start of each wb_robot_step() the motors that it names get the
 * positions of its present time, which then advances by the duration of the step. A motion that
 * would pass its end plays its last pose and stops, or begins again in a loop. A reference that
 * wbu_motion_new() did not return is an error. */

/* Reads a file. A name that no motor of the robot has is left out with a warning. NULL and an error
 * for a file that cannot be read, is no motion, or has a position that is not a finite number. */
WbMotionRef wbu_motion_new(const char *filename);
/* Stops and deletes a motion. */
void wbu_motion_delete(WbMotionRef motion);

/* Plays it from where it is, or from its beginning if it is over; backwards, that is from its end.
 */
void wbu_motion_play(WbMotionRef motion);
/* Stops it; its time stays. */
void wbu_motion_stop(WbMotionRef motion);
/* Whether it begins again at its end; at first it does not. */
void wbu_motion_set_loop(WbMotionRef motion, bool loop);
/* Whether it plays backwards; at first it does not. */
void wbu_motion_set_reverse(WbMotionRef motion, bool reverse);
/* Whether it is at the end towards which it plays; always false for a loop. */
bool wbu_motion_is_over(WbMotionRef motion);
/* The time of its last pose [ms]. */
int wbu_motion_get_duration(WbMotionRef motion);
/* Its present time [ms], from 0 to its duration. */
int wbu_motion_get_time(WbMotionRef motion);
/* Sets its time [ms]; a time outside of 0 to its duration becomes the nearer end. */
void wbu_motion_set_time(WbMotionRef motion, int time);

#ifdef __cplusplus
}
#endif

#endif /* WBU_MOTION_H */
