// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "physics/contacts/geoms.h"

namespace servosim {

class Bodies;
class ContactSearch;
class Diagnostics;
class KinematicMotion;
class OdeWorld;
struct Scene;

/// Holds the geoms of the colliding shapes of a scene, the spaces that contain them, and the
/// running surfaces of Tracks.
///
/// Invariants: a geom belongs to the body of its Solid, or follows its Solid by KinematicMotion.
/// The space of a branch of the tree contains all its geoms.
///
/// Threads: one at a time for each object.
class SceneGeoms {
 public:
  /// Creates all geoms, and warns about those that are impossible. `search` learns of them. All
  /// references but `diagnostics` must outlive this object. `like` is null or belongs to another
  /// world of the same scene, with which data that never change are shared. @throws OdeFailed,
  /// std::bad_alloc
  SceneGeoms(const Scene& scene, OdeWorld& ode, const Bodies& bodies, KinematicMotion& kinematic,
             ContactSearch& search, Diagnostics& diagnostics, const SceneGeoms* like);
  SceneGeoms(const SceneGeoms&) = delete;
  SceneGeoms& operator=(const SceneGeoms&) = delete;
  ~SceneGeoms();

  /// Returns the space that contains everything.
  dSpaceID space() const { return space_; }
  /// Returns the spaces within space() whose members may collide with each other.
  const std::vector<dSpaceID>& inner_spaces() const { return inner_spaces_; }
  std::vector<Belt>& belts() { return belts_; }
  /// Returns whether contacts are possible at all.
  bool can_collide() const { return can_collide_; }
  /// Notes that an exception has left a ray inside ODE, which then cannot destroy the space.
  void note_locked() { locked_ = true; }

 private:
  struct Branch;
  struct Table;

  /// Returns the data that follow from the scene alone.
  std::shared_ptr<const Table> make_table() const;
  void create_belts();
  void create_geoms(Diagnostics& diagnostics);
  /// Creates a space in `parent`, which is null for the space of the world, for this many members.
  /// @throws OdeFailed
  dSpaceID create_space(dSpaceID parent, std::size_t members) const;
  /// Returns the space for the geoms of a branch, which is new if the branch has several.
  dSpaceID create_space_of(const Branch& branch);
  /// Creates the geoms of a Solid in a space.
  void create_geoms_of(int solid, dSpaceID space, Diagnostics& diagnostics);
  /// Destroys all geoms and spaces.
  void destroy();

  const Scene& scene_;
  OdeWorld& ode_;
  const Bodies& bodies_;
  KinematicMotion& kinematic_;
  ContactSearch& search_;
  std::shared_ptr<const Table> table_;  // never null
  // ODE stores addresses of infos, and infos store addresses of belts, so both lists reserve their
  // memory before the first element is added.
  std::vector<Belt> belts_;
  std::vector<GeomInfo> infos_;
  std::vector<GeomData> data_;  // only of geoms that need any
  dSpaceID space_ = nullptr;
  std::vector<dSpaceID> inner_spaces_;
  bool can_collide_ = false;
  bool locked_ = false;
};

}  // namespace servosim
