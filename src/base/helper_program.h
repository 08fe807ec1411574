// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>

// What programs of ours that work on foreign input begin with.

namespace servosim {

/// Ends this process when its parent, which alone would read the result, ends. False when it has
/// ended already.
bool end_with(pid_t parent);

/// No core files, and at most that much memory [bytes] where limits of it can be kept: sanitizers
/// reserve more than there is. What a process is held to already stays.
void limit_memory(std::uint64_t most);

/// The kernel ends this process with SIGXCPU when it has used the processor for `seconds` more.
void limit_processor_time(unsigned seconds);

/// The same, however often limit_processor_time() is called.
void limit_processor_time_in_all(unsigned seconds);

/// No file, socket or pipe is opened from here on, and no file grows.
void limit_files();

/// `wanted` [s], or what this process itself is held to (ulimit -t).
unsigned processor_seconds(unsigned wanted);

}  // namespace servosim
