// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

#include <memory>
#include <new>
#include <system_error>

namespace servosim {

/// An object for each thread that asks for one, which lives until that thread ends, or until the
/// process does. It takes the place of a thread_local with a destructor: where the memory for
/// registering one is lacking, the C library ends the process, without a chance to say so.
///
/// Threads: any, also those that still run while the process exits: for them an object of this
/// class, which is static, keeps its key for ever.
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

  /// The object of this thread, which the first call makes. @throws std::bad_alloc
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
