// SPDX-License-Identifier: Apache-2.0
#include "fit/world_rig.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "experiments/joint_test.h"
#include "fit/fit_parameters.h"
#include "servo_models/catalogue.h"
#include "servo_models/servo_fields.h"

namespace servosim {
namespace {

// The servo of the catalogue from which differences are counted; any will do.
constexpr const char* kAnyServo = "STS3215";
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
        full_effort_(motor_.available_force()) {}

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
    motor_.set_position(sample.goal);
  }

  BenchState state() const {
    const JointReading reading = joint_.reading();
    BenchState result;
    result.position = reading.position + offset_;
    result.rate = reading.velocity;
    if (const auto servo = motor_.servo_reading()) {
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

std::string servo_field_of(const ServoModel& model) {
  static const ServoCatalogue catalogue;
  static const ServoModel any = *catalogue.model(kAnyServo);
  std::string text = kAnyServo;
  for (const ServoField& field : servo_fields()) {
    if (value_of(model, field) != value_of(any, field)) {
      const ServoValue value = value_of(model, field);
      const auto* number = std::get_if<double>(&value);
      text += fmt::format(
          " {}={}", field.key,
          number != nullptr ? fmt::format("{}", *number) : std::get<std::string>(value));
    }
  }
  return text;
}

WorldRig::WorldRig(std::string world, LoadOptions options, const std::string& joint,
                   std::vector<BenchLog> logs)
    : world_(std::move(world)), options_(std::move(options)), logs_(std::move(logs)) {
  const Simulation simulation(world_, options_);
  diagnostics_ = simulation.diagnostics();
  const Joint found = simulation.joint(joint);
  static_cast<void>(motor_that_drives(simulation, found));  // throws if there is none
  joint_ = found.name();
}

Simulation WorldRig::load(const ServoModel& model) const {
  LoadOptions options = options_;
  options.settings.push_back({joint_ + ".servo", servo_field_of(model)});
  return Simulation(world_, options);
}

void WorldRig::run(std::size_t log, std::span<const ServoModel> models,
                   std::vector<double>& positions) const {
  positions.resize(logs_[log].log->samples.size() * kBenchModels);
  for (std::size_t m = 0; m < models.size(); ++m) {
    if (!is_sound(models[m])) {
      continue;
    }
    const std::vector<BenchState> states = run_once(log, models[m]);
    for (std::size_t s = 0; s < states.size(); ++s) {
      positions[s * kBenchModels + m] = states[s].position;
    }
  }
}

std::vector<BenchState> WorldRig::run_once(std::size_t log, const ServoModel& model) const {
  Simulation simulation = load(model_for(logs_[log], model));
  return LogFollower(simulation, joint_, *logs_[log].log, model.encoder.offset).follow();
}

}  // namespace servosim
