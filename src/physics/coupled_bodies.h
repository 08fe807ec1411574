// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "physics/solver_counts.h"

struct dxBody;  // ODE's dBodyID is a pointer to this

namespace servosim {

class Notices;
struct CouplingRows;
struct Scene;

/// Makes the bodies of coupled joints fall asleep and wake together, since ODE does not know that
/// couplings connect them. A group has the bodies of couplings that share some.
///
/// Threads: one at a time for each object.
class CoupledBodies {
 public:
  /// `notices` may be null. The scene and they must outlive this object.
  CoupledBodies(const Scene& scene, std::span<const CouplingRows> couplings, Notices* notices);

  /// Wakes groups some of whose bodies are awake. Must be called before joints add their forces.
  void wake() const;
  /// Keeps bodies awake in whose group another one has not rested. Must be called when
  /// BodySleep::find_rested() has found bodies, and those at work are awake.
  void keep_awake() const;
  /// Reports that an island, which begins with a Solid, moves without its couplings, and why ODE
  /// solves it.
  void report_free(int solid, OdeReason why) const;

 private:
  const Scene& scene_;
  Notices* notices_;
  std::vector<std::vector<dxBody*>> groups_;  // none is empty
};

}  // namespace servosim
