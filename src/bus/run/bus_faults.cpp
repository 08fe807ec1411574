// SPDX-License-Identifier: Apache-2.0
#include "bus/run/bus_faults.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "base/printable.h"
#include "base/text.h"
#include "bus/run/bus_line.h"

namespace servosim::bus {
namespace {

using Kind = BusFault::Kind;

// The law of a servo divides by its voltage [V].
constexpr double kLeastVoltage = 1e-3;
// A client may add faults for ever.
constexpr std::size_t kMostFaults = 1000;

}  // namespace

bool concerns(const BusFault& fault, const FaultTarget& servo) {
  if (fault.id) {
    return *fault.id == servo.id;
  }
  const std::size_t slash = servo.motor.rfind('/') + 1;
  return fault.motor.empty() || fault.motor == servo.motor ||
         fault.motor == std::string_view(servo.motor).substr(slash);
}

void check_fault(const BusFault& fault, const std::vector<FaultTarget>& servos) {
  std::vector<std::string> names;
  for (const FaultTarget& servo : servos) {
    if (concerns(fault, servo)) {
      return;
    }
    names.push_back(fault.id ? fmt::format("{}", servo.id) : servo.motor);
  }
  if (fault.id) {
    fault.place.refuse(fmt::format("no servo of the bus has the ID {}; there are {}", *fault.id,
                                   fmt::join(names, ", ")));
  }
  fault.place.refuse(names.empty() || names.front().empty()
                         ? "these servos are those of no motors; name one by its `id`"
                         : fmt::format("no servo of the bus is the motor '{}'{}",
                                       printable(fault.motor), nearest_names(fault.motor, names)));
}

BusFaults::BusFaults(std::vector<Sufferer> servos, std::vector<BusFault> faults)
    : servos_(std::move(servos)), troubles_(servos_.size()) {
  for (const BusFault& fault : faults) {
    add(fault, 0.0, true);
  }
}

std::vector<FaultTarget> BusFaults::targets() const {
  std::vector<FaultTarget> targets;
  for (const Sufferer& each : servos_) {
    targets.push_back({each.servo->id(), each.motor});
  }
  return targets;
}

void BusFaults::add(const BusFault& fault, double now, bool is_of_file) {
  const std::vector<FaultTarget> servos = targets();
  check_fault(fault, servos);
  Known known;
  known.fault = fault;
  known.is_of_file = is_of_file;
  known.begin = fault.at.value_or(now);
  known.end = known.begin + fault.length;
  for (const FaultTarget& servo : servos) {
    known.concerns.push_back(concerns(fault, servo));
  }
  faults_.push_back(std::move(known));
}

std::string BusFaults::obey(std::string_view line, double now) {
  line = trimmed(line, " \t\r");
  try {
    if (line == "end") {
      faults_.clear();
      return "ok";
    }
    std::erase_if(faults_, [now](const Known& known) {
      return !known.is_of_file && (now >= known.end || known.has_restarted);
    });
    if (faults_.size() >= kMostFaults) {
      return fmt::format("error: there are {} faults already; `end` ends all", kMostFaults);
    }
    add(read_bus_fault(line), now, false);
    return "ok";
  } catch (const std::invalid_argument& error) {
    return fmt::format("error: {}", error.what());
  }
}

void BusFaults::apply(double now, BusLine& line) {
  if (faults_.empty() && !has_applied_) {
    return;
  }
  has_applied_ = !faults_.empty();
  LineNoise of_all;
  effects_.assign(servos_.size(), {});
  for (Known& known : faults_) {
    const BusFault& fault = known.fault;
    if (now < known.begin || now >= known.end) {
      known.has_restarted = false;
      continue;
    }
    const bool is_of_all = !fault.id && fault.motor.empty();
    for (std::size_t i = 0; i < servos_.size(); ++i) {
      if (!known.concerns[i]) {
        continue;
      }
      LineNoise& noise = is_of_all ? of_all : effects_[i].noise;
      ServoTrouble& trouble = effects_[i].trouble;
      switch (fault.kind) {
        case Kind::Lost:
          noise.lost = std::max(noise.lost, fault.probability);
          break;
        case Kind::Turned:
          noise.turned = std::max(noise.turned, fault.probability);
          break;
        case Kind::Gone:
          effects_[i].is_gone = true;
          break;
        case Kind::Restart:
          if (!known.has_restarted) {
            servos_[i].servo->restart();
          }
          break;
        case Kind::BrownOut:
          trouble.max_volts = std::min(trouble.max_volts, std::max(fault.voltage, kLeastVoltage));
          break;
        case Kind::Stuck:
          trouble.friction = std::max(trouble.friction, fault.torque.value_or(ServoTrouble::kNone));
          break;
        case Kind::Hot:
          trouble.temperature = std::max(trouble.temperature, fault.temperature);
      }
    }
    known.has_restarted = fault.kind == Kind::Restart;
  }
  line.set_noise(of_all);
  for (std::size_t i = 0; i < servos_.size(); ++i) {
    const Effect& effect = effects_[i];
    servos_[i].servo->set_connection(effect.is_gone, effect.noise);
    if (effect.trouble != troubles_[i]) {
      troubles_[i] = effect.trouble;
      servos_[i].plant->suffer(effect.trouble);
    }
  }
}

void BusFaults::begin_again() {
  std::erase_if(faults_, [](const Known& known) { return !known.is_of_file; });
  for (Known& known : faults_) {
    known.has_restarted = false;
  }
}

}  // namespace servosim::bus
