/* SPDX-License-Identifier: Apache-2.0 */
/* Checks for small controllers that test the C API. They collect stderr: each message must be
 * expected, and none may be left at the end. */
#ifndef SERVOSIM_TESTS_API_H
#define SERVOSIM_TESTS_API_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int failures = 0;
static int real_stderr = -1;
static char messages[1 << 16];

static inline void failed(const char *file, int line, const char *what, const char *detail) {
  ++failures;
  dprintf(real_stderr, "%s:%d: %s%s%s\n", file, line, what, detail[0] ? ": " : "", detail);
}

static inline void api_begin(void) {
  FILE *file = tmpfile();
  real_stderr = dup(2);
  dup2(fileno(file), 2);
  fclose(file);
}

/* Returns what was printed since the last call. */
static inline const char *take_messages(void) {
  const off_t end = lseek(2, 0, SEEK_CUR);
  const ssize_t got = pread(2, messages, sizeof messages - 1, 0);
  messages[got > 0 && end > 0 ? got : 0] = '\0';
  if (ftruncate(2, 0) != 0 || lseek(2, 0, SEEK_SET) != 0) abort();
  return messages;
}

static inline void expect_message_at(const char *file, int line, const char *text) {
  take_messages();
  if (strstr(messages, text) == NULL) {
    failed(file, line, "no such message", text);
    failed(file, line, "but", messages);
  }
}

static inline void expect_silence_at(const char *file, int line) {
  if (take_messages()[0] != '\0') failed(file, line, "unexpected message", messages);
}

static inline void expect_near_at(const char *file, int line, const char *what, double value,
                                  double expected, double tolerance) {
  char detail[200];
  if (fabs(value - expected) <= tolerance) return;
  snprintf(detail, sizeof detail, "%.17g, not %.17g", value, expected);
  failed(file, line, what, detail);
}

#define EXPECT(condition) ((condition) ? (void)0 : failed(__FILE__, __LINE__, "failed", #condition))
/* For numbers that are only stored and returned: no tolerance. */
#define EXPECT_IS(value, expected) \
  expect_near_at(__FILE__, __LINE__, #value, (value), (expected), 0.0)
#define EXPECT_NEAR(value, expected, tolerance) \
  expect_near_at(__FILE__, __LINE__, #value, (value), (expected), (tolerance))
#define EXPECT_NAN(value) EXPECT(isnan(value))
#define EXPECT_TEXT(value, expected) \
  (strcmp((value), (expected)) == 0  \
       ? (void)0                     \
       : failed(__FILE__, __LINE__, #value " is not " #expected, (value)))
#define EXPECT_MESSAGE(text) expect_message_at(__FILE__, __LINE__, (text))
#define EXPECT_SILENCE() expect_silence_at(__FILE__, __LINE__)

static inline int api_end(void) {
  EXPECT_SILENCE();
  return failures == 0 ? 0 : 1;
}

#endif
