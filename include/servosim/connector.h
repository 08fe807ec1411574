// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "servosim/device.h"
#include "servosim/math.h"

namespace servosim {

class ConnectorSearch;
class PhysicsWorld;
struct ConnectorSpec;

/// A Connector: finds another one that fits and holds it.
///
/// Two connectors fit when their models are equal, both are symmetric or one is active and one
/// passive, and they face each other within the tolerances of the one that searches. Locked means
/// that the connector was commanded to hold; attached means that it holds a partner.
///
/// A VacuumGripper is a Connector too. Locked then means that it is switched on. While it is on and
/// holds nothing, it takes the Solid that touches it at most points, if these are `contactPoints`
/// or more. It remains on after its load was torn off.
///
/// Threads: one at a time, with the whole Simulation it is part of.
class Connector : public Device {
 public:
  /// What `binding` refers to must outlive the connector or the next rebind().
  explicit Connector(const DeviceBinding& binding);

  /// Starts to look for a partner periodically, first one period after `now_ms`.
  /// @param period_ms  [ms]; 0 stops, and keeps the last sample
  /// @param now_ms  the simulated time [ms]
  /// @throws std::invalid_argument if `period_ms` is negative
  void enable_presence(int period_ms, double now_ms) { enable(period_ms, now_ms); }
  /// The last sample: 1 if a partner that fits is there or attached, 0 if not, -1 for a passive
  /// connector. A VacuumGripper has 1 while it holds something. NaN before the first sample.
  double presence() const { return sampler_.value(); }
  /// Locks it, and attaches a partner that is present and ready: one that is locked or passive, or
  /// any if both have unilateralLock TRUE. With autoLock it also takes a partner that comes later.
  /// A passive connector does nothing.
  void lock();
  /// Unlocks it, and releases its partner, except where unilateralUnlock of either is FALSE and the
  /// partner is locked.
  void unlock();
  /// Whether it was commanded to hold.
  bool locked() const { return state_.locked; }
  /// Whether it holds a partner now.
  bool attached() const;

  /// The field isLocked as the tree has it; FALSE for a passive connector.
  bool is_locked_by_tree() const;

  // Only Simulation uses what follows.
  /// Gives it the list of all connectors of the world, in which it is number `index`. The list must
  /// outlive the connector or the next rebind().
  void meet(ConnectorSearch& all, int index);
  /// Translates the number of its partner after meet() has given other numbers. `before` is the
  /// list by the old numbers. A partner that was detached since has no number, so that nothing is
  /// attached then.
  void renumber(const std::vector<Connector*>& before);
  /// Applies isLocked at the start, as before_step() does before each step.
  void start() { seek(); }
  /// With autoLock, looks for a partner and attaches it.
  void before_step(double h) override;
  /// Its origin in the world [m].
  Vec3 place() const;
  const Sampler& presence_sampler() const { return sampler_; }

 private:
  struct State {
    // The number of the partner by meet(); -1: nothing is attached. The attachment itself is part
    // of the state of the physics.
    int peer = -1;
    bool locked = false;
  };

  /// Releases what is pulled harder than tensileStrength or shearStrength allow. What is torn apart
  /// is unlocked on both sides, but a VacuumGripper stays on.
  void follow() override;
  void measure(double now_ms) override;
  /// Binds it to the same node's new description in another physics. The caller then calls meet()
  /// and renumber(), unless the node is gone: then the connector holds nothing.
  void rebind(const DeviceBinding& binding) override;
  CommandEffect command(const DeviceCommand& command, double now_ms) override;
  void list_settings(std::vector<DeviceSetting>& settings) const override;
  void set_field(std::string_view field, std::span<const double> numbers) override;
  void archive_state(DeviceArchive& archive) override;
  const char* lock_field() const;
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
  ConnectorSearch* all_ = nullptr;  // nullptr before meet()
  int index_ = -1;                  // its number in `all_`
  State state_;
};

}  // namespace servosim
