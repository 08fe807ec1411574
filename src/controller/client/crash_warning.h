// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace servosim {

/// Prints "Warning: text" once more when a signal that means a crash ends the program: what the
/// warning tells may be the cause, and its line may be far above. The first three different
/// texts are kept. A signal for which the program, its language or a sanitizer has a handler stays
/// theirs. The program ends by the signal as without it, with a core at the same place.
///
/// Threads: any.
void repeat_at_crash(const std::string& text) noexcept;

}  // namespace servosim
