/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_MOUSE_STATE_H
#define WB_MOUSE_STATE_H

#include "types.h"

/* Where the mouse is, and its buttons. Without a window the buttons are false and the numbers NaN.
 */
typedef struct {
  bool left; /* whether this button is pressed */
  bool middle;
  bool right;
  double u; /* the place in the window, in [0, 1]; NaN outside of it */
  double v;
  double x; /* the place in the world [m]; NaN where there is nothing */
  double y;
  double z;
} WbMouseState;

#endif /* WB_MOUSE_STATE_H */
