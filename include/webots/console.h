/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_CONSOLE_H
#define WB_CONSOLE_H

#ifdef __cplusplus
extern "C" {
#endif

#define WB_STDOUT 1
#define WB_STDERR 2

/* Writes `text`, as it is, to the stream; nothing to any other than these two. */
void wb_console_print(const char *text, int stream);

#ifdef __cplusplus
}
#endif

#endif /* WB_CONSOLE_H */
