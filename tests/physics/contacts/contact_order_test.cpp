// SPDX-License-Identifier: Apache-2.0
// Contact joints and their order depend on the poses only.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "physics/contacts/contact_search.h"
#include "physics/ode_library.h"
#include "scene/scene.h"

namespace servosim {
namespace {

constexpr int kBalls = 5;

// Balls in a heap that overlap each other and the floor, in one space.
class Heap {
 public:
  explicit Heap(bool sweep)
      : world_(dWorldCreate()),
        space_(sweep ? dSweepAndPruneSpaceCreate(nullptr, dSAP_AXES_XYZ)
                     : dSimpleSpaceCreate(nullptr)) {
    SolidSpec solid;
    scene_.solids.push_back(solid);
    contacts_ = std::make_unique<ContactSearch>(world_, scene_, anchored_, nullptr);
    dWorldSetGravity(world_, 0, 0, -9.81);
    add(dCreatePlane(space_, 0, 0, 1, 0), nullptr, -1);
    for (int i = 0; i < kBalls; ++i) {
      const dBodyID body = dBodyCreate(world_);
      dMass mass;
      dMassSetSphereTotal(&mass, 1.0 + 0.3 * i, 0.2);
      dBodySetMass(body, &mass);
      dBodySetPosition(body, 0.15 * i, 0.11 * (i % 3), 0.19 - 0.01 * (i % 2));
      bodies_.push_back(body);
      add(dCreateSphere(space_, 0.2), body, i);
    }
    contacts_->finish();
  }
  ~Heap() {
    contacts_.reset();
    dWorldDestroy(world_);
    dSpaceDestroy(space_);
  }

  // Pretends that the balls moved, in this order: spaces put what moved to the front.
  void stir(const std::vector<int>& order) {
    for (const int i : order) {
      const dReal* p = dBodyGetPosition(bodies_[i]);
      dBodySetPosition(bodies_[i], p[0], p[1], p[2]);
      dGeomID geoms[] = {dBodyGetFirstGeom(bodies_[i])};
      dReal bounds[6];
      dGeomGetAABB(geoms[0], bounds);
      dSpaceClean(space_);
    }
  }

  // Pairs as the space reports them.
  std::vector<std::pair<dGeomID, dGeomID>> reported() {
    std::vector<std::pair<dGeomID, dGeomID>> pairs;
    dSpaceCollide(space_, &pairs, [](void* list, dGeomID a, dGeomID b) {
      static_cast<std::vector<std::pair<dGeomID, dGeomID>>*>(list)->emplace_back(a, b);
    });
    return pairs;
  }
  std::vector<std::pair<int, int>> reported_indices() {
    std::vector<std::pair<int, int>> indices;
    for (const auto& [a, b] : reported()) {
      indices.emplace_back(info_of(a).index, info_of(b).index);
    }
    return indices;
  }

  // All numbers of the state after a step with the contacts of the present poses.
  std::vector<double> state_after_step() {
    contacts_->find(space_, {});
    EXPECT_TRUE(ode_step(world_, 0.016, SIZE_MAX, {}).done);
    std::vector<double> state;
    for (const dBodyID body : bodies_) {
      for (const dReal* v : {dBodyGetPosition(body), dBodyGetLinearVel(body),
                             dBodyGetAngularVel(body), dBodyGetQuaternion(body)}) {
        state.insert(state.end(), v, v + 3);
      }
    }
    return state;
  }
  int contacts_of(int body) const { return dBodyGetNumJoints(bodies_[body]); }

 private:
  void add(dGeomID geom, dBodyID body, int index) {
    GeomInfo& info = infos_.emplace_back();
    info.body = info.carrier = index;
    info.carrier_id = body;
    dGeomSetData(geom, &info);
    if (body != nullptr) {
      dGeomSetBody(geom, body);
    }
    contacts_->add(geom);
  }

  dWorldID world_;
  dSpaceID space_;
  Scene scene_;
  std::vector<bool> anchored_ = std::vector<bool>(kBalls);  // none
  std::unique_ptr<ContactSearch> contacts_;
  std::vector<dBodyID> bodies_;
  std::deque<GeomInfo> infos_;
};

class ContactOrder : public testing::TestWithParam<bool> {
 protected:
  ContactOrder() { use_ode(); }
};

TEST_P(ContactOrder, DoesNotDependOnWhatMovedBefore) {
  Heap fresh(GetParam());
  Heap stirred(GetParam());
  stirred.stir({3, 0, 4, 1});
  if (!GetParam()) {
    EXPECT_NE(fresh.reported_indices(), stirred.reported_indices()) << "the test could not fail";
  }
  const std::vector<double> expected = fresh.state_after_step();
  EXPECT_GE(fresh.contacts_of(2), 3) << "floor and neighbours";
  EXPECT_EQ(stirred.state_after_step(), expected);
  // And on, with the one stirred again at every step.
  for (int n = 0; n < 20; ++n) {
    stirred.stir({n % kBalls, (n + 2) % kBalls});
    ASSERT_EQ(stirred.state_after_step(), fresh.state_after_step()) << n;
  }
}

INSTANTIATE_TEST_SUITE_P(SimpleAndSweep, ContactOrder, testing::Bool(),
                         [](const auto& test) { return test.param ? "Sweep" : "Simple"; });

}  // namespace
}  // namespace servosim
