// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <cstdint>

// How the programs that read untrusted input limit themselves.

namespace servosim {

/// The kernel sends this process `number` when its parent ends, which alone reads the result. False
/// if the parent has ended already.
bool end_with_parent(pid_t parent, int number = SIGKILL);

/// No core files and at most `max_bytes` of address space, without SERVOSIM_LIMIT_MEMORY no limit
/// of it: sanitizers reserve more than there is. Lower limits stay.
void limit_memory(std::uint64_t max_bytes);

/// The private memory of this process that it may write to [bytes]: its data, heap and the like.
/// Not after limit_files(). 0 where the system does not tell.
std::uint64_t used_data();

/// At most `max_bytes` of what used_data() counts, until the next call. Without
/// SERVOSIM_LIMIT_MEMORY no limit.
void limit_data(std::uint64_t max_bytes);

/// The kernel ends this process with SIGXCPU after `seconds` more of processor time.
void limit_processor_time(unsigned seconds);

/// The same as a total, which later calls of limit_processor_time() cannot raise.
void limit_processor_time_in_all(unsigned seconds);

/// From now on no file, socket or pipe can be opened, and no file grows.
void limit_files();

/// `seconds`, or the limit of this process (ulimit -t) if that is lower.
unsigned available_processor_seconds(unsigned seconds);

}  // namespace servosim
