// SPDX-License-Identifier: Apache-2.0
#include "physics/ode_library.h"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace servosim {

namespace {

// ODE reports what it survives, such as a numerical problem of its LCP solver. Without this it
// would print to the user's terminal.
void on_message(int, const char*, va_list) {}

struct ThreadState {
  bool ready = false;  // ODE has its data of this thread
  bool errors_throw = false;
};

[[gnu::tls_model("initial-exec")]] thread_local ThreadState thread_state;

// ODE ends the process after an error if this returns. Outside a step an error means that something
// reached it unchecked, which is our mistake.
void on_error(int number, const char* message, va_list arguments) {
  if (thread_state.errors_throw) {
    throw OdeStopped{};
  }
  std::fprintf(stderr, "servosim: ODE stopped, please report this (error %d): ", number);
  std::vfprintf(stderr, message, arguments);
  std::fputc('\n', stderr);
  std::abort();
}

void initialise() {
  dInitODE2(0);
  dSetMessageHandler(on_message);
  dSetErrorHandler(on_error);
  dSetDebugHandler(on_error);
}

}  // namespace

void use_ode() {
  static std::once_flag once;
  std::call_once(once, initialise);
  if (!thread_state.ready) {
    dAllocateODEDataForThread(dAllocateMaskAll);
    thread_state.ready = true;
  }
}

OdeErrorsThrow::OdeErrorsThrow() {
  ThreadState& state = thread_state;  // looked up once: it is a function call in a shared library
  if (!state.ready) {
    use_ode();
  }
  state.errors_throw = true;
  flag_ = &state.errors_throw;
}

void keep_for_ever(dThreadingImplementationID threading) {
  static std::mutex mutex;
  static auto& kept = *new std::vector<dThreadingImplementationID>;  // reachable to the end
  const std::lock_guard<std::mutex> lock(mutex);
  kept.push_back(threading);
}

std::mutex& trimesh_mutex() {
  static std::mutex mutex;
  return mutex;
}

}  // namespace servosim
