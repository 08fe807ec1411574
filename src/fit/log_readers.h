// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "fit/log_table.h"
#include "fit/servo_log.h"

// The forms of log files. Each function adds the rows to `table`, and what the header says to
// `log`, whose path is set.
//
// @throws std::invalid_argument with file, line and what is wrong, in one line

namespace servosim {

/// Reads CSV with a header, and with lines `# key = value` anywhere.
void read_csv_log(std::string_view text, const LogFormat& format, ServoLog& log, LogTable& table);

/// Reads JSON of BAM's form, an object with `entries`; or JSON lines, an object each.
void read_json_log(std::string_view text, const LogFormat& format, ServoLog& log, LogTable& table);
bool is_json_log(std::string_view text);

/// Reads a trace of servosim.
void read_trace_log(const std::string& text, const LogFormat& format, ServoLog& log,
                    LogTable& table);
bool is_trace_log(std::string_view text);

}  // namespace servosim
