// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "plot/figure.h"
#include "specification/specification.h"

namespace servosim {

/// The number that decides an expectation.
struct MeasuredValue {
  double value;  ///< of all values that are judged the one farthest outside, or nearest to a bound
  double low;    ///< bound, -inf without one
  double high;   ///< bound, inf without one
  std::string unit;  ///< such as `rad`; `1` for shares of a way, empty for a count
};

/// The verdict on an expectation, as texts for people.
struct Verdict {
  std::string title;     ///< such as `arm/shoulder settling_time`
  std::string expected;  ///< such as `at most 0.3 s`
  std::string came;      ///< the result, such as `0.41 s`, and its time
  std::string item;      ///< item of the trace that a figure shows; may be empty
  bool steps = false;    ///< its figure has step responses
  bool held = false;
  std::vector<FigureBound> bounds = {};  ///< bounds for its figure
  std::string golden = {};  ///< path of a trace that its figure also shows; may be empty
  std::optional<MeasuredValue> measured = {};  ///< nothing if no single number decides
  std::string place = {};   ///< location of the expectation, such as `arm.toml:12:1`
  std::string figure = {};  ///< path of its figure; empty if there is none
  double seconds = 0.0;     ///< wall time that it took [s]
};

/// Returns what was expected and what came.
std::string failure_text(const Verdict& verdict);

/// The files that a run has written.
struct RunFiles {
  std::string trace;      ///< path
  std::string recording;  ///< path
};

/// Return whether the run must record poses, and whether it must record each step for its contacts.
/// @throws InputError for a golden trace that cannot be read
bool needs_poses(const Specification& specification);
bool needs_contacts(const Specification& specification);

/// Returns how a controller ends that exits with the status of an Expected::Exit, such as `exited
/// with status 3`.
std::string exit_text(const Expectation& expectation);

/// Returns the verdicts on all expectations, in their order.
/// @param run  object of the run in the document of `run --json`
/// @throws InputError for a name that the world does not have, with the location of the expectation
std::vector<Verdict> judge(const Specification& specification, const RunFiles& files,
                           const nlohmann::ordered_json& run);

}  // namespace servosim
