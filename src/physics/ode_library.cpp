// SPDX-License-Identifier: Apache-2.0
#include "physics/ode_library.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <vector>

#include "base/assert.h"
#include "physics/physics_world.h"
#include "physics/step_memory.h"
#include "scene/scene.h"

namespace servosim {

namespace {

// ODE reports errors after which it continues, such as a numerical problem of its LCP solver.
// Without this handler it would print them to the terminal.
void on_message(int, const char*, va_list) {}

// ODE's callbacks have no argument for data, so they read the state of their thread.
struct ThreadState {
  bool ready = false;  // whether ODE's data of this thread exist
  bool errors_throw = false;
  std::size_t step_memory_limit = 0;  // limit of the solver's memory [bytes]
  std::size_t list_memory = 0;        // limit for the list of islands [bytes]
  std::size_t step_memory_asked = 0;  // the last request [bytes]
};

// With this model of thread-local storage an access needs no function call.
[[gnu::tls_model("initial-exec")]] thread_local ThreadState thread_state;

// If this returned, ODE would end the process. An error outside of a step means that an unchecked
// value has reached ODE, which is an error of servosim.
void on_error(int number, const char* message, va_list arguments) {
  if (thread_state.errors_throw) {
    throw OdeStopped{};
  }
  std::fprintf(stderr, "servosim: ODE stopped, please report this (error %d): ", number);
  std::vfprintf(stderr, message, arguments);
  std::fputc('\n', stderr);
  std::abort();
}

// Fails in the same way as operator new, which calls the new-handler before it throws.
[[noreturn]] void* fail_to_allocate() {
  if (const std::new_handler handler = std::get_new_handler()) {
    handler();
  }
  throw std::bad_alloc();
}

// Never returns null, since ODE does not check the pointer.
void* allocate(dsizeint size) {
  void* const block = std::malloc(size);
  return block != nullptr ? block : fail_to_allocate();
}

void* reallocate(void* block, dsizeint, dsizeint size) {
  void* const moved = std::realloc(block, size);
  return moved != nullptr ? moved : fail_to_allocate();
}

void release(void* block, dsizeint) { std::free(block); }

// Returns the limit for the list of islands [bytes]. ODE makes this list first, and crashes without
// it. It takes 16 bytes for a body, 8 for a joint and 8 for each of the rarer of the two, and at
// least 65,536.
std::size_t list_memory(const OdeCount& count) {
  return 1'000'000 + 32 * count.bodies + 16 * count.joints;
}

// Allocates the solver's own memory. If this returns null, dWorldStep() fails. At that time ODE has
// summed up the rows of the largest island. A null for the list of islands would be a crash, so a
// shortage there throws.
void* allocate_for_step(dsizeint size) {
  ThreadState& state = thread_state;
  state.step_memory_asked = size;
  if (size > state.step_memory_limit) {
    return nullptr;
  }
  void* const block = std::malloc(size);
  return block != nullptr || size > state.list_memory ? block : fail_to_allocate();
}

// A block that cannot be shrunk may stay as it is.
void* shrink_for_step(void* block, dsizeint, dsizeint size) {
  void* const moved = std::realloc(block, size);
  return moved != nullptr ? moved : block;
}

// The handlers must be set before ODE allocates anything, since a block must be freed by the
// function that belongs to its allocator.
void initialise() {
  dSetAllocHandler(allocate);
  dSetReallocHandler(reallocate);
  dSetFreeHandler(release);
  if (dInitODE2(0) == 0) {
    throw OdeFailed("its own start");
  }
  dSetMessageHandler(on_message);
  dSetErrorHandler(on_error);
  dSetDebugHandler(on_error);
}

}  // namespace

OdeFailed::OdeFailed(const char* what)
    : Shortage(ENOMEM, fmt::format("the physics engine, ODE, cannot make {}", what)) {}

// The check of the thread's state comes after call_once(), which makes sure that another thread has
// finished the initialisation.
void use_ode() {
  static std::once_flag once;
  std::call_once(once, initialise);
  if (!thread_state.ready) {
    if (dAllocateODEDataForThread(dAllocateMaskAll) == 0) {
      throw OdeFailed("the data of a thread");
    }
    thread_state.ready = true;
  }
}

// The flag is that of this thread, so simulations in other threads are not affected.
OdeErrorsThrow::OdeErrorsThrow() {
  ThreadState& state = thread_state;  // read once, since it is a function call in a shared library
  if (!state.ready) {
    use_ode();
  }
  state.errors_throw = true;
  flag_ = &state.errors_throw;
}

// dWorldStep() calls allocate_for_step() in this thread, which reads these limits.
OdeStep ode_step(dWorldID world, double h, std::size_t memory_limit, const OdeCount& count) {
  ThreadState& state = thread_state;
  state.list_memory = list_memory(count);
  state.step_memory_limit = std::max(memory_limit, state.list_memory);
  state.step_memory_asked = 0;
  const bool done = dWorldStep(world, h) != 0;
  return {done, state.step_memory_asked};
}

// ODE would otherwise use its own allocator for steps, which has no limit.
dWorldID create_ode_world() {
  const dWorldID world = made(dWorldCreate(), "a world");
  const dWorldStepMemoryFunctionsInfo functions{sizeof(functions), allocate_for_step,
                                                shrink_for_step, release};
  if (dWorldSetStepMemoryManager(world, &functions) == 0) {
    dWorldDestroy(world);
    throw OdeFailed("the memory of its steps");
  }
  return world;
}

// This must not be inlined, because the suppressions of ThreadSanitizer name it.
[[gnu::noinline]] Pose geom_pose(dGeomID geom) {
  return {to_mat3(dGeomGetRotation(geom)), to_vec3(dGeomGetPosition(geom))};
}

void keep_forever(dThreadingImplementationID threading) {
  static std::mutex mutex;
  // The list is reachable until the process ends, so leak checkers do not report it.
  static auto& kept = *new std::vector<dThreadingImplementationID>;
  const std::lock_guard<std::mutex> lock(mutex);
  kept.push_back(threading);
}

std::mutex& trimesh_mutex() {
  static std::mutex mutex;
  return mutex;
}

namespace {

constexpr double kMaxAngularSpeed = 1e4;  // Webots' limit of |ω| [rad/s]

}  // namespace

// Each world has a threading implementation of its own. ODE's default is one object per process,
// with which two worlds in two threads crash.
OdeWorld::OdeWorld(const WorldSettings& w, std::size_t step_memory)
    : id_(create_ode_world()),
      threading_(made(dThreadingAllocateSelfThreadedImplementation(), "the threading of a world")),
      h_(w.basic_time_step_ms / 1000.0),
      step_memory_(step_memory > 0 ? std::min(step_memory, kMaxStepMemory)
                                   : default_step_memory()) {
  dWorldSetStepThreadingImplementation(id_, dThreadingImplementationGetFunctions(threading_),
                                       threading_);
  dWorldSetGravity(id_, w.gravity.x, w.gravity.y, w.gravity.z);
  dWorldSetERP(id_, w.erp);
  dWorldSetCFM(id_, w.cfm);
  dWorldSetMaxAngularSpeed(id_, kMaxAngularSpeed);
  // Bodies sets the damping of each body, and SleepRule takes the place of ODE's automatic
  // disabling.
  dWorldSetDamping(id_, 0.0, 0.0);
  dWorldSetLinearDampingThreshold(id_, 0.0);
  dWorldSetAngularDampingThreshold(id_, 0.0);
  dWorldSetAutoDisableFlag(id_, 0);
  // Otherwise each body would get memory for samples.
  dWorldSetAutoDisableAverageSamplesCount(id_, 0);
}

// ODE cannot destroy a world that it has left in the middle of a step, so the memory of such a
// world is never freed.
OdeWorld::~OdeWorld() {
  if (!left_in_step_) {
    take_apart([this] { dWorldDestroy(id_); });
  }
  interrupted_ ? keep_forever(threading_) : dThreadingFreeImplementation(threading_);
}

// dWorldStep() returns false if its memory manager returns null. std::bad_alloc comes from other
// allocations in the middle of the step, after which ODE's lists are not consistent.
OdeStep OdeWorld::solve(const OdeCount& count) {
  SERVOSIM_ASSERT(!interrupted_, "a step of a world that is over: {}", overload_);
  try {
    return ode_step(id_, h_, step_memory_, count);
  } catch (const std::bad_alloc&) {  // a small allocation failed
    interrupted_ = left_in_step_ = true;
    return {};
  }
}

// This throws again what ended the world, so each later call fails for the same reason.
void OdeWorld::throw_reason() const {
  if (!overload_.empty()) {
    throw Overloaded(overload_);
  }
  if (unstable_solid_ >= 0) {
    throw Unstable(unstable_solid_);
  }
  throw OdeFailed("a step after one that failed");
}

void OdeWorld::set_unstable(int solid) {
  SERVOSIM_ASSERT(solid >= 0, "Solid {}", solid);
  unstable_solid_ = solid;
}

void OdeWorld::end_unstable(int solid) {
  set_unstable(solid);
  throw Unstable(solid);
}

void OdeWorld::end_overloaded(const std::string& text) {
  interrupted_ = true;
  overload_ = text;
  throw Overloaded(overload_);
}

}  // namespace servosim
