/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_CONSOLE_H
#define WB_CONSOLE_H

#ifdef __cplusplus
extern "C" {
#endif

#define WB_STDOUT 1
#define WB_STDERR 2

/* Writes `text` as it is to WB_STDOUT or WB_STDERR, and flushes the stream. Another stream or a
 * NULL text does nothing. The function needs no simulation, and may be called before
 * wb_robot_init(). */
void wb_console_print(const char *text, int stream);

#ifdef __cplusplus
}
#endif

#endif /* WB_CONSOLE_H */
