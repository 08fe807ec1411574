// SPDX-License-Identifier: Apache-2.0
#include "servosim/sampler.h"

#include "base/limits.h"

namespace servosim {

void Sampler::enable(int period_ms, double now_ms) {
  period_ms_ = period_ms;
  last_ms_ = now_ms;
}

bool Sampler::period_is_over(double now_ms) const { return is_due(now_ms, last_ms_ + period_ms_); }

void Sampler::store(double value, double now_ms) {
  value_ = value;
  last_ms_ = now_ms;
  ++count_;
}

}  // namespace servosim
