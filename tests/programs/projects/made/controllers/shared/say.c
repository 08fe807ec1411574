// SPDX-License-Identifier: Apache-2.0
#include "say.h"

#include <stdio.h>

void say(const char *what, int number) { printf(SAY_FORMAT, what, number); }
