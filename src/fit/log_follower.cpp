// SPDX-License-Identifier: Apache-2.0
#include "fit/log_follower.h"

#include <limits>

#include "experiments/joint_test.h"

namespace servosim {
namespace {

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

// Follows a log: commands the motor, and notes the positions at the times of the samples.
class LogFollower {
 public:
  LogFollower(Simulation& simulation, const std::string& joint, const ServoLog& log, double offset)
      : simulation_(simulation),
        joint_(simulation.joint(joint)),
        motor_(motor_that_drives(simulation, joint_)),
        log_(log),
        offset_(offset),
        full_effort_(motor_.targets().available_force) {}

  std::vector<BenchState> follow() {
    const BenchStart start = start_of(log_);
    joint_.set_state(start.position - offset_, start.rate);
    const double h = simulation_.basic_time_step_ms() / 1000.0;
    const double begin = log_.samples.front().time;
    BenchState before = state();
    std::vector<BenchState> states{before};
    for (std::size_t step = 0; states.size() < log_.samples.size(); ++step) {
      const double now = begin + h * static_cast<double>(step);
      command(now);
      try {
        simulation_.step();
      } catch (const StepFailed&) {  // it moves beyond all limits: worse than any other
        states.resize(log_.samples.size(),
                      {kNoNumber, kNoNumber, kNoNumber, kNoNumber, kNoNumber, kNoNumber});
        break;
      }
      const BenchState after = state();
      while (states.size() < log_.samples.size() &&
             log_.samples[states.size()].time <= now + h * (1.0 + 1e-9)) {
        const double share = (log_.samples[states.size()].time - now) / h;
        BenchState between = after;
        between.position = before.position + share * (after.position - before.position);
        states.push_back(between);
      }
      before = after;
    }
    return states;
  }

 private:
  void command(double now) {
    while (next_ < log_.samples.size() && log_.samples[next_].time <= now + 1e-9) {
      ++next_;
    }
    const LogSample& sample = log_.samples[next_ - 1];
    motor_.set_available_force(sample.on ? full_effort_ : 0.0);
    motor_.set_position(sample.goal / motor_.limits().multiplier);  // the motor multiplies it
  }

  BenchState state() const {
    const JointReading reading = joint_.reading();
    BenchState result;
    result.position = reading.position + offset_;
    result.rate = reading.velocity;
    if (const auto servo = motor_.servo().reading()) {
      result.torque = servo->motor_torque;
      result.current = servo->current;
      result.duty = servo->duty;
      result.volts = servo->voltage;
    }
    return result;
  }

  Simulation& simulation_;
  Joint joint_;
  Motor& motor_;
  const ServoLog& log_;
  double offset_;
  double full_effort_;
  std::size_t next_ = 1;
};

}  // namespace

std::vector<BenchState> follow_log(Simulation& simulation, const std::string& joint,
                                   const ServoLog& log, double offset) {
  return LogFollower(simulation, joint, log, offset).follow();
}

}  // namespace servosim
