// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "recording/recording_reader.h"
#include "recording/scene_parts.h"
#include "view/still/canvas.h"
#include "view/still/stage.h"

namespace servosim::still {

/// What may be drawn over a picture, by its name: axes, limits, contacts, masses, frames, bounding
/// and grid.
using MarkNames = std::set<std::string, std::less<>>;

struct Marks {
  std::vector<MarkLine> lines;
  std::vector<MarkDot> dots;
};

/// Returns the marks of a recording at a moment, as the page draws them.
/// @param frame  that of the moment
Marks find_marks(const SceneParts& parts, const RecordedMoment& moment, const RecordedFrame& frame,
                 const Stage& stage, const MarkNames& shown);

}  // namespace servosim::still
