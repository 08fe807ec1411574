// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "recording/recording_reader.h"

namespace servosim {

/// Reads the scene of a recording. It keeps no more than the text, the bodies and the joints,
/// whatever the scene contains. @throws RecordingError with a clause that names no location
RecordedScene read_scene(std::string_view json);

}  // namespace servosim
