// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "recording/recording_reader.h"

namespace servosim {

/// Reads the scene of a recording without keeping more of it than its text, its bodies and its
/// joints, whatever it holds. @throws RecordingError with a clause that says no place
RecordedScene read_scene(std::string_view json);

}  // namespace servosim
