// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

namespace servosim {

/// Checks an index that came from outside, and returns it.
/// @param what  what it numbers, for the message
/// @param index  the index
/// @param count  the number of items
/// @throws std::out_of_range if there is no such item, for example "joint 99 of 15"
inline std::size_t checked_index(const char* what, int index, std::size_t count) {
  if (index < 0 || static_cast<std::size_t>(index) >= count) {
    throw std::out_of_range(std::string(what) + ' ' + std::to_string(index) + " of " +
                            std::to_string(count));
  }
  return static_cast<std::size_t>(index);
}

}  // namespace servosim
