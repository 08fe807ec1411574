// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "experiments/frequency_response.h"

// What frequency responses of simulated and of measured joints have in common when they are shown.

namespace servosim {

/// A response with a name for the legend.
struct BodeCurves {
  std::string title;
  std::vector<FrequencyPoint> points;
  std::optional<double> first_phase = {};  ///< of another response, near which this one begins [°]
};

struct BodePicture {
  std::string title;
  std::vector<BodeCurves> responses;  ///< the coherence is that of the first one
  double bandwidth = 0.0;             ///< of the first response [Hz]; 0 if there is none
  LoopMargins margins;                ///< of the last response
};

/// Returns the frequency at which the gain is 3 dB below that of the first frequency; 0 if there is
/// none.
double bandwidth_of(const std::vector<FrequencyPoint>& points);

/// Draws gain, phase and coherence. @throws std::runtime_error
void draw_bode(const BodePicture& picture, const std::string& output);

/// Returns a margin as a line of text and as JSON.
std::string margin_text(const char* name, const std::optional<LoopMargins::Margin>& margin,
                        const char* unit);
nlohmann::ordered_json margin_json(const std::optional<LoopMargins::Margin>& margin);

}  // namespace servosim
