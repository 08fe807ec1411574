/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WBU_ANSI_CODES_H
#define WBU_ANSI_CODES_H

#include <stdio.h>

/* Escape sequences that change how a terminal shows the text that follows (ECMA-48, SGR). */

#define ANSI_RESET "\x1b[0m"
#define ANSI_BOLD "\x1b[1m"
#define ANSI_UNDERLINE "\x1b[4m"

#define ANSI_BLACK_BACKGROUND "\x1b[40m"
#define ANSI_RED_BACKGROUND "\x1b[41m"
#define ANSI_GREEN_BACKGROUND "\x1b[42m"
#define ANSI_YELLOW_BACKGROUND "\x1b[43m"
#define ANSI_BLUE_BACKGROUND "\x1b[44m"
#define ANSI_MAGENTA_BACKGROUND "\x1b[45m"
#define ANSI_CYAN_BACKGROUND "\x1b[46m"
#define ANSI_WHITE_BACKGROUND "\x1b[47m"

#define ANSI_BLACK_FOREGROUND "\x1b[30m"
#define ANSI_RED_FOREGROUND "\x1b[31m"
#define ANSI_GREEN_FOREGROUND "\x1b[32m"
#define ANSI_YELLOW_FOREGROUND "\x1b[33m"
#define ANSI_BLUE_FOREGROUND "\x1b[34m"
#define ANSI_MAGENTA_FOREGROUND "\x1b[35m"
#define ANSI_CYAN_FOREGROUND "\x1b[36m"
#define ANSI_WHITE_FOREGROUND "\x1b[37m"

#define ANSI_CLEAR_SCREEN "\x1b[2J"

/* These macros print to stdout as printf() does, in a colour, and then reset the terminal. The
 * format must be a string literal, since it is joined to the escape sequence. */
#define ANSI_PRINTF_IN_BLACK(...) \
  ((void)printf(ANSI_BLACK_FOREGROUND __VA_ARGS__), (void)printf("%s", ANSI_RESET))
#define ANSI_PRINTF_IN_RED(...) \
  ((void)printf(ANSI_RED_FOREGROUND __VA_ARGS__), (void)printf("%s", ANSI_RESET))
#define ANSI_PRINTF_IN_GREEN(...) \
  ((void)printf(ANSI_GREEN_FOREGROUND __VA_ARGS__), (void)printf("%s", ANSI_RESET))
#define ANSI_PRINTF_IN_YELLOW(...) \
  ((void)printf(ANSI_YELLOW_FOREGROUND __VA_ARGS__), (void)printf("%s", ANSI_RESET))
#define ANSI_PRINTF_IN_BLUE(...) \
  ((void)printf(ANSI_BLUE_FOREGROUND __VA_ARGS__), (void)printf("%s", ANSI_RESET))
#define ANSI_PRINTF_IN_MAGENTA(...) \
  ((void)printf(ANSI_MAGENTA_FOREGROUND __VA_ARGS__), (void)printf("%s", ANSI_RESET))
#define ANSI_PRINTF_IN_CYAN(...) \
  ((void)printf(ANSI_CYAN_FOREGROUND __VA_ARGS__), (void)printf("%s", ANSI_RESET))
#define ANSI_PRINTF_IN_WHITE(...) \
  ((void)printf(ANSI_WHITE_FOREGROUND __VA_ARGS__), (void)printf("%s", ANSI_RESET))
#define ANSI_CLEAR_CONSOLE() ((void)printf("%s", ANSI_CLEAR_SCREEN))

#endif /* WBU_ANSI_CODES_H */
