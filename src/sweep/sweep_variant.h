// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "servosim/simulation.h"
#include "sim/report.h"

namespace servosim {

/// A loaded variant.
struct SweepVariant {
  std::uint64_t number;
  Simulation simulation;
  std::string warning;    // about its values, else about what is missing
  bool replaces = false;  // another value is simulated instead of one of its values
  bool incomplete = false;
  std::vector<std::size_t> joint_columns;  // first column of each watched joint
  std::vector<std::size_t> robot_columns;
  ReportedParts watched;
};

/// The loaded variants that no thread uses now.
///
/// Threads: several at once; a mutex orders them.
class IdleVariants {
 public:
  /// Returns the variant of that number, else any other one; null if there is none.
  std::unique_ptr<SweepVariant> take(std::uint64_t variant);
  /// Keeps a variant for later; null is ignored.
  void give_back(std::unique_ptr<SweepVariant> loaded);

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<SweepVariant>> idle_;
};

}  // namespace servosim
