// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "plot/figure.h"
#include "specification/specification.h"

namespace servosim {

/// What became of an expectation; texts for people.
struct Verdict {
  std::string title;     ///< `arm/shoulder settling_time`
  std::string expected;  ///< `at most 0.3 s`
  std::string came;      ///< `0.41 s`, and when
  std::string item;      ///< of the trace, to be drawn; or empty
  bool steps = false;    ///< its figure has step responses
  bool held = false;
  std::vector<FigureBound> bounds = {};  ///< of its figure
  std::string golden = {};               ///< a trace to be drawn with it; or empty
};

/// What a run has left.
struct RunFiles {
  std::string trace;      ///< path
  std::string recording;  ///< path, or empty: none was needed
};

/// Whether the run is needed with poses, or with a recording of each step, for its contacts.
/// @throws InputError for a golden trace that cannot be read
bool needs_poses(const Specification& specification);
bool needs_contacts(const Specification& specification);

/// How a controller ends that exits with the status of an Expected::Exit: `exited with status 3`.
std::string exit_text(const Expectation& expectation);

/// The verdicts on all expectations, in their order.
/// @param run  the object of the run in the document of `run --json`
/// @throws InputError for a name that the world does not have, with the place of the expectation
std::vector<Verdict> judge(const Specification& specification, const RunFiles& files,
                           const nlohmann::ordered_json& run);

}  // namespace servosim
