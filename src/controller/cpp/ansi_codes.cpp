// SPDX-License-Identifier: Apache-2.0
#include <webots/utils/ansi_codes.h>

#include <webots/utils/AnsiCodes.hpp>

namespace webots {

const std::string AnsiCodes::RESET = ANSI_RESET;
const std::string AnsiCodes::BOLD = ANSI_BOLD;
const std::string AnsiCodes::UNDERLINE = ANSI_UNDERLINE;
const std::string AnsiCodes::BLACK_BACKGROUND = ANSI_BLACK_BACKGROUND;
const std::string AnsiCodes::RED_BACKGROUND = ANSI_RED_BACKGROUND;
const std::string AnsiCodes::GREEN_BACKGROUND = ANSI_GREEN_BACKGROUND;
const std::string AnsiCodes::YELLOW_BACKGROUND = ANSI_YELLOW_BACKGROUND;
const std::string AnsiCodes::BLUE_BACKGROUND = ANSI_BLUE_BACKGROUND;
const std::string AnsiCodes::MAGENTA_BACKGROUND = ANSI_MAGENTA_BACKGROUND;
const std::string AnsiCodes::CYAN_BACKGROUND = ANSI_CYAN_BACKGROUND;
const std::string AnsiCodes::WHITE_BACKGROUND = ANSI_WHITE_BACKGROUND;
const std::string AnsiCodes::BLACK_FOREGROUND = ANSI_BLACK_FOREGROUND;
const std::string AnsiCodes::RED_FOREGROUND = ANSI_RED_FOREGROUND;
const std::string AnsiCodes::GREEN_FOREGROUND = ANSI_GREEN_FOREGROUND;
const std::string AnsiCodes::YELLOW_FOREGROUND = ANSI_YELLOW_FOREGROUND;
const std::string AnsiCodes::BLUE_FOREGROUND = ANSI_BLUE_FOREGROUND;
const std::string AnsiCodes::MAGENTA_FOREGROUND = ANSI_MAGENTA_FOREGROUND;
const std::string AnsiCodes::CYAN_FOREGROUND = ANSI_CYAN_FOREGROUND;
const std::string AnsiCodes::WHITE_FOREGROUND = ANSI_WHITE_FOREGROUND;
const std::string AnsiCodes::CLEAR_SCREEN = ANSI_CLEAR_SCREEN;

}  // namespace webots
