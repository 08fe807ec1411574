// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>

// Python's lock, and what becomes of threads when the interpreter ends.
//
// A daemon thread may be at work without the lock when the program ends. Python then ends it by
// pthread_exit() as soon as it asks for the lock, which would unwind C++ frames that cannot be
// unwound. So such a thread rests for ever instead, as with Python from 3.14 on; and the end of the
// program waits, for a moment, until it has come to that.

namespace servosim::python {

/// How many forks led to this process; follow_forks() begins to count.
inline std::uint64_t forks = 0;

/// Python's lock is let go of as long as this lives.
class Unlocked {
 public:
  Unlocked();
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;
  ~Unlocked();

  /// Whether a handler of a signal has raised an exception, which then is pending, or the work is
  /// to end since the program does.
  bool interrupted();
  /// Whether the program ends, and this is not the thread that ends it: work is to end soon.
  static bool is_over();

 private:
  PyThreadState* state_;
  std::uint64_t forks_ = forks;
};

/// Python's lock is held as long as this lives, in any thread; not if the interpreter ends.
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

/// Calls a function of Python with one argument; the lock is held. The thread rests for ever if the
/// interpreter ends meanwhile. What the function raises is written to standard error as of `what`.
void call_or_rest(PyObject* function, PyObject* argument, const char* what);

void follow_forks();

/// For the end of the program, with the lock: other threads come to rest where they let go of it.
/// Waits for them, for 2 s at most. @returns whether all rest
bool stop_threads();

}  // namespace servosim::python
