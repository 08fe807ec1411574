// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ode/ode.h>

#include <cstdint>
#include <string>
#include <vector>

namespace servosim {

struct Scene;

/// What the near callback must know about a geom; kept as its user data.
struct GeomInfo {
  int robot = -1;    ///< outermost Robot, -1 for none
  int material = 0;  ///< index into the surface table
  int body = -1;     ///< index of its body, -1 for static or kinematic
  int carrier = -1;  ///< index of the body it moves with, its own or a parent's
  dBodyID carrier_id = nullptr;
  bool self_collision = true;  ///< of the robot
  bool anchored = false;       ///< its body has a joint to the world
};

/// Finds the contacts of a scene and turns them into contact joints.
class Contacts {
 public:
  Contacts(dWorldID world, const Scene& scene);
  Contacts(const Contacts&) = delete;
  Contacts& operator=(const Contacts&) = delete;
  ~Contacts();

  /// Index of a contact material in the surface table.
  int material(const std::string& name) const;
  /// Two bodies that never collide, because overlaid hinges link them.
  void exclude(int body_a, int body_b);
  /// Call once when all exclusions are known.
  void finish();

  /// Replaces the contact joints by those of the present poses. `spaces` with collisions inside
  /// are walked on their own.
  void find(dSpaceID top, const std::vector<dSpaceID>& inner);

 private:
  static void near(void* self, dGeomID a, dGeomID b);
  bool may_touch(dGeomID a, dGeomID b) const;
  void add_contacts(dGeomID a, dGeomID b);

  struct Surface {
    dSurfaceParameters parameters;
    int max_joints;
  };
  const Surface& surface(int material_a, int material_b) const;

  static constexpr int kMaxPoints = 100;

  dWorldID world_;
  dJointGroupID group_;
  std::vector<std::string> materials_;
  std::vector<Surface> surfaces_;  // by pair of materials
  std::vector<std::uint64_t> excluded_;
  std::vector<dContactGeom> points_;
};

}  // namespace servosim
