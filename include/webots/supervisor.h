/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_SUPERVISOR_H
#define WB_SUPERVISOR_H

#include <webots/robot.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Ends the simulation; `status` becomes the simulator's exit status. The next step returns -1.
 * Only a robot with the field supervisor TRUE may do so. */
void wb_supervisor_simulation_quit(int status);

#ifdef __cplusplus
}
#endif

#endif /* WB_SUPERVISOR_H */
