// SPDX-License-Identifier: Apache-2.0
#include <webots/utils/motion.h>

#include <webots/utils/Motion.hpp>

namespace webots {

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

}  // namespace webots
