// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "base/scoped.h"

namespace servosim {

/// Memory of two processes of this machine. Its size never changes, so that neither can take it
/// from the other.
///
/// Threads: one at a time.
class SharedMemory {
 public:
  /// Makes memory; nothing if the system has no memory or no descriptor left. The other process
  /// gets `descriptor`.
  static std::optional<SharedMemory> make(std::size_t size, Descriptor& descriptor);
  /// Opens memory that another process has made; nothing if it is smaller than `size`, or not made
  /// by make().
  static std::optional<SharedMemory> open(const Descriptor& descriptor, std::size_t size);
  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory& operator=(SharedMemory&& other) noexcept;
  ~SharedMemory();

  std::span<std::byte> bytes() const { return bytes_; }

 private:
  explicit SharedMemory(std::span<std::byte> bytes) : bytes_(bytes) {}
  static std::optional<SharedMemory> map(int fd, std::size_t size);

  std::span<std::byte> bytes_;
};

}  // namespace servosim
