// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "scene/scene.h"

// What Emitter and Receiver have in common.

namespace servosim {

/// Whether the buffer of an emitter or receiver has room for another packet. Each packet needs 64
/// bytes more than its data.
/// @param spec  has the size of the buffer; kMaxRadioBytes is also a limit
/// @param size  the bytes of the packet
/// @param count  the number of packets in the buffer
/// @param bytes  the bytes of their data
bool fits_buffer(const RadioSpec& spec, std::size_t size, std::size_t count, std::size_t bytes);

}  // namespace servosim
