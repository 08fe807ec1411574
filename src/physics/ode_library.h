// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ode/ode.h>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>

#include "base/shortage.h"
#include "servosim/math.h"

// ODE has a state of the whole process. It is initialised once and its handlers are set once, never
// per simulation.

// The results of these functions must be checked, so they are declared again with [[nodiscard]].
[[nodiscard]] decltype(dInitODE2) dInitODE2;
[[nodiscard]] decltype(dAllocateODEDataForThread) dAllocateODEDataForThread;
[[nodiscard]] decltype(dWorldStep) dWorldStep;
[[nodiscard]] decltype(dWorldQuickStep) dWorldQuickStep;
[[nodiscard]] decltype(dWorldSetStepMemoryManager) dWorldSetStepMemoryManager;

namespace servosim {

struct WorldSettings;

/// Initialises ODE once per process, and its collision data once per thread. This must be called in
/// a thread before any other function of ODE. @throws OdeFailed
void use_ode();

/// Returns a mutex of the process. It must be held during dCollide() with a trimesh, since Debian's
/// ODE shares its mesh caches between threads.
std::mutex& trimesh_mutex();

/// An OdeStopped is thrown when ODE cannot continue from its state. Its world can then only be
/// destroyed.
struct OdeStopped {};

/// An OdeFailed is thrown when ODE could not create an object because there is no memory. Its world
/// can then only be destroyed. The text names the object.
class OdeFailed : public Shortage {
 public:
  /// `what` is the object with its article, such as "a body".
  explicit OdeFailed(const char* what);
};

/// Returns `thing`, an object that a function of ODE returned. @throws OdeFailed if it is null,
/// with `what` as its name
template <class Id>
[[nodiscard]] Id made(Id thing, const char* what) {
  if (thing == nullptr) {
    throw OdeFailed(what);
  }
  return thing;
}

/// Holds the result of a step. If it is not done, bodies and joints are unchanged, but the world
/// can only be destroyed.
struct OdeStep {
  bool done = false;
  /// The solver requested this size [bytes]. It is 0 if the solver needed none or ODE failed
  /// before.
  std::size_t asked = 0;
};

/// Holds lower bounds of the numbers of items that ODE lists in a step.
struct OdeCount {
  std::size_t bodies = 0;
  std::size_t joints = 0;  ///< includes contacts
};

/// Takes a step of length `h` [s] of a world from create_ode_world(). `memory_limit` limits the
/// memory of the solver [bytes]; the list of islands comes on top of it. @throws std::bad_alloc if
/// another allocation of ODE fails; the world can then only be destroyed
[[nodiscard]] OdeStep ode_step(dWorldID world, double h, std::size_t memory_limit,
                               const OdeCount& count);

/// Creates a world whose solver gets its memory from ode_step(). @throws OdeFailed, std::bad_alloc
dWorldID create_ode_world();

/// Makes errors of ODE in this thread throw OdeStopped, instead of ending the process, while an
/// object of this class exists. Such objects must not be nested. This is the last resort: input of
/// ODE is checked, but a step can overflow even from valid input. The constructor calls use_ode(),
/// since a simulation may be built in one thread and stepped in another.
class OdeErrorsThrow {
 public:
  OdeErrorsThrow();
  OdeErrorsThrow(const OdeErrorsThrow&) = delete;
  OdeErrorsThrow& operator=(const OdeErrorsThrow&) = delete;
  ~OdeErrorsThrow() { *flag_ = false; }

 private:
  bool* flag_;  // is in the state of this thread
};

/// Keeps the threading implementation of a world whose step ended with OdeStopped, since ODE cannot
/// free it. Threads: any.
void keep_forever(dThreadingImplementationID threading);

/// Converts a vector of ODE, which has four numbers, of which the last is padding.
inline Vec3 to_vec3(const dReal* v) { return {v[0], v[1], v[2]}; }

/// Returns the square of the length of a vector of ODE.
inline double square(const dReal* v) { return v[0] * v[0] + v[1] * v[1] + v[2] * v[2]; }

/// Converts a matrix of ODE, which consists of three rows of four numbers.
inline Mat3 to_mat3(const dReal* r) {
  return {{r[0], r[1], r[2], r[4], r[5], r[6], r[8], r[9], r[10]}};
}

/// Returns the pose of a geom in the world. The geom must not be a plane, which has none. All poses
/// of geoms are read here, which tests/thread_sanitizer.supp relies on.
Pose geom_pose(dGeomID geom);

/// Writes three numbers; the padding of a vector of ODE stays as it is.
inline void to_ode(const Vec3& v, dReal* out) {
  out[0] = v.x;
  out[1] = v.y;
  out[2] = v.z;
}

/// Writes the whole matrix, with its padding.
inline void to_ode(const Mat3& r, dMatrix3 out) {
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      out[4 * i + j] = r(i, j);
    }
    out[4 * i + 3] = 0.0;
  }
}

/// Holds ODE's world of a scene, with the length of its steps, a number that counts changes of its
/// state, and whether it can still be stepped.
///
/// Invariants: revision() never decreases. If an exception has left ODE in the middle of a step or
/// of a search for contacts (is_interrupted()), the world is never stepped again, only destroyed.
/// An overloaded world is interrupted.
///
/// Threads: one at a time for each object. Different worlds may be stepped at the same time.
class OdeWorld {
 public:
  /// `step_memory` limits the solver's memory for one step [bytes], at most kMaxStepMemory; 0 means
  /// default_step_memory(). @throws OdeFailed, std::bad_alloc
  OdeWorld(const WorldSettings& settings, std::size_t step_memory);
  OdeWorld(const OdeWorld&) = delete;
  OdeWorld& operator=(const OdeWorld&) = delete;
  /// The Contacts of this world, whose geoms belong to its bodies, must be destroyed before it.
  ~OdeWorld();

  dWorldID id() const { return id_; }
  double h() const { return h_; }  ///< length of a step [s]
  /// Returns the limit of the solver's memory for one step [bytes].
  std::size_t step_memory() const { return step_memory_; }

  /// Takes a step; see ode_step(). If memory is short, the step is not done. If memory other than
  /// the solver's is short, the world is interrupted, too.
  [[nodiscard]] OdeStep solve(const OdeCount& count);

  /// Returns a number that increases with each step and each change from outside. Results that were
  /// computed at a lower number are stale.
  std::uint64_t revision() const { return revision_; }
  /// This must be called for each change from outside of a step.
  void note_change() { ++revision_; }

  /// Returns whether bodies were moved, fixed or released between steps after the contacts for a
  /// step were found.
  bool contacts_stale() const { return contacts_stale_; }
  void set_contacts_stale(bool stale) { contacts_stale_ = stale; }

  // ---- end of the world

  /// Returns whether the world cannot be stepped any more.
  bool is_over() const { return unstable_solid_ >= 0 || interrupted_; }
  /// Returns whether an exception has left ODE, so that only new components can continue.
  bool is_interrupted() const { return interrupted_; }
  /// Does nothing in a world that is not over. @throws Overloaded, Unstable or OdeFailed, as the
  /// step that ended the world
  void check_not_over() const {
    if (is_over()) {
      throw_reason();
    }
  }
  /// Notes that an exception has left ODE.
  void set_interrupted() { interrupted_ = true; }
  /// Notes that a Solid is out of the range of ODE. The world is over until resume() is called.
  void set_unstable(int solid);
  /// Calls set_unstable(). @throws Unstable
  [[noreturn]] void end_unstable(int solid);
  /// Interrupts the world. @throws Overloaded with this text
  [[noreturn]] void end_overloaded(const std::string& text);
  /// Notes that the state was restored, so an unstable Solid no longer counts. An interrupted world
  /// stays over.
  void resume() { unstable_solid_ = -1; }

  /// Calls `destroy`, which destroys objects of ODE. If ODE was interrupted it may refuse; the
  /// remaining objects then stay, and their memory is not freed.
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
  bool left_in_step_ = false;  // whether ODE may have freed objects to which its world still refers
  int unstable_solid_ = -1;
  std::string overload_;
};

}  // namespace servosim
