// SPDX-License-Identifier: Apache-2.0
#include "servosim/battery.h"

#include <algorithm>

#include "base/assert.h"
#include "devices/device_archive.h"

namespace servosim {

bool Battery::drain(double device_power, double h) {
  SERVOSIM_ASSERT(energy_ >= 0.0, "{} J", energy_);
  const double left = energy_ - (cpu_consumption_ + device_power) * h;
  // A charge above the capacity, which a world may have, stays.
  energy_ = std::clamp(left, 0.0, std::max(energy_, capacity_));
  exhausted_ = energy_ == 0.0;
  return exhausted_;
}

void Battery::set_energy(double energy) {
  energy_ = energy;
  exhausted_ = false;
}

void Battery::continue_from(const Battery& before) {
  energy_ = before.energy_;
  exhausted_ = before.exhausted_;
  noticed_ = noticed_ || before.noticed_;
}

void Battery::archive(DeviceArchive& archive) {
  archive.hashed(energy_);
  archive.unhashed(exhausted_);
  archive.notices(noticed_);
}

}  // namespace servosim
