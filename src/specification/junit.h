// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "specification/expectations.h"

namespace servosim {

/// The result of trying a specification.
struct TriedSpecification {
  std::string path;
  std::string world;
  double seconds = 0.0;  ///< wall time [s]
  std::string error;     ///< why it could not be tried; empty if it was tried
  std::vector<Verdict> verdicts;

  bool held() const;
};

/// Returns the verdicts as JUnit's XML, which CI services read: a test suite for each file, a test
/// case for each expectation.
std::string junit_text(const std::vector<TriedSpecification>& tried);

}  // namespace servosim
