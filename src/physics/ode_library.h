// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ode/ode.h>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>

#include "base/shortage.h"
#include "servosim/math.h"

// ODE's state of the process is initialised once and its handlers are set once, never per
// simulation.

// The results of these functions must be checked.
[[nodiscard]] decltype(dInitODE2) dInitODE2;
[[nodiscard]] decltype(dAllocateODEDataForThread) dAllocateODEDataForThread;
[[nodiscard]] decltype(dWorldStep) dWorldStep;
[[nodiscard]] decltype(dWorldQuickStep) dWorldQuickStep;
[[nodiscard]] decltype(dWorldSetStepMemoryManager) dWorldSetStepMemoryManager;

namespace servosim {

struct WorldSettings;

/// Initialises ODE once per process, and the collision data once per thread.
void use_ode();

/// Must be held during dCollide with a trimesh, since Debian's ODE shares its mesh caches between
/// threads.
std::mutex& trimesh_mutex();

/// ODE cannot continue from its state. Its world can then only be destroyed.
struct OdeStopped {};

/// ODE could not create an object because there is no memory. Its world can then only be destroyed.
/// The text names the object.
class OdeFailed : public Shortage {
 public:
  explicit OdeFailed(const char* what);
};

/// Checks an object that a function of ODE returned. @throws OdeFailed if it is null; `what` names
/// it
template <class Id>
[[nodiscard]] Id made(Id thing, const char* what) {
  if (thing == nullptr) {
    throw OdeFailed(what);
  }
  return thing;
}

/// The result of a step. If it is not done, bodies and joints are unchanged, but the world can only
/// be destroyed.
struct OdeStep {
  bool done = false;
  /// Size that the solver requested [bytes]; 0 if it needed none or ODE failed before.
  std::size_t asked = 0;
};

/// A lower bound of the number of items that ODE lists in a step.
struct OdeCount {
  std::size_t bodies = 0;
  std::size_t joints = 0;  ///< includes contacts
};

/// Takes a step of a world from create_ode_world(). `memory_limit` limits the memory of the solver
/// [bytes]; the list of islands comes on top of it.
/// @throws std::bad_alloc if another allocation of ODE fails; the world can then only be destroyed
[[nodiscard]] OdeStep ode_step(dWorldID world, double h, std::size_t memory_limit,
                               const OdeCount& count);

/// Creates a world whose solver gets its memory from ode_step(). @throws OdeFailed, std::bad_alloc
dWorldID create_ode_world();

/// While an object of this class exists, errors of ODE in this thread throw OdeStopped and do not
/// end the process. This is the last resort: input of ODE is checked, but a step can overflow even
/// from valid input. The constructor calls use_ode(), since a simulation may be built in one thread
/// and stepped in another.
class OdeErrorsThrow {
 public:
  OdeErrorsThrow();
  OdeErrorsThrow(const OdeErrorsThrow&) = delete;
  OdeErrorsThrow& operator=(const OdeErrorsThrow&) = delete;
  ~OdeErrorsThrow() { *flag_ = false; }

 private:
  bool* flag_;  // is in this thread's state
};

/// Keeps a threading implementation whose step ended with OdeStopped, since ODE cannot free it.
void keep_forever(dThreadingImplementationID threading);

/// ODE's vectors have four numbers, of which the last is padding. Its matrices consist of three
/// such rows.
inline Vec3 to_vec3(const dReal* v) { return {v[0], v[1], v[2]}; }

inline Mat3 to_mat3(const dReal* r) {
  return {{r[0], r[1], r[2], r[4], r[5], r[6], r[8], r[9], r[10]}};
}

/// Returns the pose of a geom in the world; planes have none. All poses of geoms are read here,
/// which tests/thread_sanitizer.supp relies on.
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

/// ODE's world of a scene: the length of its steps, a number that counts changes of its state, and
/// whether it can still be stepped.
///
/// Invariants: revision() never decreases. If an exception has left ODE in the middle of a step or
/// of a search for contacts (is_interrupted()), the world is never stepped again, only destroyed.
/// An overloaded world is interrupted.
class OdeWorld {
 public:
  /// `step_memory` limits the solver's memory for one step [bytes]; 0 means default_step_memory().
  OdeWorld(const WorldSettings& settings, std::size_t step_memory);
  OdeWorld(const OdeWorld&) = delete;
  OdeWorld& operator=(const OdeWorld&) = delete;
  /// The Contacts of this world, whose geoms belong to its bodies, must be destroyed before.
  ~OdeWorld();

  dWorldID id() const { return id_; }
  double h() const { return h_; }  ///< length of a step [s]
  std::size_t step_memory() const { return step_memory_; }

  /// Takes a step; see ode_step(). If memory is short, the step is not done and the world is
  /// interrupted.
  [[nodiscard]] OdeStep solve(const OdeCount& count);

  /// Increases with each step and each change from outside, after which earlier results are stale.
  std::uint64_t revision() const { return revision_; }
  /// Must be called for each change from outside of a step.
  void note_change() { ++revision_; }

  /// Whether bodies were moved, fixed or released between steps after the contacts for a step were
  /// found.
  bool contacts_stale() const { return contacts_stale_; }
  void set_contacts_stale(bool stale) { contacts_stale_ = stale; }

  // ---- end of the world

  bool is_over() const { return unstable_solid_ >= 0 || interrupted_; }
  bool is_interrupted() const { return interrupted_; }
  /// @throws Overloaded, Unstable or OdeFailed, as the step that ended the world
  void check_not_over() const {
    if (is_over()) {
      throw_reason();
    }
  }
  /// Notes that an exception has left ODE.
  void set_interrupted() { interrupted_ = true; }
  /// Notes that a Solid is out of the range of ODE.
  /// The world is over until resume() is called.
  void set_unstable(int solid);
  [[noreturn]] void end_unstable(int solid);                  ///< @throws Unstable
  [[noreturn]] void end_overloaded(const std::string& text);  ///< @throws Overloaded
  /// Notes that the state was restored, so an unstable Solid no longer counts.
  void resume() { unstable_solid_ = -1; }

  /// Destroys objects of ODE. If ODE was interrupted it may refuse; the remaining objects then
  /// stay.
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
  bool left_in_step_ = false;  // ODE may have freed objects to which its world still refers
  int unstable_solid_ = -1;
  std::string overload_;
};

}  // namespace servosim
