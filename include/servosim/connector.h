// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "servosim/math.h"
#include "servosim/sampler.h"

namespace servosim {

class ConnectorSearch;
class PhysicsWorld;
struct ConnectorSpec;

/// A Connector: finds another one that fits and holds it.
///
/// Two fit when their models are equal, both are symmetric or one is active and one passive, and
/// they face each other within the tolerances of the one that searches. Locked means that it was
/// commanded to hold; attached, that it does.
///
/// A VacuumGripper is one, too: locked means that it is on, and then it holds the Solid that
/// touches it at enough points. It is still on after that was torn off.
///
/// Threads: one at a time, with the whole Simulation it is part of.
class Connector {
 public:
  Connector(const ConnectorSpec& spec, PhysicsWorld& physics);

  /// Starts searching a partner every `period_ms` [ms]; 0 stops.
  /// @throws std::invalid_argument for a negative period.
  void enable_presence(int period_ms, double now_ms);
  /// Last sample: 1 with a partner that fits or is attached, 0 without, -1 for a passive one. NaN
  /// before the first.
  double presence() const { return state_.presence.value(); }
  /// Holds a partner that is present; with autoLock also one that comes later. Nothing happens to a
  /// passive one.
  void lock();
  /// Releases the partner, unless unilateralUnlock is FALSE and the partner is locked.
  void unlock();
  bool locked() const { return state_.locked; }
  bool attached() const;

  /// The field isLocked of one that is not passive.
  bool is_locked_by_tree() const;

  // Used by Simulation.
  /// All connectors of the world, this one being number `index`; must outlive it.
  void meet(ConnectorSearch& all, int index);
  /// Binds it to the same node's new description in another physics; to be followed by meet() and
  /// renumber().
  void rebind(const ConnectorSpec& spec, PhysicsWorld& physics);
  /// Its node is gone: it holds nothing. `spec` describes it as before.
  void detach(const ConnectorSpec& spec);
  /// After meet() with other numbers: `before` are those by which the partner was known. One that
  /// was detached since has none.
  void renumber(const std::vector<Connector*>& before);
  /// Applies isLocked and autoLock: at the start, and before each step.
  void start() { seek(); }
  void before_step();
  /// Breaks what is pulled too hard, and samples.
  void after_step(double now_ms);
  Vec3 place() const;  ///< its origin, in the world [m]
  const Sampler& presence_sampler() const { return state_.presence; }
  /// Off: no samples.
  void set_power(bool on) { state_.powered = on; }

  /// Everything that changes while it runs. The attachment is part of the physics.
  struct State {
    Sampler presence;
    int peer = -1;  ///< its number, -1: nothing is attached
    bool locked = false;
    bool powered = true;
  };
  const State& state() const { return state_; }
  void set_state(const State& state) { state_ = state; }

 private:
  Connector* partner() const;
  bool fits(const Connector& other) const;
  bool is_ready(const Connector& other) const;
  void seek();
  void attach(Connector& other);
  void detach();
  void align(const Connector& other);
  bool is_torn() const;
  bool tears(int held, double tensile, double shear) const;
  int touched() const;
  void grip();
  void let_go();
  double present() const;

  const ConnectorSpec* spec_;       // not null
  PhysicsWorld* physics_;           // nullptr: its node is gone
  ConnectorSearch* all_ = nullptr;  // of the world; nullptr before meet()
  int index_ = -1;                  // in `all_`
  State state_;
};

}  // namespace servosim
