// SPDX-License-Identifier: Apache-2.0
#ifndef WEBOTS_ANSI_CODES_HPP
#define WEBOTS_ANSI_CODES_HPP

#include <string>

namespace webots {

// Escape sequences to be printed, as in webots/utils/ansi_codes.h.
class AnsiCodes {
 public:
  static inline const std::string RESET = "\x1b[0m";
  static inline const std::string BOLD = "\x1b[1m";
  static inline const std::string UNDERLINE = "\x1b[4m";
  static inline const std::string BLACK_BACKGROUND = "\x1b[40m";
  static inline const std::string RED_BACKGROUND = "\x1b[41m";
  static inline const std::string GREEN_BACKGROUND = "\x1b[42m";
  static inline const std::string YELLOW_BACKGROUND = "\x1b[43m";
  static inline const std::string BLUE_BACKGROUND = "\x1b[44m";
  static inline const std::string MAGENTA_BACKGROUND = "\x1b[45m";
  static inline const std::string CYAN_BACKGROUND = "\x1b[46m";
  static inline const std::string WHITE_BACKGROUND = "\x1b[47m";
  static inline const std::string BLACK_FOREGROUND = "\x1b[30m";
  static inline const std::string RED_FOREGROUND = "\x1b[31m";
  static inline const std::string GREEN_FOREGROUND = "\x1b[32m";
  static inline const std::string YELLOW_FOREGROUND = "\x1b[33m";
  static inline const std::string BLUE_FOREGROUND = "\x1b[34m";
  static inline const std::string MAGENTA_FOREGROUND = "\x1b[35m";
  static inline const std::string CYAN_FOREGROUND = "\x1b[36m";
  static inline const std::string WHITE_FOREGROUND = "\x1b[37m";
  static inline const std::string CLEAR_SCREEN = "\x1b[2J";
};

}  // namespace webots

#endif
