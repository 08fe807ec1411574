// SPDX-License-Identifier: Apache-2.0
#include <webots/joystick.h>
#include <webots/keyboard.h>
#include <webots/mouse.h>
#include <webots/utils/ansi_codes.h>
#include <webots/utils/motion.h>

#include <webots/Joystick.hpp>
#include <webots/Keyboard.hpp>
#include <webots/Mouse.hpp>
#include <webots/utils/AnsiCodes.hpp>
#include <webots/utils/Motion.hpp>

#include "controller_api/cpp/from_c.h"

namespace webots {

// ---- Keyboard

void Keyboard::enable(int samplingPeriod) { wb_keyboard_enable(samplingPeriod); }

void Keyboard::disable() { wb_keyboard_disable(); }

int Keyboard::getSamplingPeriod() const { return wb_keyboard_get_sampling_period(); }

int Keyboard::getKey() const { return wb_keyboard_get_key(); }

// ---- Mouse

void Mouse::enable(int samplingPeriod) { wb_mouse_enable(samplingPeriod); }

void Mouse::disable() { wb_mouse_disable(); }

int Mouse::getSamplingPeriod() const { return wb_mouse_get_sampling_period(); }

void Mouse::enable3dPosition() { wb_mouse_enable_3d_position(); }

void Mouse::disable3dPosition() { wb_mouse_disable_3d_position(); }

bool Mouse::is3dPositionEnabled() const { return wb_mouse_is_3d_position_enabled(); }

MouseState Mouse::getState() const { return wb_mouse_get_state(); }

// ---- Joystick

void Joystick::enable(int samplingPeriod) { wb_joystick_enable(samplingPeriod); }

void Joystick::disable() { wb_joystick_disable(); }

int Joystick::getSamplingPeriod() const { return wb_joystick_get_sampling_period(); }

bool Joystick::isConnected() const { return wb_joystick_is_connected(); }

std::string Joystick::getModel() const { return to_string(wb_joystick_get_model()); }

int Joystick::getNumberOfAxes() const { return wb_joystick_get_number_of_axes(); }

int Joystick::getAxisValue(int axis) const { return wb_joystick_get_axis_value(axis); }

int Joystick::getNumberOfPovs() const { return wb_joystick_get_number_of_povs(); }

int Joystick::getPovValue(int pov) const { return wb_joystick_get_pov_value(pov); }

int Joystick::getPressedButton() const { return wb_joystick_get_pressed_button(); }

void Joystick::setConstantForce(int level) { wb_joystick_set_constant_force(level); }

void Joystick::setConstantForceDuration(double duration) {
  wb_joystick_set_constant_force_duration(duration);
}

void Joystick::setAutoCenteringGain(double gain) { wb_joystick_set_auto_centering_gain(gain); }

void Joystick::setResistanceGain(double gain) { wb_joystick_set_resistance_gain(gain); }

void Joystick::setForceAxis(int axis) { wb_joystick_set_force_axis(axis); }

// ---- Motion

void Motion::play() { wbu_motion_play(ref_); }

void Motion::stop() { wbu_motion_stop(ref_); }

void Motion::setLoop(bool loop) { wbu_motion_set_loop(ref_, loop); }

void Motion::setReverse(bool reverse) { wbu_motion_set_reverse(ref_, reverse); }

bool Motion::isOver() const { return wbu_motion_is_over(ref_); }

int Motion::getDuration() const { return wbu_motion_get_duration(ref_); }

int Motion::getTime() const { return wbu_motion_get_time(ref_); }

void Motion::setTime(int time) { wbu_motion_set_time(ref_, time); }

Motion::Motion(const std::string &fileName) : ref_(wbu_motion_new(fileName.c_str())) {}

Motion::~Motion() { wbu_motion_delete(ref_); }

// ---- AnsiCodes

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
