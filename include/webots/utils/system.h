/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WBU_SYSTEM_H
#define WBU_SYSTEM_H

#include <webots/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Texts are valid until the next call of the same function. None of them needs a simulation. */

/* The environment variable; NULL if there is none. */
const char *wbu_system_getenv(const char *variable);
/* `path` itself: only Windows has short names. */
const char *wbu_system_short_path(const char *path);
/* The folder for temporary files: the environment variable WEBOTS_TMPDIR, else "/tmp". */
const char *wbu_system_tmpdir(void);
/* The folder of the running simulator's own files, with a / at its end, by the environment variable
 * WEBOTS_INSTANCE_PATH; NULL without it, as in a program that no simulator has started. `refresh`
 * is not used. */
const char *wbu_system_webots_instance_path(bool refresh);

#ifdef __cplusplus
}
#endif

#endif /* WBU_SYSTEM_H */
