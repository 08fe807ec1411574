/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WBU_STRING_H
#define WBU_STRING_H

#ifdef __cplusplus
extern "C" {
#endif

/* As strsep() of BSD and glibc: cuts *stringp at the next character out of `delim`. */
char *wbu_string_strsep(char **stringp, const char *delim);
/* A copy of `value` with every `before` replaced by `after`, to be released by free(). */
char *wbu_string_replace(char *value, const char *before, const char *after);

#ifdef __cplusplus
}
#endif

#endif /* WBU_STRING_H */
