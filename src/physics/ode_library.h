// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ode/ode.h>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>

#include "base/shortage.h"
#include "servosim/math.h"

// Process-wide facts of ODE: initialised once, handlers set once, never per simulation.

// To ignore one is an error.
[[nodiscard]] decltype(dInitODE2) dInitODE2;
[[nodiscard]] decltype(dAllocateODEDataForThread) dAllocateODEDataForThread;
[[nodiscard]] decltype(dWorldStep) dWorldStep;
[[nodiscard]] decltype(dWorldQuickStep) dWorldQuickStep;
[[nodiscard]] decltype(dWorldSetStepMemoryManager) dWorldSetStepMemoryManager;

namespace servosim {

struct WorldSettings;

/// Initialises ODE, once per process, and the collision data of the calling thread, once per
/// thread.
void use_ode();

/// To be held around dCollide with a trimesh: Debian's ODE shares its mesh caches between threads.
std::mutex& trimesh_mutex();

/// ODE cannot continue from its state; its world can then only be destroyed.
struct OdeStopped {};

/// ODE could not create an object for lack of memory; its world can then only be destroyed. The
/// text names the object.
class OdeFailed : public Shortage {
 public:
  explicit OdeFailed(const char* what);
};

/// Checks an object that a function of ODE returned. @throws OdeFailed for null; `what` names it.
template <class Id>
[[nodiscard]] Id made(Id thing, const char* what) {
  if (thing == nullptr) {
    throw OdeFailed(what);
  }
  return thing;
}

/// The result of a step. After one that is not done, bodies and joints are unchanged, but the world
/// can only be destroyed.
struct OdeStep {
  bool done = false;
  std::size_t asked = 0;  ///< for the solver [bytes]; 0: it needed none, or ODE failed before
};

/// A lower bound of the items that ODE lists in a step.
struct OdeCount {
  std::size_t bodies = 0;
  std::size_t joints = 0;  ///< contacts too
};

/// Takes a step of a world made by create_ode_world(), whose solver may have so many bytes for it,
/// beside the list of what there is.
/// @throws std::bad_alloc for what else ODE allocates; the world can then only be destroyed
[[nodiscard]] OdeStep ode_step(dWorldID world, double h, std::size_t memory_limit,
                               const OdeCount& count);

/// A world whose solver gets its memory from ode_step(). @throws OdeFailed; std::bad_alloc, like
/// all allocations of ODE.
dWorldID create_ode_world();

/// While one exists, ODE's errors in this thread throw OdeStopped instead of ending the process.
/// They are the last resort: input of ODE is checked, but one step can overflow from valid input.
/// Includes use_ode(), since a simulation may be built in one thread and stepped in another.
class OdeErrorsThrow {
 public:
  OdeErrorsThrow();
  OdeErrorsThrow(const OdeErrorsThrow&) = delete;
  OdeErrorsThrow& operator=(const OdeErrorsThrow&) = delete;
  ~OdeErrorsThrow() { *flag_ = false; }

 private:
  bool* flag_;  // of this thread
};

/// For a threading implementation whose step was left by OdeStopped: ODE cannot free it.
void keep_forever(dThreadingImplementationID threading);

inline Vec3 to_vec3(const dReal* v) { return {v[0], v[1], v[2]}; }

inline Mat3 to_mat3(const dReal* r) {
  return {{r[0], r[1], r[2], r[4], r[5], r[6], r[8], r[9], r[10]}};
}

/// The pose of a geom in the world. Not for planes. All reads of poses of geoms are here, and
/// tests/thread_sanitizer.supp names it.
Pose geom_pose(dGeomID geom);

inline void to_ode(const Vec3& v, dReal* out) {
  out[0] = v.x;
  out[1] = v.y;
  out[2] = v.z;
}

inline void to_ode(const Mat3& r, dMatrix3 out) {
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      out[4 * i + j] = r(i, j);
    }
    out[4 * i + 3] = 0.0;
  }
}

/// ODE's world of a scene: the length of its steps, how often its state has changed, and whether it
/// can still be stepped.
///
/// Invariants: revision() never falls. A world that ODE has left in the middle of a step or of a
/// search for contacts (is_interrupted()) is never stepped again, only destroyed; an overloaded one
/// is interrupted.
class OdeWorld {
 public:
  /// `step_memory`: of the solver, for one step [bytes]; 0: default_step_memory().
  OdeWorld(const WorldSettings& settings, std::size_t step_memory);
  OdeWorld(const OdeWorld&) = delete;
  OdeWorld& operator=(const OdeWorld&) = delete;
  /// Contacts, which has the geoms of its bodies, must have been destroyed.
  ~OdeWorld();

  dWorldID id() const { return id_; }
  double h() const { return h_; }  ///< length of a step [s]
  std::size_t step_memory() const { return step_memory_; }

  /// Takes a step; see ode_step(). Without memory it is not done, and the world is interrupted.
  [[nodiscard]] OdeStep solve(const OdeCount& count);

  /// Grows with each step and each change from outside: what was measured before is then stale.
  std::uint64_t revision() const { return revision_; }
  void note_change() { ++revision_; }

  /// Whether bodies were moved, fixed or released between steps since contacts were found for a
  /// step.
  bool contacts_stale() const { return contacts_stale_; }
  void set_contacts_stale(bool stale) { contacts_stale_ = stale; }

  // ---- its end

  bool is_over() const { return unstable_solid_ >= 0 || interrupted_; }
  bool is_interrupted() const { return interrupted_; }
  /// @throws Overloaded, Unstable or OdeFailed, as the step did after which it is over.
  void check_not_over() const {
    if (is_over()) {
      throw_reason();
    }
  }
  /// An exception has left ODE.
  void set_interrupted() { interrupted_ = true; }
  /// A Solid is beyond what ODE can take.
  void set_unstable(int solid);
  [[noreturn]] void end_unstable(int solid);                  ///< @throws Unstable
  [[noreturn]] void end_overloaded(const std::string& text);  ///< @throws Overloaded
  /// Its state was restored: what was unstable is no longer.
  void resume() { unstable_solid_ = -1; }

  /// Destroys something of ODE. An interrupted ODE may refuse: then the rest of it stays.
  template <typename Destroy>
  void take_apart(Destroy destroy) const {
    if (!interrupted_) {
      destroy();
      return;
    }
    const OdeErrorsThrow guard;
    try {
      destroy();
    } catch (const OdeStopped&) {
    }
  }

 private:
  [[noreturn]] void throw_reason() const;

  dWorldID id_;
  dThreadingImplementationID threading_;
  double h_;
  std::size_t step_memory_;
  std::uint64_t revision_ = 1;
  bool contacts_stale_ = true;
  bool interrupted_ = false;
  bool left_in_step_ = false;  // ODE may have freed what its world still refers to
  int unstable_solid_ = -1;
  std::string overload_;
};

}  // namespace servosim
