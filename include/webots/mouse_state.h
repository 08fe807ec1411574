/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_MOUSE_STATE_H
#define WB_MOUSE_STATE_H

#include "types.h"

typedef struct {
  bool left; /* buttons */
  bool middle;
  bool right;
  double u; /* in the window, in [0, 1]; NaN outside of it */
  double v;
  double x; /* in the world [m]; NaN where there is nothing */
  double y;
  double z;
} WbMouseState;

#endif /* WB_MOUSE_STATE_H */
