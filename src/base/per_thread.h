// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

#include <memory>
#include <new>
#include <system_error>

namespace servosim {

/// One object for each thread that asks for it. It lives until that thread or the process ends. It
/// replaces a thread_local with a destructor: if there is no memory for registering the destructor
/// of a thread_local, the C library ends the process without a chance to report it.
///
/// Threads: any, also those that still run while the process exits. An object of this class is
/// static and keeps its key forever for them.
template <typename T>
class PerThread {
 public:
  PerThread() {
    const auto destroy = [](void* object) { delete static_cast<T*>(object); };
    if (const int error = ::pthread_key_create(&key_, destroy); error != 0) {
      throw std::system_error(error, std::generic_category(), "pthread_key_create");
    }
  }
  PerThread(const PerThread&) = delete;
  PerThread& operator=(const PerThread&) = delete;

  /// Returns the object of this thread; the first call makes it. @throws std::bad_alloc
  T& get() {
    void* object = ::pthread_getspecific(key_);
    if (object == nullptr) {
      auto made = std::make_unique<T>();
      if (::pthread_setspecific(key_, made.get()) != 0) {
        throw std::bad_alloc();
      }
      object = made.release();
    }
    return *static_cast<T*>(object);
  }

 private:
  pthread_key_t key_{};
};

}  // namespace servosim
