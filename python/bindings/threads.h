// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>

// Python's lock, and what happens to threads when the interpreter ends.
//
// A daemon thread may be at work without the lock when the program ends. As soon as it asks for the
// lock, Python ends it by pthread_exit(), which would unwind C++ frames that cannot be unwound.
// Such a thread therefore sleeps for ever instead, as with Python 3.14 and later. The end of the
// program waits a moment until the thread has reached that point.

namespace servosim::python {

/// How many forks led to this process; follow_forks() begins to count.
inline std::uint64_t forks = 0;

/// Releases Python's lock as long as it exists.
class Unlocked {
 public:
  Unlocked();
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;
  ~Unlocked();

  /// Whether the work must end, since the program ends, or a handler of a signal has raised an
  /// exception, which is then pending.
  bool interrupted();
  /// Whether the program ends and this is not the thread that ends it. Work must then end soon.
  static bool is_over();

 private:
  PyThreadState* state_;
  std::uint64_t forks_ = forks;
};

/// Holds Python's lock as long as it exists, in any thread; not if the interpreter ends.
class Locked {
 public:
  Locked();
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;
  ~Locked();
  explicit operator bool() const { return held_; }

 private:
  PyGILState_STATE state_{};
  bool held_ = false;
};

/// Calls a function of Python with one argument, with the lock held. If the interpreter ends
/// meanwhile, the thread sleeps for ever. An exception of the function is written to standard error
/// under the name `what`.
void call_or_rest(PyObject* function, PyObject* argument, const char* what);

void follow_forks();

/// Called at the end of the program with the lock held. Other threads go to sleep where they
/// release it; the call waits for them for at most 2 s. @returns whether all of them sleep
bool stop_threads();

}  // namespace servosim::python
