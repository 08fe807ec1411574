// SPDX-License-Identifier: Apache-2.0
#include "devices/radio_parts.h"

#include "servosim/emitter.h"

namespace servosim {

bool fits_buffer(const RadioSpec& spec, std::size_t size, std::size_t count, std::size_t bytes) {
  constexpr std::size_t kHead = 64;
  const bool asked =
      spec.buffer_size < 0 || (size <= static_cast<std::size_t>(spec.buffer_size) &&
                               bytes + size <= static_cast<std::size_t>(spec.buffer_size));
  return asked && size <= kMaxRadioBytes && bytes + size + kHead * count <= kMaxRadioBytes;
}

}  // namespace servosim
