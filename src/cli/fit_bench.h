// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/completeness.h"
#include "cli/fit_arguments.h"
#include "fit/bench_options.h"
#include "fit/fit_rig.h"
#include "run/console.h"

namespace servosim {

/// What the command line of `servosim fit` says of the logs and of what they were recorded on.
class FitBench {
 public:
  /// Both must outlive this object. @throws InputError, std::invalid_argument
  FitBench(const FitArguments& arguments, Console& console);

  bool is_pendulum() const { return servosim::is_pendulum(arguments_.rig); }
  /// Returns the columns that the user names; empty if they are found by their names.
  const std::vector<LogColumn>& columns() const { return format_.columns; }
  /// Reads logs, and warns of what is doubtful in them. @throws InputError, std::invalid_argument
  std::vector<ServoLog> read(const std::vector<std::string>& paths) const;
  /// Returns the rig of some logs, which must outlive it. The first time it prints what loading a
  /// world has to say. @throws InputError
  std::unique_ptr<FitRig> rig(const std::vector<ServoLog>& logs);
  /// Returns what the world lacks that is the rig, as far as rig() has loaded it.
  const Completeness& completeness() const { return completeness_; }
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  void tell_of_world(const LoadOptions& options);

  const FitArguments& arguments_;
  Console& console_;
  BenchOptions options_;
  LogFormat format_;
  bool is_told_ = false;  // what loading the world has to say
  std::vector<Diagnostic> diagnostics_;
  JointType type_ = JointType::Rotational;  // of the joint of the world
  Completeness completeness_{{}};
};

}  // namespace servosim
