// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "physics/contacts/colliders.h"
#include "physics/ode_library.h"

// Geoms without a world or a simulation.

namespace servosim::test {

class ColliderTest : public testing::Test {
 protected:
  ColliderTest() { use_ode(); }
  ~ColliderTest() override {
    for (const dGeomID geom : geoms_) {
      dGeomDestroy(geom);
    }
  }

  dGeomID at(dGeomID geom, const Pose& pose) {
    geoms_.push_back(geom);
    dMatrix3 r;
    to_ode(pose.rotation, r);
    dGeomSetRotation(geom, r);
    dGeomSetPosition(geom, pose.translation.x, pose.translation.y, pose.translation.z);
    return geom;
  }
  dGeomID floor(double z = 0.0) { return geoms_.emplace_back(dCreatePlane(nullptr, 0, 0, 1, z)); }

  // The contacts in both orders, which must agree but for the sign of the normals.
  std::vector<dContactGeom> collide(dGeomID a, dGeomID b, bool all_corners = false) {
    const Colliders colliders(all_corners);
    std::vector<dContactGeom> points(100);
    std::vector<dContactGeom> swapped(100);
    points.resize(colliders.collide(a, b, points));
    swapped.resize(colliders.collide(b, a, swapped));
    EXPECT_EQ(points.size(), swapped.size());
    for (std::size_t i = 0; i < std::min(points.size(), swapped.size()); ++i) {
      EXPECT_EQ(points[i].g1, a);
      EXPECT_EQ(swapped[i].g1, b);
      EXPECT_EQ(to_vec3(points[i].normal), -to_vec3(swapped[i].normal));
      EXPECT_EQ(to_vec3(points[i].pos), to_vec3(swapped[i].pos));
      EXPECT_EQ(points[i].depth, swapped[i].depth);
    }
    return points;
  }

 private:
  std::vector<dGeomID> geoms_;
};

}  // namespace servosim::test
