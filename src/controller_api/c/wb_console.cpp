// SPDX-License-Identifier: Apache-2.0
#include <webots/console.h>

#include <cstdio>

// It works without a simulation, so it does not connect to one.
void wb_console_print(const char* text, int stream) {
  std::FILE* file = stream == WB_STDOUT ? stdout : stream == WB_STDERR ? stderr : nullptr;
  if (text != nullptr && file != nullptr) {
    std::fputs(text, file);
    std::fflush(file);
  }
}
