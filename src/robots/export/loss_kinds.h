// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "robots/robot_model.h"
#include "servosim/diagnostics.h"

namespace servosim::robots {

/// Collects what a format cannot say: each kind becomes one loss, which names those that have it.
///
/// Threads: one at a time.
class LossKinds {
 public:
  /// @param kind  a clause, such as "the maxVelocity of motors is left out"
  /// @param where  of the loss, if it is the first one of its kind
  /// @param name  of what has it
  /// @param moves  as in Loss
  void add(std::string_view kind, const SourceLocation& where, const std::string& name,
           bool moves = true);
  /// Appends the losses in the order in which their kinds came.
  void append_to(std::vector<Loss>& losses) const;

 private:
  struct Kind {
    std::string what;
    SourceLocation where;
    bool moves = true;
    std::vector<std::string> names;
  };
  std::vector<Kind> kinds_;
};

}  // namespace servosim::robots
