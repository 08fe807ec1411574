// SPDX-License-Identifier: Apache-2.0
#include "mix.h"

int mix(int a, int b) { return 10 * a + b; }
