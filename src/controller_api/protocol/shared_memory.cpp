// SPDX-License-Identifier: Apache-2.0
#include "controller_api/protocol/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <utility>

namespace servosim {

namespace {
constexpr int kFixedSize = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
}

std::optional<SharedMemory> SharedMemory::map(int fd, std::size_t size) {
  void* const begin = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  return begin != MAP_FAILED ? std::optional(SharedMemory({static_cast<std::byte*>(begin), size}))
                             : std::nullopt;
}

std::optional<SharedMemory> SharedMemory::make(std::size_t size, Descriptor& descriptor) {
  Descriptor made(::memfd_create("servosim picture", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  // All of it is reserved now: where memory is short later, a write would end the process.
  if (!made || size == 0 || ::fallocate(made.get(), 0, 0, static_cast<off_t>(size)) != 0 ||
      ::fcntl(made.get(), F_ADD_SEALS, kFixedSize) != 0) {
    return std::nullopt;
  }
  std::optional<SharedMemory> memory = map(made.get(), size);
  if (memory) {
    descriptor = std::move(made);
  }
  return memory;
}

std::optional<SharedMemory> SharedMemory::open(const Descriptor& descriptor, std::size_t size) {
  struct stat facts {};
  const int seals = ::fcntl(descriptor.get(), F_GET_SEALS);
  if (seals < 0 || (seals & kFixedSize) != kFixedSize || size == 0 ||
      ::fstat(descriptor.get(), &facts) != 0 || facts.st_size < static_cast<off_t>(size)) {
    return std::nullopt;
  }
  return map(descriptor.get(), size);
}

SharedMemory::SharedMemory(SharedMemory&& other) noexcept
    : bytes_(std::exchange(other.bytes_, {})) {}

SharedMemory& SharedMemory::operator=(SharedMemory&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  return *this;
}

SharedMemory::~SharedMemory() {
  if (!bytes_.empty()) {
    static_cast<void>(::munmap(bytes_.data(), bytes_.size()));
  }
}

}  // namespace servosim
