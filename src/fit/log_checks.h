// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fit/log_table.h"
#include "fit/servo_log.h"

namespace servosim {

/// Makes the samples of a log of its rows, and sets its quantum and its warnings.
/// @throws std::invalid_argument with file and row: for a value that is needed and missing, times
/// that go back, gaps, rows that are far apart, too few rows, and a torque that is no switch
void take_checked_rows(const LogTable& table, const LogFormat& format, ServoLog& log);

}  // namespace servosim
