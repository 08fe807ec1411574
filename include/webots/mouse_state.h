/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_MOUSE_STATE_H
#define WB_MOUSE_STATE_H

#include "types.h"

/* Where the mouse is, and its buttons. Without a window the buttons are false and the numbers NaN.
 */
typedef struct {
  /* Whether each of the buttons is pressed. */
  bool left;
  bool middle;
  bool right;
  /* The place in the window, in [0, 1]; NaN outside of it. */
  double u;
  double v;
  /* The place in the world to which the mouse points [m]; NaN where there is nothing. */
  double x;
  double y;
  double z;
} WbMouseState;

#endif /* WB_MOUSE_STATE_H */
