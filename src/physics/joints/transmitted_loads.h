// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "physics/rows/joint_rows.h"

namespace servosim {

class Bodies;
class Joints;
class SolidPoses;
struct Scene;
struct SceneMatch;

/// What the Solids of Scene::measured_solids pass on to what carries them, for force-torque
/// sensors. The solvers and joints fill the ChildLoads of their rows. Solids that are fixed have
/// theirs in Attachments.
///
/// Threads: one at a time, with its world.
class TransmittedLoads {
 public:
  /// All arguments must outlive this object.
  TransmittedLoads(const Scene& scene, const Bodies& bodies, const SolidPoses& poses);
  TransmittedLoads(const TransmittedLoads&) = delete;
  TransmittedLoads& operator=(const TransmittedLoads&) = delete;

  /// Lets the rows of the joints point here. Both keep their addresses from then on.
  void attach_to(Joints& joints);
  /// Says that a step finds forces in the middle of its motion, not at its start.
  void set_at_middle(bool at_middle) { at_middle_ = at_middle; }
  /// Must be called before the joints add forces to bodies for a step.
  void begin_step();
  /// Returns what a measured Solid that a joint carries has passed on in the last step, in the
  /// Solid's axes and about its origin.
  Wrench of(int solid) const;
  /// Returns the same for a measured Solid that is fixed. `passed` is what it has passed on, about
  /// its centre of mass and in the world's axes.
  Wrench of_fixed(int solid, const Wrench& passed) const;

  /// Takes over the loads of the world before an edit.
  void restore_from(const TransmittedLoads& before, const SceneMatch& match);
  /// Reads or writes the loads. They are not hashed, since no later step depends on them.
  template <class Archive>
  void archive(Archive& archive) {
    for (ChildLoad& load : loads_) {
      archive.unhashed(load);
    }
  }

 private:
  // Returns the index of a Solid in Scene::measured_solids, or -1.
  int find(int solid) const;

  const Scene& scene_;
  const Bodies& bodies_;
  const SolidPoses& poses_;
  std::vector<ChildLoad> loads_;  // of Scene::measured_solids
  bool at_middle_ = false;
};

}  // namespace servosim
