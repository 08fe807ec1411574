// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace servosim {

/// Prints "Warning: text" once more if a signal that means a crash ends the program. The cause may
/// be what the warning says, and its line may be far above. The first three different texts are
/// kept. Where the program, its language or a sanitizer has a handler for a signal, that handler
/// stays. The program ends by the signal as it would without this, with a core at the same place.
///
/// Threads: any.
void repeat_at_crash(const std::string& text) noexcept;

}  // namespace servosim
