// SPDX-License-Identifier: Apache-2.0
#include "physics/ode_world.h"

#include <algorithm>
#include <new>

#include "base/assert.h"
#include "physics/physics_world.h"
#include "physics/step_memory.h"
#include "scene/scene.h"

namespace servosim {

namespace {

constexpr double kMaxAngularSpeed = 1e4;  // [rad/s], Webots'

}  // namespace

// ODE's default threading is one object of the whole process: two worlds in two threads crash.
OdeWorld::OdeWorld(const WorldSettings& w, std::size_t step_memory)
    : id_(create_ode_world()),
      threading_(made(dThreadingAllocateSelfThreadedImplementation(), "the threading of a world")),
      h_(w.basic_time_step_ms / 1000.0),
      step_memory_(step_memory > 0 ? std::min(step_memory, kMostStepMemory)
                                   : default_step_memory()) {
  dWorldSetStepThreadingImplementation(id_, dThreadingImplementationGetFunctions(threading_),
                                       threading_);
  dWorldSetGravity(id_, w.gravity.x, w.gravity.y, w.gravity.z);
  dWorldSetERP(id_, w.erp);
  dWorldSetCFM(id_, w.cfm);
  dWorldSetMaxAngularSpeed(id_, kMaxAngularSpeed);
  dWorldSetDamping(id_, 0.0, 0.0);
  dWorldSetLinearDampingThreshold(id_, 0.0);
  dWorldSetAngularDampingThreshold(id_, 0.0);
  dWorldSetAutoDisableFlag(id_, 0);
}

OdeWorld::~OdeWorld() {
  if (!left_in_step_) {
    take_apart([this] { dWorldDestroy(id_); });
  }
  interrupted_ ? keep_for_ever(threading_) : dThreadingFreeImplementation(threading_);
}

OdeStep OdeWorld::solve(const OdeCount& count) {
  SERVOSIM_ASSERT(!interrupted_, "a step of a world that is over: {}", overload_);
  try {
    return ode_step(id_, h_, step_memory_, count);
  } catch (const std::bad_alloc&) {  // for something small
    interrupted_ = left_in_step_ = true;
    return {};
  }
}

void OdeWorld::check_not_over() const {
  if (!overload_.empty()) {
    throw Overloaded(overload_);
  }
  if (unstable_solid_ >= 0) {
    throw Unstable(unstable_solid_);
  }
  if (interrupted_) {
    throw OdeFailed("a step after one that failed");
  }
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
