// SPDX-License-Identifier: Apache-2.0
#define SAY_FORMAT "%s %d\n"

void say(const char *what, int number);
