// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/report_once.h"
#include "servosim/yarp/board_config.h"
#include "servosim/yarp/return_value.h"

namespace servosim::yarp {

/// Reports warnings of a board, each kind at most once per warning period and joint.
class BoardNotices {
 public:
  /// The cause of a warning: the called function or an event, and how it ended. The text must be a
  /// literal.
  using Cause = std::pair<std::string_view, Status>;

  explicit BoardNotices(const BoardConfig& config)
      : notices_(config.notice), board_(config.name), period_(config.warning_period) {}

  /// Texts that differ only in their values are of one kind.
  /// @param time  simulated [s]
  /// @param j  the joint; -1 for the board
  /// @param motor  that of the joint
  void warn(double time, int j, std::string_view motor, const Cause& cause, std::string_view text);

 private:
  /// The joint, the cause, and the text without its values, which may be any.
  using Kind = std::pair<Cause, std::string>;
  struct Limit {
    double until = -1.0;  // [s] no report before this time
    int hidden = 0;       // warnings since the last report
  };

  Notices notices_;
  std::string board_;
  double period_;                               // [s]
  std::map<int, std::map<Kind, Limit>> kinds_;  // by joint
};

}  // namespace servosim::yarp
