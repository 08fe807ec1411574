// SPDX-License-Identifier: Apache-2.0
#include <webots/console.h>

#include <cstdio>

// Needs no simulation, so it starts none.
void wb_console_print(const char* text, int stream) {
  std::FILE* file = stream == WB_STDOUT ? stdout : stream == WB_STDERR ? stderr : nullptr;
  if (text != nullptr && file != nullptr) {
    std::fputs(text, file);
    std::fflush(file);
  }
}
