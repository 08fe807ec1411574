// SPDX-License-Identifier: Apache-2.0
#include "sweep/sweep_variant.h"

#include <algorithm>
#include <utility>

namespace servosim {

std::unique_ptr<SweepVariant> IdleVariants::take(std::uint64_t variant) {
  const std::lock_guard lock(mutex_);
  if (idle_.empty()) {
    return nullptr;
  }
  auto found = std::find_if(idle_.begin(), idle_.end(),
                            [variant](const auto& one) { return one->number == variant; });
  found = found != idle_.end() ? found : idle_.end() - 1;
  std::unique_ptr<SweepVariant> taken = std::move(*found);
  idle_.erase(found);
  return taken;
}

void IdleVariants::give_back(std::unique_ptr<SweepVariant> loaded) {
  if (loaded != nullptr) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(loaded));
  }
}

}  // namespace servosim
