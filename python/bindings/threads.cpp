// SPDX-License-Identifier: Apache-2.0
#include "threads.h"

#include <cxxabi.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace servosim::python {

namespace {

std::atomic<bool> ending = false;
std::atomic<std::thread::id> ending_thread;
std::atomic<int> without_lock = 0;  // the number of Unlocked objects in this process

[[noreturn]] void rest() {
  for (;;) {
    ::pause();
  }
}

void lock_again(PyThreadState* state) {
  try {
    PyEval_RestoreThread(state);
  } catch (abi::__forced_unwind&) {
    rest();
  }
}

bool is_finalizing() {
#if PY_VERSION_HEX >= 0x030D0000
  return Py_IsFinalizing() != 0;
#else
  return _Py_IsFinalizing() != 0;
#endif
}

}  // namespace

Unlocked::Unlocked() {
  ++without_lock;
  state_ = PyEval_SaveThread();
}

Unlocked::~Unlocked() {
  if (forks_ == forks) {
    --without_lock;
  }
  if (is_over()) {
    rest();
  }
  lock_again(state_);
}

bool Unlocked::is_over() { return ending && ending_thread.load() != std::this_thread::get_id(); }

bool Unlocked::interrupted() {
  if (is_over()) {
    return true;
  }
  lock_again(state_);
  const bool raised = PyErr_CheckSignals() != 0;
  state_ = PyEval_SaveThread();
  return raised;
}

Locked::Locked() {
  if (Py_IsInitialized() == 0 || is_finalizing() || Unlocked::is_over()) {
    return;
  }
  try {
    state_ = PyGILState_Ensure();
    held_ = true;
  } catch (abi::__forced_unwind&) {
    rest();
  }
}

Locked::~Locked() {
  if (held_) {
    PyGILState_Release(state_);
  }
}

void call_or_rest(PyObject* function, PyObject* argument, const char* what) {
  try {
    PyObject* const result = PyObject_CallFunctionObjArgs(function, argument, nullptr);
    if (result == nullptr) {
      const py::str where(what);
      PyErr_WriteUnraisable(where.ptr());
    }
    Py_XDECREF(result);
  } catch (abi::__forced_unwind&) {  // during the call, or while the error is written
    rest();
  }
}

// A forked process has only the thread that forks.
void follow_forks() {
  ::pthread_atfork(nullptr, nullptr, [] {
    ++forks;
    without_lock = 0;
  });
}

bool stop_threads() {
  constexpr std::chrono::seconds kMost{2};
  constexpr std::chrono::milliseconds kPause{1};
  ending_thread = std::this_thread::get_id();
  ending = true;
  PyThreadState* const state = PyEval_SaveThread();
  const auto last = std::chrono::steady_clock::now() + kMost;
  while (without_lock > 0 && std::chrono::steady_clock::now() < last) {
    std::this_thread::sleep_for(kPause);
  }
  PyEval_RestoreThread(state);
  return without_lock == 0;
}

}  // namespace servosim::python
