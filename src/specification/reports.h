// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "specification/expectations.h"

// The verdicts on specifications as other programs read them.

namespace servosim {

/// The result of trying a specification.
struct TriedSpecification {
  std::string path;
  std::string world;
  std::string place;        ///< location of the key `world`; empty if the file could not be read
  double seconds = 0.0;     ///< wall time [s]
  std::string error;        ///< why it could not be tried; empty if it was tried
  std::string output = {};  ///< what controllers and the run printed, its first lines; any bytes
  std::string trace = {};   ///< path of the trace that is kept of a failure; may be empty
  std::string replay = {};  ///< path of the recording that is kept of a failure; may be empty
  std::vector<Verdict> verdicts = {};

  bool held() const;
};

/// Returns the verdicts as JUnit's XML, which CI services read: a test suite for each file, a test
/// case for each expectation.
std::string junit_text(const std::vector<TriedSpecification>& tried);

/// Returns the list `specifications` of the document of `servosim test --json`.
nlohmann::ordered_json specifications_json(const std::vector<TriedSpecification>& tried);

/// Returns a workflow command of GitHub for each expectation that does not hold, and for each
/// specification that could not be tried: an annotation at its file and line.
/// @param workspace  the root of the repository, to which the files are relative; if it is empty,
///        they stay as they are
std::string github_annotations(const TriedSpecification& tried, const std::string& workspace);

/// Returns the workflow commands that begin a group of lines with this title.
std::string github_group(const std::string& title);

}  // namespace servosim
