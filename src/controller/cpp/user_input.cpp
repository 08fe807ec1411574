// SPDX-License-Identifier: Apache-2.0
#include <webots/joystick.h>
#include <webots/keyboard.h>
#include <webots/mouse.h>

#include <webots/Joystick.hpp>
#include <webots/Keyboard.hpp>
#include <webots/Mouse.hpp>

#include "controller/cpp/to_string.h"

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

}  // namespace webots
