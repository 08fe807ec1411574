// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace servosim {

/// FNV-1a, 64 bits: for recognising equal contents, not against an adversary.
class Fnv1a {
 public:
  Fnv1a& add(std::string_view bytes) {
    for (const char byte : bytes) {
      value_ = (value_ ^ static_cast<unsigned char>(byte)) * 0x100000001b3u;
    }
    return *this;
  }
  /// The bits of a number: −0 and 0 differ.
  Fnv1a& add(double number) {
    char bytes[sizeof number];
    std::memcpy(bytes, &number, sizeof number);
    return add(std::string_view(bytes, sizeof number));
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325u;
};

}  // namespace servosim
