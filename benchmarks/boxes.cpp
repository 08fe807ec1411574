// SPDX-License-Identifier: Apache-2.0
// What the box collider costs compared with stock ODE's, in one run: plain ODE calls step a world
// of towers of boxes with the one and the other in turn.
#include <fmt/format.h>
#include <ode/ode.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "physics/contacts/colliders.h"
#include "physics/ode_library.h"

namespace servosim::bench {
namespace {

constexpr int kTowers = 40;
constexpr int kBoxes = 5;      // boxes of a tower
constexpr double kSize = 0.2;  // [m]
constexpr double kH = 0.008;   // [s]
constexpr int kRounds = 21;
constexpr int kSteps = 20;  // steps of a round

class Towers {
 public:
  explicit Towers(bool stock) : stock_(stock) {
    dWorldSetStepThreadingImplementation(world_, dThreadingImplementationGetFunctions(threading_),
                                         threading_);
    dWorldSetGravity(world_, 0, 0, -9.81);
    for (int t = 0; t < kTowers; ++t) {
      dGeomSetPosition(dCreateBox(space_, 1, 1, kSize), 2.0 * t, 0, 0);
      for (int k = 1; k <= kBoxes; ++k) {
        add(t, k);
      }
    }
  }
  Towers(const Towers&) = delete;
  Towers& operator=(const Towers&) = delete;
  ~Towers() {
    dJointGroupDestroy(group_);
    dWorldDestroy(world_);
    dSpaceDestroy(space_);
    dThreadingFreeImplementation(threading_);
  }

  void step() {
    dJointGroupEmpty(group_);
    dSpaceCollide(space_, this, near);
    if (dWorldStep(world_, kH) == 0) {
      throw std::runtime_error("dWorldStep() failed");
    }
  }
  /// Collides every pair that may touch, and makes no joints.
  int collide() {
    int found = 0;
    for (const auto& [a, b] : pairs_) {
      found += points_of(a, b);
    }
    return found;
  }
  void note_pairs() {
    pairs_.clear();
    dSpaceCollide(space_, &pairs_, [](void* pairs, dGeomID a, dGeomID b) {
      static_cast<std::vector<std::pair<dGeomID, dGeomID>>*>(pairs)->emplace_back(a, b);
    });
  }

 private:
  // Each box is turned against the one below it.
  void add(int tower, int k) {
    const dBodyID body = dBodyCreate(world_);
    const dGeomID geom = dCreateBox(space_, kSize, kSize, kSize);
    dGeomSetBody(geom, body);
    dMass mass;
    dMassSetBoxTotal(&mass, 2.0, kSize, kSize, kSize);
    dBodySetMass(body, &mass);
    dQuaternion q;
    dQFromAxisAndAngle(q, 0, 0, 1, 0.2 * k + 0.1 * tower);
    dBodySetQuaternion(body, q);
    dBodySetPosition(body, 2.0 * tower, 0, k * (kSize - 1e-4));
  }
  int points_of(dGeomID a, dGeomID b) {
    return stock_ ? dCollide(a, b, 100, points_.data(), sizeof(dContactGeom))
                  : colliders_.collide(a, b, points_);
  }
  static void near(void* self, dGeomID a, dGeomID b) {
    auto& towers = *static_cast<Towers*>(self);
    if (dGeomGetBody(a) == nullptr && dGeomGetBody(b) == nullptr) {
      return;
    }
    dContact contact{};
    contact.surface.mode = dContactSoftCFM | dContactSoftERP | dContactApprox1;
    contact.surface.mu = 1.0;
    contact.surface.soft_cfm = 0.001;
    contact.surface.soft_erp = 0.2;
    const int found = towers.points_of(a, b);
    for (int i = 0; i < found; ++i) {
      contact.geom = towers.points_[i];
      dJointAttach(dJointCreateContact(towers.world_, towers.group_, &contact), dGeomGetBody(a),
                   dGeomGetBody(b));
    }
  }

  bool stock_;
  dWorldID world_ = dWorldCreate();
  dThreadingImplementationID threading_ = dThreadingAllocateSelfThreadedImplementation();
  dSpaceID space_ = dSweepAndPruneSpaceCreate(nullptr, dSAP_AXES_XYZ);
  dJointGroupID group_ = dJointGroupCreate(0);
  Colliders colliders_;
  std::vector<dContactGeom> points_ = std::vector<dContactGeom>(100);
  std::vector<std::pair<dGeomID, dGeomID>> pairs_;
};

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

template <typename Action>
double microseconds(Action action) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < kSteps; ++i) {
    action();
  }
  const std::chrono::duration<double, std::micro> passed = std::chrono::steady_clock::now() - start;
  return passed.count() / kSteps;
}

// Runs both in turns, and prints the median of each and of their ratios.
template <typename Action>
void compare(const char* what, Towers& stock, Towers& own, Action action) {
  std::vector<double> by_stock;
  std::vector<double> by_own;
  std::vector<double> ratios;
  for (int round = 0; round < kRounds; ++round) {
    by_stock.push_back(microseconds([&] { action(stock); }));
    by_own.push_back(microseconds([&] { action(own); }));
    ratios.push_back(by_own.back() / by_stock.back());
  }
  fmt::print("{:<32} stock ODE {:8.2f} us   own {:8.2f} us   ratio {:.3f}\n", what,
             median(by_stock), median(by_own), median(ratios));
}

}  // namespace
}  // namespace servosim::bench

int main() {
  using servosim::bench::Towers;
  servosim::use_ode();
  Towers stock(true);
  Towers own(false);
  for (int i = 0; i < 50; ++i) {
    stock.step();
    own.step();
  }
  stock.note_pairs();
  own.note_pairs();
  int found = 0;
  servosim::bench::compare("all pairs of boxes collided", stock, own,
                           [&found](Towers& towers) { found += towers.collide(); });
  servosim::bench::compare("a step of 40 towers of 5 boxes", stock, own,
                           [](Towers& towers) { towers.step(); });
  return found > 0 ? 0 : 1;
}
