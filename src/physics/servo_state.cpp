// SPDX-License-Identifier: Apache-2.0
#include "physics/servo_state.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "base/state_archive.h"
#include "scene/scene.h"

namespace servosim {

void add_to_hash(Fnv1a& hash, const ServoState::Memory& memory) {
  const ServoMemory& m = memory.law;
  for (const double number :
       {m.target,     m.target_rate,     m.rate,         m.integral,     m.held,
        m.until_tick, m.current,         m.motor_torque, m.load_torque,  m.duty,
        m.winding,    m.housing,         m.overload,     m.is_shut_down, m.is_limited,
        m.volts,      memory.inertia,    memory.force,   memory.is_held, memory.held_at,
        memory.shaft, memory.shaft_rate, memory.flank}) {
    hash.add(number);
  }
  hash.add(m.max_duty);
}

void ServoState::put(double position, double rate) {
  stop();
  reading = memory.law.target = encoder_reading(model->encoder, position, 0.0);
  memory.law.rate = memory.shaft_rate = rate;
  memory.shaft = memory.flank = 0.0;
}

void ServoState::stop() {
  ServoMemory& m = memory.law;
  m.target_rate = m.rate = m.integral = m.held = m.until_tick = 0.0;
  m.current = m.motor_torque = m.duty = m.overload = 0.0;
  memory.shaft_rate = 0.0;
  forget_load();
}

ServoStates::ServoStates(const Scene& scene) {
  // This is the index of each supply with a name, by robot. A servo without such a name has its own
  // supply.
  std::map<std::pair<std::size_t, std::string>, int> names;
  int supplies = 0;
  for (std::size_t r = 0; r < scene.robots.size(); ++r) {
    for (const DeviceSpec& device : scene.robots[r].devices) {
      if (!device.motor || device.motor->servo == nullptr || device.joint < 0) {
        continue;
      }
      by_joint.resize(scene.joints.size());
      const JointSpec& joint = scene.joints[device.joint];
      const ServoModel& model = *device.motor->servo;
      ServoState& servo = by_joint[device.joint];
      servo.model = &model;
      servo.numbers = numbers_of(model);
      servo.command = command_of(model, joint.position);
      servo.reading = joint.position;
      servo.memory.law = servo_at(model, joint.position);
      sags = sags || model.supply.resistance > 0.0;
      servo.play = model.drive.backlash + joint.backlash;
      const std::string& name = model.supply.name;
      servo.supply = name.empty() ? supplies : names.try_emplace({r, name}, supplies).first->second;
      supplies += servo.supply == supplies ? 1 : 0;
    }
  }
  loads.resize(static_cast<std::size_t>(supplies));
}

// The loads are those of the last step, so the voltage does not depend on the order of the servos.
void ServoStates::set_voltages() {
  if (!sags) {
    for (ServoState& servo : by_joint) {
      if (servo.model != nullptr) {
        servo.command.volts = std::min(servo.model->supply.voltage, servo.max_volts);
      }
    }
    return;
  }
  std::fill(loads.begin(), loads.end(), SupplyLoad{});
  for (const ServoState& servo : by_joint) {
    if (servo.model != nullptr) {
      const SupplyLoad more = supply_load(servo.numbers, servo.memory.law);
      SupplyLoad& sum = loads[servo.supply];
      sum = {sum.current + more.current, sum.conductance + more.conductance};
    }
  }
  for (ServoState& servo : by_joint) {
    if (servo.model != nullptr) {
      const ServoSupply& supply = servo.model->supply;
      const double unloaded = std::min(supply.voltage, servo.max_volts);
      const double least = std::min(least_voltage(supply), unloaded);
      servo.command.volts = supply_voltage(unloaded, supply.resistance, least, loads[servo.supply]);
    }
  }
}

}  // namespace servosim
