/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WBU_STRING_H
#define WBU_STRING_H

#ifdef __cplusplus
extern "C" {
#endif

/* Cuts *stringp at its first character that is one of `delim`, and returns what is before it;
 * *stringp then points behind it, or is NULL at the end of the text. NULL if one of them is NULL.
 * It is strsep() of BSD and glibc. */
char *wbu_string_strsep(char **stringp, const char *delim);
/* A copy of `value` where each `before` is replaced by `after`; an empty `before` replaces nothing.
 * The caller releases it by free(). NULL if an argument is NULL, or without memory. `value` stays
 * as it is. */
char *wbu_string_replace(char *value, const char *before, const char *after);

#ifdef __cplusplus
}
#endif

#endif /* WBU_STRING_H */
