// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ode/ode.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "physics/ode_library.h"

namespace servosim {

struct WorldSettings;

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
  /// All geoms of its bodies must have been destroyed.
  ~OdeWorld();

  dWorldID id() const { return id_; }
  double h() const { return h_; }  ///< length of a step [s]
  std::size_t step_memory() const { return step_memory_; }

  /// Takes a step; see ode_step(). Without memory it is not done, and the world is interrupted.
  [[nodiscard]] OdeStep solve(const OdeCount& count);

  /// Grows with each step and each change from outside: what was measured before is then stale.
  std::uint64_t revision() const { return revision_; }
  void note_change() { ++revision_; }

  /// Whether bodies were moved, fixed or released by hand since contacts were found for a step.
  bool contacts_stale() const { return contacts_stale_; }
  void set_contacts_stale(bool stale) { contacts_stale_ = stale; }

  // ---- how it ends

  bool is_over() const { return unstable_solid_ >= 0 || interrupted_ || !overload_.empty(); }
  bool is_interrupted() const { return interrupted_; }
  /// @throws Overloaded, Unstable or OdeFailed, as the step did after which it is over.
  void check_not_over() const;
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
