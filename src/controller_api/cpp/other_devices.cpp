// SPDX-License-Identifier: Apache-2.0
#include <webots/connector.h>
#include <webots/emitter.h>
#include <webots/led.h>
#include <webots/pen.h>
#include <webots/receiver.h>
#include <webots/skin.h>
#include <webots/speaker.h>
#include <webots/vacuum_gripper.h>

#include <webots/Connector.hpp>
#include <webots/Emitter.hpp>
#include <webots/LED.hpp>
#include <webots/Pen.hpp>
#include <webots/Receiver.hpp>
#include <webots/Skin.hpp>
#include <webots/Speaker.hpp>
#include <webots/VacuumGripper.hpp>

#include "controller_api/cpp/from_c.h"

namespace webots {

// ---- Connector

void Connector::enablePresence(int samplingPeriod) {
  wb_connector_enable_presence(getTag(), samplingPeriod);
}

void Connector::disablePresence() { wb_connector_disable_presence(getTag()); }

int Connector::getPresenceSamplingPeriod() const {
  return wb_connector_get_presence_sampling_period(getTag());
}

int Connector::getPresence() const { return wb_connector_get_presence(getTag()); }

void Connector::lock() { wb_connector_lock(getTag()); }

void Connector::unlock() { wb_connector_unlock(getTag()); }

bool Connector::isLocked() const { return wb_connector_is_locked(getTag()); }

// ---- Emitter

int Emitter::send(const void *data, int size) { return wb_emitter_send(getTag(), data, size); }

int Emitter::getBufferSize() const { return wb_emitter_get_buffer_size(getTag()); }

void Emitter::setChannel(int channel) { wb_emitter_set_channel(getTag(), channel); }

int Emitter::getChannel() const { return wb_emitter_get_channel(getTag()); }

void Emitter::setRange(double range) { wb_emitter_set_range(getTag(), range); }

double Emitter::getRange() const { return wb_emitter_get_range(getTag()); }

// ---- Receiver

void Receiver::enable(int samplingPeriod) { wb_receiver_enable(getTag(), samplingPeriod); }

void Receiver::disable() { wb_receiver_disable(getTag()); }

int Receiver::getSamplingPeriod() const { return wb_receiver_get_sampling_period(getTag()); }

void Receiver::setChannel(int channel) { wb_receiver_set_channel(getTag(), channel); }

int Receiver::getChannel() const { return wb_receiver_get_channel(getTag()); }

int Receiver::getQueueLength() const { return wb_receiver_get_queue_length(getTag()); }

void Receiver::nextPacket() { wb_receiver_next_packet(getTag()); }

int Receiver::getDataSize() const { return wb_receiver_get_data_size(getTag()); }

const void *Receiver::getData() const { return wb_receiver_get_data(getTag()); }

double Receiver::getSignalStrength() const { return wb_receiver_get_signal_strength(getTag()); }

const double *Receiver::getEmitterDirection() const {
  return wb_receiver_get_emitter_direction(getTag());
}

// ---- LED

void LED::set(int value) { wb_led_set(getTag(), value); }

int LED::get() const { return wb_led_get(getTag()); }

// ---- Pen

void Pen::write(bool write) { wb_pen_write(getTag(), write); }

void Pen::setInkColor(int color, double density) { wb_pen_set_ink_color(getTag(), color, density); }

// ---- Skin

void Skin::setBoneOrientation(int index, const double orientation[4], bool absolute) {
  wb_skin_set_bone_orientation(getTag(), index, orientation, absolute);
}

void Skin::setBonePosition(int index, const double position[3], bool absolute) {
  wb_skin_set_bone_position(getTag(), index, position, absolute);
}

int Skin::getBoneCount() const { return wb_skin_get_bone_count(getTag()); }

std::string Skin::getBoneName(int index) const {
  return to_string(wb_skin_get_bone_name(getTag(), index));
}

const double *Skin::getBoneOrientation(int index, bool absolute) const {
  return wb_skin_get_bone_orientation(getTag(), index, absolute);
}

const double *Skin::getBonePosition(int index, bool absolute) const {
  return wb_skin_get_bone_position(getTag(), index, absolute);
}

// ---- Speaker

void Speaker::stop(const std::string &sound) { wb_speaker_stop(getTag(), sound.c_str()); }

bool Speaker::isSoundPlaying(const std::string &sound) const {
  return wb_speaker_is_sound_playing(getTag(), sound.c_str());
}

bool Speaker::setEngine(const std::string &engine) {
  return wb_speaker_set_engine(getTag(), engine.c_str());
}

bool Speaker::setLanguage(const std::string &language) {
  return wb_speaker_set_language(getTag(), language.c_str());
}

std::string Speaker::getEngine() const { return to_string(wb_speaker_get_engine(getTag())); }

std::string Speaker::getLanguage() const { return to_string(wb_speaker_get_language(getTag())); }

void Speaker::speak(const std::string &text, double volume) {
  wb_speaker_speak(getTag(), text.c_str(), volume);
}

bool Speaker::isSpeaking() const { return wb_speaker_is_speaking(getTag()); }

void Speaker::playSound(Speaker *left, Speaker *right, const std::string &sound, double volume,
                        double pitch, double balance, bool loop) {
  wb_speaker_play_sound(left != nullptr ? left->getTag() : 0,
                        right != nullptr ? right->getTag() : 0, sound.c_str(), volume, pitch,
                        balance, loop);
}

// ---- VacuumGripper

void VacuumGripper::enablePresence(int samplingPeriod) {
  wb_vacuum_gripper_enable_presence(getTag(), samplingPeriod);
}

void VacuumGripper::disablePresence() { wb_vacuum_gripper_disable_presence(getTag()); }

int VacuumGripper::getPresenceSamplingPeriod() const {
  return wb_vacuum_gripper_get_presence_sampling_period(getTag());
}

bool VacuumGripper::getPresence() const { return wb_vacuum_gripper_get_presence(getTag()); }

bool VacuumGripper::isOn() const { return wb_vacuum_gripper_is_on(getTag()); }

void VacuumGripper::turnOn() { wb_vacuum_gripper_turn_on(getTag()); }

void VacuumGripper::turnOff() { wb_vacuum_gripper_turn_off(getTag()); }

}  // namespace webots
