// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "servosim/yarp/vocabs.h"

namespace servosim::yarp {

/// What every joint of a board does, in units of docs/reference/yarp.md, one item per joint. Motors
/// turn as their joints do. ControlBoard::read() fills it at once, sooner than function by
/// function; it reserves memory the first time only.
///
/// Threads: a plain value.
struct BoardReadings {
  std::vector<double> encoders;
  std::vector<double> encoder_speeds;
  std::vector<double> encoder_accelerations;
  std::vector<double> torques;
  std::vector<double> duty_cycles;
  std::vector<double> currents;
  std::vector<vocab32_t> control_modes;
  std::vector<vocab32_t> interaction_modes;
};

}  // namespace servosim::yarp
