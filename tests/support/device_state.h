// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/state_archive.h"
#include "devices/device_archive.h"

namespace servosim::test {

/// The state of a Device or Battery.
template <typename T>
StateBlock state_of(T& device) {
  StateBlock block;
  {
    StateWriter out(block);
    DeviceArchive archive(out);
    device.archive(archive);
  }
  return block;
}

template <typename T>
void restore(T& device, const StateBlock& block) {
  StateReader in(block);
  DeviceArchive archive(in);
  device.archive(archive);
}

}  // namespace servosim::test
