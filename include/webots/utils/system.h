/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WBU_SYSTEM_H
#define WBU_SYSTEM_H

#include <webots/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Texts are valid until the next call of the same function. None of them needs a simulation. */

/* NULL if there is no such variable. */
const char *wbu_system_getenv(const char *variable);
/* `path` itself: only Windows has short names. */
const char *wbu_system_short_path(const char *path);
/* Folder for temporary files. */
const char *wbu_system_tmpdir(void);
/* Folder of the running simulator's own files, with a / at its end; NULL when none is known. */
const char *wbu_system_webots_instance_path(bool refresh);

#ifdef __cplusplus
}
#endif

#endif /* WBU_SYSTEM_H */
