// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <cstdint>

// Programs that read untrusted input limit themselves by these functions.

namespace servosim {

/// Lets the kernel send `number` to this process when its parent ends, since only the parent reads
/// the result. Returns false if the parent has ended already.
bool end_with_parent(pid_t parent, int number = SIGKILL);

/// Disables core files and limits the address space to `max_bytes`. Builds without
/// SERVOSIM_LIMIT_MEMORY have no such limit, since sanitizers reserve more than there is. Lower
/// limits stay.
void limit_memory(std::uint64_t max_bytes);

/// Returns the private writable memory of this process [bytes]: its data, heap and the like; 0
/// where the system does not tell. It does not work after limit_files().
std::uint64_t used_data();

/// Limits what used_data() counts to `max_bytes`, until the next call. Builds without
/// SERVOSIM_LIMIT_MEMORY have no such limit.
void limit_data(std::uint64_t max_bytes);

/// Lets the kernel end this process with SIGXCPU after `seconds` more of processor time.
void limit_processor_time(unsigned seconds);

/// Limits the total processor time; later calls of limit_processor_time() cannot raise it.
void limit_processor_time_in_all(unsigned seconds);

/// Prevents that any file, socket or pipe is opened from now on, and that any file grows.
void limit_files();

/// Returns `seconds`, or the limit of this process (ulimit -t) if that is lower.
unsigned available_processor_seconds(unsigned seconds);

}  // namespace servosim
