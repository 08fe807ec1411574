// SPDX-License-Identifier: Apache-2.0
#include "physics/ode_library.h"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "physics/ode_cylinder_plane.h"

namespace servosim {

namespace {

// ODE reports what it survives, such as a numerical problem of its LCP solver. Without this it
// would print to the user's terminal.
void on_message(int, const char*, va_list) {}

thread_local bool errors_throw = false;

// ODE ends the process after an error if this returns. Outside a step an error means that something
// reached it unchecked, which is our mistake.
void on_error(int number, const char* message, va_list arguments) {
  if (errors_throw) {
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
  dSetColliderOverride(dCylinderClass, dPlaneClass, collide_cylinder_plane);
}

}  // namespace

void use_ode() {
  thread_local bool ready = false;
  if (ready) {
    return;
  }
  static std::once_flag once;
  std::call_once(once, initialise);
  dAllocateODEDataForThread(dAllocateMaskAll);
  ready = true;
}

OdeErrorsThrow::OdeErrorsThrow() { errors_throw = true; }
OdeErrorsThrow::~OdeErrorsThrow() { errors_throw = false; }

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
