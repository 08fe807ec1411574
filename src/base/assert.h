// SPDX-License-Identifier: Apache-2.0
#pragma once

// SERVOSIM_ASSERT(condition, format, values...) checks what only a bug of servosim can break. If
// the condition is false, the process prints it with the values, formatted by fmt::format(), and
// aborts:
//   SERVOSIM_ASSERT(index < count, "joint {} of {}", index, count);
// What a user's input can cause is checked and reported instead. CMake's option SERVOSIM_ASSERTIONS
// (on in Debug and sanitizer builds) switches assertions on; otherwise neither condition nor values
// are evaluated.

#ifdef SERVOSIM_ASSERTIONS

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace servosim {

[[noreturn]] inline void fail_assertion(const char* file, int line, const char* condition,
                                        const std::string& values) {
  const std::string text =
      fmt::format("servosim: assertion failed, please report this: {}:{}: {}: {}\n", file, line,
                  condition, values);
  static_cast<void>(std::fputs(text.c_str(), stderr));
  std::abort();
}

}  // namespace servosim

#define SERVOSIM_ASSERT(condition, ...) \
  (static_cast<bool>(condition)         \
       ? static_cast<void>(0)           \
       : ::servosim::fail_assertion(__FILE__, __LINE__, #condition, fmt::format(__VA_ARGS__)))

#else

#define SERVOSIM_ASSERT(condition, ...) static_cast<void>(sizeof(static_cast<bool>(condition)))

#endif
