// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "specification/expectations.h"

namespace servosim {

/// A specification that was tried.
struct TriedSpecification {
  std::string path;
  std::string world;
  double seconds = 0.0;  ///< of the clock
  std::string error;     ///< why nothing was tried; empty: it was
  std::vector<Verdict> verdicts;

  bool held() const;
};

/// The verdicts as JUnit's XML, as CI services read it: a test suite for each file, a test case for
/// each expectation.
std::string junit_text(const std::vector<TriedSpecification>& tried);

}  // namespace servosim
